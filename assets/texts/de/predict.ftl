# Die Seite Vorhersage.

predict-empty = Noch kein Lauf zum Vorhersagen
predict-empty-text = Trainiere zuerst einen Lauf; sobald sein erster Task gelernt ist, kannst du ihn benutzen
predict-empty-go = Experiment einrichten
predict-still-learning = { $run } · lernt noch

# Das Bild.
predict-image = Bild
predict-source-choose = Wählen
predict-source-draw = Zeichnen
predict-run = Lauf, der vorhersagt
predict-run-choose = Lauf wählen
predict-run-stays = Benutzt weiter diesen Lauf.
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
predict-path = Pfad eines Bildes, dann Eingabetaste
predict-file = Bilddatei
predict-class = Wahre Klasse: { $class }.
predict-seen = Was das Netz sieht
predict-seen-drawn = Auf { $size } × { $size } skaliert, die Zeichnung in die Mitte gerückt und so groß wie beim Training.
predict-seen-cut = Auf { $size } × { $size } skaliert und auf die Mitte beschnitten, wie beim Testen.
predict-samples = Beispiele
predict-samples-next = Weitere
predict-samples-about = Testbilder dieses Laufs; trainiert wurde er nie damit.
predict-samples-gone = Der Datensatz des Laufs wurde nicht gefunden.
predict-sample = Beispiel für { $class }

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
predict-pins-picture = Angeheftetes Bild
predict-pins-picture-of = Angeheftetes Bild von { $class }
predict-pins-ask = Klicke, um dieses Bild vorherzusagen
predict-pins-remove = Dieses Bild nicht mehr anheften
predict-pins-score = Wertung von { $class }: { $each }
predict-pins-share = { $share } nach Task { $task }

# Die Antwort.
predict-asking = Wird vorhergesagt …
predict-asking-text = Mit der ersten Vorhersage werden die Zwischenstände des Laufs geladen
predict-which = Welches Bild?
predict-which-text = Zeichne eines, lege eines ab, füge eines ein oder klicke auf ein Beispiel
predict-score = Wertung { $score }
predict-nearest = am nächsten { $class }, Wertung { $score }
predict-right = richtig
predict-right-unknown = richtig: { $class } ist noch nicht gelernt
predict-wrong = falsch: wahre Klasse { $class }
predict-answered = Vorhergesagtes Bild
predict-energy = Energie { $value }
predict-energy-ensemble = Die niedrigere der beiden Energien. Die Balken sind je Klasse die größere Wertung der beiden Experten; sie müssen zusammen nicht 100 % ergeben.
predict-more-certain = sicherer
predict-over-tasks = Dasselbe Bild, Task für Task
predict-over-tasks-score = Wertung von „{ $class }“, %
predict-over-tasks-first = { $class } wird erst in Task { $task } gelernt
predict-over-tasks-chart = Wertung der Klasse über die Tasks
predict-why = Warum die beiden sich unterscheiden
predict-why-first = Bisher gibt es nur einen Experten. Der Offline-Experte beginnt in Task 2 als seine Kopie.
predict-why-moved = Seit Task 1 hat sich das Online-PET um { $online } bewegt (relativer Abstand), das Offline-PET um { $offline }. Ein PET, das sich weniger bewegt, vergisst weniger und lernt neue Klassen langsamer.
predict-why-slowly = Das Offline-PET ist ein langsames Mittel des Online-PETs: Es vergisst weniger und lernt neue Klassen langsamer.
predict-knowledge = Wissen nach jedem Task
predict-play = Abspielen
predict-hold = Anhalten

# Warum ein Experte entschied.
predict-reason-alone = Nur ein Experte sagt vorher.
predict-reason-first = Erst ein Task ist gelernt, darum entscheidet der Online-Experte allein (zu { $online } sicher).
predict-reason-both-offline = Beide Experten sagen { $class }. Der Offline-Experte ist sicherer ({ $offline } gegen { $online }).
predict-reason-both-online = Beide Experten sagen { $class }. Der Online-Experte ist sicherer ({ $online } gegen { $offline }).
predict-reason-offline = Der Offline-Experte entschied ({ $offline }): Er sagt { $class }, der Online-Experte neigt zu { $other } ({ $online }).
predict-reason-offline-fresh = Der Offline-Experte entschied ({ $offline }): Er sagt { $class }; der Online-Experte, der gerade { $learned } gelernt hat, neigt zu { $other } ({ $online }).
predict-reason-online = Der Online-Experte entschied ({ $online }): Bei { $class } ist er sicherer als der Offline-Experte bei { $other } ({ $offline }).
predict-reason-online-fresh = Der Online-Experte entschied ({ $online }): Er hat gerade { $learned } gelernt und ist bei { $class } sicherer als der Offline-Experte bei { $other } ({ $offline }).
predict-reason-equal = Beide Experten sind bei { $class } gleich sicher.

