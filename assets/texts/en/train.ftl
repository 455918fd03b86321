# The page Train.

train-empty = Nothing is running
train-empty-here = Nothing is running on this computer
train-empty-text = Set up an experiment and start it, or open a stored run
train-set-up = Set up an experiment
train-open-run = Open a run
train-pause = Pause
train-resume = Resume
train-stop = Stop
train-predict = Predict with this run
train-teach = Teach…
train-unlearn = Undo added task…
train-unlearn-classes = Undo added task: { $classes }
train-unlearn-hint = Restores the run to before this added task
train-show-live = Show current run
train-progress = Progress of the run
train-task-of = Task { $n } of { $of }
train-epoch-of = epoch { $n } of { $of }
train-rate = { $n } images/s
train-trained = { $n } trainable parameters
train-at-place = at { $place }
train-happening = What is happening
train-happened = What happened
train-loss = Loss on the new classes
train-smooth = smooth
train-smooth-hint = The mean of up to { $n } steps within a task
train-loss-by-step = by optimiser step; every other task is shaded
train-loss-by-pass = mean of each pass over the images; every other task is shaded
train-log = Log
train-log-filter = Filter
train-log-filter-name = Filter the log
train-log-copy = Copy

# Headline numbers, curves, matrices.
train-right = Accuracy
train-right-of-seen = { $title }, { $n ->
    [one] { $n } class
   *[other] { $n } classes
} seen
train-task-given = Task given
train-forgotten = Forgotten so far
train-points = points
train-guessing = no better than guessing
train-trust = { $right } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} correct. The range is Wilson's 95 % interval for the accuracy on all images of this kind.
train-curves = Accuracy over all classes seen so far
train-curves-name = Accuracy over tasks
train-learning-now = learning { $names } now
train-matrix-none = Available after the first task.
train-matrix-hint = Read down a column to see a task being forgotten.
train-expert = expert
train-confusion-none = Available after the first task: which classes are confused with which.
train-confusion-after = Confusion after task
train-granularity = granularity
train-by-classes = Classes
train-by-tasks = Tasks
train-nothing-confused = No confusions
train-most-confused = Most confused
train-taken-for = { $name } taken for { $answer }
train-of = of { $n }
train-show-images = Show the images
train-click-cell = Click a cell to see the images.
train-see-mistakes = Show the most confident mistakes
train-cell-right = { $name }, correct: { $n }
train-cell-taken = { $name } taken for { $answer }: { $n }
train-data-opening = Opening the dataset.
train-all-classes = all classes
train-prompts-selection = Images that choose the prompts of their own task
train-prompts-own = own prompts chosen
train-prompts-name = Prompt selection over tasks
train-prompts-accuracy = Accuracy with one task's prompts for all images
train-prompts-hint = Similar rows mean similar prompts. The mean is over the tasks from the prompts' own on; the columns show the current state.
train-prompts-of = prompts of
train-prompts-all = all tasks
train-prompts-mean = mean

# Comparison with another run.
train-beside = Compare with
train-beside-forgotten = forgotten
train-beside-order = Another class order: its task 1 has other images.
train-beside-live = The other run is in progress.

# The queue and its grids.
train-queue = Queue
train-queue-resume = Resume the queue
train-queue-hold = Pause the queue
train-queue-held = Runs on hold start when you resume the queue.
train-on-hold = on hold
train-queue-forward = Move { $n } forward: { $title }
train-queue-back = Move { $n } back: { $title }
train-queue-remove = Remove { $n } from the queue: { $title }
train-grid-cancel = Cancel
train-grid-cancel-hint = Stops the grid; existing results are kept
train-grid-left = about { $time } left
train-grid-progress = Progress of the grid
train-grid-runs = Runs
train-grid-looking = Looking for existing runs

# Remedies for a run with poor results.
train-look-at = Show the images of
train-show-pictures = Show these images
train-look-for-doubts = Find doubtful labels
train-doubts-hint = Predicts each training image from the others and shows those that look like another class than their label
train-more-steps = Use { $n } steps per task
train-try-methods = Try methods
train-set-up-with = Use { $name }
train-its-weights = weights: { $place }

