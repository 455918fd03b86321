# The page Predict.

predict-empty = No run to ask yet
predict-empty-text = Train one first; as soon as its first task is learned, it answers here
predict-empty-go = Set up an experiment
predict-still-learning = { $run } · still learning

# The picture.
predict-image = Image
predict-source-choose = Choose
predict-source-draw = Draw
predict-run = Run to ask
predict-run-choose = Choose a run
predict-run-stays = Stays with this run.
predict-run-follow = Follow the newest
predict-clear = Clear
predict-undo = Undo
predict-pen = Pen
predict-pen-width = Pen width
predict-open = Open an image
predict-drop =
    Drop or paste images here,
    or click to choose some
predict-choose = Choose…
predict-paste = Paste
predict-path = Path of an image, then Enter
predict-file = Image file
predict-class = Its class is { $class }.
predict-seen = What the network sees
predict-seen-drawn = Scaled to { $size } × { $size }, with the drawing moved to the middle and sized as in training.
predict-seen-cut = Scaled to { $size } × { $size } and cut in the middle, as in testing.
predict-samples = Samples
predict-samples-next = Next
predict-samples-about = Images the run was measured on, never trained on.
predict-samples-gone = The run's data set is not at hand.
predict-sample = Sample of { $class }

# Pinned pictures.
predict-pin = Pin
predict-pinned = Pinned
predict-pin-hint = Keep this picture and compare what several runs say to it
predict-pin-sample = Pin the sample of { $class }
predict-pin-sample-done = Sample of { $class } is pinned
predict-pins = Pinned pictures
predict-pins-about = What each run answers after task { $task }, and the score of the picture's class over the tasks.
predict-pins-runs = Runs: { $n }
predict-pins-all-runs = All runs with these classes
predict-pins-most-runs = { $n } runs at most stand side by side.
predict-pins-picture = Pinned picture
predict-pins-picture-of = Pinned picture of { $class }
predict-pins-ask = Click to ask Predict about it
predict-pins-remove = Take this picture off the board
predict-pins-score = Score of { $class }: { $each }
predict-pins-share = { $share } after task { $task }

# The answer.
predict-asking = Asking the experts
predict-asking-text = The first answer loads the run's snapshots
predict-which = Which image?
predict-which-text = Draw one, drop or paste one, or click a sample
predict-score = score { $score }
predict-nearest = nearest { $class }, score { $score }
predict-right = right
predict-right-unknown = right: { $class } is not learned yet
predict-wrong = wrong: it is { $class }
predict-answered = The picture that is answered
predict-energy = energy { $value }
predict-energy-ensemble = The lower of the two energies. The bars are the larger of both experts' scores for each class, so they need not add up to 100 %.
predict-more-certain = more certain
predict-over-tasks = The same image, task by task
predict-over-tasks-score = Score of “{ $class }”, %
predict-over-tasks-first = { $class } is first taught in task { $task }
predict-over-tasks-chart = Score of the class over tasks
predict-why = Why these two differ
predict-why-first = There is only one expert so far; the offline one begins as its copy when the second task starts.
predict-why-moved = Since task 1 the online PET has moved { $online } (relative distance), the offline one { $offline }. What moves less forgets less, and learns new classes more slowly.
predict-why-slowly = The offline PET follows the online one slowly: it forgets less, and learns new classes more slowly.
predict-knowledge = Knowledge after each task
predict-play = Play
predict-hold = Hold

# Why an expert decided.
predict-reason-alone = One expert answers alone.
predict-reason-first = Only one task is taught, so the online expert answers alone: it is { $online } sure.
predict-reason-both-offline = Both experts say { $class }. The offline one is more certain ({ $offline } against { $online }).
predict-reason-both-online = Both experts say { $class }. The online one is more certain ({ $online } against { $offline }).
predict-reason-offline = The offline expert decided ({ $offline }): it remembers { $class }; the online one leans towards { $other } ({ $online }).
predict-reason-offline-fresh = The offline expert decided ({ $offline }): it remembers { $class }; the online one, fresh from learning { $learned }, leans towards { $other } ({ $online }).
predict-reason-online = The online expert decided ({ $online }): it is surer of { $class } than the offline one is of { $other } ({ $offline }).
predict-reason-online-fresh = The online expert decided ({ $online }): fresh from learning { $learned }, it is surer of { $class } than the offline one is of { $other } ({ $offline }).
predict-reason-equal = Both experts are equally sure of { $class }.

