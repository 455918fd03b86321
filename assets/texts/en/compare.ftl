# The page Compare.

compare-last = Final accuracy
compare-average = Average accuracy
compare-forgetting = Forgetting
compare-interval = 95 % interval
compare-online = online
compare-offline = offline
compare-task-given = task given
compare-first-runs = Comparing the first { $most } of { $n } runs.
compare-none = No runs yet
compare-none-about = Every run you train is saved and listed here
compare-folders = Other folders…
compare-folders-of = Other folders ({ $n })…
compare-deleted = Deleted runs…
compare-view-mode = view
compare-side-by-side = Side by side
compare-table = Table

# The list.
compare-runs = Runs
compare-count-of = { $n } of { $of }
compare-filter = Filter
compare-filter-name = Filter runs
compare-filter-hint = Words of a name, tag, note, method, dataset or setting; or a condition: final > 85 and method = l2p
compare-reload = Reload
compare-none-found = No run matches
compare-export = Export…
compare-export-hint = Exports a report, table or figure of the selected runs, or of all listed runs
compare-report = Report (.html)
compare-report-hint = A web page with figures, curves, matrices, images, settings and hashes
compare-svg = Curves (.svg)
compare-svg-hint = Accuracy over tasks as vector graphics, for papers and slides
compare-pdf = Curves (.pdf)
compare-pdf-hint = The same for LaTeX, with text as outlines
compare-png = Curves (.png)
compare-png-hint = The same as a raster image
compare-latex = Table for LaTeX (.tex)
compare-latex-hint = Mean ± std over class orders and seeds, with booktabs
compare-markdown = Table for Markdown (.md)
compare-markdown-hint = Mean ± std over class orders and seeds
compare-csv = All results (.csv)
compare-csv-hint = One row for each run, task and expert, for spreadsheets
compare-selected = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} selected
compare-selected-tags = Tags…
compare-selected-delete = Delete
compare-selected-read-only = At least one of these runs is in a read-only folder
compare-clear-selection = Clear selection
compare-key-delete = Delete

# A run in the list.
compare-select-run = Select { $name }
compare-select-hint = Click to select, double-click to open; { $key }+click adds a run, Shift+click a range. Right-click for all actions
compare-read-only = read-only
compare-stopped-after = stopped after { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
compare-running = running
compare-damaged = cannot be read
compare-tag-hint = Shows the runs with this tag
compare-open = Open
compare-predict = Predict
compare-duplicate = Duplicate
compare-name-run = Name…
compare-delete = Delete
compare-more = More
compare-pack-run = Pack into one file…
compare-check-run = Check…
compare-retrain = Train again and compare

# Side by side.
compare-select-runs = Select runs to compare them.
compare-not-comparable = Not comparable
compare-not-comparable-about = These runs differ from { $name } in data or tasks, so their results are not comparable.
compare-show-instead = Show it instead
compare-other-data = other data ({ $data })
compare-first-task = task 1 is { $names }
compare-other-test-images = other test images
compare-measured-on = measured on { $on ->
    [validation] validation images
   *[test] test images
}
compare-curves-name = Accuracy of the selected runs over tasks
compare-run = run
compare-after = after { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
compare-points-forgotten = { $expert }, { $points } points forgotten
compare-differences = What differs
compare-no-differences = Nothing: the same settings, weights and plugin.
compare-weights-hash = weights, SHA-256
compare-precision = precision
compare-plugin-hash = plugin file, SHA-256
compare-first-task-over-time = Task 1 over time
compare-images-of-classes = Images of { $names }.
compare-still-correct = still correct, { $then } at first
compare-first-task-results = Where task 1 is { $names }: { $words }
compare-same-task-count-only = Only runs that learned the same number of tasks of the same data are compared.
compare-same-class-order-only = In another class order, task 1 has other images: only runs of the same order are compared.
compare-both-still-recognise = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} { $best } and { $worst } both still recognise { $share } of task 1.
compare-still-recognise = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} { $best } still recognises { $most } of task 1, { $worst } { $least }.
compare-still-recognise-only = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} { $best } still recognises { $most } of task 1, { $worst } only { $least }.
compare-image-by-image = Image by image
compare-paired-images-unknown = { $one } and { $other }: not compared, because { $older } does not store which images it was tested on (it is from an older version).
compare-paired-other-images = { $one } and { $other }: not compared, because they were tested on different images.
compare-paired-same-images = Of { $n ->
    [one] { $n } image
   *[other] { $n } images
}, { $one } and { $other } are correct on the same ones.
compare-paired-unlikely-chance = On { $differing } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} only one of the two is correct, { $one } on { $first } and { $other } on { $second }: { $p }, so the difference is unlikely to be due to the choice of test images.
compare-paired-maybe-chance = On { $differing } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} only one of the two is correct, { $one } on { $first } and { $other } on { $second }: { $p }, so the difference may be due to the choice of test images.
compare-mcnemar = McNemar's test of these trained runs only; other seeds and class orders may give other results.
compare-mcnemar-many-comparisons = McNemar's test of these trained runs only; other seeds and class orders may give other results. Of 20 comparisons of equally good runs, about one has p < 0.05 by chance.

