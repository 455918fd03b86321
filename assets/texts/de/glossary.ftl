# Das Glossar.

glossary-means = { $term }: was es bedeutet
glossary-title = Glossar
glossary-find = Begriff suchen
glossary-about = Gepunktet unterstrichene Begriffe werden unter dem Zeiger erklärt, überall im Fenster; ein Klick hält die Notiz offen.
glossary-none = Kein Begriff wird mit diesen Worten erklärt.
