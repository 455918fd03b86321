# Was misslang (problem-…) und was zu versuchen ist (try-…): Sätze ohne großen Anfang und ohne Punkt; beides setzt,
# wer sie zeigt.

problem-and-more = { $names } und { $n } weitere
advice-check-path = prüfe, ob es den Pfad gibt
advice-check-permissions = prüfe die Rechte dieser Datei oder dieses Ordners
advice-free-disk-space = mach Platz auf dem Datenträger oder wähle einen anderen Ordner, dann geht es weiter
advice-choose-regular-file = wähle eine gewöhnliche Datei der erwarteten Art
advice-choose-writable-folder = wähle einen Ordner, in den geschrieben werden kann
advice-choose-other-path = wähle einen anderen Pfad, oder benenne die Datei oder den Ordner um, der im Weg ist
problem-no-folder-or-archive = das ist weder ein Ordner noch ein unterstütztes Archiv
advice-give-folder-or-archive = gib einen Ordner, ein Archiv (.zip, .tar, .tar.gz, .tar.xz oder .tm) oder eine .parquet-Datei an
problem-teachable-machine-model = das ist ein exportiertes Modell von Teachable Machine, ohne seine Bilder
advice-download-teachable-machine-project = öffne in Teachable Machine das Menü, wähle „Projekt als Datei herunterladen“ und gib die .tm-Datei an
problem-teachable-machine-project-type = Projekte von Teachable Machine der Art „{ $manifest }“ werden nicht unterstützt; nur Bildprojekte werden gelesen
advice-give-image-project = gib ein Bildprojekt an, oder einen Ordner mit einem Unterordner voller Bilder je Klasse
problem-archive-damaged = das Archiv ist beschädigt oder unvollständig: { $error }
advice-copy-or-download-again = kopiere oder lade es noch einmal
problem-archive-memory-limit = das Entpacken dieses Archivs überschreitet die Speichergrenze für Archive
advice-unpack-or-compress-less = entpacke es von Hand und gib den Ordner an, oder packe es mit `xz -9` oder einer niedrigeren Stufe
problem-zip-kind-unsupported = diese Art von ZIP-Datei wird nicht unterstützt: { $why }
advice-unpack-and-give-folder = entpacke es und gib den Ordner an
problem-archive-format-unsupported = Archive im Format { $form } werden nicht unterstützt
problem-dataset-format-unsupported = Dateien im Format { $form } werden nicht unterstützt
advice-save-images-to-folders = speichere die Bilder als JPEG- oder PNG-Dateien in einem Ordner je Klasse
problem-archive-rejected = das Archiv wurde abgelehnt: { $why }
advice-unpack-if-intended = wenn das beabsichtigt ist, entpacke es von Hand und gib den Ordner an
problem-built-in-dataset-damaged = der eingebaute Datensatz ist beschädigt: { $why }
problem-cifar-file-damaged = die CIFAR-Datei ist beschädigt: { $what }
advice-download-again = lade sie noch einmal herunter
problem-too-many-corrected-labels = { $list } korrigierte Labels sind mehr als die erlaubten { $most }
advice-correct-labels-in-dataset = korrigiere die Labels im Datensatz selbst
problem-image-sha256-digits = der SHA-256 von { $picture } hat nicht 64 hexadezimale Ziffern
advice-copy-hash-from-list = kopiere ihn aus einer Liste, die dieses Programm geschrieben hat
problem-label-corrected-twice = das Label von { $picture } ist zweimal korrigiert
advice-remove-one-entry = entferne einen der zwei Einträge
problem-no-crop-boxes = die Datei enthält keine Ausschnitte in der erwarteten Form
problem-no-crop-box-for-image = für dieses Bild gibt es keinen Ausschnitt
problem-names-unwritten = die Namen ließen sich nicht schreiben: { $error }
problem-folder-not-empty = der Ordner ist nicht leer
advice-choose-new-folder = gib einen neuen Ordner an
problem-export-format-unspecified = der Dateiname nennt kein Exportformat
advice-dataset-export-extension = nimm die Endung .tm für Teachable Machine, oder .zip für einen Bilderordner
problem-archive-unwritten = das Archiv ließ sich nicht schreiben: { $error }
problem-image-unwritten = ein Bild lässt sich nicht schreiben: { $error }
problem-table-without-matching-images = der Ordner enthält { $total }, aber „{ $table }“ nennt für keines davon eine Klasse
advice-add-csv-file-label = lege eine CSV mit den Spalten file,label dazu (Dateinamen wie im Ordner), oder lege einen Unterordner je Klasse an
problem-images-without-classes = der Ordner enthält { $total }, aber keine Unterordner für Klassen und keine CSV oder Liste mit den Klassen
advice-use-class-folders-or-splits = nimm einen Ordner mit einem Unterordner voller Bilder je Klasse, oder mit Ordnern train und test, die solche Unterordner haben
problem-list-too-long = die Liste hat weit mehr Zeilen, als es Bilder gibt
problem-list-names-no-image = kein Eintrag dieser Liste passt zu einem Bild in ihrem Ordner
problem-matlab-file = das ist keine MATLAB-Datei (Level 5) mit der Zahlenmatrix „{ $name }“
advice-matlab-version = lade sie noch einmal herunter; speichere sie mit -v7, falls sie mit -v7.3 gespeichert ist
problem-parquet-without-images = die Parquet-Datei hat keine Spalte mit Bilddateien
problem-parquet-compression = die Parquet-Datei ist mit { $codec } gepackt; unterstützt werden nur Snappy und ungepackte Dateien
advice-datasets-to-folders = lade sie mit dem Python-Paket datasets und speichere sie mit to_parquet, oder speichere ihre Bilder in einem Ordner je Klasse
problem-lists-without-classes = in { $lists } sind Bilder genannt, aber nicht ihre Klassen
problem-lists-assign-different-classes = diese Listen ordnen denselben Bildern verschiedene Klassen zu: { $lists }
problem-lists-assign-different-splits = diese Listen teilen dieselben Bilder verschieden auf: { $lists }
advice-give-one-list = gib als Datensatz die Liste an, die gelten soll, zum Beispiel „{ $path }“, oder lege die anderen anderswo ab
problem-list-two-labels-per-image = „{ $file }“ gibt { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} zwei Labels: { $images }
advice-one-class-per-image = behalte eine Zeile je Bild: Jedes Bild hat genau eine Klasse
problem-several-class-columns = „{ $file }“ nennt Bilder, aber mehrere Spalten könnten die Klassen enthalten: { $columns }
problem-several-columns-marked = „{ $file }“ markiert für dasselbe Bild mehrere dieser Spalten: { $columns }
advice-name-class-column = hänge den Namen der Spalte mit den Klassen an den Pfad an, wie in „{ $path }#{ $column }“, oder nenne die Spalte „label“
problem-several-split-folders = diese Ordner enthalten mehrere Paare von Trainings- und Testbildern: { $folders }
problem-splits-without-classes = die Ordner { $folders } enthalten Bilder zum Trainieren und Testen, aber keine Klassenordner, und keine Tabelle oder Liste nennt die Klassen
problem-classes-or-splits-unclear = es ist unklar, ob diese Bilderordner Klassen sind oder die Trainingsbilder enthalten: { $folders }
problem-folders-for-all-images = diese Ordner sind keine Klassen, denn einer heißt wie ein Ordner für alle Bilder: { $folders }
problem-folders-are-collection-parts = diese Ordner heißen wie Teile einer Bildersammlung, nicht wie Klassen: { $folders }
problem-images-next-to-folders = { $beside ->
    [one] { $beside } Bild liegt
   *[other] { $beside } Bilder liegen
} neben den Ordnern, in denen nur { $inside } liegen: Die Ordner sind vermutlich nicht die Klassen
advice-class-folders-or-csv = lege (in jedem Teil) einen Unterordner mit Bildern je Klasse an oder eine CSV mit den Spalten file und label dazu
problem-batch-size-zero = ein Batch braucht mindestens ein Bild
problem-thread-not-started = ein Thread ließ sich nicht starten: { $error }
problem-share-out-of-range = ein Anteil von { $share } ist ungültig: Er muss mindestens 0 und kleiner als 1 sein
advice-share-of-one-fifth = 0.2 hält jedes fünfte Bild zurück
problem-image-limit-zero = eine Grenze von 0 Bildern je Klasse lässt keine Bilder übrig
problem-opening-dataset-stopped = das Öffnen des Datensatzes wurde abgebrochen
problem-domainnet-not-downloadable = dieses Programm kann DomainNet nicht herunterladen
advice-unpack-domainnet-domains = entpacke seine sechs Domänen und ihre Listen (clipart_train.txt, …) in einen Ordner und gib diesen an
problem-dataset-not-downloaded = { $name } wurde noch nicht auf diesen Rechner heruntergeladen
advice-download-dataset = lade es herunter ({ $megabytes } MB) mit: lae-studio data { $name } --download, oder gib den Pfad einer Kopie an
problem-pickle-unreadable = die Pickle-Datei lässt sich nicht lesen: { $what } bei Byte { $at }
advice-download-binary-version = lade sie noch einmal herunter, oder nimm die binäre Fassung des Datensatzes
problem-image-decoding-memory-limit = das Bild hat { $width }×{ $height } Pixel und braucht zum Dekodieren { $most } MB Speicher; die Grenze liegt jetzt bei { $allowed } MB
advice-scale-image-down = verkleinere es in einem Bildprogramm
problem-image-decoding-memory = das Bild braucht zum Dekodieren zu viel Speicher
problem-image-kind-unsupported = diese Art von Bild wird nicht unterstützt: { $error }
advice-save-as-jpeg-or-png = speichere es als JPEG oder PNG
problem-image-file-incomplete = die Bilddatei ist unvollständig
problem-image-damaged = das Bild ist beschädigt: { $detail }
problem-file-empty = die Datei ist leer
problem-file-is-no-image = die Datei ist kein Bild
advice-supported-image-formats = nimm eine Datei in JPEG, PNG, WebP, BMP, GIF oder TIFF
problem-file-format-unsupported = Dateien der Art { $name } werden nicht unterstützt
advice-save-as-supported-image = speichere es als JPEG oder PNG (JPEG, PNG, WebP, BMP, GIF und TIFF werden unterstützt)
problem-no-record = einen Eintrag { $index } gibt es nicht
problem-no-dataset-given = es wurde kein Datensatz angegeben
advice-give-dataset = gib digits, letters oder den Pfad eines Ordners oder Archivs an
problem-dataset-not-found = es gibt keinen solchen Datensatz, Ordner und keine solche Datei
problem-seed-invalid = „{ $seed }“ ist kein gültiger Startwert: Ein Startwert ist eine ganze Zahl
advice-write-seed = schreibe zum Beispiel seed:1
problem-class-order-invalid = „{ $text }“ ist keine gültige Klassenreihenfolge
advice-class-order-forms = nimm natural, seed:N, eine Liste wie 0-4,6,5, eine JSON-Datei mit Namen oder Nummern von Klassen, oder eine von { $value }
problem-class-order-no-json-array = die Klassenreihenfolge ist kein JSON-Array aus Namen oder Nummern von Klassen
advice-class-order-json = schreibe sie als ["cat", "dog"] oder [1, 0]
problem-class-order-not-found = eine Klassenreihenfolge namens „{ $name }“ gibt es nicht
problem-class-order-part-invalid = „{ $part }“ in der Klassenreihenfolge ist weder Nummer noch Bereich
advice-use-class-indices = nimm Nummern der nach Namen sortierten Klassen, ab 0 gezählt: 0-4,6,5
problem-class-order-unknown-classes = die Klassenreihenfolge nennt Klassen, die der Datensatz nicht hat: { $unknown }
advice-match-class-names-exactly = schreibe die Namen genau wie die Klassennamen
problem-class-order-duplicate = die Klassenreihenfolge enthält „{ $index }“ zweimal
problem-class-order-index-too-large = die Klassenreihenfolge enthält die Nummer { $index }, aber der Datensatz hat { $classes }
advice-class-indices-start-at-zero = Nummern beginnen bei 0 und gelten für die nach Namen sortierten Klassen
problem-class-order-incomplete = in der Klassenreihenfolge fehlt { $missing }
advice-list-every-class-once = nenne jede Klasse genau einmal
problem-classes-per-task-invalid = „{ $text }“ ist keine gültige Zahl von Klassen je Task
advice-classes-per-task-forms = schreibe 10 (jeder Task), 6,5,5,5,5 (jeder einzeln) oder 50+10 (der erste Task, dann jeder weitere)
problem-task-without-classes = ein Task braucht mindestens eine Klasse
problem-classes-per-task-sum = die Tasks haben zusammen { $total }, aber der Datensatz hat { $classes }
advice-sum-to-class-count = wähle Zahlen, die zusammen die Zahl der Klassen ergeben
problem-corrected-labels-empty-classes = durch die korrigierten Labels bleibt für { $empty } kein Trainingsbild übrig
advice-undo-corrected-label = nimm eines der korrigierten Labels zurück; `lae-studio train --corrected none` verwendet die ursprünglichen Labels
advice-use-class-folders-of-formats = nimm einen Ordner mit einem Unterordner voller JPEG-, PNG-, WebP-, BMP-, GIF- oder TIFF-Bilder je Klasse
advice-use-class-folders-check-folder = nimm einen Ordner mit einem Unterordner voller Bilder je Klasse; prüfe, ob der richtige Ordner gewählt ist
problem-crop-scale-invalid = ein Ausschnitt von { $low } bis { $high } ist kein Bereich zwischen 0 und 1
advice-usual-crop-scale = 0.08,1 ist üblich; 0.5,1 schneidet weniger ab
problem-input-size-out-of-range = eine Eingabegröße von { $size } Pixeln liegt nicht zwischen 1 und { $largest_input }
problem-crop-ratio-out-of-range = ein Ausschnittverhältnis von { $crop_ratio } liegt nicht zwischen { $smallest_crop } und 1
advice-usual-crop-ratio = 0.875 ist üblich: Damit wird die kürzere Seite bei einer Eingabegröße von 224 auf 256 verkleinert
problem-crop-outside-image = ein Ausschnitt von { $width }×{ $height } bei ({ $left }, { $top }) liegt nicht in einem Bild von { $width2 }×{ $height2 }
problem-image-without-pixels = das Bild hat keine Pixel
problem-pixel-data-size-mismatch = die Pixeldaten des Bildes passen nicht zu seiner Größe: { $error }
problem-resize-buffer-length = der Puffer für das verkleinerte Bild hat die falsche Länge: { $error }
problem-image-not-resized = die Größe des Bildes ließ sich nicht ändern: { $error }
problem-number-assignment-invalid = „{ $pair }“ setzt keinen Wert
advice-write-name-number = schreibe NAME=ZAHL, zum Beispiel rank=8,alpha=0.5
problem-plugin-number-out-of-range = { $name } { $value } von { $name2 } liegt außerhalb des Bereichs
advice-choose-range = wähle { $range }
problem-pet-size-set-separately = die Größe von { $name } wird gesondert eingestellt
advice-use-pet-size = nimm --pet-size
problem-plugin-number-not-adjustable = { $name } hat keine einstellbare Zahl `{ $name2 }`
problem-plugin-size-unknown = { $name } hat keine Größe `{ $name2 }`
advice-choose-between = wähle einen Wert von { $min } bis { $max }
problem-block-attention-missing = keine Gleichung berechnet die Aufmerksamkeit von Block { $block }
problem-plugin-not-found = ein PET-Plugin `{ $shown }` gibt es nicht
problem-replaces-built-in-plugin = diese Datei würde das eingebaute { $name } ersetzen
advice-rename-or-allow-once = benenne sie um, oder erlaube es einmal; { $allow }
advice-save-as-utf8 = speichere sie in einem Texteditor als UTF-8
problem-plugin-unusable = das Plugin lässt sich nicht verwenden
problem-block-not-found = Block { $block } gibt es nicht: Der Backbone hat { $count }, ab 0 gezählt
advice-choose-blocks-below = wähle Blocknummern unter { $count }
problem-block-without-site = { $name } braucht die Stelle `{ $name2 }`, die Block { $block } dieses Backbones nicht hat
advice-choose-pet-for-sites = wähle ein anderes PET oder einen anderen Backbone; dieser Block hat die Stellen { $offered }
problem-pet-parameter-not-found = das PET hat keinen Parameter `{ $shown }`
problem-pet-parameter-shape = der Parameter `{ $name }` des PET hat die Form { $dims }, nicht { $dims2 }
problem-no-pet-at-site = bei `{ $name }` von Block { $block } gibt es kein PET
problem-pet-result-shape = ein PET ergibt dort einen Wert der Form { $dims }
problem-settings-unreadable = diese Einstellungen lassen sich nicht lesen: { $message }
advice-correct-setting = korrigiere Schlüssel oder Wert; `lae-studio train --help` nennt alle Einstellungen
problem-settings-unwritten = diese Einstellungen lassen sich nicht schreiben: { $error }
advice-blocks-count-or-list = gib eine Anzahl von Blöcken von 1 bis { $depth } an, oder Blocknummern von 0 bis { $depth2 } wie 0,2,4
problem-text-too-long = { $what } ist zu lang ({ $length } Zeichen)
advice-use-at-most = nimm höchstens { $most }
problem-too-many-tags = es sind zu viele Tags ({ $tags })
advice-limit-tags = nimm höchstens { $tags }
problem-device-self-test-failed = { $name } hat den Selbsttest nicht bestanden: { $note }
problem-device-name-ambiguous = „{ $wanted }“ kann { $name } oder { $name2 } bedeuten
problem-device-unusable = das Gerät { $name } lässt sich nicht verwenden: { $why }
advice-use-cpu-or-update-driver = nimm --device cpu, oder bring den Grafiktreiber auf den neuesten Stand
problem-device-lost = die Verbindung zum Gerät { $name } ging verloren
advice-restart-or-choose-cpu = starte das Programm neu, um es zu verwenden, oder wähle die CPU
problem-device-results-unwritten = die Ergebnisse der Gerätetests ließen sich nicht speichern: { $error }
problem-download-too-large = die Datei unter dieser Adresse überschreitet die Grenze von { $most } Bytes
advice-download-file-manually = die Datei hat sich geändert oder ist eine andere: Lade sie von Hand herunter und wähle die Datei
problem-folder-has-file-name = es gibt schon einen Ordner mit dem Namen der Datei
advice-remove-or-rename-folder = entferne den Ordner oder benenne ihn um
problem-download-not-resumable = der Server konnte den Download nicht fortsetzen
problem-download-size-mismatch = die Datei unter dieser Adresse hat { $total } Bytes, erwartet werden { $size }
advice-file-changed-since-release = die Datei hat sich geändert, seit diese Version erschienen ist: Lade sie von Hand herunter und wähle die Datei
problem-download-stopped = der Download wurde beendet
advice-restart-download = starte ihn noch einmal: Was schon heruntergeladen ist, bleibt erhalten
problem-download-connection-lost = die Verbindung brach während des Downloads ab: { $detail }
problem-file-address-invalid = das ist keine gültige Adresse einer Datei: { $detail }
problem-address-unencrypted-redirect = die Adresse oder eine, zu der sie weiterleitet, ist nicht verschlüsselt: { $to }
advice-use-https-address = nimm eine Adresse, die mit https beginnt
problem-proxy-refused = der Proxy lehnte die Verbindung ab: { $detail }
advice-check-proxy-variables = prüfe die Umgebungsvariablen HTTPS_PROXY und HTTP_PROXY
problem-server-unreachable = der Server war nicht zu erreichen: { $detail }
advice-check-internet-connection = prüfe die Internetverbindung (und HTTPS_PROXY hinter einem Proxy), oder lade die Datei von Hand herunter und wähle sie
problem-file-downloaded-elsewhere = ein anderes Programm lädt diese Datei gerade herunter
advice-wait-then-try-again = warte, bis es fertig ist, dann versuche es noch einmal
advice-redownload-then-manually = lade sie noch einmal herunter; geschieht das zweimal, hat sich die Datei unter dieser Adresse geändert: Lade sie von Hand herunter und wähle die Datei
problem-tensor-not-f32 = ein Tensor enthält keine f32-Werte: { $error }
problem-tensor-axes-mismatch = ein Tensor hat die Form { $shape }, erwartet werden { $d } Dimensionen
problem-values-not-finite = { $what } enthält Werte, die nicht endlich sind
advice-use-smaller-base-lr = nimm eine kleinere --base-lr; auf einer GPU versuche --device cpu, um das Gerät auszuschließen; alles bisher Gesicherte bleibt erhalten
advice-use-smaller-micro-batch = nimm einen kleineren Mikro-Batch: `lae-studio resume RUN --micro-batch N` macht mit demselben Ergebnis weiter; sonst wähle einen kleineren Backbone, oder trainiere auf der CPU (--device cpu)
problem-device-lost-reset = das Gerät ging verloren: Das System hat es zurückgesetzt, oder es wurde abgezogen
advice-restart-and-resume = starte das Programm neu und setze den Lauf ab seiner letzten gesicherten Epoche fort; geht das Gerät wieder verloren, nimm --device cpu
problem-device-failed = das Gerät hat versagt: { $error }
advice-resume-from-last-epoch = setze den Lauf ab seiner letzten gesicherten Epoche fort; versagt das Gerät wieder, nimm --device cpu
problem-tensor-missing = der Tensor { $name } fehlt
problem-tensor-shape-mismatch = der Tensor { $name } hat die Form { $found }, nicht { $shape }
problem-tensors-unwritten = die Tensoren lassen sich nicht schreiben: { $error }
problem-tensor-file-unreadable = diese Tensordatei lässt sich nicht lesen: { $why }
advice-use-earlier-snapshot = die Datei ist vielleicht unvollständig oder von anderer Art; nimm einen früheren Stand, oder trainiere noch einmal
problem-internal-error = ein interner Fehler hat diesen Auftrag beendet: { $text }
advice-resume-or-report-error = alles bisher Gesicherte bleibt erhalten: Setze den Lauf fort; schlägt es wieder fehl, melde den Fehler
problem-program-folder-not-found = der Ordner dieses Programms ist nicht zu finden
advice-start-by-full-path = starte das Programm mit seinem vollständigen Pfad
advice-move-program-or-not-portable = verschiebe das Programm in einen Ordner, in den geschrieben werden kann, oder starte es ohne --portable
problem-folder-without-images = in diesem Ordner sind keine Bilder: { $found }
problem-folder-empty = in diesem Ordner sind keine Bilder: Er ist leer
problem-no-training-images = es wurden keine brauchbaren Trainingsbilder gefunden
problem-no-training-images-skipped = es wurden keine brauchbaren Trainingsbilder gefunden (übersprungen: { $left_out })
problem-only-one-class = es wurde nur eine Klasse gefunden ({ $names }), aber mindestens { $least } werden gebraucht
problem-too-few-classes = es wurden zu wenige Klassen gefunden ({ $names }), mindestens { $least } werden gebraucht
problem-blocks-empty = „{ $text }“ enthält keine Blöcke
problem-no-block-with-pet = kein Block hat ein PET
problem-block-out-of-range = Block { $block } gibt es nicht: Der Backbone hat { $blocks }
problem-no-gpu = auf diesem Rechner wurde keine Hardware-GPU gefunden
problem-device-not-found = es gibt kein Gerät „{ $wanted }“
advice-choose-device = wähle ein Gerät nach Nummer oder Name: { $devices }
problem-address-without-file = unter dieser Adresse gibt es keine solche Datei (HTTP { $status })
problem-server-denied-access = der Server verweigert den Zugriff auf diese Datei (HTTP { $status })
problem-too-many-requests = der Server meldet zu viele Anfragen (HTTP { $status })
problem-server-error = der Server meldet einen internen Fehler (HTTP { $status })
problem-server-response-unexpected = der Server hat unerwartet geantwortet (HTTP { $status })
advice-find-on-project-page = die Datei wurde verschoben: Suche sie auf der Seite des Projekts, lade sie herunter und wähle die Datei
advice-accept-licence = prüfe den Namen; nimm gegebenenfalls die Lizenz auf ihrer Seite an und setze HF_TOKEN, oder lade die Datei von Hand herunter und wähle sie
advice-retry-in-minutes = versuche es in einigen Minuten noch einmal
advice-retry-later = versuche es später noch einmal
advice-check-address = prüfe die Adresse
problem-download-hash-mismatch = die heruntergeladene Datei ist nicht die erwartete: Ihr SHA-256 ist { $sha256 }, erwartet { $expected }
problem-downloaded-length-mismatch = die heruntergeladene Datei hat { $length } Bytes, erwartet werden { $size }
advice-did-you-mean = meinst du `{ $name }`?
advice-remove-unneeded-choice = entferne es: Hier gibt es nichts zu wählen
advice-known-names = bekannte Namen: { $names }
advice-free-space-for-cache = mach Platz auf dem Datenträger, oder setze LAE_STUDIO_CACHE auf einen Ordner auf einem anderen
advice-update-driver = bring den Grafiktreiber auf den neuesten Stand
advice-update-driver-or-retest = bring den Grafiktreiber auf den neuesten Stand; lösche { $file }, um den Test zu wiederholen
problem-device-out-of-memory = dem Gerät ging der Speicher aus
problem-cannot-compute = { $name } kann { $family } nicht berechnen: { $why }
advice-update-driver-then-prepare = bring den Grafiktreiber auf den neuesten Stand, dann versuche es noch einmal mit `lae-studio devices --prepare`
problem-changed-since-run-start = { $what } hat sich geändert, seit dieser Lauf begann
advice-restore-or-train-new = stelle den früheren Stand wieder her, oder trainiere einen neuen Lauf
advice-move-ignored-lists = Klassen oder Aufteilung stammen jetzt aus { $lists }; ältere Versionen haben das nicht beachtet. Um einen älteren Lauf fortzusetzen, verschiebe { $n ->
        [one] diese Datei
       *[other] diese Dateien
    } aus dem Ordner
