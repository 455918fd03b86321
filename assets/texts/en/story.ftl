# Explanation of a run.

stage-running = running
stage-paused = paused
stage-finished = finished
stage-stopped = stopped
stage-failed = failed
story-failed-head = Failed.
story-stopped-head = Stopped.
story-not-begun = The run did not start; nothing was saved.
story-stopped = { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned and saved. Resume continues from the last finished epoch.
story-paused-head = Paused.
story-paused = Training is paused between two batches. Predictions still work.
story-preparing-head = Preparing.
story-waiting-head = Waiting.
story-waiting = This run has not started yet.
story-testing-head = Testing.
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
story-measuring-head = Measuring.
story-measuring = The network processes every training image of { $names } once; its weights do not change.
story-training-head = Training.
story-method = { $method }: { $does }. Now learning { $names }.
story-learning-head = Learning.
story-frozen = The PET ({ $pet }) is frozen for { $n ->
    [one] { $n } more epoch
   *[other] { $n } more epochs
}: only the weights of the new classes { $names } are trained, so existing knowledge is not affected.
story-settled = The PET ({ $pet }) is no longer frozen. It is now trained together with the new classes { $names }.
story-together = The PET ({ $pet }) and the weights of the classes { $names } are trained together.
story-accumulation-head = Accumulation.
story-copy = The offline PET ({ $pet }) starts as a copy of the online PET when the second task begins.
story-accumulation-off = Off: the offline PET ({ $pet }) keeps its state after the first task.
story-online-alone = Off: only the online PET ({ $pet }) is used.
story-accumulation = After every step, the offline PET ({ $pet }) moves { $step } % towards the online PET; over a whole task, { $whole }.
story-ensemble-head = Ensemble.
story-ensemble = Both experts process each image; the more confident one answers.
story-ensemble-offline = Off: only the offline expert answers.
story-ensemble-online = Off: only the online expert answers.
story-done-head = Done.
story-all-in-all = Summary.
story-done = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}, { $right } of the test images of all classes are classified correctly; forgetting is { $forgotten } points. Open Predict to follow an image through the tasks.
story-done-unmeasured = The images of earlier tasks were not available, so accuracy was not measured. Open Predict to follow an image through the tasks.
story-added-task-head = Added task.
story-added-task = Test images of { $names }: { $new }. Test images of the { $n ->
    [one] { $n } earlier class
   *[other] { $n } earlier classes
}: { $old }.
story-right-of = { $n } of { $of }
story-right-share = { $n } of { $of } ({ $share })
story-right-now = { $after } correct, { $before } before
story-right = { $after } correct
story-right-unknown = no test images available
story-backbone-head = Backbone.
story-backbone = The features of this backbone separate these classes poorly: nearest class mean without training classifies { $share } of a sample of the { $on ->
    [validation] validation
   *[test] test
} images correctly. { $name } usually gives better results.
story-never = { $n } of { $of ->
    [one] { $of } class
   *[other] { $of } classes
} { $n ->
    [one] is
   *[other] are
} never recognised.
story-rarely = { $n } of { $of ->
    [one] { $of } class
   *[other] { $of } classes
} { $n ->
    [one] is
   *[other] are
} rarely recognised.
story-missed-class = { $name }: { $right } of { $of } correct, { $times } classified as { $taken_for }
story-missed-more = And { $n } more.

# The log.
story-log-started = { $classes ->
    [one] { $classes } class
   *[other] { $classes } classes
} in { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} on { $device }
story-log-taken-up = resumed after task { $n }
story-log-saved = { $what } saved, { $size }
story-log-stopped-added = stopped; the added task was undone
story-log-stopped = stopped and saved; it can be resumed
story-log-not-begun = stopped before it started
story-log-resumed = resumed
story-log-testing = task { $n }: testing
story-log-measuring = task { $n }: processing the training images of { $names }
story-log-begins = task { $n } starts: { $names }
story-log-moves = PET training starts
story-log-measured = task { $n }: { $each }

# Messages about runs.
story-in-folder = in { $folder }
story-read-only = This run is in a read-only folder
story-data-missing = the dataset of this run is not available
story-check = Check of { $name }
story-check-again = Retraining { $name }
story-told-waits = { $title } is already in the queue
story-told-removed = { $title } was removed from the queue
story-told-start-again = start it again from Experiment
story-told-left-waiting = runs from the last session are still in the queue
story-told-left-waiting-advice = open Train to resume the queue or remove them
story-told-searched = to run the selected settings on the test images, use Open grid…
story-told-grid-stopped = { $title } was stopped
story-told-grid-stopped-advice = start it again to continue: finished runs are not repeated
story-told-grid-done = { $title } is finished: { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
story-told-packed = run packed without images and paths, but with class names and notes
story-told-packed-advice = the images of its added tasks are not included: after unpacking, the run can predict but cannot learn further tasks
story-told-unpacked = { $name } was added to the runs
story-told-repeats = it reproduces { $name }
story-told-report = report saved
story-told-figure = figure saved
story-told-table = table saved
story-told-left-out = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} could not be read
story-told-model = model exported with all required files
story-told-model-advice = its README.md explains how to use it
story-told-no-task = this run has no finished task yet
story-told-no-table = none of these runs has a finished task
story-told-no-table-advice = train one, or select other runs
