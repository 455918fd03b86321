# Assumptions, remarks, progress, and results of trials.

remark-and-more = { $first } { $more }
remark-joined = { $first }, { $rest }
remark-times = { $n } × { $what }
remark-file-reason = { $file } ({ $why })
remark-corrected-labels = From the list of corrected labels: { $words }.
remark-labels-corrected = { $n ->
    [one] { $n } label corrected
   *[other] { $n } labels corrected
}
remark-images-excluded = { $n ->
    [one] { $n } image excluded
   *[other] { $n } images excluded
}
remark-corrections-without-effect = { $n ->
    [one] { $n } entry in the list of corrected labels has no effect: the image was removed or replaced, or the class does not exist.
   *[other] { $n } entries in the list of corrected labels have no effect: the images were removed or replaced, or the classes do not exist.
}
remark-class-only-in-test = Class `{ $class }` occurs only in the test split; its { $n ->
    [one] { $n } image was
   *[other] { $n } images were
} excluded.
remark-test-split-drawn = There is no test split: { $test } of { $n ->
    [one] { $n } image
   *[other] { $n } images
} were held out as test images ({ $share } % of each class, rounded, seed { $seed }).
remark-test-classes-missing = The test split has no images of { $classes }, and there are too few training images to split.
remark-test-classes-filled = The test split had no images of { $classes }; { $n ->
    [one] { $n } training image was
   *[other] { $n } training images were
} moved to it ({ $share } % of each class, seed { $seed }).
remark-test-share-without-effect = The test share has no effect, because the data has a test split.
remark-validation-images = For tuning, all metrics use { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} ({ $share } % of each class) as validation images; the test split ({ $test ->
    [one] { $test } test image
   *[other] { $test } test images
}) is not used.
remark-duplicates-not-searched = Duplicate images were not searched for and may be in both splits.
remark-copies-moved = To keep all copies of an image in one split, { $n ->
    [one] { $n } image was
   *[other] { $n } images were
} moved to the other split.
remark-near-copies-moved = To keep all copies and near copies of an image in one split, { $n ->
    [one] { $n } image was
   *[other] { $n } images were
} moved to the other split.
remark-classes-not-held-out = No images of { $classes } were held out: all of their images are copies of one another.
remark-single-images-not-held-out = No images of { $classes } were held out: a class needs at least two images.
remark-near-copies-as-copies = { $sets ->
    [one] { $sets } set
   *[other] { $sets } sets
} of near copies ({ $n ->
    [one] { $n } image
   *[other] { $n } images
}: burst shots, resized or recompressed images) are treated as copies when a split is created.
remark-near-copies-limited = A set is limited to { $most } images; some sets would be larger.
remark-images-with-two-labels = { $n ->
    [one] { $n } image has
   *[other] { $n } images have
} more than one label: { $pairs }. Remove the copies with the wrong label from the dataset; otherwise every prediction for such an image counts as wrong for one of its labels.
remark-images-with-two-labels-first = { $n ->
    [one] { $n } image has
   *[other] { $n } images have
} more than one label; the first are { $pairs }. Remove the copies with the wrong label from the dataset; otherwise every prediction for such an image counts as wrong for one of its labels.
remark-class-names-missing = `{ $file }` does not contain the { $n } class names: classes are shown as numbers.
remark-images-not-checked = The dataset has more than { $most } files, so damaged and duplicate images were not searched for; damaged images are skipped when they are read.
remark-bit-depth-dark = { $n ->
    [one] { $n } image has 16 bits per channel but uses
   *[other] { $n } images have 16 bits per channel but use
} only { $bits } of them (maximum value { $largest }), so the network sees almost black images. Train with --bit-depth { $depth }; the run then reads images to classify in the same way.
remark-bit-depth-clipped = { $n ->
    [one] { $n } image has 16 bits per channel, and its
   *[other] { $n } images have 16 bits per channel, and their
} values use { $bits } bits, more than --bit-depth { $depth }: the brightest parts become white.
remark-jpeg-without-end = { $n ->
    [one] { $n } JPEG image has no end marker; it is read as it is.
   *[other] { $n } JPEG images have no end marker; they are read as they are.
}
remark-shards = The { $form } shards were unpacked into the cache folder; `{ $table }` lists their images.
remark-test-classes-from = The classes of the test split were read from { $file }.
remark-class-column = The column `{ $column }` of `{ $file }` was used as the class.
remark-read-from-list = Classes and splits were read from `{ $file }`.
remark-read-from-lists = Classes and splits were read from { $files }.
remark-read-as-windows-1252 = `{ $file }` is not UTF-8 and was read as Windows-1252. If names look wrong, save the table as UTF-8.
remark-split-column-unused = The column `{ $column }` of `{ $file }` was not used: it does not identify training and test images.
remark-list-unused = Not used: { $why }. Classes were read from another source.
remark-class-column-unused = The column `{ $column }` of `{ $file }` was not used: another list contains the classes.
remark-lists-agree = The folders and { $files } agree on classes and splits.
remark-lists-override-folders = The classes or splits in { $files } differ from those of the folders; the folders were not used.
remark-folders-override-lists = Images of this folder are listed in { $files } without clear classes; the classes were read from the folders.
remark-two-labels-in-list = { $n ->
    [one] { $n } image has
   *[other] { $n } images have
} two labels in `{ $file }` and { $n ->
    [one] was
   *[other] were
} excluded: { $images }.
remark-images-without-split = Excluded: { $n ->
    [one] { $n } image
   *[other] { $n } images
} without a split in the lists.
remark-images-without-class = Excluded: { $n ->
    [one] { $n } image
   *[other] { $n } images
} without a class in the lists.
remark-splits-from-folders = Training and test images were identified by the folder names.
remark-class-names-from-files = The lists contain only class numbers; class names were taken from the start of the file names.
remark-classes-from-files = There are no class folders; the classes of { $n } images were read from their file names.
remark-class-names-from-paths = { $n ->
    [one] { $n } folder name occurs
   *[other] { $n } folder names occur
} in several places; these classes are named by their paths.
remark-images-not-listed = Not used: { $n ->
    [one] { $n } image
   *[other] { $n } images
} not in any list.
remark-validation-images-unused = Not used: { $n ->
    [one] { $n } validation image
   *[other] { $n } validation images
}, because there is a test split.
remark-images-only-tested = Used only for testing: { $n ->
    [one] { $n } image
   *[other] { $n } images
} that the lists also assign to training.
remark-images-only-trained = Used only for training: { $n ->
    [one] { $n } image
   *[other] { $n } images
} that the lists also assign to testing.
remark-teachable = This is a Teachable Machine project; its { $n ->
    [one] { $n } class was
   *[other] { $n } classes were
} loaded as the dataset.
remark-renamed = Some class names are not valid on every system and were changed: { $classes }.
remark-renamed-one = `{ $from }` as `{ $to }`
remark-folder-as-dataset = The folder of `{ $file }` was used as the dataset.
remark-folder-as-one-class = `{ $folder }` contains only images and is next to other such folders: it was used as one class, and `{ $parent }` as the dataset.
remark-parent-of-split-opened = `{ $folder }` is one split of a dataset; `{ $parent }`, which contains both splits, was opened.
remark-inner-folder-as-dataset = `{ $folder }` contains a single folder: `{ $inner }` was used as the dataset.
remark-mask-folders-unused = The folders next to `{ $inner }` in `{ $folder }` contain masks: `{ $inner }` was used as the dataset.
remark-folder-unused-test-split = `{ $folder }` was not used, because there is a test split.
remark-folder-without-classes-unused = `{ $folder }` was not used: it contains { $n ->
    [one] { $n } image
   *[other] { $n } images
} without classes.
remark-folder-as-test-split = `{ $folder }` was used as the test split.
remark-folder-next-to-splits = `{ $folder }` next to the splits was not used ({ $n ->
    [one] { $n } image
   *[other] { $n } images
}).
remark-subfolders-in-classes = { $n ->
    [one] { $n } class folder has
   *[other] { $n } class folders have
} subfolders; the images in them belong to the class.
remark-splits-in-class-folders = The class folders contain folders named after splits; these were used as the splits.
remark-domains-merged = { $folders } contain the same class folders: they were treated as domains and merged.
remark-files-skipped = { $n ->
    [one] { $n } file was
   *[other] { $n } files were
} skipped; run `lae-studio data` for details.
remark-files-skipped-names = { $n ->
    [one] { $n } file was
   *[other] { $n } files were
} skipped: { $files }.
remark-backbone-assumed = assumed for { $name }: { $what }