problem-gpu-memory-short = { $name } hat { $free } GB frei, aber dieser Lauf braucht vielleicht { $expected } GB
problem-backbone-weights-changed = die Gewichte des Backbones haben sich geändert, seit dieser Lauf trainiert wurde
advice-restore-weight-file = stelle die Gewichtsdatei wieder her, mit der der Lauf trainiert wurde
problem-run-weights-missing = die Gewichte dieses Laufs sind nicht auf diesem Rechner
advice-download-backbone-on-experiment = wähle den Backbone auf der Seite Experiment und lade ihn dort herunter, dann versuche es noch einmal
problem-no-prediction = die Experten haben keine Vorhersage geliefert
problem-image-pixel-count = die Pixeldaten dieses Bildes passen nicht zu seiner Größe
problem-backbone-file-missing = die Gewichtsdatei dieses Backbones fehlt
advice-copy-file-or-choose-backbone = kopiere die Datei dorthin, oder wähle einen anderen Backbone
problem-trial-stopped = bei { $percent } % des Trainings angehalten
problem-preset-not-found = eine Vorlage namens „{ $name }“ gibt es nicht
advice-one-of-names = nimm eine von { $names }
problem-too-many-images-unreadable = zu viele Bilder lassen sich nicht mehr lesen ({ $lost } von { $images }): { $what }
advice-restore-images-and-resume = mach Datenträger oder Ordner wieder verfügbar, dann setze den Lauf fort: Er macht ab der letzten fertigen Epoche weiter
problem-no-image-readable = keines der Bilder ließ sich lesen
advice-restore-disk-and-resume = mach Datenträger oder Ordner wieder verfügbar, dann setze den Lauf fort
problem-stopped-run-has-added-tasks = diesem Lauf wurden Tasks hinzugefügt, nachdem er beendet worden war, darum lässt er sich nicht fortsetzen
advice-undo-added-tasks = nimm seine hinzugefügten Tasks zurück, dann setze ihn fort
problem-run-finished = dieser Lauf ist schon fertig
advice-start-new-run = beginne einen neuen Lauf; `lae-studio runs` zeigt diesen an
problem-reading-images-failed = das Lesen der Bilder schlug fehl
problem-table-images-changed = die Tabelle enthält jetzt andere Bilder
advice-predict-folder-again = klassifiziere den Ordner noch einmal
problem-no-prediction-table = das ist keine Tabelle von Vorhersagen: { $error }
problem-no-image-in-folder = in diesem Ordner ist kein Bild
advice-choose-image-folder = wähle einen Ordner mit Bildern, oder mit Unterordnern voller Bilder
problem-table-stopped = das Schreiben der Tabelle wurde beendet
problem-too-few-predictions = die Experten haben zu wenige Vorhersagen geliefert
problem-joint-method-cannot-add = { $title } lernt alle Klassen auf einmal aus allen Bildern, darum kann keine Klasse hinzukommen
advice-use-run-of-other-method = füge den Task einem Lauf einer anderen Methode hinzu
problem-no-finished-task = dieser Lauf hat noch keinen Task abgeschlossen
advice-resume-until-first-task = setze ihn fort, bis sein erster Task fertig ist
advice-undo-added-task-or-train = nimm einen früheren hinzugefügten Task zurück, oder trainiere einen neuen Lauf mit anderen Einstellungen
problem-dataset-has-new-classes = der Datensatz hat Klassen, die er beim Start dieses Laufs nicht hatte: { $names }
problem-dataset-lacks-classes = dem Datensatz fehlen Klassen, die er beim Start dieses Laufs hatte: { $names }
problem-dataset-classes-changed = die Klassen des Datensatzes haben sich geändert, seit dieser Lauf begann: { $missing } fehlen, { $new } sind neu
advice-restore-classes = stelle die früheren Klassen wieder her, oder wähle mit --data den Ordner, der sie hat; für neue Klassen trainiere einen neuen Lauf
problem-test-images-changed = die Testbilder des Datensatzes haben sich seit dem Training dieses Laufs geändert
problem-added-task-single-class = { $title } lernt einen hinzugefügten Task, indem es seine Klassen unterscheidet, aber dieser hat nur eine
advice-add-second-class = füge eine zweite Klasse hinzu (Bilder einer Klasse, die der Lauf schon kennt, genügen), oder füge die Klasse einem Lauf einer Methode hinzu, die eine einzelne annimmt, etwa LAE, SimpleCIL oder RanPAC
problem-single-class-needs-dataset = { $title } lernt eine einzelne Klasse im Vergleich mit Trainingsbildern des Laufs, aber { $why }
advice-restore-dataset-or-add-class = stelle den Datensatz des Laufs am ursprünglichen Ort und im ursprünglichen Stand wieder her, oder füge eine zweite Klasse hinzu
problem-added-task-too-many-images = es wurden { $pictures } Bilder angegeben, aber ein hinzugefügter Task nimmt höchstens { $most_pictures }
advice-use-fewer-images = nimm weniger Bilder, oder trainiere mit allen einen neuen Lauf
problem-features-no-principal-components = diese Merkmale haben keine Hauptkomponenten
problem-no-attention-maps = der letzte Block des Netzes hat keine Aufmerksamkeitskarten
problem-no-test-image-readable = kein Testbild dieses Laufs lässt sich lesen
problem-training-images-changed = die Trainingsbilder dieses Datensatzes haben sich seit dem Training dieses Laufs geändert
advice-restore-images-or-train = stelle die früheren Bilder wieder her, oder trainiere einen Lauf mit den jetzigen
problem-single-class-learned = bis zu diesem Task war nur eine Klasse gelernt, und die Prüfung braucht mindestens zwei
advice-choose-later-task = wähle einen späteren Task
problem-too-few-images-for-folds = es gibt zu wenige Trainingsbilder für eine Kreuzvalidierung
advice-images-for-folds = nimm mindestens { $folds } Trainingsbilder, und mindestens zwei je Klasse
problem-kept-images-missing = von den { $kept }, die dieser Lauf aus früheren Tasks behält, sind { $found } nicht zu finden
problem-exemplars-without-dataset = { $title } lernt { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbilder
} des Laufs noch einmal, aber der Datensatz des Laufs ist nicht verfügbar
problem-exemplars-changed = { $title } lernt { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbilder
} des Laufs noch einmal, aber die Trainingsbilder seines Datensatzes haben sich seit dem Training geändert
advice-restore-dataset = stelle den Datensatz des Laufs am ursprünglichen Ort und im ursprünglichen Stand wieder her
problem-training-state-missing = der gesicherte Trainingsstand dieses Laufs fehlt: Er beginnt wieder mit seinem ersten Task
advice-tasks-trained-again = es ist nichts zu tun; gesicherte Tasks werden noch einmal trainiert, auf der CPU mit demselben Ergebnis
problem-method-lacks-setting = { $title } hat keine Einstellung „{ $key }“
advice-put-in-grid-part = setze sie in einen eigenen Teil der Versuchsreihe, in dem alle Methoden sie haben
problem-setting-not-found = keine Methode hat eine Einstellung „{ $key }“
problem-grid-rows-not-comparable = keine zwei Zeilen dieser Versuchsreihe unterscheiden sich in den Einstellungen einer einzigen Methode
advice-give-several-values = gib einer Einstellung mehrere Werte: base_lr = [0.005, 0.01, 0.02]
problem-too-few-training-steps = { $budget } Trainingsschritte reichen für { $title } nicht
advice-steps-needed = eine seiner Konfigurationen braucht { $steps }
problem-run-not-identified = dieser Lauf ließ sich nicht bestimmen
advice-check-weight-file = prüfe, ob sich die Gewichtsdatei lesen lässt, und versuche es noch einmal
problem-grid-not-found = es gibt keine Versuchsreihe namens „{ $wanted }“
problem-continues-with-fewer-images = { $out_of_memory }: Der Lauf macht weiter und nimmt { $images } zugleich
advice-continues-from-last-epoch = es ist nichts zu tun: Er macht ab seiner letzten gesicherten Epoche mit demselben Ergebnis weiter
advice-restart-with-smaller-batches = starte das Programm neu und setze den Lauf fort: Ab seiner letzten gesicherten Epoche verarbeitet er { $images } zugleich statt { $at_once }, mit demselben Ergebnis
problem-pet-too-large-to-measure = ein PET mit { $values } ist zu groß, um hier gemessen zu werden
advice-choose-smaller-defaults = wähle kleinere Standardgrößen
problem-run-note-unreadable = Name, Tags und Notiz dieses Laufs lassen sich nicht lesen: { $wrong }
advice-enter-note-again = gib sie noch einmal ein; der Lauf selbst ist nicht betroffen
problem-not-written = das lässt sich nicht schreiben: { $error }
problem-added-task-number = dieser hinzugefügte Task war Task { $task }, aber der Lauf hat { $after } davor
advice-move-added-tasks-folder = verschiebe den Ordner `{ $added_folder }` an einen anderen Ort, um den Lauf ohne seine hinzugefügten Tasks zu öffnen
problem-added-task-unreadable = dieser hinzugefügte Task lässt sich nicht lesen: { $why }
advice-restore-or-move-folder = stelle ihn aus einer Kopie wieder her, oder verschiebe seinen Ordner
problem-added-task-newer-version = dieser hinzugefügte Task stammt von einer neueren Version von LAE Studio
advice-use-newer-version = öffne ihn mit dieser Version
problem-added-task-images-changed = die Bilder dieses hinzugefügten Tasks sind nicht die, mit denen er trainiert wurde
advice-restore-run-folder = stelle den ursprünglichen Inhalt des Ordners wieder her
problem-arrival-file-invalid = diese Datei legt nicht fest, wie Klassen gelernt werden: { $message }
advice-move-file-and-answer = verschiebe sie an einen anderen Ort und wähle noch einmal, wie die Klassen gelernt werden
problem-answer-unwritten = die Antwort lässt sich nicht schreiben: { $error }
problem-checkpoint-counter-unreadable = der Zähler „{ $name }“ des Zwischenstands fehlt oder ist nicht lesbar
advice-train-again = trainiere noch einmal mit denselben Einstellungen
problem-checkpoint-incomplete = dem Zwischenstand fehlt { $name }
problem-no-checkpoint = diese Datei ist kein Zwischenstand eines Laufs
advice-finished-tasks-usable = die fertigen Tasks des Laufs lassen sich weiter verwenden; trainiere den Lauf noch einmal, um die übrigen zu bekommen
advice-give-list-or-none = gib den Pfad einer Liste an, oder none
problem-no-list-of-corrections = das ist keine Liste korrigierter Labels: { $message }
advice-correct-or-move-list = korrigiere sie, oder verschiebe sie, um die ursprünglichen Labels zu verwenden
problem-corrected-labels-locked = ein anderes Programm ändert gerade die korrigierten Labels
advice-retry-when-finished = versuche es noch einmal, wenn es fertig ist
problem-corrected-labels-unwritten = die korrigierten Labels lassen sich nicht schreiben: { $error }
problem-extension-not-exportable = die Endung dieser Datei ist kein Exportformat
advice-use-export-extension = nimm .csv, .md, .tex, .svg, .pdf, .png oder .html
problem-run-figure-not-found = eine Abbildung `{ $name }` von Läufen gibt es nicht
problem-figure-shows-one-run = diese Abbildung zeigt einen Lauf, angegeben wurden { $several }
advice-name-run-or-latest = gib den Namen des Laufs an, oder `latest`
problem-figure-not-drawn = die Abbildung lässt sich nicht zeichnen: { $error }
advice-save-as-svg = speichere sie stattdessen als SVG
advice-check-disk-and-resume = prüfe den Datenträger, dann setze den Lauf fort; alles bisher Gesicherte bleibt erhalten
problem-run-in-use = ein anderes Programm verwendet gerade diesen Lauf
advice-wait-or-stop-there = warte, bis es fertig ist, oder beende es dort zuerst
problem-task-unsaved = Task { $task } ließ sich nicht sichern: { $rows } frühere Tasks sind gesichert
advice-delete-folder-manually = lösche diesen Ordner von Hand; der Lauf ist ohne ihn vollständig
problem-run-folder-is-link = ein Ordner des Laufs wurde durch einen Link ersetzt
advice-replace-link-with-folder = ersetze den Link durch den Ordner selbst, dann setze den Lauf fort
problem-no-run-with-finished-task = keiner dieser Läufe hat einen fertigen Task
advice-export-after-first-task = exportiere einen Lauf, sobald sein erster Task fertig ist
problem-run-reading-internal-error = beim Lesen dieses Laufs trat ein interner Fehler auf
advice-move-run-folder = verschiebe seinen Ordner; die anderen Läufe sind nicht betroffen
problem-run-not-found = es gibt keinen Lauf namens „{ $wanted }“
problem-run-name-ambiguous = „{ $wanted }“ passt auf { $several } Läufe
advice-type-more-of-name = gib mehr vom Namen an: { $several }
problem-run-exists = dieser Lauf ist schon vorhanden: { $run }
advice-delete-existing-run = lösche zuerst den vorhandenen Lauf, um ihn neu auszupacken
problem-packed-by-newer-version = dieser Lauf wurde mit einer neueren Version von LAE Studio gepackt
problem-packed-run-rejected = dieser gepackte Lauf wurde abgelehnt: { $why }
advice-get-packed-run-again = hole ihn noch einmal von dort, wo er gepackt wurde
problem-packed-run-damaged = dieser gepackte Lauf ist beschädigt: { $error }
problem-added-task-not-packed = ein hinzugefügter Task lässt sich nicht packen: { $error }
problem-run-in-use-not-packed = dieser Lauf wird gerade verwendet und lässt sich jetzt nicht packen
problem-run-metrics-unwritten = die Kennzahlen des Laufs lassen sich nicht schreiben: { $error }
problem-run-unreadable = der Lauf lässt sich nicht lesen: { $error }
problem-run-not-packed-why = der Lauf lässt sich nicht packen: { $other }
problem-run-not-packed = der Lauf lässt sich nicht packen: { $error }
problem-run-changed-while-packing = der Lauf änderte sich, während er gepackt wurde: { $name } ist jetzt anders
advice-pack-again = packe ihn noch einmal
problem-copying-images-stopped = das Kopieren der Bilder wurde beendet
problem-image-changed-since-learned = dieses Bild hat sich geändert, seit es gelernt wurde
problem-added-task-test-image = dieser hinzugefügte Task hat kein Testbild { $index }
problem-run-is-file = das ist eine Datei, nicht der Ordner eines Laufs
advice-unpack-run-first = gib den Ordner oder den Namen eines Laufs an; entpacke einen gepackten Lauf zuerst mit `lae-studio unpack`
problem-folder-without-run = dieser Ordner enthält keinen Lauf (er hat keine run.toml)
advice-list-runs = führe `lae-studio runs` aus, um die Läufe aufzulisten
problem-built-in-plugin-name = es gibt ein eingebautes Plugin namens { $name }
advice-rename-or-replace-plugin = gib diesem Plugin einen anderen Namen, oder erlaube, das eingebaute zu ersetzen
problem-notes-unwritten = die Notizen lassen sich nicht schreiben: { $error }
advice-restore-provenance-file = stelle die Datei aus einer Kopie wieder her; ohne sie funktioniert der Lauf, aber es lässt sich weniger prüfen
problem-provenance-unwritten = die Herkunft des Laufs lässt sich nicht schreiben: { $error }
problem-queue-not-saved = die Warteschlange wird nicht gesichert, wenn dieses Fenster geschlossen wird
advice-close-other-window = ein anderes Fenster sichert dort seine eigene Warteschlange; schließe es zuerst
problem-queue-unwritten = die Warteschlange lässt sich nicht schreiben: { $error }
problem-queued-runs-unreadable = einige wartende Läufe lassen sich nicht lesen
advice-queue-again = stelle sie noch einmal in die Warteschlange
problem-run-metadata-unwritten = die Angaben zum Lauf lassen sich nicht schreiben: { $error }
advice-restore-damaged-file = stelle diese beschädigte Datei aus einer Kopie wieder her, oder trainiere den Lauf noch einmal
problem-run-newer-version = dieser Lauf wurde mit einer neueren Version von LAE Studio erstellt
problem-snapshot-not-described = ein Zwischenstand lässt sich nicht beschreiben: { $error }
problem-snapshot-other-file = der Zwischenstand von Task { $task } beruht auf einer anderen Datei als dieser
problem-no-saved-task = kein Task ist gesichert
problem-run-column-not-found = es gibt keine Spalte `{ $key }` für Läufe
advice-use-metric-or-setting = nimm eine Kennzahl ({ $figures }), oder eine Einstellung mit dem Namen wie bei `train`
problem-condition-too-long = eine Bedingung mit { $text } Zeichen ist zu lang
advice-limit-characters = nimm höchstens { $longest }
problem-condition-no-comparison = `{ $shown }` ist kein Vergleich
advice-write-condition = schreibe zum Beispiel `final > 85` oder `method = l2p`
problem-condition-side-missing = `{ $shown }` fehlt eine Seite
problem-condition-needs-number = `{ $value }` ist keine Zahl, aber { $name } braucht eine
advice-give-percentage = gib einen Prozentwert an, zum Beispiel `final > 85`
problem-group-by-metric = { $figure } ist eine Kennzahl, aber Zeilen lassen sich nur nach Einstellungen gruppieren
advice-group-by-setting = nimm dort eine Einstellung, und Kennzahlen in --columns
problem-no-row-with-value = es gibt keine Zeile, deren Läufe alle `{ $text }` haben
advice-use-value-of-columns = nimm einen Wert einer der Spalten in --by
problem-several-rows-with-value = es gibt mehrere Zeilen, deren Läufe alle `{ $text }` haben
advice-narrow-row-condition = füge mit `and` eine Bedingung hinzu, die nur eine Zeile erfüllt
problem-table-columns-not-exportable = eine Tabelle mit gewählten Spalten lässt sich nicht als Abbildung oder Bericht exportieren
advice-use-table-extension = nimm die Endung .csv, .md oder .tex, oder lass --by, --columns, --sort, --against und --published weg
problem-run-table-unwritten = eine Tabelle lässt sich nicht schreiben: { $error }
problem-run-table-damaged = diese Tabelle des Laufs ist beschädigt: { $why }
advice-restore-or-train-again = stelle sie aus einer Kopie wieder her, oder trainiere den Lauf noch einmal
problem-added-task-unwritten = der hinzugefügte Task lässt sich nicht schreiben: { $error }
problem-no-added-task = dieser Lauf hat keinen hinzugefügten Task, der sich zurücknehmen ließe
problem-run-is-link = dieser Lauf ist ein Link auf einen Ordner anderswo
advice-delete-linked-folder = lösche den Ordner, auf den er zeigt, oder entferne den Link selbst
problem-run-queued = dieser Lauf steht in der Warteschlange, um fortgesetzt zu werden
advice-remove-from-queue = nimm ihn erst aus der Warteschlange, dann lösche ihn
problem-no-deleted-run = das ist kein gelöschter Lauf
advice-list-deleted-runs = führe `lae-studio restore` aus, um die gelöschten Läufe aufzulisten
problem-trash-is-link = der Papierkorb wurde durch einen Link ersetzt
advice-remove-trash-link = entferne den Link, dann lösche den Lauf noch einmal
problem-method-not-found = eine Methode „{ $key }“ gibt es nicht
advice-one-of-values = nimm eine von { $value }
problem-setting-value-invalid = { $given } ist kein gültiger Wert der Einstellung „{ $setting }“
advice-use-range = gib { $range } an
problem-setting-assignment-invalid = „{ $text }“ setzt keinen Wert
advice-write-key-value = schreibe SCHLÜSSEL=WERT, zum Beispiel --set length=5
problem-method-needs-pet = diese Methode braucht ein PET-Plugin
advice-two-classes-per-task = gib jedem Task mindestens zwei Klassen: --classes-per-task { $sizes }
advice-freeze-fewer-epochs = friere weniger Epochen ein: { $place } { $usual }
problem-too-many-frozen-epochs = es sind mehr Epochen eingefroren, als es gibt
advice-limit-frozen-epochs = wähle eine Zahl bis --epochs
problem-precision-not-trainable = { $title } trainiert die Gewichte des Backbones selbst, was in { $key } nicht möglich ist
advice-choose-f32-or-method = wähle f32, oder eine Methode, die den Backbone nicht trainiert
problem-network-not-saved = das Netz nach Task { $tasks } wurde nicht gesichert
advice-choose-last-task = wähle den letzten Task des fertigen Laufs, oder trainiere mit --set keep_weights=every
problem-esn-needs-class-token = das Task-Token von ESN braucht einen Backbone mit Klassentoken, und das hat nur ein ViT
advice-choose-vit-or-method = wähle einen ViT, oder eine andere Methode
problem-no-class-token = dieser Backbone hat kein Klassentoken
problem-no-orthogonal-vector = es ließ sich kein neuer Vektor von { $name } ziehen, der zu den früheren orthogonal ist
advice-start-run-again = starte diesen Lauf noch einmal
problem-coda-prompt-length = CODA-Prompt braucht Blöcke und eine gerade Länge: die Hälfte sind Schlüssel, die Hälfte Werte
problem-components-fewer-than-tasks = { $components } lassen sich nicht auf { $tasks } verteilen
advice-use-or-more = gib { $tasks } oder mehr an
problem-components-exceed-channels = { $pool } Komponenten mit { $width } Kanälen können nicht alle orthogonal sein
advice-use-or-fewer = gib { $width } oder weniger an
problem-coda-prompt-unused-components = { $unused } der { $pool } Komponenten von CODA-Prompt bleiben ungenutzt: Jeder von { $tasks } Tasks bekommt { $share }
advice-divide-components-evenly = nimm { $unused } oder { $share }, das lässt sich gleichmäßig verteilen
problem-no-block-for-prompts = { $setting } enthält Block { $block }, aber der Backbone hat { $depth } Blöcke
problem-block-with-both-prompts = Block { $block } kann nicht zugleich einen allgemeinen Prompt und einen Experten-Prompt haben
advice-separate-g-and-e-blocks = wähle verschiedene Blöcke für g_blocks und e_blocks
problem-dualprompt-needs-e-prompts = DualPrompt braucht Experten-Prompts mit Blöcken, Plätzen und einer Länge
problem-g-prompts-without-length = allgemeine Prompts brauchen eine Länge
problem-l2p-needs-prompt-pool = L2P braucht einen Vorrat an Prompts mit Token, und mindestens einen Prompt je Bild
problem-top-k-exceeds-pool = ein Bild kann nicht { $top_k } von { $pool } nehmen
advice-smaller-top-k = gib { $pool } oder weniger an, oder einen größeren Vorrat
problem-prompts-need-class-token = die Prompts von { $title } brauchen einen Backbone mit Klassentoken, und das hat nur ein ViT
advice-use-block-numbers = nimm Blocknummern von 0 bis { $depth }
problem-nothing-learned = noch wurde nichts gelernt
problem-batch-empty = ein Batch hat keine Bilder
problem-backbone-not-downloaded = es gibt keine Datei { $name }, und das gleichnamige Repository des Model Hub wurde nicht heruntergeladen
advice-download-backbone = korrigiere den Pfad oder lade das Repository herunter: mit `lae-studio train` oder mit dem Knopf „Herunterladen“ unter Experiment
problem-backbone-values-missing = weder die Gewichtsdatei noch eine config.json daneben enthält { $values }
advice-give-backbone-values = lege die config.json (und preprocessor_config.json) des Modells neben die Datei oder gib die Werte an, zum Beispiel --backbone-set heads=12,normalisation=imagenet
problem-backbone-value-invalid = { $what } ist keine Angabe zu einem Backbone
advice-backbone-values = gib Paare an wie heads=16,activation=quick_gelu,normalisation=imagenet,interpolation=bicubic,crop_ratio=0.9; mean und std sind drei Zahlen (0.5:0.5:0.5)
problem-mean-without-std = mean und std müssen zusammen angegeben werden
problem-backbone-value-of-table = der Eintrag des Backbones { $name } in der Tabelle legt { $what } schon fest
advice-own-backbone-entry = füge einer Tabelle von Backbones einen eigenen Eintrag hinzu oder wähle die Gewichtsdatei
problem-model-description-unreadable = die Beschreibung des Modells ist kein gültiges JSON: { $error }
problem-transform-unsupported = diese Bildvorbereitung wird nicht unterstützt: { $why }
problem-backbone-not-found = es gibt keinen Backbone namens { $name }
advice-give-backbone-or-file = gib einen Namen der Tabelle an, oder den Pfad einer Gewichtsdatei
problem-no-backbone-chosen = es ist kein Backbone gewählt
advice-choose-built-in-backbone = wähle einen Backbone, zum Beispiel { $embedded }, der eingebaut ist
problem-weights-not-found = die Gewichte von { $name } wurden nicht gefunden
advice-correct-backbone-path = korrigiere den Pfad der Datei in der Tabelle der Backbones
problem-hash-changed = { $what }: Sie unterscheidet sich von der zuerst heruntergeladenen Datei
advice-hash-changed = wenn der Herausgeber die Änderung bestätigt, lösche { $place } und lade sie noch einmal herunter
problem-download-no-weight-file = der Download von { $url } ist keine Gewichtsdatei: { $what }
advice-download-on-other-computer = versuche es später noch einmal; ohne Internetzugang lade sie auf einem anderen Rechner herunter und gib diese Datei als Backbone an
problem-weights-hash-mismatch = die Gewichte von { $name } sind nicht die erwarteten: Ihr SHA-256 ist { $sha256 }, erwartet { $known }
advice-delete-file-and-hash = lösche die Datei und lade sie noch einmal herunter; geschieht das wieder und bestätigt der Herausgeber die Änderung, lösche auch { $place }
advice-delete-and-download-again = lösche die Datei und lade sie noch einmal herunter, oder verwende sie als eigene Gewichtsdatei
problem-weights-memory-short = die { $weights } Gewichte des Netzes brauchen { $needed } MB Speicher, aber nur { $free } MB sind frei
advice-specify-smaller-network = gib die Maße eines kleineren Netzes an
problem-backbone-table-unreadable = die Tabelle der Backbones lässt sich nicht lesen: { $message }
advice-correct-table-line = korrigiere diese Zeile; die Einträge der anderen Tabellen bleiben verfügbar
advice-shorten-entry-name = gib dem Eintrag einen kürzeren Namen
problem-backbone-entry-unreadable = der Eintrag des Backbones { $name } lässt sich nicht lesen: { $why }
advice-correct-backbone-entry = korrigiere den Eintrag (siehe docs/backbones.md)
problem-backbone-entry-invalid = der Eintrag des Backbones { $name } ist nicht gültig: { $why }
problem-weight-file-damaged = die Gewichtsdatei ist beschädigt: { $name } enthält { $holds }
advice-get-weight-file-again = kopiere oder lade die Datei noch einmal
problem-backbone-weight-missing = dem Backbone fehlt das Gewicht { $name }
problem-backbone-weight-shape = das Gewicht { $name } des Backbones hat die Form { $found }, nicht { $shape }
advice-choose-matching-backbone = wähle den Backbone, für den diese Gewichte gemacht sind, oder wähle die Datei selbst als Backbone, um seine Maße aus ihr zu lesen
problem-position-embedding-grid = das Positions-Embedding ist auf { $grid }×{ $grid } Bildstücke trainiert; diese Bilder haben { $columns }×{ $rows }
problem-position-biases-window = die Biases der relativen Positionen sind für Fenster von { $side }×{ $side } Token trainiert; diese Bilder haben Fenster von { $columns }×{ $rows }
problem-parameter-without-gradient = { $name } hat keinen Gradienten erhalten
problem-tensor-not-found = einen Tensor { $name } gibt es nicht
problem-folder-is-no-weight-file = das ist ein Ordner, keine Gewichtsdatei
advice-choose-weight-file-format = wähle eine Datei .safetensors, .pth, .pt, .ckpt, .bin oder .npz
problem-weights-in-shards = die Gewichte sind auf mehrere Dateien verteilt, was nicht unterstützt wird
advice-save-one-weight-file = speichere sie in einer Datei, mit transformers: model.save_pretrained(folder, max_shard_size="100GB")
problem-weight-file-unusable = das ist keine brauchbare Gewichtsdatei: { $why }
advice-choose-usable-weight-file = wähle eine .safetensors-Datei, ein PyTorch-State-Dict (.pth, .pt, .ckpt, .bin) oder ein originales ViT-.npz; wurde sie heruntergeladen, lade sie noch einmal herunter
advice-fetch-with-git-lfs = führe `git lfs pull` im Repository aus, oder lade die Datei selbst von der Seite des Repositorys herunter
advice-download-file-not-page = lade die Datei selbst herunter: Öffne ihre Adresse in einem Browser, um dich anzumelden oder ihre Lizenz anzunehmen
problem-precision-prediction-only = Gewichte in { $kept } lassen sich weder trainieren noch exportieren
advice-train-in-f32 = trainiere einen Lauf in f32
problem-backbone-lacks-feature = dieser Backbone unterstützt { $what } nicht
advice-choose-vit-with-class-token = wähle einen ViT mit Klassentoken
problem-family-unknown = { $name } ist keine bekannte Familie von Backbones
advice-known-families = bekannte Familien: { $names }
problem-weight-file-family-unknown = die Gewichtsdatei passt zu keiner bekannten Familie ({ $titles }); ihre Tensoren sind { $names }
advice-choose-known-family = wähle Gewichte einer dieser Familien mit den Tensornamen von timm
problem-weight-file-several-networks = die Gewichtsdatei enthält mehr als ein Netz: ihre ersten Tensoren sind { $names }
advice-save-one-state-dict = speichere das State-Dict eines Netzes mit torch.save, oder wähle eine Datei, die nur ein Netz enthält
problem-family-not-exportable = Modelle mit einem { $family }-Backbone lassen sich noch nicht nach PyTorch exportieren
problem-dimensions-inconsistent = diese Maße von { $title } passen nicht zusammen: { $wrong }
advice-specify-real-dimensions = gib die Maße eines vorhandenen Netzes an; eine Eingabe von 224 Pixeln ist üblich
problem-epsilon-out-of-range = das Epsilon der Layer-Norms ist { $epsilon } und liegt nicht zwischen 0 und 1
advice-usual-epsilon = 1e-6 und 1e-5 sind üblich
problem-grid-runs-failed = { $n ->
    [one] { $n } Lauf der Versuchsreihe ließ
   *[other] { $n } Läufe der Versuchsreihe ließen
} sich nicht abschließen
advice-fix-first-error = behebe den ersten Fehler: { $what }; die Zeilen der gescheiterten Läufe zeigen die anderen
problem-epoch-not-saved = diese Epoche ließ sich nicht sichern, das Training geht weiter: { $what }
problem-run-unchanged = { $what }; der Lauf wurde nicht geändert
problem-map-without-axes = die Achsen der Merkmalskarte sind noch nicht berechnet
problem-search-row-incomplete = keine Zeile dieser Suche ist vollständig
advice-see-run-errors = sieh in den Zeilen ihrer Läufe nach den Fehlern, dann starte dieselbe Suche noch einmal
problem-engine-stopped = die Engine wurde beendet
problem-single-class-task = Task { $task } hat eine einzige Klasse: Der Verlust wird über die Klassen eines Tasks berechnet, darum wird dort nichts gelernt
problem-single-class-tasks = die Tasks { $tasks } haben je eine einzige Klasse: Der Verlust wird über die Klassen eines Tasks berechnet, darum wird dort nichts gelernt
problem-only-epoch-frozen = ab dem zweiten Task ist die einzige Epoche eingefroren, darum lernt das PET nichts
problem-all-epochs-frozen = ab dem zweiten Task sind alle { $n } Epochen eingefroren, darum lernt das PET nichts
advice-use-micro-batch = nimm --micro-batch { $images }, das mit weniger Speicher dasselbe Ergebnis hat
advice-smaller-backbone-or-cpu = wähle einen kleineren Backbone, oder trainiere auf der CPU (--device cpu)
problem-task-without-training-images = Task { $task } hat keine Trainingsbilder
problem-task-without-test-images = Task { $task } hat keine Testbilder
advice-add-training-images = füge Trainingsbilder für seine Klassen hinzu
advice-add-test-images = gib jeder seiner Klassen mehr Bilder, oder Testbilder, wenn der Datensatz welche mitbringt
problem-weights-mismatch = die Gewichtsdatei passt nicht zu diesem { $family }-Backbone; Tensoren: { $faults }
problem-weights-of-other-family = die Gewichtsdatei passt nicht zu diesem { $family }-Backbone: Sie enthält ein { $other }-Netz; Tensoren: { $faults }
problem-cpu-without-bf16 = diese CPU unterstützt keine Multiplikation in bf16 (dazu braucht es AVX512-BF16, AMX oder die bf16-Befehle von Arm)
problem-gpu-without-bf16 = { $name } unterstützt Gewichte in f32 und f16; bf16 gibt es nur auf der CPU
advice-choose-f32 = wähle f32
advice-choose-f16-or-cpu = wähle f16, oder --device cpu
problem-f32-on-cpu = die Gewichte des Backbones bleiben f32, wofür die CPU-Kernel gemacht sind
problem-f32-on-gpu = die Gewichte des Backbones bleiben f32: Diese GPU unterstützt halbe Genauigkeit nicht richtig
advice-train-on-gpu = lass die Angabe weg, oder trainiere auf einer GPU
advice-train-on-other-gpu = lass die Angabe weg, oder trainiere auf einer anderen GPU
problem-learning-data-older-version = die Daten, die { $title } für einen weiteren Task braucht, fehlen: Eine ältere Version des Programms hat den Lauf abgeschlossen
problem-learning-data-run-stopped = die Daten, die { $title } für einen weiteren Task braucht, fehlen: Der Lauf wurde vorzeitig beendet
advice-train-run-again = trainiere den Lauf noch einmal mit denselben Einstellungen
advice-resume-then-add-task = setze den Lauf bis zu seinem Ende fort, dann füge den Task hinzu
problem-cannot-learn-another-task = { $title } kann jetzt keinen weiteren Task lernen: { $what }
problem-no-room-for-task = { $title } hat keinen Platz für einen weiteren Task: { $what }
advice-remove-method-setting = entferne sie: Diese Methode hat keine eigenen Einstellungen
advice-list-method-settings = ihre Einstellungen sind { $keys }
problem-network-saved-every-task = das ganze Netz wird nach jedem Task gesichert (jedes Mal { $megabytes } MB)
problem-network-saved-last-task = das Netz ({ $megabytes } MB) wird nur nach dem letzten Task gesichert, darum lassen sich Bilder nur mit diesem Stand klassifizieren
advice-save-last-network = --set keep_weights=last sichert nur das letzte
advice-save-every-network = --set keep_weights=every sichert es nach jedem Task
problem-weight-file-not-found = eine Gewichtsdatei { $name } gibt es nicht
advice-did-you-mean-plain = meinst du { $name }?
advice-give-weight-file-or-name = gib den Pfad einer Gewichtsdatei an, oder eines von { $names }
problem-no-loss-recorded = dieser Lauf hat keinen aufgezeichneten Verlust: Seine Methode trainiert nicht in Epochen, oder eine ältere Version hat ihn trainiert
advice-no-runs-yet = in { $root } gibt es noch keine Läufe
advice-existing-runs = vorhandene Läufe sind { $names }
problem-equation-too-long = { $called } hat mehr als { $most_letters } Zeichen
problem-parentheses-too-deep = Klammern sind mehr als { $deepest } Ebenen tief verschachtelt
problem-parenthesis-never-closed = diese `(` wird nie geschlossen
problem-equation-ends-early = { $called } endet nach `{ $shown }`
problem-equation-empty = { $called } ist leer
problem-not-a-number = `{ $shown }` ist keine Zahl
problem-equation-too-many-tokens = { $called } hat mehr als { $most_tokens } Namen und Zeichen
problem-character-not-allowed = `{ $letter }` ist in { $any } nicht erlaubt
problem-equation-too-many-steps = eine Gleichung hat höchstens { $most_steps } Schritte
problem-step-name-taken = der Name `{ $name }` eines Schritts ist schon vergeben
problem-step-unused = der Schritt `{ $name }` wird von keinem späteren Schritt verwendet
problem-equation-without-result = die Gleichung hat kein Ergebnis
problem-equation-returns-number = die Gleichung ergibt eine Zahl, wo ein Tensor gebraucht wird
problem-name-unknown = unbekannter Name `{ $name }`
advice-call-function = `{ $name }` ist eine Funktion: Schreibe { $name }(…)
problem-default-variant-name-taken = `{ $name }` ist schon der Name der Standardvariante
problem-plugin-too-many-variants = ein Plugin hat höchstens { $most_variants } Varianten
problem-plugin-parameter-not-found = einen Parameter `{ $name }` gibt es nicht
problem-equation-for-unlisted-site = es gibt eine Gleichung für `{ $key }`, das in `sites` nicht steht
problem-plugin-field-empty = { $what } ist leer
problem-site-without-equation = für die Stelle `{ $name }` gibt es keine Gleichung
advice-write-site-equation = schreibe `{ $name } = "…"` oder `{ $every } = "…"`
problem-function-unknown = unbekannte Funktion `{ $name }`
problem-function-argument-count = `{ $name }` nimmt { $takes }, bekam aber { $given }
advice-write-usage = schreibe { $usage }
problem-sites-not-offered-together = keine Familie von Backbones bietet diese Stellen zusammen
problem-parameter-shape-invalid = die Form von `{ $name }` in Block { $block } ist nicht gültig: { $reason }
problem-plugin-file-too-large = die Datei hat { $bytes } Bytes; ein Plugin darf höchstens { $most_bytes } haben
problem-toml-invalid = das ist kein gültiges TOML: { $message }
advice-compare-built-in-plugin = vergleiche es mit einem der eingebauten Plugins
problem-plugin-name-invalid = `name` muss 1 bis 40 Zeichen ohne Schrägstrich haben
problem-sites-empty = `sites` muss mindestens eine Stelle nennen
problem-site-listed-twice = die Stelle `{ $name }` ist zweimal genannt
problem-site-not-found = eine Stelle `{ $name }` gibt es nicht
problem-plugin-too-many-parameters = ein Plugin hat höchstens { $most_parameters } Parameter
advice-write-bias-shape = schreibe einen Bias aus d Kanälen als [1, "d"], eine einzelne Zahl als [1, 1]
problem-name-taken = der Name `{ $name }` ist vergeben: Er bedeutet { $owner }
advice-write-one-of = schreibe eines von { $value }
problem-plugin-too-many-constants = ein Plugin hat höchstens { $most_constants } Konstanten
problem-constant-range = die Konstante `{ $name }` braucht `min` und `max`, mit min ≤ default ≤ max
problem-shape-contains-zero = eine Form darf keine 0 enthalten
advice-shape-syntax = eine Form kann Größen, Zahlen, + - * / und Klammern enthalten
problem-number-expected = { $what } muss eine Zahl sein
problem-size-range = die Größe `{ $name }` braucht 1 ≤ min ≤ default ≤ max ≤ { $most_size }, nicht { $min }, { $default }, { $max }
problem-plugin-without-equation = das Plugin hat keine Gleichung
problem-parameter-unused = keine Gleichung verwendet den Parameter `{ $name }`
problem-variant-not-found = { $name } hat keine Variante `{ $name2 }`
problem-equation-result-shape = die Gleichung für `{ $name }` ergibt { $found }, aber gebraucht wird dort { $needed }, die Form von `{ $like }`
problem-equation-result-tokens = die Gleichung für `{ $name }` ergibt { $found }, aber gebraucht wird dort { $needed }, die Form von `{ $like }`, oder mehr Token
advice-tested-with-blocks = getestet mit Blöcken von { $name } mit { $width } Kanälen
advice-listed-sites = die genannten Stellen sind { $sets }
problem-plugin-parameters-too-large = das Plugin hat viel zu viele Parameter: mehr als { $value } Millionen in einem Block mit { $width } Kanälen
advice-use-smaller-sizes = nimm kleinere Größen, oder weniger Varianten
problem-equation-not-finite = die Gleichung für `{ $name }` ergibt Werte, die nicht endlich sind
advice-check-division-roots-exp = suche nach Divisionen durch 0, Wurzeln aus negativen Zahlen und exp von großen Zahlen
problem-not-readable = das lässt sich nicht lesen
problem-name-too-long = ein Name hat { $letters } Zeichen; die Grenze ist { $most }
problem-value-missing-before = vor `{ $shown }` fehlt ein Name oder eine Zahl
problem-comma-not-allowed = ein Komma ist nur zwischen Argumenten erlaubt
problem-operator-missing-before = vor `{ $shown }` fehlt ein Operator
problem-parenthesis-unmatched = zu dieser `)` gibt es keine `(`
advice-one-of = von
count-blocks = { $n ->
    [one] { $n } Block
   *[other] { $n } Blöcke
}
count-prompts = { $n ->
    [one] { $n } Prompt
   *[other] { $n } Prompts
}
count-tasks = { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
}
count-training-images = { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
}
count-values = { $n ->
    [one] { $n } Wert
   *[other] { $n } Werten
}
count-arguments = { $n ->
    [one] { $n } Argument
   *[other] { $n } Argumente
}

