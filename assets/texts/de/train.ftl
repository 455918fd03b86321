# Die Seite Training.

train-nothing-running = Es läuft nichts
train-nothing-running-here = Auf diesem Rechner läuft nichts
train-nothing-running-about = Richte ein Experiment ein und starte es, oder öffne einen gespeicherten Lauf
train-set-up-experiment = Experiment einrichten
train-open-run = Lauf öffnen
train-pause-run = Anhalten
train-resume-run = Fortsetzen
train-stop-run = Beenden
train-predict-with-run = Mit diesem Lauf vorhersagen
train-teach-classes = Lehren …
train-undo-added-task = Hinzugefügten Task zurücknehmen …
train-undo-added-task-classes = Hinzugefügten Task zurücknehmen: { $classes }
train-undo-added-task-hint = Stellt den Stand vor diesem hinzugefügten Task wieder her
train-show-current-run = Laufendes Training zeigen
train-progress = Fortschritt des Laufs
train-task-of = Task { $n } von { $of }
train-epoch-of = Epoche { $n } von { $of }
train-images-per-second = { $n } Bilder/s
train-trainable-parameters = { $n } trainierbare Parameter
train-at-place = auf { $place }
train-what-is-happening = Was gerade geschieht
train-what-happened = Was geschehen ist
train-loss-title = Verlust auf den neuen Klassen
train-smooth = glätten
train-smooth-hint = Das Mittel von bis zu { $n } Schritten innerhalb eines Tasks
train-loss-by-step = nach Trainingsschritt; jeder zweite Task ist hinterlegt
train-loss-by-pass = Mittel je Epoche; jeder zweite Task ist hinterlegt
train-log = Protokoll
train-log-filter = Filtern
train-log-filter-name = Protokoll filtern
train-log-copy = Kopieren

# Kennzahlen, Kurven, Matrizen.
train-accuracy = Genauigkeit
train-accuracy-of-seen = { $title }, { $n ->
    [one] { $n } Klasse
   *[other] { $n } Klassen
}
train-task-given = Task gegeben
train-forgotten-so-far = Bisher vergessen
train-points = Punkte
train-no-better-than-guessing = nicht besser als Raten
train-too-few-test-images = zu wenige Testbilder
train-accuracy-interval = { $right } von { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} richtig. Der Bereich ist Wilsons 95-%-Intervall für die Genauigkeit auf allen Bildern dieser Art.
train-accuracy-curves = Genauigkeit auf allen bisherigen Klassen
train-accuracy-curves-name = Genauigkeit nach jedem Task
train-learning-now = lernt gerade { $names }
train-matrix-none = Verfügbar nach dem ersten Task.
train-matrix-hint = Lies eine Spalte von oben nach unten, um zu sehen, wie ein Task vergessen wird.
train-expert = Experte
train-confusion-none = Verfügbar nach dem ersten Task: welche Klassen miteinander verwechselt werden.
train-confusion-after = Verwechslungen nach Task
train-confusion-granularity = Klassen oder Tasks
train-confusion-by-classes = Klassen
train-confusion-by-tasks = Tasks
train-no-confusions = Keine Verwechslungen
train-most-confused-classes = Am häufigsten verwechselt
train-confused-with = { $name } als { $answer } vorhergesagt
train-of-count = von { $n }
train-show-cell-images = Bilder zeigen
train-click-cell-hint = Klicke auf eine Zelle, um die Bilder zu sehen.
train-show-mistakes = Die sichersten Fehler zeigen
train-cell-correct = { $name }, richtig: { $n }
train-cell-confused = { $name } als { $answer } vorhergesagt: { $n }
train-opening-dataset = Der Datensatz wird geöffnet.
train-all-classes = alle Klassen
train-prompts-selection = Bilder, die die Prompts ihres eigenen Tasks wählen
train-prompts-own = eigene Prompts gewählt
train-prompts-name = Wahl der Prompts nach jedem Task
train-prompts-accuracy = Genauigkeit mit den Prompts eines Tasks für alle Bilder
train-prompts-hint = Ähnliche Zeilen bedeuten ähnliche Prompts. Das Mittel umfasst den Task der Prompts und alle späteren; die Spalten zeigen den jetzigen Stand.
train-prompts-of = Prompts von
train-prompts-all = alle Tasks
train-prompts-mean = Mittel