# Why a file was skipped.
skip-class-without-training-images = a test image of a class without training images
skip-missing-from-dataset = missing from the dataset
skip-truncated = truncated after { $n ->
    [one] { $n } complete record
   *[other] { $n } complete records
}, with { $rest ->
    [one] { $rest } byte
   *[other] { $rest } bytes
} left over
skip-unknown-labels = { $n ->
    [one] { $n } record
   *[other] { $n } records
} with a label that matches no class
skip-listed-not-found = listed in line { $line } of `{ $file }` but not found in the folder
skip-listed-ambiguous = listed in line { $line } of `{ $file }`, but several folders contain an image with this name
skip-line-without-split = line { $line } of `{ $file }` assigns it to neither training nor test
skip-two-labels = a list contains two labels for it
skip-more-listed-not-found = { $n } more lines list images that were not found in the folder
skip-line-without-class = its line has no class
skip-format-unsupported = { $form } images are not supported
skip-no-image = not an image
skip-no-image-extension = not an image (.{ $ending })
skip-outside-class-folders = an image outside the class folders
skip-link-to-parent = a link to a parent folder of the dataset
skip-link-already-read = a link to a folder that has already been read
skip-link-broken = a broken link
skip-folder-unreadable = cannot read the folder: { $error }
skip-folder-list-incomplete = cannot read the whole file list: { $error }
skip-file-type-unknown = cannot determine the file type
skip-too-deep = folders are nested too deeply
skip-no-regular-file = not a regular file
skip-archive-link = a link or special file in the archive
skip-leads-out = its path is outside the archive
skip-name-twin = its folder name differs from another one in the archive only in case, which this system does not distinguish
skip-name-impossible = not a valid file name on this system
skip-not-of-the-project = not an image of a class in the project

