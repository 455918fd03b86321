# Die Seite Vorhersage.

predict-empty = Noch kein Lauf, der antwortet
predict-empty-text = Trainiere zuerst einen; sobald sein erster Task gelernt ist, antwortet er hier
predict-empty-go = Experiment einrichten
predict-still-learning = { $run } · lernt noch

# Das Bild.
predict-image = Bild
predict-source-choose = Wählen
predict-source-draw = Zeichnen
predict-run = Befragter Lauf
predict-run-choose = Lauf wählen
predict-run-stays = Bleibt bei diesem Lauf.
predict-run-follow = Dem neuesten folgen
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
predict-class = Seine Klasse ist { $class }.
predict-seen = Was das Netz sieht
predict-seen-drawn = Auf { $size } × { $size } skaliert, die Zeichnung in die Mitte gerückt und so groß wie beim Training.
predict-seen-cut = Auf { $size } × { $size } skaliert und auf die Mitte beschnitten, wie beim Testen.
predict-samples = Beispiele
predict-samples-next = Weitere
predict-samples-about = An diesen Bildern wurde der Lauf gemessen; gelernt hat er sie nie.
predict-samples-gone = Der Datensatz des Laufs ist nicht zu finden.
predict-sample = Beispiel für { $class }

# Angeheftete Bilder.
predict-pin = Anheften
predict-pinned = Angeheftet
predict-pin-hint = Dieses Bild behalten und vergleichen, was mehrere Läufe dazu sagen
predict-pin-sample = Das Beispiel für { $class } anheften
predict-pin-sample-done = Das Beispiel für { $class } ist angeheftet
predict-pins = Angeheftete Bilder
predict-pins-about = Was jeder Lauf nach Task { $task } antwortet, und wie sich die Wertung der Klasse des Bildes über die Tasks ändert.
predict-pins-runs = Läufe: { $n }
predict-pins-all-runs = Alle Läufe mit diesen Klassen
predict-pins-most-runs = Höchstens { $n } Läufe stehen nebeneinander.
predict-pins-picture = Angeheftetes Bild
predict-pins-picture-of = Angeheftetes Bild von { $class }
predict-pins-ask = Klicke, um die Antwort auf dieses Bild zu sehen
predict-pins-remove = Dieses Bild nicht mehr anheften
predict-pins-score = Wertung von { $class }: { $each }
predict-pins-share = { $share } nach Task { $task }

# Die Antwort.
predict-asking = Die Experten werden gefragt
predict-asking-text = Mit der ersten Antwort werden die Zwischenstände des Laufs geladen
predict-which = Welches Bild?
predict-which-text = Zeichne eines, lege eines ab, füge eines ein oder klicke auf ein Beispiel
predict-score = Wertung { $score }
predict-nearest = am nächsten { $class }, Wertung { $score }
predict-right = richtig
predict-right-unknown = richtig: { $class } ist noch nicht gelernt
predict-wrong = falsch: es ist { $class }
predict-answered = Das Bild, um das es geht
predict-energy = Energie { $value }
predict-energy-ensemble = Die niedrigere der beiden Energien. Die Balken sind je Klasse die größere Wertung der beiden Experten; sie müssen zusammen nicht 100 % ergeben.
predict-more-certain = sicherer
predict-over-tasks = Dasselbe Bild, Task für Task
predict-over-tasks-score = Wertung von „{ $class }“, %
predict-over-tasks-first = { $class } kommt erst in Task { $task }
predict-over-tasks-chart = Wertung der Klasse über die Tasks
predict-why = Warum die beiden sich unterscheiden
predict-why-first = Bisher gibt es nur einen Experten; der Offline-Experte beginnt als seine Kopie, wenn der zweite Task anfängt.
predict-why-moved = Seit Task 1 hat sich das Online-PET um { $online } bewegt (relativer Abstand), das Offline-PET um { $offline }. Was sich weniger bewegt, vergisst weniger und lernt neue Klassen langsamer.
predict-why-slowly = Das Offline-PET folgt dem Online-PET langsam: Es vergisst weniger und lernt neue Klassen langsamer.
predict-knowledge = Wissen nach jedem Task
predict-play = Abspielen
predict-hold = Anhalten

