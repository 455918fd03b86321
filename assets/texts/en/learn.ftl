# The page Learn and its lessons.

learn-title = Learn
unit-minute = about one minute
unit-minutes = about { $n } minutes
unit-open = Open
unit-back = All lessons
unit-reading = The lessons are being read…
unit-own = Your own lessons
unit-own-none = Put lessons of your own into the folder { $folder }; they are listed here.
unit-read-again = Read again
unit-folder = Open the folder
unit-write = Write one from a template
unit-last = To all lessons
unit-end = End of the lesson
unit-next = Next: { $title }
unit-all-done = all questions answered
unit-questions-done = { $done } of { $all } questions answered
unit-runs-done = { $done } of { $all } runs there
unit-run = Train
unit-run-rest = Train the rest
unit-again = Try again
unit-to-run = To train
unit-to-teach = To teach: { $run } learns { $source }
unit-teach = Teach it { $source }
unit-teach-own = Teach pictures of your own…
unit-places = This looks at { $places }
unit-teach-first = Train the run above first.
unit-waits = waits in the queue
unit-held = on hold
unit-go-on = Resume the queue
unit-working = { $share } done
unit-working-left = { $share } done, { $time } left
unit-done = there
unit-done-of = { $done } of { $all } there
unit-used-again = used again: trained { $time }
unit-ended = ended early
unit-comes = Comes with the runs.
unit-numbers = As numbers
unit-check = Check
unit-your-number = Your number
unit-guess-first = Guess first; then it goes on here.
unit-start-over = Start over
unit-start-over-hint = Forgets your answers, so that you guess before you see what the runs show. The runs stay.
unit-kept = Kept. The runs will tell.
unit-right = Right.
unit-wrong = Not quite.
unit-guess-right = You guessed right.
unit-guess-wrong = It came out differently: { $answer }.
unit-no-number = Type a number, such as 12.5.
unit-never = This cannot be said: { $why }.
unit-task = task { $n }
unit-distance-axis = online against offline, in % of the offline expert
lesson-too-many-parts = this lesson has more than { $n } parts
lesson-too-many-parts-try = cut it into several lessons
lesson-no-title = this lesson does not begin with its title
lesson-no-title-try = begin the file with a line +++, then title, minutes and order, then another +++
lesson-no-such-block = there is no block named "{ $name }"
lesson-no-such-block-try = name it one of { $names }; code to be read is named text or sh
lesson-same-name = two blocks are named "{ $name }"
lesson-same-name-try = give each its own name
lesson-too-many-runs = this lesson asks for { $n } runs
lesson-too-many-runs-try = ask for { $n } at most
lesson-no-list-of-runs = "runs" is no list of tables
lesson-no-list-of-runs-try = begin each run with a line [[runs]]
lesson-nameless-run = a run has no name
lesson-name-try = give it a name of small letters, digits and _, beginning with a letter
lesson-setting-try = give the settings of `lae-studio train`, with _ for -; a run's own words are { $names }
lesson-of-run = the run { $name }: { $what }
lesson-block-too-many-runs = this block asks for { $n } runs
lesson-block-too-many-runs-try = ask for 1 to { $n } runs in a block
lesson-too-many-conditions = this block has more than { $n } conditions
lesson-too-many-conditions-try = join conditions by and
lesson-bad-name = "{ $name }" cannot be a name here
lesson-no-such-run = there is no run "{ $name }" in this lesson
lesson-no-such-run-try = name one of { $names }
lesson-block-unread = this block cannot be read: { $why }
lesson-block-unread-try = correct it; docs/lessons/README.md describes every block
lesson-no-text = "{ $key }" is no text
lesson-no-text-try = put it in quotes
lesson-no-list = "{ $key }" is not the list it has to be
lesson-no-list-try = write orders = ["natural", "seed:1"], or seeds = [0, 1]
lesson-begun = a lesson of your own is begun
lesson-begun-try = change it in any editor, then press Read again on Learn
lesson-no-folder = this system has no folder for a program's data
lesson-no-folder-try = start lae-studio with --portable
lesson-names-taken = all names for new lessons are taken
lesson-names-taken-try = give those that are there names of their own
lesson-choices =
    { $n ->
        [one] the question { $name } has a single choice
       *[other] the question { $name } has { $n } choices
    }
lesson-choices-try = give 2 to { $n }
lesson-no-right-choice = the question { $name } does not say which choice is right
lesson-no-right-choice-try = give right = a number from 1 to { $n }, or holds = a condition for each choice, in order
lesson-no-answer = the question { $name } has no answer
lesson-no-answer-try = give choices = […] with right or holds, or answer = a formula
lesson-figure-runs = a figure shows 1 to 8 runs
lesson-figure-runs-try = name them in runs = […]
lesson-figure-value = a figure of kind { $kind } needs a value
lesson-figure-value-try = give value = a formula of run, such as "forgetting(run)"
lesson-no-such-figure = there is no figure of kind "{ $kind }"
lesson-no-such-figure-try = choose one of { $names }
lesson-columns = this table has { $n } columns
lesson-columns-try = give it { $n } at most
lesson-none-named = there is no lesson named "{ $name }"
lesson-none-named-try = one of { $names }, or a file that ends in .md
formula-no-number = a condition stands where a number is wanted
formula-no-condition = a number stands where a condition is wanted
formula-in = { $what }, in "{ $text }"
formula-like-try = write like forgetting(a) > 2 * forgetting(b); there are { $names }
formula-a-name = "{ $name }" is no number
formula-a-name-try = ask for a figure of the run, as accuracy({ $name })
formula-no-function = there is no function named "{ $name }"
formula-takes-numbers = { $name } takes numbers
formula-signed-condition = a condition has no sign
formula-joins-conditions = "and" and "or" join conditions, not numbers
formula-calculates = a condition cannot be calculated with or compared
formula-means-nothing = "{ $argument }" means nothing in { $like }
formula-other-numbers = { $name } has not the numbers it takes, as in { $like }
formula-no-run = the formula names a run "{ $name }" that is not here
formula-no-run-try = name a run of this lesson: there are { $names }
formula-no-run-none-try = name a run of this lesson: no block above names one
formula-several-values = "{ $text }" has { $n } values; take mean(…) of it
formula-more-values = { $name } needs more values
formula-other-repetitions = runs with different numbers of repetitions stand side by side; take mean(…)
formula-no-expert = this run has no { $name } expert
formula-later-task = after task { $after } nothing is known of task { $on }
formula-one-expert = this run did not have two experts then
formula-fewer-tasks =
    { $n ->
        [one] this run has a single task
       *[other] this run has { $n } tasks
    }
formula-not-measured = this was not measured