# Settings chosen for a dataset.
remark-photographs = These images are photographs: the backbone is the built-in { $name }.
remark-settings-chosen = Chosen for this dataset (smallest class: { $n ->
    [one] { $n } training image
   *[other] { $n } training images
}): batch { $batch }, { $epochs ->
    [one] { $epochs } epoch
   *[other] { $epochs } epochs
}.
remark-settings-chosen-more-steps = Chosen for this dataset (smallest class: { $n ->
    [one] { $n } training image
   *[other] { $n } training images
}): batch { $batch }, { $epochs ->
    [one] { $epochs } epoch
   *[other] { $epochs } epochs
}, or more until each task has { $steps ->
    [one] { $steps } step
   *[other] { $steps } steps
}.

# Assumptions about a weight file without metadata.
network-random = random weights
network-hash-of-first-download = the first download was correct: no published SHA-256 is known, so the hash of the first download is saved and later downloads are compared with it
network-input-size = an input of { $side }×{ $side } pixels
network-input-single-window = an input of { $side }×{ $side } pixels, so that the last stage is a single window
network-no-final-norm = no norm after the mean over positions, as in LAE's released code
network-heads = { $n ->
    [one] { $n } head
   *[other] { $n } heads
} of { $channels ->
    [one] { $channels } channel
   *[other] { $channels } channels
}, as usual for ViT
network-exact-gelu = exact GELU and epsilon { $epsilon }; for OpenAI's CLIP, add an entry with `activation = "quick_gelu"`
network-pixels-unnormalised = unnormalised pixels in [0, 1], as in LAE's ViT
network-pixels-imagenet = pixels normalised with ImageNet mean and standard deviation

