# The page Compare.

compare-last = A_N
compare-average = Ā_N
compare-forgetting = F_N
compare-interval = 95 % of A_N
compare-online = online
compare-offline = offline
compare-task-given = task given
compare-no-room = Of the { $n } runs the first { $most } are compared: there is room for no more.
compare-none = No runs yet
compare-none-text = Every run you train is kept and listed here
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
compare-filter-hint = Words of a name, tag or note, of method, data or settings; or a condition: final > 85 and method = l2p
compare-reload = Reload
compare-none-found = No run has these words and tags
compare-export = Export…
compare-export-hint = Write a report, table or figure of the chosen runs, or of all that are listed
compare-report = Report (.html)
compare-report-hint = One page with figures, curves, matrices, pictures, settings and hashes; it opens in the browser
compare-svg = Curves (.svg)
compare-svg-hint = Accuracy over tasks as a drawing, for papers and slides
compare-pdf = Curves (.pdf)
compare-pdf-hint = The same for LaTeX, with letters as outlines
compare-png = Curves (.png)
compare-png-hint = The same as a picture of pixels
compare-latex = Table for LaTeX (.tex)
compare-latex-hint = Mean ± std over class orders and seeds, with booktabs
compare-markdown = Table for Markdown (.md)
compare-markdown-hint = Mean ± std over class orders and seeds
compare-csv = All figures (.csv)
compare-csv-hint = A row for each run, task and expert, for spreadsheets
compare-chosen = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} chosen
compare-chosen-tag = Tags…
compare-chosen-delete = Delete
compare-chosen-none = Choose none
compare-key-delete = Delete
compare-key-escape = Escape

# A run in the list.
compare-show = Choose { $name }
compare-choose-hint = Click to choose it, twice to open it; { $key } adds one, Shift all up to it. The right button has all that can be done
compare-read-only = read-only
compare-stopped-after = stopped after { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
compare-busy = at work
compare-damaged = cannot be read
compare-tag-hint = Show the runs of this tag
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
compare-tick = Choose runs to compare them.
compare-unequal = Not side by side
compare-unequal-text = These runs have other tasks than { $name }, so their figures say nothing beside its.
compare-show-instead = Show it instead
compare-other-data = other data ({ $data })
compare-first-task = task 1 is { $names }
compare-other-test = other test pictures
compare-measured-on = measured on { $on ->
    [validation] validation
   *[test] test
}
compare-curves-name = Accuracy of the chosen runs over tasks
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
compare-became = What became of task 1
compare-images-of = Images of { $names }.
compare-still-right = still right, { $then } at first
compare-where = Where task 1 is { $names }: { $words }
compare-only-as-many = Only runs that learned as many tasks of the same data are compared.
compare-only-same-order = Task 1 holds other images in another class order: only runs of the same order are compared.
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
compare-paired-older = { $one } and { $other }: not compared, since { $older } does not tell which images it was tested on (it is of an older version).
compare-paired-other = { $one } and { $other }: not compared, since they were tested on other images.
compare-paired-same = { $one } and { $other } are right on the same of the { $n ->
    [one] { $n } image
   *[other] { $n } images
}.
compare-paired-differ = On { $differing } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} only one of the two is right, { $one } on { $first } and { $other } on { $second }: { $p }, so chance in the choice of images hardly explains the difference.
compare-paired-chance = On { $differing } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} only one of the two is right, { $one } on { $first } and { $other } on { $second }: { $p }, so chance in the choice of images may well explain the difference.
compare-mcnemar = McNemar's test of these trained runs alone: other seeds and class orders may say otherwise.
compare-mcnemar-of-many = McNemar's test of these trained runs alone: other seeds and class orders may say otherwise. Of 20 comparisons of equally good runs one comes below 0.05 by chance.

# What runs cost.
compare-cost = what it cost
compare-images-shown = images shown
compare-images-shown-hint = Training images that went through the network, each showing counted
compare-epochs = epochs
compare-epochs-hint = Per task, for methods that train in epochs
compare-trained = trained
compare-trained-hint = Numbers that are trained, heads not counted; for LAE in the PETs of one expert
compare-kept-to-answer = stored
compare-kept-to-answer-hint = Numbers stored for predictions after the last task
compare-kept-to-learn = memory
compare-kept-to-learn-hint = Memory that learning the next task needs beside the network
compare-training = training
compare-training-hint = Time of training on all tasks, without testing
compare-one-image = one image
compare-one-image-hint = Time to answer one image, on average

# The table.
compare-usual-columns = Usual columns
compare-table-made = The table is being made.
compare-band = Mean over the runs of a row; the band is one standard deviation.
compare-table-curves-name = Accuracy of the chosen rows over tasks
compare-rows = { $n ->
    [one] { $n } row
   *[other] { $n } rows
}
compare-group-by = Group by
compare-group-by-hint = Runs with the same values of these stand in one row: mean ± std
compare-columns = Columns
compare-published = Published
compare-published-hint = The figures of the paper beside rows of the same data, network, method and PET
compare-unfinished = Unfinished runs
compare-unfinished-hint = Also runs that have not learned all of their tasks, in rows of their own: their A_N is that of fewer classes
compare-left-out = { $n ->
    [one] { $n } run that is not finished is left out
   *[other] { $n } runs that are not finished are left out
}
compare-seedless = { $title } uses no random numbers: runs that differ only in the seed count as one
compare-against-none = Against no row
compare-copy-tabs = For a spreadsheet
compare-copy-markdown = As Markdown
compare-copy-latex = As LaTeX
compare-common = All rows: { $each }
compare-mixed = Means are also taken over runs that differ in other settings; group by them:
compare-sort = Click to sort by it
compare-draw = Draw { $name }
compare-more-on = More on { $name }
compare-against = Hold all rows against this one
compare-lay = Lay its { $n ->
    [one] { $n } run
   *[other] { $n } runs
} side by side
