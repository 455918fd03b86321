# Was die mitgelieferten PET-Plugins tun, und was die Funktionen ihrer Gleichungen. Ihr Englisch steht in den Dateien der
# Plugins und in der Tabelle der Funktionen; eigene Plugins stehen so da, wie sie geschrieben sind.

plugin-adapter-about = Ein Engpass aus zwei Schichten neben der Aufmerksamkeit: Er verengt jedes Token auf r Kanäle, wendet GELU an, weitet es wieder und addiert das Ergebnis, skaliert mit einem lernbaren s. Das ist die parallele Form des LAE-Papers; in ConvNeXt, das keine Aufmerksamkeit hat, liegt er neben dem ganzen Block.
plugin-adapterbias-about = Addiert hinter dem MLP jedes Blocks einen gelernten Vektor, für jedes Token gewichtet mit einer Zahl, die eine lineare Schicht aus ihm berechnet: wie ein Bias, der bei wichtigen Token größer ist.
plugin-adaptformer-about = Ein Engpass neben dem MLP: Token werden auf r Kanäle verengt, gehen durch eine ReLU, werden wieder geweitet und mit dem festen Gewicht 0,1 addiert. Alles außer diesem Gewicht wird trainiert.
plugin-bitfit-about = Trainiert nur Biases: Zur Ausgabe jeder linearen Schicht eines Blocks wird ein Vektor addiert; das entspricht einer Änderung des eigenen Bias der Schicht. Die Biases der Layer-Norms ändern sich nicht.
plugin-bitfit-full-about = Trainiert nur Biases, auch die der Layer-Norms: Zur Ausgabe jeder linearen Schicht und jeder Norm eines Blocks wird ein Vektor addiert; das entspricht einer Änderung ihres eigenen Bias.
plugin-lora-adapter-prefix-about = Die drei PETs des LAE-Papers zugleich: LoRA an Schlüsseln und Werten, das kalibrierte Prefix in der Aufmerksamkeit und ein Adapter daneben, jedes in eigener Größe.
plugin-compacter-about = Adapter hinter Aufmerksamkeit und MLP, deren Matrizen Summen von vier Kronecker-Produkten sind: eine kleine Matrix, die alle Blöcke und Stellen teilen, mal eine eigene vom Rang 1. Die Autoren teilen die kleinen Matrizen ebenfalls über alle Schichten.
plugin-dora-about = LoRA, das Länge und Richtung getrennt lernt: Die Spalten der geänderten Gewichte werden auf Länge 1 normiert und auf eine gelernte Länge skaliert, die bei der Länge der eingefrorenen Spalten beginnt. g ist die Änderung dieser Länge. Wie von den Autoren vorgeschlagen, fließt durch die Länge, durch die geteilt wird, kein Gradient.
plugin-fact-about = Die Änderungen aller Gewichte der Aufmerksamkeit in allen Blöcken bilden einen Tensor, geschrieben als Tensor-Train: zwei Faktoren, die alle teilen, und für jede eine kleine Matrix in der Mitte. Das Paper ändert auch die zwei Schichten des MLP, als je vier quadratische Teile.
plugin-houlsby-about = Der erste Adapter: ein Engpass hinter der Aufmerksamkeit und einer hinter dem MLP. Jeder arbeitet auf der Ausgabe seiner Teilschicht, vor der Residualsumme.
plugin-ia3-attention-about = Der Teil von (IA)³ in der Aufmerksamkeit: Zwei gelernte Vektoren skalieren Schlüssel und Werte Kanal für Kanal und verstärken oder schwächen so vorhandene Merkmale. Der dritte Vektor von (IA)³, der die Aktivierungen im MLP skaliert, wird nicht verwendet; das Plugin IA3 hat alle drei.
plugin-ia3-about = (IA)³ ganz: Drei gelernte Vektoren skalieren Schlüssel, Werte und die Aktivierungen im MLP Kanal für Kanal und verstärken oder schwächen so vorhandene Merkmale.
plugin-lora-about = Eine Änderung niedrigen Rangs an den Projektionen der Schlüssel und Werte: Die Änderung einer Gewichtsmatrix ist das Produkt einer schmalen und einer breiten Matrix vom Rang r, skaliert mit einem lernbaren s. Die Anfragen ändern sich nicht.
plugin-lora-all-about = LoRA an jeder linearen Schicht eines Blocks: den vier Projektionen der Aufmerksamkeit und den zwei Schichten des MLP, jede mit einer eigenen Änderung vom Rang r. Für weniger Schichten bearbeite eine Kopie und entferne Namen aus `sites`.
plugin-pfeiffer-about = Ein Adapter je Block: ein Engpass hinter dem MLP, der auf der Ausgabe des MLP arbeitet, vor der Residualsumme. Halb so groß wie die zwei von Houlsby.
plugin-prefix-about = r gelernte Schlüssel-Token und r gelernte Wert-Token, auf die jedes Token neben den gewöhnlichen achtet. Die gewöhnlichen behalten ihren Anteil am gemeinsamen Softmax; in der kalibrierten Form (Gl. 12 des LAE-Papers) ergeben die Gewichte der Prefix-Token für sich 1, damit sie so schnell lernen wie ein Adapter. Die schlichte Form ist das gewöhnliche gemeinsame Softmax ohne Skalen.
plugin-ssf-about = Skalieren und Verschieben: Jeder Kanal der Ausgabe jeder linearen Schicht eines Blocks wird mit einer gelernten Skala multipliziert, und eine gelernte Verschiebung wird addiert. Ein Block hat sechs lineare Schichten (in ConvNeXt die zwei des MLP); das Paper skaliert und verschiebt auch hinter den Layer-Norms und der Einbettung der Bildstücke und beginnt mit 1 und 0 und etwas Rauschen.
plugin-ssf-full-about = Skalieren und Verschieben hinter jeder linearen Schicht und jeder Layer-Norm eines Blocks: Jeder Kanal der Ausgabe wird mit einer gelernten Skala multipliziert, und eine gelernte Verschiebung wird addiert. Das Paper skaliert und verschiebt auch hinter der Einbettung der Bildstücke und beginnt mit 1 und 0 und etwas Rauschen.
plugin-streamadapter-about = Der Adapter von APER, RanPAC und EASE: ein Engpass neben dem MLP, der die Token des Blocks ohne Normierung liest. Er verengt sie auf r Kanäle, wendet ReLU an, lässt beim Training ein Zehntel der Werte weg, weitet die Token wieder und addiert das Ergebnis mit dem festen Gewicht 0,1. Bei einer Breite von 768 verwenden die Autoren 64 Kanäle.
plugin-vera-about = Eine Änderung niedrigen Rangs aus zwei eingefrorenen Zufallsmatrizen, die alle Blöcke und Stellen teilen. Jede Stelle lernt nur zwei Vektoren: Einer gewichtet die Kanäle in der Mitte, der andere das Ergebnis.
plugin-vpt-deep-about = Visuelle Prompts: r gelernte Token werden vor jedem Block zwischen Klassentoken und Bildstücken eingefügt und hinter ihm wieder entfernt, sodass jeder Block eigene hat.
plugin-vpt-shallow-about = Visuelle Prompts: r gelernte Token werden vor dem Block zwischen Klassentoken und Bildstücken eingefügt und bleiben bis zum Ende. Wähle nur den ersten Block, wie im Paper: Jeder weitere Block fügt r mehr ein.

