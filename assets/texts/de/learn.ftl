# Die Seite Lernen und ihre Lektionen.

learn-title = Lernen
unit-minute = etwa eine Minute
unit-minutes = etwa { $n } Minuten
unit-open = Öffnen
unit-back = Alle Lektionen
unit-reading = Die Lektionen werden gelesen …
unit-own = Deine eigenen Lektionen
unit-own-none = Lege eigene Lektionen in den Ordner { $folder }; sie stehen dann hier.
unit-read-again = Neu lesen
unit-folder = Ordner öffnen
unit-write = Eine aus der Vorlage schreiben
unit-last = Zu allen Lektionen
unit-end = Ende der Lektion
unit-next = Weiter: { $title }
unit-all-done = alle Fragen beantwortet
unit-questions-done = { $done } von { $all } Fragen beantwortet
unit-runs-done = { $done } von { $all } Läufen da
unit-run = Trainieren
unit-run-rest = Den Rest trainieren
unit-again = Noch einmal versuchen
unit-to-run = Zu trainieren
unit-to-teach = Zu lehren: { $run } lernt { $source }
unit-teach = Lehre es { $source }
unit-teach-own = Lehre es eigene Bilder …
unit-places = Dafür wird hier nachgesehen: { $places }
unit-teach-first = Trainiere zuerst den Lauf weiter oben.
unit-waits = steht in der Warteschlange
unit-held = angehalten
unit-go-on = Weitermachen lassen
unit-working = { $share } fertig
unit-working-left = { $share } fertig, noch { $time }
unit-done = da
unit-done-of = { $done } von { $all } da
unit-used-again = wieder verwendet: trainiert { $time }
unit-ended = endete vorzeitig
unit-comes = Kommt mit den Läufen.
unit-numbers = Als Zahlen
unit-check = Prüfen
unit-your-number = Deine Zahl
unit-guess-first = Rate zuerst; dann geht es hier weiter.
unit-start-over = Von vorn
unit-start-over-hint = Vergisst deine Antworten, damit du rätst, bevor du siehst, was die Läufe zeigen. Die Läufe bleiben.
unit-kept = Gemerkt. Die Läufe werden es zeigen.
unit-right = Richtig.
unit-wrong = Nicht ganz.
unit-guess-right = Du hast richtig geraten.
unit-guess-wrong = Es kam anders: { $answer }.
unit-no-number = Gib eine Zahl ein, etwa 12,5.
unit-never = Das lässt sich nicht sagen: { $why }.
unit-task = Task { $n }
unit-distance-axis = online gegen offline, in % des Offline-Experten
lesson-too-many-parts = diese Lektion hat mehr als { $n } Teile
lesson-too-many-parts-try = teile sie in mehrere Lektionen
lesson-no-title = diese Lektion beginnt nicht mit ihrem Titel
lesson-no-title-try = beginne die Datei mit einer Zeile +++, dann title, minutes und order, dann noch einmal +++
lesson-no-such-block = es gibt keinen Block namens „{ $name }“
lesson-no-such-block-try = möglich sind { $names }; Code zum Lesen heißt text oder sh
lesson-same-name = zwei Blöcke heißen „{ $name }“
lesson-same-name-try = gib jedem einen eigenen Namen
lesson-too-many-runs = diese Lektion verlangt { $n } Läufe
lesson-too-many-runs-try = verlange höchstens { $n }
lesson-no-list-of-runs = „runs“ ist keine Liste von Tabellen
lesson-no-list-of-runs-try = beginne jeden Lauf mit einer Zeile [[runs]]
lesson-nameless-run = ein Lauf hat keinen Namen
lesson-name-try = gib ihm einen Namen aus kleinen Buchstaben, Ziffern und _, der mit einem Buchstaben beginnt
lesson-setting-try = gib die Einstellungen von `lae-studio train` an, mit _ statt -; eigene Wörter eines Laufs sind { $names }
lesson-of-run = der Lauf { $name }: { $what }
lesson-block-too-many-runs = dieser Block verlangt { $n } Läufe
lesson-block-too-many-runs-try = verlange 1 bis { $n } Läufe in einem Block
lesson-too-many-conditions = dieser Block hat mehr als { $n } Bedingungen
lesson-too-many-conditions-try = verbinde Bedingungen mit and
lesson-bad-name = „{ $name }“ kann hier kein Name sein
lesson-no-such-run = es gibt keinen Lauf „{ $name }“ in dieser Lektion
lesson-no-such-run-try = nenne einen von { $names }
lesson-block-unread = dieser Block ist nicht lesbar: { $why }
lesson-block-unread-try = berichtige ihn; docs/lessons/README.md beschreibt jeden Block
lesson-no-text = „{ $key }“ ist kein Text
lesson-no-text-try = setze es in Anführungszeichen
lesson-no-list = „{ $key }“ ist nicht die Liste, die hier stehen muss
lesson-no-list-try = schreibe orders = ["natural", "seed:1"] oder seeds = [0, 1]
lesson-begun = eine eigene Lektion ist angelegt
lesson-begun-try = ändere sie in einem Editor und drücke auf der Seite Lernen Neu lesen
lesson-no-folder = dieses System hat keinen Ordner für die Daten eines Programms
lesson-no-folder-try = starte lae-studio mit --portable
lesson-names-taken = alle Namen für neue Lektionen sind vergeben
lesson-names-taken-try = gib den vorhandenen eigene Namen
lesson-choices =
    { $n ->
        [one] die Frage { $name } hat nur eine Antwort zur Wahl
       *[other] die Frage { $name } hat { $n } Antworten zur Wahl
    }
