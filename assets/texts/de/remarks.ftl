# Was angenommen und unterwegs bemerkt wurde, was gerade geschieht und was ein Versuch ergab.

remark-with = { $first } { $more }
remark-joined = { $first }, { $rest }
remark-so-many = { $n } × { $what }
remark-file-why = { $file } ({ $why })
remark-corrected = Nach der Liste der berichtigten Beschriftungen: { $words }.
remark-labels-corrected = { $n ->
    [one] { $n } Beschriftung berichtigt
   *[other] { $n } Beschriftungen berichtigt
}
remark-pictures-left-out = { $n ->
    [one] { $n } Bild ausgeschlossen
   *[other] { $n } Bilder ausgeschlossen
}
remark-corrected-without-effect = { $n ->
    [one] { $n } Eintrag in der Liste der berichtigten Beschriftungen bewirkt nichts: Das Bild wurde entfernt oder ersetzt, oder die Klasse gibt es nicht.
   *[other] { $n } Einträge in der Liste der berichtigten Beschriftungen bewirken nichts: Die Bilder wurden entfernt oder ersetzt, oder die Klassen gibt es nicht.
}
remark-class-test-only = Die Klasse „{ $class }“ kommt nur in den Testbildern vor; { $n ->
    [one] ihr { $n } Bild wurde
   *[other] ihre { $n } Bilder wurden
} ausgeschlossen.
remark-test-drawn = Es gibt keine eigenen Testbilder: { $test } von { $n ->
    [one] { $n } Bild
   *[other] { $n } Bildern
} wurden als Testbilder zurückgehalten ({ $share } % jeder Klasse, gerundet, Startwert { $seed }).
remark-gaps-left = Unter den Testbildern ist keines von { $classes }, und zum Teilen gibt es zu wenige Trainingsbilder.
remark-gaps-filled = Unter den Testbildern war keines von { $classes }; { $n ->
    [one] { $n } Trainingsbild wurde
   *[other] { $n } Trainingsbilder wurden
} dorthin verschoben ({ $share } % jeder Klasse, Startwert { $seed }).
remark-validation = Zum Abstimmen wird alles an { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
} gemessen ({ $share } % jeder Klasse); { $test ->
    [one] das { $test } Testbild bleibt
   *[other] die { $test } Testbilder bleiben
} ungesehen.
remark-copies-unsought = Nach doppelten Bildern wurde nicht gesucht; sie können unter Trainings- und Testbildern sein.
remark-copies-moved = Damit alle Kopien eines Bildes auf derselben Seite liegen, { $n ->
    [one] wechselte { $n } Bild
   *[other] wechselten { $n } Bilder
} die Seite.
remark-near-copies-moved = Damit alle Kopien eines Bildes, auch fast gleiche, auf derselben Seite liegen, { $n ->
    [one] wechselte { $n } Bild
   *[other] wechselten { $n } Bilder
} die Seite.
remark-none-drawn = Von { $classes } ließ sich keines nehmen: Alle Bilder dort sind Kopien voneinander.
remark-near-copies = { $sets ->
    [one] { $sets } Gruppe
   *[other] { $sets } Gruppen
} fast gleicher Bilder ({ $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}: Serienaufnahmen, verkleinerte oder neu gespeicherte Bilder) gelten als Kopien, wenn Bilder aufgeteilt werden.
remark-near-copies-cut = Eine Gruppe hat höchstens { $most } Bilder; manche wären größer.
remark-two-labels = { $n ->
    [one] { $n } Bild hat
   *[other] { $n } Bilder haben
} mehr als eine Beschriftung: { $pairs }. Entferne die Kopien mit der falschen Beschriftung aus dem Datensatz; sonst zählt jede Vorhersage für ein solches Bild bei einer der Beschriftungen als falsch.
remark-two-labels-first = { $n ->
    [one] { $n } Bild hat
   *[other] { $n } Bilder haben
} mehr als eine Beschriftung; die ersten sind { $pairs }. Entferne die Kopien mit der falschen Beschriftung aus dem Datensatz; sonst zählt jede Vorhersage für ein solches Bild bei einer der Beschriftungen als falsch.
remark-no-class-names = In „{ $file }“ stehen nicht die { $n } Namen der Klassen: Die Klassen sind nummeriert.
remark-not-looked-at = Der Datensatz hat mehr als { $most } Dateien, darum wurde nicht nach beschädigten und doppelten Bildern gesucht; beschädigte werden beim Lesen übersprungen.
remark-dark = { $n ->
    [one] { $n } Bild hat 16 Bit je Kanal, nutzt
   *[other] { $n } Bilder haben 16 Bit je Kanal, nutzen
} davon aber nur { $bits } (größter Wert { $largest }), darum sieht das Netz sie fast schwarz. Trainiere mit --bit-depth { $depth }; der Lauf liest dann auch Bilder zum Vorhersagen so.
remark-clipped = { $n ->
    [one] { $n } Bild hat 16 Bit je Kanal, und seine
   *[other] { $n } Bilder haben 16 Bit je Kanal, und ihre
} Werte nutzen { $bits } Bit, mehr als --bit-depth { $depth }: Die hellsten Stellen werden weiß.
remark-test-classes-from = Die Klassen der Testbilder stammen aus { $file }.
remark-class-column = Die Spalte „{ $column }“ von „{ $file }“ wurde als Klasse genommen.
remark-from-list = Klassen und Aufteilung stammen aus „{ $file }“.
remark-from-lists = Klassen und Aufteilung stammen aus { $files }.
remark-not-unicode = „{ $file }“ ist nicht in UTF-8 geschrieben und wurde als Windows-1252 gelesen. Wenn Namen falsch aussehen, speichere die Tabelle als UTF-8.
remark-split-unread = Die Spalte „{ $column }“ von „{ $file }“ nennt keine Trainings- und Testbilder: Sie wurde nicht verwendet.
remark-list-unused = Nicht verwendet: { $why }. Die Klassen stammen aus einer anderen Quelle.
remark-guess-unused = Die Spalte „{ $column }“ von „{ $file }“ wurde nicht verwendet: Eine andere Liste nennt die Klassen.
remark-lists-agree = Die Ordner und { $files } nennen dieselben Klassen und dieselbe Aufteilung.
remark-lists-before-folders = Klassen oder Aufteilung in { $files } sind andere als die der Ordner: Die Ordner wurden nicht verwendet.
remark-lists-unused = In { $files } sind Bilder dieses Ordners genannt, aber nicht eindeutig ihre Klassen: Die Klassen stammen aus den Ordnern.
remark-two-labels-in-list = { $n ->
    [one] { $n } Bild hat
   *[other] { $n } Bilder haben
} in „{ $file }“ zwei Beschriftungen und { $n ->
    [one] wurde
   *[other] wurden
} ausgeschlossen: { $images }.
remark-without-split = Ausgeschlossen: { $n ->
    [one] { $n } Bild, das
   *[other] { $n } Bilder, die
} die Listen weder dem Training noch dem Test zuordnen.
remark-classless = Ausgeschlossen: { $n ->
    [one] { $n } Bild, das
   *[other] { $n } Bilder, die
} die Listen ohne Klasse nennen.
remark-splits-from-folders = Welche Bilder zum Trainieren und welche zum Testen da sind, sagen die Namen der Ordner.
remark-names-from-files = In den Listen sind die Klassen nur nummeriert; ihre Namen stammen aus dem Anfang der Dateinamen.
remark-names-from-paths = { $n ->
    [one] { $n } Ordnername kommt
   *[other] { $n } Ordnernamen kommen
} mehrmals vor: Diese Klassen heißen nach ihren Pfaden.
remark-unlisted = Nicht verwendet: { $n ->
    [one] { $n } Bild, das
   *[other] { $n } Bilder, die
} keine Liste nennt.
remark-validation-aside = Nicht verwendet: { $n ->
    [one] { $n } Validierungsbild
   *[other] { $n } Validierungsbilder
}, denn es gibt auch Testbilder.
remark-tested-only = Nur zum Testen: { $n ->
    [one] { $n } Bild, das die Listen auch zum Trainieren nennen.
   *[other] { $n } Bilder, die die Listen auch zum Trainieren nennen.
}
remark-teachable = Das ist ein Projekt von Teachable Machine; { $n ->
    [one] seine { $n } Klasse wurde
   *[other] seine { $n } Klassen wurden
} als Datensatz geladen.
remark-renamed = Manche Klassennamen sind nicht auf jedem System gültig und wurden geändert: { $classes }.
remark-renamed-one = „{ $from }“ als „{ $to }“
remark-folder-of = Der Ordner von „{ $file }“ wurde als Datensatz genommen.
remark-one-class = In „{ $folder }“ liegen nur Bilder, daneben weitere solche Ordner: Er wurde als eine Klasse genommen und „{ $parent }“ als Datensatz.
remark-one-split = „{ $folder }“ ist ein Teil eines Datensatzes: „{ $parent }“, worin beide Teile liegen, wurde geöffnet.
remark-single-folder = „{ $folder }“ enthält einen einzigen Ordner: „{ $inner }“ wurde als Datensatz genommen.
remark-masks-aside = Die Ordner neben „{ $inner }“ in „{ $folder }“ enthalten Masken: „{ $inner }“ wurde als Datensatz genommen.
remark-second-split = „{ $folder }“ wurde nicht verwendet: Es gibt auch Testbilder.
remark-without-classes = „{ $folder }“ wurde nicht verwendet: Der Ordner enthält { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} ohne Klasse.
remark-serves-as-test = „{ $folder }“ dient als Testbilder.
remark-beside-splits = „{ $folder }“ neben Training und Test wurde nicht verwendet ({ $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}).
remark-nested = { $n ->
    [one] { $n } Klassenordner hat
   *[other] { $n } Klassenordner haben
} eigene Unterordner: Die Bilder darin zählen zur Klasse.
remark-splits-inside = In den Klassenordnern liegen Ordner für Training und Test: So wurden sie genommen.
remark-domains = In { $folders } liegen dieselben Klassenordner: Sie wurden als Domänen genommen und zusammengelegt.
remark-files-left-out = { $n ->
    [one] { $n } Datei wurde
   *[other] { $n } Dateien wurden
} übersprungen; Einzelheiten zeigt `lae-studio data`
remark-left-out = { $n ->
    [one] { $n } Datei wurde
   *[other] { $n } Dateien wurden
} übersprungen: { $files }.
remark-of-backbone = angenommen für { $name }: { $what }

