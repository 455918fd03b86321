# Die Seite Start: die Möglichkeiten zu beginnen, und das Klassifizieren eigener Bilder.

start-question = Was möchtest du tun?
start-classify = Meine Bilder klassifizieren
start-classify-about = Wähle einen Ordner mit Bildern, der für jede Klasse einen Unterordner hat. Das Programm findet das beste Modell dafür und sortiert neue Bilder. Deine Bilder bleiben auf diesem Computer.
start-classify-open = Bilder klassifizieren
start-tour = Einem Netz beim Vergessen zusehen
start-experiment = Ein Experiment einrichten
start-experiment-about = Wähle Datensatz, Backbone, PET (ein kleines trainierbares Modul) und Methode. Trainiere und vergleiche Läufe, oder beginne mit den Einstellungen des LAE-Papers.
start-experiment-open = Experiment öffnen

classify-back = Zurück zur Übersicht
classify-images = 1. Bilder mit bekannten Klassen
classify-images-about = Wähle einen Ordner mit einem Unterordner für jede Klasse, zum Beispiel Eiche und Ahorn, mit je zehn oder mehr Bildern. Du kannst ihn auch hierher ziehen.
classify-choose-classes = Ordner mit Klassen wählen …
classify-model = 2. Modell
classify-model-about = Mehrere Methoden werden auf einem Teil deiner Bilder verglichen. Die beste wird danach auf allen trainiert. Das dauert einige Minuten.
classify-make = Bestes Modell finden
classify-make-again = Bestes Modell neu finden
classify-grid = Auf Experiment ist eine Versuchsreihe eingestellt. Stelle dort wieder einzelne Werte ein, um das beste Modell zu finden.
classify-comparing = Methoden werden auf einem Teil deiner Bilder verglichen.
classify-training = Die beste Methode wird auf allen deinen Bildern trainiert.
classify-stop = Stoppen
classify-accuracy = { $n ->
    [one] { $share } % richtig bei { $n } Bild, das nicht zum Training verwendet wurde
   *[other] { $share } % richtig bei { $n } Bildern, die nicht zum Training verwendet wurden
}
classify-larger = Ein größeres Netz klassifiziert meist mehr Bilder richtig. Es ist langsamer und wird einmal heruntergeladen.
classify-use-larger = Größeres Netz verwenden
classify-details = Einzelheiten
classify-show-settings = Einstellungen zeigen
classify-show-run = Lauf zeigen
classify-other-model = Anderes Modell verwenden ▾
classify-no-finished-model = Noch kein Modell ist fertig
classify-new = 3. Neue Bilder
classify-new-about = Ziehe Bilder oder einen Ordner hierher, oder wähle sie aus. Die Ergebnisse werden auch als Tabelle neben dem Ordner gespeichert.
classify-choose-folder = Bilderordner wählen …
classify-choose-images = Bilder wählen …
classify-no-results = Hier erscheinen deine neuen Bilder, nach Klassen sortiert.
classify-no-model = Es gibt noch kein Modell für deine Bilder
classify-no-model-advice = Wähle zuerst einen Ordner mit Klassen, und lass das beste Modell finden