# Ein LoRA von peft als Anfang eines PETs
problem-adapter-shared-parameter = mehrere Schichten teilen sich „{ $parameter }“, aber der Adapter hat für jede andere Werte
advice-use-per-site-plugin = nimm ein Plugin mit per_site = true, etwa LoRA all
problem-adapter-no-matching-lora = { $pet } hat bei „{ $site }“ kein A und B, das der Adapter initialisieren könnte
advice-choose-lora-plugin = wähle LoRA, LoRA all oder ein Plugin mit h + e @ a @ b an dieser Stelle
problem-adapter-unreadable = { $file } lässt sich nicht lesen: { $error }
advice-choose-peft-folder = wähle den Ordner, in dem peft ein LoRA eines ViT gespeichert hat, mit adapter_config.json und adapter_model.safetensors
problem-adapter-kind = der Adapter ist { $kind }, aber ein PET kann nur mit einem einfachen LoRA beginnen
problem-adapter-trains-biases = der Adapter ist ein LoRA, das auch Biaswerte trainiert, aber ein PET kann nur mit einem einfachen LoRA beginnen
problem-adapter-field = der Adapter hat { $field } = { $value }, ist also vielleicht kein einfaches LoRA: Ein PET kann nur mit B · A samt alpha und Rang beginnen
advice-train-plain-lora = trainiere in peft ein einfaches LoRA, oder lass --pet-start weg
problem-adapter-no-matrix = { $name } ist keine Matrix
problem-adapter-ranks-differ = A und B von { $layer } haben verschiedene Ränge, { $a } und { $b }
problem-adapter-not-finite = { $layer } enthält Werte, die nicht endlich sind
problem-adapter-changes-nothing = der Adapter ändert keine lineare Schicht
problem-no-adapter-in-folder = dieser Ordner enthält keinen Adapter von peft
problem-adapter-channels = { $layer } hat im Adapter { $from } Eingangs- und { $to } Ausgangskanäle, im Backbone aber { $inputs } und { $outputs }
advice-choose-adapter-backbone = wähle den Backbone, auf dem der Adapter trainiert wurde
problem-adapter-rank = { $layer } hat im Adapter den Rang { $rank }, aber die Größe des PET ist { $size }
advice-use-adapter-rank = nimm --pet-size { $rank }
problem-pet-scale-zero = das PET multipliziert seine Änderung von { $layer } mit 0
advice-choose-other-scale = wähle mit --pet-set einen anderen Faktor
problem-adapter-layer-without-pet = der Adapter ändert { $layer }, wo dieser Lauf kein PET hat
advice-choose-blocks-and-pet = wähle die Blöcke mit --blocks und ein PET, das an denselben Schichten wirkt (LoRA all oder eine Kopie davon)
problem-adapter-site-without-pet = der Adapter ändert den Teil „{ $site }“ von { $layer }, das PET dieses Laufs aber nicht
advice-use-lora-all = nimm LoRA all oder eine Kopie davon mit diesen Stellen
problem-adapter-changed = der Adapter, mit dem das PET dieses Laufs begann, hat sich geändert
advice-restore-adapter = stelle die zwei Dateien des Adapters wieder her
problem-adapter-changed-while-copying = der Adapter wurde geändert, während er kopiert wurde
advice-train-when-not-written = trainiere noch einmal, wenn kein Programm mehr auf ihn schreibt

