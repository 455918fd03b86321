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
} gelernt und gespeichert. „Fortsetzen“ macht nach der letzten fertigen Epoche weiter.
story-paused-head = Angehalten.
story-paused = Das Training ist zwischen zwei Batches angehalten. Vorhersagen gehen weiterhin.
story-preparing-head = Vorbereitung.
story-waiting-head = Wartet.
story-waiting = Dieser Lauf hat noch nicht begonnen.
story-testing-head = Test.
story-testing = Getestet wird mit jedem { $on ->
    [validation] Validierungsbild
   *[test] Testbild
} { $n ->
    [one] des ersten Tasks
   *[other] der { $n } bisherigen Tasks
}.
story-testing-experts = Beide Experten werden mit jedem { $on ->
    [validation] Validierungsbild
   *[test] Testbild
} { $n ->
    [one] des ersten Tasks
   *[other] der { $n } bisherigen Tasks
} getestet.
story-measuring-head = Messung.
story-measuring = Das Netz verarbeitet jedes Trainingsbild von { $names } einmal; seine Gewichte ändern sich nicht.
story-training-head = Training.
story-method = { $method }: { $does }. Jetzt lernt es { $names }.
story-learning-head = Learning.
story-frozen = Das PET ({ $pet }) ist noch { $n ->
    [one] { $n } Epoche
   *[other] { $n } Epochen
} eingefroren: Nur die Gewichte der neuen Klassen { $names } werden trainiert, das vorhandene Wissen bleibt unberührt.
story-settled = Das PET ({ $pet }) ist nicht mehr eingefroren. Es wird jetzt zusammen mit den neuen Klassen { $names } trainiert.
story-together = Das PET ({ $pet }) und die Gewichte der Klassen { $names } werden zusammen trainiert.
story-accumulation-head = Accumulation.
story-copy = Der Offline-Experte ({ $pet }) beginnt als Kopie des Online-Experten, wenn der zweite Task anfängt.
story-accumulation-off = Aus: Der Offline-Experte ({ $pet }) bleibt, wie er nach dem ersten Task war.
story-online-alone = Aus: Es gibt nur den Online-Experten ({ $pet }).
story-accumulation = Nach jedem Schritt bewegt sich der Offline-Experte ({ $pet }) um { $step } % auf den Online-Experten zu, über einen ganzen Task um { $whole }.
story-ensemble-head = Ensemble.
story-ensemble = Beide Experten verarbeiten jedes Bild; es antwortet der sicherere.
story-ensemble-offline = Aus: Nur der Offline-Experte antwortet.
story-ensemble-online = Aus: Nur der Online-Experte antwortet.
story-done-head = Fertig.
story-all-in-all = Zusammenfassung.
story-done = Nach { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} werden { $right } der Testbilder aller Klassen richtig erkannt; das Vergessen beträgt { $forgotten } Punkte. Unter Vorhersage kannst du ein Bild durch die Tasks verfolgen.
story-done-unmeasured = Die Bilder früherer Tasks waren nicht verfügbar, daher wurde die Genauigkeit nicht gemessen. Unter Vorhersage kannst du ein Bild durch die Tasks verfolgen.
story-added-task-head = Zusätzlicher Task.
story-added-task = Testbilder von { $names }: { $new }. Testbilder der { $n ->
    [one] { $n } früheren Klasse
   *[other] { $n } früheren Klassen
}: { $old }.
story-right-of = { $n } von { $of }
story-right-share = { $n } von { $of } ({ $share })
story-right-now = { $after } richtig, vorher { $before }
story-right = { $after } richtig
story-right-unknown = keine Testbilder verfügbar
story-backbone-head = Backbone.
story-backbone = Die Merkmale dieses Backbones trennen diese Klassen schlecht: Das nächste Klassenmittel ohne Training ordnet { $share } einer Stichprobe der { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} richtig zu. { $name } hilft meistens.
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
story-missed-class = { $name }: { $right } von { $of } richtig, { $times } für { $taken_for } gehalten
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
story-log-stopped-added = beendet; der zusätzliche Task wurde rückgängig gemacht
story-log-stopped = beendet und gespeichert; er kann fortgesetzt werden
story-log-not-begun = vor dem Start beendet
story-log-resumed = fortgesetzt
story-log-testing = Task { $n }: Test
story-log-measuring = Task { $n }: Die Trainingsbilder von { $names } werden verarbeitet
story-log-begins = Task { $n } beginnt: { $names }
story-log-moves = das Training des PET beginnt
story-log-measured = Task { $n }: { $each }

# Was von Läufen gesagt wird.
story-in-folder = in { $folder }
story-read-only = Dieser Lauf liegt in einem schreibgeschützten Ordner
story-data-missing = der Datensatz dieses Laufs ist nicht verfügbar
story-check = Prüfung von { $name }
story-check-again = Noch einmal trainiert: { $name }
story-told-waits = { $title } steht schon in der Warteschlange
story-told-removed = { $title } wurde aus der Warteschlange genommen
story-told-start-again = starte es unter Experiment noch einmal
story-told-left-waiting = vom letzten Mal stehen noch Läufe in der Warteschlange
story-told-left-waiting-advice = öffne die Seite Training, um die Warteschlange fortzusetzen oder die Läufe zu entfernen
story-told-searched = „Versuchsreihe öffnen …“ trainiert die gewählten Einstellungen und misst auf den Testbildern
story-told-grid-stopped = { $title } wurde beendet
story-told-grid-stopped-advice = starte es noch einmal, um fortzufahren: Fertige Läufe werden nicht wiederholt
story-told-grid-done = { $title } ist fertig: { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
story-told-packed = Lauf gepackt, ohne Bilder und Pfade, aber mit Klassennamen und Notizen
story-told-packed-advice = die Bilder seiner zusätzlichen Tasks sind nicht enthalten: Ausgepackt kann der Lauf vorhersagen, aber keinen weiteren Task lernen
story-told-unpacked = { $name } wurde den Läufen hinzugefügt
story-told-repeats = er wiederholt { $name }
story-told-report = Bericht gespeichert
story-told-figure = Abbildung gespeichert
story-told-table = Tabelle gespeichert
story-told-left-out = { $n ->
    [one] { $n } Lauf konnte
   *[other] { $n } Läufe konnten
} nicht gelesen werden
story-told-model = Modell mit allen nötigen Dateien exportiert
story-told-model-advice = seine README.md erklärt die Verwendung
story-told-no-task = dieser Lauf hat noch keinen Task fertig
story-told-no-table = keiner dieser Läufe hat einen fertigen Task
story-told-no-table-advice = trainiere einen oder suche andere