# Keine davon.
predict-none = Keine davon
predict-none-say = „Keine davon“ zulassen
predict-none-never = Immer eine Klasse vorhersagen
predict-none-above = Keine davon: { $sign ->
    [energy] seine Energie
   *[doubt] sein Zweifel
} { $now } liegt über { $limit }
predict-none-below = Eine davon: { $sign ->
    [energy] seine Energie
   *[doubt] sein Zweifel
} { $now } liegt nicht über { $limit }
predict-none-energy = Minus Logsumexp der Logits: je niedriger, desto vertrauter das Bild.
predict-none-doubt = Ohne Logits gibt es keine Energie; der Zweifel ist 1 minus die Wertung der Vorhersage, ein schwächeres Zeichen.
predict-none-limit = Die Grenze lässt { $kept } von 100 Testbildern der bis dahin bekannten Klassen zu.
predict-none-later = { $n ->
    [one] Von { $n } Testbild aus noch nicht gelernten Klassen werden { $share } abgewiesen.
   *[other] Von { $n } Testbildern aus noch nicht gelernten Klassen werden { $share } abgewiesen.
}
predict-none-later-earlier = Wähle einen früheren Task, um zu sehen, wie viele Bilder späterer Klassen abgewiesen werden.
predict-none-later-counting = Abgewiesene Bilder noch nicht gelernter Klassen werden gezählt.
predict-none-later-count = Abgewiesene Bilder späterer Klassen zählen
predict-none-known = { $n ->
    [one] Von { $n } Testbild aus bekannten Klassen werden auch { $share } abgewiesen, jedes an einer Grenze gemessen, die andere Bilder setzen.
   *[other] Von { $n } Testbildern aus bekannten Klassen werden auch { $share } abgewiesen, jedes an einer Grenze gemessen, die andere Bilder setzen.
}
predict-none-known-same = Von den Testbildern, die die Grenze setzen, werden auch { $n } von 100 abgewiesen; von anderen Bildern können es mehr sein.
predict-none-looks = Verwendet bis zu 300 Testbilder
predict-none-looks-waits = Verwendet bis zu 300 Testbilder; der laufende Lauf wartet kurz
predict-none-unknown = Die Grenze für „keine davon“ ist nicht bekannt: { $why }.
predict-none-too-few = es gibt zu wenige Testbilder
predict-none-looking = Testbilder werden gemessen, um die Grenze für „keine davon“ zu setzen
predict-none-unnoted = Wann „keine davon“ gilt, hat dieser Lauf nicht notiert.
predict-none-find = Herausfinden

# Viele Bilder in einer Tabelle.
predict-many = Viele Bilder
predict-many-begin = Ordner vorhersagen …
predict-many-about = Schreibt eine Tabelle mit einer Zeile je Bild: Vorhersage und Wertung jedes Experten, ob es keine davon ist, und die fünf Klassen mit den höchsten Wertungen.
predict-many-pictures = Bilder
predict-many-pictures-hint = Ein Ordner mit Bildern
predict-many-some = { $n ->
    [one] { $n } Bild aus { $folder }
   *[other] { $n } Bilder aus { $folder }
}
predict-many-table = Tabelle
predict-many-table-hint = Pfad der Tabelle (.csv)
predict-many-all = Alle vorhersagen
predict-many-waits = Eine andere Tabelle wird gerade geschrieben. Warte, bis sie fertig ist, oder beende sie.
predict-many-choose = Ordner wählen …
predict-many-cancel = Abbrechen
predict-many-stop = Anhalten
predict-many-stopped = Angehalten; es wurde keine Tabelle geschrieben.
predict-many-ready = Wird vorbereitet …
predict-many-progress = Vorhergesagte Bilder
predict-many-done = { $n ->
    [one] { $done } von { $n } Bild
   *[other] { $done } von { $n } Bildern
}
# $count ist die letzte oder count-pictures.
predict-many-unreadable = { $count }, { $n } nicht lesbar
predict-many-sorted = Nach Klassen zeigen
predict-many-folder = Ordner öffnen
predict-many-copy = Pfad kopieren
predict-many-again = Andere Bilder

