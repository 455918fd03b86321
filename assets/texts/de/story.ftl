# Was in einem Lauf geschieht, und was daraus wurde.

stage-running = läuft
stage-paused = angehalten
stage-finished = fertig
stage-stopped = beendet
stage-failed = gescheitert
story-failed-head = Gescheitert.
story-stopped-head = Beendet.
story-not-begun = Der Lauf hatte nicht begonnen; gespeichert wurde nichts.
story-stopped = { $done } von { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} gelernt und gespeichert. „Fortsetzen“ beginnt nach der letzten fertigen Epoche.
story-paused-head = Angehalten.
story-paused = Das Training wartet zwischen zwei Batches. Vorhersagen gehen weiterhin.
story-preparing-head = Vorbereitung.
story-waiting-head = Wartet.
story-waiting = Dieser Lauf hat noch nicht begonnen.
story-testing-head = Test.
story-testing = Jedes { $on ->
    [validation] Validierungsbild
   *[test] Testbild
} { $n ->
    [one] des ersten Tasks
   *[other] der { $n } bisherigen Tasks
} wird beantwortet, Bild für Bild.
story-testing-experts = Jedes { $on ->
    [validation] Validierungsbild
   *[test] Testbild
} { $n ->
    [one] des ersten Tasks
   *[other] der { $n } bisherigen Tasks
} wird von beiden Experten beantwortet, Bild für Bild.
story-measuring-head = Messung.
story-measuring = Das Netz sieht jedes Trainingsbild von { $names } einmal an; seine Gewichte bleiben, wie sie sind.
story-training-head = Training.
story-method = { $method }: { $does }. Jetzt lernt es { $names }.
story-learning-head = Learning.
story-frozen = Das PET ({ $pet }) ist noch { $n ->
    [one] { $n } Epoche
   *[other] { $n } Epochen
} eingefroren: Nur die Gewichte der neuen Klassen { $names } bewegen sich, also ist altes Wissen sicher, bis sie sich gesetzt haben.
story-settled = Die neuen Klassen { $names } haben sich gesetzt; jetzt bewegt sich das PET ({ $pet }) mit ihnen, so sanft, dass es behält, was es weiß.
story-together = Das PET ({ $pet }) und die Gewichte der Klassen { $names } werden zusammen trainiert.
story-accumulation-head = Accumulation.
story-copy = Der Offline-Experte ({ $pet }) beginnt als Kopie des Online-Experten, wenn der zweite Task anfängt.
story-accumulation-off = Aus: Der Offline-Experte ({ $pet }) bleibt, wie er nach dem ersten Task war.
story-online-alone = Aus: Es gibt nur den Online-Experten ({ $pet }).
story-accumulation = Nach jedem Schritt rückt der Offline-Experte ({ $pet }) { $step } % des Weges zum Online-Experten vor. Ein ganzer Task bringt ihn { $whole } des Weges.
story-ensemble-head = Ensemble.
story-ensemble = Jedes Bild geht durch beide Experten; es antwortet der sicherere.
story-ensemble-offline = Aus: Der Offline-Experte antwortet allein.
story-ensemble-online = Aus: Der Online-Experte antwortet allein.
story-done-head = Fertig.
story-all-in-all = Alles in allem.
story-done = Nach { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} stimmen die Antworten bei { $right } der Testbilder aller Klassen; { $forgotten } Punkte von dem, was einmal gewusst wurde, sind vergessen. Unter Vorhersagen kannst du ein Bild durch die Tasks verfolgen.
story-done-unmeasured = Die Bilder seiner früheren Tasks waren nicht zur Hand, also lässt sich nicht sagen, wie viele Antworten stimmen. Unter Vorhersagen kannst du ein Bild durch die Tasks verfolgen.
story-added-task-head = Zusätzlicher Task.
story-added-task = Von den Testbildern von { $names }: { $new }. Von denen der { $n ->
    [one] { $n } Klasse
   *[other] { $n } Klassen
} davor: { $old }.
story-right-of = { $n } von { $of }
story-right-share = { $n } von { $of } ({ $share })
story-right-now = { $after } sind richtig, vorher waren es { $before }
story-right = { $after } sind richtig
story-right-unknown = kein Testbild war zur Hand
story-backbone-head = Backbone.
story-backbone = Dieser Backbone unterscheidet diese Klassen schlecht: Das nächste Klassenmittel auf seinen Merkmalen, ganz ohne Training, beantwortet { $share } einer Stichprobe der { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} richtig. { $name } hilft meistens.
story-never = { $n } von { $of ->
    [one] { $of } Klasse
   *[other] { $of } Klassen
} { $n ->
    [one] wird
   *[other] werden
} nie erkannt.
story-rarely = { $n } von { $of ->
    [one] { $of } Klasse
   *[other] { $of } Klassen
} { $n ->
    [one] wird
   *[other] werden
} selten erkannt.
story-missed-class = { $name }: { $right } von { $of }, { $times } für { $taken_for } gehalten
story-missed-more = Und { $n } weitere.

