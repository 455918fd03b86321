# Der Bericht über Läufe.

report-compared = { $n ->
    [one] { $n } Experiment
   *[other] { $n } Experimente
} im Vergleich
report-about = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
} von LAE Studio { $version }. Genauigkeiten in Prozent.
report-more-figures = Weitere Kennzahlen und ihre Definitionen
report-less-is-better = weniger ist besser
report-several-runs = Mehrere Läufe: Mittel ± Standardabweichung der Stichprobe über Klassenreihenfolgen und Startwerte.
report-experiment = Experiment
report-runs = Läufe
report-numbers = Zahlen
report-published = Vergleich mit veröffentlichten Ergebnissen
report-published-as = veröffentlicht als
report-there = { $figure } veröffentlicht
report-here-there = dieser Bericht − veröffentlicht
report-differs = Unterschiede
report-table = Tabelle { $table }
report-left-out = { $n ->
    [one] { $n } weiterer Lauf der Tabellen oben hat
   *[other] { $n } weitere Läufe der Tabellen oben haben
} hier keinen eigenen Abschnitt.
report-mistaken = Häufigste Verwechslungen
report-taken-for = gehalten für
report-images = Bilder
report-begun = { $run }, gestartet { $time }
report-matrix = Genauigkeit auf den Bildern jedes Tasks, nach jedem Task
report-unreadable = Die Vorhersagen lassen sich nicht lesen: { $why }.
report-pet = Quelltext des PET
report-pet-hash = SHA-256 des PET-Quelltexts
report-answer-of = Vorhersagen von
report-the-run = dem Lauf
report-confusion = Verwechslungen der Testbilder nach Task { $n }
report-classes = Genauigkeit jeder Klasse
report-test-images = Testbilder
report-training-images = Trainingsbilder
report-accuracy = Genauigkeit
report-data = Daten
report-data-counts = { $classes ->
    [one] { $classes } Klasse
   *[other] { $classes } Klassen
} in { $tasks ->
    [one] { $tasks } Task
   *[other] { $tasks } Tasks
}, { $train ->
    [one] { $train } Trainingsbild
   *[other] { $train } Trainingsbilder
}, { $test ->
    [one] { $test } Testbild
   *[other] { $test } Testbilder
}.
report-tasks = Tasks
report-task = Task
report-of-classes = Klassen
report-program = Programm
report-device = Gerät
report-key = Schlüssel des Experiments
report-trained = trainierbare Parameter
report-frozen = eingefrorene Parameter
report-made-from = Quelle
report-settings = Alle Einstellungen
