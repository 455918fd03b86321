# The page Predict.

predict-no-run = No run to classify images with yet
predict-no-run-about = Train a run first; you can use it as soon as its first task is learned
predict-set-up-experiment = Set up an experiment
predict-still-learning = { $run } · still learning

# The image.
predict-image = Image
predict-source-choose = Choose
predict-source-draw = Draw
predict-with-run = Run to use
predict-run-choose = Choose a run
predict-run-kept = This run stays selected.
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
predict-image-path = Path to an image, then Enter
predict-image-file = Image file
predict-true-class = True class: { $class }.
predict-network-input = What the network sees
predict-network-input-drawing = Scaled to { $size } × { $size }; the drawing is centred and sized as in training.
predict-network-input-crop = Scaled to { $size } × { $size } with a centre crop, as in testing.
predict-samples = Samples
predict-samples-next = Next
predict-samples-about = Test images of this run; it was never trained on them.
predict-samples-dataset-missing = The run's dataset was not found.
predict-sample-of-class = Sample of { $class }

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
predict-pins-image = Pinned image
predict-pins-image-of-class = Pinned image of { $class }
predict-pins-predict-hint = Click to classify this image
predict-pins-remove = Unpin this image
predict-pins-score = Score of { $class }: { $each }
predict-pins-share = { $share } after task { $task }

# The prediction.
predict-predicting = Classifying…
predict-predicting-about = The first image takes longer: the run's snapshots are loaded
predict-choose-image = Choose an image
predict-choose-image-about = Draw one, drop or paste one, or click a sample
predict-score = score { $score }
predict-nearest = closest class: { $class }, score { $score }
predict-correct = correct
predict-correct-not-learned = correct: { $class } is not learned yet
predict-wrong = wrong: true class { $class }
predict-predicted-image = Classified image
predict-energy = energy { $value }
predict-energy-of-ensemble = The lower of the two energies. Each bar is the larger of the two experts' scores for that class, so the bars may not add up to 100 %.
predict-more-certain = more confident
predict-over-tasks = The same image, task by task
predict-over-tasks-score = Score of “{ $class }”, %
predict-over-tasks-first = { $class } is learned in task { $task }
predict-over-tasks-chart = Score of the class over tasks
predict-experts-differ = Why these two differ
predict-experts-differ-first-task = There is only one expert so far. The offline expert starts as a copy of it in task 2.
predict-experts-differ-movement = Since task 1, the online PET has moved by { $online } (relative distance) and the offline PET by { $offline }. A PET that moves less forgets less and learns new classes more slowly.
predict-experts-differ-average = The offline PET is a slow average of the online one: it forgets less and learns new classes more slowly.
predict-knowledge = State after each task
predict-play = Play
predict-pause = Pause

# Why an expert decided.
predict-reason-alone = Only one expert predicts.
predict-reason-first = Only one task so far, so the online expert decides alone ({ $online } confidence).
predict-reason-both-offline = Both experts predict { $class }. The offline expert is more confident ({ $offline } compared with { $online }).
predict-reason-both-online = Both experts predict { $class }. The online expert is more confident ({ $online } compared with { $offline }).
predict-reason-offline = The offline expert decided ({ $offline }): it predicts { $class }, while the online expert favours { $other } ({ $online }).
predict-reason-offline-fresh = The offline expert decided ({ $offline }): it predicts { $class }, while the online expert, which has just learned { $learned }, favours { $other } ({ $online }).
predict-reason-online = The online expert decided ({ $online }): it is more confident of { $class } than the offline expert is of { $other } ({ $offline }).
predict-reason-online-fresh = The online expert decided ({ $online }): it has just learned { $learned } and is more confident of { $class } than the offline expert is of { $other } ({ $offline }).
predict-reason-equal = Both experts are equally confident of { $class }.

# None of these.
predict-none = None of these
predict-none-allow = Allow “none of these”
predict-none-disallow = Always predict a class
predict-none-above-limit = None of these: { $sign ->
    [energy] energy
   *[score] out-of-distribution score
} { $now } is above the limit { $limit }
predict-none-below-limit = One of these: { $sign ->
    [energy] energy
   *[score] out-of-distribution score
} { $now } is not above the limit { $limit }
predict-none-energy-about = The lower the energy (the negative logsumexp of the logits), the more familiar the image.
predict-none-score-about = Without logits there is no energy. The out-of-distribution score is then 1 minus the score of the prediction, a weaker signal.
predict-none-limit-about = The limit accepts { $kept } of 100 test images of the classes known by then.
predict-none-later-rejected = { $n ->
    [one] Of { $n } test image of classes not learned yet, { $share } are rejected.
   *[other] Of { $n } test images of classes not learned yet, { $share } are rejected.
}
predict-none-choose-earlier-task = Choose an earlier task to see how many images of later classes are rejected.
predict-none-counting-rejected = Counting rejected images of classes not learned yet.
predict-none-count-rejected = Count rejected images of later classes
predict-none-known-rejected = { $n ->
    [one] Of { $n } test image of known classes, { $share } are wrongly rejected (tested with a limit from other images).
   *[other] Of { $n } test images of known classes, { $share } are wrongly rejected (each tested with a limit from other images).
}
predict-none-limit-images-rejected = Of the test images that set the limit, { $n } in 100 are also rejected; for other images, the share may be higher.
predict-none-images-used = Uses up to 300 test images
predict-none-images-used-pause = Uses up to 300 test images; the current run pauses briefly
predict-none-limit-unknown = The limit for “none of these” is unknown: { $why }.
predict-none-too-few-images = there are too few test images
predict-none-measuring-limit = Measuring test images to set the limit for “none of these”
predict-none-limit-not-stored = This run stored no limit for “none of these”.
predict-none-find-limit = Compute limit