# Was für andere Programme geschrieben werden kann
problem-method-not-exportable = diese Methode lässt sich noch nicht für andere Programme exportieren: Ihre Vorhersagen brauchen mehr als Merkmale und Wertungen
advice-export-other-method = exportiere einen Lauf einer dieser Methoden: { $methods }
problem-export-path-exists = diesen Pfad gibt es schon, und er ist kein leerer Ordner
advice-choose-empty-folder = wähle einen neuen oder leeren Ordner
problem-export-without-pet = dieser Lauf hat kein PET, also gibt es nichts, was peft laden könnte
advice-use-torch-format = nimm --format torch, das jedes PET unterstützt
problem-export-not-lora = { $pet } ist kein LoRA, das peft laden kann: Bei „{ $site }“ ist seine Gleichung nicht h + scale * (e @ A @ B), oder es wirkt nicht auf eine lineare Schicht von timm
problem-export-not-onnx = „{ $name }“ in der Gleichung des PET lässt sich nicht nach ONNX exportieren
problem-export-onnx-too-large = dieses Netz ist zu groß für eine einzige ONNX-Datei

# iCaRL
problem-too-few-exemplars = { $budget ->
    [one] { $budget } Exemplar reicht
   *[other] { $budget } Exemplare reichen
} nicht für { $classes }: Klassen ohne Exemplar würden nie vorhergesagt
advice-use-more-exemplars = nimm mindestens --set exemplars={ $classes }
problem-replay-memory = bis zu { $images } aus früheren Tasks werden noch einmal gelernt (Replay), was andere Methoden nicht tun
advice-compare-with-replay-note = beachte beim Vergleich mit anderen Methoden, dass ein Teil des Unterschieds vom Replay kommt

