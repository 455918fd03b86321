# What was assumed and noticed on the way, what is being done, and what came of a trial.

remark-with = { $first } { $more }
remark-joined = { $first }, { $rest }
remark-so-many = { $n } × { $what }
remark-file-why = { $file } ({ $why })
remark-corrected = By the list of corrected labels: { $words }.
remark-labels-corrected = { $n ->
    [one] { $n } label corrected
   *[other] { $n } labels corrected
}
remark-pictures-left-out = { $n ->
    [one] { $n } picture left out
   *[other] { $n } pictures left out
}
remark-corrected-without-effect = { $n ->
    [one] The list of corrected labels has { $n } entry for a picture that is gone or was replaced, or for a class that there is not; it has no effect.
   *[other] The list of corrected labels has { $n } entries for pictures that are gone or were replaced, or for classes that there are not; they have no effect.
}
remark-class-test-only = Class '{ $class }' stands in the test split only: it was left out with its { $n ->
    [one] { $n } image
   *[other] { $n } images
}.
remark-test-drawn = No test split was given: { $test } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} were set aside as test images, { $share } % of every class in whole images (seed { $seed }).
remark-gaps-left = The test split has no images of { $classes }, and there are too few training images to share.
remark-gaps-filled = The test split has no images of { $classes }; it got { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} ({ $share } % of each, seed { $seed }).
remark-validation = For tuning, everything is measured on { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} ({ $share } % of every class); the test split ({ $test ->
    [one] { $test } test image
   *[other] { $test } test images
}) stays unseen.
remark-copies-unsought = Copies of one picture were not looked for and may stand on both sides.
remark-copies-moved = So that all copies of a picture are on the same side, { $n ->
    [one] { $n } image
   *[other] { $n } images
} changed sides.
remark-near-copies-moved = So that all copies of a picture, near ones too, are on the same side, { $n ->
    [one] { $n } image
   *[other] { $n } images
} changed sides.
remark-none-drawn = Of { $classes } none could be taken: all pictures there are copies of one another.
remark-near-copies = { $sets ->
    [one] { $sets } set
   *[other] { $sets } sets
} of near copies ({ $n ->
    [one] { $n } picture
   *[other] { $n } pictures
}: frames of a burst, resized or newly compressed pictures) count as copies when a split is drawn.
remark-near-copies-cut = A set ends at { $most } pictures, and some would go on.
remark-two-labels = { $n ->
    [one] { $n } picture stands
   *[other] { $n } pictures stand
} under more than one label: { $pairs }. Take the copies with the wrong label out of the data: whatever is answered for such a picture, one of its labels counts it as wrong.
remark-two-labels-first = { $n ->
    [one] { $n } picture stands
   *[other] { $n } pictures stand
} under more than one label, the first are { $pairs }. Take the copies with the wrong label out of the data: whatever is answered for such a picture, one of its labels counts it as wrong.
remark-no-class-names = '{ $file }' does not hold the { $n } class names: the classes are numbered.
remark-not-looked-at = With more than { $most } files, damaged pictures and duplicates were not looked for; damaged ones are left out when they come up.
remark-dark = { $n ->
    [one] { $n } image has 16 bits per channel but uses
   *[other] { $n } images have 16 bits per channel but use
} only { $bits } of them (largest value { $largest }), so they are nearly black to the network. Train with --bit-depth { $depth }; the run then reads images to predict in the same way.
remark-clipped = { $n ->
    [one] { $n } image has 16 bits per channel, and its
   *[other] { $n } images have 16 bits per channel, and their
} values use { $bits } bits, more than --bit-depth { $depth }: the brightest parts become white.
remark-test-classes-from = Classes of the test split were taken from { $file }.
remark-class-column = The column '{ $column }' of '{ $file }' was taken as the class.
remark-from-list = Classes and splits were taken from '{ $file }'.
remark-from-lists = Classes and splits were taken from { $files }.
remark-not-unicode = '{ $file }' is not UTF-8: it was read as Windows-1252. If names look wrong, save the table as UTF-8.
remark-split-unread = The column '{ $column }' of '{ $file }' does not name training and test images: it was not used.
remark-list-unused = Not used: { $why }. Classes were taken from elsewhere.
remark-guess-unused = The column '{ $column }' of '{ $file }' was not used: another list names the classes.
remark-lists-agree = The folders and { $files } name the same classes and splits.
remark-lists-before-folders = The classes or splits in { $files } are not those of the folders: the folders were not used.
remark-lists-unused = Images of this folder are named in { $files }, but without clear classes: the classes were taken from the folders.
remark-two-labels-in-list = { $n ->
    [one] { $n } image has
   *[other] { $n } images have
} two labels in '{ $file }' and { $n ->
    [one] was
   *[other] were
} left out: { $images }.
remark-without-split = Left out: { $n ->
    [one] { $n } image
   *[other] { $n } images
} that the lists assign to no split.
remark-classless = Left out: { $n ->
    [one] { $n } image
   *[other] { $n } images
} that the lists name without a class.
remark-splits-from-folders = The folders' names say which images are for training and which for testing.
remark-names-from-files = The lists only number the classes: their names are the beginnings of the file names.
remark-names-from-paths = { $n ->
    [one] { $n } folder name occurs
   *[other] { $n } folder names occur
} in several places: these classes are named by their paths.
remark-unlisted = Left aside: { $n ->
    [one] { $n } picture
   *[other] { $n } pictures
} that no list names.
remark-validation-aside = Left aside: { $n ->
    [one] { $n } validation image
   *[other] { $n } validation images
}, since there is a test split as well.
remark-tested-only = Tested with only: { $n ->
    [one] { $n } picture
   *[other] { $n } pictures
} that the lists name for training as well.
remark-teachable = This is a project of Teachable Machine: its { $n ->
    [one] { $n } class
   *[other] { $n } classes
} became the data set.
remark-renamed = Not every system takes these names of classes, so they are written differently: { $classes }.
remark-renamed-one = '{ $from }' as '{ $to }'
remark-folder-of = The folder of '{ $file }' was taken as the data set.
remark-one-class = '{ $folder }' holds only pictures and lies beside other such folders: it was taken as one class, and '{ $parent }' as the data set.
remark-one-split = '{ $folder }' is one split of a data set: '{ $parent }', which holds both, was opened.
remark-single-folder = '{ $folder }' holds a single folder: its content, '{ $inner }', was taken as the data set.
remark-masks-aside = The folders beside '{ $inner }' in '{ $folder }' hold masks: '{ $inner }' was taken as the data set.
remark-second-split = '{ $folder }' was left aside: there is a test split as well.
remark-without-classes = '{ $folder }' holds { $n ->
    [one] { $n } picture
   *[other] { $n } pictures
} without classes: it was left aside.
remark-serves-as-test = '{ $folder }' serves as the test split.
remark-beside-splits = '{ $folder }' beside the splits was left aside ({ $n ->
    [one] { $n } picture
   *[other] { $n } pictures
}).
remark-nested = { $n ->
    [one] { $n } class folder has
   *[other] { $n } class folders have
} subfolders of their own: the pictures in those count for the class.
remark-splits-inside = The class folders hold folders named for splits: these were taken as the splits.
remark-domains = { $folders } hold the same class folders: they were taken as domains and put together.
remark-files-left-out = { $n ->
    [one] { $n } file was
   *[other] { $n } files were
} left out; `lae-studio data` says which and why
remark-left-out = { $n ->
    [one] { $n } file was
   *[other] { $n } files were
} left out: { $files }.
remark-of-backbone = assumed of { $name }: { $what }

