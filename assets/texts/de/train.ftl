# Die Seite Training.

train-empty = Es läuft nichts
train-empty-here = Auf diesem Rechner läuft nichts
train-empty-text = Richte ein Experiment ein und starte es, oder öffne einen gespeicherten Lauf
train-set-up = Experiment einrichten
train-open-run = Lauf öffnen
train-pause = Anhalten
train-resume = Fortsetzen
train-stop = Beenden
train-predict = Mit diesem Lauf vorhersagen
train-teach = Lehren …
train-unlearn = Zusätzlichen Task zurücknehmen …
train-unlearn-classes = Zusätzlichen Task zurücknehmen: { $classes }
train-unlearn-hint = Stellt den Lauf wie vor diesem zusätzlichen Task wieder her
train-show-live = Laufendes Training zeigen
train-progress = Fortschritt des Laufs
train-task-of = Task { $n } von { $of }
train-epoch-of = Epoche { $n } von { $of }
train-rate = { $n } Bilder/s
train-trained = { $n } trainierbare Parameter
train-at-place = auf { $place }
train-happening = Was gerade geschieht
train-happened = Was geschehen ist
train-loss = Verlust auf den neuen Klassen
train-smooth = glätten
train-smooth-hint = Das Mittel von höchstens { $n } Schritten, innerhalb eines Tasks
train-loss-by-step = je Schritt des Optimierers; jeder zweite Task ist hinterlegt
train-loss-by-pass = Mittel je Durchgang durch die Bilder; jeder zweite Task ist hinterlegt
train-log = Protokoll
train-log-filter = Filtern
train-log-filter-name = Protokoll filtern
train-log-copy = Kopieren

# Kennzahlen, Kurven, Matrizen.
train-right = Genauigkeit
train-right-of-seen = { $title }, { $n ->
    [one] { $n } Klasse
   *[other] { $n } Klassen
} bisher
train-task-given = Task ist gegeben
train-forgotten = Bisher vergessen
train-points = Punkte
train-guessing = nicht besser als Raten
train-trust = { $right } von { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} richtig. Der Bereich ist Wilsons 95-%-Intervall für die Genauigkeit auf allen Bildern dieser Art.
train-curves = Genauigkeit auf allen bisherigen Klassen
train-curves-name = Genauigkeit nach jedem Task
train-learning-now = lernt gerade { $names }
train-matrix-none = Verfügbar nach dem ersten Task.
train-matrix-hint = Lies eine Spalte abwärts, dann siehst du, wie ein Task vergessen wird.
train-expert = Experte
train-confusion-none = Verfügbar nach dem ersten Task: welche Klassen miteinander verwechselt werden.
train-confusion-after = Verwechslungen nach Task
train-granularity = Klassen oder Tasks
train-by-classes = Klassen
train-by-tasks = Tasks
train-nothing-confused = Keine Verwechslungen
train-most-confused = Am häufigsten verwechselt
train-taken-for = { $name } für { $answer } gehalten
train-of = von { $n }
train-show-images = Bilder zeigen
train-click-cell = Klicke auf eine Zelle, um die Bilder zu sehen.
train-see-mistakes = Die sichersten Fehler zeigen
train-cell-right = { $name }, richtig: { $n }
train-cell-taken = { $name } für { $answer } gehalten: { $n }
train-data-opening = Der Datensatz wird geöffnet.
train-all-classes = alle Klassen
train-prompts-selection = Bilder, die die Prompts ihres eigenen Tasks wählen
train-prompts-own = eigene Prompts gewählt
train-prompts-name = Wahl der Prompts nach jedem Task
train-prompts-accuracy = Genauigkeit mit den Prompts eines Tasks für alle Bilder
train-prompts-hint = Ähnliche Zeilen heißen: ähnliche Prompts. Das Mittel geht über die Tasks ab dem der Prompts; die Spalten zeigen den jetzigen Stand.
train-prompts-of = Prompts von
train-prompts-all = alle Tasks
train-prompts-mean = Mittel

# Ein Lauf daneben.
train-beside = Vergleichen mit
train-beside-forgotten = vergessen
train-beside-order = Andere Klassenreihenfolge: Ihr Task 1 hat andere Bilder.
train-beside-live = Der andere Lauf trainiert gerade.

# Die Warteschlange und Versuchsreihen darin.
train-queue = Warteschlange
train-queue-resume = Warteschlange fortsetzen
train-queue-hold = Warteschlange anhalten
train-queue-held = Was angehalten ist, beginnt, wenn du die Warteschlange fortsetzt.
train-on-hold = angehalten
train-queue-forward = { $n } nach vorn rücken: { $title }
train-queue-back = { $n } nach hinten rücken: { $title }
train-queue-remove = { $n } aus der Warteschlange nehmen: { $title }
train-grid-cancel = Abbrechen
train-grid-cancel-hint = Beendet die Versuchsreihe; vorhandene Ergebnisse bleiben
train-grid-left = noch etwa { $time }
train-grid-progress = Fortschritt der Versuchsreihe
train-grid-runs = Läufe
train-grid-looking = Vorhandene Läufe werden gesucht

# Was gegen ein schwaches Ergebnis hilft.
train-look-at = Zeige die Bilder von
train-show-pictures = Diese Bilder zeigen
train-look-for-doubts = Fragliche Labels suchen
train-doubts-hint = Sagt jedes Trainingsbild aus den anderen vorher und zeigt die, die nach einer anderen Klasse aussehen als ihr Label
train-more-steps = { $n } Schritte je Task verwenden
train-try-methods = Methoden ausprobieren
train-set-up-with = { $name } verwenden
train-its-weights = Gewichte: { $place }