function-gelu-meaning = x·Φ(x) mit der genauen Fehlerfunktion, elementweise
function-relu-meaning = das Größere von x und 0, elementweise
function-silu-meaning = x·sigmoid(x), elementweise
function-tanh-meaning = Tangens hyperbolicus, elementweise
function-sigmoid-meaning = 1 / (1 + e^−x), elementweise
function-exp-meaning = e^x, elementweise oder von einer Zahl
function-sqrt-meaning = Quadratwurzel, elementweise oder von einer Zahl
function-softmax-meaning = Anteile entlang der letzten Achse: positiv, zusammen 1
function-mean-meaning = Mittel entlang der letzten Achse, die als eine Spalte bleibt
function-sum-meaning = Summe entlang der letzten Achse, die als eine Spalte bleibt
function-dropout-meaning = beim Training: mit Wahrscheinlichkeit p 0, sonst x / (1 − p), elementweise; sonst x
function-transpose-meaning = vertauscht die letzten zwei Achsen
function-split-heads-meaning = Token × Kanäle zu Köpfe × Token × Kanäle je Kopf, wie Schlüssel und Werte sind
function-join-tokens-meaning = die Token von x, dahinter die von y
function-kron-meaning = Kronecker-Produkt zweier Matrizen: jedes Element von x mal ganz y
function-column-norms-meaning = Länge jeder Spalte: Wurzel aus der Summe ihrer Quadrate, in einer Zeile
function-detach-meaning = x selbst, aber kein Gradient fließt hindurch zurück
function-first-rows-meaning = die ersten n Zeilen (Token) der vorletzten Achse
function-rest-rows-meaning = alle Zeilen (Token) der vorletzten Achse außer den ersten n
function-first-columns-meaning = die ersten n Spalten der letzten Achse
function-rest-columns-meaning = alle Spalten der letzten Achse außer den ersten n

