# Errors (problem-…) and remedies (advice-…): sentences without a capital letter and a full stop; the code that shows them
# adds both.

problem-and-more = { $names } and { $n } more
advice-check-path = check that the path exists
advice-check-permissions = check the permissions of this file or folder
advice-free-disk-space = free some disk space or choose another folder, then continue
advice-choose-regular-file = choose a regular file of the expected type
advice-choose-writable-folder = choose a writable folder
advice-choose-other-path = choose another path, or rename the file or folder that is in the way
problem-no-folder-or-archive = this is neither a folder nor a supported archive
advice-give-folder-or-archive = give a folder, a .zip, .tar, .tar.gz, .tar.xz or .tm archive, or a .parquet file
problem-teachable-machine-model = this is a model exported from Teachable Machine, without its images
advice-download-teachable-machine-project = in Teachable Machine, open the menu, choose Download project as file, and give the .tm file
problem-teachable-machine-project-type = Teachable Machine projects of type `{ $manifest }` are not supported; only image projects are
advice-give-image-project = give an image project, or a folder with one subfolder of images per class
problem-archive-damaged = the archive is damaged or incomplete: { $error }
advice-copy-or-download-again = copy or download it again
problem-archive-memory-limit = unpacking this archive exceeds the memory limit for archives
advice-unpack-or-compress-less = unpack it manually and give the folder, or compress it with `xz -9` or a lower level
problem-zip-kind-unsupported = this kind of ZIP file is not supported: { $why }
advice-unpack-and-give-folder = unpack it and give the folder
problem-archive-format-unsupported = { $form } archives are not supported
problem-dataset-format-unsupported = { $form } files are not supported
advice-save-images-to-folders = save the images as JPEG or PNG files in one folder per class
problem-archive-rejected = the archive was rejected: { $why }
advice-unpack-if-intended = if this is intended, unpack it manually and give the folder
problem-built-in-dataset-damaged = the built-in dataset is damaged: { $why }
problem-cifar-file-damaged = the CIFAR file is damaged: { $what }
advice-download-again = download it again
problem-too-many-corrected-labels = { $list } corrected labels exceed the limit of { $most }
advice-correct-labels-in-dataset = correct the labels in the dataset itself
problem-image-sha256-digits = the SHA-256 of { $picture } does not have 64 hexadecimal digits
advice-copy-hash-from-list = copy it from a list written by this program
problem-label-corrected-twice = the label of { $picture } is corrected twice
advice-remove-one-entry = remove one of the two entries
problem-no-crop-boxes = the file does not contain crop boxes in the expected format
problem-no-crop-box-for-image = there is no crop box for this image
problem-names-unwritten = could not write the names: { $error }
problem-folder-not-empty = the folder is not empty
advice-choose-new-folder = choose a new folder
problem-export-format-unspecified = the file name does not specify an export format
advice-dataset-export-extension = use the extension .tm for Teachable Machine, or .zip for an image folder
problem-archive-unwritten = could not write the archive: { $error }
problem-image-unwritten = could not write an image: { $error }
problem-table-without-matching-images = the folder contains { $total }, but `{ $table }` gives no class for any of them
advice-add-csv-file-label = add a CSV with the columns file,label (file names as in the folder), or make one subfolder per class
problem-images-without-classes = the folder contains { $total }, but no class subfolders, and no CSV or list file with the classes
advice-use-class-folders-or-splits = use a folder with one subfolder of images per class, or with train and test folders that have such subfolders
problem-list-too-long = the list has far more lines than there are images
problem-list-names-no-image = no entry of this list matches an image in its folder
problem-matlab-file = this is not a MATLAB file (level 5) with the numeric matrix `{ $name }`
advice-matlab-version = download it again; save it with -v7 if it was saved with -v7.3
problem-parquet-without-images = the Parquet file has no column with image files
problem-parquet-compression = the Parquet file is compressed with { $codec }; only Snappy and uncompressed files are supported
advice-datasets-to-folders = load it with the Python package datasets and save it with to_parquet, or save its images in one folder per class
problem-lists-without-classes = { $lists } list images, but not their classes
problem-lists-assign-different-classes = these lists assign different classes to the same images: { $lists }
problem-lists-assign-different-splits = these lists assign the same images to different splits: { $lists }
advice-give-one-list = give the list to use as the dataset, for example `{ $path }`, or move the others elsewhere
problem-list-two-labels-per-image = `{ $file }` gives { $n ->
    [one] { $n } image
   *[other] { $n } images
} two labels: { $images }
advice-one-class-per-image = keep one row per image: each image has exactly one class
problem-several-class-columns = `{ $file }` lists images, but several columns could be the class column: { $columns }
problem-several-columns-marked = `{ $file }` marks more than one of these columns for the same image: { $columns }
advice-name-class-column = append the name of the class column to the path, as in `{ $path }#{ $column }`, or rename the column to `label`
problem-several-split-folders = these folders contain more than one pair of training and test images: { $folders }
problem-splits-without-classes = the folders { $folders } contain training and test images, but no class folders, and no table or list gives the classes
problem-classes-or-splits-unclear = it is unclear whether these image folders are classes or include the training split: { $folders }
problem-folders-for-all-images = these folders are not classes, because one has the usual name of a folder for all images: { $folders }
problem-folders-are-collection-parts = these folders are named like parts of one image collection, not like classes: { $folders }
problem-images-next-to-folders = { $beside ->
    [one] { $beside } image is
   *[other] { $beside } images are
} next to the folders, which contain only { $inside }: the folders are probably not the classes
advice-class-folders-or-csv = make one subfolder of images per class (in each split), or add a CSV with the columns file and label
problem-batch-size-zero = a batch needs at least one image
problem-thread-not-started = could not start a thread: { $error }
problem-share-out-of-range = a share of { $share } is not valid: it must be at least 0 and less than 1
advice-share-of-one-fifth = 0.2 holds out every fifth image
problem-image-limit-zero = a limit of 0 images per class leaves no images
problem-opening-dataset-stopped = opening the dataset was stopped
problem-domainnet-not-downloadable = DomainNet cannot be downloaded by this program
advice-unpack-domainnet-domains = unpack its six domains and their lists (clipart_train.txt, …) into one folder and give that folder
problem-dataset-not-downloaded = { $name } has not been downloaded to this computer
advice-download-dataset = download it ({ $megabytes } MB) with: lae-studio data { $name } --download, or give the path of a copy
problem-pickle-unreadable = could not read the pickle file: { $what } at byte { $at }
advice-download-binary-version = download it again, or use the binary version of the dataset
problem-image-decoding-memory-limit = the image is { $width }×{ $height } pixels and needs { $most } MB of memory to decode; the limit is now { $allowed } MB
advice-scale-image-down = scale it down in an image editor
problem-image-decoding-memory = the image needs too much memory to decode
problem-image-kind-unsupported = this kind of image is not supported: { $error }
advice-save-as-jpeg-or-png = save it as JPEG or PNG
problem-image-file-incomplete = the image file is incomplete
problem-image-damaged = the image is damaged: { $detail }
problem-file-empty = the file is empty
problem-file-is-no-image = the file is not an image
advice-supported-image-formats = use a JPEG, PNG, WebP, BMP, GIF or TIFF file
problem-file-format-unsupported = { $name } files are not supported
advice-save-as-supported-image = save it as JPEG or PNG (JPEG, PNG, WebP, BMP, GIF and TIFF are supported)
problem-no-record = there is no record { $index }
problem-no-dataset-given = no dataset was given
advice-give-dataset = give digits, letters, or the path of a folder or archive
problem-dataset-not-found = there is no such dataset, folder or file
problem-seed-invalid = `{ $seed }` is not a valid seed: a seed is a whole number
advice-write-seed = write, for example, seed:1
problem-class-order-invalid = `{ $text }` is not a valid class order
advice-class-order-forms = use natural, seed:N, a list such as 0-4,6,5, a JSON file with an array of class names or indices, or one of { $value }
problem-class-order-no-json-array = the class order is not a JSON array of class names or class indices
advice-class-order-json = write it as ["cat", "dog"] or [1, 0]
problem-class-order-not-found = there is no class order named `{ $name }`
problem-class-order-part-invalid = `{ $part }` in the class order is neither an index nor a range
advice-use-class-indices = use indices of the classes sorted by name, starting at 0: 0-4,6,5
problem-class-order-unknown-classes = the class order has classes that are not in the dataset: { $unknown }
advice-match-class-names-exactly = spell the names exactly like the class names
problem-class-order-duplicate = the class order contains `{ $index }` twice
problem-class-order-index-too-large = the class order contains index { $index }, but the dataset has { $classes }
advice-class-indices-start-at-zero = indices start at 0 and refer to the classes sorted by name
problem-class-order-incomplete = the class order is missing { $missing }
advice-list-every-class-once = list every class exactly once
problem-classes-per-task-invalid = `{ $text }` is not a valid number of classes per task
advice-classes-per-task-forms = write 10 (every task), 6,5,5,5,5 (each task) or 50+10 (the first task, then each further task)
problem-task-without-classes = a task needs at least one class
problem-classes-per-task-sum = the tasks have { $total } in total, but the dataset has { $classes }
advice-sum-to-class-count = choose numbers that add up to the number of classes
problem-corrected-labels-empty-classes = the corrected labels leave { $empty } without training images
advice-undo-corrected-label = undo one of the corrected labels; `lae-studio train --corrected none` uses the original labels
advice-use-class-folders-of-formats = use a folder with one subfolder of JPEG, PNG, WebP, BMP, GIF or TIFF images per class
advice-use-class-folders-check-folder = use a folder with one subfolder of images per class; check that you chose the right folder
problem-crop-scale-invalid = a crop scale from { $low } to { $high } is not a valid range between 0 and 1
advice-usual-crop-scale = 0.08,1 is the usual value; 0.5,1 is milder
problem-input-size-out-of-range = an input size of { $size } pixels is not between 1 and { $largest_input }
problem-crop-ratio-out-of-range = a crop ratio of { $crop_ratio } is not between { $smallest_crop } and 1
advice-usual-crop-ratio = 0.875 is usual: it resizes the shorter side to 256 for an input size of 224
problem-crop-outside-image = a crop of { $width }×{ $height } at ({ $left }, { $top }) is not inside an image of { $width2 }×{ $height2 }
problem-image-without-pixels = the image has no pixels
problem-pixel-data-size-mismatch = the image's pixel data does not match its size: { $error }
problem-resize-buffer-length = the buffer for the resized image has the wrong length: { $error }
problem-image-not-resized = could not resize the image: { $error }
problem-number-assignment-invalid = `{ $pair }` does not set a value
advice-write-name-number = write NAME=NUMBER, for example rank=8,alpha=0.5
problem-plugin-number-out-of-range = { $name } { $value } of { $name2 } is out of range
advice-choose-range = choose { $range }
problem-pet-size-set-separately = the size of { $name } is set separately
advice-use-pet-size = use --pet-size
problem-plugin-number-not-adjustable = { $name } has no adjustable number `{ $name2 }`
problem-plugin-size-unknown = { $name } has no size `{ $name2 }`
advice-choose-between = choose a value from { $min } to { $max }
problem-block-attention-missing = no equation computes the attention of block { $block }
problem-plugin-not-found = there is no PET plugin `{ $shown }`
problem-replaces-built-in-plugin = this file would replace the built-in { $name }
advice-rename-or-allow-once = rename it, or allow it once; { $allow }
advice-save-as-utf8 = save it as UTF-8 in a text editor
problem-plugin-unusable = the plugin cannot be used
problem-block-not-found = block { $block } does not exist: the backbone has { $count }, numbered from 0
advice-choose-blocks-below = choose block numbers below { $count }
problem-block-without-site = { $name } needs the site `{ $name2 }`, which block { $block } of this backbone does not have
advice-choose-pet-for-sites = choose another PET or backbone; this block has the sites { $offered }
problem-pet-parameter-not-found = the PET has no parameter `{ $shown }`
problem-pet-parameter-shape = the PET's parameter `{ $name }` has shape { $dims }, not { $dims2 }
problem-no-pet-at-site = there is no PET at `{ $name }` of block { $block }
problem-pet-result-shape = a PET returns a value of shape { $dims } there
problem-settings-unreadable = could not read these settings: { $message }
advice-correct-setting = correct the key or value; `lae-studio train --help` lists all settings
problem-settings-unwritten = could not write these settings: { $error }
advice-blocks-count-or-list = give a number of blocks from 1 to { $depth }, or block numbers from 0 to { $depth2 }, such as 0,2,4
problem-text-too-long = { $what } is too long ({ $length } characters)
advice-use-at-most = use at most { $most }
problem-too-many-tags = there are too many tags ({ $tags })
advice-limit-tags = use at most { $tags }
problem-device-self-test-failed = { $name } failed its self-test: { $note }
problem-device-name-ambiguous = `{ $wanted }` could mean { $name } or { $name2 }
problem-device-unusable = could not use the device { $name }: { $why }
advice-use-cpu-or-update-driver = use --device cpu, or update the graphics driver
problem-device-lost = the device { $name } was lost
advice-restart-or-choose-cpu = restart the program to use it again, or choose the CPU
problem-device-results-unwritten = could not save the device test results: { $error }
problem-download-too-large = the file at this address exceeds the limit of { $most } bytes
advice-download-file-manually = the file has changed or is a different one: download it manually and choose the file
problem-folder-has-file-name = a folder with the name of the file already exists
advice-remove-or-rename-folder = remove or rename the folder
problem-download-not-resumable = the server could not resume the download
problem-download-size-mismatch = the file at this address has { $total } bytes, expected { $size }
advice-file-changed-since-release = the file has changed since this version was released: download it manually and choose the file
problem-download-stopped = the download was stopped
advice-restart-download = start it again: the part already downloaded is kept
problem-download-connection-lost = the connection was lost during the download: { $detail }
problem-file-address-invalid = this is not a valid file address: { $detail }
problem-address-unencrypted-redirect = the address, or one that it redirects to, is not encrypted: { $to }
advice-use-https-address = use an address that starts with https
problem-proxy-refused = the proxy refused the connection: { $detail }
advice-check-proxy-variables = check the environment variables HTTPS_PROXY and HTTP_PROXY
problem-server-unreachable = could not reach the server: { $detail }
advice-check-internet-connection = check the internet connection (and HTTPS_PROXY behind a proxy), or download the file manually and choose it
problem-file-downloaded-elsewhere = another program is downloading this file
advice-wait-then-try-again = wait until it has finished, then try again
advice-redownload-then-manually = download it again; if this happens twice, the file at this address has changed: download it manually and choose the file
problem-tensor-not-f32 = a tensor does not contain f32 values: { $error }
problem-tensor-axes-mismatch = a tensor has shape { $shape }, but { $d } dimensions are expected
problem-values-not-finite = { $what } contains values that are not finite
advice-use-smaller-base-lr = use a smaller --base-lr; on a GPU, try --device cpu to rule out the device; everything saved so far is kept
advice-use-smaller-micro-batch = use a smaller micro-batch: `lae-studio resume RUN --micro-batch N` resumes with the same result; otherwise choose a smaller backbone, or train on the CPU (--device cpu)
problem-device-lost-reset = the device was lost: the system reset it, or it was unplugged
advice-restart-and-resume = restart the program and resume the run from its last saved epoch; if the device is lost again, use --device cpu
problem-device-failed = the device failed: { $error }
advice-resume-from-last-epoch = resume the run from its last saved epoch; if the device fails again, use --device cpu
problem-tensor-missing = the tensor { $name } is missing
problem-tensor-shape-mismatch = the tensor { $name } has shape { $found }, not { $shape }
problem-tensors-unwritten = could not write the tensors: { $error }
problem-tensor-file-unreadable = could not read this tensor file: { $why }
advice-use-earlier-snapshot = the file may be incomplete or of a different kind; use an earlier snapshot or train again
problem-internal-error = an internal error stopped this job: { $text }
advice-resume-or-report-error = everything saved so far is kept: resume the run; if it fails again, report the error
problem-program-folder-not-found = could not find the folder of this program
advice-start-by-full-path = start the program by its full path
advice-move-program-or-not-portable = move the program to a writable folder, or start it without --portable
problem-folder-without-images = there are no images in this folder: { $found }
problem-folder-empty = there are no images in this folder: it is empty
problem-no-training-images = no usable training images were found
problem-no-training-images-skipped = no usable training images were found (skipped: { $left_out })
problem-only-one-class = only one class was found ({ $names }), but at least { $least } are needed
problem-too-few-classes = too few classes were found ({ $names }): at least { $least } are needed
problem-blocks-empty = `{ $text }` contains no blocks
problem-no-block-with-pet = no block has a PET
problem-block-out-of-range = block { $block } does not exist: the backbone has { $blocks }
problem-no-gpu = no hardware GPU was found on this computer
problem-device-not-found = there is no device `{ $wanted }`
advice-choose-device = choose a device by number or name: { $devices }
problem-address-without-file = there is no such file at this address (HTTP { $status })
problem-server-denied-access = the server denied access to this file (HTTP { $status })
problem-too-many-requests = the server reports too many requests (HTTP { $status })
problem-server-error = the server reported an internal error (HTTP { $status })
problem-server-response-unexpected = the server sent an unexpected response (HTTP { $status })
advice-find-on-project-page = the file was moved: find it on the project's page, download it and choose the file
advice-accept-licence = check the name; you may need to accept the licence on its page and set HF_TOKEN, or download the file manually and choose it
advice-retry-in-minutes = try again in a few minutes
advice-retry-later = try again later
advice-check-address = check the address
problem-download-hash-mismatch = the downloaded file is not the expected one: its SHA-256 is { $sha256 }, expected { $expected }
problem-downloaded-length-mismatch = the downloaded file has { $length } bytes, expected { $size }
advice-did-you-mean = did you mean `{ $name }`?
advice-remove-unneeded-choice = remove it: there is nothing to choose here
advice-known-names = known names: { $names }
advice-free-space-for-cache = free some disk space, or set LAE_STUDIO_CACHE to a folder on another disk
advice-update-driver = update the graphics driver
advice-update-driver-or-retest = update the graphics driver; delete { $file } to repeat the test
problem-device-out-of-memory = the device ran out of memory
problem-cannot-compute = { $name } cannot compute { $family }: { $why }
advice-update-driver-then-prepare = update the graphics driver, then try again with `lae-studio devices --prepare`
problem-changed-since-run-start = { $what } changed since this run started
advice-restore-or-train-new = restore the previous state, or train a new run
advice-move-ignored-lists = the classes or splits now come from { $lists }, which older versions ignored: to resume an older run, move { $n ->
        [one] this file
       *[other] these files
    } out of the folder
