# Die Seite Training.

train-empty = Es läuft nichts
train-empty-here = Auf diesem Rechner läuft nichts
train-empty-text = Richte ein Experiment ein und starte es, oder öffne einen gespeicherten Lauf
train-set-up = Experiment einrichten
train-open-run = Lauf öffnen
train-pause = Anhalten
train-resume = Fortsetzen
train-stop = Beenden
train-predict = Damit vorhersagen
train-teach = Lehren …
train-unlearn = Verlernen …
train-unlearn-classes = { $classes } verlernen
train-unlearn-hint = Danach ist der Lauf wieder wie vor diesem zusätzlichen Task
train-show-live = Laufendes Training zeigen
train-progress = Fortschritt des Laufs
train-task-of = Task { $n } von { $of }
train-epoch-of = Epoche { $n } von { $of }
train-rate = { $n } Bilder/s
train-trained = { $n } trainiert
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
train-right = Richtig
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
} richtig. Würde 100 Mal auf anderen Bildern dieser Art getestet, enthielten etwa 95 der so gebildeten Bereiche die Genauigkeit auf allen solchen Bildern (Wilson-Intervall).
train-curves = Genauigkeit auf allen bisherigen Klassen
train-curves-name = Genauigkeit nach jedem Task
train-learning-now = lernt gerade { $names }
train-matrix-none = Kommt mit dem ersten Task.
train-matrix-hint = Lies eine Spalte abwärts, dann siehst du, wie ein Task vergessen wird.
train-expert = Experte
train-confusion-none = Kommt mit dem ersten Task: welche Klassen wofür gehalten werden.
train-confusion-after = Verwechslungen nach Task
train-granularity = Klassen oder Tasks
train-by-classes = Klassen
train-by-tasks = Tasks
train-nothing-confused = Nichts wird verwechselt
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
train-prompts-hint = Zeilen, die sich kaum unterscheiden, heißen: Prompts, die sich kaum unterscheiden. Das Mittel geht über die Tasks ab dem der Prompts; die Spalten der Tasks zeigen den jetzigen Stand.
train-prompts-of = Prompts von
train-prompts-all = alle Tasks
train-prompts-mean = Mittel

# Ein Lauf daneben.
train-beside = Daneben
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
train-grid-cancel-hint = Beendet die Versuchsreihe; was da ist, bleibt
train-grid-left = noch etwa { $time }
train-grid-progress = Fortschritt der Versuchsreihe
train-grid-runs = Läufe
train-grid-looking = Es wird nachgesehen, welche Läufe da sind

# Was gegen ein schwaches Ergebnis hilft.
train-look-at = Sieh dir die Bilder an:
train-show-pictures = Diese Bilder zeigen
train-look-for-doubts = Fragliche Labels suchen
train-doubts-hint = Jedes Trainingsbild wird von den anderen beantwortet; gezeigt werden die, die nach einer anderen Klasse aussehen als ihr Label sagt
train-more-steps = Mit { $n } Schritten je Task einrichten
train-try-methods = Ausprobieren, welche Methode passt
train-set-up-with = Mit { $name } einrichten
train-its-weights = seine Gewichte: { $place }