# Die Stellen eines Blocks, an denen ein PET wirken kann, und die Größen eines Blocks in Gleichungen.

site-attention-about = e: normierte Token, h: die Ausgabe der Aufmerksamkeit, vor der Residualsumme
site-mlp-about = e: normierte Token, h: die Ausgabe des MLP, vor der Residualsumme
site-stream-about = e: die Token vor der Norm des MLP, h: die Ausgabe des MLP, vor der Residualsumme
site-block-about = e: die Eingabe des Blocks, h: seine Ausgabe mit der Residualsumme
site-query-about = e: normierte Token, h: die Anfragen, w: ihr Gewicht
site-key-about = e: normierte Token, h: die Schlüssel, w: ihr Gewicht
site-value-about = e: normierte Token, h: die Werte, w: ihr Gewicht
site-proj-about = e: die verketteten Ergebnisse der Köpfe, h: die Ausgabeprojektion der Aufmerksamkeit, w: ihr Gewicht
site-fc1-about = e: normierte Token, h: die erste Schicht des MLP, vor der GELU, w: ihr Gewicht
site-fc2-about = e: die verdeckten Aktivierungen, h: die zweite Schicht des MLP, w: ihr Gewicht
site-attend-about = q, k, v je Kopf (Batch × Köpfe × Token × Kopfbreite); das Ergebnis ersetzt die Aufmerksamkeit
site-tokens-about = e: die Token vor dem Block, h: dahinter; das Ergebnis hat die Token von h, oder die von e, wo `input` welche hinzugab, die wieder gehen
site-norm1-about = e: die Token vor der Norm der Aufmerksamkeit, h: dahinter
site-norm2-about = e: die Token vor der Norm des MLP, h: dahinter
site-activation-about = e: die verdeckten Aktivierungen vor der GELU, h: dahinter
site-input-about = e: die Token, die in den Block gehen, das Klassentoken zuerst; das Ergebnis tritt an ihre Stelle und darf vor den Bildstücken mehr haben
symbol-d-about = Kanäle der Token des Blocks
symbol-d-in-about = Kanäle von e an der Stelle
symbol-d-out-about = Kanäle von h an der Stelle
symbol-hidden-about = Kanäle im MLP
symbol-heads-about = Zahl der Köpfe der Aufmerksamkeit
symbol-head-width-about = Kanäle eines Kopfs, d / heads
