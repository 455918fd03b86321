# The page Train.

train-nothing-running = Nothing is running
train-nothing-running-here = Nothing is running on this computer
train-nothing-running-about = Set up an experiment and start it, or open a stored run
train-set-up-experiment = Set up an experiment
train-open-run = Open a run
train-pause-run = Pause
train-resume-run = Resume
train-stop-run = Stop
train-predict-with-run = Predict with this run
train-teach-classes = Teach…
train-undo-added-task = Undo added task…
train-undo-added-task-classes = Undo added task: { $classes }
train-undo-added-task-hint = Restores the state before this added task
train-show-current-run = Show current run
train-progress = Progress of the run
train-task-of = Task { $n } of { $of }
train-epoch-of = epoch { $n } of { $of }
train-images-per-second = { $n } images/s
train-trainable-parameters = { $n } trainable parameters
train-at-place = at { $place }
train-what-is-happening = What is happening
train-what-happened = What happened
train-loss-title = Loss on the new classes
train-smooth = smooth
train-smooth-hint = The mean of up to { $n } steps within a task
train-loss-by-step = by training step; every other task is shaded
train-loss-by-pass = mean of each epoch; every other task is shaded
train-log = Log
train-log-filter = Filter
train-log-filter-name = Filter the log
train-log-copy = Copy

# Headline numbers, curves, matrices.
train-accuracy = Accuracy
train-accuracy-of-seen = { $title }, { $n ->
    [one] { $n } class
   *[other] { $n } classes
} seen
train-task-given = Task given
train-forgotten-so-far = Forgotten so far
train-points = points
train-no-better-than-guessing = no better than guessing
train-too-few-test-images = too few test images
train-accuracy-interval = { $right } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} correct. The range is Wilson's 95 % interval for the accuracy on all images of this kind.
train-accuracy-curves = Accuracy over all classes seen so far
train-accuracy-curves-name = Accuracy over tasks
train-learning-now = learning { $names } now
train-matrix-none = Available after the first task.
train-matrix-hint = Read down a column to see a task being forgotten.
train-expert = expert
train-confusion-none = Available after the first task: which classes are confused with which.
train-confusion-after = Confusion after task
train-confusion-granularity = granularity
train-confusion-by-classes = Classes
train-confusion-by-tasks = Tasks
train-no-confusions = No confusions
train-most-confused-classes = Most confused
train-confused-with = { $name } predicted as { $answer }
train-of-count = of { $n }
train-show-cell-images = Show the images
train-click-cell-hint = Click a cell to see the images.
train-show-mistakes = Show the most confident mistakes
train-cell-correct = { $name }, correct: { $n }
train-cell-confused = { $name } predicted as { $answer }: { $n }
train-opening-dataset = Opening the dataset.
train-all-classes = all classes
train-prompts-selection = Images that select the prompts of their own task
train-prompts-own = own prompts selected
train-prompts-name = Prompt selection over tasks
train-prompts-accuracy = Accuracy with one task's prompts for all images
train-prompts-hint = Similar rows indicate similar prompts. The mean is over the prompts' own task and all later tasks; the columns show the current state.
train-prompts-of = prompts of
train-prompts-all = all tasks
train-prompts-mean = mean

# Comparison with another run.
train-compare-with = Compare with
train-compare-forgotten = forgotten
train-compare-other-order = Another class order: its task 1 has other images.
train-compare-in-progress = The other run is in progress.

# The queue and its grids.
train-queue = Queue
train-queue-resume = Resume the queue
train-queue-pause = Pause the queue
train-queue-held-hint = Runs on hold start when you resume the queue.
train-on-hold = on hold
train-queue-forward = Move { $n } forward: { $title }
train-queue-back = Move { $n } back: { $title }
train-queue-remove = Remove { $n } from the queue: { $title }
train-grid-cancel = Stop grid…
train-grid-cancel-hint = Stops the grid; existing results are kept
train-grid-left = about { $time } left
train-grid-progress = Progress of the grid
train-grid-runs = Runs
train-grid-searching-runs = Looking for existing runs

# Remedies for a run with poor results.
train-show-images-of = Show the images of
train-show-these-images = Show these images
train-find-doubtful-labels = Find doubtful labels
train-find-doubtful-labels-hint = Classifies each training image by the other images, and shows those that look like a class other than their label
train-use-all-at-once = Learn all classes at once
train-use-steps-per-task = Use { $n } steps per task
train-try-methods = Try methods
train-use-setting = Use { $name }
train-weights-place = weights: { $place }

