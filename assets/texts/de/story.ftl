# Was in einem Lauf geschieht, und was daraus wurde.

stage-running = läuft
stage-paused = angehalten
stage-finished = fertig
stage-stopped = beendet
stage-failed = fehlgeschlagen
story-failed-heading = Fehlgeschlagen.
story-stopped-heading = Beendet.
story-not-started = Der Lauf wurde nicht gestartet; es wurde nichts gespeichert.
story-stopped = { $done } von { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} gelernt und gespeichert. „Fortsetzen“ macht ab der letzten fertigen Epoche weiter.
story-paused-heading = Angehalten.
story-paused = Das Training ist zwischen zwei Batches angehalten. Vorhersagen gehen weiterhin.
story-preparing-heading = Vorbereitung.
story-waiting-heading = Wartet.
story-waiting = Dieser Lauf hat noch nicht begonnen.
story-testing-heading = Test.
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
story-measuring-heading = Messung.
story-measuring = Das Netz verarbeitet jedes Trainingsbild von { $names } einmal; seine Gewichte ändern sich nicht.
story-training-heading = Training.
story-method-learning = { $method }: { $does }. Jetzt lernt es { $names }.
story-learning-heading = Learning.
story-pet-frozen = Das PET ({ $pet }) ist noch { $n ->
    [one] { $n } Epoche
   *[other] { $n } Epochen
} eingefroren: Nur die Gewichte der neuen Klassen { $names } werden trainiert, das vorhandene Wissen bleibt unberührt.
story-pet-no-longer-frozen = Das PET ({ $pet }) ist nicht mehr eingefroren. Es wird jetzt zusammen mit den neuen Klassen { $names } trainiert.
story-pet-and-head-trained = Das PET ({ $pet }) und die Gewichte der Klassen { $names } werden zusammen trainiert.
story-accumulation-heading = Accumulation.
story-offline-copy = Das Offline-PET ({ $pet }) beginnt als Kopie des Online-PET, wenn der zweite Task anfängt.
story-accumulation-off = Aus: Das Offline-PET ({ $pet }) bleibt, wie es nach dem ersten Task war.
story-online-only = Aus: Nur das Online-PET ({ $pet }) wird verwendet.
story-accumulation = Nach jedem Schritt bewegt sich das Offline-PET ({ $pet }) um { $step } % auf das Online-PET zu, über einen ganzen Task um { $whole }.
story-ensemble-heading = Ensemble.
story-ensemble = Beide Experten verarbeiten jedes Bild; es antwortet der sicherere.
story-ensemble-offline = Aus: Nur der Offline-Experte antwortet.
story-ensemble-online = Aus: Nur der Online-Experte antwortet.
story-done-heading = Fertig.
story-summary = Zusammenfassung.
story-done = Nach { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} werden { $right } der Testbilder aller Klassen richtig erkannt; das Vergessen beträgt { $forgotten } Punkte. Unter Vorhersage kannst du ein Bild durch die Tasks verfolgen.
story-done-unmeasured = Die Bilder früherer Tasks waren nicht verfügbar, daher wurde die Genauigkeit nicht gemessen. Unter Vorhersage kannst du ein Bild durch die Tasks verfolgen.
story-added-task-heading = Hinzugefügter Task.
story-added-task = Testbilder von { $names } (nicht zum Training verwendet): { $new }. Testbilder der { $n ->
    [one] { $n } früheren Klasse
   *[other] { $n } früheren Klassen
}: { $old }.
story-count-of = { $n } von { $of }
story-count-of-share = { $n } von { $of } ({ $share })
story-correct-before-and-now = { $after } jetzt richtig, { $before } vor diesem Task
story-correct-now = { $after } richtig
story-no-test-images = keine Testbilder verfügbar
story-backbone-heading = Backbone.
story-backbone-separates-poorly = Die Merkmale dieses Backbones trennen diese Klassen schlecht: Das nächste Klassenmittel ohne Training ordnet { $share } einer Stichprobe der { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} richtig zu. { $name } gibt meist bessere Ergebnisse.
story-backbone-gain = Auf CIFAR-100 klassifizieren die Klassenmittel der Merkmale { $better } der Testbilder mit { $name }{ $source ->
    [paper] {" "}(Janson et al., 2022)
   *[here] {""}
} und { $own } mit { $tried } (gemessen) richtig.
story-classes-never-predicted = { $n } von { $of ->
    [one] { $of } Klasse
   *[other] { $of } Klassen
} { $n ->
    [one] wird
   *[other] werden
} nie erkannt.
story-classes-rarely-correct = { $n } von { $of ->
    [one] { $of } Klasse
   *[other] { $of } Klassen
} { $n ->
    [one] wird
   *[other] werden
} selten erkannt.
story-class-confused = { $name }: { $right } von { $of } richtig, { $times } für { $taken_for } gehalten
story-classes-more = Und { $n } weitere.

