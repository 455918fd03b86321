# Das Glossar.

glossary-means = { $term }: was es bedeutet
glossary-title = Glossar
glossary-find = Begriff suchen
glossary-about = Gepunktet unterstrichene Begriffe werden im ganzen Fenster unter dem Mauszeiger erklärt; ein Klick hält die Erklärung offen.
glossary-none = Kein passender Begriff
