# The report of runs.

report-compared = { $n ->
    [one] { $n } experiment
   *[other] { $n } experiments
} compared
report-about = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} of LAE Studio { $version }. Accuracies are in percent.
report-more-figures = More metrics and their definitions
report-lower-is-better = lower is better
report-several-runs = Several runs: mean ± sample standard deviation over class orders and seeds.
report-experiment = experiment
report-runs = runs
report-numbers = Numbers
report-published = Comparison with published results
report-published-as = published as
report-published-figure = { $figure }, published
report-minus-published = this report − published
report-differences = differences
report-table-number = table { $table }
report-more-runs = { $n ->
    [one] { $n } more run
   *[other] { $n } more runs
} in the tables above { $n ->
    [one] has
   *[other] have
} no section here.
report-most-frequent-confusions = Most frequent confusions
report-predicted-as = predicted as
report-images = images
report-run-started = { $run }, started { $time }
report-accuracy-per-task = Accuracy on the images of each task, after each task
report-predictions-unreadable = The predictions cannot be read: { $why }.
report-pet-source = PET source
report-pet-hash = SHA-256 of the PET source
report-predictions-of = predictions of
report-run = the run
report-confusion = Confusion of the test images after task { $n }
report-accuracy-by-class = Accuracy by class
report-test-images = test images
report-training-images = training images
report-accuracy = accuracy
report-data = Data
report-dataset-counts = { $classes ->
    [one] { $classes } class
   *[other] { $classes } classes
} in { $tasks ->
    [one] { $tasks } task
   *[other] { $tasks } tasks
}, { $train ->
    [one] { $train } training image
   *[other] { $train } training images
}, { $test ->
    [one] { $test } test image
   *[other] { $test } test images
}.
report-tasks = Tasks
report-task = task
report-task-classes = classes
report-program = program
report-device = device
report-key = experiment key
report-trainable-parameters = trainable parameters
report-frozen-parameters = frozen parameters
report-source = Source
report-all-settings = All settings