# Fehler und fragliche Labels.
train-mistakes = Die sichersten Fehler
train-mistakes-none = Kein Bild wurde falsch vorhergesagt.
train-mistakes-how = Wahre Klasse → Vorhersage, und wie sicher sie war. Klicke auf ein Bild, um es unter Vorhersage zu öffnen. Ist sein Label falsch, berichtige es unter dem Bild.
train-doubtful = Die fraglichsten Labels
train-doubtful-how = Label → Klasse, nach der es aussieht, und wie sicher das ist. Klicke auf ein Bild, um es unter Vorhersage zu öffnen. Ist sein Label falsch, berichtige es unter dem Bild.
train-test-pictures = Testbilder
train-training-pictures = Trainingsbilder
train-side-of-mistakes = Test- oder Trainingsbilder
train-backbone-alone = nur Backbone
train-class-of-mistakes = Wahre Klasse der Fehler
train-label-of-doubtful = Label der fraglichen Bilder
train-asked-again = { $n } von { $of } noch einmal vorhergesagt
train-ask-again = Seine Fehler noch einmal vorhersagen
train-not-noted = nicht gespeichert
train-not-noted-yet = Dieser Lauf hat nicht gespeichert, wie sicher seine Vorhersagen waren.
train-not-noted-but = Dieser Lauf hat nicht gespeichert, wie sicher seine Vorhersagen waren; { $n } wurden noch einmal vorhergesagt.
train-show-more = Mehr zeigen ({ $n })
train-labelled = mit dem Label { $class }
# $labelled ist leer, oder ein Leerzeichen und train-labelled.
train-doubts-none = Kein Trainingsbild{ $labelled } sieht nach einer anderen Klasse aus.
train-doubts-found = { $n } von { $of } { $of ->
    [one] Trainingsbild
   *[other] Trainingsbildern
}{ $labelled } { $n ->
    [one] sieht
   *[other] sehen
} nach einer anderen Klasse aus. In einer langen Liste sind die meisten Labels richtig: Prüfe die ersten.
train-doubts-gathered = Die Trainingsbilder werden geladen.
train-doubts-compared = Die Trainingsbilder werden verglichen.
train-doubts-looked-at = { $n } von { $of ->
    [one] { $of } Trainingsbild
   *[other] { $of } Trainingsbildern
} verarbeitet
train-doubts-how = Sagt jedes Bild aus den anderen vorher, mit Merkmalen des eingefrorenen Backbones, ohne das Bild selbst und seine Kopien.
train-tile-training = Trainingsbild { $index }
train-tile-tested = { $of ->
    [validation] Validierungsbild { $index }
   *[test] Testbild { $index }
}
train-tile-added = Testbild { $index } des zusätzlichen Tasks { $task }
train-tile-mistake = Fehler, { $name }
train-tile-doubtful = fraglich, { $name }
train-tile-hint = Klicke, um es unter Vorhersage zu öffnen
train-correct = Label …
train-correct-of = Berichtigen: { $name }
train-correct-hint = Berichtigt das Label oder schließt das Bild aus: ab dem nächsten Lauf, beim Trainieren und Testen
train-correct-title = Richtiges Label
train-left-out = ausgeschlossen
train-now = jetzt { $class }
train-as-answered = { $class }, wie vorhergesagt
train-as-it-looks = { $class }, wonach es aussieht
train-leave-out = Nichts davon: ausschließen
train-take-back = Zurück zu { $class }

# Läufe auf anderen Rechnern.
train-place = Auf { $place }
train-place-let-begin = Starten
train-place-show = Zeigen
train-place-resume = Auf { $place } fortsetzen: { $title }
train-place-pause = Auf { $place } anhalten: { $title }
train-place-stop = Auf { $place } beenden: { $title }
train-place-remove = Von { $place } nehmen: { $title }
train-place-waits = wartet
train-place-task = Task { $n } von { $of }
train-place-begins = beginnt
train-place-asked = wird verbunden
train-place-best-device = bestes Gerät
train-place-device = Gerät { $device }
train-place-line = { $system } auf { $processor }, { $device }, Läufe in { $folder }{ $n ->
        [0] {""}
        [one] , ein Lauf von dort ist noch nicht hier
       *[other] , { $n } Läufe von dort sind noch nicht hier
    }
train-place-gone = auf { $place } blieben Läufe zurück, aber dieser Ort steht nicht mehr in der Liste
train-place-gone-advice = schreib ihn wieder in places.toml
train-place-unknown = einen Ort namens { $place } gibt es nicht
train-place-removed = { $title } wurde aus der Warteschlange von { $place } genommen

# Versuchsreihen auf Clustern.
train-cluster = { $grid } auf { $place }
train-cluster-cancel-hint = Bricht wartende Aufträge ab und beendet laufende; was sie gespeichert haben, bleibt
train-cluster-ask = Aktualisieren
train-cluster-ask-hint = Fragt den Cluster, wie es um seine Aufträge steht
train-cluster-forget = { $grid } auf { $place } ausblenden
train-cluster-progress = Fortschritt von { $grid } auf { $place }
train-cluster-done = { $runs } fertig
train-cluster-running = { $n } laufen
train-cluster-waiting = { $n } warten
train-cluster-stopped = { $n } angehalten
train-cluster-cancelled = { $n } abgebrochen
train-cluster-failed = { $n } fehlgeschlagen
train-cluster-failure = { $n ->
        [one] Ein Lauf ist fehlgeschlagen: { $why }
       *[other] { $n } Läufe sind fehlgeschlagen: { $why }
    }
train-expert-of-page = Zeigt Matrix, Verwechslungen und Fehler darunter für diesen Experten
train-tell-all = Mehr zeigen
train-tell-less = Weniger zeigen
train-log-show = Zeigen
train-log-hide = Verbergen
