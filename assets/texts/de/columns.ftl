# Die Bedeutungen der Kennzahlen in Tabellen. Ihr Englisch steht in der Liste der Kennzahlen.

column-final-accuracy-meaning = Genauigkeit auf allen Klassen nach dem letzten Task
column-average-accuracy-meaning = Mittel über die Tasks der Genauigkeit auf allen bisherigen Klassen
column-task-averaged-accuracy-meaning = Mittel über die Tasks ihrer Genauigkeit am Ende
column-forgetting-meaning = Mittel über die früheren Tasks: beste Genauigkeit vor dem Ende minus die am Ende
column-backward-transfer-meaning = Mittel über die früheren Tasks: Genauigkeit am Ende minus die gleich nach dem Lernen
column-learning-accuracy-meaning = Mittel über die Tasks ihrer Genauigkeit gleich nach dem Lernen
column-balanced-accuracy-meaning = Mittel über die Klassen ihrer Genauigkeit nach dem letzten Task
column-final-accuracy-task-given-meaning = Genauigkeit nach dem letzten Task, wenn der Task jedes Bildes verraten wird: eine leichtere Frage
column-calibration-error-meaning = erwarteter Kalibrierungsfehler der Antworten nach dem letzten Task (15 Bereiche), für Verfahren, deren Werte Wahrscheinlichkeiten sind

# Formen, in denen ein Modell exportiert wird.

export-torch-about = ein Ordner mit den Gewichten und einer lesbaren Python-Datei, für PyTorch und timm
export-peft-about = ein LoRA, wie die Bibliothek peft es auf ein Netz von timm lädt
export-onnx-about = das ganze Netz in einer Datei für onnxruntime und andere, ohne Python
