# Was die Methoden tun, in einem Satz. Ihr Englisch steht bei jeder Methode.

method-lae-summary = Friert das PET zu Beginn jedes späteren Tasks ein, mittelt es in einer langsamen Offline-Kopie und antwortet mit beiden
method-baseline-summary = Trainiert dasselbe PET Task für Task, ohne Schutz gegen das Vergessen
method-seq-ft-summary = Trainiert das ganze Netz Task für Task, ohne Schutz gegen das Vergessen
method-joint-ft-summary = Trainiert das ganze Netz mit allen Klassen auf einmal: die Genauigkeit ohne Tasks, zum Vergleich
method-l2p-summary = Jedes Bild verwendet die Prompts eines gemeinsamen Vorrats mit den ähnlichsten Schlüsseln
method-dualprompt-summary = Allgemeine Prompts für alle Tasks und Experten-Prompts je Task, die über ihren Schlüssel gewählt werden
method-coda-prompt-summary = Mischt den Prompt eines Bildes durch Aufmerksamkeit aus Komponenten; jeder Task fügt Komponenten hinzu
method-esn-summary = Trainiert je Task eine Stufe mit eigenem Klassifikator; Energien entscheiden, welche antwortet
method-simplecil-summary = Trainiert nichts: Jede Klasse ist das Mittel der Merkmale ihrer Bilder; das nächste Mittel gewinnt
method-aper-summary = Passt im ersten Task ein PET an; jede Klasse ist dann das Mittel ursprünglicher und angepasster Merkmale
method-ease-summary = Passt für jeden Task ein PET an; Klassen haben Mittel in den Unterräumen aller
method-ranpac-summary = Projiziert Merkmale zufällig und löst eine Ridge-Regression über alle bisherigen Bilder
method-ewc-summary = Trainiert ein PET Task für Task und hält für frühere Tasks wichtige Parameter nahe an ihren Werten
method-icarl-summary = Lernt einige gespeicherte Bilder jeder Klasse zusammen mit den neuen noch einmal; das nächste Mittel dieser Bilder gewinnt

# Die Experten.
expert-online-title = Online
expert-offline-title = Offline
expert-ensemble-title = Ensemble
expert-answer-title = Antwort
