# Die Fenster und Leisten um die Seiten.

shell-cancel = Abbrechen
shell-close = Schließen
shell-save = Speichern
shell-choose = Wählen …
shell-clear = Leeren
shell-report-problem = Ein Problem melden …
shell-about-title = Name, Tags und Notiz
shell-about-name-hint = Ein eigener Name
shell-about-tags-hint = Wörter zum Wiederfinden, durch Kommas getrennt
shell-about-note = Notiz
shell-about-name = Name
shell-about-tags = Tags
shell-about-note-hint = Was man sich dazu merken will; { $keys } speichert
shell-about-add-tag = Tag { $tag } hinzufügen
shell-help-hint = Hilfe: Tour, Lektionen, Glossar, Tasten, Anleitung (F1)
shell-help = Hilfe
shell-palette = Befehlspalette
shell-palette-hint = Alle Befehle
shell-pages = Seiten
shell-notices = Meldungen
shell-device-looking = suche Geräte
shell-device = Gerät
shell-device-hint = Wo neue Läufe trainiert werden
shell-device-auto = Automatisch: die beste Grafikkarte, sonst der Prozessor
shell-device-place = Ein anderer Rechner: Läufe gehen dorthin, die hiesigen laufen weiter
shell-idle = Bereit
shell-run-idle = Lauf: keiner
shell-resume = Fortsetzen
shell-pause = Lauf anhalten
shell-stop = Lauf beenden
shell-notices-unread = Meldungen, { $n } ungelesen
shell-idle-waiting = { $n ->
    [one] Bereit · { $n } wartet
   *[other] Bereit · { $n } warten
}
shell-run = Lauf: { $told }
shell-elsewhere = { $n } anderswo
shell-paused = angehalten
shell-task = Task { $task } von { $tasks }
shell-waiting = { $n ->
    [one] { $n } wartet
   *[other] { $n } warten
}
shell-collect-add = Zeichnung hinzufügen
shell-collect-enter = Eingabetaste
shell-collect-files = Dateien …
shell-collect-paste = Einfügen
shell-collect-data = Einen Datensatz anlegen
shell-teach-title = Neue Klassen lehren
shell-collect-about = Zeichne Bilder in das gewählte Feld, füge sie ein oder zieh sie hinein; zehn oder mehr machen eine Klasse sicher.
shell-collect-add-class = Klasse hinzufügen
shell-collect-here = Bilder kommen hierher
shell-collect-choose = Bilder kommen zu { $class }
shell-collect-class = Name der Klasse
shell-collect-empty = Leeren
shell-collect-remove = Entfernen
shell-collect-none = Noch keine Bilder.
shell-collect-take-out = Herausnehmen
shell-collect-kept = Die Bilder werden neben deinen Läufen aufgehoben, als Ordner mit einem Unterordner je Klasse.
shell-collect-use = Als Datensatz nehmen
shell-collect-teach = Lehren
shell-collect-stays = Was in den Feldern ist, bleibt, bis das Fenster geschlossen wird
shell-collect-folder = Name des Ordners
shell-collect-put-back = Entferntes zurückholen
shell-collect-picture = Bild { $n } von { $class }
shell-deleted-title = Gelöschte Läufe
shell-deleted-looking = Suche …
shell-deleted-none = Es gibt keine.
shell-deleted-restore-all = Alle wiederherstellen
shell-deleted-erase-all = Alle endgültig löschen …
shell-deleted-restore = Wiederherstellen
shell-deleted-erase = Endgültig löschen …
shell-export-project = Für Teachable Machine (.tm)
shell-export-project-hint = Ein Projekt mit allen Klassen: Bilder werden zu Quadraten von 224 Pixeln zugeschnitten
shell-export-folder = Als Bilderordner (.zip)
shell-export-folder-hint = Ein Ordner je Klasse, die Bilder, wie sie sind
shell-export = Exportieren …
shell-export-hint = Die Bilder aller Klassen in eine Datei schreiben
shell-folders-title = Weitere Ordner mit Läufen
shell-folders-about = Die Läufe dieser Ordner stehen in allen Listen neben deinen eigenen. Das Öffnen ändert in einem Ordner nichts, und bevor die Daten seiner Läufe geöffnet werden, wirst du gefragt.
shell-folders-path-hint = Pfad eines Ordners mit Läufen, dann Eingabetaste
shell-folders-path = Ordner mit Läufen
shell-folders-add = Hinzufügen
shell-folders-gone = nicht mehr da
shell-folders-off = Von der Liste nehmen
shell-folders-off-hint = Seine Läufe stehen nicht mehr in den Listen; im Ordner wird nichts verändert
shell-folders-read-only = { $n ->
    [one] { $n } Lauf, nur lesbar
   *[other] { $n } Läufe, nur lesbar
}
shell-notices-none = Bisher nichts zu melden
shell-undo = Rückgängig
shell-notices-all = Alle Meldungen zeigen
shell-notice-bad = etwas ging schief
shell-notice-good = gute Nachricht
shell-notice-note = Hinweis
shell-path-no-dialog = Es öffnet sich kein Dateidialog.
shell-path-no-portal = Auf diesem Desktop öffnet sich kein Dateidialog: Kein Portal antwortet, und zenity fehlt.
shell-path-type = Gib den Pfad ein oder füge ihn ein.
shell-path-nothing = Unter { $path } ist nichts.
shell-path-hint = Pfad, dann Eingabetaste
shell-path = Pfad
shell-path-looking = Sehe nach …
shell-path-replace = Ersetzen
shell-path-save = Hier speichern
shell-path-folder = Diesen Ordner wählen
shell-path-open = Öffnen
shell-path-there = Diese Datei gibt es schon.
shell-path-elsewhere = Ein Dialog deines Desktops ist offen.
shell-path-instead = Stattdessen den Pfad eingeben
shell-ask-queue = { $n ->
    [one] { $n } Lauf in der Warteschlange wartet, bis du sie fortsetzt.
   *[other] { $n } Läufe in der Warteschlange warten, bis du sie fortsetzt.
}
shell-ask-stop = Training beenden?
shell-ask-stop-kept = Fertige Tasks und Epochen bleiben erhalten; der Lauf kann später fortgesetzt werden.
shell-ask-stop-yes = Beenden und speichern
shell-ask-close = Fenster schließen?
shell-ask-close-kept = Ein Lauf ist im Gang. Er wird beendet und gespeichert; beim nächsten Start kannst du ihn fortsetzen.
shell-ask-close-yes = Speichern und schließen
shell-ask-close-anyway = Trotzdem schließen
shell-ask-close-moved = Bilder, die du unter „Vorhersage“ in andere Klassen verschoben hast, sind noch nicht in ihrer Tabelle gespeichert.
shell-ask-close-gathered = { $n ->
    [one] { $n } Bild, das du gesammelt hast, ist noch nicht als Datensatz gespeichert.
   *[other] { $n } Bilder, die du gesammelt hast, sind noch nicht als Datensatz gespeichert.
}
shell-ask-close-writing = Eine Datei wird gerade geschrieben; sie bleibt nicht erhalten.
shell-ask-close-tour = Die Tour ist nicht zu Ende; die nächste beginnt wieder von vorn.
shell-ask-erase = Endgültig löschen?
shell-ask-erase-what = { $n ->
    [one] { $n } Lauf mit { $size } lässt sich danach nicht zurückholen.
   *[other] { $n } Läufe mit { $size } lassen sich danach nicht zurückholen.
}
shell-ask-erase-yes = Endgültig löschen
shell-ask-visit = Auf einem anderen Rechner nachsehen?
shell-ask-visit-what = Dieser Lauf nennt { $places }. Schon das Nachsehen verrät jenem Rechner, wer nachsieht: Tu es, wenn du ihm traust.
shell-ask-visit-yes = Nachsehen
shell-ask-stop-this = Nur diesen beenden
shell-ask-remove = Versuchsreihe aus der Warteschlange entfernen?
shell-ask-remove-at = Von { $place } entfernen?
shell-ask-remove-grid = { $title } hat { $n } Läufe. Fertige bleiben erhalten. Für die übrigen müsstest du die Versuchsreihe später neu einrichten.
shell-ask-remove-job = { $title } hat noch nicht begonnen. Um es später zu starten, müsstest du es neu einrichten.
shell-ask-remove-yes = Entfernen
shell-ask-stop-at = Auf { $place } beenden?
shell-ask-stop-at-kept = { $title } wird beendet. Fertige Tasks und Epochen werden auf diesen Rechner kopiert; der Lauf kann später fortgesetzt werden.
shell-ask-stop-grid-kept = { $title } wird beendet; { $done } von { $n } Läufen sind fertig. Sie bleiben erhalten, und der laufende wird gespeichert.
shell-ask-end-grid = Versuchsreihe auf dem Cluster beenden?
shell-ask-end-grid-what = { $grid }: { $waiting } Aufträge warten, { $running } laufen. Alle werden beendet; was sie gespeichert haben, bleibt erhalten.
shell-ask-end-grid-yes = Versuchsreihe beenden
shell-ask-moves = Verschobene Bilder verwerfen?
shell-ask-moves-what = Bilder, die du in andere Klassen verschoben hast, sind noch nicht in { $table } gespeichert.
shell-ask-moves-yes = Verwerfen
shell-ask-tour = Tour verlassen?
shell-ask-tour-what = Deine Zeichnungen werden entfernt, und ein laufendes Training der Tour wird beendet. Die nächste Tour beginnt wieder von vorn.
shell-ask-tour-yes = Verlassen
shell-ask-answers = Diese Lektion neu beginnen?
shell-ask-answers-what = Deine Antworten auf ihre Fragen werden gelöscht. Die Läufe bleiben.
shell-ask-answers-yes = Antworten löschen
shell-ask-text = Dieses Plugin löschen?
shell-ask-text-what = { $name } wurde nie als Datei gespeichert und lässt sich nicht zurückholen.
shell-ask-text-yes = Löschen
shell-report-title = Ein Problem melden
shell-report-about = Das ist alles, was der Bericht enthält: Versionen, Einstellungen und das Protokoll, nie Bilder, Namen von Klassen oder Daten. Nichts wird gesendet; du entscheidest, was aus der Datei wird.
shell-report-gathering = Versionen, Einstellungen und Protokoll werden gesammelt …
shell-report-as = Bericht speichern unter
shell-report-save = Bericht speichern
shell-tags-all-have = Alle haben ihn
shell-tags-all-get = Alle bekommen ihn
shell-tags-all-lose = Alle verlieren ihn
shell-tags-field = Tags für alle
shell-tags-hint = Wörter zum Wiederfinden, durch Kommas getrennt
shell-tags-these = Diese haben sie; klicke auf einen, um ihn für alle zu ändern:
shell-tags-share = { $n } von { $of }
shell-tags-have = { $share } haben ihn
shell-tags-all = alle
shell-tags-none = keiner
shell-tags-title = { $n ->
    [one] Tags von { $n } Lauf
   *[other] Tags von { $n } Läufen
}
shell-take = Mitnehmen …
shell-take-torch = Für PyTorch
shell-take-peft = Als LoRA für peft
shell-take-onnx = Als ONNX
shell-teach-about = Zeichne oder sammle hier Bilder, wähle einen Ordner mit einem Unterordner Bilder je Klasse oder zieh ihn auf dieses Fenster: 5 bis 50 Bilder je Klasse genügen. Sie werden der nächste Task des Laufs, gelernt mit seiner eigenen Methode. Alte Bilder sind nicht nötig; die neuen werden in den Lauf kopiert.
shell-teach-gather = Zeichnen oder sammeln …
shell-teach-folder = Ordner wählen …
shell-teach-other = Anderer Ordner …
shell-teach-looking = Die Bilder werden angesehen
shell-teach-yes = { $n ->
    [one] { $n } Klasse lehren
   *[other] { $n } Klassen lehren
}
shell-teach-undo = Letzten zusätzlichen Task zurücknehmen: { $classes }
shell-teach-found = { $classes }: { $pictures } zum Lernen, { $tests } zum Prüfen.
shell-drop-box = Zieh Bilder in das gewählte Feld
shell-drop-teach = Zieh einen Ordner mit einem Unterordner je neuer Klasse hierher
shell-drop-compare = Zieh einen Ordner mit Läufen her, um sie aufzulisten, oder ein Bild, um danach zu fragen
shell-drop-predict = Zieh Bilder her, um nach ihnen zu fragen, oder einen Ordner, um alle vorherzusagen
shell-drop-data = Zieh einen Ordner her, um die Daten zu wählen, oder ein Bild, um danach zu fragen
part-commands = Befehle
part-notices = Meldungen
part-report = Problem melden
part-about = Über einen Lauf
part-tags = Tags
part-deleted = Gelöschte Läufe
part-help = Hilfe
part-folders = Ordner mit Läufen
part-path = Dateien wählen
part-drop = Dateien hereinziehen
part-teach = Lehren
part-question = Frage
part-top-bar = Obere Leiste
part-frame-times = Bildzeiten
part-newest-notice = Neueste Meldung
part-presenter = Ansicht für den Beamer
part-collect = Bilder sammeln
part-news = Neuigkeiten
part-chosen = gewählte Dateien
part-dropped = hereingezogene Dateien
part-finished = fertige Läufe
part-figures = Diagramme
part-focus = Fokus
part-closing = Schließen
part-settings = Einstellungen
shell-pair-done = die zusammengehörigen Läufe sind fertig
shell-pair-done-advice = die Seite Vergleich zeigt sie nebeneinander
shell-copied-numbers = Die Zahlen sind in der Zwischenablage
shell-copied-picture = Das Bild ist in der Zwischenablage
shell-copied-command = Der Befehl ist in der Zwischenablage
shell-copied-command-now = Der Befehl ist in der Zwischenablage; er nutzt die korrigierten Labels, wie sie jetzt gelistet sind
shell-data-kept = { $mine } bleibt der Datensatz: Er hat so viele Klassen wie { $its }
page-experiment = Experiment
page-train = Training
page-compare = Vergleich
page-predict = Vorhersage
page-plugins = Plugins
page-learn = Lernen
shell-fence-again = Noch einmal versuchen
shell-fence-afresh = Seite von vorn beginnen
shell-fence-afresh-hint = Was sich die Seite gemerkt hat, geht verloren: Filter, Markierungen, was darauf geöffnet oder eingegeben war
shell-fence-advice = versuche es noch einmal oder mach anderswo weiter: Der Rest des Fensters und ein Lauf im Gang sind nicht betroffen; scheitert es wieder, melde es
shell-fence-behind = das Training geht weiter und wird gespeichert wie immer; was das Fenster zeigt, kann veraltet sein: Bleibt es so, starte das Programm neu und melde es
part-asked = was verlangt wurde
shell-fence-fault = { $part } sollte scheitern
shell-fence-fell = ein interner Fehler hat diesen Teil des Fensters beendet: { $words }
shell-resume-on = Fortsetzen auf …
shell-resume-began = Er wurde auf { $device } trainiert
shell-resume-at = Auf { $place }
shell-data-lies = Die Bilder des Laufs liegen in { $place }.
shell-data-open = Diesen Datensatz öffnen
shell-frames = erstes Bild nach { $first } ms · { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} · ganz: { $whole } · nur Seiten: { $pages }
shell-frames-of = p50 { $half } ms, p95 { $most } ms
shell-canvas = Zeichenfläche
shell-canvas-draw = Zeichne hier
shell-pasted = eingefügtes Bild
shell-step-ready = bereit
shell-step-working = arbeitet
shell-step-wrong = braucht Aufmerksamkeit
shell-stops = Wissen nach Task
shell-places-note = Läufe und Versuchsreihen gehen dorthin. Proben, Suchen, Prüfungen und hinzugefügte Tasks macht dieser Rechner.