# Warum ein Experte entschied.
predict-reason-alone = Ein Experte antwortet allein.
predict-reason-first = Erst ein Task ist gelernt, darum antwortet der Online-Experte allein: Er ist zu { $online } sicher.
predict-reason-both-offline = Beide Experten sagen { $class }. Der Offline-Experte ist sicherer ({ $offline } gegen { $online }).
predict-reason-both-online = Beide Experten sagen { $class }. Der Online-Experte ist sicherer ({ $online } gegen { $offline }).
predict-reason-offline = Der Offline-Experte entschied ({ $offline }): Er erinnert sich an { $class }; der Online-Experte neigt zu { $other } ({ $online }).
predict-reason-offline-fresh = Der Offline-Experte entschied ({ $offline }): Er erinnert sich an { $class }; der Online-Experte, der gerade { $learned } gelernt hat, neigt zu { $other } ({ $online }).
predict-reason-online = Der Online-Experte entschied ({ $online }): Bei { $class } ist er sicherer als der Offline-Experte bei { $other } ({ $offline }).
predict-reason-online-fresh = Der Online-Experte entschied ({ $online }): Er hat gerade { $learned } gelernt und ist bei { $class } sicherer als der Offline-Experte bei { $other } ({ $offline }).
predict-reason-equal = Beide Experten sind bei { $class } gleich sicher.

# Keine davon.
predict-none = Keine davon
predict-none-say = Sagen, wenn es keine davon ist
predict-none-never = Immer eine Klasse nennen
predict-none-above = Keine davon, denn { $sign ->
    [energy] seine Energie
   *[doubt] sein Zweifel
} { $now } liegt über { $limit }
predict-none-below = Eine davon, denn { $sign ->
    [energy] seine Energie
   *[doubt] sein Zweifel
} { $now } liegt nicht über { $limit }
predict-none-energy = Minus der Logarithmus der summierten Exponentiale der Logits: je niedriger, desto vertrauter das Bild.
predict-none-doubt = Ohne Logits gibt es keine Energie; der Zweifel ist 1 minus die Wertung der Antwort, ein schwächeres Zeichen.
predict-none-limit = { $kept } von 100 Testbildern der bis dahin bekannten Klassen liegen an der Grenze oder darunter.
predict-none-later = { $n ->
    [one] Von { $n } Testbild aus noch nicht gelernten Klassen werden { $share } abgewiesen.
   *[other] Von { $n } Testbildern aus noch nicht gelernten Klassen werden { $share } abgewiesen.
}
predict-none-later-earlier = Nach einem früheren Task wird gezählt, wie viele Bilder künftiger Klassen abgewiesen werden.
predict-none-later-counting = Es wird gezählt, wie viele Bilder noch nicht gelernter Klassen abgewiesen werden.
predict-none-later-count = Zählen, was es von künftigen Klassen abweist
predict-none-known = { $n ->
    [one] Von { $n } Testbild aus bekannten Klassen werden auch { $share } abgewiesen, jedes an einer Grenze gemessen, die andere Bilder setzen.
   *[other] Von { $n } Testbildern aus bekannten Klassen werden auch { $share } abgewiesen, jedes an einer Grenze gemessen, die andere Bilder setzen.
}
predict-none-known-same = Von den Testbildern, die die Grenze setzen, werden auch { $n } von 100 abgewiesen; von anderen können es mehr sein.
predict-none-looks = Sieht sich bis zu 300 Testbilder an
predict-none-looks-waits = Sieht sich bis zu 300 Testbilder an; der Lauf, der gerade trainiert wird, wartet kurz
predict-none-unknown = Wann „keine davon“ gilt, ist nicht bekannt: { $why }.
predict-none-too-few = es gibt zu wenige Testbilder
predict-none-looking = Testbilder werden angesehen, um zu wissen, wann „keine davon“ gilt
predict-none-unnoted = Wann „keine davon“ gilt, hat dieser Lauf nicht notiert.
predict-none-find = Herausfinden

