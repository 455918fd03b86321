# Das Menü Einstellungen.

settings-title = Einstellungen
settings-theme = Farben
settings-theme-system = System
settings-theme-light = Hell
settings-theme-dark = Dunkel
settings-language = Sprache
settings-size = Größe
settings-smaller = Kleiner
settings-usual-size = Normale Größe
settings-larger = Größer
settings-still = Bewegung verringern
settings-log = Das Protokoll behält
settings-log-how-much = Wie viel das Protokoll behält
settings-log-off = Nichts
settings-log-error = Fehler
settings-log-warn = Fehler und Warnungen
settings-log-info = Was verlangt wurde und wie es endete
settings-log-debug = Jeden Schritt
settings-folders = Weitere Ordner mit Läufen …
settings-kept-aside = das Fenster beginnt mit den üblichen Einstellungen; die Datei ist aufgehoben als { $file }
settings-written-over = das Fenster beginnt mit den üblichen Einstellungen und überschreibt die Datei beim Schließen
settings-unreadable = die Einstellungen des Fensters sind nicht lesbar: { $why }
settings-unwritten = die Einstellungen können nicht gespeichert werden: { $why }
settings-unwritten-advice = das Fenster läuft weiter; prüfe die Festplatte und die Rechte darauf
