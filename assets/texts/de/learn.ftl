# Die Seite Lernen und ihre Lektionen.

learn-title = Lernen
learn-about-one-minute = etwa eine Minute
learn-about-minutes = etwa { $n } Minuten
learn-open-lesson = Öffnen
learn-all-lessons = Alle Lektionen
learn-loading-lessons = Lektionen werden geladen …
learn-own-lessons = Deine eigenen Lektionen
learn-own-lessons-folder = Um eigene Lektionen hinzuzufügen, lege sie in den Ordner { $folder }.
learn-reload = Neu laden
learn-open-folder = Ordner öffnen
learn-new-lesson = Neue Lektion aus der Vorlage
learn-end-all-lessons = Alle Lektionen
learn-lesson-end = Ende der Lektion
learn-next-lesson = Weiter: { $title }
learn-all-questions-answered = alle Fragen beantwortet
learn-questions-answered = { $done } von { $all } Fragen beantwortet
learn-runs-finished = { $done } von { $all } Läufen fertig
learn-train = Trainieren
learn-train-remaining = Den Rest trainieren
learn-try-again = Noch einmal versuchen
learn-runs-to-train = Läufe zu trainieren
learn-added-task = Hinzugefügter Task: { $run } lernt { $source }
learn-teach-source = { $source } lehren
learn-teach-own-images = Eigene Bilder lehren …
learn-accesses-places = Greift zu auf { $places }
learn-train-run-first = Trainiere zuerst den Lauf weiter oben.
learn-queued = steht in der Warteschlange
learn-on-hold = angehalten
learn-resume-queue = Warteschlange fortsetzen
learn-share-done = { $share } fertig
learn-share-done-time-left = { $share } fertig, noch { $time }
learn-finished = fertig
learn-finished-of = { $done } von { $all } fertig
learn-reused-run = wieder verwendet: trainiert { $time }
learn-ended-early = endete vorzeitig
learn-available-after-runs = Verfügbar nach den Läufen.
learn-show-numbers = Zahlen zeigen
learn-check-answer = Prüfen
learn-your-number = Deine Zahl
learn-answer-to-continue = Beantworte die Frage, um fortzufahren.
learn-runs-to-continue = Die Lektion geht weiter, wenn ihre Läufe fertig sind.
learn-save-summary = Zusammenfassung speichern…
learn-summary-answer = Deine Antwort: { $answer }
learn-summary-correct = Richtige Antwort: { $answer }
learn-restart-lesson = Lektion neu beginnen
learn-restart-lesson-hint = Löscht deine Antworten, sodass du noch einmal raten kannst, bevor du die Ergebnisse siehst. Du kannst die Läufe behalten oder neu trainieren.
learn-guess-saved = Gespeichert. Die Läufe werden die Antwort zeigen.
learn-answer-right = Richtig.
learn-answer-wrong = Nicht ganz.
learn-guess-right = Du hast richtig geraten.
learn-guess-wrong = Das Ergebnis ist anders: { $answer }.
learn-enter-number = Gib eine Zahl ein, etwa 12,5.
learn-answer-unavailable = Die Antwort ist nicht verfügbar: { $why }.
learn-task-number = Task { $n }
learn-distance-axis = Abstand zwischen Online- und Offline-Experte, in % des Offline-Experten
lesson-too-many-parts = diese Lektion hat mehr als { $n } Teile
lesson-too-many-parts-advice = teile sie in mehrere Lektionen
lesson-no-title = diese Lektion beginnt nicht mit ihrem Titel
lesson-no-title-advice = beginne die Datei mit einer Zeile +++, dann title, minutes und order, dann noch eine Zeile +++
lesson-no-such-block = unbekannter Block „{ $name }“
lesson-no-such-block-advice = möglich sind { $names }; Code zum Lesen heißt text oder sh
lesson-duplicate-block-name = zwei Blöcke heißen „{ $name }“
lesson-duplicate-block-name-advice = gib jedem einen eigenen Namen
lesson-too-many-runs = diese Lektion hat { $n } Läufe
lesson-too-many-runs-advice = nimm höchstens { $n } Läufe
lesson-runs-not-tables = „runs“ ist keine Liste von Tabellen
lesson-runs-not-tables-advice = beginne jeden Lauf mit einer Zeile [[runs]]
lesson-run-without-name = ein Lauf hat keinen Namen
lesson-name-advice = gib ihm einen Namen aus kleinen Buchstaben, Ziffern und _, der mit einem Buchstaben beginnt
lesson-setting-advice = gib die Einstellungen von `lae-studio train` an, mit _ statt -; zusätzliche Schlüssel eines Laufs sind { $names }
lesson-problem-in-run = Lauf { $name }: { $what }
lesson-block-too-many-runs = dieser Block hat { $n } Läufe
lesson-block-too-many-runs-advice = nimm 1 bis { $n } Läufe je Block
lesson-too-many-conditions = dieser Block hat mehr als { $n } Bedingungen
lesson-too-many-conditions-advice = verbinde Bedingungen mit and
lesson-name-invalid = „{ $name }“ ist hier kein gültiger Name
lesson-no-such-run = diese Lektion hat keinen Lauf „{ $name }“
lesson-no-such-run-advice = nenne einen von { $names }
lesson-block-unreadable = dieser Block ist nicht lesbar: { $why }
lesson-block-unreadable-advice = korrigiere ihn; docs/lessons/README.md beschreibt jeden Block
lesson-value-no-string = „{ $key }“ ist kein Text
lesson-value-no-string-advice = setze es in Anführungszeichen
lesson-list-invalid = „{ $key }“ ist keine gültige Liste
lesson-list-invalid-advice = schreibe orders = ["natural", "seed:1"] oder seeds = [0, 1]
lesson-created = neue Lektion angelegt
lesson-created-advice = bearbeite sie in einem Texteditor und drücke dann auf der Seite Lernen „Neu laden“
lesson-no-data-folder = dieses System hat keinen Ordner für Anwendungsdaten
lesson-no-data-folder-advice = starte lae-studio mit --portable
lesson-names-taken = alle Namen für neue Lektionen sind vergeben
lesson-names-taken-advice = benenne einige deiner Lektionen um
lesson-choice-count =
    { $n ->
        [one] die Frage { $name } hat nur eine Antwort zur Wahl
       *[other] die Frage { $name } hat { $n } Antworten zur Wahl
    }
