# Die Seite Vorhersage.

predict-no-run = Noch kein Lauf zum Klassifizieren
predict-no-run-about = Trainiere zuerst einen Lauf; sobald sein erster Task gelernt ist, kannst du ihn benutzen
predict-set-up-experiment = Experiment einrichten
predict-still-learning = { $run } · lernt noch

# Das Bild.
predict-image = Bild
predict-source-choose = Wählen
predict-source-draw = Zeichnen
predict-with-run = Verwendeter Lauf
predict-run-choose = Lauf wählen
predict-run-kept = Dieser Lauf bleibt ausgewählt.
predict-run-follow = Dem neuesten Lauf folgen
predict-clear = Löschen
predict-undo = Rückgängig
predict-pen = Stift
predict-pen-width = Breite des Stifts
predict-open = Bild öffnen
predict-drop =
    Bilder hier ablegen oder einfügen,
    oder klicken und welche wählen
predict-choose = Wählen …
predict-paste = Einfügen
predict-image-path = Pfad eines Bildes, dann Eingabetaste
predict-image-file = Bilddatei
predict-true-class = Wahre Klasse: { $class }.
predict-network-input = Was das Netz sieht
predict-network-input-drawing = Auf { $size } × { $size } skaliert; die Zeichnung ist zentriert und so groß wie beim Training.
predict-network-input-crop = Auf { $size } × { $size } skaliert, mit mittlerem Ausschnitt wie beim Testen.
predict-samples = Beispiele
predict-samples-next = Weitere
predict-samples-about = Testbilder dieses Laufs; er wurde nie mit ihnen trainiert.
predict-samples-dataset-missing = Der Datensatz des Laufs wurde nicht gefunden.
predict-sample-of-class = Beispiel für { $class }

# Angeheftete Bilder.
predict-pin = Anheften
predict-pinned = Angeheftet
predict-pin-hint = Dieses Bild behalten und die Vorhersagen mehrerer Läufe vergleichen
predict-pin-sample = Das Beispiel für { $class } anheften
predict-pin-sample-done = Das Beispiel für { $class } ist angeheftet
predict-pins = Angeheftete Bilder
predict-pins-about = Was jeder Lauf nach Task { $task } vorhersagt, und die Wertung der Klasse des Bildes über die Tasks.
predict-pins-runs = Läufe: { $n }
predict-pins-all-runs = Alle Läufe mit diesen Klassen
predict-pins-most-runs = Höchstens { $n } Läufe werden nebeneinander gezeigt.
predict-pins-image = Angeheftetes Bild
predict-pins-image-of-class = Angeheftetes Bild von { $class }
predict-pins-predict-hint = Klicke, um dieses Bild zu klassifizieren
predict-pins-remove = Dieses Bild nicht mehr anheften
predict-pins-score = Wertung von { $class }: { $each }
predict-pins-share = { $share } nach Task { $task }

# Die Antwort.
predict-predicting = Wird klassifiziert …
predict-predicting-about = Das erste Bild dauert länger: Die Zwischenstände des Laufs werden geladen
predict-choose-image = Wähle ein Bild
predict-choose-image-about = Zeichne eines, leg eines ab, füge eines ein oder klicke auf ein Beispiel
predict-score = Wertung { $score }
predict-nearest = nächste Klasse: { $class }, Wertung { $score }
predict-correct = richtig
predict-correct-not-learned = richtig: { $class } ist noch nicht gelernt
predict-wrong = falsch: wahre Klasse { $class }
predict-predicted-image = Klassifiziertes Bild
predict-energy = Energie { $value }
predict-energy-of-ensemble = Die niedrigere der beiden Energien. Jeder Balken zeigt die größere Wertung der beiden Experten für diese Klasse; darum ergeben die Balken zusammen nicht unbedingt 100 %.
predict-more-certain = sicherer
predict-over-tasks = Dasselbe Bild, Task für Task
predict-over-tasks-score = Wertung von „{ $class }“, %
predict-over-tasks-first = { $class } wird erst in Task { $task } gelernt
predict-over-tasks-chart = Wertung der Klasse über die Tasks
predict-experts-differ = Warum die beiden sich unterscheiden
predict-experts-differ-first-task = Bisher gibt es nur einen Experten. Der Offline-Experte beginnt in Task 2 als seine Kopie.
predict-experts-differ-movement = Seit Task 1 hat sich das Online-PET um { $online } bewegt (relativer Abstand) und das Offline-PET um { $offline }. Ein PET, das sich weniger bewegt, vergisst weniger und lernt neue Klassen langsamer.
predict-experts-differ-average = Das Offline-PET ist ein langsames Mittel des Online-PETs: Es vergisst weniger und lernt neue Klassen langsamer.
predict-knowledge = Stand nach jedem Task
predict-play = Abspielen
predict-pause = Anhalten

