# Diagramme und Matrizen.

figure-menu = Kopieren oder speichern
figure-copy-picture = Bild kopieren
figure-copy-numbers = Zahlen kopieren
figure-save-svg = Als SVG speichern …
figure-save-pdf = Als PDF speichern …
figure-save-png = Als PNG speichern …
figure-matrix = Genauigkeit je Task
figure-row = nach { $n }
figure-column = Task { $n }
figure-columns = Task
figure-cell = Task { $column }, nachdem Task { $row } gelernt ist: { $value } %
figure-after = nach Task { $task }
figure-losses = Verlust je Schritt
figure-losses-about = Verlust auf den neuen Klassen, je Schritt
figure-loss = { $task }, Schritt { $step }: { $loss }
figure-confusion = Verwechslungsmatrix
figure-confusion-title = Verwechslungen
figure-answered = vorhergesagte Klasse
figure-not-taught = { $name } ist noch nicht gelernt
figure-right = { $name }: { $count } von { $all } richtig
figure-taken-for = { $name } für { $answer } gehalten: { $count } von { $all }
figure-cells-after = nach Task
figure-cells-on = auf den Bildern von Task
figure-cells-class = Klasse
figure-accuracy = Genauigkeit auf allen bisherigen Klassen, nach jedem Task
figure-accuracy-about = Genauigkeit auf allen bisherigen Klassen, %, nach jedem Task
figure-confusion-of = Verwechslungen nach Task { $n }: { $name }
figure-passes = mittlerer Trainingsverlust { $n ->
    [one] des Durchgangs
   *[other] jedes der { $n } Durchgänge
}
figure-training-loss = Trainingsverlust
