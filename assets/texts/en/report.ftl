# The report of runs.

report-compared = { $n ->
    [one] { $n } experiment
   *[other] { $n } experiments
} compared
report-about = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} of LAE Studio { $version }. Accuracies are percent.
report-more-figures = More figures, and what they are
report-less-is-better = less is better
report-several-runs = Several runs: mean ± sample standard deviation over class orders and seeds.
report-experiment = experiment
report-runs = runs
report-numbers = The numbers
report-published = Beside published results
report-published-as = published as
report-there = { $figure } there
report-here-there = here − there
report-differs = what differs
report-table = table { $table }
report-left-out = { $n ->
    [one] { $n } more run
   *[other] { $n } more runs
} of the tables above have no section of their own here.
report-mistaken = Mistaken most
report-taken-for = taken for
report-images = images
report-begun = { $run }, begun { $time }
report-matrix = Accuracy on the images of each task, after each task
report-unreadable = Its answers cannot be read: { $why }.
report-pet = The PET's text
report-pet-hash = PET's text, SHA-256
report-answer-of = answer of
report-the-run = the run
report-confusion = What the test images are taken for, after task { $n }
report-classes = Accuracy of each class
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
report-key = key of the experiment
report-trained = trained parameters
report-frozen = frozen parameters
report-made-from = What it was made from
report-settings = All settings