# Warum ein Experte entschied.
predict-reason-alone = Nur ein Experte sagt vorher.
predict-reason-first = Erst ein Task ist gelernt, darum entscheidet der Online-Experte allein (zu { $online } sicher).
predict-reason-both-offline = Beide Experten sagen { $class } vorher. Der Offline-Experte ist sicherer ({ $offline } gegenüber { $online }).
predict-reason-both-online = Beide Experten sagen { $class } vorher. Der Online-Experte ist sicherer ({ $online } gegenüber { $offline }).
predict-reason-offline = Der Offline-Experte entschied ({ $offline }): Er sagt { $class } vorher, der Online-Experte eher { $other } ({ $online }).
predict-reason-offline-fresh = Der Offline-Experte entschied ({ $offline }): Er sagt { $class } vorher; der Online-Experte, der gerade { $learned } gelernt hat, eher { $other } ({ $online }).
predict-reason-online = Der Online-Experte entschied ({ $online }): Bei { $class } ist er sicherer als der Offline-Experte bei { $other } ({ $offline }).
predict-reason-online-fresh = Der Online-Experte entschied ({ $online }): Er hat gerade { $learned } gelernt und ist bei { $class } sicherer als der Offline-Experte bei { $other } ({ $offline }).
predict-reason-equal = Beide Experten sind bei { $class } gleich sicher.

# Keine davon.
predict-none = Keine davon
predict-none-allow = „Keine davon“ zulassen
predict-none-disallow = Immer eine Klasse vorhersagen
predict-none-above-limit = Keine davon: { $sign ->
    [energy] die Energie
   *[score] der Out-of-Distribution-Wert
} { $now } liegt über der Grenze { $limit }
predict-none-below-limit = Eine davon: { $sign ->
    [energy] die Energie
   *[score] der Out-of-Distribution-Wert
} { $now } liegt nicht über der Grenze { $limit }
predict-none-energy-about = Je niedriger die Energie, desto vertrauter das Bild. Sie ist das negative Logsumexp der Logits.
predict-none-score-about = Ohne Logits gibt es keine Energie. Der Out-of-Distribution-Wert ist dann 1 minus die Wertung der Vorhersage, ein schwächeres Signal.
predict-none-limit-about = Die Grenze lässt { $kept } von 100 Testbildern der bis dahin bekannten Klassen zu.
predict-none-later-rejected = { $n ->
    [one] Von { $n } Testbild noch nicht gelernter Klassen werden { $share } abgewiesen.
   *[other] Von { $n } Testbildern noch nicht gelernter Klassen werden { $share } abgewiesen.
}
predict-none-choose-earlier-task = Wähle einen früheren Task, um zu sehen, wie viele Bilder späterer Klassen abgewiesen werden.
predict-none-counting-rejected = Abgewiesene Bilder noch nicht gelernter Klassen werden gezählt.
predict-none-count-rejected = Abgewiesene Bilder späterer Klassen zählen
predict-none-known-rejected = { $n ->
    [one] Von { $n } Testbild bekannter Klassen werden { $share } zu Unrecht abgewiesen (mit einer Grenze aus anderen Bildern geprüft).
   *[other] Von { $n } Testbildern bekannter Klassen werden { $share } zu Unrecht abgewiesen (jedes mit einer Grenze aus anderen Bildern geprüft).
}
predict-none-limit-images-rejected = Von den Testbildern, die die Grenze bestimmen, werden { $n } von 100 ebenfalls abgewiesen; bei anderen Bildern kann der Anteil größer sein.
predict-none-images-used = Verwendet bis zu 300 Testbilder
predict-none-images-used-pause = Verwendet bis zu 300 Testbilder; der laufende Lauf wartet kurz
predict-none-limit-unknown = Die Grenze für „keine davon“ ist unbekannt: { $why }.
predict-none-too-few-images = es gibt zu wenige Testbilder
predict-none-measuring-limit = Testbilder werden gemessen, um die Grenze für „keine davon“ zu bestimmen
predict-none-limit-not-stored = Dieser Lauf hat keine Grenze für „keine davon“ gespeichert.
predict-none-find-limit = Grenze berechnen

