# Das Menü Einstellungen.

settings-title = Einstellungen
settings-theme = Design
settings-theme-system = System
settings-theme-light = Hell
settings-theme-dark = Dunkel
settings-language = Sprache
settings-size = Größe
settings-smaller = Kleiner
settings-reset-size = Größe zurücksetzen
settings-larger = Größer
settings-reduce-motion = Bewegung reduzieren
settings-log-level = Protokollstufe
settings-log-level-name = Protokollstufe
settings-log-off = Aus
settings-log-error = Fehler
settings-log-warn = Fehler und Warnungen
settings-log-info = Befehle und ihre Ergebnisse
settings-log-debug = Alle Einzelheiten
settings-folders = Weitere Ordner mit Läufen …
settings-old-file-kept = das Fenster startet mit Standardeinstellungen; die alte Datei bleibt als { $file } erhalten
settings-file-replaced = das Fenster startet mit Standardeinstellungen und ersetzt die Datei beim Schließen
settings-unreadable = die Einstellungen des Fensters lassen sich nicht lesen: { $why }
settings-not-saved = die Einstellungen ließen sich nicht speichern: { $why }
settings-not-saved-advice = das Fenster läuft weiter; prüfe freien Speicherplatz und Zugriffsrechte
