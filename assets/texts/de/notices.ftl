# Meldungen, und was nebenbei gesagt wird.

notices-taught = { $classes } gelernt
notices-taught-advice = öffne die Seite Training, um zu sehen, wie sich die früheren Klassen verändert haben
notices-finished = { $run } ist fertig: { $share } der { $n } { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} aller Klassen sind richtig
notices-missed = { $head }: Die Seite Training zeigt Einzelheiten und Vorschläge
notices-task-failed = das Lesen ist an einem internen Fehler gescheitert
notices-task-failed-advice = versuche eine andere Datei; die laufende Arbeit ist nicht betroffen
notices-no-thread = kein Hilfsthread ließ sich starten: { $why }
notices-bin-held = { $n ->
    [one] ein Lauf, der läuft oder in der Warteschlange steht, kann nicht gelöscht werden
   *[other] { $n } Läufe, die laufen oder in der Warteschlange stehen, können nicht gelöscht werden
}
notices-bin-held-advice = beende ihn, oder entferne ihn auf der Seite Training aus der Warteschlange
notices-bin-deleted = { $n ->
    [one] { $n } Lauf ist gelöscht
   *[other] { $n } Läufe sind gelöscht
}
notices-bin-deleted-advice = zum Wiederherstellen öffne die Liste der gelöschten Läufe auf der Seite Vergleich
notices-bin-restored = { $n ->
    [one] { $n } Lauf ist wiederhergestellt
   *[other] { $n } Läufe sind wiederhergestellt
}
notices-bin-erased = { $n ->
    [one] { $n } Lauf ist endgültig gelöscht
   *[other] { $n } Läufe sind endgültig gelöscht
}
notices-report-saved = Bericht gespeichert in { $path }
notices-report-unpacked = der Bericht lässt sich nicht packen: { $why }
notices-report-versions = Versionen und Rechner
notices-report-settings = Einstellungen des Fensters
notices-report-devices = Ergebnisse der Gerätetests
notices-report-log = Protokoll des Programms
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
choose-model = Speicherort für den Ordner des Modells wählen
choose-teach = Ordner mit einem Unterordner je neuer Klasse wählen
choose-runs = Ordner mit Läufen wählen
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
notices-downloaded = { $name } heruntergeladen
notices-download-stopped = Download von { $name } beendet
notices-download-kept = der heruntergeladene Teil bleibt; der nächste Download macht dort weiter
notices-exported = { $pictures } aus { $classes } in einer Datei gespeichert
notices-renamed = { $from } als { $to }
notices-all-renamed = manche Klassennamen sind nicht auf jedem System gültig und wurden geändert: { $names }
notices-counts = { $picture } zählt als { $class }, ab dem nächsten Lauf
notices-counts-now = { $picture } zählt als { $class } statt als { $was }, ab dem nächsten Lauf
notices-left-out = { $picture } wird ausgeschlossen, ab dem nächsten Lauf
notices-corrected-advice = die Seite Experiment listet die korrigierten Labels eines Datensatzes; die Dateien werden nicht geändert
notices-no-train-image = der Datensatz hat kein Trainingsbild { $n } mehr
notices-no-test-image = der Datensatz hat kein Testbild { $n } mehr
notices-no-room = eine vorübergehende Kopie ließ sich nicht anlegen: { $why }
notices-size = { $least } bis { $most }, üblich { $usual }
notices-number = eine Zahl, üblich { $usual }
notices-this-text = dieser Text
notices-is-folder = das ist ein Ordner, kein Bild
notices-is-folder-advice = zieh einen Ordner auf Experiment, um damit zu trainieren; hierher ein einzelnes Bild
notices-no-image = dieser Ordner enthält keine Bilder
notices-no-image-advice = zieh Bilddateien her, oder einen Ordner mit den Bildern einer Klasse
notices-unwritable-advice = mach ihn beschreibbar, oder starte das Programm mit einem anderen Ordner für Läufe
notices-no-program-advice = kopiere stattdessen den Pfad
notices-unwritable = in diesem Ordner lassen sich keine Läufe speichern: { $why }
notices-no-program-folders = auf diesem Desktop wurde kein Dateimanager gefunden
notices-no-data = es gibt keinen veröffentlichten Datensatz namens „{ $name }“
notices-grid-unread = die Versuchsreihe wurde nicht vollständig gelesen
notices-the-settings = die Einstellungen
notices-beyond-advice = nimm eine kleinere Zahl
notices-the-grid = die Versuchsreihe { $name }
notices-axis = { $setting } ({ $n })
notices-axis-orders = Klassenreihenfolge
notices-axis-seeds = Startwert
notices-beyond = { $n } ist zu groß für die Datei einer Versuchsreihe
notices-no-plugins = dieses System hat keinen Ordner für eigene Plugins
notices-no-plugins-advice = speichere den Text als Datei im Ordner plugins neben dem Programm
notices-installed = installiert am { $since } aus { $from }
notices-changed = zuletzt geändert am { $since }
notices-no-train = ein Task hat keine Trainingsbilder
notices-no-train-advice = füge Bilder seiner Klassen hinzu
notices-no-test = ein Task hat keine Testbilder
notices-no-test-advice = füge Bilder seiner Klassen hinzu: Eine Klasse braucht mindestens zwei, eines davon zum Prüfen
notices-export-stopped = Export beendet
notices-folder-gone-advice = stell ihn wieder her, oder entferne ihn auf Vergleich aus der Liste
notices-folder-known = die Läufe dieses Ordners sind schon aufgelistet
notices-folders-most-advice = entferne erst einen aus der Liste
notices-folder-empty = dieser Ordner enthält keine Läufe
notices-folder-empty-advice = wähle den Ordner, der die Ordner der Läufe enthält
notices-folder-gone = ein Ordner mit Läufen ist nicht mehr vorhanden: { $why }
notices-folders-most = { $n } weitere Ordner mit Läufen sind schon offen
notices-no-drop = auf dieses Fenster lassen sich keine Dateien ziehen: Es läuft unter Wayland, und kein X-Server ist verfügbar
notices-no-drop-advice = wähle Dateien über die Knöpfe aus, füge Bilder ein, oder installiere XWayland