# None of these.
predict-none = None of these
predict-none-say = Say when it is none of these
predict-none-never = Always name a class
predict-none-above = None of these, as its { $sign ->
    [energy] energy
   *[doubt] doubt
} { $now } is above { $limit }
predict-none-below = One of these, as its { $sign ->
    [energy] energy
   *[doubt] doubt
} { $now } is not above { $limit }
predict-none-energy = Minus the log of the summed exponentials of the logits: the lower, the more familiar the image.
predict-none-doubt = Without logits there is no energy; the doubt is 1 less the score of the answer, a weaker sign.
predict-none-limit = { $kept } of 100 test pictures of the classes known by then lie at the limit or below.
predict-none-later = { $n ->
    [one] Of { $n } test picture of classes it has not learned yet, { $share } are refused.
   *[other] Of { $n } test pictures of classes it has not learned yet, { $share } are refused.
}
predict-none-later-earlier = After an earlier task it is counted how many pictures of classes to come are refused.
predict-none-later-counting = How many of classes it has not learned yet are refused is being counted.
predict-none-later-count = Count what it refuses of classes to come
predict-none-known = { $n ->
    [one] Of { $n } test picture of known classes, { $share } are refused, too, each held against a limit that others set.
   *[other] Of { $n } test pictures of known classes, { $share } are refused, too, each held against a limit that others set.
}
predict-none-known-same = Of the test pictures that set the limit, { $n } of 100 are refused, too; of others it may be more.
predict-none-looks = Looks at up to 300 test pictures
predict-none-looks-waits = Looks at up to 300 test pictures; the run at work waits a little
predict-none-unknown = It is not known when to say “none of these”: { $why }.
predict-none-too-few = there are too few test pictures
predict-none-looking = Looking at test pictures, to know when to say “none of these”
predict-none-unnoted = When to say “none of these” was not noted by this run.
predict-none-find = Find out

# Many pictures in a table.
predict-many = Many pictures
predict-many-begin = Predict a folder…
predict-many-about = One line per picture in a table: what each expert says, with what score, whether it is none of these, and the five classes with the highest scores.
predict-many-pictures = Pictures
predict-many-pictures-hint = A folder of pictures
predict-many-some = { $n ->
    [one] { $n } picture of { $folder }
   *[other] { $n } pictures of { $folder }
}
predict-many-table = Table
predict-many-table-hint = Where the table goes (.csv)
predict-many-all = Predict all
predict-many-waits = Another table is being written. Wait for it, or stop it.
predict-many-choose = Choose a folder…
predict-many-cancel = Cancel
predict-many-stop = Stop
predict-many-stopped = Stopped; no table was written.
predict-many-ready = Getting ready …
predict-many-progress = Pictures predicted
predict-many-done = { $n ->
    [one] { $done } of { $n } picture
   *[other] { $done } of { $n } pictures
}
# $count is the last one, or count-pictures.
predict-many-unreadable = { $count }, { $n } cannot be read
predict-many-sorted = See them by class
predict-many-folder = Open folder
predict-many-copy = Copy path
predict-many-again = Other pictures

# These by class.
predict-sorted = { $n ->
    [one] { $n } picture by class
   *[other] { $n } pictures by class
}
predict-sorted-back = Back to one picture
predict-sorted-all = all
predict-sorted-limit = None of these: stranger to the run than { $limit }, as { $n } of 100 pictures of its classes are.
predict-sorted-filter = Filter the pictures
predict-sorted-filter-hint = Name of a file
predict-sorted-no-name = No picture is called so.
predict-sorted-save = Save the table
predict-sorted-moved = { $n ->
    [one] { $n } picture moved
   *[other] { $n } pictures moved
}
predict-sorted-table = Table: { $name }
predict-sorted-table-moved = { $n ->
    [one] Table: { $name }, with { $n } picture moved
   *[other] Table: { $name }, with { $n } pictures moved
}
predict-sorted-doubtful = { $n ->
    [one] { $n } picture, the most doubtful first
   *[other] { $n } pictures, the most doubtful first
}
predict-sorted-more = Show more ({ $n })
predict-sorted-was = was { $class }
predict-sorted-nearest = nearest { $class }
predict-sorted-answer = { $name }: { $class }, score { $score }
predict-sorted-move = move…
predict-sorted-move-name = Move { $name }
predict-sorted-whole = Click to see the whole answer
predict-sorted-to = Move it to
predict-sorted-unreadable = Cannot be read

