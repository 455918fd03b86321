# The page Experiment.

experiment-left-crashed = The program crashed last time
experiment-left-at-work = A run was in progress when the window was closed
experiment-left-kept = Earlier settings were saved
experiment-left-run = { $n ->
    [one] { $title }: { $done } of { $n } task learned so far.
   *[other] { $title }: { $done } of { $n } tasks learned so far.
}
experiment-left-resume = Resume run
experiment-left-not-now = Not now
experiment-left-crashed-kept = Saved, but not reopened: { $kept }.
experiment-left-earlier-kept = Saved when the program crashed earlier: { $kept }.
experiment-left-folders = { $n ->
    [one] one folder of runs
   *[other] { $n } folders of runs
}
experiment-left-both = { $setup } and { $folders }
experiment-left-again = Restore
experiment-left-forget = Discard
experiment-to-fix = { $n ->
    [one] { $n } problem to fix
   *[other] { $n } problems to fix
}
experiment-remarks = { $n ->
    [one] One remark
   *[other] { $n } remarks
}
experiment-use-sizes = Use { $sizes }
experiment-choose = Choose…
experiment-backbone = Backbone
experiment-licence = Licence of the weights
experiment-no-file-yet = No file chosen yet; still using { $now }.
experiment-weights-file = File…
experiment-weights = Weights
experiment-weights-path = Path to a weight file, then Enter
experiment-weights-name = Weight file
experiment-weights-count = { $n } parameters
experiment-sees = input { $size } × { $size }
experiment-blocks-count = { $n ->
    [one] { $n } block
   *[other] { $n } blocks
}
experiment-mind = Note: { $warning }.
experiment-assumed = Assumed: { $what }.
experiment-pretrained-unknown = pre-training data not stated
experiment-pretrained = pre-trained on { $data }
experiment-millions = { $n } M
experiment-download = Download
experiment-download-later = { $place }, at the latest when the run starts
experiment-download-now = Download now
experiment-download-other = { $place }; another download is in progress
experiment-downloading = downloading, { $got }
experiment-downloading-of = downloading, { $got } of { $all }
experiment-download-stop = Stop download
experiment-precision = Precision
experiment-precision-hint = Number format of the frozen weights. f16 (for GPUs) and bf16 (for CPUs with native support) halve their memory; PETs, heads, loss and optimiser stay f32.
experiment-cpu-f32 = the CPU uses f32
experiment-card-f16 = for CPUs; choose f16 for a GPU
experiment-cpu-no-bf16 = this CPU has no native bf16: choose f32
experiment-bf16-gain = matrix products { $gain } × as fast as with f32
experiment-bf16-hint = Measured on this computer. Weights and their inputs are rounded to eight significant bits: features change by about 1 % of the largest value, predictions hardly at all.
experiment-presets = Presets
experiment-presets-what = Each preset fills in all settings; you start the run.
experiment-preset-two = Sets up two runs and compares them
experiment-preset-one = Sets up one run
experiment-presets-paper = The paper's experiments
experiment-presets-pets = with six PETs each
experiment-the-run = Run
experiment-a-grid = Grid of runs
experiment-ready = Ready
experiment-not-ready = Not ready yet
experiment-tasks = { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
experiment-pictures = { $n ->
    [one] { $n } image
   *[other] { $n } images
}
experiment-about = about { $time }
experiment-more-to-fix = and { $n } more to fix
experiment-short = The GPU has only { $free } free.
experiment-short-take = { $n ->
    [one] Process { $n } image at a time
   *[other] Process { $n } images at a time
}
experiment-short-hint = Processes each batch in parts; the result is the same
experiment-weights-coming = The weights are still downloading
experiment-fix-first = Fix the problems first
experiment-start = Start training
experiment-start-both = Start both runs
experiment-beside = Also train the baseline
experiment-beside-hint = Trains the same settings a second time without protection against forgetting, and compares both
experiment-orders = Run 3 class orders
experiment-orders-hint = Trains these settings three times, with the paper's class orders where known; Compare shows mean ± std
experiment-copy-command = Copy as command
experiment-elsewhere = The run is trained at { $place }; times are estimated for this computer.
experiment-queue = A run is in progress; a new one waits in the queue.
experiment-cost-measured = about { $time } (based on your last run)
experiment-cost-other-runs = about { $time } (based on other runs)
experiment-cost-guess = about { $time } (rough estimate)
experiment-cost-memory = about { $memory } of memory, without images
experiment-pet = PET
experiment-no-pet = { $method } does not train a PET.
experiment-trained = { $n } trainable parameters
experiment-trained-of = { $n } trainable parameters, { $share } % of the model
experiment-pet-more = More…
experiment-pet-all = Show all plugins
experiment-pet-start = Start from a LoRA…
experiment-pet-start-hint = Initialises the PET from a folder saved by the peft library
experiment-pet-starts = starts from { $folder }
experiment-pet-start-not = Start fresh
experiment-pet-size = size
experiment-pet-blocks = blocks
experiment-pet-range = { $least } to { $most }, default { $usual }
experiment-method = Method
experiment-reset = Reset
experiment-fewer = Fewer settings
experiment-more = More settings
experiment-preset = Preset: { $title }
experiment-changed = { $title }, changed: { $keys }
experiment-choose-method = choose
experiment-all-images = all
experiment-try-title = Which method suits these images?
experiment-try = Try methods
experiment-try-again = Try again
experiment-try-hint = Trains the chosen method, SimpleCIL, RanPAC and LAE on four fifths of the training images and tests them on the rest; test images are not used. Takes at most about a minute on most computers
experiment-try-waits = Waiting in the queue …
experiment-try-stop = Stop
experiment-try-right = correct
experiment-try-forgotten = forgotten
experiment-try-seconds = time
experiment-try-use = Use it
experiment-several = Several values
experiment-several-of-field = Several values…
experiment-several-what = Try several values of a setting, or open a grid of runs.
experiment-several-add = Add setting…
experiment-several-add-name = Choose several values for a setting
experiment-single-again = Use single values
experiment-class-orders = { $n ->
    [one] { $n } class order
   *[other] { $n } class orders
}
experiment-seeds = { $n ->
    [one] { $n } seed
   *[other] { $n } seeds
}
experiment-values-of = Values of { $setting }
experiment-on = on
experiment-off = off
experiment-one-value = Use a single value
experiment-orders-number = class orders: the paper's, then random ones by seed
experiment-seeds-number = consecutive seeds
experiment-remove-value = Remove { $value }
experiment-another-value = another value
experiment-add-value = Add
experiment-no-value = "{ $text }" is not a valid value: give { $range }
experiment-value-there = { $value } is already in the list
experiment-grid-open = Open grid…
experiment-grid-save = Save as grid…
experiment-grid-file = Grid file…
experiment-grid-close = Close
experiment-grid-close-hint = Returns to the settings
experiment-grid-change = Edit…
experiment-grid-change-hint = Opens the grid as settings with several values
experiment-grid-looking = Looking for existing runs
experiment-cell-done = done
experiment-cell-stopped = stopped in task { $task }/{ $tasks }
experiment-cell-at-work = running
experiment-cell-elsewhere = running in another program
experiment-runs = { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
experiment-runs-in-rows = { $n ->
    [one] { $runs } in { $n } row
   *[other] { $runs } in { $n } rows
}
experiment-runs-there = { $n ->
    [one] { $n } already done
   *[other] { $n } already done
}
experiment-runs-refused = { $n } cannot be run
experiment-about-guess = about { $time } (rough estimate)
experiment-memory = { $size } of memory
experiment-slurm = Run on Slurm…
experiment-slurm-hint = Submits the missing runs as a job array
experiment-slurm-none = This computer has no sbatch, and places.toml lists no cluster
experiment-slurm-here = This computer's cluster
experiment-search = Search for the best
experiment-search-hint = Compares the rows of each method on images held out from training (a fifth unless the settings give a share), with the same number of training steps for each method
experiment-search-halving = halving
experiment-search-all = all
experiment-start-search = Start search
experiment-start-nothing = Nothing to start
experiment-start-runs = { $n ->
    [one] Start { $n } run
   *[other] Start { $n } runs
}
experiment-try-job = Method trial on { $data }
experiment-try-pet-job = Trying { $pet }
experiment-order = order { $order }
experiment-order-own = custom order
experiment-seed = seed { $seed }
experiment-grid-waits = { $title } is already in the queue
experiment-grid-search = { $title } · search
experiment-grid-saved = grid saved
experiment-step-open = Open { $step }
experiment-step-close = Close { $step }
experiment-grid-search-here = a search runs on this computer only, not at { $place }
experiment-grid-search-here-advice = choose a device of this computer