# Diese nach Klassen.
predict-sorted = { $n ->
    [one] { $n } Bild nach Klassen
   *[other] { $n } Bilder nach Klassen
}
predict-sorted-back = Zurück zu einem Bild
predict-sorted-all = alle
predict-sorted-limit = Keine davon: Energie oder Zweifel über { $limit }, wie bei { $n } von 100 Bildern bekannter Klassen.
predict-sorted-filter = Bilder filtern
predict-sorted-filter-hint = Dateiname
predict-sorted-no-name = Keine Datei passt.
predict-sorted-save = Tabelle speichern
predict-sorted-moved = { $n ->
    [one] { $n } Bild verschoben
   *[other] { $n } Bilder verschoben
}
predict-sorted-table = Tabelle: { $name }
predict-sorted-table-moved = { $n ->
    [one] Tabelle: { $name }, { $n } Bild verschoben
   *[other] Tabelle: { $name }, { $n } Bilder verschoben
}
predict-sorted-doubtful = { $n ->
    [one] { $n } Bild, das unsicherste zuerst
   *[other] { $n } Bilder, die unsichersten zuerst
}
predict-sorted-more = Mehr zeigen ({ $n })
predict-sorted-was = war { $class }
predict-sorted-nearest = fast { $class }
predict-sorted-answer = { $name }: { $class }, Wertung { $score }
predict-sorted-move = verschieben …
predict-sorted-move-name = { $name } verschieben
predict-sorted-whole = Klicke, um die ganze Vorhersage zu sehen
predict-sorted-to = Verschieben nach
predict-sorted-unreadable = Nicht lesbar

# Ein Blick in den Lauf.
predict-inside = Im Innern des Laufs
predict-inside-about = Aufmerksamkeit, Merkmale, Energien, Bewegung der PETs
predict-inside-open = Hineinschauen
predict-inside-close = Schließen
predict-inside-gaze = Wohin das Netz schaut
predict-inside-gaze-none = Zeichne oder wähle ein Bild, um zu sehen, wohin das Netz schaut.
predict-inside-gaze-waiting = Wird berechnet …
predict-inside-map = Karte der Testmerkmale
predict-inside-energies = Energien
predict-inside-movement = Wie weit sich die PETs bewegt haben
predict-inside-no-pet = { $method } trainiert hier kein PET, also gibt es nichts zu messen.
predict-inside-waiting = Testbilder werden verarbeitet …
predict-gaze-attention = Wohin das Klassentoken im letzten Block schaut, im Mittel über dessen Köpfe. Von dort kommen seine Merkmale.
predict-gaze-length = Dieses Netz hat kein Klassentoken; gezeigt wird statt der Aufmerksamkeit, wie lang das Merkmal an jeder Stelle ist.
predict-gaze-before = vortrainiert
predict-gaze-one-waiting = { $title }: wird berechnet
predict-gaze-rest = { $share } nicht auf dem Bild
predict-gaze-rest-hint = Auf dem Klassentoken selbst, auf Prompts und Prefixen
predict-gaze-share = { $share } seiner Aufmerksamkeit
predict-gaze-size = Länge { $value }
predict-gaze-place = Zeile { $row }, Spalte { $column }: { $value }
predict-gaze-most = { $title }, am höchsten von { $rows } × { $columns } Stellen: { $each }
predict-gaze-moved = { $share } der Aufmerksamkeit sind an eine andere Stelle gewandert.
predict-gaze-changed = Die Längen haben sich um { $share } geändert.
predict-energies-none = { $method } vergleicht Merkmale mit Prototypen oder zählt Stimmen: Ohne Logits gibt es keine Energie.
predict-energies-medians = Mediane { $new } neu, { $old } alt
predict-energies-median = Median { $value }
predict-energies-new = farbig: Klassen dieses Tasks
predict-energies-old = grau: Klassen älterer Tasks
predict-energies-bin = { $n } bei { $value }
predict-energies-empty = keine
predict-energies-words = Energien des Experten { $expert }, { $medians }. Klassen dieses Tasks: { $new }. Klassen älterer Tasks: { $old }
predict-map-about = { $n ->
    [one] Die Merkmale von { $n } Testbild, nach Task { $task } auf ihre ersten zwei Hauptkomponenten projiziert ({ $first } und { $second } der Varianz). Nahe Punkte sind dem Netz ähnlich.
   *[other] Die Merkmale von { $n } Testbildern, nach Task { $task } auf ihre ersten zwei Hauptkomponenten projiziert ({ $first } und { $second } der Varianz). Nahe Punkte sind dem Netz ähnlich.
}
predict-map-unlearned = { $class }: noch nicht gelernt
predict-map-right = { $class }: richtig
predict-map-wrong = { $class }: gehalten für { $other }
predict-map-legend = Hohl: noch nicht gelernt. Roter Ring: falsch beantwortet. Klicke auf einen Punkt, um sein Bild zu öffnen.
predict-map-words = Karte der Testmerkmale nach Task { $task }
predict-map-around = { $class } um { $x } / { $y }
predict-map-around-unlearned = { $class } um { $x } / { $y }, noch nicht gelernt
predict-movement-about = Der Abstand des PET jedes Blocks von seinen Anfangswerten, im Verhältnis zu deren Länge. Ein PET, das sich weniger bewegt, vergisst weniger.
predict-movement-between = zwischen beiden
predict-movement-copy = Das Offline-PET beginnt in Task 2 als Kopie.
predict-movement-block = Block { $n }
predict-movement-words = Block { $n }: { $each }

