# Die Seite Experiment.

experiment-left-crashed = Das Programm ist beim letzten Mal abgestürzt
experiment-left-at-work = Beim Schließen des Fensters lief noch ein Training
experiment-left-kept = Frühere Einstellungen wurden gespeichert
experiment-left-run = { $n ->
    [one] { $title }: bisher { $done } von { $n } Task gelernt.
   *[other] { $title }: bisher { $done } von { $n } Tasks gelernt.
}
experiment-left-resume = Fortsetzen
experiment-left-not-now = Jetzt nicht
experiment-left-crashed-kept = Gespeichert, aber nicht wieder geöffnet: { $kept }.
experiment-left-earlier-kept = Gespeichert, als das Programm früher abstürzte: { $kept }.
experiment-left-folders = { $n ->
    [one] ein Ordner mit Läufen
   *[other] { $n } Ordner mit Läufen
}
experiment-left-both = { $setup } und { $folders }
experiment-left-again = Wiederherstellen
experiment-left-forget = Verwerfen
experiment-to-fix = { $n ->
    [one] { $n } Problem zu beheben
   *[other] { $n } Probleme zu beheben
}
experiment-remarks = { $n ->
    [one] Ein Hinweis
   *[other] { $n } Hinweise
}
experiment-use-sizes = { $sizes } nehmen
experiment-choose = Wählen …
experiment-backbone = Backbone
experiment-licence = Lizenz der Gewichte
experiment-no-file-yet = Noch keine Datei gewählt; weiterhin gilt { $now }.
experiment-weights-file = Datei …
experiment-weights = Gewichte
experiment-weights-path = Pfad einer Gewichtsdatei, dann Eingabetaste
experiment-weights-name = Gewichtsdatei
experiment-weights-count = { $n } Parameter
experiment-sees = Eingabe { $size } × { $size }
experiment-blocks-count = { $n ->
    [one] { $n } Block
   *[other] { $n } Blöcke
}
experiment-mind = Hinweis: { $warning }.
experiment-assumed = Angenommen: { $what }.
experiment-pretrained-unknown = Daten des Vortrainings nicht angegeben
experiment-pretrained = vortrainiert auf { $data }
experiment-millions = { $n } Mio.
experiment-download = Herunterladen
experiment-download-later = { $place }, spätestens wenn der Lauf beginnt
experiment-download-now = Jetzt herunterladen
experiment-download-other = { $place }; gerade wird etwas anderes heruntergeladen
experiment-downloading = wird heruntergeladen, { $got }
experiment-downloading-of = wird heruntergeladen, { $got } von { $all }
experiment-download-stop = Download anhalten
experiment-precision = Rechengenauigkeit
experiment-precision-hint = Zahlenformat der eingefrorenen Gewichte. f16 (für GPUs) und bf16 (für CPUs, die es direkt unterstützen) halbieren ihren Speicher; PETs, Köpfe, Verlust und Optimierer bleiben f32.
experiment-cpu-f32 = die CPU bleibt bei f32
experiment-card-f16 = für CPUs; nimm f16 für eine GPU
experiment-cpu-no-bf16 = diese CPU unterstützt kein bf16: nimm f32
experiment-bf16-gain = Matrixprodukte { $gain } × so schnell wie mit f32
experiment-bf16-hint = Auf diesem Rechner gemessen. Gewichte und ihre Eingaben werden auf acht Bit gerundet: Merkmale ändern sich um etwa 1 % des größten Werts, Vorhersagen kaum.
experiment-presets = Vorlagen
experiment-presets-what = Jede Vorlage füllt alle Einstellungen aus; du startest den Lauf.
experiment-preset-two = Stellt zwei Läufe ein und vergleicht sie
experiment-preset-one = Stellt einen Lauf ein
experiment-presets-paper = Die Experimente des Papers
experiment-presets-pets = mit je sechs PETs
experiment-the-run = Lauf
experiment-a-grid = Versuchsreihe
experiment-ready = Bereit
experiment-not-ready = Noch nicht bereit
experiment-tasks = { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
}
experiment-pictures = { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}
experiment-about = etwa { $time }
experiment-more-to-fix = und { $n } weitere
experiment-short = Die GPU hat nur { $free } frei.
experiment-short-take = { $n ->
    [one] { $n } Bild auf einmal verarbeiten
   *[other] { $n } Bilder auf einmal verarbeiten
}
experiment-short-hint = Verarbeitet jeden Batch in Teilen; das Ergebnis ist dasselbe
experiment-weights-coming = Die Gewichte werden noch heruntergeladen
experiment-fix-first = Behebe zuerst die Probleme
experiment-start = Training starten
experiment-start-both = Beide Läufe starten
experiment-beside = Auch die Baseline trainieren
experiment-beside-hint = Trainiert dieselben Einstellungen noch einmal ohne Schutz vor dem Vergessen und vergleicht beide
experiment-orders = 3 Reihenfolgen trainieren
experiment-orders-hint = Trainiert diese Einstellungen dreimal, mit den Klassenreihenfolgen des Papers, wo sie bekannt sind; Vergleichen zeigt Mittel ± Streuung
experiment-copy-command = Als Befehl kopieren
experiment-elsewhere = Trainiert wird auf { $place }; die Zeiten sind für diesen Rechner geschätzt.
experiment-queue = Gerade läuft ein Training; ein neues wartet in der Warteschlange.
experiment-cost-measured = etwa { $time } (nach deinem letzten Lauf)
experiment-cost-other-runs = etwa { $time } (nach dem Tempo anderer Läufe)
experiment-cost-guess = etwa { $time } (grob geschätzt)
experiment-cost-memory = etwa { $memory } Speicher, ohne Bilder
experiment-pet = PET
experiment-no-pet = { $method } trainiert kein PET.
experiment-trained = { $n } trainierbare Parameter
experiment-trained-of = { $n } trainierbare Parameter, { $share } % des Modells
experiment-pet-more = Mehr …
experiment-pet-all = Alle Plugins zeigen
experiment-pet-start = Mit einem LoRA beginnen …
experiment-pet-start-hint = Initialisiert das PET aus einem Ordner, den die Bibliothek peft gespeichert hat
experiment-pet-starts = beginnt mit { $folder }
experiment-pet-start-not = Neu beginnen
experiment-pet-size = Größe
experiment-pet-blocks = Blöcke
experiment-pet-range = { $least } bis { $most }, Standard { $usual }
experiment-method = Methode
experiment-reset = Zurücksetzen
experiment-fewer = Weniger Einstellungen
experiment-more = Mehr Einstellungen
experiment-preset = Vorlage: { $title }
experiment-changed = { $title }, geändert: { $keys }
experiment-choose-method = wählen
experiment-all-images = alle
experiment-try-title = Welche Methode passt zu diesen Bildern?
experiment-try = Methoden ausprobieren
experiment-try-again = Noch einmal ausprobieren
experiment-try-hint = Trainiert die gewählte Methode, SimpleCIL, RanPAC und LAE auf vier Fünfteln der Trainingsbilder und testet sie auf dem Rest; Testbilder werden nicht verwendet. Dauert auf den meisten Rechnern höchstens etwa eine Minute
experiment-try-waits = Wartet in der Warteschlange …
experiment-try-stop = Anhalten
experiment-try-right = richtig
experiment-try-forgotten = vergessen
experiment-try-seconds = Zeit
experiment-try-use = Nehmen
experiment-several = Mehrere Werte
experiment-several-of-field = Mehrere Werte …
experiment-several-what = Probiere mehrere Werte einer Einstellung, oder öffne eine Versuchsreihe.
experiment-several-add = Einstellung hinzufügen …
experiment-several-add-name = Mehrere Werte für eine Einstellung wählen
experiment-single-again = Einzelne Werte verwenden
experiment-class-orders = { $n ->
    [one] { $n } Klassenreihenfolge
   *[other] { $n } Klassenreihenfolgen
}
experiment-seeds = { $n ->
    [one] { $n } Startwert
   *[other] { $n } Startwerte
}
experiment-values-of = Werte: { $setting }
experiment-on = an
experiment-off = aus
experiment-one-value = Einen einzelnen Wert verwenden
experiment-orders-number = Klassenreihenfolgen: die des Papers, dann zufällige nach Startwert
experiment-seeds-number = aufeinander folgende Startwerte
experiment-remove-value = { $value } entfernen
experiment-another-value = noch ein Wert
experiment-add-value = Hinzufügen
experiment-no-value = „{ $text }“ ist kein gültiger Wert: { $range }
experiment-value-there = { $value } steht schon in der Liste
experiment-grid-open = Versuchsreihe öffnen …
experiment-grid-save = Als Versuchsreihe speichern …
experiment-grid-file = Datei einer Versuchsreihe …
experiment-grid-close = Schließen
experiment-grid-close-hint = Zurück zu den Einstellungen
experiment-grid-change = Bearbeiten …
experiment-grid-change-hint = Öffnet die Versuchsreihe als Einstellungen mit mehreren Werten
experiment-grid-looking = Vorhandene Läufe werden gesucht
experiment-cell-done = fertig
experiment-cell-stopped = angehalten in Task { $task }/{ $tasks }
experiment-cell-at-work = läuft
experiment-cell-elsewhere = läuft in einem anderen Programm
experiment-runs = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
experiment-runs-in-rows = { $n ->
    [one] { $runs } in { $n } Zeile
   *[other] { $runs } in { $n } Zeilen
}
experiment-runs-there = { $n ->
    [one] { $n } schon fertig
   *[other] { $n } schon fertig
}
experiment-runs-refused = { $n ->
    [one] { $n } kann nicht trainiert werden
   *[other] { $n } können nicht trainiert werden
}
experiment-about-guess = etwa { $time } (grob geschätzt)
experiment-memory = { $size } Speicher
experiment-slurm = Auf Slurm trainieren …
experiment-slurm-hint = Reicht die fehlenden Läufe als Job-Array ein
experiment-slurm-none = Auf diesem Rechner gibt es kein sbatch, und places.toml nennt keinen Cluster
experiment-slurm-here = Der Cluster dieses Rechners
experiment-search = Die beste suchen
experiment-search-hint = Vergleicht die Zeilen jeder Methode auf Bildern, die beim Training fehlen (einem Fünftel, wenn die Einstellungen keinen Anteil nennen), mit gleich vielen Trainingsschritten für jede Methode
experiment-search-halving = halbierend
experiment-search-all = alle
experiment-start-search = Suche starten
experiment-start-nothing = Nichts zu starten
experiment-start-runs = { $n ->
    [one] { $n } Lauf starten
   *[other] { $n } Läufe starten
}
experiment-try-job = Methodenvergleich auf { $data }
experiment-try-pet-job = { $pet } ausprobieren
experiment-order = Reihenfolge { $order }
experiment-order-own = eigene Reihenfolge
experiment-seed = Startwert { $seed }
experiment-grid-waits = { $title } ist schon in der Warteschlange
experiment-grid-search = { $title } · Suche
experiment-grid-saved = Versuchsreihe gespeichert
experiment-step-open = { $step } aufklappen
experiment-step-close = { $step } zuklappen
experiment-grid-search-here = eine Suche läuft nur auf diesem Rechner, nicht auf { $place }
experiment-grid-search-here-advice = wähle ein Gerät dieses Rechners