# Viele Bilder in einer Tabelle.
predict-many-images = Viele Bilder
predict-many-choose-folder = Ordner klassifizieren …
predict-many-about = Schreibt eine Tabelle mit einer Zeile je Bild: die vorhergesagte Klasse und ihre Wertung, die zweite Klasse, und ob das Bild zu keiner der Klassen gehört.
predict-many-image-folder = Bilder
predict-many-image-folder-hint = Ein Ordner mit Bildern
predict-many-images-of-folder = { $n ->
    [one] { $n } Bild aus { $folder }
   *[other] { $n } Bilder aus { $folder }
}
predict-many-table = Tabelle
predict-many-table-hint = Pfad der Tabelle (.csv)
predict-many-all = Alle klassifizieren
predict-many-other-table = Eine andere Tabelle wird gerade geschrieben. Warte, bis sie fertig ist, oder beende sie.
predict-many-choose-image-folder = Ordner wählen …
predict-many-cancel = Abbrechen
predict-many-stop = Beenden
predict-many-stopped = Beendet; es wurde keine Tabelle geschrieben.
predict-many-preparing = Wird vorbereitet …
predict-many-progress = Klassifizierte Bilder
predict-many-done = { $n ->
    [one] { $done } von { $n } Bild
   *[other] { $done } von { $n } Bildern
}
# $count ist die letzte oder count-images.
predict-many-unreadable = { $count }, { $n } nicht lesbar
predict-many-show-by-class = Nach Klassen zeigen
predict-many-open-folder = Ordner öffnen
predict-many-copy-path = Pfad kopieren
predict-many-other-images = Andere Bilder

# Diese nach Klassen.
predict-sorted-by-class = { $n ->
    [one] { $n } Bild nach Klassen
   *[other] { $n } Bilder nach Klassen
}
predict-sorted-back = Zurück zu einem Bild
predict-sorted-all = alle
predict-sorted-limit = Keine davon: Out-of-Distribution-Wert über { $limit }, wie bei { $n } von 100 Bildern bekannter Klassen.
predict-sorted-filter = Bilder filtern
predict-sorted-filter-hint = Dateiname
predict-sorted-no-match = Keine Datei passt.
predict-sorted-save-table = Tabelle speichern
predict-sorted-images-moved = { $n ->
    [one] { $n } Bild verschoben
   *[other] { $n } Bilder verschoben
}
predict-sorted-table = Tabelle: { $name }
predict-sorted-table-moved = { $n ->
    [one] Tabelle: { $name }, { $n } Bild verschoben
   *[other] Tabelle: { $name }, { $n } Bilder verschoben
}
predict-sorted-least-confident = { $n ->
    [one] { $n } Bild, das unsicherste zuerst
   *[other] { $n } Bilder, die unsichersten zuerst
}
predict-sorted-more = Mehr zeigen ({ $n })
predict-sorted-previous-class = war { $class }
predict-sorted-nearest = nächste: { $class }
predict-sorted-prediction = { $name }: { $class }, Wertung { $score }
predict-sorted-move = Verschieben …
predict-sorted-move-image = { $name } verschieben
predict-sorted-full-prediction = Klicke, um die ganze Vorhersage zu sehen
predict-sorted-move-to = Verschieben nach
predict-sorted-unreadable = Nicht lesbar

