# The page Experiment.

experiment-left-crashed = The program ended without a word the last time
experiment-left-at-work = A run was at work when the window was closed
experiment-left-kept = An earlier set-up is kept
experiment-left-run = { $n ->
    [one] { $title }: { $done } of { $n } task learned so far.
   *[other] { $title }: { $done } of { $n } tasks learned so far.
}
experiment-left-resume = Resume it
experiment-left-not-now = Not now
experiment-left-crashed-kept = What was set up then is kept, but was not opened again: { $kept }.
experiment-left-earlier-kept = Kept from an earlier window that ended without a word: { $kept }.
experiment-left-folders = { $n ->
    [one] a folder of runs
   *[other] { $n } folders of runs
}
experiment-left-both = { $setup } and { $folders }
experiment-left-again = Set it up again
experiment-left-forget = Forget it
experiment-to-fix = { $n ->
    [one] { $n } thing to fix
   *[other] { $n } things to fix
}
experiment-remarks = { $n ->
    [one] One remark
   *[other] { $n } remarks
}
experiment-use-sizes = Use { $sizes }
experiment-choose = Choose…
experiment-backbone = Backbone
experiment-licence = Licence of the weights
experiment-no-file-yet = No file is chosen yet; { $now } stays until one is.
experiment-weights-file = File…
experiment-weights = Weights
experiment-weights-path = Path of a weight file, then Enter
experiment-weights-name = Weight file
experiment-weights-count = { $n } weights
experiment-sees = sees { $size } × { $size }
experiment-blocks-count = { $n ->
    [one] { $n } block
   *[other] { $n } blocks
}
experiment-mind = Mind: { $warning }.
experiment-assumed = Assumed: { $what }.
experiment-pretrained-unknown = pre-training not stated
experiment-pretrained = pre-trained on { $data }
experiment-millions = { $n } M
experiment-download = Download
experiment-download-later = { $place }, at the latest when the run starts
experiment-download-now = Download now
experiment-download-other = { $place }; another download is under way
experiment-downloading = downloading, { $got }
experiment-downloading-of = downloading, { $got } of { $all }
experiment-download-stop = Stop the download
experiment-precision = Precision
experiment-precision-hint = As what the frozen weights are kept, at half the memory: f16 on graphics cards, bf16 on a processor that multiplies such numbers itself. PETs, heads, loss and optimiser stay f32.
experiment-cpu-f32 = the CPU keeps f32
experiment-card-f16 = for the CPU; a card has f16
experiment-cpu-no-bf16 = this CPU does not multiply bf16: choose f32
experiment-bf16-gain = products { $gain } × as fast as with f32
experiment-bf16-hint = Measured on this computer. Weights, and what they are multiplied with, keep eight bits: features differ by about 1 % of the largest, answers hardly.
experiment-presets = Presets
experiment-presets-what = Each sets everything up; you start the run.
experiment-preset-two = Sets up two runs and compares them
experiment-preset-one = Sets up one run
experiment-presets-paper = The paper's experiments
experiment-presets-pets = with six PETs each
experiment-the-run = The run
experiment-a-grid = A grid of runs
experiment-ready = Ready
experiment-not-ready = Not ready yet
experiment-tasks = { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
experiment-pictures = { $n ->
    [one] { $n } picture
   *[other] { $n } pictures
}
experiment-about = about { $time }
experiment-more-to-fix = and { $n } more to fix
experiment-short = The card has { $free } free, which is less.
experiment-short-take = { $n ->
    [one] Take { $n } image at once
   *[other] Take { $n } images at once
}
experiment-short-hint = The batch is learned in parts; the result is that of the whole batch
experiment-weights-coming = The weights are still on their way
experiment-fix-first = Something is to be fixed first
experiment-start = Start training
experiment-start-both = Start both runs
experiment-beside = Baseline beside it
experiment-beside-hint = Trains these settings, then the same without anything against forgetting, and compares both
experiment-orders = Run 3 class orders
experiment-orders-hint = Trains these settings three times, with the paper's class orders where they are known; Compare shows mean ± std
experiment-copy-command = Copy as command
experiment-elsewhere = It is trained at { $place }; the times are those of this computer.
experiment-queue = A run is at work; a new one waits in the queue behind it.
experiment-cost-measured = about { $time } (as your last run went)
experiment-cost-other-runs = about { $time } (from the speed of other runs)
experiment-cost-guess = about { $time } (a rough guess)
experiment-cost-memory = about { $memory } of memory, without pictures
experiment-pet = PET
experiment-no-pet = { $method } trains no PET plugin.
experiment-trained = { $n } trained
experiment-trained-of = { $n } trained, { $share } % of the model
experiment-pet-more = More…
experiment-pet-all = See all plugins
experiment-pet-start = Start from a LoRA…
experiment-pet-start-hint = a folder as the library peft saves it: the PET begins with its values in place of drawn ones
experiment-pet-starts = starts from { $folder }
experiment-pet-start-not = Start fresh
experiment-pet-size = size
experiment-pet-blocks = blocks
experiment-pet-range = { $least } to { $most }, { $usual } unless chosen
experiment-method = Method
experiment-reset = Reset
experiment-fewer = Fewer settings
experiment-more = More settings
experiment-preset = Preset: { $title }
experiment-changed = { $title }, changed: { $keys }
experiment-choose-method = choose
experiment-all-images = all
experiment-try-title = Which method suits these pictures?
experiment-try = Try methods
experiment-try-again = Try again
experiment-try-hint = Trains the chosen method, SimpleCIL, RanPAC and LAE on the training pictures but a fifth, and judges them on that fifth; test pictures are not looked at. About a minute at most on most machines
experiment-try-waits = Waiting for its turn …
experiment-try-stop = Stop
experiment-try-right = right
experiment-try-forgotten = forgotten
experiment-try-seconds = time
experiment-try-use = Use it
experiment-several = Several values
experiment-several-of-field = Several values…
experiment-several-what = Try a setting with several values, or open a grid of runs.
experiment-several-add = A setting…
experiment-several-add-name = Give a setting several values
experiment-single-again = Single values again
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
experiment-one-value = One value again
experiment-orders-number = class orders: the paper's, then seeded ones
experiment-seeds-number = seeds that follow each other
experiment-remove-value = Remove { $value }
experiment-another-value = another value
experiment-add-value = Add
experiment-no-value = "{ $text }" is no value: give { $range }
experiment-value-there = { $value } is there already
experiment-grid-open = Open grid…
experiment-grid-save = Save as grid…
experiment-grid-file = A file…
experiment-grid-close = Close
experiment-grid-close-hint = Back to the settings
experiment-grid-change = Change it…
experiment-grid-change-hint = Makes it the settings, some of which then have several values
experiment-grid-looking = Looking which runs are there
experiment-cell-done = done
experiment-cell-stopped = stopped in task { $task }/{ $tasks }
experiment-cell-at-work = at work
experiment-cell-elsewhere = run by another program
experiment-runs = { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
experiment-runs-in-rows = { $n ->
    [one] { $runs } in { $n } row
   *[other] { $runs } in { $n } rows
}
experiment-runs-there = { $n ->
    [one] { $n } of them is there
   *[other] { $n } of them are there
}
experiment-runs-refused = { $n } cannot be run
experiment-about-guess = about { $time } (a guess)
experiment-memory = { $size } memory
experiment-slurm = Run on Slurm…
experiment-slurm-hint = Submits what is not there yet as a job array
experiment-slurm-none = There is no sbatch on this computer, and places.toml names no cluster
experiment-slurm-here = The cluster of this computer
experiment-search = Search for the best
experiment-search-hint = Chooses among the rows of each method by pictures held back from training, a fifth unless the settings name a share, with as many training steps for each method
experiment-search-halving = halving
experiment-search-all = all
experiment-start-search = Start the search
experiment-start-nothing = Nothing to start
experiment-start-runs = { $n ->
    [one] Start { $n } run
   *[other] Start { $n } runs
}
experiment-try-job = Which method suits { $data }
experiment-try-pet-job = Trying { $pet }
experiment-order = order { $order }
experiment-order-own = own order
experiment-seed = seed { $seed }
experiment-grid-waits = { $title } waits in the queue already
experiment-grid-search = { $title } · search
experiment-grid-saved = the grid is saved
experiment-step-open = Open { $step }
experiment-step-close = Close { $step }
experiment-grid-search-here = a search is done on this computer, and not at { $place }
experiment-grid-search-here-advice = choose a device of this computer for it
