# Die Seite Lernen und ihre Lektionen.

learn-title = Lernen
unit-minute = etwa eine Minute
unit-minutes = etwa { $n } Minuten
unit-open = Öffnen
unit-back = Alle Lektionen
unit-reading = Lektionen werden geladen …
unit-own = Deine eigenen Lektionen
unit-own-none = Um eigene Lektionen hinzuzufügen, lege sie in den Ordner { $folder }.
unit-read-again = Neu lesen
unit-folder = Ordner öffnen
unit-write = Neue Lektion aus der Vorlage
unit-last = Alle Lektionen
unit-end = Ende der Lektion
unit-next = Weiter: { $title }
unit-all-done = alle Fragen beantwortet
unit-questions-done = { $done } von { $all } Fragen beantwortet
unit-runs-done = { $done } von { $all } Läufen fertig
unit-run = Trainieren
unit-run-rest = Den Rest trainieren
unit-again = Noch einmal versuchen
unit-to-run = Läufe zu trainieren
unit-to-teach = Zusätzlicher Task: { $run } lernt { $source }
unit-teach = { $source } lehren
unit-teach-own = Eigene Bilder lehren …
unit-places = Greift zu auf { $places }
unit-teach-first = Trainiere zuerst den Lauf weiter oben.
unit-waits = steht in der Warteschlange
unit-held = angehalten
unit-go-on = Warteschlange fortsetzen
unit-working = { $share } fertig
unit-working-left = { $share } fertig, noch { $time }
unit-done = fertig
unit-done-of = { $done } von { $all } fertig
unit-used-again = wieder verwendet: trainiert { $time }
unit-ended = endete vorzeitig
unit-comes = Verfügbar nach den Läufen.
unit-numbers = Zahlen zeigen
unit-check = Prüfen
unit-your-number = Deine Zahl
unit-guess-first = Beantworte die Frage, um fortzufahren.
unit-start-over = Lektion neu beginnen
unit-start-over-hint = Löscht deine Antworten, sodass du noch einmal raten kannst, bevor du die Ergebnisse siehst. Die Läufe bleiben.
unit-kept = Gespeichert. Die Läufe werden die Antwort zeigen.
unit-right = Richtig.
unit-wrong = Nicht ganz.
unit-guess-right = Du hast richtig geraten.
unit-guess-wrong = Das Ergebnis ist anders: { $answer }.
unit-no-number = Gib eine Zahl ein, etwa 12,5.
unit-never = Die Antwort ist nicht verfügbar: { $why }.
unit-task = Task { $n }
unit-distance-axis = Abstand zwischen Online- und Offline-Experte, in % des Offline-Experten
lesson-too-many-parts = diese Lektion hat mehr als { $n } Teile
lesson-too-many-parts-try = teile sie in mehrere Lektionen
lesson-no-title = diese Lektion beginnt nicht mit ihrem Titel
lesson-no-title-try = beginne die Datei mit einer Zeile +++, dann title, minutes und order, dann noch eine Zeile +++
lesson-no-such-block = unbekannter Block „{ $name }“
lesson-no-such-block-try = möglich sind { $names }; Code zum Lesen heißt text oder sh
lesson-same-name = zwei Blöcke heißen „{ $name }“
lesson-same-name-try = gib jedem einen eigenen Namen
lesson-too-many-runs = diese Lektion hat { $n } Läufe
lesson-too-many-runs-try = nimm höchstens { $n } Läufe
lesson-no-list-of-runs = „runs“ ist keine Liste von Tabellen
lesson-no-list-of-runs-try = beginne jeden Lauf mit einer Zeile [[runs]]
lesson-nameless-run = ein Lauf hat keinen Namen
lesson-name-try = gib ihm einen Namen aus kleinen Buchstaben, Ziffern und _, der mit einem Buchstaben beginnt
lesson-setting-try = gib die Einstellungen von `lae-studio train` an, mit _ statt -; zusätzliche Schlüssel eines Laufs sind { $names }
lesson-of-run = Lauf { $name }: { $what }
lesson-block-too-many-runs = dieser Block hat { $n } Läufe
lesson-block-too-many-runs-try = nimm 1 bis { $n } Läufe je Block
lesson-too-many-conditions = dieser Block hat mehr als { $n } Bedingungen
lesson-too-many-conditions-try = verbinde Bedingungen mit and
lesson-bad-name = „{ $name }“ ist hier kein gültiger Name
lesson-no-such-run = diese Lektion hat keinen Lauf „{ $name }“
lesson-no-such-run-try = nenne einen von { $names }
lesson-block-unread = dieser Block ist nicht lesbar: { $why }
lesson-block-unread-try = berichtige ihn; docs/lessons/README.md beschreibt jeden Block
lesson-no-text = „{ $key }“ ist kein Text
lesson-no-text-try = setze es in Anführungszeichen
lesson-no-list = „{ $key }“ ist keine gültige Liste
lesson-no-list-try = schreibe orders = ["natural", "seed:1"] oder seeds = [0, 1]
lesson-begun = neue Lektion angelegt
lesson-begun-try = bearbeite sie in einem Texteditor und drücke dann auf der Seite Lernen „Neu lesen“
lesson-no-folder = dieses System hat keinen Ordner für Anwendungsdaten
lesson-no-folder-try = starte lae-studio mit --portable
lesson-names-taken = alle Namen für neue Lektionen sind vergeben
lesson-names-taken-try = benenne einige deiner Lektionen um
lesson-choices =
    { $n ->
        [one] die Frage { $name } hat nur eine Antwort zur Wahl
       *[other] die Frage { $name } hat { $n } Antworten zur Wahl
    }
