# The data card and its findings.

data-title = Data
data-folder-forms = Choose a folder with one subfolder per class, or with train and test folders that contain them. CIFAR-100's binary files work too.
data-no-folder-chosen = No folder chosen yet; still using { $now }.
data-reading = Reading { $data }
data-digits = Digits
data-letters = Letters
data-folder = Folder…
data-create = Create dataset…
data-drop-hint = or drop a folder anywhere in this window, with one subfolder per class
data-not-downloaded = { $about } It is not on this computer.
data-download-offer = { $size } MB from { $url }. Licence: { $licence }
data-download = Download { $size } MB
data-download-hint = You can stop the download and resume it later
data-download-other = Another download is in progress
data-downloading = Downloading { $name }: { $got }
data-downloading-of = Downloading { $name }: { $got } of { $all }
data-download-of = Download of { $name }
data-download-stop = Stop download
data-folder-path = Path to a folder, then Enter
data-folder-name = Data folder
data-choose = Choose data
data-images = { $n ->
    [one] { $train } training and { $n } test image
   *[other] { $train } training and { $n } test images
}
data-images-validation = { $n ->
    [one] { $train } training and { $n } validation image
   *[other] { $train } training and { $n } validation images
}
data-classes = { $n ->
    [one] { $n } class
   *[other] { $n } classes
}
data-pixels = { $sizes } pixels
data-corrected-empty = The list of corrected labels is empty
data-corrected-use = Use them
data-corrected-original-labels = Original labels
data-corrected-run-list = these settings use a run's own list: { $own }
data-corrected-use-current = Use the current list
data-corrected-hide = Hide the list
data-corrected-show = Show the list
data-corrected-row = { $picture }: { $class } instead of { $was }
data-corrected-excluded = { $picture }: excluded, was { $was }
data-corrected-revert = Revert
data-corrected-revert-image = Revert { $picture }
data-class-arrival = Classes are learned
data-class-arrival-explained = In stages: classes come group by group, and the run shows what is forgotten. All at once: one task with every class, usually best when you already have all images.
data-class-arrival-stages = In stages
data-class-arrival-at-once = All at once
data-megabytes = { $n } MB
data-task = task { $task }
data-task-classes = task { $task }: { $classes }
data-training-images = { $n ->
    [one] { $n } training image
   *[other] { $n } training images
}
data-tasks-unknown = Tasks appear once the settings fit the data.
data-arrange-hint = Drag a class to another task or position, or click it for a menu. Tasks and order are part of the settings.
data-new-task = new task
data-new-task-drop = Drop a class here to create a task
data-classes-per-task = Classes per task
data-class-order = Class order
data-orders = Orders
data-undo = Undo
data-undo-hint = Undoes the last change of the settings, including moved classes
data-order-natural = Natural: sorted by name
data-order-numbers = By the numbers in the names: 2 before 10
data-order-paper = The paper's { $key }
data-order-shuffled = Shuffled with seed { $seed }
data-order-file = From a file…
data-class-in-task = class { $class }, task { $task }
data-move-earlier = Earlier
data-move-later = Later
data-move-new = To a new task
data-move-to = To task { $task }
data-part-images-per-class = Images per class
data-part-network-input = What the network sees
data-part-arrange-classes = Arrange classes
data-part-splits = Splits and memory
data-images-range = { $low } to { $high } (median { $median })
data-images-per-class = Images per class: { $train } for training, { $test } for testing
data-images-per-class-validation = Images per class: { $train } for training, { $validation } for validation
data-images-per-class-chart = Chart of images per class
data-test-images = { $n ->
    [one] { $n } test image
   *[other] { $n } test images
}
data-validation-images = { $n ->
    [one] { $n } validation image
   *[other] { $n } validation images
}
data-class-images = { $class }: { $train } and { $test }
data-next-epoch = Next epoch
data-next-epoch-hint = Shows the next epoch's crops of the same images
data-other-images = Other images
data-epoch-crops = Epoch { $epoch } of { $epochs }: augmented crops for this seed
data-loading-images = Loading…
data-input-sizes = Training above, testing below, both { $size } × { $size } pixels
data-input-training = { $class } as seen in training
data-input-testing = { $class } as seen in testing
data-input-centre-crop = shorter side resized, centre crop
data-input-caption = { $class }, task { $task }
data-measured-on-validation = { $n ->
    [one] Accuracies are measured on { $n } validation image held out from training, not on test images.
   *[other] Accuracies are measured on { $n } validation images held out from training, not on test images.
}
data-use-bit-depth = Use a bit depth of { $n }
data-cache-loaded = the images are already in memory
data-cache-fits = all images fit, about { $need }
data-cache-too-small = all images of a task need about { $need }; those that do not fit are decoded every epoch
data-download-advice = download it under Data
data-skipped-files = { $n ->
    [one] { $n } file was skipped.
   *[other] { $n } files were skipped.
}
data-skipped-show = Show skipped files
data-skipped-hide = Hide skipped files
data-in-both-splits = { $n ->
    [one] { $n } image is in both splits.
   *[other] { $n } images are in both splits.
}
data-in-both-splits-show = Show these images
data-in-both-splits-hide = Hide these images
data-two-labels-show = Show images with two labels
data-two-labels-hide = Hide images with two labels
data-split-not-comparable = { $data } is split { $ours }, so the results are not comparable with the paper's: { $remedy }.
data-split-lists = by other lists
data-split-random = at random
data-split-folders = by its folders
data-split-own-included = it comes with its own split
data-split-copy-lists = put its authors' train_list.txt and val_list.txt next to the class folders
data-split-of-coda-prompt = These lists of { $data } are CODA-Prompt's, so the results are not comparable with the paper's, which uses L2P's.
data-split-copy-coda-lists = put CODA-Prompt's imagenet-r_train.yaml and imagenet-r_test.yaml next to the class folders
data-split-fifth-per-domain = its authors test on a fifth of each domain (see docs/data.md)
data-input-crop = { $width } × { $height } pixels from column { $left }, row { $top }
data-input-crop-mirrored = { $width } × { $height } pixels from column { $left }, row { $top }, mirrored
data-input-no-image = no training image to show
data-script-font-missing = { $script } letters show as boxes until the font { $font } is installed
data-character-font-missing = no installed font has the character { $code } of a class name
data-script-hebrew = Hebrew
data-script-arabic = Arabic
data-script-devanagari = Devanagari
data-script-bengali = Bengali
data-script-tamil = Tamil
data-script-thai = Thai
data-script-georgian = Georgian
data-script-korean = Korean
data-script-chinese = Chinese and Japanese
data-script-emoji = emoji
data-own-folder = Your own folder
data-export = Export
