# Was angenommen und unterwegs bemerkt wurde, was gerade geschieht und was ein Versuch ergab.

remark-and-more = { $first } { $more }
remark-joined = { $first }, { $rest }
remark-times = { $n } × { $what }
remark-file-reason = { $file } ({ $why })
remark-corrected-labels = Aus der Liste der korrigierten Labels: { $words }.
remark-labels-corrected = { $n ->
    [one] { $n } Label korrigiert
   *[other] { $n } Labels korrigiert
}
remark-images-excluded = { $n ->
    [one] { $n } Bild ausgeschlossen
   *[other] { $n } Bilder ausgeschlossen
}
remark-corrections-without-effect = { $n ->
    [one] { $n } Eintrag in der Liste der korrigierten Labels bewirkt nichts: Das Bild wurde entfernt oder ersetzt, oder die Klasse gibt es nicht.
   *[other] { $n } Einträge in der Liste der korrigierten Labels bewirken nichts: Die Bilder wurden entfernt oder ersetzt, oder die Klassen gibt es nicht.
}
remark-class-only-in-test = Die Klasse „{ $class }“ kommt nur in den Testbildern vor; { $n ->
    [one] ihr { $n } Bild wurde
   *[other] ihre { $n } Bilder wurden
} ausgeschlossen.
remark-test-split-drawn = Es gibt keine eigenen Testbilder: { $test } von { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} wurden als Testbilder zurückgehalten ({ $share } % jeder Klasse, gerundet, Startwert { $seed }).
remark-test-classes-missing = Unter den Testbildern ist keines von { $classes }, und zum Aufteilen gibt es zu wenige Trainingsbilder.
remark-test-classes-filled = Unter den Testbildern war keines von { $classes }; { $n ->
    [one] { $n } Trainingsbild wurde
   *[other] { $n } Trainingsbilder wurden
} dorthin verschoben ({ $share } % jeder Klasse, Startwert { $seed }).
remark-test-share-without-effect = Der Testanteil hat keine Wirkung, weil die Daten eine Testaufteilung haben.
remark-validation-images = Zum Abstimmen beruhen alle Kennzahlen auf { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
} ({ $share } % jeder Klasse) als Validierungsbildern; { $test ->
    [one] das { $test } Testbild wird
   *[other] die { $test } Testbilder werden
} nicht verwendet.
remark-duplicates-not-searched = Nach doppelten Bildern wurde nicht gesucht; sie können unter Trainings- und Testbildern sein.
remark-copies-moved = Damit alle Kopien eines Bildes im selben Teil sind, { $n ->
    [one] wurde { $n } Bild
   *[other] wurden { $n } Bilder
} in den anderen Teil verschoben.
remark-near-copies-moved = Damit alle Kopien eines Bildes, auch fast gleiche, im selben Teil sind, { $n ->
    [one] wurde { $n } Bild
   *[other] wurden { $n } Bilder
} in den anderen Teil verschoben.
remark-classes-not-held-out = Von { $classes } wurden keine Bilder zurückgehalten: Alle ihre Bilder sind Kopien voneinander.
remark-single-images-not-held-out = Von { $classes } wurden keine Bilder zurückgehalten: Eine Klasse braucht dafür mindestens zwei Bilder.
remark-near-copies-as-copies = { $sets ->
    [one] { $sets } Gruppe
   *[other] { $sets } Gruppen
} fast gleicher Bilder ({ $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}: Serienaufnahmen, verkleinerte oder neu gespeicherte Bilder) gelten als Kopien, wenn Bilder aufgeteilt werden.
remark-near-copies-limited = Eine Gruppe hat höchstens { $most } Bilder; manche wären größer.
remark-images-with-two-labels = { $n ->
    [one] { $n } Bild hat
   *[other] { $n } Bilder haben
} mehr als ein Label: { $pairs }. Entferne die Kopien mit dem falschen Label aus dem Datensatz; sonst zählt jede Vorhersage für ein solches Bild bei einem seiner Labels als falsch.
remark-images-with-two-labels-first = { $n ->
    [one] { $n } Bild hat
   *[other] { $n } Bilder haben
} mehr als ein Label; die ersten sind { $pairs }. Entferne die Kopien mit dem falschen Label aus dem Datensatz; sonst zählt jede Vorhersage für ein solches Bild bei einem seiner Labels als falsch.
remark-class-names-missing = „{ $file }“ enthält die { $n } Namen der Klassen nicht: Die Klassen werden als Nummern gezeigt.
remark-images-not-checked = Der Datensatz hat mehr als { $most } Dateien, darum wurde nicht nach beschädigten und doppelten Bildern gesucht; beschädigte werden beim Lesen übersprungen.
remark-bit-depth-dark = { $n ->
    [one] { $n } Bild hat 16 Bit je Kanal, nutzt
   *[other] { $n } Bilder haben 16 Bit je Kanal, nutzen
} davon aber nur { $bits } (größter Wert { $largest }), darum sieht das Netz sie fast schwarz. Trainiere mit --bit-depth { $depth }; der Lauf liest dann auch Bilder zum Vorhersagen so.
remark-bit-depth-clipped = { $n ->
    [one] { $n } Bild hat 16 Bit je Kanal, und seine
   *[other] { $n } Bilder haben 16 Bit je Kanal, und ihre
} Werte nutzen { $bits } Bit, mehr als --bit-depth { $depth }: Die hellsten Stellen werden weiß.
remark-jpeg-without-end = { $n ->
    [one] { $n } JPEG-Bild hat keine Endmarke; es wird gelesen, wie es ist.
   *[other] { $n } JPEG-Bilder haben keine Endmarke; sie werden gelesen, wie sie sind.
}
remark-shards = Die Dateien von { $form } wurden in den Cache-Ordner entpackt; „{ $table }“ listet ihre Bilder auf.
remark-test-classes-from = Die Klassen der Testbilder stammen aus { $file }.
remark-class-column = Die Spalte „{ $column }“ von „{ $file }“ wurde als Klasse genommen.
remark-read-from-list = Klassen und Aufteilung stammen aus „{ $file }“.
remark-read-from-lists = Klassen und Aufteilung stammen aus { $files }.
remark-read-as-windows-1252 = „{ $file }“ ist nicht in UTF-8 geschrieben und wurde als Windows-1252 gelesen. Wenn Namen falsch aussehen, speichere die Tabelle als UTF-8.
remark-split-column-unused = Die Spalte „{ $column }“ von „{ $file }“ nennt keine Trainings- und Testbilder: Sie wurde nicht verwendet.
remark-list-unused = Nicht verwendet: { $why }. Die Klassen stammen aus einer anderen Quelle.
remark-class-column-unused = Die Spalte „{ $column }“ von „{ $file }“ wurde nicht verwendet: Eine andere Liste nennt die Klassen.
remark-lists-agree = Die Ordner und { $files } nennen dieselben Klassen und dieselbe Aufteilung.
remark-lists-override-folders = Klassen oder Aufteilung in { $files } sind andere als die der Ordner: Die Ordner wurden nicht verwendet.
remark-folders-override-lists = In { $files } sind Bilder dieses Ordners genannt, aber nicht eindeutig ihre Klassen: Die Klassen stammen aus den Ordnern.
remark-two-labels-in-list = { $n ->
    [one] { $n } Bild hat
   *[other] { $n } Bilder haben
} in „{ $file }“ zwei Labels und { $n ->
    [one] wurde
   *[other] wurden
} ausgeschlossen: { $images }.
remark-images-without-split = Ausgeschlossen: { $n ->
    [one] { $n } Bild, das
   *[other] { $n } Bilder, die
} die Listen weder dem Training noch dem Test zuordnen.
remark-images-without-class = Ausgeschlossen: { $n ->
    [one] { $n } Bild, das
   *[other] { $n } Bilder, die
} die Listen ohne Klasse nennen.
remark-splits-from-folders = Welche Bilder zum Trainieren und welche zum Testen da sind, sagen die Namen der Ordner.
remark-class-names-from-files = In den Listen sind die Klassen nur nummeriert; ihre Namen stammen aus dem Anfang der Dateinamen.
remark-classes-from-files = Es gibt keine Klassenordner; die Klassen von { $n } Bildern stammen aus ihren Dateinamen.
remark-class-names-from-paths = { $n ->
    [one] { $n } Ordnername kommt
   *[other] { $n } Ordnernamen kommen
} mehrmals vor: Diese Klassen heißen nach ihren Pfaden.
remark-images-not-listed = Nicht verwendet: { $n ->
    [one] { $n } Bild, das
   *[other] { $n } Bilder, die
} keine Liste nennt.
remark-validation-images-unused = Nicht verwendet: { $n ->
    [one] { $n } Validierungsbild
   *[other] { $n } Validierungsbilder
}, denn es gibt auch Testbilder.
remark-images-only-tested = Nur zum Testen: { $n ->
    [one] { $n } Bild, das die Listen auch zum Trainieren nennen.
   *[other] { $n } Bilder, die die Listen auch zum Trainieren nennen.
}
remark-images-only-trained = Nur zum Trainieren: { $n ->
    [one] { $n } Bild, das die Listen auch zum Testen nennen.
   *[other] { $n } Bilder, die die Listen auch zum Testen nennen.
}
remark-teachable = Das ist ein Projekt von Teachable Machine; { $n ->
    [one] seine { $n } Klasse wurde
   *[other] seine { $n } Klassen wurden
} als Datensatz geladen.
remark-renamed = Manche Klassennamen sind nicht auf jedem System gültig und wurden geändert: { $classes }.
remark-renamed-one = „{ $from }“ als „{ $to }“
remark-folder-as-dataset = Der Ordner von „{ $file }“ wurde als Datensatz genommen.
remark-folder-as-one-class = In „{ $folder }“ liegen nur Bilder, daneben weitere solche Ordner: Er wurde als eine Klasse genommen und „{ $parent }“ als Datensatz.
remark-parent-of-split-opened = „{ $folder }“ ist ein Teil eines Datensatzes: „{ $parent }“, worin beide Teile liegen, wurde geöffnet.
remark-inner-folder-as-dataset = „{ $folder }“ enthält einen einzigen Ordner: „{ $inner }“ wurde als Datensatz genommen.
remark-mask-folders-unused = Die Ordner neben „{ $inner }“ in „{ $folder }“ enthalten Masken: „{ $inner }“ wurde als Datensatz genommen.
remark-folder-unused-test-split = „{ $folder }“ wurde nicht verwendet: Es gibt auch Testbilder.
remark-folder-without-classes-unused = „{ $folder }“ wurde nicht verwendet: Der Ordner enthält { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} ohne Klasse.
remark-folder-as-test-split = „{ $folder }“ dient als Testbilder.
remark-folder-next-to-splits = „{ $folder }“ neben Training und Test wurde nicht verwendet ({ $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}).
remark-subfolders-in-classes = { $n ->
    [one] { $n } Klassenordner hat
   *[other] { $n } Klassenordner haben
} eigene Unterordner: Die Bilder darin zählen zur Klasse.
remark-splits-in-class-folders = In den Klassenordnern liegen Ordner für Training und Test: So wurden sie genommen.
remark-domains-merged = In { $folders } liegen dieselben Klassenordner: Sie wurden als Domänen genommen und zusammengelegt.
remark-files-skipped = { $n ->
    [one] { $n } Datei wurde
   *[other] { $n } Dateien wurden
} übersprungen; Einzelheiten zeigt `lae-studio data`.
remark-files-skipped-names = { $n ->
    [one] { $n } Datei wurde
   *[other] { $n } Dateien wurden
} übersprungen: { $files }.
remark-backbone-assumed = angenommen für { $name }: { $what }

