# Hilfe und Befehlspalette.

palette-none = Kein Befehl mit diesen Buchstaben
palette-hint = Befehl eingeben
palette-field = Befehl
palette-more = und { $n } weitere
palette-keys-on = { $keys } auf { $page }
keys-help = Hilfe
keys-palette = alle Befehle
keys-start = Training starten
keys-stop = Lauf beenden
keys-pause = anhalten, auf Training
keys-present = den Lauf allen zeigen
keys-undo = rückgängig
keys-redo = wiederholen
keys-paste = Bild einfügen, auf Vorhersage
keys-all = alle Läufe wählen, auf Vergleich
help-guide = Anleitung (englisch)
help-shortcuts = Tasten
help-tour = Die Tour machen
help-tour-told = Drei Minuten: zwei Ziffern zeichnen und zusehen, wie eine vergessen wird.
help-lesson = Eine Lektion lesen
help-lesson-told = Je eine Viertelstunde: raten, trainieren, messen, erklären.
help-term = Einen Begriff nachschlagen
help-term-told = Das Glossar: jedes Wort, das gepunktet unterstrichen ist.
help-command = Einen Befehl finden
help-command-told = Alles, was das Fenster kann, mit ein paar Buchstaben davon.