problem-no-common-folder = diese Bilder haben keinen gemeinsamen Ordner
advice-one-drive-at-a-time = wähle nur Bilder von einem Laufwerk auf einmal

problem-cpu-instead = { $what }; stattdessen wird die CPU verwendet

# Dateien von Versuchsreihen.
problem-grid-too-many-runs = diese Versuchsreihe hat mehr als { $most } Läufe
advice-combine-fewer-values = kombiniere weniger Werte, oder teile die Versuchsreihe auf
advice-compare-built-in-grid = vergleiche sie mit einer eingebauten Versuchsreihe: `lae-studio grid NAME --text`
problem-grid-part-no-list = `part` ist keine Liste von Teilen
problem-grid-part-no-table = ein Teil ist keine Tabelle
advice-write-grid-parts = schreibe jeden Teil als [[part]], mit seinen Einstellungen darunter
problem-grid-too-many-parts = diese Versuchsreihe hat mehr als { $most } Teile
advice-give-lists-of-values = gib stattdessen Listen von Werten an: Eine Versuchsreihe rechnet alle ihre Kombinationen
problem-grid-part-without-title = dieser Teil hat keinen Titel
advice-add-part-title = füge einen `title` hinzu, der in den Namen seiner Zeilen vorkommt
problem-grid-parts-same-title = zwei Teile haben den Titel „{ $title }“
problem-grid-rows-same-title = zwei Zeilen haben den Titel „{ $title }“
advice-give-unique-title = gib jedem einen eigenen Titel
problem-grid-values-and-rows = `{ $name }` hat mehrere Werte und kommt auch in `rows` vor
problem-grid-same-runs = `{ $name }` hat mehrere Werte, beeinflusst die Ergebnisse aber nicht: Alle sind derselbe Lauf
advice-keep-one-value = behalte einen Wert
problem-grid-keys-exclusive = `{ $key }` und `{ $number }` lassen sich nicht zusammen verwenden
problem-grid-value-twice = `{ $name }` hat den Wert { $value } zweimal
advice-remove-one-of-them = entferne eines davon
problem-grid-settings-no-table = `settings` ist keine Tabelle mit Einstellungen der Methode
advice-write-settings-table = schreibe settings.ema = 0.999, oder schreibe sie unter [settings]
problem-grid-key-unknown = eine Versuchsreihe hat keinen Schlüssel `{ $name }`
problem-grid-rows-no-list = `rows` ist keine Liste von Zeilen
problem-grid-row-no-table = eine Zeile ist keine Tabelle mit Einstellungen
advice-write-as-example = schreibe { $example }
problem-grid-row-several-values = `{ $name }` hat mehrere Werte innerhalb einer Zeile
advice-move-next-to-rows = setze es neben `rows`: Dann wird es mit jeder Zeile kombiniert
problem-grid-no-number-of-runs = `{ $name }` ist keine Anzahl von Läufen
advice-give-whole-number = gib eine ganze Zahl von { $least } bis { $most } an
problem-key-no-string = `{ $key }` ist kein Text
advice-put-in-quotes = setze ihn in Anführungszeichen
problem-grid-setting-without-values = `{ $name }` hat keine Werte
advice-give-one-value = gib mindestens einen Wert an
problem-grid-value-unreadable = `{ $name }` hat einen ungültigen Wert
advice-grid-value-types = gib true oder false, eine endliche Zahl, zwei Zahlen oder einen Text an
problem-grid-value-invalid = { $value } ist kein gültiger Wert von `{ $name }`
advice-give-preset-name = gib den Namen einer Vorlage an; `lae-studio presets` nennt sie
advice-give-quoted-string = gib einen Text in Anführungszeichen an: { $meaning }
advice-give-range = erlaubt ist { $range }
advice-give-range-why = erlaubt ist { $range }; { $refused }