# Warum eine Datei ausgelassen wurde.
skip-untrained = ein Testbild einer Klasse ohne Trainingsbilder
skip-missing = fehlt im Datensatz
skip-cut-off = nach { $n ->
    [one] { $n } ganzen Datensatz
   *[other] { $n } ganzen Datensätzen
} abgeschnitten, { $rest ->
    [one] { $rest } Byte bleibt
   *[other] { $rest } Bytes bleiben
} übrig
skip-unknown-labels = { $n ->
    [one] { $n } Eintrag
   *[other] { $n } Einträge
} mit einer Beschriftung, die keine Klasse hat
skip-not-there = in Zeile { $line } von „{ $file }“ genannt, aber nicht im Ordner
skip-several-there = in Zeile { $line } von „{ $file }“ genannt, aber in mehreren Ordnern liegt ein Bild dieses Namens
skip-no-split = Zeile { $line } von „{ $file }“ ordnet es weder dem Training noch dem Test zu
skip-two-labels = eine Liste gibt ihm zwei Beschriftungen
skip-more-not-there = { $n } weitere Zeilen nennen Bilder, die nicht im Ordner sind
skip-no-class = die Zeile nennt keine Klasse
skip-foreign = Bilder im Format { $form } werden nicht unterstützt
skip-no-picture = kein Bild
skip-no-picture-ending = kein Bild (.{ $ending })
skip-beside-classes = ein Bild außerhalb der Klassenordner
skip-link-around = eine Verknüpfung mit einem übergeordneten Ordner des Datensatzes
skip-link-again = eine Verknüpfung mit einem Ordner, der schon gelesen ist
skip-link-nowhere = eine defekte Verknüpfung
skip-folder-unread = der Ordner ließ sich nicht lesen: { $error }
skip-folder-broke-off = die Liste der Dateien brach ab: { $error }
skip-kind-unread = der Dateityp ist nicht zu ermitteln
skip-too-deep = zu viele Ordner ineinander
skip-not-ordinary = keine gewöhnliche Datei
skip-archive-link = eine Verknüpfung oder besondere Datei im Archiv
skip-leads-out = der Pfad führt aus dem Archiv hinaus
skip-name-twin = ein anderer Ordner des Archivs heißt bis auf große und kleine Buchstaben gleich, und dieses System unterscheidet sie nicht
skip-name-impossible = kein gültiger Dateiname auf diesem System
skip-not-of-the-project = kein Bild einer Klasse des Projekts