# Fehler und fragliche Labels.
train-mistakes = Die sichersten Fehler
train-mistakes-none = Kein Bild wurde falsch beantwortet.
train-mistakes-how = Wahrheit → Antwort, und wie sicher sie war. Klicke auf ein Bild, um unter Vorhersagen danach zu fragen. Ist sein Label falsch, berichtige es unter dem Bild.
train-doubtful = Die fraglichsten Labels
train-doubtful-how = Label → wonach es aussieht, und wie sicher das ist. Klicke auf ein Bild, um unter Vorhersagen danach zu fragen. Ist sein Label falsch, berichtige es unter dem Bild.
train-test-pictures = Testbilder
train-training-pictures = Trainingsbilder
train-side-of-mistakes = Test- oder Trainingsbilder
train-backbone-alone = Backbone allein
train-class-of-mistakes = Wahre Klasse der Fehler
train-label-of-doubtful = Label der fraglichen Bilder
train-asked-again = { $n } von { $of } werden noch einmal gefragt
train-ask-again = Noch einmal nach seinen Fehlern fragen
train-not-noted = nicht notiert
train-not-noted-yet = Dieser Lauf hat nicht notiert, wie sicher er sich seiner Antworten war.
train-not-noted-but = Dieser Lauf hat nicht notiert, wie sicher er war; nach { $n } Bildern wurde noch einmal gefragt.
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
} nach einer anderen Klasse aus. In einer langen Liste haben die meisten das richtige Label: Sieh dir die ersten an.
train-doubts-gathered = Die Trainingsbilder werden gesammelt.
train-doubts-compared = Sie werden aneinander gehalten.
train-doubts-looked-at = { $n } von { $of ->
    [one] { $of } Trainingsbild
   *[other] { $of } Trainingsbildern
} angesehen
train-doubts-how = Jedes Bild wird von den anderen beantwortet, mit Merkmalen des eingefrorenen Backbones: Weder es selbst noch eine Kopie von ihm spielt dabei mit.
train-tile-training = Trainingsbild { $index }
train-tile-tested = { $of ->
    [validation] Validierungsbild { $index }
   *[test] Testbild { $index }
}
train-tile-added = Testbild { $index } des zusätzlichen Tasks { $task }
train-tile-mistake = Fehler, { $name }
train-tile-doubtful = fraglich, { $name }
train-tile-hint = Klicke, um unter Vorhersagen danach zu fragen
train-correct = Label …
train-correct-of = Berichtigen: { $name }
train-correct-hint = Berichtige das Label oder lass das Bild weg: ab dem nächsten Lauf, beim Trainieren und Testen
train-correct-title = Richtiges Label
train-left-out = weggelassen
train-now = jetzt { $class }
train-as-answered = { $class }, wie geantwortet
train-as-it-looks = { $class }, wonach es aussieht
train-leave-out = Nichts davon: weglassen
train-take-back = Es ist { $class }: zurücknehmen

# Läufe auf anderen Rechnern.
train-place = Auf { $place }
train-place-let-begin = Beginnen lassen
train-place-show = Zeigen
train-place-resume = Auf { $place } fortsetzen: { $title }
train-place-pause = Auf { $place } anhalten: { $title }
train-place-stop = Auf { $place } beenden: { $title }
train-place-remove = Von { $place } nehmen: { $title }
train-place-waits = wartet
train-place-task = Task { $n } von { $of }
train-place-begins = beginnt
train-place-asked = wird gefragt
train-place-best-device = bestes Gerät dort
train-place-device = Gerät { $device }
train-place-line = { $system } auf { $processor }, { $device }, Läufe in { $folder }{ $n ->
        [0] {""}
        [one] , ein Lauf von dort ist nicht hier
       *[other] , { $n } Läufe von dort sind nicht hier
    }
train-place-gone = auf { $place } blieben Läufe zurück, aber dieser Ort steht nicht mehr in der Liste
train-place-gone-advice = schreib ihn wieder in places.toml
train-place-unknown = einen Ort namens { $place } gibt es nicht
train-place-removed = { $title } wurde aus der Warteschlange von { $place } genommen

# Versuchsreihen auf Clustern.
train-cluster = { $grid } auf { $place }
train-cluster-cancel-hint = Nimmt seine Aufträge aus der Warteschlange und beendet die, die laufen; was sie gesichert haben, bleibt
train-cluster-ask = Aktualisieren
train-cluster-ask-hint = Fragt den Cluster, wie es um seine Aufträge steht
train-cluster-forget = { $grid } auf { $place } nicht mehr zeigen
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
train-expert-of-page = Matrix, Verwechslungen und Fehler darunter sind die dieses Experten
train-tell-all = Alles erzählen
train-tell-less = Weniger erzählen
train-log-show = Zeigen
train-log-hide = Verbergen
