# The card of data, and what is found in it.

data-title = Data
data-how = Choose a folder with one subfolder per class, or with train and test folders that hold them. CIFAR-100's binary files work too.
data-no-folder-yet = No folder is chosen yet; { $now } stays until one is.
data-looking = Looking through { $data }
data-digits = Digits
data-letters = Letters
data-folder = Folder…
data-make = Make one…
data-or-drop = or drop a folder anywhere in this window: one subfolder a class
data-not-here = { $about } It is not on this computer.
data-offer = { $size } MB from { $url }. Licence: { $licence }
data-download = Download { $size } MB
data-download-hint = It can be stopped and goes on from there later
data-download-other = Another download is under way
data-downloading = Downloading { $name }: { $got }
data-downloading-of = Downloading { $name }: { $got } of { $all }
data-download-of = Download of { $name }
data-download-stop = Stop download
data-folder-path = Path of a folder, then Enter
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
data-corrected-as-they-are = Labels as in the data
data-corrected-own = these settings have a run's own list: { $own }
data-corrected-use-now = Use the list as it is now
data-corrected-hide = Hide the list
data-corrected-show = Show the list
data-corrected-row = { $picture }: { $class } instead of { $was }
data-corrected-left-out = { $picture }: left out, stands in { $was }
data-corrected-back = Take back
data-corrected-back-of = Take back { $picture }
data-arrival = Classes are learned
data-arrival-ask = In stages or all at once?
data-arrival-for = In stages: the classes come group by group, and the run shows what is forgotten. All at once: one task with every class, usually the best answer when all pictures are there.
data-arrival-stages = In stages
data-arrival-at-once = All at once
data-arrival-until = Until you answer, it is in stages.
data-megabytes = { $n } MB
data-task = task { $task }
data-task-classes = task { $task }: { $classes }
data-training-images = { $n ->
    [one] { $n } training image
   *[other] { $n } training images
}
data-tasks-later = The tasks show once the settings fit the data.
data-arrange-how = Drag a class to another task or place, or click it for a menu. Tasks and order are part of the settings.
data-new-task = a new task
data-new-task-drop = Drop a class here for a new task
data-classes-per-task = Classes per task
data-class-order = Class order
data-orders = Orders
data-undo = Undo
data-undo-hint = Takes the last change of the settings back, a move of a class, too
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
data-part-classes = Images per class
data-part-sight = What the network sees
data-part-arrange = Arrange classes
data-part-splits = Splits and memory
data-spread = { $low } to { $high } (median { $median })
data-per-class = Images per class: { $train } for training, { $test } for testing
data-per-class-chart = Chart of images per class
data-test-images = { $n ->
    [one] { $n } test image
   *[other] { $n } test images
}
data-class-images = { $class }: { $train } and { $test }
data-draw-again = Draw again
data-draw-again-hint = The next epoch's crops of the same images
data-other-images = Other images
data-epoch = Epoch { $epoch } of { $epochs }: what this seed draws
data-drawing = Drawing
data-seen-sizes = Above in training, below in testing, both { $size } × { $size } pixels
data-seen-training = { $class } as seen in training
data-seen-testing = { $class } as seen in testing
data-seen-middle = shorter side resized, middle cut
data-seen-caption = { $class }, task { $task }
data-measured-on-validation = { $n ->
    [one] Accuracies are measured on { $n } validation image held out of training, not on test images.
   *[other] Accuracies are measured on { $n } validation images held out of training, not on test images.
}
data-use-depth = Use a bit depth of { $n }
data-cache-there = the pictures are in memory anyway
data-cache-fits = all fit, about { $need }
data-cache-short = about { $need } would hold a task's pictures; the rest is decoded every epoch
data-download-remedy = download it on the data card
data-skipped = { $n ->
    [one] { $n } file was skipped.
   *[other] { $n } files were skipped.
}
data-skipped-show = Show skipped files
data-skipped-hide = Hide skipped files
data-in-both = { $n ->
    [one] { $n } image stands in both splits.
   *[other] { $n } images stand in both splits.
}
data-in-both-show = Show these images
data-in-both-hide = Hide these images
data-two-labels-show = Show pictures under two labels
data-two-labels-hide = Hide pictures under two labels
data-split = The split of { $data } is { $ours }, so the figures are not the paper's: { $remedy }.
data-split-lists = given by other lists
data-split-drawn = drawn here
data-split-folders = that of its folders
data-split-own = it comes with a split of its own
data-split-put-lists = put its authors' train_list.txt and val_list.txt beside the class folders
data-split-coda = These lists of { $data } are CODA-Prompt's, so the figures are not those of the paper's benchmark, which takes L2P's.
data-split-put-coda = put CODA-Prompt's imagenet-r_train.yaml and imagenet-r_test.yaml beside the class folders
data-split-fifth = its authors' program tests on a fifth of each domain, which docs/data.md says how to list
data-seen-crop = { $width } × { $height } pixels from column { $left }, row { $top }
data-seen-mirrored = { $width } × { $height } pixels from column { $left }, row { $top }, mirrored
data-seen-none = no training image to show
data-letters-missing = { $script } letters show as boxes until the font { $font } is installed
data-letter-missing = no installed font has the letter { $code } of a class name
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
data-own = Own folder
data-export = Export…
