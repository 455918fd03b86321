# Meldungen, und was nebenbei gesagt wird.

notices-classes-learned = { $classes } gelernt
notices-classes-learned-advice = öffne die Seite Training, um zu sehen, wie sich die früheren Klassen verändert haben
notices-run-finished = { $run } ist fertig: { $share } der { $n } { $on ->
    [validation] Validierungsbilder
   *[test] Testbilder
} aller Klassen sind richtig
notices-open-train = { $head }: Die Seite Training zeigt Einzelheiten und Vorschläge
notices-reading-failed = das Lesen ist an einem internen Fehler gescheitert
notices-reading-failed-advice = wähle eine andere Datei; laufende Jobs sind nicht betroffen
notices-trash-run-active = { $n ->
    [one] ein Lauf, der läuft oder in der Warteschlange steht, kann nicht gelöscht werden
   *[other] { $n } Läufe, die laufen oder in der Warteschlange stehen, können nicht gelöscht werden
}
notices-trash-run-active-advice = beende auf der Seite Training laufende Läufe und entferne wartende aus der Warteschlange
notices-runs-deleted = { $n ->
    [one] { $n } Lauf ist gelöscht
   *[other] { $n } Läufe sind gelöscht
}
notices-runs-deleted-advice = zum Wiederherstellen öffne die Liste der gelöschten Läufe auf der Seite Vergleich
notices-runs-restored = { $n ->
    [one] { $n } Lauf ist wiederhergestellt
   *[other] { $n } Läufe sind wiederhergestellt
}
notices-runs-erased = { $n ->
    [one] { $n } Lauf ist endgültig gelöscht
   *[other] { $n } Läufe sind endgültig gelöscht
}
notices-report-saved = Bericht gespeichert in { $path }
notices-report-not-packed = der Bericht lässt sich nicht packen: { $why }
notices-report-versions = Versionen und Rechner
notices-report-settings = Einstellungen des Fensters
notices-report-devices = Ergebnisse der Gerätetests
notices-report-log = Protokoll des Programms
choose-data-folder = Ordner mit einem Unterordner je Klasse wählen
choose-weights-file = Gewichtsdatei wählen
choose-images = Bilder wählen
choose-class-order-file = Datei mit Klassenreihenfolge wählen
choose-lora-folder = Ordner eines LoRA von peft wählen
choose-save-bug-report = Fehlerbericht speichern
choose-export-teachable-machine = Für Teachable Machine exportieren
choose-export-zip = Als Bilderordner in einem Zip exportieren
choose-save-report = Bericht speichern
choose-save-figure = Abbildung speichern
choose-save-summary = Zusammenfassung speichern
choose-save-table = Tabelle speichern
choose-grid = Versuchsreihe wählen
choose-save-grid = Versuchsreihe speichern
choose-pack-target = Lauf in eine Datei packen
choose-packed-run = Gepackten Lauf wählen
choose-model-folder = Speicherort für den Ordner des Modells wählen
choose-new-class-folder = Ordner mit einem Unterordner je neuer Klasse wählen
choose-run-folder = Ordner mit Läufen wählen
choose-image-folder = Ordner mit Bildern wählen
choose-filter-archives = Archive
choose-filter-weights = Gewichte
choose-filter-images = Bilder
choose-filter-runs = Läufe
choose-filter-folders = Ordner
choose-filter-projects = Projekte von Teachable Machine
choose-filter-results = Ergebnisse
choose-filter-grids = Versuchsreihen
choose-filter-packed-runs = Gepackte Läufe
notices-downloaded = { $name } heruntergeladen
notices-download-stopped = Download von { $name } beendet
notices-download-part-kept = der heruntergeladene Teil bleibt; der nächste Download macht dort weiter
notices-exported = { $pictures } aus { $classes } in einer Datei gespeichert
notices-class-renamed = { $from } als { $to }
notices-classes-renamed = manche Klassennamen sind nicht auf jedem System gültig und wurden geändert: { $names }
notices-label-counts-as = { $picture } hat das Label { $class }, ab dem nächsten Lauf
notices-label-corrected = { $picture } hat das Label { $class } statt { $was }, ab dem nächsten Lauf
notices-image-excluded = { $picture } wird ausgeschlossen, ab dem nächsten Lauf
notices-corrected-labels-advice = die Seite Experiment zeigt die korrigierten Labels eines Datensatzes; die Dateien werden nicht geändert
notices-training-image-gone = Trainingsbild { $n } ist nicht mehr im Datensatz
notices-test-image-gone = Testbild { $n } ist nicht mehr im Datensatz
notices-temporary-copy-failed = eine vorübergehende Kopie ließ sich nicht anlegen: { $why }
notices-size-range = { $least } bis { $most }, Standard { $usual }
notices-number-default = eine Zahl, Standard { $usual }
notices-this-text = dieser Text
notices-folder-not-image = das ist ein Ordner, kein Bild
notices-folder-not-image-advice = zieh einen Ordner auf Experiment, um damit zu trainieren; hierher ein einzelnes Bild
notices-folder-without-images = dieser Ordner enthält keine Bilder
notices-folder-without-images-advice = zieh Bilddateien her, oder einen Ordner mit den Bildern einer Klasse
notices-run-folder-unwritable-advice = mach ihn beschreibbar, oder starte das Programm mit einem anderen Ordner für Läufe
notices-no-file-manager-advice = kopiere stattdessen den Pfad
notices-run-folder-unwritable = in diesem Ordner lassen sich keine Läufe speichern: { $why }
notices-no-file-manager = dieser Ordner konnte nicht geöffnet werden: auf diesem Desktop wurde kein Dateimanager gefunden
notices-folder-missing = dieser Ordner konnte nicht geöffnet werden: er existiert nicht mehr
notices-folder-opened = Ordner im Dateimanager geöffnet
notices-dataset-not-published = es gibt keinen veröffentlichten Datensatz namens „{ $name }“
notices-grid-incomplete = die Versuchsreihe wurde nicht vollständig gelesen
notices-settings = die Einstellungen
notices-number-too-large-advice = nimm eine kleinere Zahl
notices-grid-name = die Versuchsreihe { $name }
notices-axis-values = { $setting } ({ $n })
notices-axis-class-orders = Klassenreihenfolge
notices-axis-seeds = Startwert
notices-number-too-large = { $n } ist zu groß für die Datei einer Versuchsreihe
notices-no-plugin-folder = dieses System hat keinen Ordner für eigene Plugins
notices-no-plugin-folder-advice = speichere den Text als Datei im Ordner plugins des Arbeitsverzeichnisses
notices-plugin-installed = installiert am { $since } aus { $from }
notices-plugin-changed = zuletzt geändert am { $since }
notices-no-training-images = ein Task hat keine Trainingsbilder
notices-no-training-images-advice = füge Bilder seiner Klassen hinzu
notices-guessing-advice = das ist nicht besser als Raten; versuche es mit mehr Epochen, mehr Bildern oder einem anderen Backbone
notices-few-images-advice = bei so wenigen Testbildern kann das Zufall sein; füge Bilder hinzu
notices-no-test-images = ein Task hat keine Testbilder
notices-no-test-images-advice = füge Bilder seiner Klassen hinzu: Jede Klasse braucht mindestens zwei, eines davon zum Testen
notices-export-stopped = Export beendet
notices-run-folder-gone-advice = stell ihn wieder her, oder entferne ihn auf Vergleich aus der Liste
notices-run-folder-known = die Läufe dieses Ordners sind schon aufgelistet
notices-too-many-run-folders-advice = entferne erst einen aus der Liste
notices-run-folder-empty = dieser Ordner enthält keine Läufe
notices-run-folder-empty-advice = wähle den Ordner, der die Ordner der Läufe enthält
notices-run-folder-gone = ein Ordner mit Läufen ist nicht mehr vorhanden: { $why }
notices-too-many-run-folders = { $n } weitere Ordner mit Läufen sind schon offen
notices-drop-unsupported = auf dieses Fenster lassen sich keine Dateien ziehen: Es läuft unter Wayland, und kein X-Server ist verfügbar
notices-drop-unsupported-advice = wähle Dateien über die Knöpfe aus, füge Bilder ein, oder installiere XWayland