# Das Protokoll.
story-log-started = { $classes ->
    [one] { $classes } Klasse
   *[other] { $classes } Klassen
} in { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} auf { $device }
story-log-resumed-after-task = fortgesetzt nach Task { $n }
story-log-saved = { $what } gespeichert, { $size }
story-log-stopped-added = beendet; der hinzugefügte Task wurde zurückgenommen
story-log-stopped = beendet und gespeichert; der Lauf kann fortgesetzt werden
story-log-stopped-before-start = vor dem Start beendet
story-log-resumed = fortgesetzt
story-log-testing = Task { $n }: Test
story-log-measuring = Task { $n }: Die Trainingsbilder von { $names } werden verarbeitet
story-log-task-starts = Task { $n } beginnt: { $names }
story-log-pet-training-starts = Training des PET beginnt
story-log-task-measured = Task { $n }: { $each }

# Was von Läufen gesagt wird.
story-in-folder = in { $folder }
story-read-only = Dieser Lauf liegt in einem schreibgeschützten Ordner
story-data-missing = der Datensatz dieses Laufs ist nicht verfügbar
story-check-of-run = Prüfung von { $name }
story-retraining-run = Noch einmal trainiert: { $name }
story-already-queued = { $title } steht schon in der Warteschlange
story-removed-from-queue = { $title } wurde aus der Warteschlange entfernt
story-start-again-advice = starte es unter Experiment noch einmal
story-runs-still-queued = Läufe der letzten Sitzung stehen noch in der Warteschlange
story-runs-still-queued-advice = öffne die Seite Training, um die Warteschlange fortzusetzen oder die Läufe zu entfernen
story-search-next-advice = um die gewählten Einstellungen auf den Testbildern zu prüfen, verwende „Versuchsreihe öffnen …“
story-grid-stopped = { $title } wurde beendet
story-grid-stopped-advice = starte es noch einmal, um fortzufahren: Fertige Läufe werden nicht wiederholt
story-grid-finished = { $title } ist fertig: { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
story-run-packed = Lauf gepackt, ohne Bilder und Pfade, aber mit Klassennamen und Notizen
story-run-packed-advice = die Bilder seiner hinzugefügten Tasks sind nicht enthalten: Nach dem Entpacken kann der Lauf Bilder klassifizieren, aber keine weiteren Tasks lernen
story-run-unpacked = { $name } wurde den Läufen hinzugefügt
story-reproduces-run = er reproduziert { $name }
story-report-saved = Bericht gespeichert
story-figure-saved = Abbildung gespeichert
story-table-saved = Tabelle gespeichert
story-runs-left-out = { $n ->
    [one] { $n } Lauf konnte
   *[other] { $n } Läufe konnten
} nicht gelesen werden
story-model-exported = Modell mit allen nötigen Dateien exportiert
story-model-exported-advice = seine README.md erklärt die Verwendung
story-no-finished-task = dieser Lauf hat noch keinen fertigen Task
story-no-run-finished-task = keiner dieser Läufe hat einen fertigen Task
story-no-run-finished-task-advice = trainiere einen, oder wähle andere Läufe
