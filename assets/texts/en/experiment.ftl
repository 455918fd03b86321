# The page Experiment.

experiment-last-crashed = The program crashed last time
experiment-last-run-in-progress = A run was in progress when the window was closed
experiment-earlier-settings-saved = Earlier settings were saved
experiment-last-run-progress = { $n ->
    [one] { $title }: { $done } of { $n } task learned so far.
   *[other] { $title }: { $done } of { $n } tasks learned so far.
}
experiment-last-run-resume = Resume run
experiment-last-not-now = Not now
experiment-crashed-settings = Saved, but not reopened: { $kept }.
experiment-earlier-crash-settings = Saved when the program crashed earlier: { $kept }.
experiment-earlier-run-folders = { $n ->
    [one] one folder of runs
   *[other] { $n } folders of runs
}
experiment-settings-and-folders = { $setup } and { $folders }
experiment-earlier-restore = Restore
experiment-earlier-discard = Discard
experiment-problems-to-fix = { $n ->
    [one] { $n } problem to fix
   *[other] { $n } problems to fix
}
experiment-remarks = { $n ->
    [one] One remark
   *[other] { $n } remarks
}
experiment-one-task = All { $n } classes are in one task, so this run cannot show forgetting: use fewer classes per task to learn in stages.
experiment-use-sizes = Use { $sizes }
experiment-choose = Choose…
experiment-backbone = Backbone
experiment-weights-licence = Licence of the weights
experiment-no-file-chosen = No file chosen yet; still using { $now }.
experiment-weights-file = File…
experiment-weights = Weights
experiment-weights-path = Path to a weight file, then Enter
experiment-weights-name = Weight file
experiment-parameter-count = { $n } parameters
experiment-input-size = input { $size } × { $size }
experiment-block-count = { $n ->
    [one] { $n } block
   *[other] { $n } blocks
}
experiment-note = Note: { $warning }.
experiment-assumed = Assumed: { $what }.
experiment-pretrained-unknown = pre-training data not stated
experiment-pretrained = pre-trained on { $data }
experiment-million-parameters = { $n } M
experiment-download = Download
experiment-download-at-start = { $place }, now or when the run starts
experiment-download-now = Download now
experiment-download-other-running = { $place }; another download is in progress
experiment-downloading = downloading, { $got }
experiment-downloading-of = downloading, { $got } of { $all }
experiment-download-stop = Stop download
experiment-precision = Precision
experiment-precision-hint = Number format of the frozen weights. f16 (for GPUs) and bf16 (for CPUs with native support) halve their memory; PETs, heads, loss and optimiser stay f32.
experiment-backbone-values = Backbone values
experiment-backbone-values-hint = heads=12,normalisation=imagenet
experiment-backbone-values-meaning = Values that neither the weight file nor a config.json next to it contains: heads, activation, epsilon, pool, normalisation (unit, symmetric, imagenet, clip) or mean and std, interpolation, crop_ratio, crop_mode, input_size, rope (eva02, dinov3, pe, axial), window, trained_window
experiment-transform = Image transform
experiment-transform-hint = How images are resized and normalised. As pre-trained: as the backbone's authors did. As in the paper: bilinear, and for ViTs pixels in [0, 1], as LAE's code does.
experiment-transform-pretraining = as pre-trained
experiment-transform-paper = as in the paper
experiment-cpu-f32 = the CPU uses f32
experiment-gpu-f16 = for CPUs; choose f16 for a GPU
experiment-cpu-no-bf16 = this CPU has no native bf16: choose f32
experiment-bf16-gain = matrix products { $gain } × as fast as with f32
experiment-bf16-hint = Measured on this computer. Weights and their inputs are rounded to eight significant bits: features change by about 1 % of the largest value, predictions hardly at all.
experiment-presets = Presets
experiment-presets-about = Each preset fills in all settings; you start the run.
experiment-preset-two-runs = Sets up two runs and compares them
experiment-preset-one-run = Sets up one run
experiment-presets-paper = Experiments of the LAE paper
experiment-presets-six-pets = with six PETs each
experiment-one-run = Run
experiment-grid-of-runs = Grid of runs
experiment-ready = Ready
experiment-not-ready = Not ready yet
experiment-task-count = { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
experiment-image-count = { $n ->
    [one] { $n } image in total
   *[other] { $n } images in total
}
experiment-about-time = about { $time }
experiment-more-problems = and { $n } more to fix
experiment-gpu-memory-short = The GPU has only { $free } free.
experiment-use-micro-batch = { $n ->
    [one] Process { $n } image at a time
   *[other] Process { $n } images at a time
}
experiment-micro-batch-hint = Processes each batch in parts; the result is the same
experiment-weights-downloading = The weights are still downloading
experiment-fix-problems-first = Fix the problems first
experiment-start = Start training
experiment-start-both = Start both runs
experiment-train-baseline-too = Also train the Baseline
experiment-train-baseline-too-hint = Trains the run a second time without protection against forgetting, and compares both
experiment-three-class-orders = Run 3 class orders
experiment-three-class-orders-hint = Trains the run three times, with the paper's class orders where known; Compare shows mean ± std
experiment-copy-command = Copy as command
experiment-trained-at-place = The run is trained at { $place }; times are estimated for this computer.
experiment-run-will-wait = A run is in progress; a new one waits in the queue.
experiment-time-from-last-run = about { $time } (based on your last run)
experiment-time-from-other-runs = about { $time } (based on other runs)
experiment-time-from-speed = about { $time } (from the speed of this computer)
experiment-time-estimate = about { $time } (rough estimate)
experiment-memory-estimate = about { $memory } of memory, plus images
experiment-pet = PET
experiment-method-without-pet = { $method } does not train a PET.
experiment-trainable-parameters = { $n } trainable parameters
experiment-trainable-parameters-share = { $n } trainable parameters, { $share } % of the model
experiment-pet-more = More…
experiment-all-plugins = Show all plugins
experiment-pet-start = Start from a LoRA…
experiment-pet-start-hint = Initialises the PET from a folder saved by the peft library
experiment-pet-starts-from = starts from { $folder }
experiment-pet-start-fresh = Start without LoRA
experiment-pet-size = size
experiment-pet-blocks = blocks
experiment-pet-range = { $least } to { $most }, default { $usual }
experiment-method = Method
experiment-reset-settings = Reset
experiment-fewer-settings = Fewer settings
experiment-more-settings = More settings
experiment-preset-title = Preset: { $title }
experiment-preset-changed = { $title }, changed: { $keys }
experiment-choose-method = choose
experiment-all-images = all
experiment-trial-title = Which method suits these images?
experiment-trial-start = Try methods
experiment-trial-again = Try methods again
experiment-trial-hint = Trains the chosen method, SimpleCIL, RanPAC and LAE on four fifths of the training images and evaluates them on the rest; test images are not used. Takes up to a minute on most computers
experiment-trial-backbone = The backbone limits the accuracy. { $name } usually gives better results.
experiment-trial-queued = Waiting in the queue…
experiment-trial-stop = Stop
experiment-trial-correct = correct
experiment-trial-forgotten = forgotten
experiment-trial-memory = memory
experiment-trial-time = time
experiment-trial-use = Use it
experiment-backbone-trial-title = Which backbone suits these images?
experiment-backbone-trial-start = Try backbones
experiment-backbone-trial-hint = Compares the chosen backbone with the others on this computer, using SimpleCIL on the same split as the method trial
experiment-backbone-trial-job = Backbone trial on { $data }
experiment-several-values = Several values
experiment-several-values-of-field = Several values…
experiment-several-values-about = Try several values of a setting, or open a grid of runs.
experiment-add-setting = Add setting…
experiment-add-setting-name = Choose several values for a setting
experiment-use-single-values = Use single values
experiment-class-order-count = { $n ->
    [one] { $n } class order
   *[other] { $n } class orders
}
experiment-seed-count = { $n ->
    [one] { $n } seed
   *[other] { $n } seeds
}
experiment-values-of = Values of { $setting }
experiment-on = on
experiment-off = off
experiment-use-single-value = Use a single value
experiment-class-orders-hint = class orders: the paper's, then random ones by seed
experiment-seeds-hint = consecutive seeds
experiment-remove-value = Remove { $value }
experiment-another-value = another value
experiment-add-value = Add
experiment-value-invalid = `{ $text }` is not a valid value: give { $range }
experiment-value-already-listed = { $value } is already in the list
experiment-grid-open = Open grid…
experiment-grid-save = Save as grid…
experiment-grid-file = Grid file…
experiment-grid-close = Close
experiment-grid-close-hint = Returns to the settings
experiment-grid-edit = Edit…
experiment-grid-edit-hint = Opens the grid as settings with several values
experiment-grid-searching-runs = Looking for existing runs
experiment-grid-run-done = done
experiment-grid-run-stopped = stopped in task { $task }/{ $tasks }
experiment-grid-run-running = running
experiment-grid-run-elsewhere = running in another program
experiment-run-count = { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
experiment-runs-and-rows = { $n ->
    [one] { $runs } in { $n } row
   *[other] { $runs } in { $n } rows
}
experiment-runs-already-done = { $n ->
    [one] { $n } already done
   *[other] { $n } already done
}
experiment-runs-not-possible = { $n } cannot be run
experiment-about-time-estimate = about { $time } (rough estimate)
experiment-memory-size = { $size } of memory
experiment-slurm-run = Run on Slurm…
experiment-slurm-run-hint = Submits the missing runs as a job array
experiment-slurm-unavailable = This computer has no sbatch, and places.toml lists no cluster
experiment-slurm-this-cluster = This computer's cluster
experiment-search = Search for best settings
experiment-search-hint = Compares the rows of each method on images held out from training (a fifth, unless the settings give a share). All methods get the same number of training steps
experiment-search-halving = successive halving
experiment-search-full = all epochs
experiment-start-search = Start search
experiment-nothing-to-start = Nothing to start
experiment-start-runs = { $n ->
    [one] Start { $n } run
   *[other] Start { $n } runs
}
experiment-trial-job = Method trial on { $data }
experiment-pet-trial-job = Trying { $pet }
experiment-order-number = order { $order }
experiment-custom-order = custom order
experiment-seed-number = seed { $seed }
experiment-grid-already-queued = { $title } is already in the queue
experiment-grid-search-title = { $title } · search
experiment-grid-saved = grid saved
experiment-step-open = Open { $step }
experiment-step-close = Close { $step }
experiment-search-local-only = a search runs on this computer only, not at { $place }
experiment-search-local-only-advice = choose a device of this computer