lesson-choices-try = gib 2 bis { $n } an
lesson-no-right-choice = die Frage { $name } sagt nicht, welche Antwort richtig ist
lesson-no-right-choice-try = gib right = eine Zahl von 1 bis { $n } an, oder holds = je Antwort eine Bedingung, der Reihe nach
lesson-no-answer = die Frage { $name } hat keine Antwort
lesson-no-answer-try = gib choices = […] mit right oder holds an, oder answer = eine Formel
lesson-figure-runs = eine Abbildung zeigt 1 bis 8 Läufe
lesson-figure-runs-try = nenne sie in runs = […]
lesson-figure-value = eine Abbildung der Art { $kind } braucht einen Wert
lesson-figure-value-try = gib value = eine Formel mit run an, wie "forgetting(run)"
lesson-no-such-figure = es gibt keine Abbildung der Art „{ $kind }“
lesson-no-such-figure-try = wähle eine von { $names }
lesson-columns = diese Tabelle hat { $n } Spalten
lesson-columns-try = gib ihr höchstens { $n }
lesson-none-named = es gibt keine Lektion namens „{ $name }“
lesson-none-named-try = möglich sind { $names } oder eine Datei, die auf .md endet
formula-no-number = hier wird eine Zahl gebraucht, keine Bedingung
formula-no-condition = hier wird eine Bedingung gebraucht, keine Zahl
formula-in = { $what }, in „{ $text }“
formula-like-try = schreibe wie forgetting(a) > 2 * forgetting(b); es gibt { $names }
formula-a-name = „{ $name }“ ist keine Zahl
formula-a-name-try = frage nach einer Zahl des Laufs, wie accuracy({ $name })
formula-no-function = es gibt keine Funktion namens „{ $name }“
formula-takes-numbers = { $name } nimmt Zahlen
formula-signed-condition = eine Bedingung hat kein Vorzeichen
formula-joins-conditions = „and“ und „or“ verbinden Bedingungen, keine Zahlen
formula-calculates = mit einer Bedingung lässt sich nicht rechnen oder vergleichen
formula-means-nothing = „{ $argument }“ hat in { $like } keine Bedeutung
formula-other-numbers = { $name } hat nicht die Zahlen, die es nimmt, wie in { $like }
formula-no-run = die Formel nennt einen Lauf „{ $name }“, den es hier nicht gibt
formula-no-run-try = nenne einen Lauf dieser Lektion: es gibt { $names }
formula-no-run-none-try = nenne einen Lauf dieser Lektion: noch kein Block darüber nennt einen
formula-several-values = „{ $text }“ hat { $n } Werte; nimm mean(…) davon
formula-more-values = { $name } braucht mehr Werte
formula-other-repetitions = hier stehen Läufe mit verschieden vielen Wiederholungen nebeneinander; nimm mean(…)
formula-no-expert = dieser Lauf hat keinen Experten { $name }
formula-later-task = nach Aufgabe { $after } ist von Aufgabe { $on } nichts bekannt
formula-one-expert = dieser Lauf hatte da keine zwei Experten
formula-fewer-tasks =
    { $n ->
        [one] dieser Lauf hat nur eine Aufgabe
       *[other] dieser Lauf hat { $n } Aufgaben
    }
formula-not-measured = das wurde nicht gemessen
