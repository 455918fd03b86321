# Meldungen, und was nebenbei gesagt wird.

notices-taught = { $classes } gelehrt
notices-taught-advice = die Seite Training zeigt, was es die alten Klassen gekostet hat
notices-finished = { $run } ist fertig: { $share } der { $n } { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} aller Klassen sind richtig
notices-missed = { $head }: Die Seite Training zeigt, welche, und was helfen kann
notices-task-failed = das Lesen ist im Programm gescheitert
notices-task-failed-advice = versuche eine andere Datei; die laufende Arbeit ist nicht betroffen
notices-no-thread = kein Hilfsthread ließ sich starten: { $why }
notices-bin-held = { $n ->
    [one] ein Lauf, der im Gang ist oder in der Warteschlange wartet, wird nicht gelöscht
   *[other] { $n } Läufe, die im Gang sind oder in der Warteschlange warten, werden nicht gelöscht
}
notices-bin-held-advice = beende ihn, oder entferne ihn auf der Seite Training aus der Warteschlange
notices-bin-deleted = { $n ->
    [one] { $n } Lauf ist gelöscht
   *[other] { $n } Läufe sind gelöscht
}
notices-bin-deleted-advice = die Seite Vergleich hat eine Liste der gelöschten Läufe
notices-bin-restored = { $n ->
    [one] { $n } Lauf ist wiederhergestellt
   *[other] { $n } Läufe sind wiederhergestellt
}
notices-bin-erased = { $n ->
    [one] { $n } Lauf ist endgültig gelöscht
   *[other] { $n } Läufe sind endgültig gelöscht
}
notices-report-saved = Der Bericht liegt in { $path }
notices-report-unpacked = der Bericht lässt sich nicht packen: { $why }
notices-report-versions = Versionen und Rechner
notices-report-settings = die Einstellungen des Fensters
notices-report-devices = was Tests der Geräte ergeben haben
notices-report-log = was das Programm getan hat
choose-data = Ordner mit einem Unterordner je Klasse wählen
choose-weights = Datei mit Gewichten wählen
choose-images = Bilder wählen
choose-order = Klassenreihenfolge wählen
choose-pet-start = Ordner eines LoRA von peft wählen
choose-report = Fehlerbericht speichern
choose-export-project = Für Teachable Machine exportieren
choose-export-folder = Als Bilderordner in einem Zip exportieren
choose-results = Bericht speichern
choose-figure = Diagramm speichern
choose-table = Tabelle speichern
choose-grid = Versuchsreihe wählen
choose-save-grid = Versuchsreihe speichern
choose-pack = Lauf in eine Datei packen
choose-packed = Gepackten Lauf wählen
choose-model = Ort für den Ordner des Modells wählen
choose-teach = Ordner mit einem Unterordner je neuer Klasse wählen
choose-runs = Ordner wählen, in dem Läufe liegen
choose-pictures = Ordner mit Bildern wählen
choose-archives = Archive
choose-weight-files = Gewichte
choose-image-files = Bilder
choose-run-files = Läufe
choose-folders = Ordner
choose-projects = Projekte von Teachable Machine
choose-result-files = Ergebnisse
choose-grid-files = Versuchsreihen
choose-packed-files = Gepackte Läufe
notices-downloaded = { $name } ist heruntergeladen
notices-download-stopped = das Herunterladen von { $name } wurde abgebrochen
notices-download-kept = was angekommen ist, bleibt; ein späteres Herunterladen macht dort weiter
notices-exported = { $pictures } aus { $classes } sind jetzt in einer Datei
notices-renamed = { $from } als { $to }
notices-all-renamed = nicht jedes System nimmt diese Klassennamen, darum sind sie anders geschrieben: { $names }
notices-counts = { $picture } zählt als { $class }, ab dem nächsten Lauf
notices-counts-now = { $picture } zählt als { $class } statt als { $was }, ab dem nächsten Lauf
notices-left-out = { $picture } wird ausgelassen, ab dem nächsten Lauf
notices-corrected-advice = die Seite Experiment listet die korrigierten Labels eines Datensatzes; die Dateien bleiben, wie sie sind
notices-no-train-image = der Datensatz hat kein Trainingsbild { $n } mehr
notices-no-test-image = der Datensatz hat kein Testbild { $n } mehr
notices-no-room = kein Platz für eine vorübergehende Kopie: { $why }
notices-size = { $least } bis { $most }, üblich { $usual }
notices-number = eine Zahl, üblich { $usual }
notices-this-text = dieser Text
notices-is-folder = das ist ein Ordner, kein Bild
notices-is-folder-advice = zieh einen Ordner auf Experiment, um damit zu trainieren; hierher ein einzelnes Bild
notices-no-image = in diesem Ordner ist kein Bild
notices-no-image-advice = zieh Bilddateien her, oder einen Ordner mit den Bildern einer Klasse
notices-unwritable-advice = mach ihn beschreibbar, oder starte das Programm mit einem anderen Ordner für Läufe
notices-no-program-advice = kopiere stattdessen den Pfad
notices-unwritable = in diesem Ordner können keine Läufe aufgehoben werden: { $why }
notices-no-program-folders = dieser Desktop hat kein Programm, das Ordner zeigt
notices-no-data = es gibt keinen veröffentlichten Datensatz namens „{ $name }“
notices-grid-unread = die Versuchsreihe wurde nicht zu Ende angesehen
notices-the-settings = die Einstellungen
notices-beyond-advice = nimm eine kleinere Zahl
notices-the-grid = die Versuchsreihe { $name }
notices-axis = { $setting } ({ $n })
notices-axis-orders = Klassenreihenfolge
notices-axis-seeds = Startwert
notices-beyond = { $n } ist mehr, als die Datei einer Versuchsreihe fasst
notices-no-plugins = dieses System hat keinen Ordner für eigene Plugins
notices-no-plugins-advice = speichere den Text als Datei im Ordner plugins neben dem Programm
notices-installed = installiert am { $since } aus { $from }
notices-changed = zuletzt geändert am { $since }
notices-no-train = ein Task hat keine Trainingsbilder
notices-no-train-advice = füge Bilder seiner Klassen hinzu
notices-no-test = ein Task hat keine Testbilder
notices-no-test-advice = füge Bilder seiner Klassen hinzu: Eine Klasse braucht mindestens zwei, eines davon zum Prüfen
notices-export-stopped = das Exportieren wurde abgebrochen
notices-folder-gone-advice = hol ihn zurück, oder nimm ihn auf Vergleich von der Liste
notices-folder-known = die Läufe dieses Ordners sind schon aufgelistet
notices-folders-most-advice = nimm erst einen von der Liste
notices-folder-empty = in diesem Ordner ist kein Lauf
notices-folder-empty-advice = wähle den Ordner, in dem die Ordner der Läufe liegen
notices-folder-gone = ein Ordner mit Läufen ist nicht mehr da: { $why }
notices-folders-most = { $n } weitere Ordner mit Läufen sind schon offen
notices-no-drop = auf dieses Fenster lassen sich keine Dateien ziehen: es läuft unter Wayland, und kein X-Server antwortet
notices-no-drop-advice = wähle Dateien über die Knöpfe aus, füge Bilder ein, oder installiere XWayland
