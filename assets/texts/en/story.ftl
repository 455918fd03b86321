# Explanation of a run.

stage-running = running
stage-paused = paused
stage-finished = finished
stage-stopped = stopped
stage-failed = failed
story-failed-heading = Failed.
story-stopped-heading = Stopped.
story-not-started = The run did not start; nothing was saved.
story-stopped = { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned and saved. Resume continues from the last finished epoch.
story-paused-heading = Paused.
story-paused = Training is paused between two batches. Predictions still work.
story-preparing-heading = Preparing.
story-waiting-heading = Waiting.
story-waiting = This run has not started yet.
story-testing-heading = Testing.
story-testing = Testing on every { $on ->
    [validation] validation
   *[test] test
} image of the { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned so far.
story-testing-experts = Testing both experts on every { $on ->
    [validation] validation
   *[test] test
} image of the { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned so far.
story-measuring-heading = Measuring.
story-measuring = The network processes every training image of { $names } once; its weights do not change.
story-training-heading = Training.
story-method-learning = { $method }: { $does }. Now learning { $names }.
story-learning-heading = Learning.
story-pet-frozen = The PET ({ $pet }) is frozen for { $n ->
    [one] { $n } more epoch
   *[other] { $n } more epochs
}: only the weights of the new classes { $names } are trained, so existing knowledge is not affected.
story-pet-no-longer-frozen = The PET ({ $pet }) is no longer frozen. It is now trained together with the new classes { $names }.
story-pet-and-head-trained = The PET ({ $pet }) and the weights of the classes { $names } are trained together.
story-accumulation-heading = Accumulation.
story-offline-copy = The offline PET ({ $pet }) starts as a copy of the online PET when the second task begins.
story-accumulation-off = Off: the offline PET ({ $pet }) keeps its state after the first task.
story-online-only = Off: only the online PET ({ $pet }) is used.
story-accumulation = After every step, the offline PET ({ $pet }) moves { $step } % towards the online PET; over a whole task, { $whole }.
story-ensemble-heading = Ensemble.
story-ensemble = Both experts process each image; the more confident expert answers.
story-ensemble-offline = Off: only the offline expert answers.
story-ensemble-online = Off: only the online expert answers.
story-done-heading = Done.
story-summary = Summary.
story-done = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}, { $right } of the test images of all classes are classified correctly; forgetting is { $forgotten } points. Open Predict to follow an image through the tasks.
story-done-unmeasured = The images of earlier tasks were not available, so accuracy was not measured. Open Predict to follow an image through the tasks.
story-added-task-heading = Added task.
story-added-task = Test images of { $names } (held out from training): { $new }. Test images of the { $n ->
    [one] { $n } earlier class
   *[other] { $n } earlier classes
}: { $old }.
story-count-of = { $n } of { $of }
story-count-of-share = { $n } of { $of } ({ $share })
story-correct-before-and-now = { $after } correct now, { $before } before this task was added
story-correct-now = { $after } correct
story-no-test-images = no test images available
story-backbone-heading = Backbone.
story-backbone-separates-poorly = The features of this backbone separate these classes poorly: the nearest class mean without training classifies { $share } of a sample of the { $on ->
    [validation] validation
   *[test] test
} images correctly. { $name } usually gives better results.
story-backbone-gain = On CIFAR-100, class means of the features classify { $better } of the test images correctly with { $name }{ $source ->
    [paper] {" "}(Janson et al., 2022)
   *[here] {""}
} and { $own } with { $tried } (measured).
story-classes-never-predicted = { $n } of { $of ->
    [one] { $of } class
   *[other] { $of } classes
} { $n ->
    [one] is
   *[other] are
} never recognised.
story-classes-rarely-correct = { $n } of { $of ->
    [one] { $of } class
   *[other] { $of } classes
} { $n ->
    [one] is
   *[other] are
} rarely recognised.
story-class-confused = { $name }: { $right } of { $of } correct, { $times } classified as { $taken_for }
story-classes-more = And { $n } more.

# The log.
story-log-started = { $classes ->
    [one] { $classes } class
   *[other] { $classes } classes
} in { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} on { $device }
story-log-resumed-after-task = resumed after task { $n }
story-log-saved = { $what } saved, { $size }
story-log-stopped-added = stopped; the added task was undone
story-log-stopped = stopped and saved; it can be resumed
story-log-stopped-before-start = stopped before it started
story-log-resumed = resumed
story-log-testing = task { $n }: testing
story-log-measuring = task { $n }: processing the training images of { $names }
story-log-task-starts = task { $n } starts: { $names }
story-log-pet-training-starts = PET training starts
story-log-task-measured = task { $n }: { $each }

# Messages about runs.
story-in-folder = in { $folder }
story-read-only = This run is in a read-only folder
story-data-missing = the dataset of this run is not available
story-check-of-run = Check of { $name }
story-retraining-run = Retraining { $name }
story-already-queued = { $title } is already in the queue
story-removed-from-queue = { $title } was removed from the queue
story-start-again-advice = start it again from Experiment
story-runs-still-queued = runs from the last session are still in the queue
story-runs-still-queued-advice = open Train to resume the queue or remove them
story-search-next-advice = to evaluate the selected settings on the test images, use Open grid…
story-grid-stopped = { $title } was stopped
story-grid-stopped-advice = start it again to continue: finished runs are not repeated
story-grid-finished = { $title } is finished: { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
story-run-packed = run packed without images and paths, but with class names and notes
story-run-packed-advice = the images of its added tasks are not included: after unpacking, the run can classify images but cannot learn further tasks
story-run-unpacked = { $name } was added to the runs
story-reproduces-run = it reproduces { $name }
story-report-saved = report saved
story-figure-saved = figure saved
story-table-saved = table saved
story-runs-left-out = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} could not be read
story-model-exported = model exported with all required files
story-model-exported-advice = its README.md explains how to use it
story-no-finished-task = this run has no finished task yet
story-no-run-finished-task = none of these runs has a finished task
story-no-run-finished-task-advice = train one, or select other runs
