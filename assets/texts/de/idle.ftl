# Warum eine Einstellung nichts bewirkt.

idle-method = { $title }
idle-with-settings = { $title } mit diesen Einstellungen
idle-no-plugin = { $title } trainiert kein PET-Plugin
idle-no-size = { $title } hat keine Größe
idle-no-steps = { $title } macht keine Gradientenschritte
idle-no-epochs = { $title } lernt nicht in Epochen
idle-no-augmentation = { $title } betrachtet Trainingsbilder wie Testbilder
idle-no-draws = { $title } zieht nichts zufällig
idle-one-task = { $title } lernt alle Klassen als einen Task
idle-no-first-session = ohne erste Sitzung wird nichts angepasst
idle-no-learning = ohne Learning werden keine Epochen eingefroren
idle-no-accumulation = ohne Accumulation folgt das Offline-PET nicht
