# Was die Methoden tun, in einem Satz. Ihr Englisch steht bei jeder Methode.

method-lae-summary = Lernt anfangs mit eingefrorenem PET, sammelt es in einer langsamen Offline-Kopie, antwortet mit beiden
method-baseline-summary = Trainiert dasselbe PET Task für Task und tut nichts gegen das Vergessen
method-seq-ft-summary = Trainiert das ganze Netz Task für Task und tut nichts gegen das Vergessen
method-joint-ft-summary = Trainiert das ganze Netz mit allen Klassen auf einmal: woran fortlaufendes Lernen gemessen wird
method-l2p-summary = Jedes Bild nimmt aus einem gemeinsamen Vorrat die Prompts, deren Schlüssel ihm am ähnlichsten sind
method-dualprompt-summary = Allgemeine Prompts für alle Tasks und ein Platz mit Experten-Prompts je Task, über seinen Schlüssel gefunden
method-coda-prompt-summary = Mischt den Prompt eines Bildes durch Aufmerksamkeit aus Komponenten; jeder Task bringt seinen Teil mit
method-esn-summary = Gibt jedem Task eine Stufe mit eigenem Klassifikator; Energien stimmen ab, welche antwortet
method-simplecil-summary = Trainiert nichts: Eine Klasse ist das Mittel der Merkmale ihrer Bilder, das nächste Mittel gewinnt
method-aper-summary = Passt im ersten Task ein PET an; danach ist eine Klasse das Mittel alter und angepasster Merkmale
method-ease-summary = Passt für jeden Task ein PET an; Klassen haben Mittel in den Unterräumen aller
method-ranpac-summary = Projiziert Merkmale zufällig und löst eine Ridge-Regression über alle bisherigen Bilder
method-ewc-summary = Trainiert ein PET Task für Task und hält, was für frühere Tasks gezählt hat, nahe an seinem Wert
method-icarl-summary = Behält einige Bilder jeder Klasse und lernt sie neben den neuen noch einmal; das nächste Mittel dieser Bilder gewinnt

# Die Experten.
expert-online-title = Online
expert-offline-title = Offline
expert-ensemble-title = Ensemble
expert-answer-title = Antwort