# Cost of runs.
compare-cost = cost
compare-images-shown = images shown
compare-images-shown-hint = Training images that went through the network, including repetitions
compare-epochs = epochs
compare-epochs-hint = Per task, for methods that train in epochs
compare-trainable-parameters = trainable
compare-trainable-parameters-hint = Trainable parameters without heads; for LAE, those of one expert's PETs
compare-stored-parameters = stored
compare-stored-parameters-hint = Parameters stored for predictions after the last task
compare-learning-memory = memory
compare-learning-memory-hint = Data kept to learn the next task, in addition to the network
compare-training-time = training time
compare-training-time-hint = Training time of all tasks, without testing
compare-time-per-image = per image
compare-time-per-image-hint = Mean time to predict one image

# The table.
compare-table-runs = Runs
compare-table-run = Run
compare-table-row = Row
compare-table-tasks = Tasks
compare-table-all-tasks = all
compare-table-measured-on = Measured on
compare-table-pairs = Pairs
compare-table-difference = Difference
compare-table-against = { $figure } vs. { $of }
compare-default-columns = Default columns
compare-building-table = Building the table.
compare-mean-and-band = Mean over the runs of a row; the band is one standard deviation.
compare-table-curves-name = Accuracy of the selected rows over tasks
compare-rows = { $n ->
    [one] { $n } row
   *[other] { $n } rows
}
compare-group-by = Group by
compare-group-by-hint = Runs with the same values of these settings share a row: mean ± std
compare-columns = Columns
compare-published = Published results
compare-published-hint = Adds the paper's results to rows with the same data, network, method and PET
compare-unfinished = Unfinished runs
compare-unfinished-hint = Adds runs that have not learned all their tasks, in separate rows; their final accuracy is over fewer classes
compare-unfinished-not-shown = { $n ->
    [one] { $n } unfinished run is not shown
   *[other] { $n } unfinished runs are not shown
}
compare-seed-without-effect = { $title } uses no random numbers: runs that differ only in the seed are counted once
compare-stop-comparing = Stop comparing
compare-copy-tabs = For a spreadsheet
compare-copy-markdown = As Markdown
compare-copy-latex = As LaTeX
compare-all-rows-share = All rows: { $each }
compare-mixed-settings = Means include runs that differ in other settings; group by them:
compare-sort = Click to sort
compare-plot = Plot { $name }
compare-more-actions = More actions for { $name }
compare-rows-with-this = Compare all rows with this one
compare-runs-side-by-side = Compare its { $n ->
    [one] { $n } run
   *[other] { $n } runs
} side by side