# Was zu einem Datensatz passt.
suited = Für diese Daten gewählt, etwa { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} je Task: Batch { $batch }, { $epochs ->
    [one] { $epochs } Epoche
   *[other] { $epochs } Epochen
}.
suited-more-steps = Für diese Daten gewählt, etwa { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} je Task: Batch { $batch }, { $epochs ->
    [one] { $epochs } Epoche
   *[other] { $epochs } Epochen
}, mehr, wo ein Task weniger als { $steps ->
    [one] { $steps } Schritt
   *[other] { $steps } Schritte
} hat.

# Was eine Datei mit Gewichten nicht sagt.
network-random = zufällige Gewichte
network-on-trust = der erste Download war richtig: Ein veröffentlichter SHA-256 ist nicht bekannt, darum wird der Hash des ersten Downloads gespeichert und jeder spätere damit verglichen
network-input = Bilder von { $side }×{ $side } Pixeln
network-input-of-windows = Bilder von { $side }×{ $side } Pixeln, sodass die letzte Stufe ein Fenster ist
network-no-norm = keine Normierung nach dem Mittel über die Stellen, wie im veröffentlichten Code von LAE
network-heads = { $n ->
    [one] { $n } Kopf
   *[other] { $n } Köpfe
} mit { $channels ->
    [one] { $channels } Kanal
   *[other] { $channels } Kanälen
}, wie bei ViT üblich
network-gelu = GELU in ihrer genauen Form und Epsilon { $epsilon }; für CLIP von OpenAI gehört ein Eintrag mit activation "quick_gelu" in eine eigene Tabelle
network-pixels-as-they-are = nicht normierte Pixel in [0, 1], wie beim ViT von LAE
network-pixels-imagenet = Pixel mit Mittel und Streuung von ImageNet normiert