# Inside the run.
predict-inside = Inside the run
predict-inside-about = Attention, features, energies, movement of the PETs
predict-inside-open = Look inside
predict-inside-close = Close
predict-inside-gaze = What it looks at
predict-inside-gaze-none = Draw or choose a picture to see what the network looks at.
predict-inside-gaze-waiting = Being looked at…
predict-inside-map = Map of test features
predict-inside-energies = Energies
predict-inside-movement = How far the PETs have moved
predict-inside-no-pet = { $method } trains no PET here, so there is nothing to measure.
predict-inside-waiting = Test pictures are being looked at…
predict-gaze-attention = Where the class token looks in the last block, the mean over its heads. Its answer is gathered from there.
predict-gaze-length = This network has no class token to look at anything: shown is how long the feature is at each place.
predict-gaze-before = as pre-trained
predict-gaze-one-waiting = { $title }: being looked at
predict-gaze-rest = { $share } not on the picture
predict-gaze-rest-hint = On the class token itself, on prompts and prefixes
predict-gaze-share = { $share } of its attention
predict-gaze-size = length { $value }
predict-gaze-place = row { $row }, column { $column }: { $value }
predict-gaze-most = { $title }, of { $rows } × { $columns } places most: { $each }
predict-gaze-moved = { $share } of the attention moved to another place.
predict-gaze-changed = The lengths changed by { $share }.
predict-energies-none = { $method } compares features with prototypes or takes votes: without logits there is no energy.
predict-energies-medians = medians { $new } new, { $old } old
predict-energies-median = median { $value }
predict-energies-new = coloured: classes of this task
predict-energies-old = grey: classes of older tasks
predict-energies-bin = { $n } at { $value }
predict-energies-empty = none
predict-energies-words = Energies of the { $expert } expert, { $medians }. Classes of this task: { $new }. Classes of older tasks: { $old }
predict-map-about = { $n ->
    [one] The features of { $n } test picture, seen along the two directions in which they vary most after task { $task } ({ $first } and { $second } of the variance). Near means alike to the network.
   *[other] The features of { $n } test pictures, seen along the two directions in which they vary most after task { $task } ({ $first } and { $second } of the variance). Near means alike to the network.
}
predict-map-unlearned = { $class }: not learned yet
predict-map-right = { $class }: right
predict-map-wrong = { $class }: taken for { $other }
predict-map-legend = Hollow: not learned yet. Red ring: answered wrongly. Click a point to ask about it.
predict-map-words = Map of test features after task { $task }
predict-map-around = { $class } around { $x }, { $y }
predict-map-around-unlearned = { $class } around { $x }, { $y }, not learned yet
predict-movement-about = The distance of each block's PET from where it was drawn, relative to its length there. What moves less forgets less.
predict-movement-between = between the two
predict-movement-copy = The offline PET begins as a copy when the second task starts.
predict-movement-block = block { $n }
predict-movement-words = Block { $n }: { $each }

# Said by the session: of pictures asked about, pinned, tables, folders taught.
predict-drawing = drawing
predict-pins-tasks = { $n ->
    [one] only { $n } task
   *[other] only { $n } tasks
}
predict-pins-asking = asking
predict-problem-weights = the weights of this run lie on another computer
predict-problem-weights-try = if you trust it, choose that file as the backbone on Experiment, then ask again
predict-problem-no-task = this run has not finished a task yet
predict-problem-paths = the paths of pictures and table have to be whole
predict-problem-paths-try = begin them at the root of the disk
predict-problem-no-picture = there is no such picture in the table
predict-problem-no-labels = these pictures have no labels to be corrected
predict-problem-no-labels-try = move the picture to another class
predict-problem-unopened = the data set of this run could not be opened
predict-problem-unopened-try = the notices say why
predict-problem-trained = the training images of this data set are no longer those this run learned from
predict-problem-tested = the images of this data set are no longer those this run was tested on
predict-problem-tested-try = put back what was there to see them; the run's figures stay what they were
predict-problem-unlisted = this run is not listed any more
predict-problem-added-labels = labels of an added task's own pictures cannot be corrected
predict-problem-added-labels-try = undo the added task, put the picture in the right place, teach it again
predict-told-kept = the table { $table } says in its last column what you moved
predict-told-table = the table { $table } is written
predict-told-table-try = Predict shows where it lies, and the pictures by class
predict-told-added-waits = an added task of this run waits in the queue already
predict-told-unlearned = { $classes } unlearned
predict-told-unlearned-try = the run is as it was before the added task
predict-added-job = { $run } · learns { $name }

# Pictures gathered class by class.
predict-collect-name = My pictures
predict-collect-class = Class { $n }
predict-collect-second = Add a second class: telling classes apart is what is learned.
predict-collect-unnamed = Give every class a name.
predict-collect-twice = Two classes are called { $name }.
predict-collect-one-more = { $name } needs one more picture.
predict-collect-two-more = { $name } needs two pictures or more.
predict-collect-unwritten = a picture could not be written: { $error }
predict-collect-full = a class takes { $n } pictures at most
predict-collect-full-try = make a folder of more and choose it as the data set
predict-collect-kept = your pictures are kept
drafts-back = restored from the last window: { $what }
drafts-back-where = “Make one…” in the list of data sets shows gathered images, the page Predict shows the others
drafts-pins = { $n ->
    [one] { $n } pinned image
   *[other] { $n } pinned images
}
drafts-gathered = { $n ->
    [one] { $n } gathered image
   *[other] { $n } gathered images
}
drafts-moved = images of { $table } that you moved to other classes
drafts-lost = { $n ->
    [one] { $n } image can no longer be read
   *[other] { $n } images can no longer be read
}
drafts-unwritten = unsaved images could not be stored for the next window: { $why }
drafts-unreadable = the unsaved images of the last window cannot be read: { $why }
drafts-other-table = the last window moved images of this table to other classes, but the table has changed since