# Mistakes and doubtful labels.
train-confident-mistakes = Most confident mistakes
train-mistakes-none = No image was misclassified.
train-mistakes-hint = True class → prediction, and its confidence. Click an image to open it on Predict. If its label is wrong, correct it below the image.
train-doubtful-labels = Most doubtful labels
train-doubtful-labels-hint = Label → class it looks like, and the confidence. Click an image to open it on Predict. If its label is wrong, correct it below the image.
train-test-images = Test images
train-training-images = Training images
train-mistakes-split = test or training images
train-backbone-only = backbone only
train-mistakes-class = True class of the mistakes
train-doubtful-labels-class = Label of the doubtful images
train-predicted-again = { $n } of { $of } classified again
train-predict-mistakes-again = Classify its mistakes again
train-certainty-not-stored = not stored
train-certainty-not-stored-hint = This run did not store the confidence of its predictions.
train-certainty-predicted-again = This run did not store the confidence of its predictions; { $n } images were classified again.
train-show-more = Show more ({ $n })
train-labelled-class = labelled { $class }
# $labelled is empty, or a space followed by train-labelled-class.
train-doubts-no-images = No training image{ $labelled } looks like another class.
train-doubts-images-found = { $n } of { $of } { $of ->
    [one] training image
   *[other] training images
}{ $labelled } { $n ->
    [one] looks
   *[other] look
} like another class. In a long list, most labels are correct: check the first ones.
train-doubts-loading = Loading the training images.
train-doubts-comparing = Comparing the training images.
train-doubts-progress = { $n } of { $of ->
    [one] { $of } training image
   *[other] { $of } training images
} processed
train-doubts-about = Classifies each image by the features of the others (frozen backbone), without the image itself or its copies.
train-tile-training-image = training image { $index }
train-tile-test-image = { $of ->
    [validation] validation image { $index }
   *[test] test image { $index }
}
train-tile-added-task-image = test image { $index } of added task { $task }
train-tile-mistake = mistake, { $name }
train-tile-doubtful = doubtful, { $name }
train-tile-hint = Click to open it on Predict
train-correct-label = Label…
train-correct-image = Correct the label: { $name }
train-correct-label-hint = Corrects the label or excludes the image, from the next run on, in training and testing
train-correct-label-title = Correct label
train-label-excluded = excluded
train-label-now = now { $class }
train-label-as-predicted = { $class }, as predicted
train-label-as-it-looks = { $class }, which it looks like
train-exclude-image = None of these: exclude it
train-label-revert = Revert to { $class }

# Runs on remote machines.
train-place-title = At { $place }
train-place-start-held = Start runs
train-place-show = Show
train-place-resume = Resume at { $place }: { $title }
train-place-pause = Pause at { $place }: { $title }
train-place-stop = Stop at { $place }: { $title }
train-place-remove = Remove from { $place }: { $title }
train-place-waiting = waiting
train-place-task-of-tasks = task { $n } of { $of }
train-place-starting = starting
train-place-connecting = connecting
train-place-best-device = best device
train-place-device = device { $device }
train-place-about = { $system } on { $processor }, { $device }, runs in { $folder }{ $n ->
        [0] {""}
        [one] , one run is not copied yet
       *[other] , { $n } runs are not copied yet
    }
train-place-removed-with-runs = there are runs at { $place }, which is no longer in places.toml
train-place-removed-with-runs-advice = add it to places.toml again
train-place-unknown = there is no place named { $place }
train-place-run-unqueued = { $title } was removed from the queue of { $place }

# Grids on clusters.
train-cluster-title = { $grid } on { $place }
train-cluster-cancel-hint = Cancels its waiting jobs and stops the running ones; saved results are kept
train-cluster-refresh = Refresh
train-cluster-refresh-hint = Asks the cluster for the state of its jobs
train-cluster-hide = Hide { $grid } on { $place }
train-cluster-progress = Progress of { $grid } on { $place }
train-cluster-done = { $runs } done
train-cluster-running = { $n } running
train-cluster-waiting = { $n } waiting
train-cluster-stopped = { $n } stopped
train-cluster-cancelled = { $n } cancelled
train-cluster-failed = { $n } failed
train-cluster-failed-why = { $n ->
        [one] One run failed: { $why }
       *[other] { $n } runs failed: { $why }
    }
train-expert-hint = Shows matrix, confusion and mistakes below for this expert
train-explanation-show-more = Show more
train-explanation-show-less = Show less
train-log-show = Show
train-log-hide = Hide