# Was über Bilder zu wissen ist, die ein Lauf dazulernt.
teach-few = Weniger als { $few } Trainingsbilder: { $classes }. Zehn oder mehr je Klasse geben verlässlichere Ergebnisse.
teach-untested = Keine Testbilder: { $classes }.
teach-known = Der Lauf kennt { $classes } schon; die neuen Bilder kommen zur Klasse hinzu.
teach-unmeasured = Das Vergessen früherer Klassen lässt sich nicht messen: { $why }.
teach-stopped = Der Lauf wurde in Task { $task } von { $of } beendet; der zusätzliche Task baut auf dem Task davor auf.
teach-repeated = { $n ->
    [one] Das Trainingsbild wird
   *[other] Jedes der { $n } Trainingsbilder wird
} in einer Epoche { $times ->
    [one] { $times }-mal
   *[other] { $times }-mal
} gezeigt, je { $batch } auf einmal, mit Schritten so groß wie im Lauf.
teach-copies-unsought = Nach Kopien der dazugelernten Bilder unter den Testbildern des Laufs wurde nicht gesucht.
teach-copies = { $n ->
    [one] { $n } Testbild des Laufs ist die Kopie eines hinzugefügten Bildes und wird ab jetzt ausgelassen.
   *[other] { $n } Testbilder des Laufs sind Kopien hinzugefügter Bilder und werden ab jetzt ausgelassen.
}

