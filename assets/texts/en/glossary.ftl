# The glossary.

glossary-term-meaning = { $term }: what it means
glossary-title = Glossary
glossary-find-term = Find a term
glossary-about = Terms with a dotted underline are explained on hover throughout the window; click one to keep its explanation open.
glossary-no-match = No matching term
