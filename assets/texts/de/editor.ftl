# Das Plugin, das geschrieben wird, und was es bedeutet.

editor-text = Der Text
editor-offered = Tab nimmt das erste, Pfeile wählen, Esc schließt
editor-foreign = Dieses Plugin ist noch nicht installiert
editor-foreign-text = Es liegt unter { $place }. Was es täte, steht neben seinem Text; Installieren legt eine Kopie zu deinen Plugins.
editor-hides = Das träte an die Stelle des eingebauten Plugins { $name }
editor-hides-text = Jeder Lauf mit diesem Namen würde dann diesen Text trainieren. Gib ihm einen anderen Namen oder erlaube es: Das gilt dann weiter.
editor-hides-allow = An die Stelle von { $name } treten lassen
editor-theirs = Ein anderes Programm hat diese Datei geändert
editor-theirs-take = Deren Text nehmen
editor-theirs-keep = Meinen behalten
editor-nameless = noch kein Name
editor-unsaved = noch nicht gespeichert
editor-changed = seit dem Speichern geändert
editor-saved = gespeichert
editor-install = Installieren
editor-save = Speichern
editor-use-hint = Speichert es und wählt es auf Experiment
editor-duplicate = Duplizieren
editor-show = Datei zeigen
editor-find = Suchen
editor-close = Schließen
editor-close-hint = Zurück zur Liste

# Suchen und Ersetzen.
editor-find-what = suchen
editor-find-next = Nächstes
editor-find-by = ersetzen durch
editor-find-replace = Ersetzen
editor-find-all = Alle ersetzen
editor-find-count = { $n ->
    [0] nicht da
    [1] einmal
   *[other] { $n }-mal
}

# Was es bedeutet.
editor-meaning-last = Darunter steht, was der letzte fehlerfreie Text bedeutet.
editor-checking = Wird geprüft …
editor-sound = Alles in Ordnung
editor-mistakes = { $n ->
    [one] { $n } Fehler
   *[other] { $n } Fehler
}
editor-mistake-place = Zeile { $line }, Spalte { $column }
editor-mistake-mend = { $text } schreiben
editor-on = Auf { $backbone }
editor-on-trained = { $n ->
    [one] { $n } Wert wird in { $carry } von { $all } Blöcken trainiert, { $kilobytes } kB.
   *[other] { $n } Werte werden in { $carry } von { $all } Blöcken trainiert, { $kilobytes } kB.
}
editor-on-fixed = { $n ->
    [one] { $n } Wert bleibt, wie er beginnt.
   *[other] { $n } Werte bleiben, wie sie beginnen.
}
editor-on-memory = Ein Trainingsschritt mit den Einstellungen auf Experiment braucht etwa { $megabytes } MB mehr als das Netz allein.
editor-on-identity = Es beginnt als Identität: Ein frisches ändert nichts.
editor-on-no-identity = Es beginnt nicht als Identität: Ein frisches ändert, was das Netz sagt.
editor-on-folds = Bei { $sites } ist es linear: Wo viele Bilder vorhergesagt werden, wird es dort Teil der festen Gewichte.
editor-on-shapes = Formen für ein Bild mit { $n } Token
editor-on-block = Der Block, mit dem Plugin an { $sites }
editor-measured = Ausprobiert
editor-measured-waiting = Es wird ausprobiert, sobald der Text einen Moment unverändert ist …
editor-measured-again = wird neu ausprobiert …
editor-measured-costs = Auf dem eingebauten Netz und dem Prozessor hier, mit { $n } Bildern: Eine Vorhersage dauert { $with } ms statt { $plain } ms, und die Gradienten eines Trainingsschritts zu finden { $step } ms. Bei einem größeren Netz ist es anders.
editor-learns-fixed = fest
editor-learns-never = kein Gradient erreicht ihn je
editor-learns-first = lernt vom ersten Schritt an
editor-learns-second = lernt vom zweiten Schritt an

# Neben Adapter ausprobiert.
editor-try = Ausprobieren
editor-try-about = Trainiert es etwa zwanzig Sekunden lang auf den eingebauten Ziffern neben Adapter, beide in ihrer üblichen Größe.
editor-try-waiting = Wartet, bis es an der Reihe ist …
editor-try-stop = Anhalten
editor-try-right = richtig
editor-try-forgotten = vergessen
editor-try-seconds = Zeit
editor-try-judged = Richtige Antworten auf { $n } Bilder, die vom Training zurückgehalten wurden; so wenige, und nur ein Startwert, zeigen kleine Unterschiede nicht.
editor-try-losses = Verlust beider über die Schritte

# Namen, die beim Tippen angeboten werden, und was sie sind.
editor-name-parameter = Parameter
editor-name-begins = { $shape }, beginnt als { $init }
editor-name-weight = d_in × d_out, das eingefrorene Gewicht
editor-name-heads = heads × tokens × head_width
editor-name-stream = Token × Kanäle
editor-key-shape = zwei Größen
editor-key-init = wie er beginnt
editor-key-fixed = nie trainiert
editor-key-per-site = einer je Stelle
editor-key-shared = einer für alle Blöcke
editor-key-line = eine Zeile
editor-key-default = wenn nichts gewählt ist
editor-key-min = kleinste
editor-key-max = größte
editor-key-symbol = ihr Name in Gleichungen
editor-key-every = alle Stellen ohne eigene
editor-key-name = wie man es nennt
editor-key-description = ein Absatz
editor-key-reference = der Aufsatz
editor-key-sites = wo es wirkt

# Namen, die das Programm gibt.
editor-called = Meins
editor-called-my = Mein { $name }
editor-called-copy = { $name } Kopie
editor-problem-nameless = Der Text nennt keinen Namen, und eine Datei braucht einen
editor-problem-nameless-try = Schreibe name = "…" in seine erste Zeile
