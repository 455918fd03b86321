# Die Titel und Bedeutungen der Spalten in Tabellen. Ihr Englisch steht in den Listen der Spalten und Kennzahlen.

column-run-title = Lauf
column-name-title = Name
column-tags-title = Tags
column-state-title = Zustand
column-experiment-title = Experiment
column-tasks-done-title = Fertige Tasks
column-measured-on-title = Gemessen an
column-started-title = Beginn
column-version-title = Version
column-variant-title = Variante
column-tasks-title = Tasks
column-classes-title = Klassen
column-trained-parameters-title = Trainierte Parameter
column-seconds-title = Sekunden
column-final-accuracy-title = Endgenauigkeit
column-average-accuracy-title = Mittlere Genauigkeit
column-task-averaged-accuracy-title = Genauigkeit je Task
column-forgetting-title = Vergessen
column-backward-transfer-title = Rückwärtstransfer
column-learning-accuracy-title = Lerngenauigkeit
column-balanced-accuracy-title = Balancierte Genauigkeit
column-final-accuracy-task-given-title = Endgenauigkeit, Task gegeben
column-calibration-error-title = Kalibrierungsfehler
column-final-accuracy-meaning = Genauigkeit auf allen Klassen nach dem letzten Task (Aₙ)
column-average-accuracy-meaning = Mittel der Genauigkeiten auf allen bisherigen Klassen nach jedem Task (Āₙ)
column-task-averaged-accuracy-meaning = Mittel der Genauigkeiten der Tasks am Ende
column-forgetting-meaning = Mittel über die früheren Tasks: beste Genauigkeit vor dem Ende minus die am Ende (Fₙ)
column-backward-transfer-meaning = Mittel über die früheren Tasks: Genauigkeit am Ende minus die gleich nach dem Lernen
column-learning-accuracy-meaning = Mittel der Genauigkeiten der Tasks gleich nach dem Lernen
column-balanced-accuracy-meaning = Mittel der Genauigkeiten der Klassen nach dem letzten Task
column-final-accuracy-task-given-meaning = Genauigkeit nach dem letzten Task, wenn der Task jedes Bildes bekannt ist: eine leichtere Frage
column-calibration-error-meaning = erwarteter Kalibrierungsfehler der Vorhersagen nach dem letzten Task (15 Bereiche), für Methoden, deren Wertungen Wahrscheinlichkeiten sind

# Formen, in denen ein Modell exportiert wird.

export-torch-about = ein Ordner mit den Gewichten und einer lesbaren Python-Datei, für PyTorch und timm
export-peft-about = ein LoRA, das die Bibliothek peft in ein Netz von timm lädt
export-onnx-about = das ganze Netz in einer Datei für onnxruntime und andere, ohne Python