lesson-choices-try = gib 2 bis { $n } Antworten an
lesson-no-right-choice = die Frage { $name } sagt nicht, welche Antwort richtig ist
lesson-no-right-choice-try = gib right = eine Zahl von 1 bis { $n } an, oder holds = je Antwort eine Bedingung, der Reihe nach
lesson-no-answer = die Frage { $name } hat keine Antwort
lesson-no-answer-try = gib choices = […] mit right oder holds an, oder answer = eine Formel
lesson-figure-runs = eine Abbildung muss 1 bis 8 Läufe haben
lesson-figure-runs-try = nenne sie in runs = […]
lesson-figure-value = eine Abbildung der Art { $kind } braucht einen Wert
lesson-figure-value-try = gib value = eine Formel mit run an, wie "forgetting(run)"
lesson-no-such-figure = unbekannte Abbildungsart „{ $kind }“
lesson-no-such-figure-try = wähle eine von { $names }
lesson-columns = diese Tabelle hat { $n } Spalten
lesson-columns-try = nimm höchstens { $n } Spalten
lesson-none-named = es gibt keine Lektion namens „{ $name }“
lesson-none-named-try = möglich sind { $names } oder eine Datei, die auf .md endet
formula-no-number = hier wird eine Zahl gebraucht, keine Bedingung
formula-no-condition = hier wird eine Bedingung gebraucht, keine Zahl
formula-in = { $what }, in „{ $text }“
formula-like-try = schreibe eine Formel wie forgetting(a) > 2 * forgetting(b); verfügbare Funktionen: { $names }
formula-a-name = „{ $name }“ ist keine Zahl
formula-a-name-try = frage nach einer Zahl des Laufs, wie accuracy({ $name })
formula-no-function = unbekannte Funktion „{ $name }“
formula-takes-numbers = { $name } nimmt Zahlen
formula-signed-condition = eine Bedingung hat kein Vorzeichen
formula-joins-conditions = „and“ und „or“ verbinden Bedingungen, keine Zahlen
formula-calculates = mit einer Bedingung lässt sich nicht rechnen oder vergleichen
formula-means-nothing = „{ $argument }“ ist in { $like } kein gültiges Argument
formula-other-numbers = { $name } hat die falschen Argumente; schreibe { $like }
formula-no-run = die Formel nennt einen unbekannten Lauf „{ $name }“
formula-no-run-try = nimm einen Lauf dieser Lektion: { $names }
formula-no-run-none-try = nimm einen Lauf dieser Lektion: kein Block darüber legt einen fest
formula-several-values = „{ $text }“ hat { $n } Werte; nimm mean(…)
formula-more-values = { $name } braucht mehr Werte
formula-other-repetitions = Läufe mit verschieden vielen Wiederholungen sind verknüpft; nimm mean(…)
formula-no-expert = dieser Lauf hat keinen Experten { $name }
formula-later-task = Task { $on } hat nach Task { $after } keine Ergebnisse
formula-one-expert = dieser Lauf hatte da keine zwei Experten
formula-fewer-tasks =
    { $n ->
        [one] dieser Lauf hat nur einen Task
       *[other] dieser Lauf hat { $n } Tasks
    }
formula-not-measured = das wurde nicht gemessen