# Warum eine Datei ausgelassen wurde.
skip-class-without-training-images = ein Testbild einer Klasse ohne Trainingsbilder
skip-missing-from-dataset = fehlt im Datensatz
skip-truncated = nach { $n ->
    [one] { $n } ganzen Datensatz
   *[other] { $n } ganzen Datensätzen
} abgeschnitten, { $rest ->
    [one] { $rest } Byte bleibt
   *[other] { $rest } Bytes bleiben
} übrig
skip-unknown-labels = { $n ->
    [one] { $n } Eintrag
   *[other] { $n } Einträge
} mit einem Label, zu dem es keine Klasse gibt
skip-listed-not-found = in Zeile { $line } von „{ $file }“ genannt, aber nicht im Ordner
skip-listed-ambiguous = in Zeile { $line } von „{ $file }“ genannt, aber in mehreren Ordnern liegt ein Bild dieses Namens
skip-line-without-split = Zeile { $line } von „{ $file }“ ordnet es weder dem Training noch dem Test zu
skip-two-labels = eine Liste gibt ihm zwei Labels
skip-more-listed-not-found = { $n } weitere Zeilen nennen Bilder, die nicht im Ordner sind
skip-line-without-class = die Zeile nennt keine Klasse
skip-format-unsupported = Bilder im Format { $form } werden nicht unterstützt
skip-no-image = kein Bild
skip-no-image-extension = kein Bild (.{ $ending })
skip-outside-class-folders = ein Bild außerhalb der Klassenordner
skip-link-to-parent = eine Verknüpfung mit einem übergeordneten Ordner des Datensatzes
skip-link-already-read = eine Verknüpfung mit einem Ordner, der schon gelesen ist
skip-link-broken = eine defekte Verknüpfung
skip-folder-unreadable = der Ordner ließ sich nicht lesen: { $error }
skip-folder-list-incomplete = die Liste der Dateien brach ab: { $error }
skip-file-type-unknown = der Dateityp ist nicht zu ermitteln
skip-too-deep = zu viele Ordner ineinander
skip-no-regular-file = keine gewöhnliche Datei
skip-archive-link = eine Verknüpfung oder besondere Datei im Archiv
skip-leads-out = der Pfad führt aus dem Archiv hinaus
skip-name-twin = ein anderer Ordner des Archivs heißt bis auf große und kleine Buchstaben gleich, und dieses System unterscheidet sie nicht
skip-name-impossible = kein gültiger Dateiname auf diesem System
skip-not-of-the-project = kein Bild einer Klasse des Projekts

