# Explanation of a run.

stage-running = running
stage-paused = paused
stage-finished = finished
stage-stopped = stopped
stage-failed = failed
session-failed-heading = Failed.
session-stopped-heading = Stopped.
session-stopped-early = It was stopped before it was finished.
session-stopped = { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned and saved. Resume continues from the last finished epoch.
session-paused-heading = Paused.
session-paused = Training is paused between two batches. Predictions still work.
session-preparing-heading = Preparing.
session-waiting-heading = Waiting.
session-waiting = This run has not started yet.
session-testing-heading = Testing.
session-testing = Testing on every { $on ->
    [validation] validation
   *[test] test
} image of the { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned so far.
session-testing-experts = Testing both experts on every { $on ->
    [validation] validation
   *[test] test
} image of the { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned so far.
session-measuring-heading = Measuring.
session-measuring = The network processes every training image of { $names } once; its weights do not change.
session-training-heading = Training.
session-method-learning = { $method }: { $does }. Now learning { $names }.
session-learning-heading = Learning.
session-pet-frozen = The PET ({ $pet }) is frozen for { $n ->
    [one] { $n } more epoch
   *[other] { $n } more epochs
}: only the weights of the new classes { $names } are trained, so existing knowledge is not affected.
session-pet-no-longer-frozen = The PET ({ $pet }) is no longer frozen. It is now trained together with the new classes { $names }.
session-pet-and-head-trained = The PET ({ $pet }) and the weights of the classes { $names } are trained together.
session-accumulation-heading = Accumulation.
session-offline-copy = The offline PET ({ $pet }) starts as a copy of the online PET when the second task begins.
session-accumulation-off = Off: the offline PET ({ $pet }) keeps its state after the first task.
session-online-only = Off: only the online PET ({ $pet }) is used.
session-accumulation = After every step, the offline PET ({ $pet }) moves { $step } % towards the online PET; over a whole task, { $whole }.
session-ensemble-heading = Ensemble.
session-ensemble = Both experts process each image; the more confident expert answers.
session-ensemble-offline = Off: only the offline expert answers.
session-ensemble-online = Off: only the online expert answers.
session-done-heading = Done.
session-summary = Summary.
session-done-one-task = { $right } of the test images of all classes are classified correctly. Open Predict to classify more images.
session-done = After { $n } tasks, { $right } of the test images of all classes are classified correctly; forgetting is { $forgotten } points. Open Predict to follow an image through the tasks.
session-done-unmeasured = The images of earlier tasks were not available, so accuracy was not measured. Open Predict to follow an image through the tasks.
session-added-task-heading = Added task.
session-added-task = Test images of { $names } (held out from training): { $new }. Test images of the { $n ->
    [one] { $n } earlier class
   *[other] { $n } earlier classes
}: { $old }.
session-count-of = { $n } of { $of }
session-count-of-share = { $n } of { $of } ({ $share })
session-correct-before-and-now = { $after } correct now, { $before } before this task was added
session-correct-now = { $after } correct
session-no-test-images = no test images available
session-backbone-heading = Backbone.
session-backbone-separates-poorly = The features of this backbone separate these classes poorly: the nearest class mean without training classifies { $share } of a sample of the { $on ->
    [validation] validation
   *[test] test
} images correctly. { $name } usually gives better results.
session-backbone-gain = On CIFAR-100, class means of the features classify { $better } of the test images correctly with { $name }{ $source ->
    [paper] {" "}(Janson et al., 2022)
   *[here] {""}
} and { $own } with { $tried } (measured).
session-classes-never-predicted = { $n } of { $of ->
    [one] { $of } class
   *[other] { $of } classes
} { $n ->
    [one] is
   *[other] are
} never recognised.
session-classes-rarely-correct = { $n } of { $of ->
    [one] { $of } class
   *[other] { $of } classes
} { $n ->
    [one] is
   *[other] are
} rarely recognised.
session-class-confused = { $name }: { $right } of { $of } correct, { $times } classified as { $taken_for }
session-classes-more = And { $n } more.

# The log.
session-log-started = { $classes ->
    [one] { $classes } class
   *[other] { $classes } classes
} in { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} on { $device }
session-log-resumed-after-task = resumed after task { $n }
session-log-saved = { $what } saved, { $size }
session-log-stopped-added = stopped; the added task was undone
session-log-stopped = stopped and saved; it can be resumed
session-log-stopped-early = stopped before it was finished
session-log-resumed = resumed
session-log-testing = task { $n }: testing
session-log-measuring = task { $n }: processing the training images of { $names }
session-log-task-starts = task { $n } starts: { $names }
session-log-pet-training-starts = PET training starts
session-log-task-measured = task { $n }: { $each }

# Messages about runs.
session-in-folder = in { $folder }
session-read-only = This run is in a read-only folder
session-data-missing = the dataset of this run is not available
session-check-of-run = Check of { $name }
session-retraining-run = Retraining { $name }
session-already-queued = { $title } is already in the queue
session-removed-from-queue = { $title } was removed from the queue
session-start-again-advice = start it again from Experiment
session-runs-still-queued = runs from the last session are still in the queue
session-runs-still-queued-advice = open Train to resume the queue or remove them
session-search-next-advice = to evaluate the selected settings on the test images, use Open grid…
session-grid-stopped = { $title } was stopped
session-grid-stopped-advice = start it again to continue: finished runs are not repeated
session-grid-finished = { $title } is finished: { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
session-run-packed = run packed without images and paths, but with class names and notes
session-run-packed-advice = the images of its added tasks are not included: after unpacking, the run can classify images but cannot learn further tasks
session-run-unpacked = { $name } was added to the runs
session-reproduces-run = it reproduces { $name }
session-report-saved = report saved
session-figure-saved = figure saved
session-table-saved = table saved
session-runs-left-out = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} could not be read
session-model-exported = model exported with all required files
session-model-exported-advice = its README.md explains how to use it
session-no-finished-task = this run has no finished task yet
session-no-run-finished-task = none of these runs has a finished task
session-no-run-finished-task-advice = train one, or select other runs
