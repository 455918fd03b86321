# Das Glossar.

glossary-term-meaning = { $term }: was es bedeutet
glossary-title = Glossar
glossary-find-term = Begriff suchen
glossary-about = Gepunktet unterstrichene Begriffe werden im ganzen Fenster unter dem Mauszeiger erklärt; ein Klick hält die Erklärung offen.
glossary-no-match = Kein passender Begriff