# Ein Blick in den Lauf.
predict-inside = Im Innern des Laufs
predict-inside-about = Aufmerksamkeit, Merkmale, Energien, Bewegung der PETs
predict-inside-open = Hineinschauen
predict-inside-close = Schließen
predict-inside-attention = Wohin das Netz schaut
predict-inside-attention-no-image = Zeichne oder wähle ein Bild, um zu sehen, wohin das Netz schaut.
predict-inside-attention-computing = Wird berechnet …
predict-inside-feature-map = Karte der Testmerkmale
predict-inside-energies = Energien
predict-inside-pet-movement = Wie weit sich die PETs bewegt haben
predict-inside-no-pet = { $method } trainiert hier kein PET, also gibt es nichts zu messen.
predict-inside-processing = Testbilder werden verarbeitet …
predict-attention-about = Worauf das Klassentoken im letzten Block achtet, gemittelt über die Köpfe. Von dort bezieht das Klassentoken seine Merkmale.
predict-attention-feature-length = Das Merkmal dieses Netzes ist kein Klassentoken; statt der Aufmerksamkeit wird darum die Länge des Merkmals an jeder Stelle gezeigt.
predict-attention-pretrained = vortrainiert
predict-attention-computing = { $title }: wird berechnet
predict-attention-outside-image = { $share } nicht auf dem Bild
predict-attention-outside-image-hint = Auf dem Klassentoken selbst und auf Prompts und Prefixen
predict-attention-share = { $share } der Aufmerksamkeit
predict-attention-length = Länge { $value }
predict-attention-position = Zeile { $row }, Spalte { $column }: { $value }
predict-attention-highest = { $title }, am höchsten von { $rows } × { $columns } Stellen: { $each }
predict-attention-moved = { $share } der Aufmerksamkeit sind an eine andere Stelle gewandert.
predict-attention-lengths-changed = Die Längen haben sich um { $share } geändert.
predict-energies-no-logits = { $method } vergleicht Merkmale mit Prototypen oder zählt Stimmen: Ohne Logits gibt es keine Energie.
predict-energies-medians = Mediane { $new } neu, { $old } alt
predict-energies-median = Median { $value }
predict-energies-new-classes = farbig: Klassen dieses Tasks
predict-energies-old-classes = grau: Klassen älterer Tasks
predict-energies-bin = { $n } bei { $value }
predict-energies-empty = keine
predict-energies-described = Energien des Experten { $expert }, { $medians }. Klassen dieses Tasks: { $new }. Klassen älterer Tasks: { $old }
predict-map-about = { $n ->
    [one] Die Merkmale von { $n } Testbild, projiziert auf die ersten zwei Hauptkomponenten nach Task { $task } ({ $first } und { $second } der Varianz). Nahe Punkte sind für das Netz ähnlich.
   *[other] Die Merkmale von { $n } Testbildern, projiziert auf die ersten zwei Hauptkomponenten nach Task { $task } ({ $first } und { $second } der Varianz). Nahe Punkte sind für das Netz ähnlich.
}
predict-map-not-learned = { $class }: noch nicht gelernt
predict-map-correct = { $class }: richtig
predict-map-wrong = { $class }: als { $other } vorhergesagt
predict-map-legend = Hohl: noch nicht gelernt. Roter Ring: falsch klassifiziert. Klicke auf einen Punkt, um sein Bild zu öffnen.
predict-map-described = Karte der Testmerkmale nach Task { $task }
predict-map-position = { $class } bei { $x } / { $y }
predict-map-position-not-learned = { $class } bei { $x } / { $y }, noch nicht gelernt
predict-movement-about = Der Abstand des PET jedes Blocks von seinen Anfangswerten, im Verhältnis zu deren Norm. Ein PET, das sich weniger bewegt, vergisst weniger.
predict-movement-between = zwischen beiden
predict-movement-starts-as-copy = Das Offline-PET beginnt in Task 2 als Kopie.
predict-movement-block = Block { $n }
predict-movement-described = Block { $n }: { $each }