# Die Datei mit Orten.
advice-write-places = schreibe jeden Ort als [name], mit seinen Schlüsseln darunter: ssh = "host"
problem-too-many-places = es gibt mehr als { $most } Orte
advice-remove-some-places = entferne einige
problem-place-name-invalid = das ist kein gültiger Name eines Ortes
advice-place-name = nimm Buchstaben, Ziffern, - und _, höchstens 64
problem-place-no-table = `{ $name }` ist kein Ort
advice-write-place = schreibe einen Ort als [{ $name }], mit seinen Schlüsseln darunter
problem-place-without-host = der Ort `{ $name }` hat keinen Rechner
advice-add-host = füge ssh = "HOST" hinzu, mit HOST wie in `ssh HOST`, oder slurm = true
problem-place-key-unknown = ein Ort hat keinen Schlüssel `{ $name }`
advice-only-clusters-have-key = nur Cluster haben ihn: füge slurm = true hinzu, oder entferne ihn
problem-place-host-invalid = `ssh` ist kein Rechner
advice-give-host-only = gib nur den Rechner an, wie in `ssh HOST`; Ports und Schlüssel gehören in `options` oder ~/.ssh/config
problem-place-data-no-table = `data` ist keine Tabelle von Datensätzen
problem-place-data-no-path = das ist kein Pfad eines Datensatzes
problem-place-flag-invalid = `{ $key }` ist weder true noch false
advice-write-slurm-flag = schreibe slurm = true, und füge partition, time und gpus als eigene Schlüssel hinzu
advice-write-line-in-quotes = schreibe eine Zeile in Anführungszeichen
problem-place-no-list-of-strings = `{ $key }` ist keine Liste von Texten
problem-place-number-invalid = `{ $key }` ist keine gültige Zahl