# Das Protokoll.
story-log-started = { $classes ->
    [one] { $classes } Klasse
   *[other] { $classes } Klassen
} in { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} auf { $device }
story-log-taken-up = fortgesetzt nach Task { $n }
story-log-saved = { $what } gespeichert, { $size }
story-log-stopped-added = beendet; der Lauf ist wieder wie vor dem zusätzlichen Task
story-log-stopped = beendet und gespeichert; er kann fortgesetzt werden
story-log-not-begun = beendet, bevor er begonnen hatte
story-log-resumed = geht weiter
story-log-testing = Task { $n } wird getestet
story-log-measuring = Task { $n }: Die Trainingsbilder von { $names } werden gemessen
story-log-begins = Task { $n } beginnt: { $names }
story-log-moves = das PET bewegt sich ab hier
story-log-measured = Task { $n }: { $each }

# Was von Läufen gesagt wird.
story-in-folder = in { $folder }
story-read-only = Dieser Lauf liegt in einem Ordner, der nur gelesen werden kann
story-data-missing = der Datensatz dieses Laufs ist nicht zur Hand
story-check = Prüfung von { $name }
story-check-again = Noch einmal trainiert: { $name }
story-told-waits = { $title } steht schon in der Warteschlange
story-told-removed = { $title } wurde aus der Warteschlange genommen
story-told-start-again = starte es unter Experiment noch einmal
story-told-left-waiting = vom letzten Mal stehen noch Läufe in der Warteschlange
story-told-left-waiting-advice = Training zeigt sie: Setze die Warteschlange fort oder nimm sie heraus
story-told-searched = „Versuchsreihe öffnen …“ lässt das Gewählte auf den Testbildern laufen
story-told-grid-stopped = { $title } wurde beendet
story-told-grid-stopped-advice = starte es noch einmal, um fortzufahren: Was da ist, läuft nicht noch einmal
story-told-grid-done = { $title } ist fertig: { $n ->
    [one] { $n } Lauf ist
   *[other] { $n } Läufe sind
} da
story-told-packed = der Lauf ist gepackt: ohne Bilder und Pfade, aber mit den Namen der Klassen und dem, was zu ihm notiert wurde
story-told-packed-advice = die Bilder seiner zusätzlichen Tasks bleiben hier: Ausgepackt antwortet er, lernt aber keinen weiteren Task
story-told-unpacked = { $name } ist bei den Läufen
story-told-repeats = er wiederholt { $name }
story-told-report = der Bericht ist geschrieben
story-told-figure = die Abbildung ist geschrieben
story-told-table = die Tabelle ist geschrieben
story-told-left-out = { $n ->
    [one] { $n } Lauf konnte
   *[other] { $n } Läufe konnten
} nicht gelesen werden
story-told-model = das Modell ist geschrieben, mit allem, was es braucht
story-told-model-advice = seine README.md sagt, wie es benutzt wird
story-told-no-task = dieser Lauf hat noch keinen Task fertig
story-told-no-table = keiner dieser Läufe hat einen fertigen Task
story-told-no-table-advice = trainiere einen oder suche andere
