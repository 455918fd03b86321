# What happens in a run, and what became of it.

stage-running = running
stage-paused = paused
stage-finished = finished
stage-stopped = stopped
stage-failed = failed
story-failed-head = Failed.
story-stopped-head = Stopped.
story-not-begun = The run had not begun; nothing was saved.
story-stopped = { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} learned and saved. Resume goes on from the last finished epoch.
story-paused-head = Paused.
story-paused = Training waits between two batches. Predictions still work.
story-preparing-head = Preparing.
story-waiting-head = Waiting.
story-waiting = The engine has not begun this run yet.
story-testing-head = Testing.
story-testing = Every { $on ->
    [validation] validation
   *[test] test
} image of the { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} taught so far is answered, one image at a time.
story-testing-experts = Every { $on ->
    [validation] validation
   *[test] test
} image of the { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} taught so far is answered by both experts, one image at a time.
story-measuring-head = Measuring.
story-measuring = The network looks at every training image of { $names } once; its weights stay as they are.
story-training-head = Training.
story-method = { $method }: { $does }. Now it learns { $names }.
story-learning-head = Learning.
story-frozen = The PET ({ $pet }) is frozen for { $n ->
    [one] { $n } epoch
   *[other] { $n } epochs
} more: only the weights of the new classes { $names } move, so old knowledge is safe while they settle.
story-settled = The new classes { $names } have settled; now the PET ({ $pet }) moves with them, gently enough to keep what it knows.
story-together = The PET ({ $pet }) and the weights of the classes { $names } are trained together.
story-accumulation-head = Accumulation.
story-copy = The offline PET ({ $pet }) begins as a copy of the online one when the second task starts.
story-accumulation-off = Off: the offline PET ({ $pet }) stays as it was after the first task.
story-online-alone = Off: there is only the online PET ({ $pet }).
story-accumulation = After every step the offline PET ({ $pet }) moves { $step } % of the way towards the online one. A whole task carries it { $whole } of the way.
story-ensemble-head = Ensemble.
story-ensemble = Each picture goes through both experts; the more certain one answers.
story-ensemble-offline = Off: the offline expert answers alone.
story-ensemble-online = Off: the online expert answers alone.
story-done-head = Done.
story-all-in-all = All in all.
story-done = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} the answers are right for { $right } of the test images of all classes; { $forgotten } points of what was once known are forgotten. Open Predict to watch an image through the tasks.
story-done-unmeasured = The images of its earlier tasks were not at hand, so it cannot be said how many answers are right. Open Predict to watch an image through the tasks.
story-added-task-head = Added task.
story-added-task = Of the test pictures of { $names }: { $new }. Of those of the { $n ->
    [one] { $n } class
   *[other] { $n } classes
} before: { $old }.
story-right-of = { $n } of { $of }
story-right-share = { $n } of { $of } ({ $share })
story-right-now = { $after } are right, { $before } were before
story-right = { $after } are right
story-right-unknown = no test picture was at hand
story-backbone-head = Backbone.
story-backbone = This backbone tells these classes apart badly: a nearest class mean on its features, without any training, gets { $share } of a sample of the { $on ->
    [validation] validation
   *[test] test
} images right. A { $name } usually helps.
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
story-missed-class = { $name }: { $right } of { $of }, { $times } taken for { $taken_for }
story-missed-more = And { $n } more.

# The log.
story-log-started = { $classes ->
    [one] { $classes } class
   *[other] { $classes } classes
} in { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} on { $device }
story-log-taken-up = taken up after task { $n }
story-log-saved = { $what } saved, { $size }
story-log-stopped-added = stopped; the run is as it was before the added task
story-log-stopped = stopped and saved; it can be continued
story-log-not-begun = stopped before it had begun
story-log-resumed = resumed
story-log-testing = task { $n } is being tested
story-log-measuring = task { $n }: the training images of { $names } are measured
story-log-begins = task { $n } begins: { $names }
story-log-moves = the PET moves from here on
story-log-measured = task { $n }: { $each }

# What is told of runs.
story-in-folder = in { $folder }
story-read-only = This run lies in a folder that can only be read
story-data-missing = the data set of this run is not at hand
story-check = Check of { $name }
story-check-again = Training again: { $name }
story-told-waits = { $title } waits in the queue already
story-told-removed = { $title } was removed from the queue
story-told-start-again = start it again from Experiment
story-told-left-waiting = runs wait in the queue from the last time
story-told-left-waiting-advice = Train shows them: resume the queue, or remove them
story-told-searched = Open grid… runs what was chosen on the test pictures
story-told-grid-stopped = { $title } was stopped
story-told-grid-stopped-advice = start it again to go on: what is there is not run again
story-told-grid-done = { $title } is done: { $n ->
    [one] { $n } run is
   *[other] { $n } runs are
} there
story-told-packed = the run is packed: it has no pictures and no paths, but names of classes and what was said of it
story-told-packed-advice = the pictures of its added tasks stay here: unpacked, it answers, but learns no further task
story-told-unpacked = { $name } is among the runs
story-told-repeats = it repeats { $name }
story-told-report = the report is written
story-told-figure = the figure is written
story-told-table = the table is written
story-told-left-out = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} could not be read
story-told-model = the model is written, with all it needs
story-told-model-advice = its README.md says how it is used
story-told-no-task = this run has not finished a task yet
story-told-no-table = none of these runs has a finished task
story-told-no-table-advice = train one, or look for others