# Fehler in Gleichungen eines Plugins.
problem-equation-part = `{ $part }`: { $why }
problem-count-not-whole = { $number } ist keine ganze Zahl
problem-shapes-not-broadcastable = { $a } { $sign } { $b } passt nicht: Größen müssen gleich oder 1 sein
problem-product-shapes-differ = { $a } mal { $b } passt nicht: { $reason }
problem-product-needs-matrices = beide Seiten brauchen Zeilen und Spalten
problem-product-inner-sizes = innere Größen { $a } und { $b }
problem-product-leading-sizes = vordere Größen { $a } und { $b }
problem-one-side-in-heads = eines von beiden ist in Köpfe geteilt
problem-heads-do-not-divide = { $channels } lassen sich nicht in { $heads } teilen
count-channels = { $n ->
    [one] { $n } Kanal
   *[other] { $n } Kanäle
}
count-heads = { $n ->
    [one] { $n } Kopf
   *[other] { $n } Köpfe
}
problem-already-in-heads = { $shape } ist schon in Köpfe geteilt
problem-tokens-not-joinable = { $a } und { $b } lassen sich nicht aneinanderhängen: Alle Größen außer der Zahl der Token müssen gleich sein
problem-join-heads-differ = { $a } und { $b } passen nicht: eines von beiden ist in Köpfe geteilt
problem-cut-outside-rows = { $shape } hat { $rows } Zeilen und lässt sich nicht bei { $n } teilen
problem-cut-outside-columns = { $shape } hat { $columns } Spalten und lässt sich nicht bei { $n } teilen
problem-kron-needs-matrices = kron braucht zwei Matrizen, keine Token
problem-kron-too-large = das Ergebnis von kron ist zu groß
problem-product-needs-tensors = `@` braucht Tensoren auf beiden Seiten
problem-function-needs-number = { $usage } braucht eine Zahl, wo ein Tensor angegeben ist
problem-function-needs-tensor = { $usage } lässt sich nicht auf eine Zahl anwenden
problem-dropout-share-invalid = { $share } ist kein gültiger Anteil für Dropout: er muss zwischen 0 und 1 liegen
problem-equation-memory = mit { $shape } braucht die Gleichung zu viel Speicher
problem-equation-multiplications = mit { $shape } braucht die Gleichung zu viele Multiplikationen

