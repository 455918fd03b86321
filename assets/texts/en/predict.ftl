# The page Predict.

predict-empty = No run to predict with yet
predict-empty-text = Train a run first; you can use it as soon as its first task is learned
predict-empty-go = Set up an experiment
predict-still-learning = { $run } · still learning

# The image.
predict-image = Image
predict-source-choose = Choose
predict-source-draw = Draw
predict-run = Run that predicts
predict-run-choose = Choose a run
predict-run-stays = Keeps using this run.
predict-run-follow = Follow the newest run
predict-clear = Clear
predict-undo = Undo
predict-pen = Pen
predict-pen-width = Pen width
predict-open = Open image
predict-drop =
    Drop or paste images here,
    or click to choose some
predict-choose = Choose…
predict-paste = Paste
predict-path = Path to an image, then Enter
predict-file = Image file
predict-class = True class: { $class }.
predict-seen = What the network sees
predict-seen-drawn = Scaled to { $size } × { $size }; the drawing is centred and sized as in training.
predict-seen-cut = Scaled to { $size } × { $size } with a centre crop, as in testing.
predict-samples = Samples
predict-samples-next = Next
predict-samples-about = Test images of this run; it was never trained on them.
predict-samples-gone = The run's dataset was not found.
predict-sample = Sample of { $class }

# Pinned images.
predict-pin = Pin
predict-pinned = Pinned
predict-pin-hint = Keep this image and compare the predictions of several runs
predict-pin-sample = Pin the sample of { $class }
predict-pin-sample-done = The sample of { $class } is pinned
predict-pins = Pinned images
predict-pins-about = What each run predicts after task { $task }, and the score of the image's class over the tasks.
predict-pins-runs = Runs: { $n }
predict-pins-all-runs = All runs with these classes
predict-pins-most-runs = At most { $n } runs are shown side by side.
predict-pins-picture = Pinned image
predict-pins-picture-of = Pinned image of { $class }
predict-pins-ask = Click to predict this image
predict-pins-remove = Unpin this image
predict-pins-score = Score of { $class }: { $each }
predict-pins-share = { $share } after task { $task }

# The prediction.
predict-asking = Predicting…
predict-asking-text = The first prediction loads the run's snapshots
predict-which = Which image?
predict-which-text = Draw one, drop or paste one, or click a sample
predict-score = score { $score }
predict-nearest = nearest { $class }, score { $score }
predict-right = correct
predict-right-unknown = correct: { $class } is not learned yet
predict-wrong = wrong: true class { $class }
predict-answered = Predicted image
predict-energy = energy { $value }
predict-energy-ensemble = The lower of the two energies. Each bar is the larger of the two experts' scores for that class, so the bars may not add up to 100 %.
predict-more-certain = more certain
predict-over-tasks = The same image, task by task
predict-over-tasks-score = Score of “{ $class }”, %
predict-over-tasks-first = { $class } is first learned in task { $task }
predict-over-tasks-chart = Score of the class over tasks
predict-why = Why these two differ
predict-why-first = There is only one expert so far. The offline expert starts as a copy of it in task 2.
predict-why-moved = Since task 1 the online PET has moved { $online } (relative distance), the offline PET { $offline }. A PET that moves less forgets less and learns new classes more slowly.
predict-why-slowly = The offline PET is a slow average of the online one: it forgets less and learns new classes more slowly.
predict-knowledge = Knowledge after each task
predict-play = Play
predict-hold = Pause

# Why an expert decided.
predict-reason-alone = Only one expert predicts.
predict-reason-first = Only one task is learned, so the online expert decides alone ({ $online } certain).
predict-reason-both-offline = Both experts say { $class }. The offline expert is more certain ({ $offline } against { $online }).
predict-reason-both-online = Both experts say { $class }. The online expert is more certain ({ $online } against { $offline }).
predict-reason-offline = The offline expert decided ({ $offline }): it says { $class }, while the online expert leans towards { $other } ({ $online }).
predict-reason-offline-fresh = The offline expert decided ({ $offline }): it says { $class }, while the online expert, which has just learned { $learned }, leans towards { $other } ({ $online }).
predict-reason-online = The online expert decided ({ $online }): it is more certain of { $class } than the offline expert is of { $other } ({ $offline }).
predict-reason-online-fresh = The online expert decided ({ $online }): it has just learned { $learned } and is more certain of { $class } than the offline expert is of { $other } ({ $offline }).
predict-reason-equal = Both experts are equally certain of { $class }.