# Viele Bilder in einer Tabelle.
predict-many = Viele Bilder
predict-many-begin = Ordner vorhersagen …
predict-many-about = Eine Tabelle mit einer Zeile je Bild: was jeder Experte sagt, mit welcher Wertung, ob es keine davon ist, und die fünf Klassen mit den höchsten Wertungen.
predict-many-pictures = Bilder
predict-many-pictures-hint = Ein Ordner mit Bildern
predict-many-some = { $n ->
    [one] { $n } Bild aus { $folder }
   *[other] { $n } Bilder aus { $folder }
}
predict-many-table = Tabelle
predict-many-table-hint = Wohin die Tabelle kommt (.csv)
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
predict-many-sorted = Nach Klassen ansehen
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
predict-sorted-limit = Keine davon: dem Lauf fremder als { $limit }, wie es { $n } von 100 Bildern seiner Klassen sind.
predict-sorted-filter = Bilder filtern
predict-sorted-filter-hint = Name einer Datei
predict-sorted-no-name = Kein Bild heißt so.
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
    [one] { $n } Bild, das zweifelhafteste zuerst
   *[other] { $n } Bilder, die zweifelhaftesten zuerst
}
predict-sorted-more = Mehr zeigen ({ $n })
predict-sorted-was = war { $class }
predict-sorted-nearest = fast { $class }
predict-sorted-answer = { $name }: { $class }, Wertung { $score }
predict-sorted-move = verschieben …
predict-sorted-move-name = { $name } verschieben
predict-sorted-whole = Klicke, um die ganze Antwort zu sehen
predict-sorted-to = Verschieben nach
predict-sorted-unreadable = Nicht lesbar

# Ein Blick in den Lauf.
predict-inside = Im Innern des Laufs
predict-inside-about = Aufmerksamkeit, Merkmale, Energien, Bewegung der PETs
predict-inside-open = Hineinschauen
predict-inside-close = Schließen
predict-inside-gaze = Worauf es achtet
predict-inside-gaze-none = Zeichne oder wähle ein Bild, um zu sehen, worauf das Netz achtet.
predict-inside-gaze-waiting = Wird angesehen …
predict-inside-map = Karte der Testmerkmale
predict-inside-energies = Energien
predict-inside-movement = Wie weit sich die PETs bewegt haben
predict-inside-no-pet = { $method } trainiert hier kein PET, also gibt es nichts zu messen.
predict-inside-waiting = Testbilder werden angesehen …
predict-gaze-attention = Wohin das Klassentoken im letzten Block schaut, im Mittel über dessen Köpfe. Von dort kommt seine Antwort.
predict-gaze-length = Dieses Netz hat kein Klassentoken, das irgendwohin schaut: Gezeigt wird, wie lang das Merkmal an jeder Stelle ist.
predict-gaze-before = nur vortrainiert
predict-gaze-one-waiting = { $title }: wird angesehen
predict-gaze-rest = { $share } nicht auf dem Bild
predict-gaze-rest-hint = Auf dem Klassentoken selbst, auf Prompts und Prefixen
predict-gaze-share = { $share } seiner Aufmerksamkeit
predict-gaze-size = Länge { $value }
predict-gaze-place = Zeile { $row }, Spalte { $column }: { $value }
predict-gaze-most = { $title }, von { $rows } × { $columns } Stellen am meisten: { $each }
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
    [one] Die Merkmale von { $n } Testbild, entlang der zwei Richtungen gesehen, in denen sie sich nach Task { $task } am meisten unterscheiden ({ $first } und { $second } der Varianz). Nah heißt: dem Netz ähnlich.
   *[other] Die Merkmale von { $n } Testbildern, entlang der zwei Richtungen gesehen, in denen sie sich nach Task { $task } am meisten unterscheiden ({ $first } und { $second } der Varianz). Nah heißt: dem Netz ähnlich.
}
predict-map-unlearned = { $class }: noch nicht gelernt
predict-map-right = { $class }: richtig
predict-map-wrong = { $class }: gehalten für { $other }
predict-map-legend = Hohl: noch nicht gelernt. Roter Ring: falsch beantwortet. Klicke auf einen Punkt, um nach ihm zu fragen.
predict-map-words = Karte der Testmerkmale nach Task { $task }
predict-map-around = { $class } um { $x } / { $y }
predict-map-around-unlearned = { $class } um { $x } / { $y }, noch nicht gelernt
predict-movement-about = Der Abstand des PET jedes Blocks von dort, wo es gezogen wurde, im Verhältnis zu seiner Länge dort. Was sich weniger bewegt, vergisst weniger.
predict-movement-between = zwischen beiden
predict-movement-copy = Das Offline-PET beginnt als Kopie, wenn der zweite Task anfängt.
predict-movement-block = Block { $n }
predict-movement-words = Block { $n }: { $each }

