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
report-lower-is-better = niedriger ist besser
report-several-runs = Mehrere Läufe: Mittel ± Stichproben-Standardabweichung über Klassenreihenfolgen und Startwerte.
report-experiment = Experiment
report-runs = Läufe
report-numbers = Zahlen
report-published = Vergleich mit veröffentlichten Ergebnissen
report-published-as = veröffentlicht als
report-published-figure = { $figure }, veröffentlicht
report-minus-published = dieser Bericht − veröffentlicht
report-differences = Unterschiede
report-table-number = Tabelle { $table }
report-more-runs = { $n ->
    [one] { $n } weiterer Lauf der Tabellen oben hat
   *[other] { $n } weitere Läufe der Tabellen oben haben
} hier keinen eigenen Abschnitt.
report-most-frequent-confusions = Häufigste Verwechslungen
report-predicted-as = vorhergesagt als
report-images = Bilder
report-run-started = { $run }, gestartet { $time }
report-accuracy-per-task = Genauigkeit auf den Bildern jedes Tasks, nach jedem Task
report-predictions-unreadable = Die Vorhersagen lassen sich nicht lesen: { $why }.
report-pet-source = Quelltext des PET
report-pet-hash = SHA-256 des PET-Quelltexts
report-predictions-of = Vorhersagen von
report-run = dem Lauf
report-confusion = Verwechslungen der Testbilder nach Task { $n }
report-accuracy-by-class = Genauigkeit nach Klasse
report-test-images = Testbilder
report-training-images = Trainingsbilder
report-accuracy = Genauigkeit
report-data = Daten
report-dataset-counts = { $classes ->
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
report-task-classes = Klassen
report-program = Programm
report-device = Gerät
report-key = Schlüssel des Experiments
report-trainable-parameters = trainierbare Parameter
report-frozen-parameters = eingefrorene Parameter
report-source = Quelle
report-all-settings = Alle Einstellungen
