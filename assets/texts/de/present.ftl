# Die Seite für den Beamer.

present-nothing = Starte einen Lauf oder öffne einen, dann zeige ihn hier allen.
present-choose = Lauf wählen
present-beside = Lauf daneben
present-alone = kein anderer Lauf
present-partner = der Lauf, der dazugehört
present-leave = Verlassen
present-back = Zurück
present-show = Zeigen
present-next = Weiter
present-task = Task { $task } von { $tasks }
present-all = { $name }, alles bisher
present-first = { $name }, Task 1
present-bars = Richtige Bilder jedes Tasks, mit einer Marke am jeweils besten Wert
present-ended = Der Lauf endete, bevor er { $next } lernte.
present-guess-first = Zuerst lernt er { $next }. Ratet: Wie viele Bilder wird er richtig haben?
present-guess = Jetzt lernt er { $next } und sieht kein Bild von { $first } mehr. Ratet zuerst: Wie viele davon hat er danach noch richtig?
present-guess-waiting = Jetzt lernt er { $next } und sieht kein Bild von { $first } mehr. Er lernt sie gerade. Ratet zuerst: Wie viele davon hat er danach noch richtig?
present-of-run = { $name } { $share }
present-learned = Richtig bei { $first }: { $each }.
present-still = Noch richtig bei { $first }: { $each }.
present-most-forgotten = { $name } hat am meisten von Task { $task } ({ $classes }) vergessen: von { $best } auf { $now }.
