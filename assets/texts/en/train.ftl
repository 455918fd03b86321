# The page Train.

train-empty = Nothing is running
train-empty-here = Nothing is running on this computer
train-empty-text = Set up an experiment and start it, or open a stored run
train-set-up = Set up an experiment
train-open-run = Open a run
train-pause = Pause
train-resume = Resume
train-stop = Stop
train-predict = Predict with it
train-teach = Teach…
train-unlearn = Unlearn…
train-unlearn-classes = Unlearn { $classes }
train-unlearn-hint = The run is then as it was before this added task
train-show-live = Show the run at work
train-progress = Progress of the run
train-task-of = Task { $n } of { $of }
train-epoch-of = epoch { $n } of { $of }
train-rate = { $n } images/s
train-trained = { $n } trained
train-at-place = at { $place }
train-happening = What is happening
train-happened = What happened
train-loss = Loss on the new classes
train-smooth = smooth
train-smooth-hint = The mean of { $n } steps or fewer, within a task
train-loss-by-step = by step of the optimiser; a band behind every other task
train-loss-by-pass = by pass over the images, the mean of each; a band behind every other task
train-log = Log
train-log-filter = Filter
train-log-filter-name = Filter the log
train-log-copy = Copy

# Headline numbers, curves, matrices.
train-right = Right
train-right-of-seen = { $title }, { $n ->
    [one] { $n } class
   *[other] { $n } classes
} seen
train-task-given = With the task given
train-forgotten = Forgotten so far
train-points = points
train-guessing = no better than guessing
train-trust = { $right } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} right. Tested 100 times on other images of the same kind, about 95 of the ranges made like this would hold the accuracy on all such images (Wilson's interval).
train-curves = Accuracy over all classes seen so far
train-curves-name = Accuracy over tasks
train-learning-now = learning { $names } now
train-matrix-none = Comes with the first task.
train-matrix-hint = Read down a column to see a task being forgotten.
train-expert = expert
train-confusion-none = Comes with the first task: which classes are taken for which.
train-confusion-after = Confusion after task
train-granularity = granularity
train-by-classes = Classes
train-by-tasks = Tasks
train-nothing-confused = Nothing is confused
train-most-confused = Most confused
train-taken-for = { $name } taken for { $answer }
train-of = of { $n }
train-show-images = Show the images
train-click-cell = Click a cell to see the images.
train-see-mistakes = See the surest mistakes
train-cell-right = { $name }, right: { $n }
train-cell-taken = { $name } taken for { $answer }: { $n }
train-data-opening = The data set is being opened.
train-all-classes = all classes
train-prompts-selection = Images that choose the prompts of their own task
train-prompts-own = own prompts chosen
train-prompts-name = Prompt selection over tasks
train-prompts-accuracy = Accuracy with one task's prompts for all images
train-prompts-hint = Rows that hardly differ mean prompts that hardly differ. The mean is over the tasks from the prompts' own on; the columns of tasks are as of now.
train-prompts-of = prompts of
train-prompts-all = all tasks
train-prompts-mean = mean

# Another run beside it.
train-beside = Beside it
train-beside-forgotten = forgotten
train-beside-order = Another class order: its task 1 holds other images.
train-beside-live = The other run is at work.

# The queue, and grids in it.
train-queue = Queue
train-queue-resume = Resume the queue
train-queue-hold = Hold the queue
train-queue-held = Those on hold begin when you resume the queue.
train-on-hold = on hold
train-queue-forward = Move { $n } forward: { $title }
train-queue-back = Move { $n } back: { $title }
train-queue-remove = Remove { $n } from the queue: { $title }
train-grid-cancel = Cancel
train-grid-cancel-hint = Stops it; what is there stays
train-grid-left = about { $time } left
train-grid-progress = Progress of the grid
train-grid-runs = Runs
train-grid-looking = Looking which runs are there

# What can be done about a run that came to little.
train-look-at = Look at the pictures of
train-show-pictures = Show these pictures
train-look-for-doubts = Look for doubtful labels
train-doubts-hint = Each training picture is answered by the others; those that look like another class than their label are shown
train-more-steps = Set it up with { $n } steps a task
train-try-methods = Try which method suits
train-set-up-with = Set it up with { $name }
train-its-weights = its weights: { $place }

# Mistakes and doubtful labels.
train-mistakes = The surest mistakes
train-mistakes-none = No picture was answered wrongly.
train-mistakes-how = Truth → answer, and how certain it was. Click a picture to ask Predict about it. If its label is wrong, correct it below the picture.
train-doubtful = The most doubtful labels
train-doubtful-how = Label → what it looks like, and how certain that is. Click a picture to ask Predict about it. If its label is wrong, correct it below the picture.
train-test-pictures = Test pictures
train-training-pictures = Training pictures
train-side-of-mistakes = side of the mistakes
train-backbone-alone = backbone alone
train-class-of-mistakes = True class of the mistakes
train-label-of-doubtful = Label of the doubtful pictures
train-asked-again = { $n } of { $of } are asked once more
train-ask-again = Ask about its mistakes once more
train-not-noted = not noted
train-not-noted-yet = This run did not note how certain it was of its answers.
train-not-noted-but = This run did not note how certain it was; { $n } were asked once more.
train-show-more = Show more ({ $n })
train-labelled = labelled { $class }
# $labelled is empty, or a space and train-labelled.
train-doubts-none = No training picture{ $labelled } looks like another class.
train-doubts-found = { $n } of { $of } { $of ->
    [one] training picture
   *[other] training pictures
}{ $labelled } { $n ->
    [one] looks
   *[other] look
} like another class. Most of a long list are labelled correctly: look at the first ones.
train-doubts-gathered = The training pictures are being gathered.
train-doubts-compared = They are being held against one another.
train-doubts-looked-at = { $n } of { $of ->
    [one] { $of } training picture
   *[other] { $of } training pictures
} were looked at
train-doubts-how = Each picture is answered by the others, on features of the frozen backbone: neither it nor a copy of it has a part in that.
train-tile-training = training image { $index }
train-tile-tested = { $of ->
    [validation] validation image { $index }
   *[test] test image { $index }
}
train-tile-added = test picture { $index } of added task { $task }
train-tile-mistake = mistake, { $name }
train-tile-doubtful = doubtful, { $name }
train-tile-hint = Click to ask Predict about it
train-correct = Label…
train-correct-of = Correct: { $name }
train-correct-hint = Correct the label, or leave the picture out: from the next run on, in training and testing
train-correct-title = Correct label
train-left-out = left out
train-now = now { $class }
train-as-answered = { $class }, as answered
train-as-it-looks = { $class }, as it looks
train-leave-out = Nothing of these: leave it out
train-take-back = It is { $class }: take it back

# Runs at other machines.
train-place = At { $place }
train-place-let-begin = Let them begin
train-place-show = Show
train-place-resume = Resume at { $place }: { $title }
train-place-pause = Pause at { $place }: { $title }
train-place-stop = Stop at { $place }: { $title }
train-place-remove = Remove from { $place }: { $title }
train-place-waits = waits
train-place-task = task { $n } of { $of }
train-place-begins = begins
train-place-asked = is being asked
train-place-best-device = its best device
train-place-device = device { $device }
train-place-line = { $system } on { $processor }, { $device }, runs in { $folder }{ $n ->
        [0] {""}
        [one] , one run there did not come here
       *[other] , { $n } runs there did not come here
    }
train-place-gone = runs were left at { $place }, which is no place any more
train-place-gone-advice = write it into places.toml again
train-place-unknown = there is no place called { $place }
train-place-removed = { $title } was removed from the queue of { $place }

# Grids on clusters.
train-cluster = { $grid } on { $place }
train-cluster-cancel-hint = Takes its tasks out of the queue and ends those that run; what they had saved stays
train-cluster-ask = Refresh
train-cluster-ask-hint = Asks the cluster how its tasks stand
train-cluster-forget = No longer show { $grid } on { $place }
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
train-expert-of-page = Matrix, confusion and mistakes below are of this expert
train-tell-all = Tell all of it
train-tell-less = Tell less
train-log-show = Show
train-log-hide = Hide
