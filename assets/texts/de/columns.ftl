# Die Bedeutungen der Kennzahlen in Tabellen. Ihr Englisch steht in der Liste der Kennzahlen.

column-final-accuracy-meaning = Genauigkeit auf allen Klassen nach dem letzten Task
column-average-accuracy-meaning = Mittel der Genauigkeiten auf allen bisherigen Klassen nach jedem Task
column-task-averaged-accuracy-meaning = Mittel der Genauigkeiten der Tasks am Ende
column-forgetting-meaning = Mittel über die früheren Tasks: beste Genauigkeit vor dem Ende minus die am Ende
column-backward-transfer-meaning = Mittel über die früheren Tasks: Genauigkeit am Ende minus die gleich nach dem Lernen
column-learning-accuracy-meaning = Mittel der Genauigkeiten der Tasks gleich nach dem Lernen
column-balanced-accuracy-meaning = Mittel der Genauigkeiten der Klassen nach dem letzten Task
column-final-accuracy-task-given-meaning = Genauigkeit nach dem letzten Task, wenn der Task jedes Bildes bekannt ist: eine leichtere Frage
column-calibration-error-meaning = erwarteter Kalibrierungsfehler der Vorhersagen nach dem letzten Task (15 Bereiche), für Methoden, deren Wertungen Wahrscheinlichkeiten sind

# Formen, in denen ein Modell exportiert wird.

export-torch-about = ein Ordner mit den Gewichten und einer lesbaren Python-Datei, für PyTorch und timm
export-peft-about = ein LoRA, das die Bibliothek peft in ein Netz von timm lädt
export-onnx-about = das ganze Netz in einer Datei für onnxruntime und andere, ohne Python
