# The glossary.

glossary-means = { $term }: what it means
glossary-title = Glossary
glossary-find = Find a term
glossary-about = Terms with a dotted underline are explained on hover throughout the window; click one to keep its explanation open.
glossary-none = No matching term