# Was zu einem Datensatz passt.
remark-photographs = Diese Bilder sind Fotos: Das Backbone ist das eingebaute { $name }.
remark-settings-chosen = Für diese Daten gewählt (kleinste Klasse: { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbilder
}): Batch { $batch }, { $epochs ->
    [one] { $epochs } Epoche
   *[other] { $epochs } Epochen
}.
remark-settings-chosen-more-steps = Für diese Daten gewählt (kleinste Klasse: { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbilder
}): Batch { $batch }, { $epochs ->
    [one] { $epochs } Epoche
   *[other] { $epochs } Epochen
}, oder mehr, bis jeder Task { $steps ->
    [one] { $steps } Schritt
   *[other] { $steps } Schritte
} hat.

# Was eine Gewichtsdatei nicht sagt.
network-random = zufällige Gewichte
network-hash-of-first-download = der erste Download war richtig: Ein veröffentlichter SHA-256 ist nicht bekannt, darum wird der Hash des ersten Downloads gespeichert und jeder spätere damit verglichen
network-input-size = Bilder von { $side }×{ $side } Pixeln
network-input-single-window = Bilder von { $side }×{ $side } Pixeln, sodass die letzte Stufe ein Fenster ist
network-no-final-norm = keine Normierung nach dem Mittel über die Stellen, wie im veröffentlichten Code von LAE
network-heads = { $n ->
    [one] { $n } Kopf
   *[other] { $n } Köpfe
} mit { $channels ->
    [one] { $channels } Kanal
   *[other] { $channels } Kanälen
}, wie bei ViT üblich
network-exact-gelu = GELU in ihrer genauen Form und Epsilon { $epsilon }; für CLIP von OpenAI gehört ein Eintrag mit `activation = "quick_gelu"` in eine eigene Tabelle
network-pixels-unnormalised = nicht normierte Pixel in [0, 1], wie beim ViT von LAE
network-pixels-imagenet = Pixel mit Mittel und Streuung von ImageNet normiert

