# The glossary.

glossary-means = { $term }: what it means
glossary-title = Glossary
glossary-find = Find a term
glossary-about = Terms underlined with dots are explained under the pointer, everywhere in the window; a click keeps the note open.
glossary-none = No term is told with these words.