# None of these.
predict-none = None of these
predict-none-say = Allow “none of these”
predict-none-never = Always predict a class
predict-none-above = None of these: its { $sign ->
    [energy] energy
   *[doubt] doubt
} { $now } is above { $limit }
predict-none-below = One of these: its { $sign ->
    [energy] energy
   *[doubt] doubt
} { $now } is not above { $limit }
predict-none-energy = Minus the logsumexp of the logits: the lower, the more familiar the image.
predict-none-doubt = Without logits there is no energy; doubt is 1 minus the score of the prediction, a weaker signal.
predict-none-limit = The limit accepts { $kept } of 100 test images of the classes known by then.
predict-none-later = { $n ->
    [one] Of { $n } test image of classes not learned yet, { $share } are rejected.
   *[other] Of { $n } test images of classes not learned yet, { $share } are rejected.
}
predict-none-later-earlier = Choose an earlier task to see how many images of later classes are rejected.
predict-none-later-counting = Counting rejected images of classes not learned yet.
predict-none-later-count = Count rejected images of later classes
predict-none-known = { $n ->
    [one] Of { $n } test image of known classes, { $share } are rejected too, each with a limit set by other images.
   *[other] Of { $n } test images of known classes, { $share } are rejected too, each with a limit set by other images.
}
predict-none-known-same = Of the test images that set the limit, { $n } of 100 are rejected too; of other images it may be more.
predict-none-looks = Uses up to 300 test images
predict-none-looks-waits = Uses up to 300 test images; the current run pauses briefly
predict-none-unknown = The limit for “none of these” is unknown: { $why }.
predict-none-too-few = there are too few test images
predict-none-looking = Measuring test images to set the limit for “none of these”
predict-none-unnoted = This run stored no limit for “none of these”.
predict-none-find = Find out

# Many images in a table.
predict-many = Many images
predict-many-begin = Predict a folder…
predict-many-about = Writes a table with one row per image: each expert's prediction and score, whether it is none of these, and the five classes with the highest scores.
predict-many-pictures = Images
predict-many-pictures-hint = A folder of images
predict-many-some = { $n ->
    [one] { $n } image of { $folder }
   *[other] { $n } images of { $folder }
}
predict-many-table = Table
predict-many-table-hint = Path of the table (.csv)
predict-many-all = Predict all
predict-many-waits = Another table is being written. Wait for it or stop it.
predict-many-choose = Choose a folder…
predict-many-cancel = Cancel
predict-many-stop = Stop
predict-many-stopped = Stopped; no table was written.
predict-many-ready = Preparing …
predict-many-progress = Images predicted
predict-many-done = { $n ->
    [one] { $done } of { $n } image
   *[other] { $done } of { $n } images
}
# $count is predict-many-done or count-pictures.
predict-many-unreadable = { $count }, { $n } cannot be read
predict-many-sorted = Show by class
predict-many-folder = Open folder
predict-many-copy = Copy path
predict-many-again = Other images

# Images by class.
predict-sorted = { $n ->
    [one] { $n } image by class
   *[other] { $n } images by class
}
predict-sorted-back = Back to one image
predict-sorted-all = all
predict-sorted-limit = None of these: energy or doubt above { $limit }, as for { $n } of 100 images of known classes.
predict-sorted-filter = Filter images
predict-sorted-filter-hint = File name
predict-sorted-no-name = No file matches.
predict-sorted-save = Save the table
predict-sorted-moved = { $n ->
    [one] { $n } image moved
   *[other] { $n } images moved
}
predict-sorted-table = Table: { $name }
predict-sorted-table-moved = { $n ->
    [one] Table: { $name }, with { $n } image moved
   *[other] Table: { $name }, with { $n } images moved
}
predict-sorted-doubtful = { $n ->
    [one] { $n } image, least confident first
   *[other] { $n } images, least confident first
}
predict-sorted-more = Show more ({ $n })
predict-sorted-was = was { $class }
predict-sorted-nearest = nearest { $class }
predict-sorted-answer = { $name }: { $class }, score { $score }
predict-sorted-move = move…
predict-sorted-move-name = Move { $name }
predict-sorted-whole = Click to show the full prediction
predict-sorted-to = Move to
predict-sorted-unreadable = Cannot be read