lesson-choice-count-advice = gib 2 bis { $n } Antworten an
lesson-no-right-choice = die Frage { $name } sagt nicht, welche Antwort richtig ist
lesson-no-right-choice-advice = gib right = eine Zahl von 1 bis { $n } an, oder holds = je Antwort eine Bedingung, der Reihe nach
lesson-no-answer = die Frage { $name } hat keine Antwort
lesson-no-answer-advice = gib choices = […] mit right oder holds an, oder answer = eine Formel
lesson-figure-run-count = eine Abbildung muss 1 bis 8 Läufe haben
lesson-figure-run-count-advice = nenne sie in runs = […]
lesson-figure-value-missing = eine Abbildung der Art { $kind } braucht einen Wert
lesson-figure-value-missing-advice = gib value = eine Formel mit run an, wie "forgetting(run)"
lesson-no-such-figure = unbekannte Abbildungsart „{ $kind }“
lesson-no-such-figure-advice = wähle eine von { $names }
lesson-too-many-columns = diese Tabelle hat { $n } Spalten
lesson-too-many-columns-advice = nimm höchstens { $n } Spalten
lesson-not-found = es gibt keine Lektion namens „{ $name }“
lesson-not-found-advice = möglich sind { $names } oder eine Datei, die auf .md endet
formula-number-expected = hier wird eine Zahl gebraucht, keine Bedingung
formula-condition-expected = hier wird eine Bedingung gebraucht, keine Zahl
formula-problem-in-text = { $what }, in „{ $text }“
formula-example-advice = schreibe eine Formel wie forgetting(a) > 2 * forgetting(b); verfügbare Funktionen: { $names }
formula-name-not-number = „{ $name }“ ist keine Zahl
formula-name-not-number-advice = frage nach einer Zahl des Laufs, wie accuracy({ $name })
formula-unknown-function = unbekannte Funktion „{ $name }“
formula-takes-numbers = { $name } nimmt Zahlen
formula-signed-condition = eine Bedingung hat kein Vorzeichen
formula-and-joins-conditions = „and“ und „or“ verbinden Bedingungen, keine Zahlen
formula-condition-in-arithmetic = mit einer Bedingung lässt sich nicht rechnen oder vergleichen
formula-argument-invalid = „{ $argument }“ ist in { $like } kein gültiges Argument
formula-wrong-arguments = { $name } hat die falschen Argumente; schreibe { $like }
formula-unknown-run = die Formel nennt einen unbekannten Lauf „{ $name }“
formula-unknown-run-advice = nimm einen Lauf dieser Lektion: { $names }
formula-no-runs-defined-advice = nimm einen Lauf dieser Lektion: kein Block darüber legt einen fest
formula-several-values = „{ $text }“ hat { $n } Werte; nimm mean(…)
formula-needs-more-values = { $name } braucht mehr Werte
formula-repetitions-differ = Läufe mit verschieden vielen Wiederholungen sind verknüpft; nimm mean(…)
formula-no-expert = dieser Lauf hat keinen Experten { $name }
formula-no-results-after-task = Task { $on } hat nach Task { $after } keine Ergebnisse
formula-one-expert = dieser Lauf hatte da keine zwei Experten
formula-task-count =
    { $n ->
        [one] dieser Lauf hat nur einen Task
       *[other] dieser Lauf hat { $n } Tasks
    }
formula-not-measured = das wurde nicht gemessen
