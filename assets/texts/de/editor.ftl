# Das Plugin, das geschrieben wird, und was es bedeutet.

editor-text = Text des Plugins
editor-offered = Tab fügt ein, Pfeiltasten wählen, Esc schließt
editor-foreign = Dieses Plugin ist noch nicht installiert
editor-foreign-text = Datei: { $place }. Was es bewirkt, steht neben dem Text. Installieren speichert eine Kopie in deinem Plugin-Ordner.
editor-hides = Das würde das eingebaute Plugin { $name } ersetzen
editor-hides-text = Alle Läufe mit diesem Namen würden dann dieses Plugin trainieren. Gib ihm einen anderen Namen oder erlaube es; die Wahl wird gespeichert.
editor-hides-allow = { $name } ersetzen
editor-theirs = Die Datei wurde auf dem Datenträger geändert
editor-theirs-take = Datei neu laden
editor-theirs-keep = Meine Fassung behalten
editor-nameless = Plugin ohne Namen
editor-unsaved = noch nicht gespeichert
editor-changed = ungespeicherte Änderungen
editor-saved = gespeichert
editor-install = Installieren
editor-save = Speichern
editor-use-hint = Speichert das Plugin und wählt es auf der Seite Experiment
editor-duplicate = Duplizieren
editor-show = Datei zeigen
editor-find = Suchen
editor-close = Schließen
editor-close-hint = Zurück zur Liste

# Suchen und Ersetzen.
editor-find-what = Suchen nach
editor-find-next = Nächstes
editor-find-by = Ersetzen durch
editor-find-replace = Ersetzen
editor-find-all = Alle ersetzen
editor-find-count = { $n ->
    [0] Keine Treffer
    [1] 1 Treffer
   *[other] { $n } Treffer
}

# Was es bedeutet.
editor-meaning-last = Darunter: die letzte Fassung ohne Fehler
editor-checking = Wird geprüft …
editor-sound = Keine Fehler
editor-mistakes = { $n ->
    [one] { $n } Fehler
   *[other] { $n } Fehler
}
editor-mistake-place = Zeile { $line }, Spalte { $column }
editor-mistake-mend = In { $text } ändern
editor-on = Auf { $backbone }
editor-on-trained = { $n ->
    [one] { $n } trainierbarer Parameter in { $carry } von { $all } Blöcken, { $kilobytes } kB.
   *[other] { $n } trainierbare Parameter in { $carry } von { $all } Blöcken, { $kilobytes } kB.
}
editor-on-fixed = { $n ->
    [one] { $n } fester Parameter behält seinen Anfangswert.
   *[other] { $n } feste Parameter behalten ihre Anfangswerte.
}
editor-on-memory = Mit den Einstellungen auf der Seite Experiment braucht ein Trainingsschritt etwa { $megabytes } MB mehr als das Backbone allein.
editor-on-identity = Es beginnt als Identität: Vor dem Training ändert es die Ausgabe nicht.
editor-on-no-identity = Es beginnt nicht als Identität: Schon vor dem Training ändert es die Ausgabe.
editor-on-folds = Bei { $sites } ist es linear: Werden viele Bilder vorhergesagt, wird es dort in die eingefrorenen Gewichte eingerechnet.
editor-on-shapes = Formen für ein Bild mit { $n } Token
editor-on-block = Block mit dem Plugin an { $sites }
editor-measured = Messungen
editor-measured-waiting = Beginnt, sobald du nicht mehr tippst …
editor-measured-again = Wird neu gemessen …
editor-measured-costs = Mit { $n } Bildern auf dem eingebauten Netz und diesem Prozessor dauert eine Vorhersage { $with } ms statt { $plain } ms; die Gradienten eines Trainingsschritts dauern { $step } ms. Bei größeren Netzen ist es anders.
editor-learns-fixed = fest
editor-learns-never = erhält nie einen Gradienten
editor-learns-first = lernt ab dem ersten Schritt
editor-learns-second = lernt ab dem zweiten Schritt

# Neben Adapter ausprobiert.
editor-try = Ausprobieren
editor-try-about = Trainiert dieses Plugin und Adapter etwa 20 Sekunden lang auf den eingebauten Ziffern, beide in ihrer üblichen Größe.
editor-try-waiting = Wartet in der Warteschlange …
editor-try-stop = Anhalten
editor-try-right = Genauigkeit
editor-try-forgotten = Vergessen
editor-try-seconds = Zeit
editor-try-judged = Genauigkeit auf { $n } Bildern, die nicht zum Training gehören. Bei so wenigen Bildern und nur einem Startwert bedeuten kleine Unterschiede nichts.
editor-try-losses = Verlust beider Plugins je Schritt

# Namen, die beim Tippen angeboten werden, und was sie sind.
editor-name-parameter = Parameter
editor-name-begins = { $shape }, Anfangswert { $init }
editor-name-weight = d_in × d_out, eingefrorenes Gewicht
editor-name-heads = heads × tokens × head_width
editor-name-stream = Token × Kanäle
editor-key-shape = Zeilen und Spalten
editor-key-init = Anfangswert
editor-key-fixed = nicht trainiert
editor-key-per-site = eine Kopie je Stelle
editor-key-shared = eine Kopie für alle Blöcke
editor-key-line = Beschreibung in einer Zeile
editor-key-default = Standardwert
editor-key-min = kleinster Wert
editor-key-max = größter Wert
editor-key-symbol = Name in Gleichungen
editor-key-every = alle Stellen ohne eigene Gleichung
editor-key-name = angezeigter Name
editor-key-description = Beschreibung in einem Absatz
editor-key-reference = der Aufsatz
editor-key-sites = wo das Plugin wirkt

# Namen, die das Programm gibt.
editor-called = Meins
editor-called-my = Mein { $name }
editor-called-copy = { $name } Kopie
editor-problem-nameless = das Plugin hat keinen Namen
editor-problem-nameless-try = schreibe name = "…" in die erste Zeile