# Why a file was left out.
skip-untrained = a test image of a class without training images
skip-missing = missing from the data set
skip-cut-off = cut off after { $n ->
    [one] { $n } whole record
   *[other] { $n } whole records
}, with { $rest ->
    [one] { $rest } byte
   *[other] { $rest } bytes
} left over
skip-unknown-labels = { $n ->
    [one] { $n } record
   *[other] { $n } records
} with a label that no class has
skip-not-there = named in line { $line } of '{ $file }', but not in the folder
skip-several-there = named in line { $line } of '{ $file }', but several folders hold an image of this name
skip-no-split = line { $line } of '{ $file }' puts it into neither training nor test
skip-two-labels = a list gives it two labels
skip-more-not-there = { $n } more of its lines name pictures that are not in the folder
skip-no-class = its line names no class
skip-foreign = { $form } pictures are not read
skip-no-picture = not a picture
skip-no-picture-ending = not a picture (.{ $ending })
skip-beside-classes = a picture beside the class folders
skip-link-around = a link to a folder around the data set
skip-link-again = a link to a folder that is already read
skip-link-nowhere = a link that leads nowhere
skip-folder-unread = the folder could not be read: { $error }
skip-folder-broke-off = its list of files broke off: { $error }
skip-kind-unread = its kind could not be read
skip-too-deep = folders are nested too deeply
skip-not-ordinary = not an ordinary file
skip-archive-link = a link or special file in the archive
skip-leads-out = its path leads out of the archive
skip-name-twin = another folder of the archive has this name in other letters, and this system does not tell them apart
skip-name-impossible = no file can have this name here
skip-not-of-the-project = not a picture of one of the project's classes

# What suits a data set.
suited = Chosen for this data, about { $n ->
    [one] { $n } image
   *[other] { $n } images
} a task: batch { $batch }, { $epochs ->
    [one] { $epochs } epoch
   *[other] { $epochs } epochs
}.
suited-more-steps = Chosen for this data, about { $n ->
    [one] { $n } image
   *[other] { $n } images
} a task: batch { $batch }, { $epochs ->
    [one] { $epochs } epoch
   *[other] { $epochs } epochs
}, more where a task has less than { $steps ->
    [one] { $steps } step
   *[other] { $steps } steps
}.

