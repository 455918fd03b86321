# The presenter view.

present-no-run = Start or open a run to present it.
present-choose-run = Choose run
present-compare-with = Compare with
present-no-other-run = no other run
present-paired-run = the paired run
present-exit = Exit
present-back = Back
present-reveal = Reveal
present-next = Next
present-task-of-tasks = Task { $task } of { $tasks }
present-all-tasks = { $name }, all tasks so far
present-first-task = { $name }, task 1
present-bars-about = Accuracy on each task; a mark shows the best value of each
present-ended-early = The run ended before it learned { $next }.
present-guess-first-task = First, the run learns { $next }. How many images will it classify correctly? Make a guess.
present-guess = Next, the run learns { $next } without seeing any images of { $first }. How many images of { $first } will it still classify correctly? Make a guess.
present-guess-learning = The run is now learning { $next } without seeing any images of { $first }. How many images of { $first } will it still classify correctly? Make a guess.
present-of-run = { $name } { $share }
present-correct = Correct for { $first }: { $each }.
present-still-correct = Still correct for { $first }: { $each }.
present-most-forgotten = { $name } forgot task { $task } ({ $classes }) the most: from { $best } to { $now }.
