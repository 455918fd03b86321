# Was in einem Lauf geschieht, und was daraus wurde.

stage-running = läuft
stage-paused = angehalten
stage-finished = fertig
stage-stopped = beendet
stage-failed = fehlgeschlagen
session-failed-heading = Fehlgeschlagen.
session-stopped-heading = Beendet.
session-stopped-early = Der Vorgang wurde vorzeitig beendet.
session-stopped = { $done } von { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} gelernt und gespeichert. „Fortsetzen“ macht ab der letzten fertigen Epoche weiter.
session-paused-heading = Angehalten.
session-paused = Das Training ist zwischen zwei Batches angehalten. Vorhersagen gehen weiterhin.
session-preparing-heading = Vorbereitung.
session-waiting-heading = Wartet.
session-waiting = Dieser Lauf hat noch nicht begonnen.
session-testing-heading = Test.
session-testing = Getestet wird mit jedem { $on ->
    [validation] Validierungsbild
   *[test] Testbild
} { $n ->
    [one] des ersten Tasks
   *[other] der { $n } bisherigen Tasks
}.
session-testing-experts = Beide Experten werden mit jedem { $on ->
    [validation] Validierungsbild
   *[test] Testbild
} { $n ->
    [one] des ersten Tasks
   *[other] der { $n } bisherigen Tasks
} getestet.
session-measuring-heading = Messung.
session-measuring = Das Netz verarbeitet jedes Trainingsbild von { $names } einmal; seine Gewichte ändern sich nicht.
session-training-heading = Training.
session-method-learning = { $method }: { $does }. Jetzt lernt es { $names }.
session-learning-heading = Learning.
session-pet-frozen = Das PET ({ $pet }) ist noch { $n ->
    [one] { $n } Epoche
   *[other] { $n } Epochen
} eingefroren: Nur die Gewichte der neuen Klassen { $names } werden trainiert, das vorhandene Wissen bleibt unberührt.
session-pet-no-longer-frozen = Das PET ({ $pet }) ist nicht mehr eingefroren. Es wird jetzt zusammen mit den neuen Klassen { $names } trainiert.
session-pet-and-head-trained = Das PET ({ $pet }) und die Gewichte der Klassen { $names } werden zusammen trainiert.
session-accumulation-heading = Accumulation.
session-offline-copy = Das Offline-PET ({ $pet }) beginnt als Kopie des Online-PET, wenn der zweite Task anfängt.
session-accumulation-off = Aus: Das Offline-PET ({ $pet }) bleibt, wie es nach dem ersten Task war.
session-online-only = Aus: Nur das Online-PET ({ $pet }) wird verwendet.
session-accumulation = Nach jedem Schritt bewegt sich das Offline-PET ({ $pet }) um { $step } % auf das Online-PET zu, über einen ganzen Task um { $whole }.
session-ensemble-heading = Ensemble.
session-ensemble = Beide Experten verarbeiten jedes Bild; es antwortet der sicherere.
session-ensemble-offline = Aus: Nur der Offline-Experte antwortet.
session-ensemble-online = Aus: Nur der Online-Experte antwortet.
session-done-heading = Fertig.
session-summary = Zusammenfassung.
session-done-one-task = { $right } der Testbilder aller Klassen werden richtig erkannt. Unter Vorhersage kannst du weitere Bilder klassifizieren.
session-done = Nach { $n } Tasks werden { $right } der Testbilder aller Klassen richtig erkannt; das Vergessen beträgt { $forgotten } Punkte. Unter Vorhersage kannst du ein Bild durch die Tasks verfolgen.
session-done-unmeasured = Die Bilder früherer Tasks waren nicht verfügbar, daher wurde die Genauigkeit nicht gemessen. Unter Vorhersage kannst du ein Bild durch die Tasks verfolgen.
session-added-task-heading = Hinzugefügter Task.
session-added-task = Testbilder von { $names } (nicht zum Training verwendet): { $new }. Testbilder der { $n ->
    [one] { $n } früheren Klasse
   *[other] { $n } früheren Klassen
}: { $old }.
session-count-of = { $n } von { $of }
session-count-of-share = { $n } von { $of } ({ $share })
session-correct-before-and-now = { $after } jetzt richtig, { $before } vor diesem Task
session-correct-now = { $after } richtig
session-no-test-images = keine Testbilder verfügbar
session-backbone-heading = Backbone.
session-backbone-separates-poorly = Die Merkmale dieses Backbones trennen diese Klassen schlecht: Das nächste Klassenmittel ohne Training ordnet { $share } einer Stichprobe der { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} richtig zu. { $name } gibt meist bessere Ergebnisse.
session-backbone-gain = Auf CIFAR-100 klassifizieren die Klassenmittel der Merkmale { $better } der Testbilder mit { $name }{ $source ->
    [paper] {" "}(Janson et al., 2022)
   *[here] {""}
} und { $own } mit { $tried } (gemessen) richtig.
session-classes-never-predicted = { $n } von { $of ->
    [one] { $of } Klasse
   *[other] { $of } Klassen
} { $n ->
    [one] wird
   *[other] werden
} nie erkannt.
session-classes-rarely-correct = { $n } von { $of ->
    [one] { $of } Klasse
   *[other] { $of } Klassen
} { $n ->
    [one] wird
   *[other] werden
} selten erkannt.
session-class-confused = { $name }: { $right } von { $of } richtig, { $times } für { $taken_for } gehalten
session-classes-more = Und { $n } weitere.

