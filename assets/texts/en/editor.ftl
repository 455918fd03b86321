# The plugin editor and its results.

editor-text = Plugin text
editor-offered = Tab inserts, arrow keys select, Esc closes
editor-foreign = This plugin is not installed yet
editor-foreign-text = File: { $place }. Its effect is shown next to the text. Install saves a copy in your plugin folder.
editor-hides = This would override the built-in plugin { $name }
editor-hides-text = All runs that use this name would then train this plugin. Give it another name, or allow the override; the choice is saved.
editor-hides-allow = Override { $name }
editor-theirs = The file has changed on disk
editor-theirs-take = Reload file
editor-theirs-keep = Keep my version
editor-nameless = Unnamed plugin
editor-unsaved = not saved yet
editor-changed = unsaved changes
editor-saved = saved
editor-install = Install
editor-save = Save
editor-use-hint = Saves the plugin and selects it on the Experiment page
editor-duplicate = Duplicate
editor-show = Show file
editor-find = Find
editor-close = Close
editor-close-hint = Back to the list

# Find and replace.
editor-find-what = Find what
editor-find-next = Next
editor-find-by = Replace with
editor-find-replace = Replace
editor-find-all = Replace all
editor-find-count = { $n ->
    [0] No matches
    [1] 1 match
   *[other] { $n } matches
}

# Results of checking the plugin.
editor-meaning-last = Below: the last version without errors
editor-checking = Checking…
editor-sound = No errors
editor-mistakes = { $n ->
    [one] { $n } error
   *[other] { $n } errors
}
editor-mistake-place = line { $line }, column { $column }
editor-mistake-mend = Change to { $text }
editor-on = On { $backbone }
editor-on-trained = { $n ->
    [one] { $n } trainable parameter in { $carry } of { $all } blocks, { $kilobytes } kB.
   *[other] { $n } trainable parameters in { $carry } of { $all } blocks, { $kilobytes } kB.
}
editor-on-fixed = { $n ->
    [one] { $n } fixed parameter keeps its initial value.
   *[other] { $n } fixed parameters keep their initial values.
}
editor-on-memory = With the settings on the Experiment page, a training step takes about { $megabytes } MB more than the backbone alone.
editor-on-identity = It starts as the identity: before training, it does not change the output.
editor-on-no-identity = It does not start as the identity: it changes the output even before training.
editor-on-folds = It is linear at { $sites }: when many images are predicted, it is merged into the frozen weights there.
editor-on-shapes = Shapes for one image of { $n } tokens
editor-on-block = Block with the plugin at { $sites }
editor-measured = Measurements
editor-measured-waiting = Starts when you stop typing…
editor-measured-again = Measuring again…
editor-measured-costs = With { $n } images on the embedded network and this CPU, a prediction takes { $with } ms instead of { $plain } ms, and the gradients of a training step take { $step } ms. Larger networks differ.
editor-learns-fixed = fixed
editor-learns-never = never receives a gradient
editor-learns-first = learns from the first step
editor-learns-second = learns from the second step

# Comparison with Adapter.
editor-try = Try it
editor-try-about = Trains this plugin and Adapter for about 20 seconds on the embedded digits, each at its default size.
editor-try-waiting = Waiting in the queue …
editor-try-stop = Stop
editor-try-right = accuracy
editor-try-forgotten = forgetting
editor-try-seconds = time
editor-try-judged = Accuracy on { $n } images held out from training. With so few images and one seed, small differences mean nothing.
editor-try-losses = Loss per step of both plugins

# Completions, each with a description.
editor-name-parameter = parameter
editor-name-begins = { $shape }, initial value { $init }
editor-name-weight = d_in × d_out, frozen weight
editor-name-heads = heads × tokens × head_width
editor-name-stream = tokens × channels
editor-key-shape = rows and columns
editor-key-init = initial value
editor-key-fixed = not trained
editor-key-per-site = one copy per site
editor-key-shared = one copy for all blocks
editor-key-line = description in one line
editor-key-default = default value
editor-key-min = smallest value
editor-key-max = largest value
editor-key-symbol = name in equations
editor-key-every = all sites without their own equation
editor-key-name = display name
editor-key-description = description in one paragraph
editor-key-reference = paper
editor-key-sites = where the plugin acts

# Default names.
editor-called = Mine
editor-called-my = My { $name }
editor-called-copy = { $name } copy
editor-problem-nameless = the plugin has no name
editor-problem-nameless-try = write name = "…" in the first line