# Meldungen zu vorhergesagten und angehefteten Bildern, Tabellen und zusätzlichen Tasks.
predict-drawing = Zeichnung
predict-pins-tasks = { $n ->
    [one] erst { $n } Task
   *[other] erst { $n } Tasks
}
predict-pins-asking = wird vorhergesagt
predict-problem-weights = Die Gewichte dieses Laufs liegen auf einem anderen Rechner
predict-problem-weights-try = Wenn du der Datei traust, wähle sie auf Experiment als Backbone und versuche es noch einmal
predict-problem-no-task = Dieser Lauf hat noch keinen Task fertig gelernt
predict-problem-paths = Die Pfade von Bildern und Tabelle sind nicht absolut
predict-problem-paths-try = Gib absolute Pfade an
predict-problem-no-picture = Dieses Bild steht nicht in der Tabelle
predict-problem-no-labels = Diese Bilder haben keine Label, die sich korrigieren ließen
predict-problem-no-labels-try = Verschiebe das Bild in eine andere Klasse
predict-problem-unopened = Der Datensatz dieses Laufs ließ sich nicht öffnen
predict-problem-unopened-try = Warum, steht in den Meldungen
predict-problem-trained = Die Trainingsbilder dieses Datensatzes haben sich geändert, seit dieser Lauf aus ihnen gelernt hat
predict-problem-tested = Die Bilder dieses Datensatzes haben sich geändert, seit dieser Lauf mit ihnen getestet wurde
predict-problem-tested-try = Stelle die ursprünglichen Bilder wieder her, um sie zu sehen; die Zahlen des Laufs bleiben, wie sie sind
predict-problem-unlisted = Dieser Lauf steht nicht mehr in der Liste
predict-problem-added-labels = Die Label der eigenen Bilder eines zusätzlichen Tasks lassen sich nicht korrigieren
predict-problem-added-labels-try = Nimm den Task zurück, lege das Bild in die richtige Klasse und füge den Task noch einmal hinzu
predict-told-kept = Deine Änderungen stehen in der letzten Spalte der Tabelle { $table }
predict-told-table = Die Tabelle { $table } ist geschrieben
predict-told-table-try = Vorhersage zeigt ihren Pfad und die Bilder nach Klassen
predict-told-added-waits = Ein zusätzlicher Task dieses Laufs steht schon in der Warteschlange
predict-told-unlearned = Zusätzlicher Task zurückgenommen: { $classes }
predict-told-unlearned-try = Der Lauf ist, wie er vor dem zusätzlichen Task war
predict-added-job = { $run } · lernt { $name }

# Bilder, Klasse für Klasse gesammelt.
predict-collect-name = Meine Bilder
predict-collect-class = Klasse { $n }
predict-collect-second = Füge eine zweite Klasse hinzu: Das Netz lernt, Klassen zu unterscheiden.
predict-collect-unnamed = Gib jeder Klasse einen Namen.
predict-collect-twice = Zwei Klassen heißen { $name }.
predict-collect-one-more = { $name } braucht noch ein Bild.
predict-collect-two-more = { $name } braucht mindestens zwei Bilder.
predict-collect-unwritten = Ein Bild ließ sich nicht schreiben: { $error }
predict-collect-full = Eine Klasse fasst höchstens { $n } Bilder
predict-collect-full-try = Lege für mehr einen Ordner an und wähle ihn als Datensatz
predict-collect-kept = Deine Bilder sind gespeichert
drafts-back = Aus dem letzten Fenster zurückgeholt: { $what }
drafts-back-where = Gesammelte Bilder zeigt „Selbst machen …“ in der Liste der Datensätze, die anderen die Seite „Vorhersage“
drafts-pins = { $n ->
    [one] { $n } angeheftetes Bild
   *[other] { $n } angeheftete Bilder
}
drafts-gathered = { $n ->
    [one] { $n } gesammeltes Bild
   *[other] { $n } gesammelte Bilder
}
drafts-moved = Bilder aus { $table }, die du in andere Klassen verschoben hast
drafts-lost = { $n ->
    [one] { $n } Bild lässt sich nicht mehr lesen
   *[other] { $n } Bilder lassen sich nicht mehr lesen
}
drafts-unwritten = Nicht gespeicherte Bilder ließen sich nicht für das nächste Fenster aufheben: { $why }
drafts-unreadable = Die nicht gespeicherten Bilder des letzten Fensters lassen sich nicht lesen: { $why }
drafts-other-table = Im letzten Fenster wurden Bilder dieser Tabelle in andere Klassen verschoben, aber die Tabelle hat sich seitdem geändert
