# The page for a projector.

present-nothing = Start a run or open one, then show it to the room.
present-choose = Choose a run
present-beside = Run beside it
present-alone = no other run
present-partner = the run that belongs to it
present-leave = Leave
present-back = Back
present-show = Show it
present-next = Next
present-task = Task { $task } of { $tasks }
present-all = { $name }, everything so far
present-first = { $name }, task 1
present-bars = Pictures of each task that are right, with a mark at the best of each
present-ended = The run ended before it learned { $next }.
present-guess-first = First it learns { $next }. Guess: how many pictures will it get right?
present-guess = Now it learns { $next }, and sees no picture of { $first } any more. Guess first: how many of those does it still get right afterwards?
present-guess-waiting = Now it learns { $next }, and sees no picture of { $first } any more. It is learning them right now. Guess first: how many of those does it still get right afterwards?
present-of-run = { $name } { $share }
present-learned = Right of { $first }: { $each }.
present-still = Still right of { $first }: { $each }.
present-most-forgotten = { $name } forgot most of task { $task } ({ $classes }): from { $best } to { $now }.
