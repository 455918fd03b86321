# The page Learn and its lessons.

learn-title = Learn
learn-about-one-minute = about one minute
learn-about-minutes = about { $n } minutes
learn-open-lesson = Open
learn-all-lessons = All lessons
learn-loading-lessons = Loading lessons…
learn-own-lessons = Your own lessons
learn-own-lessons-folder = To add your own lessons, put them in the folder { $folder }.
learn-reload = Reload
learn-open-folder = Open folder
learn-new-lesson = New lesson from template
learn-end-all-lessons = All lessons
learn-lesson-end = End of the lesson
learn-next-lesson = Next: { $title }
learn-all-questions-answered = all questions answered
learn-questions-answered = { $done } of { $all } questions answered
learn-runs-finished = { $done } of { $all } runs finished
learn-train = Train
learn-train-remaining = Train remaining
learn-try-again = Try again
learn-runs-to-train = Runs to train
learn-added-task = Added task: { $run } learns { $source }
learn-teach-source = Teach { $source }
learn-teach-own-images = Teach your own images…
learn-accesses-places = Accesses { $places }
learn-train-run-first = Train the run above first.
learn-queued = queued
learn-on-hold = on hold
learn-resume-queue = Resume the queue
learn-share-done = { $share } done
learn-share-done-time-left = { $share } done, { $time } left
learn-finished = finished
learn-finished-of = { $done } of { $all } finished
learn-reused-run = reused: trained { $time }
learn-ended-early = ended early
learn-available-after-runs = Available after the runs.
learn-show-numbers = Show numbers
learn-check-answer = Check
learn-your-number = Your number
learn-answer-to-continue = Answer the question to continue.
learn-runs-to-continue = The lesson continues when its runs are finished.
learn-restart-lesson = Restart lesson
learn-restart-lesson-hint = Deletes your answers, so that you can guess again before you see the results. You can keep the runs or train them again.
learn-guess-saved = Saved. The runs will show the answer.
learn-answer-right = Correct.
learn-answer-wrong = Not quite.
learn-guess-right = Your guess was right.
learn-guess-wrong = The result is different: { $answer }.
learn-enter-number = Enter a number, such as 12.5.
learn-answer-unavailable = The answer is not available: { $why }.
learn-task-number = task { $n }
learn-distance-axis = distance between online and offline expert, in % of the offline expert
lesson-too-many-parts = this lesson has more than { $n } parts
lesson-too-many-parts-advice = split it into several lessons
lesson-no-title = this lesson does not start with its title
lesson-no-title-advice = start the file with a line +++, followed by title, minutes and order, and a closing line +++
lesson-no-such-block = unknown block "{ $name }"
lesson-no-such-block-advice = use one of { $names }; for code listings use text or sh
lesson-duplicate-block-name = two blocks are named "{ $name }"
lesson-duplicate-block-name-advice = give each block a unique name
lesson-too-many-runs = this lesson has { $n } runs
lesson-too-many-runs-advice = use at most { $n } runs
lesson-runs-not-tables = "runs" is not a list of tables
lesson-runs-not-tables-advice = start each run with a line [[runs]]
lesson-run-without-name = a run has no name
lesson-name-advice = use a name of lowercase letters, digits and _ that starts with a letter
lesson-setting-advice = use the settings of `lae-studio train`, with _ instead of -; additional keys of a run are { $names }
lesson-problem-in-run = run { $name }: { $what }
lesson-block-too-many-runs = this block has { $n } runs
lesson-block-too-many-runs-advice = use 1 to { $n } runs per block
lesson-too-many-conditions = this block has more than { $n } conditions
lesson-too-many-conditions-advice = join conditions with `and`
lesson-name-invalid = "{ $name }" is not a valid name here
lesson-no-such-run = this lesson has no run "{ $name }"
lesson-no-such-run-advice = use one of { $names }
lesson-block-unreadable = this block cannot be read: { $why }
lesson-block-unreadable-advice = correct it; docs/lessons/README.md describes all blocks
lesson-value-no-string = "{ $key }" is not a string
lesson-value-no-string-advice = put it in quotes
lesson-list-invalid = "{ $key }" is not a valid list
lesson-list-invalid-advice = write orders = ["natural", "seed:1"], or seeds = [0, 1]
lesson-created = new lesson created
lesson-created-advice = edit it in a text editor, then press Reload on Learn
lesson-no-data-folder = this system has no folder for application data
lesson-no-data-folder-advice = start lae-studio with --portable
lesson-names-taken = all names for new lessons are taken
lesson-names-taken-advice = rename some of your lessons
lesson-choice-count =
    { $n ->
        [one] the question { $name } has only one choice
       *[other] the question { $name } has { $n } choices
    }
lesson-choice-count-advice = give 2 to { $n } choices
lesson-no-right-choice = the question { $name } does not say which choice is right
lesson-no-right-choice-advice = set right to a number from 1 to { $n }, or holds to one condition per choice, in order
lesson-no-answer = the question { $name } has no answer
lesson-no-answer-advice = set choices = […] with right or holds, or answer = a formula
lesson-figure-run-count = a figure must have 1 to 8 runs
lesson-figure-run-count-advice = list them in runs = […]
lesson-figure-value-missing = a figure of kind { $kind } needs a value
lesson-figure-value-missing-advice = set value to a formula of run, such as "forgetting(run)"
lesson-no-such-figure = unknown figure kind "{ $kind }"
lesson-no-such-figure-advice = use one of { $names }
lesson-too-many-columns = this table has { $n } columns
lesson-too-many-columns-advice = use at most { $n } columns
lesson-not-found = there is no lesson named "{ $name }"
lesson-not-found-advice = use one of { $names }, or a file that ends in .md
formula-number-expected = expected a number, found a condition
formula-condition-expected = expected a condition, found a number
formula-problem-in-text = { $what }, in "{ $text }"
formula-example-advice = write a formula such as forgetting(a) > 2 * forgetting(b); available functions: { $names }
formula-name-not-number = "{ $name }" is not a number
formula-name-not-number-advice = use a figure of the run, such as accuracy({ $name })
formula-unknown-function = unknown function "{ $name }"
formula-takes-numbers = { $name } takes numbers
formula-signed-condition = a condition cannot have a sign
formula-and-joins-conditions = "and" and "or" join conditions, not numbers
formula-condition-in-arithmetic = a condition cannot be used in arithmetic or comparisons
formula-argument-invalid = "{ $argument }" is not a valid argument in { $like }
formula-wrong-arguments = { $name } has the wrong arguments; use { $like }
formula-unknown-run = the formula uses an unknown run "{ $name }"
formula-unknown-run-advice = use a run of this lesson: { $names }
formula-no-runs-defined-advice = use a run of this lesson: no block above defines one
formula-several-values = "{ $text }" has { $n } values; use mean(…)
formula-needs-more-values = { $name } needs more values
formula-repetitions-differ = runs with different numbers of repetitions are combined; use mean(…)
formula-no-expert = this run has no { $name } expert
formula-no-results-after-task = task { $on } has no results after task { $after }
formula-one-expert = this run did not have two experts at that point
formula-task-count =
    { $n ->
        [one] this run has only one task
       *[other] this run has { $n } tasks
    }
formula-not-measured = this was not measured