# Many images in a table.
predict-many-images = Many images
predict-many-choose-folder = Classify a folder…
predict-many-about = Writes a table with one row per image: the predicted class and its score, the second class, and whether the image belongs to none of the classes.
predict-many-image-folder = Images
predict-many-image-folder-hint = A folder of images
predict-many-images-of-folder = { $n ->
    [one] { $n } image of { $folder }
   *[other] { $n } images of { $folder }
}
predict-many-table = Table
predict-many-table-hint = Path to the table (.csv)
predict-many-all = Classify all
predict-many-other-table = Another table is being written. Wait for it or stop it.
predict-many-choose-image-folder = Choose a folder…
predict-many-cancel = Cancel
predict-many-stop = Stop
predict-many-stopped = Stopped; no table was written.
predict-many-preparing = Preparing…
predict-many-progress = Images classified
predict-many-done = { $n ->
    [one] { $done } of { $n } image
   *[other] { $done } of { $n } images
}
# $count is predict-many-done or count-images.
predict-many-unreadable = { $count }, { $n } cannot be read
predict-many-show-by-class = Show by class
predict-many-open-folder = Open folder
predict-many-copy-path = Copy path
predict-many-other-images = Other images

# Images by class.
predict-sorted-by-class = { $n ->
    [one] { $n } image by class
   *[other] { $n } images by class
}
predict-sorted-back = Back to one image
predict-sorted-all = all
predict-sorted-limit = None of these: out-of-distribution score above { $limit }, as for { $n } of 100 images of known classes.
predict-sorted-filter = Filter images
predict-sorted-filter-hint = File name
predict-sorted-no-match = No file matches.
predict-sorted-save-table = Save the table
predict-sorted-images-moved = { $n ->
    [one] { $n } image moved
   *[other] { $n } images moved
}
predict-sorted-table = Table: { $name }
predict-sorted-table-moved = { $n ->
    [one] Table: { $name }, with { $n } image moved
   *[other] Table: { $name }, with { $n } images moved
}
predict-sorted-least-confident = { $n ->
    [one] { $n } image, least confident first
   *[other] { $n } images, least confident first
}
predict-sorted-more = Show more ({ $n })
predict-sorted-previous-class = was { $class }
predict-sorted-nearest = closest: { $class }
predict-sorted-prediction = { $name }: { $class }, score { $score }
predict-sorted-move = Move…
predict-sorted-move-image = Move { $name }
predict-sorted-full-prediction = Click to show the full prediction
predict-sorted-move-to = Move to
predict-sorted-unreadable = Cannot be read

# Inside the run.
predict-inside = Inside the run
predict-inside-about = Attention, features, energies, movement of the PETs
predict-inside-open = Look inside
predict-inside-close = Close
predict-inside-attention = Where the network looks
predict-inside-attention-no-image = Draw or choose an image to see where the network looks.
predict-inside-attention-computing = Computing…
predict-inside-feature-map = Map of test features
predict-inside-energies = Energies
predict-inside-pet-movement = How far the PETs have moved
predict-inside-no-pet = { $method } does not train a PET here, so there is nothing to measure.
predict-inside-processing = Processing test images…
predict-attention-about = Where the class token attends in the last block, averaged over its heads. The class token collects its features from there.
predict-attention-feature-length = The feature of this network is not a class token, so this shows the length of the feature at each position instead of attention.
predict-attention-pretrained = pre-trained
predict-attention-computing = { $title }: computing
predict-attention-outside-image = { $share } not on the image
predict-attention-outside-image-hint = On the class token itself, on prompts and prefixes
predict-attention-share = { $share } of the attention
predict-attention-length = length { $value }
predict-attention-position = row { $row }, column { $column }: { $value }
predict-attention-highest = { $title }, highest of { $rows } × { $columns } positions: { $each }
predict-attention-moved = { $share } of the attention moved to another position.
predict-attention-lengths-changed = The lengths changed by { $share }.
predict-energies-no-logits = { $method } compares features with prototypes or counts votes: without logits there is no energy.
predict-energies-medians = medians { $new } new, { $old } old
predict-energies-median = median { $value }
predict-energies-new-classes = coloured: classes of this task
predict-energies-old-classes = grey: classes of older tasks
predict-energies-bin = { $n } at { $value }
predict-energies-empty = none
predict-energies-described = Energies of the { $expert } expert, { $medians }. Classes of this task: { $new }. Classes of older tasks: { $old }
predict-map-about = { $n ->
    [one] The features of { $n } test image, projected onto the first two principal components after task { $task } ({ $first } and { $second } of the variance). Nearby points look similar to the network.
   *[other] The features of { $n } test images, projected onto the first two principal components after task { $task } ({ $first } and { $second } of the variance). Nearby points look similar to the network.
}
predict-map-not-learned = { $class }: not learned yet
predict-map-correct = { $class }: correct
predict-map-wrong = { $class }: predicted as { $other }
predict-map-legend = Hollow: not learned yet. Red ring: misclassified. Click a point to open its image.
predict-map-described = Map of test features after task { $task }
predict-map-position = { $class } around { $x }, { $y }
predict-map-position-not-learned = { $class } around { $x }, { $y }, not learned yet
predict-movement-about = The distance of each block's PET from its initial values, relative to their norm. A PET that moves less forgets less.
predict-movement-between = between the two
predict-movement-starts-as-copy = The offline PET starts as a copy in task 2.
predict-movement-block = block { $n }
predict-movement-described = Block { $n }: { $each }

