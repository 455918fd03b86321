# Warum eine Einstellung nichts bewirkt.

unused-method = { $title }
unused-with-settings = { $title } mit diesen Einstellungen
unused-no-plugin = { $title } trainiert kein PET-Plugin
unused-no-size = { $title } hat keine einstellbare Größe
unused-no-steps = { $title } macht keine Gradientenschritte
unused-no-epochs = { $title } trainiert nicht in Epochen
unused-no-augmentation = { $title } augmentiert Trainingsbilder nicht
unused-no-random-numbers = { $title } verwendet keine Zufallszahlen
unused-learns-one-task = { $title } lernt alle Klassen als einen Task
unused-no-first-session = ohne erste Sitzung wird nichts angepasst
unused-no-learning = ohne Learning werden keine Epochen eingefroren
unused-no-accumulation = ohne Accumulation wird das Offline-PET nicht aktualisiert
