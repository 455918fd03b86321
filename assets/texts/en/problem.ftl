# Errors (problem-…) and remedies (try-…): sentences without a capital letter and a full stop; the code that shows them
# adds both.

problem-and-more = { $names } and { $n } more
try-path = check that the path exists
try-permissions = check the permissions of this file or folder
try-space = free some disk space or choose another folder, then continue
try-ordinary-file = choose a regular file of the expected type
try-writable = choose a writable folder
problem-this-file-is-neither-folder-nor = this is neither a folder nor a supported archive
try-give-folder-or-zip-tar-tar = give a folder, or a .zip, .tar, .tar.gz, .tar.xz or .tm archive
problem-this-is-model-from-teachable-machine = this is a model exported from Teachable Machine, without its images
try-in-teachable-machine-open-menu-choose = in Teachable Machine, open the menu, choose Download project as file, and give the .tm file
problem-this-is-project-of-teachable-machine = Teachable Machine projects of type '{ $manifest }' are not supported; only image projects are
try-give-image-project-or-folder-with = give an image project, or a folder with one subfolder of images per class
problem-archive-is-damaged-or-cut-off = the archive is damaged or incomplete: { $error }
try-copy-or-download-it-again = copy or download it again
problem-unpacking-this-archive-takes-more-memory = unpacking this archive exceeds the memory limit for archives
try-unpack-it-by-hand-and-give = unpack it manually and give the folder, or compress it with `xz -9` or a lower level
problem-this-kind-of-zip-is-not = this kind of ZIP file is not supported: { $why }
try-unpack-it-and-give-folder = unpack it and give the folder
problem-archive-was-refused = the archive was rejected: { $why }
try-if-it-is-meant-to-be = if this is intended, unpack it manually and give the folder
problem-embedded-data-set-is-damaged = the built-in dataset is damaged: { $why }
problem-cifar-file-is-damaged = the CIFAR file is damaged: { $what }
try-download-it-again = download it again
problem-labels-are-corrected-are-most = { $list } corrected labels exceed the limit of { $most }
try-correct-so-many-labels-in-data = correct the labels in the dataset itself
problem-sha256-of-is-not-64-hexadecimal = the SHA-256 of { $picture } does not have 64 hexadecimal digits
try-take-it-from-list-that-program = copy it from a list written by this program
problem-label-of-is-corrected-twice = the label of { $picture } is corrected twice
try-leave-one-of-two-entries-out = remove one of the two entries
problem-these-are-not-crop-boxes = the file does not contain crop boxes in the expected format
problem-there-is-no-crop-box-for = there is no crop box for this image
problem-could-not-write-names = could not write the names: { $error }
problem-folder-is-not-empty = the folder is not empty
try-give-new-folder = choose a new folder
problem-name-of-file-does-not-say = the file name does not specify an export format
try-end-it-with-tm-for-teachable = use the extension .tm for Teachable Machine, or .zip for an image folder
problem-archive-could-not-be-written = could not write the archive: { $error }
problem-picture-cannot-be-written = could not write an image: { $error }
problem-folder-holds-but-names-none-of = the folder contains { $total }, but '{ $table }' gives no class for any of them
try-write-columns-file-label-into-csv = add a CSV with the columns file,label (file names as in the folder), or make one subfolder per class
problem-folder-holds-but-no-subfolders-that = the folder contains { $total }, but no class subfolders, and no CSV or list file with the classes
try-data-set-is-folder-with-one = use a folder with one subfolder of images per class, or with train and test folders that have such subfolders
problem-list-has-far-more-lines-than = the list has far more lines than there are images
problem-list-names-no-image = this list names no image of its folder
problem-lists-without-classes = { $lists } name images, but not their classes
problem-lists-label-differently = these lists assign different classes to the same images: { $lists }
problem-lists-split-differently = these lists assign the same images to different splits: { $lists }
try-give-one-list = give the list to use as the dataset, for example "{ $path }", or move the others elsewhere
problem-list-with-two-labels = '{ $file }' gives { $n ->
    [one] { $n } image
   *[other] { $n } images
} two labels: { $images }
try-one-label-per-image = keep one row per image: each image has exactly one class
problem-table-has-several-columns = '{ $file }' names images, but several columns could be the class column: { $columns }
problem-table-marks-several-classes = '{ $file }' marks more than one of these columns for the same image: { $columns }
try-name-column = append the name of the class column to the path, as in "{ $path }#{ $column }", or rename the column to "label"
problem-several-splits = these folders contain more than one pair of training and test images: { $folders }
problem-splits-without-classes = the folders { $folders } contain training and test images, but no class folders, and no table or list gives the classes
problem-split-among-classes = it is unclear whether these image folders are classes or include the training split: { $folders }
problem-images-among-classes = these folders are not classes, because one has the usual name of a folder for all images: { $folders }
problem-parts-of-images = these folders are named like parts of one image collection, not like classes: { $folders }
problem-images-beside-folders = { $beside ->
    [one] { $beside } image is
   *[other] { $beside } images are
} next to the folders, which contain only { $inside }: the folders are probably not the classes
try-classes-by-folder-or-table = make one subfolder of images per class (in each split), or add a CSV with the columns file and label
problem-batch-needs-at-least-one-image = a batch needs at least one image
problem-could-not-start-loader-thread = could not start a loader thread: { $error }
problem-share-of-is-not-from-0 = a share of { $share } is not valid: it must be at least 0 and less than 1
try-0-2-puts-every-fifth-image = 0.2 sets every fifth image aside
problem-limit-of-0-images-per-class = a limit of 0 images per class leaves no images
problem-opening-data-set-was-stopped = opening the dataset was stopped
problem-domainnet-is-not-among-downloads-of = DomainNet cannot be downloaded by this program
try-unpack-its-six-domains-and-their = unpack its six domains and their lists (clipart_train.txt, …) into one folder and give that folder
problem-is-not-on-this-computer = { $name } has not been downloaded to this computer
try-download-it-mb-with-lae-studio = download it ({ $megabytes } MB) with: lae-studio data { $name } --download, or give the path of a copy
problem-pickle-file-cannot-be-read-at = could not read the pickle file: { $what } at byte { $at }
try-download-it-again-or-use-binary = download it again, or use the binary version of the dataset
problem-picture-claims-pixels-and-would-take = the image is { $width }×{ $height } pixels and needs { $most } MB of memory to decode; the limit is now { $allowed } MB
try-scale-it-down-with-picture-program = scale it down in an image editor
problem-picture-needs-too-much-memory-to = the image needs too much memory to decode
problem-this-kind-of-picture-is-not = this kind of image is not supported: { $error }
try-save-it-as-jpeg-or-png = save it as JPEG or PNG
problem-picture-file-is-cut-off-before = the image file is incomplete
problem-picture-is-damaged = the image is damaged: { $detail }
problem-file-is-empty = the file is empty
problem-file-is-not-picture = the file is not an image
try-jpeg-png-webp-bmp-gif-and = use a JPEG, PNG, WebP, BMP, GIF or TIFF file
problem-files-are-not-read = { $name } files are not supported
try-save-it-as-jpeg-or-png-2 = save it as JPEG or PNG (JPEG, PNG, WebP, BMP, GIF and TIFF are supported)
problem-there-is-no-record = there is no record { $index }
problem-no-data-set-was-given = no dataset was given
try-give-digits-letters-or-path-of = give digits, letters, or the path of a folder or archive
problem-there-is-no-such-data-set = no such dataset, folder or file exists
problem-is-not-seed-whole-number-is = '{ $seed }' is not a valid seed: a seed is a whole number
try-write-for-example-seed-1 = write, for example, seed:1
problem-is-not-class-order = '{ $text }' is not a valid class order
try-natural-seed-n-list-like-0 = use natural, seed:N, a list such as 0-4,6,5, a JSON file with an array of class names or indices, or one of { $value }
problem-class-order-is-not-json-array = the class order is not a JSON array of class names or class indices
try-it-should-look-like-cat-dog = write it as ["cat", "dog"] or [1, 0]
problem-there-is-no-class-order-named = there is no class order named '{ $name }'
problem-in-class-order-is-no-index = '{ $part }' in the class order is neither an index nor a range
try-write-indices-into-classes-sorted-by = use indices of the classes sorted by name, starting at 0: 0-4,6,5
problem-class-order-names-classes-data-set = the class order has classes that are not in the dataset: { $unknown }
try-names-must-match-class-names-letter = spell the names exactly like the class names
problem-class-order-holds-twice = the class order contains '{ $index }' twice
problem-class-order-holds-index-but-data = the class order contains index { $index }, but the dataset has { $classes }
try-indices-count-from-0-over-classes = indices start at 0 and refer to the classes sorted by name
problem-class-order-leaves-out = the class order is missing { $missing }
try-every-class-must-appear-once = list every class exactly once
problem-is-not-number-of-classes-per = '{ $text }' is not a valid number of classes per task
try-write-10-every-task-6-5 = write 10 (every task), 6,5,5,5,5 (each task) or 50+10 (the first task, then each further task)
problem-task-needs-at-least-one-class = a task needs at least one class
problem-tasks-hold-together-but-data-set = the tasks have { $total } in total, but the dataset has { $classes }
try-numbers-must-add-up-to-all = choose numbers that add up to the number of classes
problem-with-corrected-labels-no-training-picture = the corrected labels leave { $empty } without training images
try-take-one-of-corrected-labels-back = undo one of the corrected labels; `lae-studio train --corrected none` uses the original labels
try-data-set-is-folder-with-one-2 = use a folder with one subfolder of JPEG, PNG, WebP, BMP, GIF or TIFF images per class
try-data-set-is-folder-with-one-3 = use a folder with one subfolder of images per class; check that you chose the right folder
problem-crop-scale-from-to-is-not = a crop scale from { $low } to { $high } is not a valid range between 0 and 1
try-0-08-1-is-usual-one = 0.08,1 is the usual value; 0.5,1 is milder
problem-aspect-ratio-from-to-is-not = an aspect ratio from { $low } to { $high } is not a valid range of positive numbers
problem-input-of-pixels-is-outside-1 = an input size of { $size } pixels is not between 1 and { $largest_input }
problem-crop-ratio-of-is-not-between = a crop ratio of { $crop_ratio } is not between { $smallest_crop } and 1
try-0-875-is-usual-it-resizes = 0.875 is usual: it resizes the shorter side to 256 for an input size of 224
problem-crop-of-at-does-not-lie = a crop of { $width }×{ $height } at ({ $left }, { $top }) is not inside an image of { $width2 }×{ $height2 }
problem-picture-has-no-pixels = the image has no pixels
problem-pictures-pixels-do-not-fit-its = the image's pixel data does not match its size: { $error }
problem-pictures-target-has-wrong-length = the buffer for the resized image has the wrong length: { $error }
problem-could-not-resize-picture = could not resize the image: { $error }
problem-sets-nothing = "{ $pair }" does not set a value
try-write-it-as-name-number-for = write NAME=NUMBER, for example rank=8,alpha=0.5
problem-of-is-out-of-range = { $name } { $value } of { $name2 } is out of range
try-choose = choose { $range }
problem-size-of-has-its-own-setting = the size of { $name } is set separately
try-give-it-by-pet-size = use --pet-size
problem-has-no-number-to-be-chosen = { $name } has no adjustable number `{ $name2 }`
problem-has-no-size = { $name } has no size `{ $name2 }`
try-choose-to = choose a value from { $min } to { $max }
problem-nothing-computes-attention-of-block = nothing computes the attention of block { $block }
problem-there-is-no-pet-plugin = there is no PET plugin `{ $shown }`
problem-this-file-takes-place-of-built = this file would replace the built-in { $name }
try-give-it-another-name-or-allow = rename it, or allow it once; { $allow }
try-save-it-as-utf-8-in = save it as UTF-8 in a text editor
problem-plugin-cannot-be-used = the plugin cannot be used
problem-there-is-no-block-backbone-has = block { $block } does not exist: the backbone has { $count }, numbered from 0
try-choose-blocks-below = choose block numbers below { $count }
problem-needs-site-which-block-of-this = { $name } needs the site `{ $name2 }`, which block { $block } of this backbone does not have
try-choose-another-pet-or-backbone-this = choose another PET or backbone; this block has the sites { $offered }
problem-pet-has-no-parameter = the PET has no parameter `{ $shown }`
problem-pets-parameter-is-not = the PET's parameter `{ $name }` has shape { $dims }, not { $dims2 }
problem-no-pet-acts-at-of-block = there is no PET at `{ $name }` of block { $block }
problem-pet-gives-there = a PET returns a value of shape { $dims } there
problem-these-settings-cannot-be-read = could not read these settings: { $message }
try-correct-key-or-value-lae-studio = correct the key or value; `lae-studio train --help` lists all settings
problem-these-settings-cannot-be-written = could not write these settings: { $error }
try-give-count-from-1-to-or = give a number of blocks from 1 to { $depth }, or block numbers from 0 to { $depth2 }, such as 0,2,4
problem-of-characters-is-too-long = { $what } is too long ({ $length } characters)
try-use-at-most = use at most { $most }
problem-tags-are-too-many = there are too many tags ({ $tags })
try-use-at-most-2 = use at most { $tags }
problem-failed-its-self-test = { $name } failed its self-test: { $note }
problem-could-be-or = "{ $wanted }" could mean { $name } or { $name2 }
problem-device-cannot-be-used = could not use the device { $name }: { $why }
try-use-device-cpu-or-update-graphics = use --device cpu, or update the graphics driver
problem-device-was-lost = the device { $name } was lost
try-start-program-again-to-use-it = restart the program to use it again, or choose the CPU
problem-no-file-can-be-made-of = could not save the device test results: { $error }
problem-file-at-this-address-is-longer = the file at this address exceeds the limit of { $most } bytes
try-file-has-changed-or-is-another = the file has changed or is a different one: download it manually and choose the file
problem-folder-stands-where-file-should-go = a folder with the name of the file already exists
try-remove-or-rename-folder = remove or rename the folder
problem-server-could-not-go-on-in = the server could not resume the download
problem-file-at-this-address-has-bytes = the file at this address has { $total } bytes, expected { $size }
try-file-has-changed-since-this-version = the file has changed since this version was released: download it manually and choose the file
problem-download-was-stopped = the download was stopped
try-start-it-again-what-has-arrived = start it again: the part already downloaded is kept
problem-connection-broke-during-download = the connection was lost during the download: { $detail }
problem-this-is-not-address-of-file = this is not a valid file address: { $detail }
problem-address-leads-to-one-without-encryption = the address redirects to an unencrypted one: { $to }
try-use-address-that-begins-with-https = use an address that starts with https
problem-proxy-refused-connection = the proxy refused the connection: { $detail }
try-check-https-proxy-and-http-proxy = check the environment variables HTTPS_PROXY and HTTP_PROXY
problem-could-not-reach-server = could not reach the server: { $detail }
try-check-internet-connection-and-https-proxy = check the internet connection (and HTTPS_PROXY behind a proxy), or download the file manually and choose it
problem-another-program-is-downloading-this-file = another program is downloading this file
try-wait-until-it-is-done-then = wait until it has finished, then try again
try-download-it-again-if-it-happens = download it again; if this happens twice, the file at this address has changed: download it manually and choose the file
problem-tensor-is-not-made-of-f32 = a tensor does not contain f32 values: { $error }
problem-tensor-of-shape-stands-where-axes = a tensor has shape { $shape }, but { $d } axes are expected
problem-is-no-longer-made-of-finite = { $what } contains values that are not finite
try-use-smaller-base-lr-on-gpu = use a smaller --base-lr; on a GPU, try --device cpu to rule out the device; everything saved so far is kept
try-let-fewer-images-through-network-at = use a smaller micro-batch: `lae-studio resume RUN --micro-batch N` resumes with the same result; otherwise choose a smaller backbone, or train on the CPU (--device cpu)
problem-device-was-lost-system-reset-it = the device was lost: the system reset it, or it was unplugged
try-start-program-again-and-continue-run = restart the program and resume the run from its last saved epoch; if the device is lost again, use --device cpu
problem-device-failed = the device failed: { $error }
try-continue-run-from-its-last-saved = resume the run from its last saved epoch; if the device fails again, use --device cpu
problem-tensor-is-missing = the tensor { $name } is missing
problem-tensor-has-shape-not = the tensor { $name } has shape { $found }, not { $shape }
problem-tensors-cannot-be-written = could not write the tensors: { $error }
problem-this-tensor-file-cannot-be-read = could not read this tensor file: { $why }
try-file-may-be-cut-or-of = the file may be incomplete or of a different kind; use an earlier snapshot or train again
problem-internal-error-ended-this-job = an internal error stopped this job: { $text }
try-what-was-saved-is-kept-continue = everything saved so far is kept: resume the run; if it fails again, report the error
problem-folder-of-this-program-cannot-be = could not find the folder of this program
try-start-program-by-its-whole-path = start the program by its full path
try-move-program-to-folder-that-can = move the program to a writable folder, or start it without --portable
problem-folder-without-pictures = there are no images in this folder: { $found }
problem-empty-folder = there are no images in this folder: it is empty
problem-no-training-pictures = no usable training images were found
problem-no-training-pictures-left-out = no usable training images were found (skipped: { $left_out })
problem-only-one-class = only one class was found ({ $names }), but at least { $least } are needed
problem-only-few-classes = too few classes were found ({ $names }), at least { $least } are needed
problem-names-no-blocks = "{ $text }" contains no blocks
problem-no-block = no block has a PET
problem-block-beyond = block { $block } does not exist: the backbone has { $blocks }
problem-no-graphics-adapter = no hardware GPU was found on this computer
problem-no-such-device = there is no device "{ $wanted }"
try-a-device = choose a device by number or name: { $devices }
problem-no-file-at-address = there is no such file at this address (HTTP { $status })
problem-server-refuses = the server denied access to this file (HTTP { $status })
problem-fewer-requests = the server reports too many requests (HTTP { $status })
problem-server-fault = the server reported an internal error (HTTP { $status })
problem-server-not-understood = the server sent an unexpected response (HTTP { $status })
try-project-page = the file was moved: find it on the project's page, download it and choose the file
try-accept-licence = you may need to accept the licence on its page first; then download the file manually and choose it
try-in-some-minutes = try again in a few minutes
try-later = try again later
try-address = check the address
problem-other-file = the downloaded file is not the expected one: its SHA-256 is { $sha256 }, expected { $expected }
problem-other-length = the downloaded file has { $length } bytes, expected { $size }
try-meant = did you mean `{ $name }`?
try-nothing-to-choose = remove it: there is nothing to choose here
try-known = known names: { $names }
try-space-for-cache = free some disk space, or set LAE_STUDIO_CACHE to a folder on another disk
try-update-graphics-driver = update the graphics driver
try-update-driver-or-delete = update the graphics driver; delete { $file } to repeat the test
problem-device-out-of-memory = the device ran out of memory
problem-cannot-compute = { $name } cannot compute { $family }: { $why }
try-update-graphics-driver-then-try-again = update the graphics driver, then try again with `lae-studio devices --prepare`
problem-changed-since-this-run-began = { $what } changed since this run started
try-put-back-what-was-there-or = restore the previous state, or train a new run
try-lists-are-read-now = the classes or splits now come from { $lists }, which older versions ignored: to resume an older run, move { $n ->
        [one] this file
       *[other] these files
    } out of the folder
