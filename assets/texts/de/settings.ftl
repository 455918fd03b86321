# Das Menü Einstellungen.

settings-title = Einstellungen
settings-theme = Farben
settings-theme-system = System
settings-theme-light = Hell
settings-theme-dark = Dunkel
settings-language = Sprache
settings-size = Größe
settings-smaller = Kleiner
settings-usual-size = Größe zurücksetzen
settings-larger = Größer
settings-still = Bewegung verringern
settings-log = Protokollstufe
settings-log-how-much = Protokollstufe
settings-log-off = Aus
settings-log-error = Fehler
settings-log-warn = Fehler und Warnungen
settings-log-info = Befehle und ihre Ergebnisse
settings-log-debug = Alle Einzelheiten
settings-folders = Weitere Ordner mit Läufen …
settings-kept-aside = das Fenster startet mit Standardeinstellungen; die alte Datei bleibt als { $file } erhalten
settings-written-over = das Fenster startet mit Standardeinstellungen und ersetzt die Datei beim Schließen
settings-unreadable = die Einstellungen des Fensters sind nicht lesbar: { $why }
settings-unwritten = die Einstellungen können nicht gespeichert werden: { $why }
settings-unwritten-advice = das Fenster läuft weiter; prüfe freien Speicherplatz und Zugriffsrechte
