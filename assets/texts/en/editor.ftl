# The plugin that is being written, and what it means.

editor-text = The text
editor-offered = Tab takes the first, arrows choose, Esc closes
editor-foreign = This plugin is not installed yet
editor-foreign-text = It lies at { $place }. What it would do stands beside its text; Install puts a copy among your plugins.
editor-hides = This would take the place of the built-in { $name }
editor-hides-text = Every run with this name would train this text instead. Give it another name, or allow it: that is kept.
editor-hides-allow = Let it take the place of { $name }
editor-theirs = Another program changed this file
editor-theirs-take = Take its text
editor-theirs-keep = Keep mine
editor-nameless = no name yet
editor-unsaved = not saved yet
editor-changed = changed since it was saved
editor-saved = saved
editor-install = Install
editor-save = Save
editor-use-hint = Saves it and chooses it on Experiment
editor-duplicate = Duplicate
editor-show = Show file
editor-find = Find
editor-close = Close
editor-close-hint = Back to the list

# Finding and replacing.
editor-find-what = find
editor-find-next = Next
editor-find-by = replace by
editor-find-replace = Replace
editor-find-all = Replace all
editor-find-count = { $n ->
    [0] not there
    [1] once
   *[other] { $n } times
}

# What it means.
editor-meaning-last = Below is what the last sound text means.
editor-checking = Being checked …
editor-sound = Nothing is wrong with it
editor-mistakes = { $n ->
    [one] { $n } mistake
   *[other] { $n } mistakes
}
editor-mistake-place = line { $line }, column { $column }
editor-mistake-mend = Write { $text }
editor-on = On { $backbone }
editor-on-trained = { $n ->
    [one] { $n } value trained in { $carry } of { $all } blocks, { $kilobytes } kB.
   *[other] { $n } values trained in { $carry } of { $all } blocks, { $kilobytes } kB.
}
editor-on-fixed = { $n ->
    [one] { $n } value stays as it begins.
   *[other] { $n } values stay as they begin.
}
editor-on-memory = A training step with the settings on Experiment takes about { $megabytes } MB more than the network alone.
editor-on-identity = It starts as the identity: a fresh one changes nothing.
editor-on-no-identity = It does not start as the identity: a fresh one changes what the network says.
editor-on-folds = It is linear at { $sites }: where many pictures are predicted, it becomes part of the frozen weights there.
editor-on-shapes = Shapes for one picture of { $n } tokens
editor-on-block = The block, with the plugin at { $sites }
editor-measured = Tried out
editor-measured-waiting = It is tried once the text has been still for a moment …
editor-measured-again = being tried anew …
editor-measured-costs = On the embedded network and the processor here, { $n } pictures: a prediction takes { $with } ms instead of { $plain } ms, and finding the gradients of a training step { $step } ms. A larger network differs.
editor-learns-fixed = fixed
editor-learns-never = no gradient ever reaches it
editor-learns-first = learns from the first step on
editor-learns-second = learns from the second step on

# Trying it beside Adapter.
editor-try = Try it
editor-try-about = Trains it for some twenty seconds on the embedded digits beside Adapter, each with its usual size.
editor-try-waiting = Waiting for its turn …
editor-try-stop = Stop
editor-try-right = right
editor-try-forgotten = forgotten
editor-try-seconds = time
editor-try-judged = Right answers about { $n } pictures held back from training; so few, and one seed, tell little differences not apart.
editor-try-losses = Loss over steps of both

# Names that are offered while one is typed, each with what it is.
editor-name-parameter = parameter
editor-name-begins = { $shape }, begins as { $init }
editor-name-weight = d_in × d_out, the frozen weight
editor-name-heads = heads × tokens × head_width
editor-name-stream = tokens × channels
editor-key-shape = two sizes
editor-key-init = how it begins
editor-key-fixed = never trained
editor-key-per-site = one for every site
editor-key-shared = one for all blocks
editor-key-line = one line
editor-key-default = unless chosen
editor-key-min = smallest
editor-key-max = largest
editor-key-symbol = its name in equations
editor-key-every = all sites without one of their own
editor-key-name = what people call it
editor-key-description = one paragraph
editor-key-reference = the paper
editor-key-sites = where it acts

# Names that the program gives.
editor-called = Mine
editor-called-my = My { $name }
editor-called-copy = { $name } copy
editor-problem-nameless = the text says no name, and a file needs one
editor-problem-nameless-try = write name = "…" in its first line