# Ein Lauf daneben.
train-compare-with = Vergleichen mit
train-compare-forgotten = vergessen
train-compare-other-order = Andere Klassenreihenfolge: Ihr Task 1 hat andere Bilder.
train-compare-in-progress = Der andere Lauf trainiert gerade.

# Die Warteschlange und Versuchsreihen darin.
train-queue = Warteschlange
train-queue-resume = Warteschlange fortsetzen
train-queue-pause = Warteschlange anhalten
train-queue-held-hint = Angehaltene Läufe beginnen, wenn du die Warteschlange fortsetzt.
train-on-hold = angehalten
train-queue-forward = { $n } nach vorn rücken: { $title }
train-queue-back = { $n } nach hinten rücken: { $title }
train-queue-remove = { $n } aus der Warteschlange entfernen: { $title }
train-grid-cancel = Versuchsreihe beenden …
train-grid-cancel-hint = Beendet die Versuchsreihe; vorhandene Ergebnisse bleiben erhalten
train-grid-left = noch etwa { $time }
train-grid-progress = Fortschritt der Versuchsreihe
train-grid-runs = Läufe
train-grid-searching-runs = Vorhandene Läufe werden gesucht

# Was gegen ein schwaches Ergebnis hilft.
train-show-images-of = Zeige die Bilder von
train-show-these-images = Diese Bilder zeigen
train-find-doubtful-labels = Zweifelhafte Labels suchen
train-find-doubtful-labels-hint = Klassifiziert jedes Trainingsbild anhand der anderen und zeigt die, die nach einer anderen Klasse aussehen als ihr Label
train-use-all-at-once = Alle Klassen auf einmal lernen
train-use-steps-per-task = { $n } Schritte je Task verwenden
train-try-methods = Methoden ausprobieren
train-use-setting = { $name } verwenden
train-weights-place = Gewichte: { $place }

# Fehler und zweifelhafte Labels.
train-confident-mistakes = Die sichersten Fehler
train-mistakes-none = Kein Bild wurde falsch klassifiziert.
train-mistakes-hint = Wahre Klasse → Vorhersage und ihre Sicherheit. Klicke auf ein Bild, um es unter Vorhersage zu öffnen. Ist sein Label falsch, korrigiere es unter dem Bild.
train-doubtful-labels = Die zweifelhaftesten Labels
train-doubtful-labels-hint = Label → Klasse, nach der es aussieht, und die Sicherheit. Klicke auf ein Bild, um es unter Vorhersage zu öffnen. Ist sein Label falsch, korrigiere es unter dem Bild.
train-test-images = Testbilder
train-training-images = Trainingsbilder
train-mistakes-split = Test- oder Trainingsbilder
train-backbone-only = nur Backbone
train-mistakes-class = Wahre Klasse der Fehler
train-doubtful-labels-class = Label der zweifelhaften Bilder
train-predicted-again = { $n } von { $of } noch einmal klassifiziert
train-predict-mistakes-again = Seine Fehler noch einmal klassifizieren
train-certainty-not-stored = nicht gespeichert
train-certainty-not-stored-hint = Dieser Lauf hat nicht gespeichert, wie sicher seine Vorhersagen waren.
train-certainty-predicted-again = Dieser Lauf hat nicht gespeichert, wie sicher seine Vorhersagen waren; { $n } Bilder wurden noch einmal klassifiziert.
train-show-more = Mehr zeigen ({ $n })
train-labelled-class = mit dem Label { $class }
# $labelled ist leer, oder ein Leerzeichen und train-labelled-class.
train-doubts-no-images = Kein Trainingsbild{ $labelled } sieht nach einer anderen Klasse aus.
train-doubts-images-found = { $n } von { $of } { $of ->
    [one] Trainingsbild
   *[other] Trainingsbildern
}{ $labelled } { $n ->
    [one] sieht
   *[other] sehen
} nach einer anderen Klasse aus. In einer langen Liste sind die meisten Labels richtig: Prüfe die ersten.
train-doubts-loading = Die Trainingsbilder werden geladen.
train-doubts-comparing = Die Trainingsbilder werden verglichen.
train-doubts-progress = { $n } von { $of ->
    [one] { $of } Trainingsbild
   *[other] { $of } Trainingsbildern
} verarbeitet
train-doubts-about = Klassifiziert jedes Bild anhand der Merkmale der anderen (eingefrorenes Backbone), ohne das Bild selbst und seine Kopien.
train-tile-training-image = Trainingsbild { $index }
train-tile-test-image = { $of ->
    [validation] Validierungsbild { $index }
   *[test] Testbild { $index }
}
train-tile-added-task-image = Testbild { $index } des hinzugefügten Tasks { $task }
train-tile-mistake = Fehler, { $name }
train-tile-doubtful = zweifelhaft, { $name }
train-tile-hint = Klicke, um es unter Vorhersage zu öffnen
train-correct-label = Label …
train-correct-image = Label korrigieren: { $name }
train-correct-label-hint = Korrigiert das Label oder schließt das Bild aus, ab dem nächsten Lauf, beim Trainieren und Testen
train-correct-label-title = Label korrigieren
train-label-excluded = ausgeschlossen
train-label-now = jetzt { $class }
train-label-as-predicted = { $class }, wie vorhergesagt
train-label-as-it-looks = { $class }, wonach es aussieht
train-exclude-image = Keine davon: ausschließen
train-label-revert = Zurück zu { $class }

