# Diagramme und Matrizen.

figure-menu = Kopieren oder speichern
figure-copy-image = Bild kopieren
figure-copy-numbers = Zahlen kopieren
figure-save-svg = Als SVG speichern …
figure-save-pdf = Als PDF speichern …
figure-save-png = Als PNG speichern …
figure-accuracy-matrix = Genauigkeit je Task
figure-after-row = nach Task { $n }
figure-task-column = Task { $n }
figure-on-task = Task
figure-matrix-cell = Task { $column }, nachdem Task { $row } gelernt ist: { $value } %
figure-after-task = nach Task { $task }
figure-losses = Verlust über die Schritte
figure-losses-about = Verlust auf den neuen Klassen, je Schritt
figure-loss-value = { $task }, Schritt { $step }: { $loss }
figure-epoch-losses = Verlust über die Epochen
figure-epoch-losses-about = Verlust auf den neuen Klassen, Mittel je Epoche
figure-epoch-loss-value = { $task }, Epoche { $epoch }: { $loss }
figure-confusion = Verwechslungsmatrix
figure-confusion-title = Verwechslungen
figure-predicted-class = vorhergesagte Klasse
figure-class-not-learned = { $name } ist noch nicht gelernt
figure-correct-count = { $name }: { $count } von { $all } richtig
figure-confused-count = { $name } als { $answer } vorhergesagt: { $count } von { $all }
figure-table-after-task = nach Task
figure-table-on-task = auf den Bildern von Task
figure-table-class = Klasse
figure-accuracy = Genauigkeit auf allen bisherigen Klassen, nach jedem Task
figure-accuracy-about = Genauigkeit auf allen bisherigen Klassen, %, nach jedem Task
figure-confusion-of = Verwechslungen nach Task { $n }: { $name }
figure-mean-loss-of-passes = mittlerer Trainingsverlust { $n ->
    [one] der Epoche
   *[other] jeder der { $n } Epochen
}
figure-training-loss = Trainingsverlust