# Das Protokoll.
session-log-started = { $classes ->
    [one] { $classes } Klasse
   *[other] { $classes } Klassen
} in { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
} auf { $device }
session-log-resumed-after-task = fortgesetzt nach Task { $n }
session-log-saved = { $what } gespeichert, { $size }
session-log-stopped-added = beendet; der hinzugefügte Task wurde zurückgenommen
session-log-stopped = beendet und gespeichert; der Lauf kann fortgesetzt werden
session-log-stopped-early = vorzeitig beendet
session-log-resumed = fortgesetzt
session-log-testing = Task { $n }: Test
session-log-measuring = Task { $n }: Die Trainingsbilder von { $names } werden verarbeitet
session-log-task-starts = Task { $n } beginnt: { $names }
session-log-pet-training-starts = Training des PET beginnt
session-log-task-measured = Task { $n }: { $each }

# Was von Läufen gesagt wird.
session-in-folder = in { $folder }
session-read-only = Dieser Lauf liegt in einem schreibgeschützten Ordner
session-data-missing = der Datensatz dieses Laufs ist nicht verfügbar
session-check-of-run = Prüfung von { $name }
session-retraining-run = Noch einmal trainiert: { $name }
session-already-queued = { $title } steht schon in der Warteschlange
session-removed-from-queue = { $title } wurde aus der Warteschlange entfernt
session-start-again-advice = starte es unter Experiment noch einmal
session-runs-still-queued = Läufe der letzten Sitzung stehen noch in der Warteschlange
session-runs-still-queued-advice = öffne die Seite Training, um die Warteschlange fortzusetzen oder die Läufe zu entfernen
session-search-next-advice = um die gewählten Einstellungen auf den Testbildern zu prüfen, verwende „Versuchsreihe öffnen …“
session-grid-stopped = { $title } wurde beendet
session-grid-stopped-advice = starte es noch einmal, um fortzufahren: Fertige Läufe werden nicht wiederholt
session-grid-finished = { $title } ist fertig: { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
session-run-packed = Lauf gepackt, ohne Bilder und Pfade, aber mit Klassennamen und Notizen
session-run-packed-advice = die Bilder seiner hinzugefügten Tasks sind nicht enthalten: Nach dem Entpacken kann der Lauf Bilder klassifizieren, aber keine weiteren Tasks lernen
session-run-unpacked = { $name } wurde den Läufen hinzugefügt
session-reproduces-run = er reproduziert { $name }
session-report-saved = Bericht gespeichert
session-figure-saved = Abbildung gespeichert
session-table-saved = Tabelle gespeichert
session-runs-left-out = { $n ->
    [one] { $n } Lauf konnte
   *[other] { $n } Läufe konnten
} nicht gelesen werden
session-model-exported = Modell mit allen nötigen Dateien exportiert
session-model-exported-advice = seine README.md erklärt die Verwendung
session-no-finished-task = dieser Lauf hat noch keinen fertigen Task
session-no-run-finished-task = keiner dieser Läufe hat einen fertigen Task
session-no-run-finished-task-advice = trainiere einen, oder wähle andere Läufe