# Inside the run.
predict-inside = Inside the run
predict-inside-about = Attention, features, energies, movement of the PETs
predict-inside-open = Look inside
predict-inside-close = Close
predict-inside-gaze = Where the network looks
predict-inside-gaze-none = Draw or choose an image to see where the network looks.
predict-inside-gaze-waiting = Computing…
predict-inside-map = Map of test features
predict-inside-energies = Energies
predict-inside-movement = How far the PETs have moved
predict-inside-no-pet = { $method } does not train a PET here, so there is nothing to measure.
predict-inside-waiting = Processing test images…
predict-gaze-attention = Where the class token attends in the last block, averaged over its heads. Its features are gathered from there.
predict-gaze-length = This network has no class token, so this shows the length of the feature at each position instead of attention.
predict-gaze-before = pre-trained
predict-gaze-one-waiting = { $title }: computing
predict-gaze-rest = { $share } not on the image
predict-gaze-rest-hint = On the class token itself, on prompts and prefixes
predict-gaze-share = { $share } of its attention
predict-gaze-size = length { $value }
predict-gaze-place = row { $row }, column { $column }: { $value }
predict-gaze-most = { $title }, highest of { $rows } × { $columns } positions: { $each }
predict-gaze-moved = { $share } of the attention moved to another position.
predict-gaze-changed = The lengths changed by { $share }.
predict-energies-none = { $method } compares features with prototypes or counts votes: without logits there is no energy.
predict-energies-medians = medians { $new } new, { $old } old
predict-energies-median = median { $value }
predict-energies-new = coloured: classes of this task
predict-energies-old = grey: classes of older tasks
predict-energies-bin = { $n } at { $value }
predict-energies-empty = none
predict-energies-words = Energies of the { $expert } expert, { $medians }. Classes of this task: { $new }. Classes of older tasks: { $old }
predict-map-about = { $n ->
    [one] The features of { $n } test image after task { $task }, projected onto their first two principal components ({ $first } and { $second } of the variance). Nearby points look similar to the network.
   *[other] The features of { $n } test images after task { $task }, projected onto their first two principal components ({ $first } and { $second } of the variance). Nearby points look similar to the network.
}
predict-map-unlearned = { $class }: not learned yet
predict-map-right = { $class }: correct
predict-map-wrong = { $class }: taken for { $other }
predict-map-legend = Hollow: not learned yet. Red ring: predicted wrongly. Click a point to open its image.
predict-map-words = Map of test features after task { $task }
predict-map-around = { $class } around { $x }, { $y }
predict-map-around-unlearned = { $class } around { $x }, { $y }, not learned yet
predict-movement-about = The distance of each block's PET from its initial values, relative to their length. A PET that moves less forgets less.
predict-movement-between = between the two
predict-movement-copy = The offline PET starts as a copy in task 2.
predict-movement-block = block { $n }
predict-movement-words = Block { $n }: { $each }

# Messages about predicted and pinned images, tables and added tasks.
predict-drawing = drawing
predict-pins-tasks = { $n ->
    [one] only { $n } task
   *[other] only { $n } tasks
}
predict-pins-asking = predicting
predict-problem-weights = the weights of this run are on another computer
predict-problem-weights-try = if you trust the file, choose it as the backbone on Experiment and try again
predict-problem-no-task = this run has not finished a task yet
predict-problem-paths = the paths of images and table are not absolute
predict-problem-paths-try = give absolute paths
predict-problem-no-picture = the table does not contain this image
predict-problem-no-labels = these images have no labels to correct
predict-problem-no-labels-try = move the image to another class
predict-problem-unopened = the dataset of this run could not be opened
predict-problem-unopened-try = see the notices for the reason
predict-problem-trained = the training images of this dataset have changed since this run learned from them
predict-problem-tested = the images of this dataset have changed since this run was tested on them
predict-problem-tested-try = restore the original images to see them; the run's results stay as they are
predict-problem-unlisted = this run is no longer in the list
predict-problem-added-labels = labels of an added task's own images cannot be corrected
predict-problem-added-labels-try = undo the added task, move the image to the right class and add the task again
predict-told-kept = your changes are in the last column of the table { $table }
predict-told-table = table { $table } written
predict-told-table-try = Predict shows its path, and the images by class
predict-told-added-waits = an added task of this run is already in the queue
predict-told-unlearned = added task undone: { $classes }
predict-told-unlearned-try = the run is as it was before the added task
predict-added-job = { $run } · learns { $name }

# Images collected class by class.
predict-collect-name = My images
predict-collect-class = Class { $n }
predict-collect-second = Add a second class: the network learns to tell classes apart.
predict-collect-unnamed = Give every class a name.
predict-collect-twice = Two classes are named { $name }.
predict-collect-one-more = { $name } needs one more image.
predict-collect-two-more = { $name } needs at least two images.
predict-collect-unwritten = an image could not be written: { $error }
predict-collect-full = a class can have at most { $n } images
predict-collect-full-try = make a folder with more images and choose it as the dataset
predict-collect-kept = your images are saved
drafts-back = restored from the last window: { $what }
drafts-back-where = open “Make one…” in the list of datasets for collected images, and Predict for the others
drafts-pins = { $n ->
    [one] { $n } pinned image
   *[other] { $n } pinned images
}
drafts-gathered = { $n ->
    [one] { $n } collected image
   *[other] { $n } collected images
}
drafts-moved = images of { $table } that you moved to other classes
drafts-lost = { $n ->
    [one] { $n } image can no longer be read
   *[other] { $n } images can no longer be read
}
drafts-unwritten = unsaved images could not be stored for the next start: { $why }
drafts-unreadable = the unsaved images of the last window cannot be read: { $why }
drafts-other-table = images of this table were moved to other classes in the last window, but the table has changed since