# Was gerade geschieht.
doing-more = { $what }: { $more }
doing-opening-data = der Datensatz wird geöffnet
doing-opening-data-of-run = der Datensatz des Laufs wird geöffnet
doing-opening-device = das Gerät wird geöffnet
doing-opening-backbone = der Backbone wird geöffnet
doing-loading-backbone = der Backbone wird geladen
doing-download = die Gewichte von { $name } werden heruntergeladen, { $done } MB
doing-download-of = die Gewichte von { $name } werden heruntergeladen, { $done } von { $of } MB
doing-counting = Kandidaten werden gezählt
doing-looking-for-runs = vorhandene Läufe werden aufgelistet
doing-waiting = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
} anderer Programme { $n ->
    [one] wird
   *[other] werden
} abgewartet
doing-trying = { $title } wird versucht, { $number } von { $of }
doing-answering = Vorhersagen nach Task { $task }
doing-comparing-pictures = die Bilder werden verglichen
doing-looking-at-files = die Dateien werden geprüft
doing-looking-at-pictures = die Bilder werden geprüft
doing-copying-pictures = die Bilder werden kopiert
doing-opening-earlier-pictures = die Bilder früher dazugelernter Tasks werden geöffnet
doing-looking-for-copies = unter den Testbildern werden Kopien des Gelernten gesucht
doing-carrying = { $n ->
    [one] { $n } Datei { $what } wird
   *[other] { $n } Dateien { $what } werden
} nach { $place } kopiert
carry-data = des Datensatzes
carry-backbone = des Backbones
carry-adapter = des Adapters
doing-reading-names = Namen werden gelesen
doing-checking-pictures = Bilder werden geprüft
doing-unpacking = Auspacken (MB)
doing-keeping = ausgepackte Dateien werden gespeichert
doing-packing = Packen
doing-writing-inputs = Eingaben werden geschrieben
doing-writing-pictures = Bilder werden geschrieben

# Was ein Versuch ergab, und was eine Suche.
trial-fewer-pictures = Damit es nicht lange dauert, wurden { $limit } von bis zu { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
} einer Klasse genommen, und ebenso viele zum Beurteilen.
trial-fewer-epochs = Damit es nicht lange dauert, hatte ein Task { $n ->
    [one] { $n } Epoche
   *[other] { $n } Epochen
} und nicht { $usual }: Methoden, die in Schritten lernen, kommen in einem Lauf vielleicht weiter.
trial-judged = Jede lernte aus { $n ->
    [one] { $n } Trainingsbild
   *[other] { $n } Trainingsbildern
} und wurde an { $judged } davon zurückgehaltenen beurteilt; eines davon sind { NUMBER($one, minimumFractionDigits: 1, maximumFractionDigits: 1) } %. Kein Testbild wurde angesehen.
trial-none-ended = Keine Methode wurde fertig.
trial-best = { $title } hat bei diesem Datensatz die besten Ergebnisse.
trial-level = { $title } hat die höchste Genauigkeit, aber der Unterschied zu { $others } ist für so wenige Bilder zu klein.
search-none-ended = { $title }: Von { $n ->
    [one] { $n } Zeile
   *[other] { $n } Zeilen
} ist keine vollständig; gewählt wurde deshalb keine.
search-best = { $title }: { $best } ist die beste von { $n ->
    [one] { $n } Zeile
   *[other] { $n } Zeilen
}, { NUMBER($mean, minimumFractionDigits: 1, maximumFractionDigits: 1) } % an zurückgehaltenen Bildern.
search-second = { $second } liegt { NUMBER($behind, minimumFractionDigits: 1, maximumFractionDigits: 1) } Punkte dahinter.
search-level = Kein klarer Unterschied zwischen { $best } und { $others }. Mehr Klassenreihenfolgen oder Startwerte können einen zeigen.
search-one-run = Kein klarer Unterschied zwischen { $best } und { $others } bei je einem Lauf. Nimm mehrere Klassenreihenfolgen oder Startwerte.
search-highest = { $setting } ist der höchste Wert, der versucht wurde; ein höherer kann besser sein.
search-lowest = { $setting } ist der niedrigste Wert, der versucht wurde; ein niedrigerer kann besser sein.
search-unranked = Ohne Rang, weil ein Lauf nicht abgeschlossen werden konnte: { $rows }.
