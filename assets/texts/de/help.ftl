# Hilfe und Befehlspalette.

palette-no-match = Kein passender Befehl
palette-hint = Befehl eingeben
palette-command = Befehl
palette-more = und { $n } weitere
palette-keys-on-page = { $keys } auf { $page }
keys-open-help = Hilfe
keys-open-palette = Befehlspalette
keys-start-training = Training starten
keys-stop-run = Lauf beenden
keys-pause = anhalten (auf Training)
keys-presenter-view = Präsentationsansicht
keys-undo = rückgängig
keys-redo = wiederholen
keys-paste-image = Bild einfügen (auf Vorhersage)
keys-select-all-runs = alle Läufe wählen (auf Vergleich)
help-guide = Anleitung (englisch)
help-shortcuts = Tastenkürzel
help-tour = Tour starten
help-tour-about = Drei Minuten: zwei Ziffern zeichnen und zusehen, wie eine vergessen wird.
help-lesson = Lektion beginnen
help-lesson-about = Je 15 Minuten: raten, trainieren, messen, erklären.
help-term = Begriff nachschlagen
help-term-about = Das Glossar erklärt jedes gepunktet unterstrichene Wort.
help-command = Befehl suchen
help-command-about = Gib ein paar Buchstaben ein, um einen Befehl zu finden.