problem-has-gb-free-and-this-run = { $name } has { $free } GB free, but this run may need { $expected } GB
problem-backbones-weights-changed-since-this-run = the backbone's weights have changed since this run was trained
try-put-weight-file-back-that-run = restore the weight file that the run was trained with
problem-weights-of-this-run-are-not = the weights of this run are not on this computer
try-choose-backbone-on-experiment-and-download = choose the backbone on the Experiment page and download it there, then try again
problem-experts-gave-no-answer = the experts returned no prediction
problem-this-pictures-pixels-do-not-fill = this image's pixel data does not match its size
problem-weights-of-this-backbone-are-not = the weight file of this backbone is missing
try-put-file-there-or-choose-another = copy the file there, or choose another backbone
problem-it-took-too-long-and-was = it exceeded the time limit and was stopped
try-train-run-of-it-which-takes = train it as a full run, which has no time limit
problem-it-was-stopped = it was stopped
problem-there-is-no-preset-named = there is no preset named '{ $name }'
try-one-of = use one of { $names }
problem-too-many-images-cannot-be-read = too many images can no longer be read ({ $lost } of { $images }): { $what }
try-bring-disk-or-folder-back-then = make the disk or folder available again, then resume the run: it continues from its last finished epoch
problem-not-single-image-could-be-read = none of the images could be read
try-bring-disk-or-folder-back-then-2 = make the disk or folder available again, then resume the run
problem-this-run-was-stopped-and-then = tasks were added to this run after it was stopped, so it cannot be resumed
try-undo-its-added-tasks-then-continue = undo its added tasks, then resume it
problem-this-run-is-finished-there-is = this run is already finished
try-start-new-run-or-look-at = start a new run; `lae-studio runs` shows this one
problem-reading-pictures-failed = reading the images failed
problem-table-holds-other-pictures-by-now = the table now contains different images
try-predict-folder-again = predict the folder again
problem-this-is-no-table-of-predicted = this is not a table of predictions: { $error }
problem-there-is-no-picture-in-this = there is no image in this folder
try-choose-folder-with-pictures-or-with = choose a folder with images, or with subfolders of images
problem-table-was-stopped = writing the table was stopped
problem-experts-gave-too-few-answers = the experts returned too few predictions
problem-learns-all-classes-at-once-from = { $title } learns all classes at once from all images, so no class can be added
try-teach-run-of-another-method = add the task to a run of another method
problem-this-run-has-not-finished-task = this run has not finished any task yet
try-continue-it-until-its-first-task = resume it until its first task is finished
try-undo-earlier-added-task-or-train = undo an earlier added task, or train a new run with other settings
problem-data-has-new-classes = the dataset has classes that it did not have when this run started: { $names }
problem-data-lacks-classes = the dataset lacks classes that it had when this run started: { $names }
problem-data-has-other-classes = the classes of the dataset have changed since this run started: { $missing } missing, { $new } new
try-put-classes-back = restore the previous classes, or choose the folder that has them with --data; train a new run to learn new classes
problem-test-images-of-runs-data-set = the test images of the run's dataset have changed since it was trained
problem-learns-added-task-by-telling-its = { $title } learns an added task by distinguishing its classes, but this one has a single class
try-add-second-class-pictures-of-one = add a second class; images of a class that the run already knows are enough
problem-these-are-pictures-added-task-takes = { $pictures } images were given, but an added task accepts at most { $most_pictures }
try-give-fewer-pictures-or-train-new = use fewer images, or train a new run on all of them
problem-these-features-have-no-main-directions = these features have no principal components
problem-networks-last-block-gathers-nothing = the network's last block has no attention maps
problem-none-of-this-runs-test-pictures = none of this run's test images can be read
problem-training-images-of-this-data-set = the training images of this dataset have changed since this run was trained
try-put-back-what-was-there-or-2 = restore the previous images, or train a run on the present ones
problem-one-class-was-learned-by-then = only one class had been learned by this task, and the check needs at least two
try-ask-after-later-task = choose a later task
problem-there-are-too-few-training-pictures = there are too few training images for cross-validation
try-at-least-are-needed-and-two = use at least { $folds } training images, and at least two per class
problem-of-that-this-run-keeps-of = of the { $kept } that this run keeps from earlier tasks, { $found } cannot be found
problem-exemplars-without-data-set = { $title } replays { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} of the run, but the dataset of the run is not available
problem-exemplars-changed = { $title } replays { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} of the run, but the training images of its dataset have changed since it was trained
try-put-runs-data-set-back-where = restore the run's dataset to its original location and state
problem-saved-training-state-of-this-run = the saved training state of this run is missing: it starts again from its first task
try-nothing-need-be-done-tasks-that = no action is needed; saved tasks are trained again, with the same result on the CPU
problem-has-no-setting = { $title } has no setting "{ $key }"
try-cross-it-in-part-of-its = put it in a separate part of the grid, where all methods have it
problem-no-method-has-setting = no method has a setting "{ $key }"
problem-no-two-rows-of-this-grid = no two rows of this grid differ in the settings of a single method
try-give-setting-several-values-base-lr = give a setting several values: base_lr = [0.005, 0.01, 0.02]
problem-training-steps-do-not-suffice-for = { $budget } training steps are not enough for { $title }
try-one-of-its-settings-takes = one of its configurations needs { $steps }
problem-value-cannot-be-written = could not write a value: { $error }
problem-it-cannot-be-told-which-run = could not identify this run
try-look-whether-weight-file-can-be = check that the weight file can be read, and try again
problem-no-grid-is-called = there is no grid named "{ $wanted }"
problem-no-data-set-is-open = no dataset is open
problem-run-goes-on-with-at-once = { $out_of_memory }: the run continues with { $images } at once
try-nothing-need-be-done-it-begins = no action is needed: it continues from its last saved epoch, with the same result
try-start-program-again-and-continue-run-2 = restart the program and resume the run: from its last saved epoch on, it processes { $images } at once instead of { $at_once }, with the same result
problem-pet-of-is-too-large-to = a PET with { $values } is too large to measure here
try-choose-smaller-default-sizes = choose smaller default sizes
problem-name-tags-and-note-of-this = could not read the name, tags and note of this run: { $wrong }
try-give-them-again-run-itself-is = enter them again; the run itself is not affected
problem-this-cannot-be-written = could not write this: { $error }
problem-this-added-task-was-task-but = this added task was task { $task }, but the run has { $after } before it
try-move-folder-away-to-see-run = move the folder `{ $added_folder }` elsewhere to open the run without its added tasks
problem-this-added-task-cannot-be-read = could not read this added task: { $why }
try-restore-it-from-copy-or-move = restore it from a copy, or move its folder elsewhere
problem-this-added-task-was-taught-by = this added task was made by a newer version of LAE Studio
try-use-that-version-to-open-it = use that version to open it
problem-pictures-of-this-added-task-are = the images of this added task are not those it was trained on
try-put-runs-folder-back-as-it = restore the original content of the run's folder
problem-this-does-not-say-how-classes = this file does not specify how classes are learned: { $message }
try-move-it-away-and-answer-again = move it elsewhere and answer again
problem-answer-cannot-be-written = could not write the answer: { $error }
problem-checkpoints-counter-is-missing-or-unreadable = the counter "{ $name }" of the checkpoint is missing or unreadable
try-train-again-with-same-settings = train again with the same settings
problem-checkpoint-lacks = the checkpoint is missing { $name }
problem-this-file-is-no-checkpoint-of = this file is not a checkpoint of a run
try-its-finished-tasks-can-still-be = the finished tasks of the run can still be used; train the run again to get the others
try-give-path-of-list-or-none = give the path of a list, or none
problem-this-is-no-list-of-corrected = this is not a list of corrected labels: { $message }
try-correct-it-or-move-it-away = correct it, or move it elsewhere to use the original labels
problem-another-program-is-changing-corrected-labels = another program is changing the corrected labels
try-try-again-when-it-is-done = try again when it has finished
problem-corrected-labels-cannot-be-written = could not write the corrected labels: { $error }
problem-this-files-ending-names-no-export = the extension of this file is not an export format
try-end-it-in-csv-md-tex = use .csv, .md, .tex, .svg, .pdf, .png or .html
problem-there-is-no-figure-of-runs = there is no run figure named `{ $name }`
problem-this-figure-shows-one-run-and = this figure shows one run, but { $several } were given
try-name-run-or-latest = give the name of the run, or `latest`
problem-figure-cannot-be-drawn = could not draw the figure: { $error }
try-save-it-as-svg-instead = save it as SVG instead
try-what-was-saved-before-is-kept = check the disk, then resume the run; everything saved so far is kept
problem-another-program-is-working-on-this = another program is using this run
try-wait-until-it-has-finished-or = wait until it has finished, or stop it there first
problem-task-cannot-be-saved-tasks-before = could not save task { $task }: { $rows } earlier tasks are saved
try-remove-this-folder-by-hand-run = delete this folder manually; the run is complete without it
problem-link-stands-where-folder-of-run = a folder of the run was replaced by a link
try-put-folder-itself-in-its-place = replace the link with the folder itself, then resume the run
problem-none-of-these-runs-has-finished = none of these runs has a finished task
try-export-run-once-its-first-task = export a run after its first task is finished
problem-reading-this-run-failed-inside-program = an internal error occurred while reading this run
try-move-its-folder-away-other-runs = move its folder elsewhere; the other runs are not affected
problem-no-run-is-called = there is no run named "{ $wanted }"
problem-could-be-runs = "{ $wanted }" matches { $several } runs
try-write-more-of-name = type more of the name: { $several }
problem-this-run-is-here-already = this run already exists: { $run }
try-nothing-need-be-done-delete-that = delete the existing run first if you want to unpack it again
problem-this-run-was-packed-by-newer = this run was packed by a newer version of LAE Studio
problem-this-packed-run-was-refused = this packed run was rejected: { $why }
try-ask-for-it-once-more-from = get it again from where it was packed
problem-this-packed-run-is-damaged = this packed run is damaged: { $error }
problem-added-task-cannot-be-packed = could not pack an added task: { $error }
problem-program-is-working-on-this-run = this run is in use and cannot be packed now
problem-runs-figures-cannot-be-written = could not write the metrics of the run: { $error }
problem-run-cannot-be-read = could not read the run: { $error }
problem-run-cannot-be-packed = could not pack the run: { $other }
problem-run-cannot-be-packed-2 = could not pack the run: { $error }
problem-run-changed-while-it-was-packed = the run was changed while it was being packed: { $name } is different now
try-pack-it-again = pack it again
problem-copying-pictures-was-stopped = copying the images was stopped
problem-this-picture-is-no-longer-one = this image has changed since it was learned
problem-this-added-task-has-no-test = this added task has no test image { $index }
problem-this-folder-holds-no-run-it = this folder does not contain a run (it has no run.toml)
try-lae-studio-runs-lists-runs-there = run `lae-studio runs` to list the runs
problem-there-is-built-in-plugin-and = there is a built-in plugin named { $name }
try-give-this-one-another-name-or = give this plugin another name, or allow replacing the built-in one
problem-notes-cannot-be-written = could not write the notes: { $error }
try-restore-file-from-copy-without-it = restore the file from a copy; the run works without it, but less can be verified
problem-what-run-is-made-of-cannot = could not write the provenance of the run: { $error }
problem-queue-is-not-kept-when-this = the queue will not be saved when this window closes
try-another-window-keeps-its-own-line = another window saves its own queue there; close that window first
problem-queue-cannot-be-written = could not write the queue: { $error }
problem-some-runs-that-waited-in-queue = some queued runs could not be read
try-set-them-up-again = add them to the queue again
problem-runs-facts-cannot-be-written = could not write the metadata of the run: { $error }
try-this-file-is-damaged-restore-it = restore this damaged file from a copy, or train the run again
problem-this-run-was-made-by-newer = this run was made by a newer version of LAE Studio
problem-snapshot-cannot-be-described = could not describe a snapshot: { $error }
problem-snapshot-of-task-goes-on-from = the snapshot of task { $task } was made from a different file than this one
problem-no-task-is-saved = no task is saved
problem-there-is-no-column-of-runs = there is no run column `{ $key }`
try-figure-or-setting-as-train-has = use a metric ({ $figures }), or a setting named as in `train`
problem-condition-of-characters-is-too-long = a condition of { $text } characters is too long
try-use-at-most-3 = use at most { $longest }
problem-compares-nothing = `{ $shown }` is not a comparison
try-write-it-like-final-85-or = write, for example, `final > 85` or `method = l2p`
problem-lacks-one-of-its-sides = `{ $shown }` is missing one side
problem-is-no-number-and-is-one = `{ $value }` is not a number, but { $name } needs one
try-give-percent-like-final-85 = give a percentage, for example `final > 85`
problem-is-figure-and-rows-are-told = { $figure } is a metric, but rows can only be grouped by settings
try-name-setting-there-and-figures-in = use a setting there, and metrics in --columns
problem-no-row-has-only-runs-with = there is no row whose runs all have `{ $text }`
try-name-value-of-one-of-columns = use a value of one of the columns in --by
problem-several-rows-have-only-runs-with = there is more than one row whose runs all have `{ $text }`
try-add-condition-with-and-that-one = add a condition with `and` that only one row meets
problem-table-by-columns-is-no-figure = a table with chosen columns cannot be exported as a figure or report
try-end-file-in-csv-md-or = use the extension .csv, .md or .tex, or omit --by, --columns, --sort, --against and --published
problem-table-cannot-be-written = could not write the table: { $error }
problem-table-cannot-be-written-2 = could not write a table: { $error }
problem-this-table-of-run-is-damaged = this table of the run is damaged: { $why }
try-restore-it-from-copy-or-train = restore it from a copy, or train the run again
problem-added-task-cannot-be-written = could not write the added task: { $error }
problem-this-run-has-no-added-task = this run has no added task to undo
problem-this-run-is-link-to-folder = this run is a link to a folder elsewhere
try-delete-folder-that-it-leads-to = delete the folder it points to, or remove the link yourself
problem-this-run-waits-in-queue-to = this run is in the queue to be resumed
try-remove-it-from-queue-first-then = remove it from the queue first, then delete it
problem-this-is-no-deleted-run = this is not a deleted run
try-lae-studio-restore-lists-deleted-runs = run `lae-studio restore` to list the deleted runs
problem-link-stands-where-trash-should-be = the trash folder was replaced by a link
try-remove-link-then-delete-run-again = remove the link, then delete the run again
problem-there-is-no-method = there is no method "{ $key }"
try-one-of-2 = use one of { $value }
problem-is-no-value-of-setting = { $given } is not a valid value of the setting "{ $setting }"
try-give = use { $range }
problem-sets-nothing-2 = "{ $text }" does not set a value
try-write-it-as-key-value-for = write KEY=VALUE, for example --set length=5
problem-this-method-needs-pet-plugin = this method needs a PET plugin
try-give-every-class-company-classes-per = put at least two classes in each task: --classes-per-task { $sizes }
try-freeze-fewer = freeze fewer epochs: { $place } { $usual }
problem-more-epochs-are-frozen-than-there = the number of frozen epochs exceeds the number of epochs
try-give-number-up-to-epochs = choose a number up to --epochs
problem-trains-backbones-own-weights-which-cannot = { $title } trains the backbone's own weights, which is not possible in { $key }
try-choose-f32-or-method-that-leaves = choose f32, or a method that does not train the backbone
problem-network-as-it-was-after-task = the network after task { $tasks } was not saved
try-ask-for-last-task-of-finished = choose the last task of the finished run, or train with --set keep_weights=every
problem-esns-task-token-needs-backbone-with = ESN's task token needs a backbone with a class token, which only a ViT has
try-choose-vit-or-another-method = choose a ViT, or another method
problem-this-backbone-has-no-class-token = this backbone has no class token
problem-no-can-be-drawn-that-is = could not draw a new vector of { $name } that is orthogonal to the previous ones
try-begin-this-run-anew = start this run again
problem-coda-prompt-needs-blocks-and-even = CODA-Prompt needs blocks and an even length: one half is keys, the other values
problem-cannot-be-shared-among = { $components } cannot be divided among { $tasks }
try-give-or-more = use { $tasks } or more
problem-components-of-channels-cannot-be-orthogonal = { $pool } components of { $width } channels cannot all be orthogonal
try-give-or-less = use { $width } or fewer
problem-of-coda-prompts-components-are-never = { $unused } of CODA-Prompt's { $pool } components are never used: each of { $tasks } tasks gets { $share }
try-or-share-out-evenly = use { $unused } or { $share }, which can be divided evenly
problem-block-cannot-have-g-prompt-and = block { $block } cannot have both a G prompt and an E prompt
try-let-g-blocks-and-e-blocks = choose different blocks for g_blocks and e_blocks
problem-dualprompt-needs-e-prompts-blocks-slots = DualPrompt needs E prompts with blocks, slots and a length
problem-g-prompts-need-length = G prompts need a length
problem-l2p-needs-pool-of-prompts-with = L2P needs a pool of prompts with tokens, and at least one prompt per image
problem-image-cannot-take-of = an image cannot use { $top_k } of { $pool }
try-give-or-less-or-larger-pool = use { $pool } or fewer, or a larger pool
problem-s-prompts-stand-beside-class-token = { $title }'s prompts need a backbone with a class token, which only a ViT has
try-name-blocks-from-0-to = use block numbers from 0 to { $depth }
problem-tensor-is-not = the tensor { $name } has shape { $found }, not { $shape }
problem-nothing-has-been-learned-yet = nothing has been learned yet
problem-batch-has-no-images = a batch has no images
problem-no-backbone-is-called = there is no backbone named { $name }
try-give-name-of-table-or-path = give a name from the table, or the path of a weight file
problem-no-backbone-is-chosen = no backbone is chosen
try-is-part-of-program = choose a backbone, for example { $embedded }, which is built in
problem-weights-of-are-not-there = the weights of { $name } were not found
try-correct-file-in-table-of-backbones = correct the file path in the backbone table
problem-it-is-another-file-than-one = { $what }: it differs from the file downloaded first
try-if-its-makers-say-that-they = if the publisher confirms the change, delete { $place } and download it again
problem-what-came-from-is-no-weight = the download from { $url } is not a weight file: { $what }
try-try-again-later-without-internet-download = try again later; without internet access, download it on another computer and use that file as the backbone
problem-weights-of-are-not-expected-ones = the weights of { $name } are not the expected ones: their SHA-256 is { $sha256 }, expected { $known }
try-delete-file-and-download-it-again = delete the file and download it again, or use it as a separate weight file
problem-its-weights-take-mb-of-memory = its { $weights } weights need { $needed } MB of memory, but only { $free } MB are free
try-state-dimensions-of-smaller-network = specify the dimensions of a smaller network
problem-table-of-backbones-cannot-be-read = could not read the backbone table: { $message }
try-correct-this-line-entries-of-other = correct this line; the entries of the other tables are still available
try-give-entry-shorter-name = give the entry a shorter name
problem-entry-of-backbone-cannot-be-read = could not read the entry of backbone { $name }: { $why }
try-correct-entry-see-docs-backbones-md = correct the entry (see docs/backbones.md)
problem-entry-of-backbone-makes-no-sense = the entry of backbone { $name } is not valid: { $why }
problem-weight-file-is-damaged-holds = the weight file is damaged: { $name } contains { $holds }
try-copy-or-download-file-again = copy or download the file again
problem-backbones-weight-is-missing = the backbone's weight { $name } is missing
problem-backbones-weight-is-instead-of = the backbone's weight { $name } has shape { $found }, not { $shape }
try-choose-backbone-these-weights-were-made = choose the backbone that these weights were made for, or choose the file itself as the backbone to read its dimensions
problem-there-is-no-tensor = there is no tensor { $name }
problem-folder-was-given-where-weight-file = this is a folder, not a weight file
try-name-safetensors-pth-bin-or-npz = choose a .safetensors, .pth, .bin or .npz file
problem-this-is-no-usable-weight-file = this is not a usable weight file: { $why }
try-choose-safetensors-file-pytorch-state-dict = choose a .safetensors file, a PyTorch state dict (.pth, .bin) or an original ViT .npz file; if it was downloaded, download it again
try-fetch-file-with-git-lfs = run `git lfs pull` in the repository, or download the file from the repository's page
try-download-file-not-page = download the file itself: open its address in a browser to log in or accept its licence
problem-weights-kept-as-can-be-neither = weights in { $kept } can neither be trained nor exported
try-train-run-in-f32-for-that = train a run in f32
problem-this-backbone-has-no-place-for = this backbone does not support { $what }
try-choose-vit-with-class-token = choose a ViT with a class token
problem-is-no-known-family-of-backbones = { $name } is not a known backbone family
try-known-are = known families: { $names }
problem-weight-file-belongs-to-none-of = the weight file does not match any known family ({ $titles }); its tensors are { $names }
try-choose-weights-of-one-of-these = choose weights of one of these families, with the tensor names used by timm
problem-weight-file-holds-several-networks = the weight file contains more than one network: their first tensors are { $names }
try-save-state-dict-of-one-network = save the state dict of one network with torch.save, or choose a file that contains only one network
problem-models-on-cannot-be-written-for = models with a { $family } backbone cannot be exported to PyTorch yet
problem-these-dimensions-do-not-fit-together = these { $title } dimensions are inconsistent: { $wrong }
try-state-dimensions-of-real-network-input = specify the dimensions of a real network; an input size of 224 pixels is usual
problem-epsilon-of-layer-norms-does-not = the epsilon of the layer norms is { $epsilon }, which is not between 0 and 1
try-1e-6-and-1e-5-are = 1e-6 and 1e-5 are usual
problem-of-grid-could-not-be-finished = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} of the grid could not be finished
try-see-lines = fix the first error: { $what }; the lines of the failed runs show the others
problem-pass-is-not-saved = could not save this epoch, training continues: { $what }
problem-run-is-as-it-was = { $what }; the run was not changed
problem-count-image = { $n ->
    [one] { $n } image
   *[other] { $n } images
}
problem-map-has-no-axes-yet = the map has no axes yet
problem-no-helper-thread-could-be-started = could not start a worker thread: { $error }
problem-engine-thread-did-not-start = could not start the engine thread: { $error }
problem-no-row-of-this-search-is-whole = no row of this search is complete
try-lines-of-its-runs-say-what = see the lines of its runs for the errors, then start the same search again
problem-engine-has-ended = the engine has stopped
problem-single-class-task = task { $task } has a single class: the loss is computed over the classes of one task, so nothing is learned there
problem-single-class-tasks = tasks { $tasks } have a single class each: the loss is computed over the classes of one task, so nothing is learned there
problem-only-epoch-frozen = from the second task on, the only epoch is frozen, so the PET learns nothing
problem-all-epochs-frozen = from the second task on, all { $n } epochs are frozen, so the PET learns nothing
try-micro-batch = use --micro-batch { $images }, which needs less memory and gives the same result
try-smaller-backbone = choose a smaller backbone, or train on the CPU (--device cpu)
problem-task-without-training = task { $task } has no training images
problem-task-without-test = task { $task } has no test images
try-add-training-images = add training images for its classes
try-add-test-images = add test images for its classes, or give a folder without a test split
problem-weights-do-not-fit = the weight file does not match this { $family } backbone; tensors: { $faults }
problem-weights-of-another = the weight file does not match this { $family } backbone: it contains a { $other } network; tensors: { $faults }
problem-processor-without-bf16 = this CPU does not support bf16 multiplication (AVX512-BF16, AMX or Arm's bf16 instructions are required)
problem-card-without-bf16 = { $name } supports f32 and f16 weights; bf16 is for the CPU only
try-f32 = choose f32
try-f16 = choose f16, or --device cpu
problem-f32-on-cpu = the backbone's weights are kept as f32, which the CPU kernels are made for
problem-f32-on-card = the backbone's weights are kept as f32: this GPU does not support half precision correctly
try-a-card-for-half = omit the option, or train on a GPU
try-another-card-for-half = omit the option, or train on another GPU
problem-not-kept-older-version = the data that { $title } needs to learn another task is missing: an older version of the program finished the run
problem-not-kept-stopped = the data that { $title } needs to learn another task is missing: the run was stopped before it finished
try-train-again-same-settings = train the run again with the same settings
try-continue-to-the-end = resume the run until it is finished, then add the task
problem-cannot-learn-another-task = { $title } cannot learn another task now: { $what }
problem-no-room-for-another-task = { $title } has no room for another task: { $what }
try-no-own-settings = remove it: this method has no settings of its own
try-its-settings = its settings are { $keys }
problem-network-kept-after-every-task = the whole network is saved after every task ({ $megabytes } MB each time)
problem-network-kept-after-last-task = the network ({ $megabytes } MB) is saved only after the last task, so images can only be predicted with that state
try-keep-last = --set keep_weights=last saves only the last one
try-keep-every = --set keep_weights=every saves it after every task
problem-no-such-weight-file = there is no weight file { $name }
try-meant-plain = did you mean { $name }?
try-weight-file-or-one-of = give the path of a weight file, or one of { $names }
problem-no-loss-noted = this run has no recorded loss: its method does not train in epochs, or an older version trained it
try-no-runs-yet = there are no runs in { $root } yet
try-there-are = the existing runs are { $names }
# Errors in plugins and formulas (mistake-…), and their remedies (mend-…).
mistake-has-more-than-letters = { $called } has more than { $most_letters } characters
mistake-parentheses-nest-more-than-deep = parentheses are nested more than { $deepest } levels deep
mistake-this-is-never-closed = this `(` is never closed
mistake-ends-after = { $called } ends after `{ $shown }`
mistake-is-empty = { $called } is empty
mistake-is-not-number = `{ $shown }` is not a number
mistake-has-more-than-names-and-signs = { $called } has more than { $most_tokens } names and symbols
mistake-has-no-meaning-in = `{ $letter }` is not allowed in { $any }
mistake-equation-has-at-most-steps = an equation has at most { $most_steps } steps
mistake-step-name-is-taken-already = the step name `{ $name }` is already in use
mistake-step-is-used-by-no-later = the step `{ $name }` is not used by any later step
mistake-equation-has-no-result = the equation has no result
mistake-equation-gives-number-where-tensor-is = the equation returns a number, but a tensor is needed
mistake-unknown-name = unknown name `{ $name }`
mend-is-function-write = `{ $name }` is a function: write { $name }(…)
mistake-is-name-of-default-form-already = `{ $name }` is already the name of the default variant
mistake-plugin-has-at-most-variants = a plugin has at most { $most_variants } variants
mistake-there-is-no-parameter = there is no parameter `{ $name }`
mistake-equation-for-which-sites-does-not = there is an equation for `{ $key }`, which is not listed in `sites`
mistake-is-empty-2 = { $what } is empty
mistake-there-is-no-equation-for-site = there is no equation for the site `{ $name }`
mend-write-or = write `{ $name } = "…"` or `{ $every } = "…"`
mistake-unknown-function = unknown function `{ $name }`
mistake-takes-and-got = `{ $name }` takes { $takes } but got { $given }
mend-write = write { $usage }
mistake-no-backbone-family-offers-these-sites = no backbone family offers these sites together
mistake-shape-of-in-block = the shape of `{ $name }` in block { $block } is not valid: { $reason }
mistake-file-has-bytes-plugin-has-at = the file has { $bytes } bytes; a plugin can have at most { $most_bytes }
mistake-not-valid-toml = not valid TOML: { $message }
mend-compare-with-one-of-built-in = compare it with one of the built-in plugins
mistake-name-must-be-1-to-40 = `name` must have 1 to 40 characters and no slashes
mistake-sites-must-name-at-least-one = `sites` must list at least one site
mistake-site-is-named-twice = the site `{ $name }` is listed twice
mistake-there-is-no-site = there is no site `{ $name }`
mistake-plugin-has-at-most-parameters = a plugin has at most { $most_parameters } parameters
mend-write-bias-of-d-channels-as = write a bias of d channels as [1, "d"], a single number as [1, 1]
mistake-name-is-taken-it-means = the name `{ $name }` is already in use: it means { $owner }
mend-write-one-of = write one of { $value }
mistake-plugin-has-at-most-constants = a plugin has at most { $most_constants } constants
mistake-constant-needs-both-min-and-max = constant `{ $name }` needs both `min` and `max`, with min ≤ default ≤ max
mistake-shape-has-no-0 = a shape cannot contain 0
mend-shape-is-made-of-sizes-numbers = a shape can contain sizes, numbers, + - * / and parentheses
mistake-must-be-number = { $what } must be a number
mistake-size-needs-1-min-default-max = size `{ $name }` needs 1 ≤ min ≤ default ≤ max ≤ { $most_size }, not { $min }, { $default }, { $max }
mistake-plugin-has-no-equation = the plugin has no equation
mistake-parameter-is-used-by-no-equation = the parameter `{ $name }` is not used in any equation
mistake-has-no-variant = { $name } has no variant `{ $name2 }`
mistake-result-needs = the equation for `{ $name }` returns { $found }, but { $needed } is needed there, the shape of `{ $like }`
mistake-result-needs-at-least = the equation for `{ $name }` returns { $found }, but { $needed } is needed there, the shape of `{ $like }`, or more tokens
mend-tried-with-blocks-of-channels = tested with { $name } blocks of { $width } channels
mend-named-are = the listed sites are { $sets }
mistake-plugins-forms-have-far-too-many = the plugin has far too many parameters: more than { $value } million in a block of { $width } channels
mend-use-smaller-sizes-or-fewer-variants = use smaller sizes, or fewer variants
mistake-equation-for-gives-numbers-that-are = the equation for `{ $name }` returns values that are not finite
mend-look-for-divisions-by-0-roots = check for division by 0, roots of negative numbers and exp of large numbers
problem-cannot-be-read = could not read this
problem-name-too-long = a name has { $letters } characters; the limit is { $most }
mistake-no-value-before = a name or a number is missing before `{ $shown }`
mistake-comma = a comma is only allowed between arguments
mistake-no-operator-before = an operator is missing before `{ $shown }`
mistake-closes-nothing = this `)` has no matching `(`

# The words before a list of names, which the window shortens.
try-before-names = one of
problem-count-block = { $n ->
    [one] { $n } block
   *[other] { $n } blocks
}
problem-count-class = { $n ->
    [one] { $n } class
   *[other] { $n } classes
}
problem-count-picture = { $n ->
    [one] { $n } image
   *[other] { $n } images
}
problem-count-prompt = { $n ->
    [one] { $n } prompt
   *[other] { $n } prompts
}
problem-count-task = { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
problem-count-training-image = { $n ->
    [one] { $n } training image
   *[other] { $n } training images
}
problem-count-value = { $n ->
    [one] { $n } value
   *[other] { $n } values
}
problem-count-argument = { $n ->
    [one] { $n } argument
   *[other] { $n } arguments
}

# A LoRA of peft as the initial values of a PET.
problem-start-shared = `{ $parameter }` is shared by several layers, but the adapter has different values for each
try-start-per-site = use a plugin with per_site = true, such as LoRA all
problem-start-no-lora = { $pet } has no A and B at `{ $site }` that the adapter could initialise
try-start-no-lora = choose LoRA, LoRA all, or a plugin with h + e @ a @ b there
problem-start-unreadable = could not read { $file }: { $error }
try-start-folder = choose the folder in which peft saved a LoRA of a ViT, with adapter_config.json and adapter_model.safetensors
problem-start-kind = the adapter is { $kind }, but a PET can only start from a plain LoRA
problem-start-bias = the adapter is a LoRA that also trains biases, but a PET can only start from a plain LoRA
problem-start-field = the adapter has { $field } = { $value }, so it may not be a plain LoRA: a PET can only start from B · A with alpha and rank
try-start-plain = train a plain LoRA in peft, or omit --pet-start
problem-start-no-matrix = { $name } is not a matrix
problem-start-ranks = A and B of { $layer } have different ranks, { $a } and { $b }
problem-start-not-finite = { $layer } contains values that are not finite
problem-start-nothing = the adapter does not change any linear layer
problem-start-none = this folder does not contain a peft adapter
problem-start-channels = the adapter's { $layer } has { $from } input and { $to } output channels, but the backbone's has { $inputs } and { $outputs }
try-start-backbone = choose the backbone that the adapter was trained on
problem-start-rank = the adapter's { $layer } has rank { $rank }, but the PET's size is { $size }
try-start-rank = use --pet-size { $rank }
problem-start-scale = the PET scales its change of { $layer } by 0
try-start-scale = choose another scale with --pet-set
problem-start-elsewhere = the adapter changes { $layer }, where this run has no PET
try-start-elsewhere = choose the blocks with --blocks, and a PET that acts on the same layers (LoRA all, or a copy of it)
problem-start-part = the adapter changes the { $site } part of { $layer }, but this run's PET does not
try-start-part = use LoRA all, or a copy of it with these sites
problem-start-changed = the adapter that this run's PET started from has changed
try-start-changed = restore the two files of the adapter
problem-start-changes = the adapter was changed while it was being copied
try-start-changes = train again when no program is writing to it

# Export to other programs.
problem-method-has-no-recipe = this method cannot be exported to other programs yet: its predictions need more than features and scores
try-method-with-recipe = export a run of one of these methods: { $methods }
problem-export-taken = this path already exists and is not an empty folder
try-export-taken = choose a new or empty folder
problem-export-no-pet = this run has no PET, so there is nothing for peft to load
try-export-torch = use --format torch, which supports every PET
problem-export-no-lora = { $pet } is not a LoRA that peft can load: at `{ $site }` its equation is not h + scale * (e @ A @ B), or it does not act on a linear layer of timm
problem-export-no-form = `{ $name }` in the PET's equation cannot be exported to ONNX
problem-export-too-large = this network is too large for a single ONNX file

# iCaRL.
problem-icarl-few = { $budget ->
    [one] { $budget } exemplar is
   *[other] { $budget } exemplars are
} not enough for { $classes }: classes without an exemplar would never be predicted
try-icarl-few = use at least --set exemplars={ $classes }
problem-icarl-memory = up to { $images } of earlier tasks are replayed, which other methods do not use
try-icarl-memory = when comparing it with other methods, note that part of the difference is due to replay

problem-no-common-folder = these images have no common folder
try-one-drive-at-a-time = choose images from one drive at a time

problem-cpu-instead = { $what }; using the CPU instead