# Messages about predicted and pinned images, tables and added tasks.
predict-drawing = drawing
predict-pins-fewer-tasks = { $n ->
    [one] only { $n } task
   *[other] only { $n } tasks
}
predict-pins-predicting = classifying
predict-problem-weights-elsewhere = the weights of this run are on another computer
predict-problem-weights-elsewhere-advice = if you trust the file, choose it as the backbone on Experiment and try again
predict-problem-no-finished-task = this run has not finished a task yet
predict-problem-paths-not-absolute = the paths of images and table are not absolute
predict-problem-paths-not-absolute-advice = give absolute paths
predict-problem-dataset-unopened = the dataset of this run could not be opened
predict-problem-dataset-unopened-advice = see the notifications for the reason
predict-problem-training-changed = the training images of this dataset have changed since this run learned from them
predict-problem-test-changed = the images of this dataset have changed since this run was tested on them
predict-problem-test-changed-advice = restore the original images to see them; the run's results stay as they are
predict-problem-run-not-listed = this run is no longer in the list
predict-changes-saved = your changes are in the columns class and none_of_these of the table { $table }
predict-table-written = table { $table } written
predict-table-written-advice = Predict shows its path, and the images by class
predict-added-task-queued = an added task of this run is already in the queue
predict-added-task-undone = added task undone: { $classes }
predict-added-task-undone-advice = the run is as it was before the added task
predict-added-task-job = { $run } · learns { $name }

# Images collected class by class.
predict-collect-name = My images
predict-collect-class = Class { $n }
predict-collect-second-class = Add a second class: the network learns to distinguish classes.
predict-collect-name-every-class = Give every class a name.
predict-collect-duplicate-name = Two classes are named { $name }.
predict-collect-one-more-image = { $name } needs one more image.
predict-collect-two-images = { $name } needs at least two images.
predict-collect-image-unwritten = an image could not be written: { $error }
predict-collect-too-many-images = a class can have at most { $n } images
predict-collect-too-many-images-advice = make a folder with more images and choose it as the dataset
predict-collect-saved = your images are saved
drafts-restored = restored from the last window: { $what }
drafts-restored-where = for collected images, open “Create dataset…” in the list of datasets; for the others, open Predict
drafts-pinned-images = { $n ->
    [one] { $n } pinned image
   *[other] { $n } pinned images
}
drafts-collected-images = { $n ->
    [one] { $n } collected image
   *[other] { $n } collected images
}
drafts-moved-images = images of { $table } that you moved to other classes
drafts-images-unreadable = { $n ->
    [one] { $n } image can no longer be read
   *[other] { $n } images can no longer be read
}
drafts-not-stored = unsaved images could not be stored for the next start: { $why }
drafts-unreadable = the unsaved images of the last window cannot be read: { $why }
drafts-table-changed = images of this table were moved to other classes in the last window, but the table has changed since

# Tables of images.
predict-many-all-columns = All columns
predict-many-all-columns-hint = Adds each expert's prediction, the out-of-distribution score and the top five classes
predict-many-unfinished = This run has learned { $learned } of { $n } classes so far: images of the other classes are misclassified.
predict-sorted-by-run = Classified by { $run }, after task { $task }
predict-sorted-copy = Copy images into folders
predict-sorted-copy-hint = Copies each image into a subfolder named after its class, in a folder next to the table
predict-sorted-copied = { $n ->
    [one] { $n } image
   *[other] { $n } images
} copied to { $place }