# Remarks on the images of an added task.
teach-few-images = Fewer than { $few } training images: { $classes }. Ten or more per class give more reliable results.
teach-no-test-images = No test images: { $classes }.
teach-known-classes = The run already knows { $classes }; the new images are added to the class.
teach-single-class = A single class is learned by comparing it with the earlier classes, each represented by the mean feature of some of its training images; only the weights of the new class are trained.
teach-forgetting-unmeasured = Forgetting of earlier classes cannot be measured: { $why }.
teach-run-was-stopped = The run was stopped in task { $task } of { $of }; the added task builds on the last finished task.
teach-images-repeated = { $n ->
    [one] The training image
   *[other] Each of the { $n } training images
} is used { $times ->
    [one] { $times } time
   *[other] { $times } times
} per epoch, in batches of { $batch }, with the run's learning rate.
teach-copies-not-searched = The test images of the run were not searched for copies of the added images.
teach-copies-excluded = { $n ->
    [one] { $n } test image of the run is a copy of an added image and is excluded from now on.
   *[other] { $n } test images of the run are copies of added images and are excluded from now on.
}

# Progress.
doing-with-detail = { $what }: { $more }
doing-opening-dataset = opening the dataset
doing-opening-run-dataset = opening the dataset of the run
doing-opening-device = opening the device
doing-opening-backbone = opening the backbone
doing-loading-backbone = loading the backbone
doing-downloading-weights = downloading the weights of { $name }, { $done } MB
doing-downloading-weights-of = downloading the weights of { $name }, { $done } of { $of } MB
doing-counting-candidates = counting candidates
doing-listing-runs = listing existing runs
doing-waiting-for-runs = waiting for { $n ->
    [one] { $n } run
   *[other] { $n } runs
} in other programs
doing-trying-method = trying { $title }, { $number } of { $of }
doing-predicting = classifying after task { $task }
doing-comparing-images = comparing images
doing-checking-files = checking files
doing-checking-dataset-images = checking images
doing-copying-images = copying images
doing-opening-earlier-images = opening images of earlier added tasks
doing-measuring-earlier-classes = measuring images of the earlier classes
doing-searching-copies = searching the test images for copies of added images
doing-copying-files = copying { $n ->
    [one] { $n } file
   *[other] { $n } files
} of { $what } to { $place }
copied-dataset = the dataset
copied-backbone = the backbone
copied-adapter = the adapter
doing-reading-names = reading names
doing-checking-images = checking images
doing-unpacking = unpacking (MB)
doing-saving-files = saving unpacked files
doing-packing = packing
doing-writing-inputs = writing inputs
doing-writing-images = writing images

# Results of trials and searches.
trial-fewer-images = To save time, { $limit } of up to { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} per class were used, and at most as many for validation.
trial-fewer-epochs = To save time, tasks had { $n ->
    [one] { $n } epoch
   *[other] { $n } epochs
} instead of { $usual }; methods that train in steps may be more accurate in a full run.
trial-judged = Each candidate was trained on { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} and evaluated on { $judged } held-out training images ({ NUMBER($one, minimumFractionDigits: 1, maximumFractionDigits: 1) } % per image). No test images were used.
trial-none-finished = No candidate finished.
trial-best-method = { $title } gives the best results on this dataset.
trial-no-clear-best = { $title } has the highest accuracy, but with so few images the difference from { $others } may be due to chance.
search-none-finished = { $title }: no selection, because none of { $n ->
    [one] { $n } row
   *[other] { $n } rows
} has finished all of its runs.
search-best-row = { $title }: { $best } has the highest accuracy of { $n ->
    [one] { $n } row
   *[other] { $n } rows
}, { NUMBER($mean, minimumFractionDigits: 1, maximumFractionDigits: 1) } % on held-out images.
search-points-behind = { $second } is { NUMBER($behind, minimumFractionDigits: 1, maximumFractionDigits: 1) } points behind.
search-no-clear-difference = No clear difference between { $best } and { $others }. More class orders or seeds may show one.
search-one-run-each = No clear difference between { $best } and { $others } with one run each. Use several class orders or seeds.
search-highest-value = { $setting } is the highest value tried; a higher one may be better.
search-lowest-value = { $setting } is the lowest value tried; a lower one may be better.
search-rows-unranked = Not ranked because of unfinished runs: { $rows }.