# Was über Bilder zu wissen ist, die ein Lauf dazulernt.
teach-few-images = Weniger als { $few } Trainingsbilder: { $classes }. Zehn oder mehr je Klasse geben verlässlichere Ergebnisse.
teach-no-test-images = Keine Testbilder: { $classes }.
teach-known-classes = Der Lauf kennt { $classes } schon; die neuen Bilder kommen zur Klasse hinzu.
teach-single-class = Eine einzelne Klasse wird im Vergleich mit den früheren Klassen gelernt; für jede von ihnen steht das mittlere Merkmal einiger ihrer Trainingsbilder, und nur die Gewichte der neuen Klasse werden trainiert.
teach-forgetting-unmeasured = Das Vergessen früherer Klassen lässt sich nicht messen: { $why }.
teach-run-was-stopped = Der Lauf wurde in Task { $task } von { $of } beendet; der hinzugefügte Task baut auf dem Task davor auf.
teach-images-repeated = { $n ->
    [one] Das Trainingsbild wird
   *[other] Jedes der { $n } Trainingsbilder wird
} in einer Epoche { $times ->
    [one] { $times }-mal
   *[other] { $times }-mal
} verwendet, in Batches von { $batch }, mit der Lernrate des Laufs.
teach-copies-not-searched = Nach Kopien der hinzugefügten Bilder unter den Testbildern des Laufs wurde nicht gesucht.
teach-copies-excluded = { $n ->
    [one] { $n } Testbild des Laufs ist die Kopie eines hinzugefügten Bildes und wird ab jetzt ausgeschlossen.
   *[other] { $n } Testbilder des Laufs sind Kopien hinzugefügter Bilder und werden ab jetzt ausgeschlossen.
}

