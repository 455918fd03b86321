# Das Plugin, das geschrieben wird, und was es bedeutet.

editor-plugin-text = Text des Plugins
editor-completion-keys = Tab fügt ein, Pfeiltasten wählen, Esc schließt
editor-not-installed = Dieses Plugin ist noch nicht installiert
editor-not-installed-about = Datei: { $place }. Was es bewirkt, steht neben dem Text. Installieren speichert eine Kopie in deinem Plugin-Ordner.
editor-overrides-built-in = Das würde das eingebaute Plugin { $name } ersetzen
editor-overrides-built-in-about = Alle Läufe mit diesem Namen würden dann dieses Plugin trainieren. Gib ihm einen anderen Namen oder erlaube es; die Wahl wird gespeichert.
editor-override-allow = { $name } ersetzen
editor-changed-on-disk = Die Datei wurde auf dem Datenträger geändert
editor-reload-file = Datei neu laden
editor-keep-my-version = Meine Fassung behalten
editor-unnamed = Plugin ohne Namen
editor-not-saved-yet = noch nicht gespeichert
editor-unsaved-changes = ungespeicherte Änderungen
editor-saved = gespeichert
editor-install = Installieren
editor-save = Speichern
editor-use-hint = Speichert das Plugin und wählt es auf der Seite Experiment
editor-duplicate = Duplizieren
editor-show-file = Datei zeigen
editor-find = Suchen
editor-close = Schließen
editor-close-hint = Zurück zur Liste

# Suchen und Ersetzen.
editor-find-what = Suchen nach
editor-find-next = Nächstes
editor-replace-with = Ersetzen durch
editor-replace = Ersetzen
editor-replace-all = Alle ersetzen
editor-find-count = { $n ->
    [0] Keine Treffer
    [1] 1 Treffer
   *[other] { $n } Treffer
}

# Was es bedeutet.
editor-last-valid-version = Darunter: die letzte Fassung ohne Fehler
editor-checking = Wird geprüft …
editor-no-errors = Keine Fehler
editor-errors = { $n ->
    [one] { $n } Fehler
   *[other] { $n } Fehler
}
editor-error-place = Zeile { $line }, Spalte { $column }
editor-error-fix = In { $text } ändern
editor-on-backbone = Auf { $backbone }
editor-on-trainable-parameters = { $n ->
    [one] { $n } trainierbarer Parameter in { $carry } von { $all } Blöcken, { $kilobytes } kB.
   *[other] { $n } trainierbare Parameter in { $carry } von { $all } Blöcken, { $kilobytes } kB.
}
editor-on-fixed-parameters = { $n ->
    [one] { $n } fester Parameter behält seinen Anfangswert.
   *[other] { $n } feste Parameter behalten ihre Anfangswerte.
}
editor-on-memory = Mit den Einstellungen auf der Seite Experiment braucht ein Trainingsschritt etwa { $megabytes } MB mehr als der Backbone allein.
editor-on-starts-identity = Es beginnt als Identität: Vor dem Training ändert es die Ausgabe nicht.
editor-on-starts-not-identity = Es beginnt nicht als Identität: Schon vor dem Training ändert es die Ausgabe.
editor-on-merges-weights = Es ist linear bei { $sites }: Werden viele Bilder klassifiziert, wird es dort in die eingefrorenen Gewichte eingerechnet.
editor-on-token-shapes = Formen für ein Bild mit { $n } Token
editor-on-block-sites = Block mit dem Plugin an { $sites }
editor-measurements = Messungen
editor-measurements-waiting = Beginnt, sobald du nicht mehr tippst …
editor-measuring-again = Wird neu gemessen …
editor-measured-times = Mit { $n } Bildern, dem eingebauten Netz und dieser CPU dauert eine Vorhersage { $with } ms statt { $plain } ms; die Gradienten eines Trainingsschritts dauern { $step } ms. Bei größeren Netzen ist es anders.
editor-parameter-fixed = fest
editor-parameter-without-gradient = erhält nie einen Gradienten
editor-parameter-learns-first-step = lernt ab dem ersten Schritt
editor-parameter-learns-second-step = lernt ab dem zweiten Schritt

# Neben Adapter ausprobiert.
editor-trial = Ausprobieren
editor-trial-about = Trainiert dieses Plugin und Adapter etwa 20 Sekunden lang auf den eingebauten Ziffern, beide in ihrer Standardgröße.
editor-trial-queued = Wartet in der Warteschlange …
editor-trial-stop = Beenden
editor-trial-accuracy = Genauigkeit
editor-trial-forgetting = Vergessen
editor-trial-time = Zeit
editor-trial-judged = Genauigkeit auf { $n } Bildern, die nicht zum Training verwendet wurden. Bei so wenigen Bildern und nur einem Startwert sind kleine Unterschiede nicht aussagekräftig.
editor-trial-losses = Verlust beider Plugins je Schritt

# Namen, die beim Tippen angeboten werden, und was sie sind.
editor-name-parameter = Parameter
editor-name-initial-value = { $shape }, Anfangswert { $init }
editor-name-frozen-weight = d_in × d_out, eingefrorenes Gewicht
editor-name-heads = heads × tokens × head_width
editor-name-tokens = Token × Kanäle
editor-key-shape = Zeilen und Spalten
editor-key-init = Anfangswert
editor-key-fixed = nicht trainiert
editor-key-per-site = eine Kopie je Stelle
editor-key-shared = eine Kopie für alle Blöcke
editor-key-description-line = Beschreibung in einer Zeile
editor-key-default = Standardwert
editor-key-min = kleinster Wert
editor-key-max = größter Wert
editor-key-symbol = Name in Gleichungen
editor-key-other-sites = alle Stellen ohne eigene Gleichung
editor-key-name = angezeigter Name
editor-key-description = Beschreibung in einem Absatz
editor-key-reference = Paper
editor-key-sites = wo das Plugin wirkt

# Namen, die das Programm gibt.
editor-default-name = Meins
editor-default-name-of = Mein { $name }
editor-default-name-copy = { $name } Kopie
editor-problem-no-name = das Plugin hat keinen Namen
editor-advice-write-name = schreibe name = "…" in die erste Zeile
