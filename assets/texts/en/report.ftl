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
report-less-is-better = lower is better
report-several-runs = Several runs: mean ± sample standard deviation over class orders and seeds.
report-experiment = experiment
report-runs = runs
report-numbers = Numbers
report-published = Comparison with published results
report-published-as = published as
report-there = { $figure } published
report-here-there = this report − published
report-differs = differences
report-table = table { $table }
report-left-out = { $n ->
    [one] { $n } more run
   *[other] { $n } more runs
} in the tables above { $n ->
    [one] has
   *[other] have
} no section here.
report-mistaken = Most frequent confusions
report-taken-for = predicted as
report-images = images
report-begun = { $run }, started { $time }
report-matrix = Accuracy on the images of each task, after each task
report-unreadable = The predictions cannot be read: { $why }.
report-pet = PET source
report-pet-hash = SHA-256 of the PET source
report-answer-of = predictions of
report-the-run = the run
report-confusion = Confusion of the test images after task { $n }
report-classes = Accuracy by class
report-test-images = test images
report-training-images = training images
report-accuracy = accuracy
report-data = Data
report-data-counts = { $classes ->
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
report-of-classes = classes
report-program = program
report-device = device
report-key = experiment key
report-trained = trainable parameters
report-frozen = frozen parameters
report-made-from = Source
report-settings = All settings