# What a file of weights does not say.
network-random = random weights
network-on-trust = the first download was right: no SHA-256 of it is known, so that of the file that came is kept and held against every later one
network-input = an input of { $side }×{ $side } pixels
network-input-of-windows = an input of { $side }×{ $side } pixels, so that the last stage is one window
network-no-norm = no norm after the mean over positions, as LAE's released code
network-heads = { $n ->
    [one] { $n } head
   *[other] { $n } heads
} of { $channels ->
    [one] { $channels } channel
   *[other] { $channels } channels
}, as usual for ViT
network-gelu = GELU in its exact form and epsilon { $epsilon }; for OpenAI's CLIP make an entry with activation "quick_gelu"
network-pixels-as-they-are = pixels in [0, 1] as they are, as LAE feeds its ViT
network-pixels-imagenet = pixels normalised by ImageNet's mean and deviation

# What is to be known of pictures that a run is taught.
teach-few = Fewer than { $few } pictures to learn from: { $classes }. Ten or more make a class safer.
teach-untested = No picture to test with: { $classes }.
teach-known = The run knows { $classes } already: what is learned of these pictures counts for the class.
teach-unmeasured = What the classes lose that the run knew cannot be measured: { $why }.
teach-stopped = The run was stopped in task { $task } of { $of }: it is taught from the task before.
teach-repeated = { $n ->
    [one] The training picture
   *[other] Each of the { $n } training pictures
} is shown { $times ->
    [one] { $times } time
   *[other] { $times } times
} in an epoch, { $batch } at a time, with steps of the size they had in the run.
teach-copies-unsought = Copies of the added task's pictures among the run's test images were not looked for.
teach-copies = { $n ->
    [one] { $n } of the run's test images is a copy of a picture that was taught: what is measured from now on leaves it out.
   *[other] { $n } of the run's test images are copies of pictures that were taught: what is measured from now on leaves them out.
}

# What is being done.
doing-more = { $what }: { $more }
doing-opening-data = opening the data set
doing-opening-data-of-run = opening the data set of the run
doing-opening-device = opening the device
doing-opening-backbone = opening the backbone
doing-loading-backbone = loading the backbone
doing-download = downloading the weights of { $name }, { $done } MB
doing-download-of = downloading the weights of { $name }, { $done } of { $of } MB
doing-counting = counting what competes
doing-looking-for-runs = looking which runs are there
doing-waiting = waiting for { $n ->
    [one] { $n } run
   *[other] { $n } runs
} of other programs
doing-trying = trying { $title }, { $number } of { $of }
doing-answering = answering after task { $task }
doing-comparing-pictures = comparing the pictures
doing-looking-at-files = looking at the files
doing-looking-at-pictures = looking at the pictures
doing-copying-pictures = copying the pictures
doing-opening-earlier-pictures = opening the pictures of earlier added tasks
doing-looking-for-copies = looking for copies of what was taught among the test pictures
doing-carrying = carrying { $n ->
    [one] { $n } file
   *[other] { $n } files
} of { $what } to { $place }
carry-data = the data set
carry-backbone = the backbone
carry-adapter = the adapter
doing-reading-names = reading names
doing-checking-pictures = checking pictures
doing-unpacking = unpacking (MB)
doing-keeping = keeping what was unpacked
doing-packing = packing
doing-writing-inputs = writing inputs
doing-writing-pictures = writing pictures

# What came of a trial, and of a search.
trial-fewer-pictures = So that it does not take long, { $limit } of the up to { $n ->
    [one] { $n } training picture
   *[other] { $n } training pictures
} of a class were used, and as many to judge.
trial-fewer-epochs = So that it does not take long, tasks had { $n ->
    [one] { $n } epoch
   *[other] { $n } epochs
} and not { $usual }: methods that learn by steps may come to more in a run.
trial-judged = Each learned from { $n ->
    [one] { $n } training picture
   *[other] { $n } training pictures
} and was judged on { $judged } held back from them, of which one is { NUMBER($one, minimumFractionDigits: 1, maximumFractionDigits: 1) } %. No test picture was looked at.
trial-none-ended = No method came to its end.
trial-best = { $title } suits these pictures best.
trial-level = { $title } answered best; so few pictures do not tell it apart from { $others }.
search-none-ended = { $title }: none of { $n ->
    [one] { $n } row
   *[other] { $n } rows
} has all of its runs, so none is chosen.
search-best = { $title }: { $best } is the best of { $n ->
    [one] { $n } row
   *[other] { $n } rows
}, { NUMBER($mean, minimumFractionDigits: 1, maximumFractionDigits: 1) } % on pictures held back.
search-second = { $second } is { NUMBER($behind, minimumFractionDigits: 1, maximumFractionDigits: 1) } points behind.
search-level = { $others } cannot be told from { $best }; more class orders or seeds may tell them apart.
search-one-run = One run of each does not show what is chance: { $others } cannot be told from { $best }. Give several class orders or seeds.
search-highest = { $setting } is the highest value that was tried; a higher one may be better.
search-lowest = { $setting } is the lowest value that was tried; a lower one may be better.
search-unranked = Not ranked, because a run could not be finished: { $rows }.
