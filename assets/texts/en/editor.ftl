# The plugin editor and its results.

editor-plugin-text = Plugin text
editor-completion-keys = Tab inserts, arrow keys select, Esc closes
editor-not-installed = This plugin is not installed yet
editor-not-installed-about = File: { $place }. Its effect is shown next to the text. Install saves a copy in your plugin folder.
editor-overrides-built-in = This would override the built-in plugin { $name }
editor-overrides-built-in-about = All runs that use this name would then train this plugin. Give it another name, or allow the override; the choice is saved.
editor-override-allow = Override { $name }
editor-changed-on-disk = The file has changed on disk
editor-reload-file = Reload file
editor-keep-my-version = Keep my version
editor-unnamed = Unnamed plugin
editor-not-saved-yet = not saved yet
editor-unsaved-changes = unsaved changes
editor-saved = saved
editor-install = Install
editor-save = Save
editor-use-hint = Saves the plugin and selects it on the Experiment page
editor-duplicate = Duplicate
editor-show-file = Show file
editor-find = Find
editor-close = Close
editor-close-hint = Back to the list

# Find and replace.
editor-find-what = Find what
editor-find-next = Next
editor-replace-with = Replace with
editor-replace = Replace
editor-replace-all = Replace all
editor-find-count = { $n ->
    [0] No matches
    [1] 1 match
   *[other] { $n } matches
}

# Results of checking the plugin.
editor-last-valid-version = Below: the last version without errors
editor-checking = Checking…
editor-no-errors = No errors
editor-errors = { $n ->
    [one] { $n } error
   *[other] { $n } errors
}
editor-error-place = line { $line }, column { $column }
editor-error-fix = Change to { $text }
editor-on-backbone = On { $backbone }
editor-on-trainable-parameters = { $n ->
    [one] { $n } trainable parameter in { $carry } of { $all } blocks, { $kilobytes } kB.
   *[other] { $n } trainable parameters in { $carry } of { $all } blocks, { $kilobytes } kB.
}
editor-on-fixed-parameters = { $n ->
    [one] { $n } fixed parameter keeps its initial value.
   *[other] { $n } fixed parameters keep their initial values.
}
editor-on-memory = With the settings on the Experiment page, a training step takes about { $megabytes } MB more than the backbone alone.
editor-on-starts-identity = It starts as the identity: before training, it does not change the output.
editor-on-starts-not-identity = It does not start as the identity: it changes the output even before training.
editor-on-merges-weights = It is linear at { $sites }: when many images are classified, it is merged into the frozen weights there.
editor-on-token-shapes = Shapes for one image of { $n } tokens
editor-on-block-sites = Block with the plugin at { $sites }
editor-measurements = Measurements
editor-measurements-waiting = Starts when you stop typing…
editor-measuring-again = Measuring again…
editor-measured-times = With { $n } images on the built-in network and this CPU, a prediction takes { $with } ms instead of { $plain } ms, and the gradients of a training step take { $step } ms. Larger networks differ.
editor-parameter-fixed = fixed
editor-parameter-without-gradient = never receives a gradient
editor-parameter-learns-first-step = learns from the first step
editor-parameter-learns-second-step = learns from the second step

# Comparison with Adapter.
editor-trial = Try it
editor-trial-about = Trains this plugin and Adapter for about 20 seconds on the built-in digits, each at its default size.
editor-trial-queued = Waiting in the queue…
editor-trial-stop = Stop
editor-trial-accuracy = accuracy
editor-trial-forgetting = forgetting
editor-trial-time = time
editor-trial-judged = Accuracy on { $n } images held out from training. With so few images and one seed, small differences are not meaningful.
editor-trial-losses = Loss per step of both plugins

# Completions, each with a description.
editor-name-parameter = parameter
editor-name-initial-value = { $shape }, initial value { $init }
editor-name-frozen-weight = d_in × d_out, frozen weight
editor-name-heads = heads × tokens × head_width
editor-name-tokens = tokens × channels
editor-key-shape = rows and columns
editor-key-init = initial value
editor-key-fixed = not trained
editor-key-per-site = one copy per site
editor-key-shared = one copy for all blocks
editor-key-description-line = description in one line
editor-key-default = default value
editor-key-min = smallest value
editor-key-max = largest value
editor-key-symbol = name in equations
editor-key-other-sites = all sites without their own equation
editor-key-name = display name
editor-key-description = description in one paragraph
editor-key-reference = paper
editor-key-sites = where the plugin acts

# Default names.
editor-default-name = Mine
editor-default-name-of = My { $name }
editor-default-name-copy = { $name } copy
editor-problem-no-name = the plugin has no name
editor-advice-write-name = write name = "…" in the first line
