# Die Fenster und Leisten um die Seiten.

shell-cancel = Abbrechen
shell-close = Schließen
shell-save = Speichern
shell-choose = Wählen …
shell-clear = Leeren
shell-report-problem = Ein Problem melden …
shell-about-title = Name, Tags und Notiz
shell-about-name-hint = Dein Name für diesen Lauf
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
shell-device-auto = Automatisch: die beste GPU, sonst die CPU
shell-device-place = Neue Läufe auf einem anderen Rechner trainieren; die hiesigen laufen weiter
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
shell-collect-about = Zeichne Bilder in das gewählte Feld, füge sie ein oder zieh sie hinein. Zehn oder mehr je Klasse geben verlässliche Ergebnisse.
shell-collect-add-class = Klasse hinzufügen
shell-collect-here = Bilder dieser Klasse hinzufügen
shell-collect-choose = Bilder zu { $class } hinzufügen
shell-collect-class = Name der Klasse
shell-collect-empty = Bilder entfernen
shell-collect-remove = Entfernen
shell-collect-none = Noch keine Bilder
shell-collect-take-out = Bild entfernen
shell-collect-kept = Die Bilder werden neben deinen Läufen gespeichert, in einem Ordner mit einem Unterordner je Klasse.
shell-collect-use = Als Datensatz verwenden
shell-collect-teach = Lehren
shell-collect-stays = Die Bilder bleiben hier, bis du das Fenster schließt
shell-collect-folder = Name des Ordners
shell-collect-put-back = Entfernen rückgängig machen
shell-collect-picture = Bild { $n } von { $class }
shell-deleted-title = Gelöschte Läufe
shell-deleted-looking = Wird geladen …
shell-deleted-none = Keine gelöschten Läufe
shell-deleted-restore-all = Alle wiederherstellen
shell-deleted-erase-all = Alle endgültig löschen …
shell-deleted-restore = Wiederherstellen
shell-deleted-erase = Endgültig löschen …
shell-export-project = Für Teachable Machine (.tm)
shell-export-project-hint = Ein Projekt mit allen Klassen; Bilder werden auf 224 × 224 Pixel zugeschnitten
shell-export-folder = Als Bilderordner (.zip)
shell-export-folder-hint = Ein Ordner je Klasse; die Bilder bleiben unverändert
shell-export = Exportieren …
shell-export-hint = Die Bilder aller Klassen in eine Datei schreiben
shell-folders-title = Weitere Ordner mit Läufen
shell-folders-about = Die Läufe dieser Ordner stehen in allen Listen neben deinen eigenen. Das Öffnen ändert in einem Ordner nichts. Bevor die Daten seiner Läufe geöffnet werden, wirst du gefragt.
shell-folders-path-hint = Pfad eines Ordners mit Läufen, dann Eingabetaste
shell-folders-path = Ordner mit Läufen
shell-folders-add = Hinzufügen
shell-folders-gone = nicht mehr vorhanden
shell-folders-off = Entfernen
shell-folders-off-hint = Entfernt seine Läufe aus allen Listen; die Dateien bleiben
shell-folders-read-only = { $n ->
    [one] { $n } Lauf, schreibgeschützt
   *[other] { $n } Läufe, schreibgeschützt
}
shell-notices-none = Keine Meldungen
shell-undo = Rückgängig
shell-notices-all = Alle Meldungen zeigen
shell-notice-bad = Fehler
shell-notice-good = Erfolg
shell-notice-note = Hinweis
shell-path-no-dialog = Der Dateidialog hat sich nicht geöffnet.
shell-path-no-portal = Auf diesem Desktop gibt es keinen Dateidialog: Kein Portal antwortet, und zenity ist nicht installiert.
shell-path-type = Gib einen Pfad ein oder füge ihn ein.
shell-path-nothing = { $path } gibt es nicht.
shell-path-hint = Pfad, dann Eingabetaste
shell-path = Pfad
shell-path-looking = Wird geprüft …
shell-path-replace = Ersetzen
shell-path-save = Hier speichern
shell-path-folder = Diesen Ordner wählen
shell-path-open = Öffnen
shell-path-there = Diese Datei gibt es schon.
shell-path-elsewhere = Ein Dateidialog ist offen.
shell-path-instead = Stattdessen einen Pfad eingeben
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
shell-ask-close-moved = Die Bilder, die du unter „Vorhersage“ in andere Klassen verschoben hast, sind noch nicht in ihrer Tabelle gespeichert.
shell-ask-close-gathered = { $n ->
    [one] { $n } Bild, das du gesammelt hast, ist noch nicht als Datensatz gespeichert.
   *[other] { $n } Bilder, die du gesammelt hast, sind noch nicht als Datensatz gespeichert.
}
shell-ask-close-writing = Eine Datei wird gerade geschrieben und geht verloren.
shell-ask-close-tour = Die Tour ist nicht zu Ende; die nächste beginnt wieder von vorn.
shell-ask-erase = Endgültig löschen?
shell-ask-erase-what = { $n ->
    [one] { $n } Lauf ({ $size }) wird gelöscht. Das lässt sich nicht rückgängig machen.
   *[other] { $n } Läufe ({ $size }) werden gelöscht. Das lässt sich nicht rückgängig machen.
}
shell-ask-erase-yes = Endgültig löschen
shell-ask-visit = Auf einen anderen Rechner zugreifen?
shell-ask-visit-what = Dieser Lauf verweist auf { $places }. Ein Zugriff verrät jenem Rechner, wer du bist. Fahre nur fort, wenn du ihm traust.
shell-ask-visit-yes = Zugreifen
shell-ask-stop-this = Nur diesen Lauf beenden
shell-ask-remove = Versuchsreihe aus der Warteschlange entfernen?
shell-ask-remove-at = Von { $place } entfernen?
shell-ask-remove-grid = { $title } hat { $n } Läufe. Fertige bleiben erhalten. Um die übrigen später zu trainieren, müsstest du die Versuchsreihe neu einrichten.
shell-ask-remove-job = { $title } hat noch nicht begonnen. Um es später zu starten, müsstest du es neu einrichten.
shell-ask-remove-yes = Entfernen
shell-ask-stop-at = Auf { $place } beenden?
shell-ask-stop-at-kept = { $title } wird beendet. Fertige Tasks und Epochen werden auf diesen Rechner kopiert; der Lauf kann später fortgesetzt werden.
shell-ask-stop-grid-kept = { $title } wird beendet; { $done } von { $n } Läufen sind fertig. Sie bleiben erhalten, und der laufende wird gespeichert.
shell-ask-end-grid = Versuchsreihe auf dem Cluster beenden?
shell-ask-end-grid-what = { $grid }: { $waiting } Aufträge warten, { $running } laufen. Alle werden beendet; gespeicherte Ergebnisse bleiben erhalten.
shell-ask-end-grid-yes = Versuchsreihe beenden
shell-ask-moves = Verschobene Bilder verwerfen?
shell-ask-moves-what = Die Bilder, die du in andere Klassen verschoben hast, sind noch nicht in { $table } gespeichert.
shell-ask-moves-yes = Verwerfen
shell-ask-tour = Tour verlassen?
shell-ask-tour-what = Deine Zeichnungen werden entfernt, und ein laufendes Training der Tour wird beendet. Die nächste Tour beginnt wieder von vorn.
shell-ask-tour-yes = Verlassen
shell-ask-answers = Diese Lektion neu beginnen?
shell-ask-answers-what = Deine Antworten werden gelöscht. Die Läufe bleiben.
shell-ask-answers-yes = Antworten löschen
shell-ask-text = Dieses Plugin löschen?
shell-ask-text-what = { $name } wurde nicht als Datei gespeichert. Das lässt sich nicht rückgängig machen.
shell-ask-text-yes = Löschen
shell-report-title = Ein Problem melden
shell-report-about = Der Bericht enthält nur Versionen, Einstellungen und das Protokoll, keine Bilder, Klassennamen oder Daten. Nichts wird gesendet: Du entscheidest, was mit der Datei geschieht.
shell-report-gathering = Versionen, Einstellungen und Protokoll werden gesammelt …
shell-report-as = Bericht speichern unter
shell-report-save = Bericht speichern
shell-tags-all-have = Alle Läufe haben ihn
shell-tags-all-get = Allen hinzufügen
shell-tags-all-lose = Bei allen entfernen
shell-tags-field = Tags für alle Läufe
shell-tags-hint = Wörter zum Wiederfinden, durch Kommas getrennt
shell-tags-these = Vorhandene Tags; klicke auf einen, um ihn für alle Läufe zu ändern:
shell-tags-share = { $n } von { $of }
shell-tags-have = { $share } haben ihn
shell-tags-all = alle
shell-tags-none = keiner
shell-tags-title = { $n ->
    [one] Tags von { $n } Lauf
   *[other] Tags von { $n } Läufen
}
shell-take = Modell exportieren …
shell-take-torch = Für PyTorch
shell-take-peft = Als LoRA für peft
shell-take-onnx = Als ONNX
shell-teach-about = Zeichne oder sammle hier Bilder, wähle einen Ordner mit einem Unterordner Bilder je Klasse oder zieh ihn auf dieses Fenster. 5 bis 50 Bilder je Klasse genügen. Sie werden der nächste Task des Laufs und mit seiner eigenen Methode gelernt. Bilder früherer Tasks sind nicht nötig; die neuen werden in den Lauf kopiert.
shell-teach-gather = Zeichnen oder sammeln …
shell-teach-folder = Ordner wählen …
shell-teach-other = Anderer Ordner …
shell-teach-looking = Die Bilder werden geprüft
shell-teach-yes = { $n ->
    [one] { $n } Klasse lehren
   *[other] { $n } Klassen lehren
}
shell-teach-undo = Letzten zusätzlichen Task rückgängig machen: { $classes }
shell-teach-found = { $classes }: { $pictures } zum Training, { $tests } zum Testen.
shell-drop-box = Zieh Bilder in das gewählte Feld
shell-drop-teach = Zieh einen Ordner mit einem Unterordner je neuer Klasse hierher
shell-drop-compare = Zieh einen Ordner mit Läufen her, um ihn aufzulisten, oder ein Bild, um es vorherzusagen
shell-drop-predict = Zieh Bilder oder einen Ordner mit Bildern her, um sie vorherzusagen
shell-drop-data = Zieh einen Ordner her, um ihn als Daten zu verwenden, oder ein Bild, um es vorherzusagen
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
shell-pair-done-advice = öffne die Seite Vergleich, um sie nebeneinander zu sehen
shell-copied-numbers = Zahlen in die Zwischenablage kopiert
shell-copied-picture = Bild in die Zwischenablage kopiert
shell-copied-command = Befehl in die Zwischenablage kopiert
shell-copied-command-now = Befehl in die Zwischenablage kopiert; er nutzt die jetzige Liste der korrigierten Labels
shell-data-kept = { $mine } bleibt der Datensatz: Er hat so viele Klassen wie { $its }
page-experiment = Experiment
page-train = Training
page-compare = Vergleich
page-predict = Vorhersage
page-plugins = Plugins
page-learn = Lernen
shell-fence-again = Noch einmal versuchen
shell-fence-afresh = Seite zurücksetzen
shell-fence-afresh-hint = Setzt Filter, Auswahl und Eingaben dieser Seite zurück
shell-fence-advice = versuche es noch einmal oder mach anderswo weiter: Der Rest des Fensters und ein laufender Lauf sind nicht betroffen; scheitert es wieder, melde das Problem
shell-fence-behind = das Training geht weiter und wird wie gewohnt gespeichert, aber das Fenster kann veraltet sein; bleibt es so, starte das Programm neu und melde das Problem
part-asked = letzter Befehl
shell-fence-fault = Testfehler in { $part }
shell-fence-fell = ein interner Fehler hat diesen Teil des Fensters beendet: { $words }
shell-resume-on = Fortsetzen auf …
shell-resume-began = Bisher auf { $device } trainiert
shell-resume-at = Auf { $place }
shell-data-lies = Die Bilder des Laufs liegen in { $place }.
shell-data-open = Diesen Datensatz öffnen
shell-frames = erstes Bild nach { $first } ms · { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} · gesamt: { $whole } · nur Seiten: { $pages }
shell-frames-of = p50 { $half } ms, p95 { $most } ms
shell-canvas = Zeichenfläche
shell-canvas-draw = Zeichne hier
shell-pasted = eingefügtes Bild
shell-step-ready = bereit
shell-step-working = arbeitet
shell-step-wrong = braucht Aufmerksamkeit
shell-stops = Stand nach Task
shell-places-note = Läufe und Versuchsreihen werden dorthin geschickt. Proben, Suchen, Prüfungen und hinzugefügte Tasks laufen auf diesem Rechner.