# Mistakes and doubtful labels.
train-mistakes = Most confident mistakes
train-mistakes-none = No image was predicted wrongly.
train-mistakes-how = True class → prediction, and its certainty. Click an image to open it on Predict. If its label is wrong, correct it below the image.
train-doubtful = Most doubtful labels
train-doubtful-how = Label → class it looks like, and the certainty. Click an image to open it on Predict. If its label is wrong, correct it below the image.
train-test-pictures = Test images
train-training-pictures = Training images
train-side-of-mistakes = test or training images
train-backbone-alone = backbone only
train-class-of-mistakes = True class of the mistakes
train-label-of-doubtful = Label of the doubtful images
train-asked-again = { $n } of { $of } predicted again
train-ask-again = Predict its mistakes again
train-not-noted = not stored
train-not-noted-yet = This run did not store how certain its predictions were.
train-not-noted-but = This run did not store how certain its predictions were; { $n } were predicted again.
train-show-more = Show more ({ $n })
train-labelled = labelled { $class }
# $labelled is empty, or a space followed by train-labelled.
train-doubts-none = No training image{ $labelled } looks like another class.
train-doubts-found = { $n } of { $of } { $of ->
    [one] training image
   *[other] training images
}{ $labelled } { $n ->
    [one] looks
   *[other] look
} like another class. In a long list, most labels are correct: check the first ones.
train-doubts-gathered = Loading the training images.
train-doubts-compared = Comparing the training images.
train-doubts-looked-at = { $n } of { $of ->
    [one] { $of } training image
   *[other] { $of } training images
} processed
train-doubts-how = Predicts each image from the others, on features of the frozen backbone, without the image itself or its copies.
train-tile-training = training image { $index }
train-tile-tested = { $of ->
    [validation] validation image { $index }
   *[test] test image { $index }
}
train-tile-added = test image { $index } of added task { $task }
train-tile-mistake = mistake, { $name }
train-tile-doubtful = doubtful, { $name }
train-tile-hint = Click to open it on Predict
train-correct = Label…
train-correct-of = Correct: { $name }
train-correct-hint = Corrects the label or excludes the image, from the next run on, in training and testing
train-correct-title = Correct label
train-left-out = excluded
train-now = now { $class }
train-as-answered = { $class }, as predicted
train-as-it-looks = { $class }, which it looks like
train-leave-out = None of these: exclude it
train-take-back = Revert to { $class }

# Runs on other machines.
train-place = At { $place }
train-place-let-begin = Start them
train-place-show = Show
train-place-resume = Resume at { $place }: { $title }
train-place-pause = Pause at { $place }: { $title }
train-place-stop = Stop at { $place }: { $title }
train-place-remove = Remove from { $place }: { $title }
train-place-waits = waiting
train-place-task = task { $n } of { $of }
train-place-begins = starting
train-place-asked = connecting
train-place-best-device = best device
train-place-device = device { $device }
train-place-line = { $system } on { $processor }, { $device }, runs in { $folder }{ $n ->
        [0] {""}
        [one] , one run there is not here yet
       *[other] , { $n } runs there are not here yet
    }
train-place-gone = runs were left at { $place }, which is no longer a place
train-place-gone-advice = add it to places.toml again
train-place-unknown = there is no place named { $place }
train-place-removed = { $title } was removed from the queue of { $place }

# Grids on clusters.
train-cluster = { $grid } on { $place }
train-cluster-cancel-hint = Cancels its waiting tasks and stops the running ones; what they saved is kept
train-cluster-ask = Refresh
train-cluster-ask-hint = Ask the cluster for the state of its tasks
train-cluster-forget = Hide { $grid } on { $place }
train-cluster-progress = Progress of { $grid } on { $place }
train-cluster-done = { $runs } done
train-cluster-running = { $n } running
train-cluster-waiting = { $n } waiting
train-cluster-stopped = { $n } stopped
train-cluster-cancelled = { $n } cancelled
train-cluster-failed = { $n } failed
train-cluster-failure = { $n ->
        [one] One run failed: { $why }
       *[other] { $n } runs failed: { $why }
    }
train-expert-of-page = Shows matrix, confusion and mistakes below for this expert
train-tell-all = Show more
train-tell-less = Show less
train-log-show = Show
train-log-hide = Hide
