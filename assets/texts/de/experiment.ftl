# Die Seite Experiment.

experiment-last-crashed = Das Programm ist beim letzten Mal abgestürzt
experiment-last-run-in-progress = Beim Schließen des Fensters lief noch ein Training
experiment-earlier-settings-saved = Frühere Einstellungen wurden gespeichert
experiment-last-run-progress = { $n ->
    [one] { $title }: bisher { $done } von { $n } Task gelernt.
   *[other] { $title }: bisher { $done } von { $n } Tasks gelernt.
}
experiment-last-run-resume = Fortsetzen
experiment-last-not-now = Jetzt nicht
experiment-crashed-settings = Gespeichert, aber nicht wieder geöffnet: { $kept }.
experiment-earlier-crash-settings = Gespeichert, als das Programm früher abstürzte: { $kept }.
experiment-earlier-run-folders = { $n ->
    [one] ein Ordner mit Läufen
   *[other] { $n } Ordner mit Läufen
}
experiment-settings-and-folders = { $setup } und { $folders }
experiment-earlier-restore = Wiederherstellen
experiment-earlier-discard = Verwerfen
experiment-problems-to-fix = { $n ->
    [one] { $n } Problem zu beheben
   *[other] { $n } Probleme zu beheben
}
experiment-remarks = { $n ->
    [one] Ein Hinweis
   *[other] { $n } Hinweise
}
experiment-one-task = Alle { $n } Klassen sind in einem Task, daher kann dieser Lauf kein Vergessen zeigen: Nimm weniger Klassen je Task, um in Stufen zu lernen.
experiment-use-sizes = { $sizes } nehmen
experiment-choose = Wählen …
experiment-backbone = Backbone
experiment-weights-licence = Lizenz der Gewichte
experiment-no-file-chosen = Noch keine Datei gewählt; weiterhin gilt { $now }.
experiment-weights-file = Datei …
experiment-weights = Gewichte
experiment-weights-path = Pfad einer Gewichtsdatei, dann Eingabetaste
experiment-weights-name = Gewichtsdatei
experiment-parameter-count = { $n } Parameter
experiment-input-size = Eingabe { $size } × { $size }
experiment-block-count = { $n ->
    [one] { $n } Block
   *[other] { $n } Blöcke
}
experiment-note = Hinweis: { $warning }.
experiment-assumed = Angenommen: { $what }.
experiment-pretrained-unknown = Daten des Vortrainings nicht angegeben
experiment-pretrained = vortrainiert auf { $data }
experiment-million-parameters = { $n } Mio.
experiment-download = Herunterladen
experiment-download-at-start = { $place }, spätestens wenn der Lauf beginnt
experiment-download-now = Jetzt herunterladen
experiment-download-other-running = { $place }; gerade wird etwas anderes heruntergeladen
experiment-downloading = wird heruntergeladen, { $got }
experiment-downloading-of = wird heruntergeladen, { $got } von { $all }
experiment-download-stop = Download beenden
experiment-precision = Rechengenauigkeit
experiment-precision-hint = Zahlenformat der eingefrorenen Gewichte. f16 (für GPUs) und bf16 (für CPUs, die es unterstützen) halbieren ihren Speicher; PETs, Köpfe, Verlust und Optimierer bleiben f32.
experiment-backbone-values = Angaben zum Backbone
experiment-backbone-values-hint = heads=12,normalisation=imagenet
experiment-backbone-values-meaning = Angaben, die weder die Gewichtsdatei noch eine config.json daneben enthält: heads, activation, epsilon, pool, normalisation (unit, symmetric, imagenet, clip) oder mean und std, interpolation, crop_ratio, crop_mode, input_size, rope (eva02, dinov3, pe, axial), window, trained_window
experiment-transform = Bildvorbereitung
experiment-transform-hint = Wie Bilder skaliert und normalisiert werden. Wie vortrainiert: wie bei den Autoren des Backbones. Wie in der Veröffentlichung: bilinear und bei ViTs mit Pixelwerten in [0, 1], wie im Programm von LAE.
experiment-transform-pretraining = wie vortrainiert
experiment-transform-paper = wie in der Veröffentlichung
experiment-cpu-f32 = die CPU bleibt bei f32
experiment-gpu-f16 = für CPUs; nimm f16 für eine GPU
experiment-cpu-no-bf16 = diese CPU unterstützt kein bf16: nimm f32
experiment-bf16-gain = Matrixprodukte { $gain } × so schnell wie mit f32
experiment-bf16-hint = Auf diesem Rechner gemessen. Gewichte und ihre Eingaben werden auf acht Bit gerundet: Merkmale ändern sich um etwa 1 % des größten Werts, Vorhersagen kaum.
experiment-presets = Vorlagen
experiment-presets-about = Jede Vorlage füllt alle Einstellungen aus; du startest den Lauf.
experiment-preset-two-runs = Richtet zwei Läufe ein und vergleicht sie
experiment-preset-one-run = Richtet einen Lauf ein
experiment-presets-paper = Experimente des LAE-Papers
experiment-presets-six-pets = mit je sechs PETs
experiment-one-run = Lauf
experiment-grid-of-runs = Versuchsreihe
experiment-ready = Bereit
experiment-not-ready = Noch nicht bereit
experiment-task-count = { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
}
experiment-image-count = { $n ->
    [one] insgesamt { $n } Bild
   *[other] insgesamt { $n } Bilder
}
experiment-about-time = etwa { $time }
experiment-more-problems = und { $n } weitere
experiment-gpu-memory-short = Die GPU hat nur { $free } frei.
experiment-use-micro-batch = { $n ->
    [one] { $n } Bild auf einmal verarbeiten
   *[other] { $n } Bilder auf einmal verarbeiten
}
experiment-micro-batch-hint = Verarbeitet jeden Batch in Teilen; das Ergebnis ist dasselbe
experiment-weights-downloading = Die Gewichte werden noch heruntergeladen
experiment-fix-problems-first = Behebe zuerst die Probleme
experiment-start = Training starten
experiment-start-both = Beide Läufe starten
experiment-train-baseline-too = Auch die Baseline trainieren
experiment-train-baseline-too-hint = Trainiert den Lauf noch einmal ohne Schutz vor dem Vergessen und vergleicht beide
experiment-three-class-orders = 3 Reihenfolgen trainieren
experiment-three-class-orders-hint = Trainiert den Lauf dreimal, mit den Klassenreihenfolgen des Papers, wo sie bekannt sind; die Seite Vergleich zeigt Mittel ± Std.
experiment-copy-command = Als Befehl kopieren
experiment-trained-at-place = Trainiert wird auf { $place }; die Zeiten sind für diesen Rechner geschätzt.
experiment-run-will-wait = Gerade läuft ein Training; ein neues wartet in der Warteschlange.
experiment-time-from-last-run = etwa { $time } (nach deinem letzten Lauf)
experiment-time-from-other-runs = etwa { $time } (nach anderen Läufen)
experiment-time-from-speed = etwa { $time } (nach der Geschwindigkeit dieses Rechners)
experiment-time-estimate = etwa { $time } (grob geschätzt)
experiment-memory-estimate = etwa { $memory } Speicher, zuzüglich Bilder
experiment-pet = PET
experiment-method-without-pet = { $method } trainiert kein PET.
experiment-trainable-parameters = { $n } trainierbare Parameter
experiment-trainable-parameters-share = { $n } trainierbare Parameter, { $share } % des Modells
experiment-pet-more = Mehr …
experiment-all-plugins = Alle Plugins zeigen
experiment-pet-start = Mit einem LoRA beginnen …
experiment-pet-start-hint = Initialisiert das PET aus einem Ordner, den die Bibliothek peft gespeichert hat
experiment-pet-starts-from = beginnt mit { $folder }
experiment-pet-start-fresh = Ohne LoRA beginnen
experiment-pet-size = Größe
experiment-pet-blocks = Blöcke
experiment-pet-range = { $least } bis { $most }, Standard { $usual }
experiment-method = Methode
experiment-reset-settings = Zurücksetzen
experiment-fewer-settings = Weniger Einstellungen
experiment-more-settings = Mehr Einstellungen
experiment-preset-title = Vorlage: { $title }
experiment-preset-changed = { $title }, geändert: { $keys }
experiment-choose-method = wählen
experiment-all-images = alle
experiment-trial-title = Welche Methode passt zu diesen Bildern?
experiment-trial-start = Methoden ausprobieren
experiment-trial-again = Methoden noch einmal ausprobieren
experiment-trial-hint = Trainiert die gewählte Methode, SimpleCIL, RanPAC und LAE auf vier Fünfteln der Trainingsbilder und testet sie auf dem Rest; Testbilder werden nicht verwendet. Dauert auf den meisten Rechnern höchstens etwa eine Minute
experiment-trial-backbone = Das Backbone begrenzt die Genauigkeit. { $name } gibt meist bessere Ergebnisse.
experiment-trial-queued = Wartet in der Warteschlange …
experiment-trial-stop = Beenden
experiment-trial-correct = richtig
experiment-trial-forgotten = vergessen
experiment-trial-memory = Speicher
experiment-trial-time = Zeit
experiment-trial-use = Wählen
experiment-backbone-trial-title = Welches Backbone passt zu diesen Bildern?
experiment-backbone-trial-start = Backbones ausprobieren
experiment-backbone-trial-hint = Vergleicht das gewählte Backbone mit den anderen auf diesem Computer durch SimpleCIL, mit derselben Aufteilung wie beim Ausprobieren von Methoden
experiment-backbone-trial-job = Backbones ausprobieren auf { $data }
experiment-several-values = Mehrere Werte
experiment-several-values-of-field = Mehrere Werte …
experiment-several-values-about = Probiere mehrere Werte einer Einstellung aus, oder öffne eine Versuchsreihe.
experiment-add-setting = Einstellung hinzufügen …
experiment-add-setting-name = Mehrere Werte für eine Einstellung wählen
experiment-use-single-values = Einzelne Werte verwenden
experiment-class-order-count = { $n ->
    [one] { $n } Klassenreihenfolge
   *[other] { $n } Klassenreihenfolgen
}
experiment-seed-count = { $n ->
    [one] { $n } Startwert
   *[other] { $n } Startwerte
}
experiment-values-of = Werte: { $setting }
experiment-on = an
experiment-off = aus
experiment-use-single-value = Einen einzelnen Wert verwenden
experiment-class-orders-hint = Klassenreihenfolgen: die des Papers, dann zufällige nach Startwert
experiment-seeds-hint = aufeinander folgende Startwerte
experiment-remove-value = { $value } entfernen
experiment-another-value = noch ein Wert
experiment-add-value = Hinzufügen
experiment-value-invalid = „{ $text }“ ist kein gültiger Wert: { $range }
experiment-value-already-listed = { $value } steht schon in der Liste
experiment-grid-open = Versuchsreihe öffnen …
experiment-grid-save = Als Versuchsreihe speichern …
experiment-grid-file = Datei einer Versuchsreihe …
experiment-grid-close = Schließen
experiment-grid-close-hint = Zurück zu den Einstellungen
experiment-grid-edit = Bearbeiten …
experiment-grid-edit-hint = Öffnet die Versuchsreihe als Einstellungen mit mehreren Werten
experiment-grid-searching-runs = Vorhandene Läufe werden gesucht
experiment-grid-run-done = fertig
experiment-grid-run-stopped = beendet in Task { $task }/{ $tasks }
experiment-grid-run-running = läuft
experiment-grid-run-elsewhere = läuft in einem anderen Programm
experiment-run-count = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
experiment-runs-and-rows = { $n ->
    [one] { $runs } in { $n } Zeile
   *[other] { $runs } in { $n } Zeilen
}
experiment-runs-already-done = { $n ->
    [one] { $n } schon fertig
   *[other] { $n } schon fertig
}
experiment-runs-not-possible = { $n ->
    [one] { $n } kann nicht trainiert werden
   *[other] { $n } können nicht trainiert werden
}
experiment-about-time-estimate = etwa { $time } (grob geschätzt)
experiment-memory-size = { $size } Speicher
experiment-slurm-run = Auf Slurm trainieren …
experiment-slurm-run-hint = Reicht die fehlenden Läufe als Job-Array ein
experiment-slurm-unavailable = Auf diesem Rechner gibt es kein sbatch, und places.toml nennt keinen Cluster
experiment-slurm-this-cluster = Der Cluster dieses Rechners
experiment-search = Beste Einstellungen suchen
experiment-search-hint = Vergleicht die Zeilen jeder Methode auf Bildern, die vom Training zurückgehalten werden (ein Fünftel, wenn die Einstellungen keinen Anteil angeben). Alle Methoden trainieren gleich viele Schritte
experiment-search-halving = schrittweise halbieren
experiment-search-full = alle Epochen
experiment-start-search = Suche starten
experiment-nothing-to-start = Nichts zu starten
experiment-start-runs = { $n ->
    [one] { $n } Lauf starten
   *[other] { $n } Läufe starten
}
experiment-trial-job = Methodenvergleich auf { $data }
experiment-pet-trial-job = { $pet } ausprobieren
experiment-order-number = Reihenfolge { $order }
experiment-custom-order = eigene Reihenfolge
experiment-seed-number = Startwert { $seed }
experiment-grid-already-queued = { $title } ist schon in der Warteschlange
experiment-grid-search-title = { $title } · Suche
experiment-grid-saved = Versuchsreihe gespeichert
experiment-step-open = { $step } aufklappen
experiment-step-close = { $step } zuklappen
experiment-search-local-only = eine Suche läuft nur auf diesem Rechner, nicht auf { $place }
experiment-search-local-only-advice = wähle ein Gerät dieses Rechners