# Meldungen zu vorhergesagten und angehefteten Bildern, Tabellen und hinzugefügten Tasks.
predict-drawing = Zeichnung
predict-pins-fewer-tasks = { $n ->
    [one] erst { $n } Task
   *[other] erst { $n } Tasks
}
predict-pins-predicting = wird klassifiziert
predict-problem-weights-elsewhere = die Gewichte dieses Laufs liegen auf einem anderen Rechner
predict-problem-weights-elsewhere-advice = wenn du der Datei traust, wähle sie auf Experiment als Backbone und versuche es noch einmal
predict-problem-no-finished-task = dieser Lauf hat noch keinen Task fertig gelernt
predict-problem-paths-not-absolute = die Pfade von Bildern und Tabelle sind nicht absolut
predict-problem-paths-not-absolute-advice = gib absolute Pfade an
predict-problem-dataset-unopened = der Datensatz dieses Laufs ließ sich nicht öffnen
predict-problem-dataset-unopened-advice = der Grund steht in den Meldungen
predict-problem-training-changed = die Trainingsbilder dieses Datensatzes haben sich geändert, seit dieser Lauf aus ihnen gelernt hat
predict-problem-test-changed = die Bilder dieses Datensatzes haben sich geändert, seit dieser Lauf mit ihnen getestet wurde
predict-problem-test-changed-advice = stelle die ursprünglichen Bilder wieder her, um sie zu sehen; die Ergebnisse des Laufs bleiben, wie sie sind
predict-problem-run-not-listed = dieser Lauf steht nicht mehr in der Liste
predict-changes-saved = deine Änderungen stehen in den Spalten class und none_of_these der Tabelle { $table }
predict-table-written = Tabelle { $table } geschrieben
predict-table-written-advice = Vorhersage zeigt ihren Pfad und die Bilder nach Klassen
predict-added-task-queued = ein hinzugefügter Task dieses Laufs steht schon in der Warteschlange
predict-added-task-undone = hinzugefügter Task zurückgenommen: { $classes }
predict-added-task-undone-advice = der Lauf ist wieder wie vor dem hinzugefügten Task
predict-added-task-job = { $run } · lernt { $name }

# Bilder, Klasse für Klasse gesammelt.
predict-collect-name = Meine Bilder
predict-collect-class = Klasse { $n }
predict-collect-second-class = Füge eine zweite Klasse hinzu: Das Netz lernt, Klassen zu unterscheiden.
predict-collect-name-every-class = Gib jeder Klasse einen Namen.
predict-collect-duplicate-name = Zwei Klassen heißen { $name }.
predict-collect-one-more-image = { $name } braucht noch ein Bild.
predict-collect-two-images = { $name } braucht mindestens zwei Bilder.
predict-collect-image-unwritten = ein Bild ließ sich nicht schreiben: { $error }
predict-collect-too-many-images = eine Klasse kann höchstens { $n } Bilder haben
predict-collect-too-many-images-advice = lege einen Ordner mit mehr Bildern an und wähle ihn als Datensatz
predict-collect-saved = deine Bilder sind gespeichert
drafts-restored = aus dem letzten Fenster wiederhergestellt: { $what }
drafts-restored-where = gesammelte Bilder sind unter „Datensatz anlegen …“ in der Liste der Datensätze, die anderen auf der Seite Vorhersage
drafts-pinned-images = { $n ->
    [one] { $n } angeheftetes Bild
   *[other] { $n } angeheftete Bilder
}
drafts-collected-images = { $n ->
    [one] { $n } gesammeltes Bild
   *[other] { $n } gesammelte Bilder
}
drafts-moved-images = Bilder aus { $table }, die du in andere Klassen verschoben hast
drafts-images-unreadable = { $n ->
    [one] { $n } Bild lässt sich nicht mehr lesen
   *[other] { $n } Bilder lassen sich nicht mehr lesen
}
drafts-not-stored = nicht gespeicherte Bilder ließen sich nicht für den nächsten Start aufheben: { $why }
drafts-unreadable = die nicht gespeicherten Bilder des letzten Fensters lassen sich nicht lesen: { $why }
drafts-table-changed = im letzten Fenster wurden Bilder dieser Tabelle in andere Klassen verschoben, aber die Tabelle hat sich seitdem geändert

# Tabellen von Bildern.
predict-many-all-columns = Alle Spalten
predict-many-all-columns-hint = Auch die Vorhersage jedes Experten, der Out-of-Distribution-Wert und die fünf besten Klassen
predict-many-unfinished = Dieser Lauf hat bisher { $learned } von { $n } Klassen gelernt: Bilder der anderen Klassen werden falsch klassifiziert.
predict-sorted-by-run = Klassifiziert von { $run }, nach Task { $task }
predict-sorted-copy = Bilder in Ordner kopieren
predict-sorted-copy-hint = Kopiert jedes Bild in einen Unterordner, der wie seine Klasse heißt, in einem Ordner neben der Tabelle
predict-sorted-copied = { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} kopiert nach { $place }
