# Die Seite für den Beamer.

present-nothing = Starte oder öffne einen Lauf, um ihn zu zeigen.
present-choose = Lauf wählen
present-beside = Vergleichen mit
present-alone = kein anderer Lauf
present-partner = der Lauf, der dazugehört
present-leave = Verlassen
present-back = Zurück
present-show = Auflösen
present-next = Weiter
present-task = Task { $task } von { $tasks }
present-all = { $name }, alle bisherigen Tasks
present-first = { $name }, Task 1
present-bars = Genauigkeit bei jedem Task; eine Marke zeigt den jeweils besten Wert
present-ended = Der Lauf endete, bevor er { $next } lernte.
present-guess-first = Zuerst lernt der Lauf { $next }. Wie viele Bilder wird er richtig erkennen? Ratet!
present-guess = Als Nächstes lernt der Lauf { $next } und sieht dabei keine Bilder von { $first }. Wie viele Bilder von { $first } wird er noch richtig erkennen? Ratet!
present-guess-waiting = Der Lauf lernt gerade { $next } und sieht dabei keine Bilder von { $first }. Wie viele Bilder von { $first } wird er noch richtig erkennen? Ratet!
present-of-run = { $name } { $share }
present-learned = Richtig bei { $first }: { $each }.
present-still = Noch richtig bei { $first }: { $each }.
present-most-forgotten = { $name } hat Task { $task } ({ $classes }) am stärksten vergessen: von { $best } auf { $now }.
