# Die Karte der Daten und was darin gefunden wurde.

data-title = Daten
data-folder-forms = Wähle einen Ordner mit einem Unterordner je Klasse oder mit den Ordnern train und test, in denen diese liegen. Auch die Binärdateien von CIFAR-100 werden gelesen.
data-no-folder-chosen = Noch kein Ordner gewählt; weiterhin gilt { $now }.
data-reading = { $data } wird gelesen
data-digits = Ziffern
data-letters = Buchstaben
data-folder = Ordner …
data-create = Datensatz anlegen …
data-drop-hint = oder zieh einen Ordner in dieses Fenster: ein Unterordner je Klasse
data-not-downloaded = { $about } Der Datensatz ist nicht auf diesem Rechner.
data-download-offer = { $size } MB von { $url }. Lizenz: { $licence }
data-download = { $size } MB herunterladen
data-download-hint = Du kannst den Download beenden und später fortsetzen
data-download-other = Gerade wird etwas anderes heruntergeladen
data-downloading = { $name } wird heruntergeladen: { $got }
data-downloading-of = { $name } wird heruntergeladen: { $got } von { $all }
data-download-of = Download von { $name }
data-download-stop = Download beenden
data-folder-path = Pfad eines Ordners, dann Eingabetaste
data-folder-name = Ordner mit Daten
data-choose = Daten wählen
data-images = { $n ->
    [one] { $train } Trainings- und { $n } Testbild
   *[other] { $train } Trainings- und { $n } Testbilder
}
data-images-validation = { $n ->
    [one] { $train } Trainings- und { $n } Validierungsbild
   *[other] { $train } Trainings- und { $n } Validierungsbilder
}
data-classes = { $n ->
    [one] { $n } Klasse
   *[other] { $n } Klassen
}
data-pixels = { $sizes } Pixel
data-corrected-empty = Die Liste der korrigierten Labels ist leer
data-corrected-use = Verwenden
data-corrected-original-labels = Ursprüngliche Labels
data-corrected-run-list = diese Einstellungen verwenden die Liste eines Laufs: { $own }
data-corrected-use-current = Die jetzige Liste verwenden
data-corrected-hide = Liste verbergen
data-corrected-show = Liste zeigen
data-corrected-row = { $picture }: { $class } statt { $was }
data-corrected-excluded = { $picture }: ausgeschlossen, war { $was }
data-corrected-revert = Zurücksetzen
data-corrected-revert-image = { $picture } zurücksetzen
data-class-arrival = Die Klassen werden gelernt
data-class-arrival-explained = In Stufen: Die Klassen kommen Gruppe für Gruppe, und der Lauf zeigt, was vergessen wird. Alles auf einmal: ein Task mit allen Klassen, meist am besten, wenn du schon alle Bilder hast.
data-class-arrival-stages = In Stufen
data-class-arrival-at-once = Alles auf einmal
data-megabytes = { $n } MB
data-task = Task { $task }
data-task-classes = Task { $task }: { $classes }
data-training-images = { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbilder
}
data-tasks-unknown = Die Tasks erscheinen, sobald die Einstellungen zu den Daten passen.
data-arrange-hint = Zieh eine Klasse in einen anderen Task oder an eine andere Stelle, oder klick sie an, um ein Menü zu öffnen. Tasks und Reihenfolge gehören zu den Einstellungen.
data-new-task = neuer Task
data-new-task-drop = Zieh eine Klasse hierher, um einen neuen Task anzulegen
data-classes-per-task = Klassen je Task
data-class-order = Klassenreihenfolge
data-orders = Reihenfolgen
data-undo = Rückgängig
data-undo-hint = Macht die letzte Änderung der Einstellungen rückgängig, auch das Verschieben einer Klasse
data-order-natural = Natürlich: nach Namen sortiert
data-order-numbers = Nach den Zahlen in den Namen: 2 vor 10
data-order-paper = { $key }, wie im Paper
data-order-shuffled = Gemischt mit Startwert { $seed }
data-order-file = Aus einer Datei …
data-class-in-task = Klasse { $class }, Task { $task }
data-move-earlier = Früher
data-move-later = Später
data-move-new = In einen neuen Task
data-move-to = In Task { $task }
data-part-images-per-class = Bilder je Klasse
data-part-network-input = Was das Netz sieht
data-part-arrange-classes = Klassen ordnen
data-part-splits = Aufteilung und Speicher
data-images-range = { $low } bis { $high } (Median { $median })
data-images-per-class = Bilder je Klasse: { $train } zum Training, { $test } zum Testen
data-images-per-class-validation = Bilder je Klasse: { $train } zum Training, { $validation } zur Validierung
data-images-per-class-chart = Diagramm der Bilder je Klasse
data-test-images = { $n ->
    [one] { $n } Testbild
   *[other] { $n } Testbilder
}
data-validation-images = { $n ->
    [one] { $n } Validierungsbild
   *[other] { $n } Validierungsbilder
}
data-class-images = { $class }: { $train } und { $test }
data-next-epoch = Nächste Epoche
data-next-epoch-hint = Zeigt die Ausschnitte derselben Bilder in der nächsten Epoche
data-other-images = Andere Bilder
data-epoch-crops = Epoche { $epoch } von { $epochs }: augmentierte Ausschnitte für diesen Startwert
data-loading-images = Wird geladen …
data-input-sizes = Oben Training, unten Test, beide { $size } × { $size } Pixel
data-input-training = { $class }, wie im Training gesehen
data-input-testing = { $class }, wie im Test gesehen
data-input-centre-crop = kürzere Seite skaliert, mittlerer Ausschnitt
data-input-caption = { $class }, Task { $task }
data-measured-on-validation = { $n ->
    [one] Die Genauigkeit wird auf { $n } Validierungsbild gemessen, das beim Training fehlt, nicht auf Testbildern.
   *[other] Die Genauigkeit wird auf { $n } Validierungsbildern gemessen, die beim Training fehlen, nicht auf Testbildern.
}
data-use-bit-depth = Bittiefe { $n } verwenden
data-cache-loaded = die Bilder sind schon im Speicher
data-cache-fits = alle Bilder passen hinein, etwa { $need }
data-cache-too-small = alle Bilder eines Tasks brauchen etwa { $need }; was nicht passt, wird in jeder Epoche neu dekodiert
data-download-advice = lade sie unter „Daten“ herunter
data-skipped-files = { $n ->
    [one] { $n } Datei wurde übersprungen.
   *[other] { $n } Dateien wurden übersprungen.
}
data-skipped-show = Übersprungene Dateien zeigen
data-skipped-hide = Übersprungene Dateien verbergen
data-in-both-splits = { $n ->
    [one] { $n } Bild ist unter den Trainings- und den Testbildern.
   *[other] { $n } Bilder sind unter den Trainings- und den Testbildern.
}
data-in-both-splits-show = Diese Bilder zeigen
data-in-both-splits-hide = Diese Bilder verbergen
data-two-labels-show = Bilder mit zwei Labels zeigen
data-two-labels-hide = Bilder mit zwei Labels verbergen
data-split-not-comparable = { $data } ist { $ours } aufgeteilt, die Ergebnisse sind also nicht mit denen des Papers vergleichbar: { $remedy }.
data-split-lists = durch andere Listen
data-split-random = zufällig
data-split-folders = durch seine Ordner
data-split-own-included = der Datensatz bringt eine eigene Aufteilung mit
data-split-copy-lists = leg train_list.txt und val_list.txt der Autoren neben die Ordner der Klassen
data-split-of-coda-prompt = Diese Listen von { $data } sind die von CODA-Prompt, die Ergebnisse sind also nicht mit denen des Papers vergleichbar, das die Listen von L2P verwendet.
data-split-copy-coda-lists = leg imagenet-r_train.yaml und imagenet-r_test.yaml von CODA-Prompt neben die Ordner der Klassen
data-split-fifth-per-domain = die Autoren testen auf einem Fünftel jeder Domäne (siehe docs/data.md)
data-input-crop = { $width } × { $height } Pixel ab Spalte { $left }, Zeile { $top }
data-input-crop-mirrored = { $width } × { $height } Pixel ab Spalte { $left }, Zeile { $top }, gespiegelt
data-input-no-image = kein Trainingsbild, das gezeigt werden kann
data-script-font-missing = { $script } Buchstaben erscheinen als Kästchen, bis die Schriftart { $font } installiert ist
data-character-font-missing = keine installierte Schriftart hat das Zeichen { $code } eines Klassennamens
data-script-hebrew = Hebräische
data-script-arabic = Arabische
data-script-devanagari = Indische (Devanagari)
data-script-bengali = Bengalische
data-script-tamil = Tamilische
data-script-thai = Thailändische
data-script-georgian = Georgische
data-script-korean = Koreanische
data-script-chinese = Chinesische und japanische
data-script-emoji = Als Emoji geschriebene
data-own-folder = Eigener Ordner
data-export = Exportieren
