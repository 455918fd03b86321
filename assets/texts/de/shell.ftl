# Die Fenster und Leisten um die Seiten.

shell-cancel = Abbrechen
shell-close = Schließen
shell-save = Speichern
shell-choose = Wählen …
shell-clear = Leeren
shell-report-problem = Ein Problem melden …
shell-run-about-title = Name, Tags und Notiz
shell-run-name-hint = Dein eigener Name für diesen Lauf
shell-run-tags-hint = Suchbegriffe, durch Kommas getrennt
shell-run-note = Notiz
shell-run-name = Name
shell-run-tags = Tags
shell-run-note-hint = Notizen zu diesem Lauf; { $keys } speichert sie
shell-run-add-tag = Tag { $tag } hinzufügen
shell-already-started = ein Lauf mit diesen Einstellungen wartet schon oder wird gerade trainiert
shell-already-started-advice = um einen weiteren Lauf damit zu trainieren, drücke unter Experiment „Training starten“
shell-help-hint = Hilfe: Tour, Lektionen, Glossar, Tastenkürzel, Anleitung (F1)
shell-help = Hilfe
shell-palette = Befehlspalette
shell-palette-hint = Alle Befehle
shell-pages = Seiten
shell-notices = Meldungen
shell-device-detecting = suche Geräte
shell-device-hint = Wo neue Läufe trainiert werden
shell-device-auto = Automatisch: die beste GPU, sonst die CPU
shell-device-place = Neue Läufe auf einem anderen Rechner trainieren; Läufe auf diesem gehen weiter
shell-idle = Bereit
shell-run-idle = Lauf: bereit
shell-resume-run = Fortsetzen
shell-pause-run = Lauf anhalten
shell-stop-run = Lauf beenden
shell-notices-unread = Meldungen, { $n } ungelesen
shell-idle-runs-waiting = { $n ->
    [one] Bereit · { $n } wartet
   *[other] Bereit · { $n } warten
}
shell-run-progress = Lauf: { $told }
shell-runs-elsewhere = { $n } auf anderen Rechnern
shell-paused = angehalten
shell-task-of-tasks = Task { $task } von { $tasks }
shell-runs-waiting = { $n ->
    [one] { $n } wartet
   *[other] { $n } warten
}
shell-collect-add-drawing = Zeichnung hinzufügen
shell-collect-enter = Eingabetaste
shell-collect-files = Dateien …
shell-collect-paste = Einfügen
shell-collect-create-dataset = Einen Datensatz anlegen
shell-teach-title = Neue Klassen lehren
shell-collect-about = Zeichne Bilder in die gewählte Klasse, füge sie ein oder zieh sie hinein. Zehn oder mehr Bilder je Klasse geben verlässliche Ergebnisse.
shell-collect-add-class = Klasse hinzufügen
shell-collect-add-images = Bilder dieser Klasse hinzufügen
shell-collect-add-images-to = Bilder zu { $class } hinzufügen
shell-collect-class-name = Name der Klasse
shell-collect-remove-images = Bilder entfernen
shell-collect-remove = Entfernen
shell-collect-class-known = Der Lauf kennt { $class } schon. Die Bilder kommen zu dieser Klasse dazu.
shell-collect-no-images = Noch keine Bilder
shell-collect-remove-image = Bild entfernen
shell-collect-where-saved = Die Bilder werden neben deinen Läufen gespeichert, in einem Ordner mit einem Unterordner je Klasse.
shell-collect-use-as-dataset = Als Datensatz verwenden
shell-collect-teach = Lehren
shell-collect-images-kept = Die Bilder bleiben hier
shell-collect-folder-name = Name des Ordners
shell-collect-undo-remove = Entfernen rückgängig machen
shell-collect-image-of = Bild { $n } von { $class }
shell-deleted-title = Gelöschte Läufe
shell-deleted-loading = Wird geladen …
shell-deleted-none = Keine gelöschten Läufe
shell-deleted-restore-all = Alle wiederherstellen
shell-deleted-delete-all = Alle endgültig löschen …
shell-deleted-restore = Wiederherstellen
shell-deleted-delete = Endgültig löschen …
shell-export-teachable-machine = Für Teachable Machine (.tm)
shell-export-teachable-machine-hint = Ein Projekt mit allen Klassen; Bilder werden auf 224 × 224 Pixel zugeschnitten
shell-export-zip = Als Bilderordner (.zip)
shell-export-zip-hint = Ein Ordner je Klasse; die Bilder bleiben unverändert
shell-export = Exportieren …
shell-export-hint = Die Bilder aller Klassen in einer Datei speichern
shell-folders-title = Weitere Ordner mit Läufen
shell-folders-about = Läufe in diesen Ordnern erscheinen in allen Listen neben deinen eigenen. Das Öffnen ändert nichts in einem Ordner. Bevor die Daten dieser Läufe geöffnet werden, wirst du gefragt.
shell-folders-path-hint = Pfad eines Ordners mit Läufen, dann Eingabetaste
shell-folders-path = Ordner mit Läufen
shell-folders-add = Hinzufügen
shell-folders-missing = nicht mehr vorhanden
shell-folders-remove = Entfernen
shell-folders-remove-hint = Entfernt seine Läufe aus allen Listen; die Dateien bleiben erhalten
shell-folders-read-only = { $n ->
    [one] { $n } Lauf, schreibgeschützt
   *[other] { $n } Läufe, schreibgeschützt
}
shell-notices-none = Keine Meldungen
shell-undo = Rückgängig
shell-notices-all = Alle Meldungen zeigen
shell-notice-error = Fehler
shell-notice-success = Erfolg
shell-notice-note = Hinweis
shell-path-no-dialog = Der Dateidialog hat sich nicht geöffnet.
shell-path-no-portal = Auf diesem Desktop gibt es keinen Dateidialog: Kein Portal antwortet, und zenity ist nicht installiert.
shell-path-type = Gib einen Pfad ein oder füge ihn ein.
shell-path-missing = { $path } gibt es nicht.
shell-path-hint = Pfad, dann Eingabetaste
shell-path = Pfad
shell-path-checking = Wird geprüft …
shell-path-replace = Ersetzen
shell-path-save-here = Hier speichern
shell-path-choose-folder = Diesen Ordner wählen
shell-path-open = Öffnen
shell-path-file-exists = Diese Datei gibt es schon.
shell-path-dialog-open = Ein Dateidialog ist offen.
shell-path-type-instead = Stattdessen einen Pfad eingeben
shell-ask-queued-runs-wait = { $n ->
    [one] { $n } Lauf in der Warteschlange wartet, bis du sie fortsetzt.
   *[other] { $n } Läufe in der Warteschlange warten, bis du sie fortsetzt.
}
shell-ask-stop = Training beenden?
shell-ask-stop-kept = { $title } wird beendet. Fertige Tasks und Epochen bleiben erhalten; du kannst den Lauf später fortsetzen.
shell-ask-stop-yes = Beenden und speichern
shell-ask-close = Fenster schließen?
shell-ask-close-kept = Gerade läuft ein Training. Es wird beendet und gespeichert; nach dem nächsten Start kannst du es fortsetzen.
shell-ask-close-yes = Speichern und schließen
shell-ask-close-anyway = Trotzdem schließen
shell-ask-close-moved = Die Bilder, die du unter Vorhersage in andere Klassen verschoben hast, sind noch nicht in ihrer Tabelle gespeichert.
shell-ask-close-collected = { $n ->
    [one] { $n } Bild, das du gesammelt hast, ist noch nicht als Datensatz gespeichert.
   *[other] { $n } Bilder, die du gesammelt hast, sind noch nicht als Datensatz gespeichert.
}
shell-ask-close-writing = Eine Datei wird gerade geschrieben und geht verloren.
shell-ask-close-tour = Die Tour ist nicht zu Ende; das nächste Mal beginnt sie von vorn.
shell-ask-delete = Endgültig löschen?
shell-ask-delete-what = { $n ->
    [one] { $n } Lauf ({ $size }) wird gelöscht. Das lässt sich nicht rückgängig machen.
   *[other] { $n } Läufe ({ $size }) werden gelöscht. Das lässt sich nicht rückgängig machen.
}
shell-ask-delete-yes = Endgültig löschen
shell-ask-access = Auf einen anderen Rechner zugreifen?
shell-ask-access-what = Dieser Lauf verweist auf { $places }. Ein Zugriff verrät diesem Rechner, wer du bist. Fahre nur fort, wenn du ihm vertraust.
shell-ask-access-yes = Zugreifen
shell-ask-stop-this = Nur diesen Lauf beenden
shell-ask-remove = Versuchsreihe aus der Warteschlange entfernen?
shell-ask-remove-at = Von { $place } entfernen?
shell-ask-remove-grid = { $title } hat { $n } Läufe. Fertige Läufe bleiben erhalten. Um die anderen später zu trainieren, musst du die Versuchsreihe neu einrichten.
shell-ask-remove-job = { $title } hat noch nicht begonnen. Um es später zu starten, musst du es neu einrichten.
shell-ask-remove-yes = Entfernen
shell-ask-stop-at = Auf { $place } beenden?
shell-ask-stop-at-kept = { $title } wird beendet. Fertige Tasks und Epochen werden auf diesen Rechner kopiert; du kannst den Lauf später fortsetzen.
shell-ask-stop-grid-kept = { $title } wird beendet; { $done } von { $n } Läufen sind fertig. Sie bleiben erhalten, und der laufende wird gespeichert.
shell-ask-grid-stop = Versuchsreihe auf dem Cluster beenden?
shell-ask-grid-stop-what = { $grid } hat { $waiting } wartende und { $running } laufende Jobs. Alle werden beendet; gespeicherte Ergebnisse bleiben erhalten.
shell-ask-grid-stop-yes = Versuchsreihe beenden
shell-ask-discard = Verschobene Bilder verwerfen?
shell-ask-discard-what = Die Bilder, die du in andere Klassen verschoben hast, sind noch nicht in { $table } gespeichert.
shell-ask-discard-yes = Verwerfen
shell-ask-leave = Tour verlassen?
shell-ask-leave-what = Deine Zeichnungen werden entfernt, und ein laufendes Training der Tour wird beendet. Die nächste Tour beginnt von vorn.
shell-ask-leave-yes = Verlassen
shell-ask-restart = Diese Lektion neu beginnen?
shell-ask-restart-what = Deine Antworten werden gelöscht. Wenn du neu trainierst, bleiben die früheren Läufe in der Liste der Läufe.
shell-ask-restart-keep = Läufe behalten
shell-ask-restart-train = Neu trainieren
shell-ask-plugin = Dieses Plugin löschen?
shell-ask-plugin-what = { $name } wurde nicht als Datei gespeichert. Das Löschen lässt sich nicht rückgängig machen.
shell-ask-plugin-yes = Löschen
shell-report-title = Ein Problem melden
shell-report-about = Der Bericht enthält nur Versionen, Einstellungen und das Protokoll, keine Bilder, Klassennamen oder Daten. Nichts wird gesendet: Du entscheidest, was mit der Datei geschieht.
shell-report-collecting = Versionen, Einstellungen und Protokoll werden gesammelt …
shell-report-save-as = Bericht speichern unter
shell-report-save = Bericht speichern
shell-tags-all-have = Alle Läufe haben ihn
shell-tags-add-to-all = Allen hinzufügen
shell-tags-remove-from-all = Bei allen entfernen
shell-tags-field = Tags für alle Läufe
shell-tags-hint = Suchbegriffe, durch Kommas getrennt
shell-tags-current = Vorhandene Tags; klicke auf einen, um ihn für alle Läufe zu ändern:
shell-tags-share = { $n } von { $of }
shell-tags-have = { $share } haben ihn
shell-tags-all = alle
shell-tags-none = keiner
shell-tags-title = { $n ->
    [one] Tags von { $n } Lauf
   *[other] Tags von { $n } Läufen
}
shell-export-model = Modell exportieren …
shell-export-model-torch = Für PyTorch
shell-export-model-peft = Als LoRA für peft
shell-export-model-onnx = Als ONNX
shell-teach-about = Zeichne oder sammle hier Bilder, wähle einen Ordner mit einem Unterordner je Klasse, oder zieh ihn auf dieses Fenster. 5 bis 50 Bilder je Klasse genügen. Sie werden der nächste Task des Laufs und mit seiner eigenen Methode gelernt. Bilder früherer Tasks sind meist nicht nötig; die neuen werden in den Lauf kopiert.
shell-teach-collect = Zeichnen oder sammeln …
shell-teach-choose-folder = Ordner wählen …
shell-teach-choose-other-folder = Anderen Ordner wählen …
shell-teach-checking = Die Bilder werden geprüft
shell-teach-classes = { $n ->
    [one] { $n } Klasse lehren
   *[other] { $n } Klassen lehren
}
shell-teach-undo = Zuletzt hinzugefügten Task zurücknehmen: { $classes }
shell-teach-images-found = { $classes }: { $pictures } zum Training, { $tests } zum Testen.
shell-drop-box = Zieh Bilder in die gewählte Klasse
shell-drop-teach = Zieh einen Ordner mit einem Unterordner je neuer Klasse hierher
shell-drop-compare = Zieh einen Ordner mit Läufen her, um seine Läufe aufzulisten, oder ein Bild, um es zu klassifizieren
shell-drop-predict = Zieh Bilder oder einen Ordner mit Bildern her, um sie zu klassifizieren
shell-drop-data = Zieh einen Ordner her, um ihn als Datensatz zu verwenden, oder ein Bild, um es zu klassifizieren
part-commands = Befehle
part-notices = Meldungen
part-report-problem = Problem melden
part-about-run = Über einen Lauf
part-tags = Tags
part-deleted-runs = Gelöschte Läufe
part-help = Hilfe
part-run-folders = Ordner mit Läufen
part-choosing-files = Dateien wählen
part-dropping-files = Dateien hereinziehen
part-teaching = Lehren
part-question = Frage
part-top-bar = Obere Leiste
part-frame-times = Frame-Zeiten
part-newest-notice = Neueste Meldung
part-presenter-view = Präsentationsansicht
part-collecting-images = Bilder sammeln
part-news = Neuigkeiten
part-chosen-files = gewählte Dateien
part-dropped-files = hereingezogene Dateien
part-finished-runs = fertige Läufe
part-figures = Diagramme
part-focus = Fokus
part-closing = Schließen
part-settings = Einstellungen
shell-paired-runs-finished = { $n ->
    [one] { $n } Lauf ist fertig
   *[other] { $n } Läufe sind fertig
}
shell-paired-runs-finished-advice = öffne die Seite Vergleich, um sie nebeneinander zu sehen
shell-paired-runs-finished-select = wähle sie in der Liste aus, um sie nebeneinander zu sehen
shell-copied-numbers = Zahlen in die Zwischenablage kopiert
shell-copied-image = Bild in die Zwischenablage kopiert
shell-copied-command = Befehl in die Zwischenablage kopiert
shell-copied-command-current-labels = Befehl in die Zwischenablage kopiert; er verwendet die jetzige Liste der korrigierten Labels
shell-still-using-dataset = weiterhin wird der Datensatz { $mine } verwendet: Er hat so viele Klassen wie { $its }
page-start = Start
page-experiment = Experiment
page-train = Training
page-compare = Vergleich
page-predict = Vorhersage
page-plugins = Plugins
page-learn = Lernen
shell-part-try-again = Noch einmal versuchen
shell-part-reset-page = Seite zurücksetzen
shell-part-reset-page-hint = Setzt Filter, Auswahl und Eingaben dieser Seite zurück
shell-part-failed-advice = versuche es noch einmal, oder mach anderswo weiter: Der Rest des Fensters und ein laufender Lauf sind nicht betroffen; tritt der Fehler wieder auf, melde das Problem
shell-window-out-of-date-advice = das Training geht weiter und wird wie gewohnt gespeichert, aber das Fenster kann veraltet sein; bleibt es so, starte das Programm neu und melde das Problem
part-last-command = letzter Befehl
shell-part-test-fault = Testfehler in { $part }
shell-part-failed = dieser Teil des Fensters wurde nach einem internen Fehler beendet: { $words }
shell-resume-on = Fortsetzen auf …
shell-resume-trained-so-far = Bisher auf { $device } trainiert
shell-resume-at-place = Auf { $place }
shell-data-location = Die Bilder dieses Laufs sind in { $place }.
shell-data-open = Diesen Datensatz öffnen
shell-frame-times = erster Frame nach { $first } ms · { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
} · gesamt: { $whole } · nur Seiten: { $pages }
shell-frame-percentiles = p50 { $half } ms, p95 { $most } ms
shell-drawing-canvas = Zeichenfläche
shell-canvas-draw-here = Zeichne hier
shell-pasted-image = eingefügtes Bild
shell-step-ready = bereit
shell-step-working = arbeitet
shell-step-needs-attention = braucht Aufmerksamkeit
shell-state-after-task = Stand nach Task
shell-places-note = Läufe und Versuchsreihen werden dorthin gesendet. Methodenvergleiche, Suchen, Prüfungen und hinzugefügte Tasks laufen auf diesem Rechner.