# Läufe auf anderen Rechnern.
train-place-title = Auf { $place }
train-place-start-held = Starten
train-place-show = Zeigen
train-place-resume = Auf { $place } fortsetzen: { $title }
train-place-pause = Auf { $place } anhalten: { $title }
train-place-stop = Auf { $place } beenden: { $title }
train-place-remove = Von { $place } entfernen: { $title }
train-place-waiting = wartet
train-place-task-of-tasks = Task { $n } von { $of }
train-place-starting = beginnt
train-place-connecting = wird verbunden
train-place-best-device = bestes Gerät
train-place-device = Gerät { $device }
train-place-about = { $system } auf { $processor }, { $device }, Läufe in { $folder }{ $n ->
        [0] {""}
        [one] , ein Lauf von dort ist noch nicht hier
       *[other] , { $n } Läufe von dort sind noch nicht hier
    }
train-place-removed-with-runs = auf { $place } sind noch Läufe, aber dieser Ort ist nicht mehr in places.toml
train-place-removed-with-runs-advice = füge ihn wieder zu places.toml hinzu
train-place-unknown = einen Ort namens { $place } gibt es nicht
train-place-run-unqueued = { $title } wurde aus der Warteschlange von { $place } entfernt

# Versuchsreihen auf Clustern.
train-cluster-title = { $grid } auf { $place }
train-cluster-cancel-hint = Bricht wartende Jobs ab und beendet laufende; gespeicherte Ergebnisse bleiben erhalten
train-cluster-refresh = Aktualisieren
train-cluster-refresh-hint = Fragt den Cluster nach dem Stand seiner Jobs
train-cluster-hide = { $grid } auf { $place } ausblenden
train-cluster-progress = Fortschritt von { $grid } auf { $place }
train-cluster-done = { $runs } fertig
train-cluster-running = laufend: { $n }
train-cluster-waiting = wartend: { $n }
train-cluster-stopped = beendet: { $n }
train-cluster-cancelled = abgebrochen: { $n }
train-cluster-failed = fehlgeschlagen: { $n }
train-cluster-failed-why = { $n ->
        [one] Ein Lauf ist fehlgeschlagen: { $why }
       *[other] { $n } Läufe sind fehlgeschlagen: { $why }
    }
train-expert-hint = Zeigt Matrix, Verwechslungen und Fehler unten für diesen Experten
train-explanation-show-more = Mehr zeigen
train-explanation-show-less = Weniger zeigen
train-log-show = Zeigen
train-log-hide = Verbergen
