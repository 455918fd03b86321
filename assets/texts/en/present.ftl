# The presenter view.

present-nothing = Start or open a run to present it.
present-choose = Choose run
present-beside = Compare with
present-alone = no other run
present-partner = the paired run
present-leave = Exit
present-back = Back
present-show = Reveal
present-next = Next
present-task = Task { $task } of { $tasks }
present-all = { $name }, all tasks so far
present-first = { $name }, task 1
present-bars = Accuracy on each task; a mark shows the best value of each
present-ended = The run ended before it learned { $next }.
present-guess-first = First, the run learns { $next }. How many images will it classify correctly? Make a guess.
present-guess = Next, the run learns { $next } without seeing any images of { $first }. How many images of { $first } will it still classify correctly? Make a guess.
present-guess-waiting = The run is now learning { $next } without seeing any images of { $first }. How many images of { $first } will it still classify correctly? Make a guess.
present-of-run = { $name } { $share }
present-learned = Correct for { $first }: { $each }.
present-still = Still correct for { $first }: { $each }.
present-most-forgotten = { $name } forgot task { $task } ({ $classes }) the most: from { $best } to { $now }.
