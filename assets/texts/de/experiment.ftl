# Die Seite Experiment.

experiment-left-crashed = Das Programm endete beim letzten Mal ohne Meldung
experiment-left-at-work = Beim Schließen des Fensters lief noch ein Training
experiment-left-kept = Frühere Einstellungen sind aufgehoben
experiment-left-run = { $n ->
    [one] { $title }: bisher { $done } von { $n } Task gelernt.
   *[other] { $title }: bisher { $done } von { $n } Tasks gelernt.
}
experiment-left-resume = Fortsetzen
experiment-left-not-now = Jetzt nicht
experiment-left-crashed-kept = Was damals eingestellt war, ist aufgehoben, aber nicht wieder geöffnet: { $kept }.
experiment-left-earlier-kept = Aus einem früheren Fenster, das ohne Meldung endete: { $kept }.
experiment-left-folders = { $n ->
    [one] ein Ordner mit Läufen
   *[other] { $n } Ordner mit Läufen
}
experiment-left-both = { $setup } und { $folders }
experiment-left-again = Wieder einstellen
experiment-left-forget = Verwerfen
experiment-to-fix = { $n ->
    [one] { $n } Sache zu beheben
   *[other] { $n } Dinge zu beheben
}
experiment-remarks = { $n ->
    [one] Ein Hinweis
   *[other] { $n } Hinweise
}
experiment-use-sizes = { $sizes } nehmen
experiment-choose = Wählen …
experiment-backbone = Backbone
experiment-licence = Lizenz der Gewichte
experiment-no-file-yet = Noch ist keine Datei gewählt; bis dahin bleibt { $now }.
experiment-weights-file = Datei …
experiment-weights = Gewichte
experiment-weights-path = Pfad einer Gewichtsdatei, dann Eingabetaste
experiment-weights-name = Gewichtsdatei
experiment-weights-count = { $n } Gewichte
experiment-sees = sieht { $size } × { $size }
experiment-blocks-count = { $n ->
    [one] { $n } Block
   *[other] { $n } Blöcke
}
experiment-mind = Achtung: { $warning }.
experiment-assumed = Angenommen: { $what }.
experiment-pretrained-unknown = Vortraining nicht angegeben
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
experiment-precision-hint = Wie die eingefrorenen Gewichte im Speicher liegen, mit halbem Platz: f16 auf Grafikkarten, bf16 auf einem Prozessor, der solche Zahlen selbst multipliziert. PETs, Köpfe, Verlust und Optimierer bleiben f32.
experiment-cpu-f32 = die CPU bleibt bei f32
experiment-card-f16 = für die CPU; eine Karte hat f16
experiment-cpu-no-bf16 = diese CPU multipliziert kein bf16: nimm f32
experiment-bf16-gain = Produkte { $gain } × so schnell wie mit f32
experiment-bf16-hint = Auf diesem Rechner gemessen. Gewichte und das, womit sie multipliziert werden, behalten acht Bit: Merkmale weichen um etwa 1 % des größten ab, Antworten kaum.
experiment-presets = Vorlagen
experiment-presets-what = Jede stellt alles ein; du startest den Lauf.
experiment-preset-two = Stellt zwei Läufe ein und vergleicht sie
experiment-preset-one = Stellt einen Lauf ein
experiment-presets-paper = Die Experimente des Papers
experiment-presets-pets = mit je sechs PETs
experiment-the-run = Der Lauf
experiment-a-grid = Eine Versuchsreihe
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
experiment-short = Die Karte hat { $free } frei, also weniger.
experiment-short-take = { $n ->
    [one] { $n } Bild auf einmal nehmen
   *[other] { $n } Bilder auf einmal nehmen
}
experiment-short-hint = Der Batch wird in Teilen gelernt; das Ergebnis ist das des ganzen Batches
experiment-weights-coming = Die Gewichte werden noch heruntergeladen
experiment-fix-first = Zuerst ist etwas zu beheben
experiment-start = Training starten
experiment-start-both = Beide Läufe starten
experiment-beside = Baseline daneben
experiment-beside-hint = Trainiert diese Einstellungen, dann dasselbe ohne etwas gegen das Vergessen, und vergleicht beide
experiment-orders = 3 Reihenfolgen trainieren
experiment-orders-hint = Trainiert diese Einstellungen dreimal, mit den Klassenreihenfolgen des Papers, wo sie bekannt sind; Vergleichen zeigt Mittel ± Streuung
experiment-copy-command = Als Befehl kopieren
experiment-elsewhere = Trainiert wird auf { $place }; die Zeiten sind die dieses Rechners.
experiment-queue = Gerade läuft ein Training; ein neues kommt dahinter in die Warteschlange.
experiment-cost-measured = etwa { $time } (nach deinem letzten Lauf)
experiment-cost-other-runs = etwa { $time } (nach dem Tempo anderer Läufe)
experiment-cost-guess = etwa { $time } (grob geschätzt)
experiment-cost-memory = etwa { $memory } Speicher, ohne Bilder
experiment-pet = PET
experiment-no-pet = { $method } trainiert kein PET.
experiment-trained = { $n } trainiert
experiment-trained-of = { $n } trainiert, { $share } % des Modells
experiment-pet-more = Mehr …
experiment-pet-all = Alle Plugins ansehen
experiment-pet-start = Mit einem LoRA beginnen …
experiment-pet-start-hint = ein Ordner, wie ihn die Bibliothek peft speichert: Das PET beginnt mit seinen Werten statt mit gezogenen
experiment-pet-starts = beginnt mit { $folder }
experiment-pet-start-not = Neu beginnen
experiment-pet-size = Größe
experiment-pet-blocks = Blöcke
experiment-pet-range = { $least } bis { $most }, sonst { $usual }
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
experiment-try-hint = Trainiert die gewählte Methode, SimpleCIL, RanPAC und LAE auf vier Fünfteln der Trainingsbilder und prüft sie am letzten Fünftel; Testbilder bleiben unberührt. Auf den meisten Rechnern höchstens etwa eine Minute
experiment-try-waits = Wartet, bis es an der Reihe ist …
experiment-try-stop = Anhalten
experiment-try-right = richtig
experiment-try-forgotten = vergessen
experiment-try-seconds = Zeit
experiment-try-use = Nehmen
experiment-several = Mehrere Werte
experiment-several-of-field = Mehrere Werte …
experiment-several-what = Probiere eine Einstellung mit mehreren Werten, oder öffne eine Versuchsreihe.
experiment-several-add = Einstellung …
experiment-several-add-name = Einer Einstellung mehrere Werte geben
experiment-single-again = Wieder einzelne Werte
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
experiment-one-value = Wieder ein Wert
experiment-orders-number = Klassenreihenfolgen: die des Papers, dann gemischte
experiment-seeds-number = aufeinander folgende Startwerte
experiment-remove-value = { $value } entfernen
experiment-another-value = noch ein Wert
experiment-add-value = Hinzufügen
experiment-no-value = „{ $text }“ ist kein Wert: { $range }
experiment-value-there = { $value } ist schon da
experiment-grid-open = Versuchsreihe öffnen …
experiment-grid-save = Als Versuchsreihe speichern …
experiment-grid-file = Eine Datei …
experiment-grid-close = Schließen
experiment-grid-close-hint = Zurück zu den Einstellungen
experiment-grid-change = Ändern …
experiment-grid-change-hint = Macht sie zu den Einstellungen, von denen einige dann mehrere Werte haben
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
    [one] { $n } davon ist da
   *[other] { $n } davon sind da
}
experiment-runs-refused = { $n ->
    [one] { $n } kann nicht trainiert werden
   *[other] { $n } können nicht trainiert werden
}
experiment-about-guess = etwa { $time } (geschätzt)
experiment-memory = { $size } Speicher
experiment-slurm = Auf Slurm trainieren …
experiment-slurm-hint = Reicht ein, was noch fehlt, als Job-Array
experiment-slurm-none = Auf diesem Rechner gibt es kein sbatch, und places.toml nennt keinen Cluster
experiment-slurm-here = Der Cluster dieses Rechners
experiment-search = Die beste suchen
experiment-search-hint = Wählt unter den Zeilen jeder Methode nach Bildern, die beim Training fehlen: einem Fünftel, wenn die Einstellungen keinen Anteil nennen; mit gleich vielen Trainingsschritten für jede Methode
experiment-search-halving = halbierend
experiment-search-all = alle
experiment-start-search = Suche starten
experiment-start-nothing = Nichts zu starten
experiment-start-runs = { $n ->
    [one] { $n } Lauf starten
   *[other] { $n } Läufe starten
}
experiment-try-job = Welche Methode passt zu { $data }
experiment-try-pet-job = { $pet } ausprobieren
experiment-order = Reihenfolge { $order }
experiment-order-own = eigene Reihenfolge
experiment-seed = Startwert { $seed }
experiment-grid-waits = { $title } steht schon in der Warteschlange
experiment-grid-search = { $title } · Suche
experiment-grid-saved = die Versuchsreihe ist gespeichert
experiment-step-open = { $step } aufklappen
experiment-step-close = { $step } zuklappen
experiment-grid-search-here = gesucht wird auf diesem Rechner und nicht auf { $place }
experiment-grid-search-here-advice = wähle dafür ein Gerät dieses Rechners
