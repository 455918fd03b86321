# Hilfe und Befehlspalette.

palette-none = Kein passender Befehl
palette-hint = Befehl eingeben
palette-field = Befehl
palette-more = und { $n } weitere
palette-keys-on = { $keys } auf { $page }
keys-help = Hilfe
keys-palette = Befehlspalette
keys-start = Training starten
keys-stop = Lauf beenden
keys-pause = anhalten (auf Training)
keys-present = Ansicht für den Beamer
keys-undo = rückgängig
keys-redo = wiederholen
keys-paste = Bild einfügen (auf Vorhersage)
keys-all = alle Läufe wählen (auf Vergleich)
help-guide = Anleitung (englisch)
help-shortcuts = Tasten
help-tour = Die Tour machen
help-tour-told = Drei Minuten: zwei Ziffern zeichnen und zusehen, wie eine vergessen wird.
help-lesson = Eine Lektion machen
help-lesson-told = Je 15 Minuten: raten, trainieren, messen, erklären.
help-term = Einen Begriff nachschlagen
help-term-told = Das Glossar erklärt jedes gepunktet unterstrichene Wort.
help-command = Einen Befehl finden
help-command-told = Gib ein paar Buchstaben ein, um einen Befehl zu finden.
