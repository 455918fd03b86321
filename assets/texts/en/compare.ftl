# The page Compare.

compare-last = A_N
compare-average = Ā_N
compare-forgetting = F_N
compare-interval = 95 % of A_N
compare-online = online
compare-offline = offline
compare-task-given = task given
compare-no-room = Comparing the first { $most } of { $n } runs.
compare-none = No runs yet
compare-none-text = Every run you train is saved and listed here
compare-folders = Other folders…
compare-folders-of = Other folders ({ $n })…
compare-deleted = Deleted runs…
compare-view = view
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
compare-png-hint = The same as a pixel image
compare-latex = Table for LaTeX (.tex)
compare-latex-hint = Mean ± std over class orders and seeds, with booktabs
compare-markdown = Table for Markdown (.md)
compare-markdown-hint = Mean ± std over class orders and seeds
compare-csv = All results (.csv)
compare-csv-hint = One row for each run, task and expert, for spreadsheets
compare-chosen = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} selected
compare-chosen-tag = Tags…
compare-chosen-delete = Delete
compare-chosen-none = Clear selection
compare-key-delete = Delete
compare-key-escape = Escape

# A run in the list.
compare-show = Select { $name }
compare-choose-hint = Click to select, double-click to open; { $key }+click adds a run, Shift+click a range. Right-click for all actions
compare-read-only = read-only
compare-stopped-after = stopped after { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
compare-busy = running
compare-damaged = cannot be read
compare-tag-hint = Shows the runs with this tag
compare-open = Open
compare-predict = Predict
compare-duplicate = Duplicate
compare-name = Name…
compare-delete = Delete
compare-more = More
compare-pack = Pack into one file…
compare-check = Check…
compare-train-again = Train again and compare

# Side by side.
compare-tick = Select runs to compare them.
compare-unequal = Not comparable
compare-unequal-text = These runs differ from { $name } in data or tasks, so their results are not comparable.
compare-show-instead = Show it instead
compare-other-data = other data ({ $data })
compare-first-task = task 1 is { $names }
compare-other-test = other test images
compare-measured-on = measured on { $on ->
    [validation] validation
   *[test] test
}
compare-curves-name = Accuracy of the selected runs over tasks
compare-run = run
compare-after = after { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
compare-points-forgotten = { $expert }, { $points } points forgotten
compare-differs = What differs
compare-differs-nothing = Nothing: the same settings, weights and plugin.
compare-weights = weights, SHA-256
compare-precision = precision
compare-plugin = plugin file, SHA-256
compare-became = Task 1 over time
compare-images-of = Images of { $names }.
compare-still-right = still correct, { $then } at first
compare-where = Where task 1 is { $names }: { $words }
compare-only-as-many = Only runs that learned the same number of tasks of the same data are compared.
compare-only-same-order = In another class order, task 1 has other images: only runs of the same order are compared.
compare-both-still = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} { $best } and { $worst } both still recognise { $share } of task 1.
compare-still = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} { $best } still recognises { $most } of task 1, { $worst } { $least }.
compare-still-only = After { $n ->
    [one] { $n } task
   *[other] { $n } tasks
} { $best } still recognises { $most } of task 1, { $worst } only { $least }.
compare-paired = Image by image
compare-paired-older = { $one } and { $other }: not compared, because { $older } does not store which images it was tested on (it is from an older version).
compare-paired-other = { $one } and { $other }: not compared, because they were tested on different images.
compare-paired-same = { $one } and { $other } are correct on the same images out of { $n ->
    [one] { $n }
   *[other] { $n }
}.
compare-paired-differ = On { $differing } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} only one of the two is correct, { $one } on { $first } and { $other } on { $second }: { $p }, so the difference is unlikely to come from the choice of images.
compare-paired-chance = On { $differing } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} only one of the two is correct, { $one } on { $first } and { $other } on { $second }: { $p }, so the difference may come from the choice of images.
compare-mcnemar = McNemar's test of these trained runs only; other seeds and class orders may give other results.
compare-mcnemar-of-many = McNemar's test of these trained runs only; other seeds and class orders may give other results. Of 20 comparisons of equally good runs, one is below 0.05 by chance.

# Cost of runs.
compare-cost = cost
compare-images-shown = images shown
compare-images-shown-hint = Training images that went through the network, including repetitions
compare-epochs = epochs
compare-epochs-hint = Per task, for methods that train in epochs
compare-trained = trained
compare-trained-hint = Trainable parameters without heads; for LAE, of the PETs of one expert
compare-kept-to-answer = stored
compare-kept-to-answer-hint = Parameters stored for predictions after the last task
compare-kept-to-learn = memory
compare-kept-to-learn-hint = Memory for learning the next task, in addition to the network
compare-training = training
compare-training-hint = Training time of all tasks, without testing
compare-one-image = one image
compare-one-image-hint = Mean time to predict one image

# The table.
compare-usual-columns = Default columns
compare-table-made = Building the table.
compare-band = Mean over the runs of a row; the band is one standard deviation.
compare-table-curves-name = Accuracy of the selected rows over tasks
compare-rows = { $n ->
    [one] { $n } row
   *[other] { $n } rows
}
compare-group-by = Group by
compare-group-by-hint = Runs with the same values of these settings share a row: mean ± std
compare-columns = Columns
compare-published = Published
compare-published-hint = Adds the paper's results to rows with the same data, network, method and PET
compare-unfinished = Unfinished runs
compare-unfinished-hint = Adds runs that have not learned all their tasks, in separate rows; their A_N is over fewer classes
compare-left-out = { $n ->
    [one] { $n } unfinished run is not shown
   *[other] { $n } unfinished runs are not shown
}
compare-seedless = { $title } uses no random numbers: runs that differ only in the seed count as one
compare-against-none = Stop comparing
compare-copy-tabs = For a spreadsheet
compare-copy-markdown = As Markdown
compare-copy-latex = As LaTeX
compare-common = All rows: { $each }
compare-mixed = Means include runs that differ in other settings; group by them:
compare-sort = Click to sort
compare-draw = Plot { $name }
compare-more-on = More actions for { $name }
compare-against = Compare all rows with this one
compare-lay = Compare its { $n ->
    [one] { $n } run
   *[other] { $n } runs
} side by side