# Was gerade geschieht.
doing-with-detail = { $what }: { $more }
doing-opening-dataset = der Datensatz wird geöffnet
doing-opening-run-dataset = der Datensatz des Laufs wird geöffnet
doing-opening-device = das Gerät wird geöffnet
doing-opening-backbone = der Backbone wird geöffnet
doing-loading-backbone = der Backbone wird geladen
doing-downloading-weights = die Gewichte von { $name } werden heruntergeladen, { $done } MB
doing-downloading-weights-of = die Gewichte von { $name } werden heruntergeladen, { $done } von { $of } MB
doing-counting-candidates = Kandidaten werden gezählt
doing-listing-runs = vorhandene Läufe werden aufgelistet
doing-waiting-for-runs = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
} in anderen Programmen { $n ->
    [one] wird
   *[other] werden
} abgewartet
doing-trying-method = { $title } wird ausprobiert, { $number } von { $of }
doing-predicting = Klassifizierung nach Task { $task }
doing-comparing-images = die Bilder werden verglichen
doing-checking-files = die Dateien werden geprüft
doing-checking-dataset-images = die Bilder werden geprüft
doing-copying-images = die Bilder werden kopiert
doing-opening-earlier-images = die Bilder früher hinzugefügter Tasks werden geöffnet
doing-measuring-earlier-classes = Bilder der früheren Klassen werden vermessen
doing-searching-copies = unter den Testbildern werden Kopien der hinzugefügten Bilder gesucht
doing-copying-files = { $n ->
    [one] { $n } Datei { $what } wird
   *[other] { $n } Dateien { $what } werden
} nach { $place } kopiert
copied-dataset = des Datensatzes
copied-backbone = des Backbones
copied-adapter = des Adapters
doing-reading-names = Namen werden gelesen
doing-checking-images = Bilder werden geprüft
doing-unpacking = Entpacken (MB)
doing-saving-files = entpackte Dateien werden gespeichert
doing-packing = Packen
doing-writing-inputs = Eingaben werden geschrieben
doing-writing-images = Bilder werden geschrieben

# Was ein Versuch ergab, und was eine Suche.
trial-fewer-images = Um Zeit zu sparen, wurden { $limit } von bis zu { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
} je Klasse verwendet, und höchstens ebenso viele zur Validierung.
trial-fewer-epochs = Um Zeit zu sparen, hatten die Tasks { $n ->
    [one] { $n } Epoche
   *[other] { $n } Epochen
} statt { $usual }; Methoden, die in Schritten lernen, können in einem vollständigen Lauf mehr erreichen.
trial-judged = Jeder Kandidat wurde mit { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
} trainiert und auf { $judged } zurückgehaltenen Trainingsbildern geprüft (je Bild { NUMBER($one, minimumFractionDigits: 1, maximumFractionDigits: 1) } %). Testbilder wurden nicht verwendet.
trial-none-finished = Kein Kandidat wurde fertig.
trial-best-method = { $title } hat bei diesem Datensatz die besten Ergebnisse.
trial-no-clear-best = { $title } hat die höchste Genauigkeit, aber bei so wenigen Bildern kann der Unterschied zu { $others } Zufall sein.
search-none-finished = { $title }: Von { $n ->
    [one] { $n } Zeile
   *[other] { $n } Zeilen
} hat keine alle Läufe beendet; darum wurde keine gewählt.
search-best-row = { $title }: { $best } hat die höchste Genauigkeit von { $n ->
    [one] { $n } Zeile
   *[other] { $n } Zeilen
}, { NUMBER($mean, minimumFractionDigits: 1, maximumFractionDigits: 1) } % auf zurückgehaltenen Bildern.
search-points-behind = { $second } liegt { NUMBER($behind, minimumFractionDigits: 1, maximumFractionDigits: 1) } Punkte dahinter.
search-no-clear-difference = Kein klarer Unterschied zwischen { $best } und { $others }. Mehr Klassenreihenfolgen oder Startwerte können einen zeigen.
search-one-run-each = Kein klarer Unterschied zwischen { $best } und { $others } bei je einem Lauf. Nimm mehrere Klassenreihenfolgen oder Startwerte.
search-highest-value = { $setting } ist der höchste ausprobierte Wert; ein höherer kann besser sein.
search-lowest-value = { $setting } ist der niedrigste ausprobierte Wert; ein niedrigerer kann besser sein.
search-rows-unranked = Ohne Rang, weil nicht alle Läufe fertig sind: { $rows }.