# Was die Sitzung sagt: zu befragten und angehefteten Bildern, Tabellen, gelehrten Ordnern.
predict-drawing = Zeichnung
predict-pins-tasks = { $n ->
    [one] erst { $n } Task
   *[other] erst { $n } Tasks
}
predict-pins-asking = wird gefragt
predict-problem-weights = Die Gewichte dieses Laufs liegen auf einem anderen Rechner
predict-problem-weights-try = Wenn du ihm traust, wähle die Datei auf Experiment als Backbone und frage dann noch einmal
predict-problem-no-task = Dieser Lauf hat noch keinen Task fertig gelernt
predict-problem-paths = Die Pfade von Bildern und Tabelle müssen vollständig sein
predict-problem-paths-try = Beginne sie an der Wurzel des Laufwerks
predict-problem-no-picture = Dieses Bild steht nicht in der Tabelle
predict-problem-no-labels = Diese Bilder haben keine Label, die sich korrigieren ließen
predict-problem-no-labels-try = Verschiebe das Bild in eine andere Klasse
predict-problem-unopened = Der Datensatz dieses Laufs ließ sich nicht öffnen
predict-problem-unopened-try = Warum, steht in den Meldungen
predict-problem-trained = Die Trainingsbilder dieses Datensatzes sind nicht mehr die, aus denen dieser Lauf gelernt hat
predict-problem-tested = Die Bilder dieses Datensatzes sind nicht mehr die, mit denen dieser Lauf getestet wurde
predict-problem-tested-try = Lege die alten zurück, um sie zu sehen; die Zahlen des Laufs bleiben, wie sie waren
predict-problem-unlisted = Dieser Lauf steht nicht mehr in der Liste
predict-problem-added-labels = Die Label der eigenen Bilder eines zusätzlichen Tasks lassen sich nicht korrigieren
predict-problem-added-labels-try = Nimm den Task zurück, lege das Bild an die richtige Stelle und lehre ihn noch einmal
predict-told-kept = Die Tabelle { $table } nennt in ihrer letzten Spalte, was du verschoben hast
predict-told-table = Die Tabelle { $table } ist geschrieben
predict-told-table-try = Vorhersage zeigt, wo sie liegt, und die Bilder nach Klassen
predict-told-added-waits = Ein zusätzlicher Task dieses Laufs steht schon in der Warteschlange
predict-told-unlearned = { $classes } wieder verlernt
predict-told-unlearned-try = Der Lauf ist, wie er vor dem zusätzlichen Task war
predict-added-job = { $run } · lernt { $name }

# Bilder, Klasse für Klasse gesammelt.
predict-collect-name = Meine Bilder
predict-collect-class = Klasse { $n }
predict-collect-second = Füge eine zweite Klasse hinzu: Gelernt wird, Klassen zu unterscheiden.
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
