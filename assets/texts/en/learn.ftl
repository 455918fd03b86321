# The page Learn and its lessons.

learn-title = Learn
unit-minute = about one minute
unit-minutes = about { $n } minutes
unit-open = Open
unit-back = All lessons
unit-reading = Loading lessons…
unit-own = Your own lessons
unit-own-none = To add your own lessons, put them in the folder { $folder }.
unit-read-again = Reload
unit-folder = Open folder
unit-write = New lesson from template
unit-last = All lessons
unit-end = End of the lesson
unit-next = Next: { $title }
unit-all-done = all questions answered
unit-questions-done = { $done } of { $all } questions answered
unit-runs-done = { $done } of { $all } runs finished
unit-run = Train
unit-run-rest = Train remaining
unit-again = Try again
unit-to-run = Runs to train
unit-to-teach = Added task: { $run } learns { $source }
unit-teach = Teach { $source }
unit-teach-own = Teach your own images…
unit-places = Accesses { $places }
unit-teach-first = Train the run above first.
unit-waits = queued
unit-held = on hold
unit-go-on = Resume the queue
unit-working = { $share } done
unit-working-left = { $share } done, { $time } left
unit-done = finished
unit-done-of = { $done } of { $all } finished
unit-used-again = reused: trained { $time }
unit-ended = ended early
unit-comes = Available after the runs.
unit-numbers = Show numbers
unit-check = Check
unit-your-number = Your number
unit-guess-first = Answer the question to continue.
unit-start-over = Restart lesson
unit-start-over-hint = Deletes your answers, so that you can guess again before you see the results. The runs are kept.
unit-kept = Saved. The runs will show the answer.
unit-right = Correct.
unit-wrong = Not quite.
unit-guess-right = Your guess was right.
unit-guess-wrong = The result is different: { $answer }.
unit-no-number = Enter a number, such as 12.5.
unit-never = The answer is not available: { $why }.
unit-task = task { $n }
unit-distance-axis = distance between online and offline expert, in % of the offline expert
lesson-too-many-parts = this lesson has more than { $n } parts
lesson-too-many-parts-try = split it into several lessons
lesson-no-title = this lesson does not start with its title
lesson-no-title-try = start the file with a line +++, followed by title, minutes and order, and a closing line +++
lesson-no-such-block = unknown block "{ $name }"
lesson-no-such-block-try = use one of { $names }; for code listings use text or sh
lesson-same-name = two blocks are named "{ $name }"
lesson-same-name-try = give each block a unique name
lesson-too-many-runs = this lesson has { $n } runs
lesson-too-many-runs-try = use at most { $n } runs
lesson-no-list-of-runs = "runs" is not a list of tables
lesson-no-list-of-runs-try = start each run with a line [[runs]]
lesson-nameless-run = a run has no name
lesson-name-try = use a name of lowercase letters, digits and _ that starts with a letter
lesson-setting-try = use the settings of `lae-studio train`, with _ instead of -; additional keys of a run are { $names }
lesson-of-run = run { $name }: { $what }
lesson-block-too-many-runs = this block has { $n } runs
lesson-block-too-many-runs-try = use 1 to { $n } runs per block
lesson-too-many-conditions = this block has more than { $n } conditions
lesson-too-many-conditions-try = join conditions with `and`
lesson-bad-name = "{ $name }" is not a valid name here
lesson-no-such-run = this lesson has no run "{ $name }"
lesson-no-such-run-try = use one of { $names }
lesson-block-unread = this block cannot be read: { $why }
lesson-block-unread-try = correct it; docs/lessons/README.md describes all blocks
lesson-no-text = "{ $key }" is not a string
lesson-no-text-try = put it in quotes
lesson-no-list = "{ $key }" is not a valid list
lesson-no-list-try = write orders = ["natural", "seed:1"], or seeds = [0, 1]
lesson-begun = new lesson created
lesson-begun-try = edit it in a text editor, then press Reload on Learn
lesson-no-folder = this system has no folder for application data
lesson-no-folder-try = start lae-studio with --portable
lesson-names-taken = all names for new lessons are taken
lesson-names-taken-try = rename some of your lessons
lesson-choices =
    { $n ->
        [one] the question { $name } has only one choice
       *[other] the question { $name } has { $n } choices
    }
lesson-choices-try = give 2 to { $n } choices
lesson-no-right-choice = the question { $name } does not say which choice is right
lesson-no-right-choice-try = set right to a number from 1 to { $n }, or holds to one condition per choice, in order
lesson-no-answer = the question { $name } has no answer
lesson-no-answer-try = set choices = […] with right or holds, or answer = a formula
lesson-figure-runs = a figure must have 1 to 8 runs
lesson-figure-runs-try = list them in runs = […]
lesson-figure-value = a figure of kind { $kind } needs a value
lesson-figure-value-try = set value to a formula of run, such as "forgetting(run)"
lesson-no-such-figure = unknown figure kind "{ $kind }"
lesson-no-such-figure-try = use one of { $names }
lesson-columns = this table has { $n } columns
lesson-columns-try = use at most { $n } columns
lesson-none-named = there is no lesson named "{ $name }"
lesson-none-named-try = use one of { $names }, or a file that ends in .md
formula-no-number = expected a number, found a condition
formula-no-condition = expected a condition, found a number
formula-in = { $what }, in "{ $text }"
formula-like-try = write a formula such as forgetting(a) > 2 * forgetting(b); available functions: { $names }
formula-a-name = "{ $name }" is not a number
formula-a-name-try = use a figure of the run, such as accuracy({ $name })
formula-no-function = unknown function "{ $name }"
formula-takes-numbers = { $name } takes numbers
formula-signed-condition = a condition cannot have a sign
formula-joins-conditions = "and" and "or" join conditions, not numbers
formula-calculates = a condition cannot be used in arithmetic or comparisons
formula-means-nothing = "{ $argument }" is not a valid argument in { $like }
formula-other-numbers = { $name } has the wrong arguments; use { $like }
formula-no-run = the formula uses an unknown run "{ $name }"
formula-no-run-try = use a run of this lesson: { $names }
formula-no-run-none-try = use a run of this lesson: no block above defines one
formula-several-values = "{ $text }" has { $n } values; use mean(…)
formula-more-values = { $name } needs more values
formula-other-repetitions = runs with different numbers of repetitions are combined; use mean(…)
formula-no-expert = this run has no { $name } expert
formula-later-task = task { $on } has no results after task { $after }
formula-one-expert = this run did not have two experts at that point
formula-fewer-tasks =
    { $n ->
        [one] this run has only one task
       *[other] this run has { $n } tasks
    }
formula-not-measured = this was not measured