# Fehler in den anderen Werten eines Plugins. Der Besitzer ist das Plugin oder ein Teil davon.
problem-plugin-key-unknown = { $owner } hat keinen Schlüssel `{ $key }`
problem-plugin-key-missing = { $owner } braucht den Schlüssel `{ $key }`
problem-plugin-key-kind = { $owner }: { $key } muss { $wanted } sein, nicht { $found }
problem-plugin-value-kind = { $what } muss { $wanted } sein, nicht { $found }
problem-plugin-variant-key-missing = ein Plugin mit Varianten braucht den Schlüssel `variant`, den Namen seiner Standardvariante
plugin-part-plugin = das Plugin
plugin-part-key = `{ $key }`
plugin-part-entry = ein Eintrag von `{ $key }`
plugin-part-site = eine Stelle
plugin-part-size = Größe `{ $name }`
plugin-part-a-size = eine Größe
plugin-part-shape-entry = ein Eintrag einer Form
plugin-part-constant = Konstante `{ $name }`
plugin-part-the-constant = die Konstante `{ $name }`
plugin-part-parameter = Parameter `{ $name }`
plugin-part-variant = Variante `{ $name }`
plugin-part-variant-equations = `equations` der Variante `{ $name }`
plugin-part-equation = die Gleichung für `{ $key }`
plugin-part-step = der Schritt `{ $name }`
plugin-value-text = ein Text
plugin-value-quoted = ein Text in Anführungszeichen
plugin-value-number = die Zahl { $number }
plugin-value-count = eine ganze Zahl
plugin-value-flag = true oder false
plugin-value-date = ein Datum
plugin-value-list = eine Liste
plugin-value-brackets = eine Liste in eckigen Klammern
plugin-value-table = eine Tabelle
plugin-name-of-site-value = einen Wert an einer Stelle
plugin-name-of-block-size = eine Größe des Blocks
plugin-name-of-number = eine Zahl dieses Plugins
plugin-name-of-parameter = einen anderen Parameter
problem-shape-size-unknown = unbekannte Größe `{ $symbol }` in der Form: { $owner }
problem-shape-part-not-allowed = `{ $part }` ist in der Form nicht erlaubt: { $owner }
problem-shape-size-count = { $owner }: `shape` hat { $n ->
    [one] { $n } Größe
   *[other] { $n } Größen
}; Parameter haben 2
problem-shape-size-zero = `{ $text }` ist dort 0
problem-shape-size-invalid = `{ $text }` ist dort { $value }, was keine gültige Zahl von Zeilen oder Spalten ist
problem-size-differs-between-sites = `{ $symbol }` ist an seinen Stellen verschieden ({ $found }); gib dem Parameter per_site = true
problem-size-unknown = `{ $name }` ist unbekannt
problem-shared-shapes-differ = { $own }, in Block { $block } aber { $other }, und Blöcke können ihn sich nicht teilen
problem-pet-of-block-too-large = mit { $shape } ist das PET des Blocks zu groß
problem-name-invalid = `{ $name }` ist kein gültiger Name: nimm Buchstaben, Ziffern und _
problem-name-of-function = `{ $name }` ist der Name einer Funktion
problem-init-parenthesis-missing = bei `{ $text }` fehlt die schließende Klammer
problem-init-not-a-number = `{ $part }` in `{ $text }` ist keine Zahl
problem-init-invalid = `{ $text }` ist keine gültige Initialisierung

# Bilder und Stände, die nicht passen.
problem-image-channels = der Backbone braucht Bilder mit 3 Kanälen, diese haben { $channels }
problem-image-smaller-than-patch = Bilder von { $pixels } Pixeln sind kleiner als ein Patch von { $patch }
advice-choose-larger-input-size = wähle eine größere Eingabegröße
problem-image-not-divisible = Bilder von { $pixels } Pixeln lassen sich nicht in Patches von { $patch } zerlegen
advice-choose-multiple-as-input-size = wähle eine Eingabegröße, die ein Vielfaches von { $multiple } ist
problem-snapshot-rows-mismatch = dieser Stand hat Zeilen von { $name }, die nicht zum vorherigen passen
advice-restore-snapshot = stelle den Ordner des Laufs aus einer Sicherung wieder her, nimm den Stand eines anderen Tasks, oder trainiere noch einmal

# Training, Aufmerksamkeit und Prüfungen.
problem-epochs-too-large = die Zahl der Epochen ist zu groß
problem-regression-unsolvable = die Regression hat keine Lösung: Die Merkmale sind keine endlichen Zahlen
advice-use-smaller-first-rate = trainiere die erste Sitzung mit einer kleineren Lernrate
problem-attention-without-shares = die Aufmerksamkeit des PET ist kein gewichtetes Mittel der Patches, darum gibt es keine Anteile zu zeigen
problem-check-stopped = die Prüfung wurde abgebrochen