problem-gpu-memory-short = { $name } has { $free } GB free, but this run may need { $expected } GB
problem-backbone-weights-changed = the backbone's weights have changed since this run was trained
advice-restore-weight-file = restore the weight file that the run was trained with
problem-run-weights-missing = the weights of this run are not on this computer
advice-download-backbone-on-experiment = choose the backbone on the Experiment page and download it there, then try again
problem-no-prediction = the experts returned no prediction
problem-image-pixel-count = this image's pixel data does not match its size
problem-backbone-file-missing = the weight file of this backbone is missing
advice-copy-file-or-choose-backbone = copy the file there, or choose another backbone
problem-trial-stopped = stopped at { $percent } % of its training
problem-preset-not-found = there is no preset named `{ $name }`
advice-one-of-names = use one of { $names }
problem-too-many-images-unreadable = too many images can no longer be read ({ $lost } of { $images }): { $what }
advice-restore-images-and-resume = make the disk or folder available again, then resume the run: it continues from its last finished epoch
problem-no-image-readable = none of the images could be read
advice-restore-disk-and-resume = make the disk or folder available again, then resume the run
problem-stopped-run-has-added-tasks = tasks were added to this run after it was stopped, so it cannot be resumed
advice-undo-added-tasks = undo its added tasks, then resume it
problem-run-finished = this run is already finished
advice-start-new-run = start a new run; `lae-studio runs` shows this one
problem-reading-images-failed = reading the images failed
problem-table-images-changed = the table now contains different images
advice-predict-folder-again = classify the folder again
problem-no-prediction-table = this is not a table of predictions: { $error }
problem-no-image-in-folder = there is no image in this folder
advice-choose-image-folder = choose a folder with images, or with subfolders of images
problem-table-stopped = writing the table was stopped
problem-too-few-predictions = the experts returned too few predictions
problem-joint-method-cannot-add = { $title } learns all classes at once from all images, so no class can be added
advice-use-run-of-other-method = add the task to a run of another method
problem-no-finished-task = this run has not finished any task yet
advice-resume-until-first-task = resume it until its first task is finished
advice-undo-added-task-or-train = undo an earlier added task, or train a new run with other settings
problem-dataset-has-new-classes = the dataset has classes that it did not have when this run started: { $names }
problem-dataset-lacks-classes = the dataset lacks classes that it had when this run started: { $names }
problem-dataset-classes-changed = the classes of the dataset have changed since this run started: { $missing } missing, { $new } new
advice-restore-classes = restore the previous classes, or choose the folder that has them with --data; train a new run to learn new classes
problem-test-images-changed = the test images of the run's dataset have changed since it was trained
problem-added-task-single-class = { $title } learns an added task by distinguishing its classes, but this one has a single class
advice-add-second-class = add a second class (it may be one that the run knows), or use a run of a method that accepts a single class, such as LAE, SimpleCIL or RanPAC
problem-single-class-needs-dataset = { $title } learns a single class by comparing it with training images of the run, but { $why }
advice-restore-dataset-or-add-class = restore the run's dataset to its original location and state, or add a second class
problem-added-task-too-many-images = { $pictures } images were given, but an added task accepts at most { $most_pictures }
advice-use-fewer-images = use fewer images, or train a new run on all of them
problem-features-no-principal-components = these features have no principal components
problem-no-attention-maps = the network's last block has no attention maps
problem-no-test-image-readable = none of this run's test images can be read
problem-training-images-changed = the training images of this dataset have changed since this run was trained
advice-restore-images-or-train = restore the previous images, or train a run on the present ones
problem-single-class-learned = only one class had been learned by this task, and the check needs at least two
advice-choose-later-task = choose a later task
problem-too-few-images-for-folds = there are too few training images for cross-validation
advice-images-for-folds = use at least { $folds } training images, and at least two per class
problem-kept-images-missing = of the { $kept } that this run keeps from earlier tasks, { $found } cannot be found
problem-exemplars-without-dataset = { $title } replays { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} of the run, but the dataset of the run is not available
problem-exemplars-changed = { $title } replays { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} of the run, but the training images of its dataset have changed since it was trained
advice-restore-dataset = restore the run's dataset to its original location and state
problem-training-state-missing = the saved training state of this run is missing: it starts again from its first task
advice-tasks-trained-again = no action is needed; saved tasks are trained again, with the same result on the CPU
problem-method-lacks-setting = { $title } has no setting `{ $key }`
advice-put-in-grid-part = put it in a separate part of the grid, where all methods have it
problem-setting-not-found = no method has a setting `{ $key }`
problem-grid-rows-not-comparable = no two rows of this grid differ in the settings of a single method
advice-give-several-values = give a setting several values: base_lr = [0.005, 0.01, 0.02]
problem-too-few-training-steps = { $budget } training steps are not enough for { $title }
advice-steps-needed = one of its configurations needs { $steps }
problem-run-not-identified = could not identify this run
advice-check-weight-file = check that the weight file can be read, and try again
problem-grid-not-found = there is no grid named `{ $wanted }`
problem-continues-with-fewer-images = { $out_of_memory }: the run continues with { $images } at once
advice-continues-from-last-epoch = no action is needed: it continues from its last saved epoch, with the same result
advice-restart-with-smaller-batches = restart the program and resume the run: from its last saved epoch on, it processes { $images } at once instead of { $at_once }, with the same result
problem-pet-too-large-to-measure = a PET with { $values } is too large to measure here
advice-choose-smaller-defaults = choose smaller default sizes
problem-run-note-unreadable = could not read the name, tags and note of this run: { $wrong }
advice-enter-note-again = enter them again; the run itself is not affected
problem-not-written = could not write this: { $error }
problem-added-task-number = this added task was task { $task }, but the run has { $after } before it
advice-move-added-tasks-folder = move the folder `{ $added_folder }` elsewhere to open the run without its added tasks
problem-added-task-unreadable = could not read this added task: { $why }
advice-restore-or-move-folder = restore it from a copy, or move its folder elsewhere
problem-added-task-newer-version = this added task was made by a newer version of LAE Studio
advice-use-newer-version = use that version to open it
problem-added-task-images-changed = the images of this added task are not those it was trained on
advice-restore-run-folder = restore the original content of the run's folder
problem-arrival-file-invalid = this file does not specify how classes are learned: { $message }
advice-move-file-and-answer = move it elsewhere, then choose again how classes are learned
problem-answer-unwritten = could not write the answer: { $error }
problem-checkpoint-counter-unreadable = the counter `{ $name }` of the checkpoint is missing or unreadable
advice-train-again = train again with the same settings
problem-checkpoint-incomplete = the checkpoint is missing { $name }
problem-no-checkpoint = this file is not a checkpoint of a run
advice-finished-tasks-usable = the finished tasks of the run can still be used; train the run again to get the others
advice-give-list-or-none = give the path of a list, or none
problem-no-list-of-corrections = this is not a list of corrected labels: { $message }
advice-correct-or-move-list = correct it, or move it elsewhere to use the original labels
problem-corrected-labels-locked = another program is changing the corrected labels
advice-retry-when-finished = try again when it has finished
problem-corrected-labels-unwritten = could not write the corrected labels: { $error }
problem-extension-not-exportable = the extension of this file is not an export format
advice-use-export-extension = use .csv, .md, .tex, .svg, .pdf, .png or .html
problem-run-figure-not-found = there is no figure of runs named `{ $name }`
problem-figure-shows-one-run = this figure shows one run, but { $several } were given
advice-name-run-or-latest = give the name of the run, or `latest`
problem-figure-not-drawn = could not draw the figure: { $error }
advice-save-as-svg = save it as SVG instead
advice-check-disk-and-resume = check the disk, then resume the run; everything saved so far is kept
problem-run-in-use = another program is using this run
advice-wait-or-stop-there = wait until it has finished, or stop it there first
problem-task-unsaved = could not save task { $task }: { $rows } earlier tasks are saved
advice-delete-folder-manually = delete this folder manually; the run is complete without it
problem-run-folder-is-link = a folder of the run was replaced by a link
advice-replace-link-with-folder = replace the link with the folder itself, then resume the run
problem-no-run-with-finished-task = none of these runs has a finished task
advice-export-after-first-task = export a run after its first task is finished
problem-run-reading-internal-error = an internal error occurred while reading this run
advice-move-run-folder = move its folder elsewhere; the other runs are not affected
problem-run-not-found = there is no run named `{ $wanted }`
problem-run-name-ambiguous = `{ $wanted }` matches { $several } runs
advice-type-more-of-name = type more of the name: { $several }
problem-run-exists = this run already exists: { $run }
advice-delete-existing-run = delete the existing run first if you want to unpack it again
problem-packed-by-newer-version = this run was packed by a newer version of LAE Studio
problem-packed-run-rejected = this packed run was rejected: { $why }
advice-get-packed-run-again = get a new copy of the file
problem-packed-run-damaged = this packed run is damaged: { $error }
problem-added-task-not-packed = could not pack an added task: { $error }
problem-run-in-use-not-packed = this run is in use and cannot be packed at the moment
problem-run-metrics-unwritten = could not write the metrics of the run: { $error }
problem-run-unreadable = could not read the run: { $error }
problem-run-not-packed-why = could not pack the run: { $other }
problem-run-not-packed = could not pack the run: { $error }
problem-run-changed-while-packing = the run was changed while it was being packed: { $name } is different now
advice-pack-again = pack it again
problem-copying-images-stopped = copying the images was stopped
problem-image-changed-since-learned = this image has changed since it was learned
problem-added-task-test-image = this added task has no test image { $index }
problem-run-is-file = this is a file, not the folder of a run
advice-unpack-run-first = give the folder or the name of a run; open a packed run with `lae-studio unpack` first
problem-folder-without-run = this folder does not contain a run (it has no run.toml)
advice-list-runs = run `lae-studio runs` to list the runs
problem-built-in-plugin-name = there is a built-in plugin named { $name }
advice-rename-or-replace-plugin = give this plugin another name, or allow replacing the built-in one
problem-notes-unwritten = could not write the notes: { $error }
advice-restore-provenance-file = restore the file from a copy; the run works without it, but less can be verified
problem-provenance-unwritten = could not write the provenance of the run: { $error }
problem-queue-not-saved = the queue will not be saved when this window closes
advice-close-other-window = another window saves its own queue there; close that window first
problem-queue-unwritten = could not write the queue: { $error }
problem-queued-runs-unreadable = some queued runs could not be read
advice-queue-again = add them to the queue again
problem-run-metadata-unwritten = could not write the metadata of the run: { $error }
advice-restore-damaged-file = restore this damaged file from a copy, or train the run again
problem-run-newer-version = this run was made by a newer version of LAE Studio
problem-snapshot-not-described = could not describe a snapshot: { $error }
problem-snapshot-other-file = the snapshot of task { $task } was made from a different file than this one
problem-no-saved-task = no task is saved
problem-run-column-not-found = there is no column `{ $key }`
advice-use-metric-or-setting = use a metric ({ $figures }), or a setting named as in `train`
problem-condition-too-long = a condition with { $text } characters is too long
advice-limit-characters = use at most { $longest }
problem-condition-no-comparison = `{ $shown }` is not a comparison
advice-write-condition = write, for example, `final > 85` or `method = l2p`
problem-condition-side-missing = `{ $shown }` is missing one side
problem-condition-needs-number = `{ $value }` is not a number, but { $name } needs one
advice-give-percentage = give a percentage, for example `final > 85`
problem-group-by-metric = { $figure } is a metric, but rows can only be grouped by settings
advice-group-by-setting = use a setting there, and metrics in --columns
problem-no-row-with-value = there is no row whose runs all have `{ $text }`
advice-use-value-of-columns = use a value of one of the columns in --by
problem-several-rows-with-value = there is more than one row whose runs all have `{ $text }`
advice-narrow-row-condition = add a condition with `and` that only one row meets
problem-table-columns-not-exportable = a table with chosen columns cannot be exported as a figure or report
advice-use-table-extension = use the extension .csv, .md or .tex, or omit --by, --columns, --sort, --against and --published
problem-run-table-unwritten = could not write a table: { $error }
problem-run-table-damaged = this table of the run is damaged: { $why }
advice-restore-or-train-again = restore it from a copy, or train the run again
problem-added-task-unwritten = could not write the added task: { $error }
problem-no-added-task = this run has no added task to undo
problem-run-is-link = this run is a link to a folder elsewhere
advice-delete-linked-folder = delete the folder it points to, or remove the link yourself
problem-run-queued = this run is in the queue to be resumed
advice-remove-from-queue = remove it from the queue first, then delete it
problem-no-deleted-run = this is not a deleted run
advice-list-deleted-runs = run `lae-studio restore` to list the deleted runs
problem-trash-is-link = the trash folder was replaced by a link
advice-remove-trash-link = remove the link, then delete the run again
problem-method-not-found = there is no method `{ $key }`
advice-one-of-values = use one of { $value }
problem-setting-value-invalid = { $given } is not a valid value of the setting `{ $setting }`
advice-use-range = use { $range }
problem-setting-assignment-invalid = `{ $text }` does not set a value
advice-write-key-value = write KEY=VALUE, for example --set length=5
problem-method-needs-pet = this method needs a PET plugin
advice-two-classes-per-task = put at least two classes in each task: --classes-per-task { $sizes }
advice-freeze-fewer-epochs = freeze fewer epochs: { $place } { $usual }
problem-too-many-frozen-epochs = the number of frozen epochs exceeds the number of epochs
advice-limit-frozen-epochs = choose a number up to --epochs
problem-precision-not-trainable = { $title } trains the backbone's own weights, which is not possible in { $key }
advice-choose-f32-or-method = choose f32, or a method that does not train the backbone
problem-network-not-saved = the network after task { $tasks } was not saved
advice-choose-last-task = choose the last task of the finished run, or train with --set keep_weights=every
problem-esn-needs-class-token = ESN's task token needs a backbone with a class token, which only a ViT has
advice-choose-vit-or-method = choose a ViT, or another method
problem-no-class-token = this backbone has no class token
problem-no-orthogonal-vector = could not draw a new vector of { $name } that is orthogonal to the previous ones
advice-start-run-again = start this run again
problem-coda-prompt-length = CODA-Prompt needs blocks and an even length: one half is keys, the other values
problem-components-fewer-than-tasks = { $components } cannot be divided among { $tasks }
advice-use-or-more = use { $tasks } or more
problem-components-exceed-channels = { $pool } components of { $width } channels cannot all be orthogonal
advice-use-or-fewer = use { $width } or fewer
problem-coda-prompt-unused-components = { $unused } of CODA-Prompt's { $pool } components are never used: each of { $tasks } tasks gets { $share }
advice-divide-components-evenly = use { $unused } or { $share }, which can be divided evenly
problem-no-block-for-prompts = { $setting } has block { $block }, but the backbone has { $depth } blocks
problem-block-with-both-prompts = block { $block } cannot have both a general prompt and an expert prompt
advice-separate-g-and-e-blocks = choose different blocks for g_blocks and e_blocks
problem-dualprompt-needs-e-prompts = DualPrompt needs expert prompts with blocks, slots and a length
problem-g-prompts-without-length = general prompts need a length
problem-l2p-needs-prompt-pool = L2P needs a pool of prompts with tokens, and at least one prompt per image
problem-top-k-exceeds-pool = an image cannot use { $top_k } of { $pool }
advice-smaller-top-k = use { $pool } or fewer, or a larger pool
problem-prompts-need-class-token = { $title }'s prompts need a backbone with a class token, which only a ViT has
advice-use-block-numbers = use block numbers from 0 to { $depth }
problem-nothing-learned = nothing has been learned yet
problem-batch-empty = a batch has no images
problem-backbone-not-downloaded = there is no file { $name }, and the model hub's repository of this name has not been downloaded
advice-download-backbone = correct the path, or download the repository: `lae-studio train` downloads it, as does the button Download on Experiment
problem-backbone-values-missing = neither the weight file nor a config.json next to it contains { $values }
advice-give-backbone-values = put the model's config.json (and preprocessor_config.json) next to the weight file, or give the values, for example --backbone-set heads=12,normalisation=imagenet
problem-backbone-value-invalid = { $what } is not a value of a backbone
advice-backbone-values = give pairs such as heads=16,activation=quick_gelu,normalisation=imagenet,interpolation=bicubic,crop_ratio=0.9; mean and std are three numbers (0.5:0.5:0.5)
problem-mean-without-std = mean and std must be given together
problem-backbone-value-of-table = the table entry of backbone { $name } already sets { $what }
advice-own-backbone-entry = add your own entry to a backbone table, or choose the weight file
problem-model-description-unreadable = the model's description is not valid JSON: { $error }
problem-transform-unsupported = this image transform is not supported: { $why }
problem-backbone-not-found = there is no backbone named { $name }
advice-give-backbone-or-file = give a name from the table, or the path of a weight file
problem-no-backbone-chosen = no backbone is chosen
advice-choose-built-in-backbone = choose a backbone, for example { $embedded }, which is built in
problem-weights-not-found = the weights of { $name } were not found
advice-correct-backbone-path = correct the file path in the backbone table
problem-hash-changed = { $what }: it differs from the file downloaded first
advice-hash-changed = if the publisher confirms the change, delete { $place } and download it again
problem-download-no-weight-file = the download from { $url } is not a weight file: { $what }
advice-download-on-other-computer = try again later; without internet access, download it on another computer and use that file as the backbone
problem-weights-hash-mismatch = the weights of { $name } are not the expected ones: their SHA-256 is { $sha256 }, expected { $known }
advice-delete-file-and-hash = delete the file and download it again; if this happens again and the publisher confirms the change, also delete { $place }
advice-delete-and-download-again = delete the file and download it again, or use it as a separate weight file
problem-weights-memory-short = the network's { $weights } weights need { $needed } MB of memory, but only { $free } MB are free
advice-specify-smaller-network = specify the dimensions of a smaller network
problem-backbone-table-unreadable = could not read the backbone table: { $message }
advice-correct-table-line = correct this line; the entries of the other tables are still available
advice-shorten-entry-name = give the entry a shorter name
problem-backbone-entry-unreadable = could not read the entry of backbone { $name }: { $why }
advice-correct-backbone-entry = correct the entry (see docs/backbones.md)
problem-backbone-entry-invalid = the entry of backbone { $name } is not valid: { $why }
problem-weight-file-damaged = the weight file is damaged: { $name } contains { $holds }
advice-get-weight-file-again = copy or download the file again
problem-backbone-weight-missing = the backbone's weight { $name } is missing
problem-backbone-weight-shape = the backbone's weight { $name } has shape { $found }, not { $shape }
advice-choose-matching-backbone = choose the backbone that these weights were made for, or choose the file itself as the backbone to read its dimensions
problem-position-embedding-grid = the position embedding is trained on { $grid }×{ $grid } patches; these images have { $columns }×{ $rows }
problem-position-biases-window = the biases of relative positions are trained for windows of { $side }×{ $side } tokens; these images have windows of { $columns }×{ $rows }
problem-parameter-without-gradient = { $name } received no gradient
problem-tensor-not-found = there is no tensor { $name }
problem-folder-is-no-weight-file = this is a folder, not a weight file
advice-choose-weight-file-format = choose a .safetensors, .pth, .pt, .ckpt, .bin or .npz file
problem-weights-in-shards = the weights are divided into several files, which is not supported
advice-save-one-weight-file = save them in one file, with transformers: model.save_pretrained(folder, max_shard_size="100GB")
problem-weight-file-unusable = this is not a usable weight file: { $why }
advice-choose-usable-weight-file = choose a .safetensors file, a PyTorch state dict (.pth, .pt, .ckpt, .bin) or an original ViT .npz file; if it was downloaded, download it again
advice-fetch-with-git-lfs = run `git lfs pull` in the repository, or download the file from the repository's page
advice-download-file-not-page = download the file itself: open its address in a browser to log in or accept its licence
problem-precision-prediction-only = weights in { $kept } can neither be trained nor exported
advice-train-in-f32 = train a run in f32
problem-backbone-lacks-feature = this backbone does not support { $what }
advice-choose-vit-with-class-token = choose a ViT with a class token
problem-family-unknown = { $name } is not a known backbone family
advice-known-families = known families: { $names }
problem-weight-file-family-unknown = the weight file does not match any known family ({ $titles }); its tensors are { $names }
advice-choose-known-family = choose weights of one of these families, with the tensor names used by timm
problem-weight-file-several-networks = the weight file contains more than one network: their first tensors are { $names }
advice-save-one-state-dict = save the state dict of one network with torch.save, or choose a file that contains only one network
problem-family-not-exportable = models with a { $family } backbone cannot be exported to PyTorch yet
problem-dimensions-inconsistent = these { $title } dimensions are inconsistent: { $wrong }
advice-specify-real-dimensions = specify the dimensions of a real network; an input size of 224 pixels is usual
problem-epsilon-out-of-range = the epsilon of the layer norms is { $epsilon }, which is not between 0 and 1
advice-usual-epsilon = 1e-6 and 1e-5 are usual
problem-grid-runs-failed = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} of the grid could not be finished
advice-fix-first-error = fix the first error: { $what }; the lines of the failed runs show the others
problem-epoch-not-saved = could not save this epoch; training continues: { $what }
problem-run-unchanged = { $what }; the run was not changed
problem-map-without-axes = the axes of the feature map have not been computed yet
problem-search-row-incomplete = no row of this search is complete
advice-see-run-errors = see the lines of its runs for the errors, then start the same search again
problem-engine-stopped = the engine has stopped
problem-single-class-task = task { $task } has a single class: the loss is computed over the classes of one task, so nothing is learned there
problem-single-class-tasks = tasks { $tasks } have a single class each: the loss is computed over the classes of one task, so nothing is learned there
problem-only-epoch-frozen = from the second task on, the only epoch is frozen, so the PET learns nothing
problem-all-epochs-frozen = from the second task on, all { $n } epochs are frozen, so the PET learns nothing
advice-use-micro-batch = use --micro-batch { $images }, which needs less memory and gives the same result
advice-smaller-backbone-or-cpu = choose a smaller backbone, or train on the CPU (--device cpu)
problem-task-without-training-images = task { $task } has no training images
problem-task-without-test-images = task { $task } has no test images
advice-add-training-images = add training images for its classes
advice-add-test-images = give each of its classes more images, or test images if the dataset has a test split
problem-weights-mismatch = the weight file does not match this { $family } backbone; tensors: { $faults }
problem-weights-of-other-family = the weight file does not match this { $family } backbone: it contains a { $other } network; tensors: { $faults }
problem-cpu-without-bf16 = this CPU does not support bf16 multiplication (AVX512-BF16, AMX or Arm's bf16 instructions are required)
problem-gpu-without-bf16 = { $name } supports f32 and f16 weights; bf16 is for the CPU only
advice-choose-f32 = choose f32
advice-choose-f16-or-cpu = choose f16, or --device cpu
problem-f32-on-cpu = the backbone's weights are kept as f32, the format that the CPU kernels use
problem-f32-on-gpu = the backbone's weights are kept as f32: this GPU does not support half precision correctly
advice-train-on-gpu = omit the option, or train on a GPU
advice-train-on-other-gpu = omit the option, or train on another GPU
problem-learning-data-older-version = the data that { $title } needs to learn another task is missing: an older version of the program finished the run
problem-learning-data-run-stopped = the data that { $title } needs to learn another task is missing: the run was stopped before it finished
advice-train-run-again = train the run again with the same settings
advice-resume-then-add-task = resume the run until it is finished, then add the task
problem-cannot-learn-another-task = { $title } cannot learn another task now: { $what }
problem-no-room-for-task = { $title } has no room for another task: { $what }
advice-remove-method-setting = remove it: this method has no settings of its own
advice-list-method-settings = its settings are { $keys }
problem-network-saved-every-task = the whole network is saved after every task ({ $megabytes } MB each time)
problem-network-saved-last-task = the network ({ $megabytes } MB) is saved only after the last task, so images can only be classified with that state
advice-save-last-network = --set keep_weights=last saves only the last one
advice-save-every-network = --set keep_weights=every saves it after every task
problem-weight-file-not-found = there is no weight file { $name }
advice-did-you-mean-plain = did you mean { $name }?
advice-give-weight-file-or-name = give the path of a weight file, or one of { $names }
problem-no-loss-recorded = this run has no recorded loss: its method does not train in epochs, or an older version trained it
advice-no-runs-yet = there are no runs in { $root } yet
advice-existing-runs = the existing runs are { $names }
# Errors in plugins and formulas, and their remedies.
problem-equation-too-long = { $called } has more than { $most_letters } characters
problem-parentheses-too-deep = parentheses are nested more than { $deepest } levels deep
problem-parenthesis-never-closed = this `(` is never closed
problem-equation-ends-early = { $called } ends unexpectedly after `{ $shown }`
problem-equation-empty = { $called } is empty
problem-not-a-number = `{ $shown }` is not a number
problem-equation-too-many-tokens = { $called } has more than { $most_tokens } names and symbols
problem-character-not-allowed = `{ $letter }` is not allowed in { $any }
problem-equation-too-many-steps = an equation has at most { $most_steps } steps
problem-step-name-taken = the step name `{ $name }` is already in use
problem-step-unused = the step `{ $name }` is not used by any later step
problem-equation-without-result = the equation has no result
problem-equation-returns-number = the equation returns a number, but a tensor is needed
problem-name-unknown = unknown name `{ $name }`
advice-call-function = `{ $name }` is a function: write { $name }(…)
problem-default-variant-name-taken = `{ $name }` is already the name of the default variant
problem-plugin-too-many-variants = a plugin has at most { $most_variants } variants
problem-plugin-parameter-not-found = there is no parameter `{ $name }`
problem-equation-for-unlisted-site = there is an equation for `{ $key }`, which is not listed in `sites`
problem-plugin-field-empty = { $what } is empty
problem-site-without-equation = there is no equation for the site `{ $name }`
advice-write-site-equation = write `{ $name } = "…"` or `{ $every } = "…"`
problem-function-unknown = unknown function `{ $name }`
problem-function-argument-count = `{ $name }` takes { $takes } but got { $given }
advice-write-usage = write { $usage }
problem-sites-not-offered-together = no backbone family offers these sites together
problem-parameter-shape-invalid = the shape of `{ $name }` in block { $block } is not valid: { $reason }
problem-plugin-file-too-large = the file has { $bytes } bytes; a plugin can have at most { $most_bytes }
problem-toml-invalid = this is not valid TOML: { $message }
advice-compare-built-in-plugin = compare it with one of the built-in plugins
problem-plugin-name-invalid = `name` must have 1 to 40 characters and no slashes
problem-sites-empty = `sites` must list at least one site
problem-site-listed-twice = the site `{ $name }` is listed twice
problem-site-not-found = there is no site `{ $name }`
problem-plugin-too-many-parameters = a plugin has at most { $most_parameters } parameters
advice-write-bias-shape = write a bias of d channels as [1, "d"], a single number as [1, 1]
problem-name-taken = the name `{ $name }` is already in use: it means { $owner }
advice-write-one-of = write one of { $value }
problem-plugin-too-many-constants = a plugin has at most { $most_constants } constants
problem-constant-range = constant `{ $name }` needs both `min` and `max`, with min ≤ default ≤ max
problem-shape-contains-zero = a shape cannot contain 0
advice-shape-syntax = a shape can contain sizes, numbers, + - * / and parentheses
problem-number-expected = { $what } must be a number
problem-size-range = size `{ $name }` needs 1 ≤ min ≤ default ≤ max ≤ { $most_size }, not { $min }, { $default }, { $max }
problem-plugin-without-equation = the plugin has no equation
problem-parameter-unused = the parameter `{ $name }` is not used in any equation
problem-variant-not-found = { $name } has no variant `{ $name2 }`
problem-equation-result-shape = the equation for `{ $name }` returns { $found }, but { $needed } is needed there, the shape of `{ $like }`
problem-equation-result-tokens = the equation for `{ $name }` returns { $found }, but { $needed } is needed there, the shape of `{ $like }`, or more tokens
advice-tested-with-blocks = tested with { $name } blocks of { $width } channels
advice-listed-sites = the listed sites are { $sets }
problem-plugin-parameters-too-large = the plugin has far too many parameters: more than { $value } million in a block of { $width } channels
advice-use-smaller-sizes = use smaller sizes, or fewer variants
problem-equation-not-finite = the equation for `{ $name }` returns values that are not finite
advice-check-division-roots-exp = check for division by 0, roots of negative numbers and exp of large numbers
problem-not-readable = could not read this
problem-name-too-long = a name has { $letters } characters; the limit is { $most }
problem-value-missing-before = a name or a number is missing before `{ $shown }`
problem-comma-not-allowed = a comma is only allowed between arguments
problem-operator-missing-before = an operator is missing before `{ $shown }`
problem-parenthesis-unmatched = this `)` has no matching `(`

# The words before a list of names, which the window shortens.
advice-one-of = one of
count-blocks = { $n ->
    [one] { $n } block
   *[other] { $n } blocks
}
count-prompts = { $n ->
    [one] { $n } prompt
   *[other] { $n } prompts
}
count-tasks = { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
count-training-images = { $n ->
    [one] { $n } training image
   *[other] { $n } training images
}
count-values = { $n ->
    [one] { $n } value
   *[other] { $n } values
}
count-arguments = { $n ->
    [one] { $n } argument
   *[other] { $n } arguments
}

# A LoRA of peft as the initial values of a PET.
problem-adapter-shared-parameter = `{ $parameter }` is shared by several layers, but the adapter has different values for each
advice-use-per-site-plugin = use a plugin with per_site = true, such as LoRA all
problem-adapter-no-matching-lora = { $pet } has no A and B at `{ $site }` that the adapter could initialise
advice-choose-lora-plugin = choose LoRA, LoRA all, or a plugin with h + e @ a @ b there
problem-adapter-unreadable = could not read { $file }: { $error }
advice-choose-peft-folder = choose the folder in which peft saved a LoRA of a ViT, with adapter_config.json and adapter_model.safetensors
problem-adapter-kind = the adapter is { $kind }, but a PET can only start from a plain LoRA
problem-adapter-trains-biases = the adapter is a LoRA that also trains biases, but a PET can only start from a plain LoRA
problem-adapter-field = the adapter has { $field } = { $value }, so it may not be a plain LoRA: a PET can only start from B · A with alpha and rank
advice-train-plain-lora = train a plain LoRA in peft, or omit --pet-start
problem-adapter-no-matrix = { $name } is not a matrix
problem-adapter-ranks-differ = A and B of { $layer } have different ranks, { $a } and { $b }
problem-adapter-not-finite = { $layer } contains values that are not finite
problem-adapter-changes-nothing = the adapter does not change any linear layer
problem-no-adapter-in-folder = this folder does not contain a peft adapter
problem-adapter-channels = the adapter's { $layer } has { $from } input and { $to } output channels, but the backbone's has { $inputs } and { $outputs }
advice-choose-adapter-backbone = choose the backbone that the adapter was trained on
problem-adapter-rank = the adapter's { $layer } has rank { $rank }, but the PET's size is { $size }
advice-use-adapter-rank = use --pet-size { $rank }
problem-pet-scale-zero = the PET scales its change of { $layer } by 0
advice-choose-other-scale = choose another scale with --pet-set
problem-adapter-layer-without-pet = the adapter changes { $layer }, where this run has no PET
advice-choose-blocks-and-pet = choose the blocks with --blocks, and a PET that acts on the same layers (LoRA all, or a copy of it)
problem-adapter-site-without-pet = the adapter changes the { $site } part of { $layer }, but this run's PET does not
advice-use-lora-all = use LoRA all, or a copy of it with these sites
problem-adapter-changed = the adapter that this run's PET started from has changed
advice-restore-adapter = restore the two files of the adapter
problem-adapter-changed-while-copying = the adapter was changed while it was being copied
advice-train-when-not-written = train again when no program is writing to it

# Export to other programs.
problem-method-not-exportable = this method cannot be exported to other programs yet: its predictions need more than features and scores
advice-export-other-method = export a run of one of these methods: { $methods }
problem-export-path-exists = this path already exists and is not an empty folder
advice-choose-empty-folder = choose a new or empty folder
problem-export-without-pet = this run has no PET, so there is nothing for peft to load
advice-use-torch-format = use --format torch, which supports every PET
problem-export-not-lora = { $pet } is not a LoRA that peft can load: at `{ $site }` its equation is not h + scale * (e @ A @ B), or it does not act on a linear layer of timm
problem-export-not-onnx = `{ $name }` in the PET's equation cannot be exported to ONNX
problem-export-onnx-too-large = this network is too large for a single ONNX file

# iCaRL.
problem-too-few-exemplars = { $budget ->
    [one] { $budget } exemplar is
   *[other] { $budget } exemplars are
} not enough for { $classes }: classes without an exemplar would never be predicted
advice-use-more-exemplars = use at least --set exemplars={ $classes }
problem-replay-memory = up to { $images } of earlier tasks are replayed, which other methods do not use
advice-compare-with-replay-note = when comparing it with other methods, note that part of the difference is due to replay

problem-no-common-folder = these images have no common folder
advice-one-drive-at-a-time = choose images from one drive at a time

problem-cpu-instead = { $what }; using the CPU instead

# Grid files.
problem-grid-too-many-runs = this grid has more than { $most } runs
advice-combine-fewer-values = combine fewer values, or split the grid
advice-compare-built-in-grid = compare it with a built-in grid: `lae-studio grid NAME --text`
problem-grid-part-no-list = `part` is not a list of parts
problem-grid-part-no-table = a part is not a table
advice-write-grid-parts = write each part as [[part]], with its settings below
problem-grid-too-many-parts = this grid has more than { $most } parts
advice-give-lists-of-values = give lists of values instead: a grid runs all their combinations
problem-grid-part-without-title = this part has no title
advice-add-part-title = add a `title`, which is used in the names of its rows
problem-grid-parts-same-title = two parts have the title `{ $title }`
problem-grid-rows-same-title = two rows have the title `{ $title }`
advice-give-unique-title = give each a unique title
problem-grid-values-and-rows = `{ $name }` has several values and is also in `rows`
problem-grid-same-runs = `{ $name }` has several values but does not affect results, so all of them are the same run
advice-keep-one-value = keep one value
problem-grid-keys-exclusive = `{ $key }` and `{ $number }` cannot be used together
problem-grid-value-twice = `{ $name }` has the value { $value } twice
advice-remove-one-of-them = remove one of them
problem-grid-settings-no-table = `settings` is not a table of the method's settings
advice-write-settings-table = write it as settings.ema = 0.999, or below [settings]
problem-grid-key-unknown = a grid has no key `{ $name }`
problem-grid-rows-no-list = `rows` is not a list of rows
problem-grid-row-no-table = a row is not a table of settings
advice-write-as-example = write it as { $example }
problem-grid-row-several-values = `{ $name }` has several values within a row
advice-move-next-to-rows = move it next to `rows`: it is then combined with every row
problem-grid-no-number-of-runs = `{ $name }` is not a number of runs
advice-give-whole-number = give a whole number from { $least } to { $most }
problem-key-no-string = `{ $key }` is not a string
advice-put-in-quotes = put it in quotes
problem-grid-setting-without-values = `{ $name }` has no values
advice-give-one-value = give at least one value
problem-grid-value-unreadable = `{ $name }` has an invalid value
advice-grid-value-types = give true or false, a finite number, two numbers or a string
problem-grid-value-invalid = { $value } is not a valid value of `{ $name }`
advice-give-preset-name = give the name of a preset; `lae-studio presets` lists them
advice-give-quoted-string = give a string in quotes: { $meaning }
advice-give-range = give { $range }
advice-give-range-why = give { $range }; { $refused }

# The file of places.
advice-write-places = write each place as [name], with its keys below: ssh = "host"
problem-too-many-places = there are more than { $most } places
advice-remove-some-places = remove some
problem-place-name-invalid = this is not a valid name of a place
advice-place-name = use letters, digits, - and _, 64 at most
problem-place-no-table = `{ $name }` is not a place
advice-write-place = write a place as [{ $name }], with its keys below it
problem-place-without-host = the place `{ $name }` has no host
advice-add-host = add ssh = "HOST", with HOST as in `ssh HOST`, or slurm = true
problem-place-key-unknown = a place has no key `{ $name }`
advice-only-clusters-have-key = only clusters have it: add slurm = true, or remove it
problem-place-host-invalid = `ssh` is not a host
advice-give-host-only = give only the host, as in `ssh HOST`; put ports and keys into `options` or ~/.ssh/config
problem-place-data-no-table = `data` is not a table of datasets
problem-place-data-no-path = this is not a path of a dataset
problem-place-flag-invalid = `{ $key }` is neither true nor false
advice-write-slurm-flag = write slurm = true, and add partition, time and gpus as separate keys
advice-write-line-in-quotes = write one line in quotes
problem-place-no-list-of-strings = `{ $key }` is not a list of strings
problem-place-number-invalid = `{ $key }` is not a valid number

# Errors in the equations of a plugin.
problem-equation-part = `{ $part }`: { $why }
problem-count-not-whole = { $number } is not a whole number
problem-shapes-not-broadcastable = { $a } { $sign } { $b } does not fit: sizes must be equal or 1
problem-product-shapes-differ = { $a } times { $b } does not fit: { $reason }
problem-product-needs-matrices = both sides need rows and columns
problem-product-inner-sizes = inner sizes { $a } and { $b }
problem-product-leading-sizes = leading sizes { $a } and { $b }
problem-one-side-in-heads = one of them is split into heads
problem-heads-do-not-divide = { $channels } do not split into { $heads }
count-channels = { $n ->
    [one] { $n } channel
   *[other] { $n } channels
}
count-heads = { $n ->
    [one] { $n } head
   *[other] { $n } heads
}
problem-already-in-heads = { $shape } is already split into heads
problem-tokens-not-joinable = { $a } and { $b } cannot be joined: all sizes but the number of tokens must be equal
problem-join-heads-differ = { $a } and { $b } do not fit: one of them is split into heads
problem-cut-outside-rows = { $shape } has { $rows } rows and cannot be cut at { $n }
problem-cut-outside-columns = { $shape } has { $columns } columns and cannot be cut at { $n }
problem-kron-needs-matrices = kron takes two matrices, not tokens
problem-kron-too-large = the result of kron is too large
problem-product-needs-tensors = `@` needs tensors on both sides
problem-function-needs-number = { $usage } does not work on a tensor in place of a number
problem-function-needs-tensor = { $usage } does not work on a number
problem-dropout-share-invalid = { $share } is not a valid dropout share: it must be between 0 and 1
problem-equation-memory = with { $shape } the equation needs too much memory
problem-equation-multiplications = with { $shape } the equation needs too many multiplications

# Errors in the other values of a plugin. The owner is the plugin or one of its parts.
problem-plugin-key-unknown = { $owner } has no key `{ $key }`
problem-plugin-key-missing = { $owner } needs the key `{ $key }`
problem-plugin-key-kind = { $key } of { $owner } must be { $wanted }, not { $found }
problem-plugin-value-kind = { $what } must be { $wanted }, not { $found }
problem-plugin-variant-key-missing = a plugin with variants needs the key `variant`, the name of its default form
plugin-part-plugin = the plugin
plugin-part-key = `{ $key }`
plugin-part-entry = an entry of `{ $key }`
plugin-part-site = a site
plugin-part-size = size `{ $name }`
plugin-part-a-size = a size
plugin-part-shape-entry = an entry of a shape
plugin-part-constant = constant `{ $name }`
plugin-part-the-constant = the constant `{ $name }`
plugin-part-parameter = parameter `{ $name }`
plugin-part-variant = variant `{ $name }`
plugin-part-variant-equations = equations of variant `{ $name }`
plugin-part-equation = the equation for `{ $key }`
plugin-part-step = the step `{ $name }`
plugin-value-text = a string
plugin-value-quoted = a string in quotes
plugin-value-number = the number { $number }
plugin-value-count = a whole number
plugin-value-flag = true or false
plugin-value-date = a date
plugin-value-list = a list
plugin-value-brackets = a list in square brackets
plugin-value-table = a table
plugin-name-of-site-value = a value at a site
plugin-name-of-block-size = a size of the block
plugin-name-of-number = a number of this plugin
plugin-name-of-parameter = another parameter
problem-shape-size-unknown = unknown size `{ $symbol }` in the shape of { $owner }
problem-shape-part-not-allowed = `{ $part }` is not allowed in the shape of { $owner }
problem-shape-size-count = `shape` of { $owner } has { $n ->
    [one] { $n } size
   *[other] { $n } sizes
}; parameters have 2
problem-shape-size-zero = `{ $text }` is 0 there
problem-shape-size-invalid = `{ $text }` is { $value } there, which is not a valid number of rows or columns
problem-size-differs-between-sites = `{ $symbol }` differs between its sites ({ $found }); declare the parameter with per_site = true
problem-size-unknown = `{ $name }` is unknown
problem-shared-shapes-differ = { $own }, but { $other } in block { $block }, and blocks cannot share it
problem-pet-of-block-too-large = with { $shape }, the PET of the block is too large
problem-name-invalid = `{ $name }` is not a valid name: use letters, digits and _
problem-name-of-function = `{ $name }` is the name of a function
problem-init-parenthesis-missing = `{ $text }` is missing its closing parenthesis
problem-init-not-a-number = `{ $part }` in `{ $text }` is not a number
problem-init-invalid = `{ $text }` is not a valid initialisation

# Images and snapshots that do not fit.
problem-image-channels = the backbone needs images with 3 channels, but these have { $channels }
problem-image-smaller-than-patch = images of { $pixels } pixels are smaller than one patch of { $patch }
advice-choose-larger-input-size = choose a larger input size
problem-image-not-divisible = images of { $pixels } pixels cannot be cut into patches of { $patch }
advice-choose-multiple-as-input-size = choose an input size that is a multiple of { $multiple }
problem-snapshot-rows-mismatch = this snapshot has rows of { $name } that do not match the previous one
advice-restore-snapshot = restore the run's folder from a backup, use the snapshot of another task, or train again

# Training, attention and checks.
problem-epochs-too-large = the number of epochs is too large
problem-regression-unsolvable = the regression has no solution: the features are not finite numbers
advice-use-smaller-first-rate = train the first session with a smaller learning rate
problem-attention-without-shares = the PET's attention is not a weighted mean of the patches, so there are no attention values to show
problem-check-stopped = the check was stopped
