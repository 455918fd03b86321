# Warum eine Einstellung nichts bewirkt.

idle-method = { $title }
idle-with-settings = { $title } mit diesen Einstellungen
idle-no-plugin = { $title } trainiert kein PET-Plugin
idle-no-size = { $title } hat keine einstellbare Größe
idle-no-steps = { $title } macht keine Gradientenschritte
idle-no-epochs = { $title } trainiert nicht in Epochen
idle-no-augmentation = { $title } augmentiert Trainingsbilder nicht
idle-no-random-numbers = { $title } verwendet keine Zufallszahlen
idle-learns-one-task = { $title } lernt alle Klassen als einen Task
idle-no-first-session = ohne erste Sitzung wird nichts angepasst
idle-no-learning = ohne Learning werden keine Epochen eingefroren
idle-no-accumulation = ohne Accumulation wird das Offline-PET nicht aktualisiert
