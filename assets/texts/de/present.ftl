# Die Seite für den Beamer.

present-no-run = Starte oder öffne einen Lauf, um ihn zu zeigen.
present-choose-run = Lauf wählen
present-compare-with = Vergleichen mit
present-no-other-run = kein anderer Lauf
present-paired-run = der zugehörige Lauf
present-exit = Verlassen
present-back = Zurück
present-reveal = Auflösen
present-next = Weiter
present-task-of-tasks = Task { $task } von { $tasks }
present-all-tasks = { $name }, alle bisherigen Tasks
present-first-task = { $name }, Task 1
present-bars-about = Genauigkeit bei jedem Task; eine Marke zeigt den jeweils besten Wert
present-ended-early = Der Lauf endete, bevor er { $next } lernte.
present-guess-first-task = Zuerst lernt der Lauf { $next }. Wie viele Bilder wird er richtig erkennen? Ratet!
present-guess = Als Nächstes lernt der Lauf { $next } und sieht dabei keine Bilder von { $first }. Wie viele Bilder von { $first } wird er noch richtig erkennen? Ratet!
present-guess-learning = Der Lauf lernt gerade { $next } und sieht dabei keine Bilder von { $first }. Wie viele Bilder von { $first } wird er noch richtig erkennen? Ratet!
present-of-run = { $name } { $share }
present-correct = Richtig bei { $first }: { $each }.
present-still-correct = Noch richtig bei { $first }: { $each }.
present-most-forgotten = { $name } hat Task { $task } ({ $classes }) am stärksten vergessen: von { $best } auf { $now }.
