# What went wrong (problem-…) and what to try (try-…): sentences without a capital letter and a full stop, which whoever
# shows them adds.

problem-and-more = { $names } and { $n } more
try-path = check that the path exists
try-permissions = check the permissions of this file or folder
try-space = free some disk space or choose another folder, then continue
try-ordinary-file = give an ordinary file of the kind that is expected here
try-writable = choose a folder that can be written
problem-this-file-is-neither-folder-nor = this file is neither a folder nor an archive that is read
try-give-folder-or-zip-tar-tar = give a folder, or a .zip, .tar, .tar.gz, .tar.xz or .tm file of one
problem-this-is-model-from-teachable-machine = this is a model from Teachable Machine, not its pictures
try-in-teachable-machine-open-menu-choose = in Teachable Machine open the menu, choose Download project as file, and give the .tm file
problem-this-is-project-of-teachable-machine = this is a project of Teachable Machine of the kind '{ $manifest }'; only those of pictures are read
try-give-image-project-or-folder-with = give an image project, or a folder with one subfolder of pictures per class
problem-archive-is-damaged-or-cut-off = the archive is damaged or cut off: { $error }
try-copy-or-download-it-again = copy or download it again
problem-unpacking-this-archive-takes-more-memory = unpacking this archive takes more memory than is meant for one
try-unpack-it-by-hand-and-give = unpack it by hand and give the folder, or pack it with `xz -9` or less
problem-this-kind-of-zip-is-not = this kind of zip is not read: { $why }
try-unpack-it-and-give-folder = unpack it and give the folder
problem-archive-was-refused = the archive was refused: { $why }
try-if-it-is-meant-to-be = if it is meant to be like that, unpack it by hand and give the folder
problem-embedded-data-set-is-damaged = the embedded data set is damaged: { $why }
problem-cifar-file-is-damaged = the CIFAR file is damaged: { $what }
try-download-it-again = download it again
problem-labels-are-corrected-are-most = { $list } labels are corrected, { $most } are the most
try-correct-so-many-labels-in-data = correct so many labels in the data set itself
problem-sha256-of-is-not-64-hexadecimal = the sha256 of { $picture } is not 64 hexadecimal digits
try-take-it-from-list-that-program = take it from a list that the program wrote
problem-label-of-is-corrected-twice = the label of { $picture } is corrected twice
try-leave-one-of-two-entries-out = leave one of the two entries out
problem-these-are-not-crop-boxes = these are not crop boxes
problem-there-is-no-crop-box-for = there is no crop box for this image
problem-could-not-write-names = could not write the names: { $error }
problem-folder-is-not-empty = the folder is not empty
try-give-new-folder = give a new folder
problem-name-of-file-does-not-say = the name of the file does not say in which form to write it
try-end-it-with-tm-for-teachable = end it with .tm for Teachable Machine, or with .zip for an image folder
problem-archive-could-not-be-written = the archive could not be written: { $error }
problem-picture-cannot-be-written = a picture cannot be written: { $error }
problem-folder-holds-but-names-none-of = the folder holds { $total }, but '{ $table }' names none of them with a class
try-write-columns-file-label-into-csv = write the columns file,label into a CSV (file names as they stand in the folder), or make one subfolder per class
problem-folder-holds-but-no-subfolders-that = the folder holds { $total } but no subfolders that could be classes, and no CSV or list file that names their classes
try-data-set-is-folder-with-one = a data set is a folder with one subfolder of pictures per class, or train and test holding such folders
problem-list-has-far-more-lines-than = the list has far more lines than there are pictures
problem-list-names-no-image = this list names no image of its folder
problem-lists-without-classes = images are named in { $lists }, but not their classes
problem-lists-label-differently = these lists give the same images different classes: { $lists }
problem-lists-split-differently = these lists split the same images differently: { $lists }
try-give-one-list = give the list to use as the data set, for example "{ $path }", or move the others away
problem-list-with-two-labels = '{ $file }' gives { $n ->
    [one] { $n } image
   *[other] { $n } images
} two labels: { $images }
try-one-label-per-image = keep one row per image: every image has one class
problem-table-has-several-columns = '{ $file }' names images, but several columns could be their classes: { $columns }
problem-table-marks-several-classes = '{ $file }' marks several of these columns for one image: { $columns }
try-name-column = name the column of the classes behind the table, as in "{ $path }#{ $column }", or call it "label"
problem-several-splits = these folders are several pairs of training and test images: { $folders }
problem-splits-without-classes = the folders { $folders } hold images for training and testing, but no class folders, and no table or list names the classes
problem-split-among-classes = among these folders of images, one may be a class or the training split: { $folders }
problem-images-among-classes = these folders are not classes, because one is named like a folder of all images: { $folders }
problem-parts-of-images = these folders are named like parts of one set of images, not like classes: { $folders }
problem-images-beside-folders = { $beside ->
    [one] { $beside } image lies
   *[other] { $beside } images lie
} beside the folders, which hold only { $inside }: the folders are hardly the classes
try-classes-by-folder-or-table = make one subfolder of images per class (in each split), or add a CSV with the columns file and label
problem-batch-needs-at-least-one-image = a batch needs at least one image
problem-could-not-start-loader-thread = could not start a loader thread: { $error }
problem-share-of-is-not-from-0 = a share of { $share } is not from 0 to below 1
try-0-2-puts-every-fifth-image = 0.2 puts every fifth image aside
problem-limit-of-0-images-per-class = a limit of 0 images per class leaves nothing
problem-opening-data-set-was-stopped = opening the data set was stopped
problem-domainnet-is-not-among-downloads-of = DomainNet is not among the downloads of this program
try-unpack-its-six-domains-and-their = unpack its six domains and their lists (clipart_train.txt, …) into one folder and give that folder
problem-is-not-on-this-computer = { $name } is not on this computer
try-download-it-mb-with-lae-studio = download it ({ $megabytes } MB) with: lae-studio data { $name } --download, or give the path of a copy
problem-pickle-file-cannot-be-read-at = the pickle file cannot be read: { $what } at byte { $at }
try-download-it-again-or-use-binary = download it again, or use the binary version of the data set
problem-picture-claims-pixels-and-would-take = the picture claims { $width }×{ $height } pixels and would take { $most } MB of memory to be decoded, more than the { $allowed } MB that one may take now
try-scale-it-down-with-picture-program = scale it down with a picture program
problem-picture-needs-too-much-memory-to = the picture needs too much memory to be decoded
problem-this-kind-of-picture-is-not = this kind of picture is not read: { $error }
try-save-it-as-jpeg-or-png = save it as JPEG or PNG
problem-picture-file-is-cut-off-before = the picture file is cut off before its end
problem-picture-is-damaged = the picture is damaged: { $detail }
problem-file-is-empty = the file is empty
problem-file-is-not-picture = the file is not a picture
try-jpeg-png-webp-bmp-gif-and = JPEG, PNG, WebP, BMP, GIF and TIFF are read
problem-files-are-not-read = { $name } files are not read
try-save-it-as-jpeg-or-png-2 = save it as JPEG or PNG (JPEG, PNG, WebP, BMP, GIF and TIFF are read)
problem-there-is-no-record = there is no record { $index }
problem-no-data-set-was-given = no data set was given
try-give-digits-letters-or-path-of = give digits, letters, or the path of a folder or archive
problem-there-is-no-such-data-set = there is no such data set, folder or file
problem-is-not-seed-whole-number-is = '{ $seed }' is not a seed: a whole number is needed
try-write-for-example-seed-1 = write for example seed:1
problem-is-not-class-order = '{ $text }' is not a class order
try-natural-seed-n-list-like-0 = natural, seed:N, a list like 0-4,6,5, a JSON file with an array of class names or indices, or one of { $value }
problem-class-order-is-not-json-array = the class order is not a JSON array of class names or of class indices
try-it-should-look-like-cat-dog = it should look like ["cat", "dog"] or [1, 0]
problem-there-is-no-class-order-named = there is no class order named '{ $name }'
problem-in-class-order-is-no-index = '{ $part }' in the class order is no index and no range
try-write-indices-into-classes-sorted-by = write indices into the classes sorted by name, counted from 0: 0-4,6,5
problem-class-order-names-classes-data-set = the class order names classes the data set does not have: { $unknown }
try-names-must-match-class-names-letter = names must match the class names letter by letter
problem-class-order-holds-twice = the class order holds '{ $index }' twice
problem-class-order-holds-index-but-data = the class order holds index { $index }, but the data set has { $classes }
try-indices-count-from-0-over-classes = indices count from 0 over the classes sorted by name
problem-class-order-leaves-out = the class order leaves out { $missing }
try-every-class-must-appear-once = every class must appear once
problem-is-not-number-of-classes-per = '{ $text }' is not a number of classes per task
try-write-10-every-task-6-5 = write 10 (every task), 6,5,5,5,5 (each task) or 50+10 (a first task, then the others)
problem-task-needs-at-least-one-class = a task needs at least one class
problem-tasks-hold-together-but-data-set = the tasks hold { $total } together, but the data set has { $classes }
try-numbers-must-add-up-to-all = the numbers must add up to all classes
problem-with-corrected-labels-no-training-picture = with the corrected labels no training picture of { $empty } is left
try-take-one-of-corrected-labels-back = take one of the corrected labels back; `lae-studio train --corrected none` uses the labels as they are
try-data-set-is-folder-with-one-2 = a data set is a folder with one subfolder of JPEG, PNG, WebP, BMP, GIF or TIFF pictures per class
try-data-set-is-folder-with-one-3 = a data set is a folder with one subfolder of pictures per class; check that the right folder was chosen
problem-crop-scale-from-to-is-not = a crop scale from { $low } to { $high } is not a range within 0 to 1
try-0-08-1-is-usual-one = 0.08,1 is the usual one; 0.5,1 is milder
problem-aspect-ratio-from-to-is-not = an aspect ratio from { $low } to { $high } is not a range of positive numbers
problem-input-of-pixels-is-outside-1 = an input of { $size } pixels is outside 1 to { $largest_input }
problem-crop-ratio-of-is-not-between = a crop ratio of { $crop_ratio } is not between { $smallest_crop } and 1
try-0-875-is-usual-it-resizes = 0.875 is usual: it resizes the shorter side to 256 for an input of 224
problem-crop-of-at-does-not-lie = a crop of { $width }×{ $height } at ({ $left }, { $top }) does not lie inside a picture of { $width2 }×{ $height2 }
problem-picture-has-no-pixels = the picture has no pixels
problem-pictures-pixels-do-not-fit-its = the picture's pixels do not fit its size: { $error }
problem-pictures-target-has-wrong-length = the picture's target has a wrong length: { $error }
problem-could-not-resize-picture = could not resize the picture: { $error }
problem-sets-nothing = "{ $pair }" sets nothing
try-write-it-as-name-number-for = write it as NAME=NUMBER, for example rank=8,alpha=0.5
problem-of-is-out-of-range = { $name } { $value } of { $name2 } is out of range
try-choose = choose { $range }
problem-size-of-has-its-own-setting = the size of { $name } has its own setting
try-give-it-by-pet-size = give it by --pet-size
problem-has-no-number-to-be-chosen = { $name } has no number `{ $name2 }` to be chosen
problem-has-no-size = { $name } has no size `{ $name2 }`
try-choose-to = choose { $min } to { $max }
problem-nothing-computes-attention-of-block = nothing computes the attention of block { $block }
problem-there-is-no-pet-plugin = there is no PET plugin `{ $shown }`
problem-this-file-takes-place-of-built = this file takes the place of the built-in { $name }
try-give-it-another-name-or-allow = give it another name, or allow it once; { $allow }
try-save-it-as-utf-8-in = save it as UTF-8 in a text editor
problem-plugin-cannot-be-used = the plugin cannot be used
problem-there-is-no-block-backbone-has = there is no block { $block }: the backbone has { $count }, counted from 0
try-choose-blocks-below = choose blocks below { $count }
problem-needs-site-which-block-of-this = { $name } needs the site `{ $name2 }`, which block { $block } of this backbone does not offer
try-choose-another-pet-or-backbone-this = choose another PET or backbone; this block offers { $offered }
problem-pet-has-no-parameter = the PET has no parameter `{ $shown }`
problem-pets-parameter-is-not = the PET's parameter `{ $name }` is { $dims }, not { $dims2 }
problem-no-pet-acts-at-of-block = no PET acts at `{ $name }` of block { $block }
problem-pet-gives-there = a PET gives { $dims } there
problem-these-settings-cannot-be-read = these settings cannot be read: { $message }
try-correct-key-or-value-lae-studio = correct the key or value; `lae-studio train --help` lists all of them
problem-these-settings-cannot-be-written = these settings cannot be written: { $error }
try-give-count-from-1-to-or = give a count from 1 to { $depth }, or block numbers from 0 to { $depth2 } like 0,2,4
problem-of-characters-is-too-long = { $what } of { $length } characters is too long
try-use-at-most = use at most { $most }
problem-tags-are-too-many = { $tags } tags are too many
try-use-at-most-2 = use at most { $tags }
problem-failed-its-self-test = { $name } failed its self-test: { $note }
problem-could-be-or = "{ $wanted }" could be { $name } or { $name2 }
problem-device-cannot-be-used = the device { $name } cannot be used: { $why }
try-use-device-cpu-or-update-graphics = use --device cpu, or update the graphics driver
problem-device-was-lost = the device { $name } was lost
try-start-program-again-to-use-it = start the program again to use it, or choose the CPU
problem-no-file-can-be-made-of = no file can be made of verdicts: { $error }
problem-file-at-this-address-is-longer = the file at this address is longer than { $most } bytes, the most that is taken
try-file-has-changed-or-is-another = the file has changed or is another one: get it by hand and choose the file
problem-folder-stands-where-file-should-go = a folder stands where the file should go
try-remove-or-rename-folder = remove or rename the folder
problem-server-could-not-go-on-in = the server could not go on in the middle of the file
problem-file-at-this-address-has-bytes = the file at this address has { $total } bytes, expected { $size }
try-file-has-changed-since-this-version = the file has changed since this version was made: get it by hand and choose the file
problem-download-was-stopped = the download was stopped
try-start-it-again-what-has-arrived = start it again: what has arrived is kept
problem-connection-broke-during-download = the connection broke during the download: { $detail }
problem-this-is-not-address-of-file = this is not an address of a file: { $detail }
problem-address-leads-to-one-without-encryption = the address leads to one without encryption: { $to }
try-use-address-that-begins-with-https = use an address that begins with https
problem-proxy-refused-connection = the proxy refused the connection: { $detail }
try-check-https-proxy-and-http-proxy = check HTTPS_PROXY and HTTP_PROXY in the environment
problem-could-not-reach-server = could not reach the server: { $detail }
try-check-internet-connection-and-https-proxy = check the internet connection (and HTTPS_PROXY behind a proxy), or get the file by hand and choose it
problem-another-program-is-downloading-this-file = another program is downloading this file
try-wait-until-it-is-done-then = wait until it is done, then try again
try-download-it-again-if-it-happens = download it again; if it happens twice, the file at this address has changed: get it by hand and choose the file
problem-tensor-is-not-made-of-f32 = a tensor is not made of f32 values: { $error }
problem-tensor-of-shape-stands-where-axes = a tensor of shape { $shape } stands where { $d } axes are expected
problem-is-no-longer-made-of-finite = { $what } is no longer made of finite numbers
try-use-smaller-base-lr-on-gpu = use a smaller --base-lr; on a GPU, try --device cpu to rule the device out; what was saved before is kept
try-let-fewer-images-through-network-at = let fewer images through the network at once: `lae-studio resume RUN --micro-batch N` goes on with the same result; else choose a smaller backbone, or train on the CPU (--device cpu)
problem-device-was-lost-system-reset-it = the device was lost: the system reset it, or it was unplugged
try-start-program-again-and-continue-run = start the program again and continue the run from its last saved epoch; if it is lost again, use --device cpu
problem-device-failed = the device failed: { $error }
try-continue-run-from-its-last-saved = continue the run from its last saved epoch; if it fails again, use --device cpu
problem-tensor-is-missing = the tensor { $name } is missing
problem-tensor-has-shape-not = the tensor { $name } has shape { $found }, not { $shape }
problem-tensors-cannot-be-written = the tensors cannot be written: { $error }
problem-this-tensor-file-cannot-be-read = this tensor file cannot be read: { $why }
try-file-may-be-cut-or-of = the file may be cut or of another kind; use an earlier snapshot or train again
problem-internal-error-ended-this-job = an internal error ended this job: { $text }
try-what-was-saved-is-kept-continue = what was saved is kept: continue the run; if it fails again, report it
problem-folder-of-this-program-cannot-be = the folder of this program cannot be found
try-start-program-by-its-whole-path = start the program by its whole path
try-move-program-to-folder-that-can = move the program to a folder that can be written, or start it without --portable
problem-folder-without-pictures = there are no pictures in this folder: { $found }
problem-empty-folder = there are no pictures in this folder: it is empty
problem-no-training-pictures = no usable training pictures were found
problem-no-training-pictures-left-out = no usable training pictures were found (left out: { $left_out })
problem-only-one-class = only one class was found ({ $names }), at least { $least } are needed
problem-only-few-classes = only few classes were found ({ $names }), at least { $least } are needed
problem-names-no-blocks = "{ $text }" names no blocks
problem-no-block = no block gets a PET
problem-block-beyond = block { $block } does not exist: the backbone has { $blocks }
problem-no-graphics-adapter = this machine shows no hardware graphics adapter
problem-no-such-device = no device is called "{ $wanted }"
try-a-device = choose by number or name: { $devices }
problem-no-file-at-address = there is no such file at this address (HTTP { $status })
problem-server-refuses = the server refuses access to this file (HTTP { $status })
problem-fewer-requests = the server asks for fewer requests (HTTP { $status })
problem-server-fault = the server has a fault (HTTP { $status })
problem-server-not-understood = the server's answer was not understood (HTTP { $status })
try-project-page = the file was moved: look for it on the project's page and choose the file
try-accept-licence = its licence may have to be accepted on its page first; then get it by hand and choose the file
try-in-some-minutes = try again in some minutes
try-later = try again later
try-address = check the address
problem-other-file = the downloaded file is not the expected one: SHA-256 { $sha256 }, expected { $expected }
problem-other-length = the downloaded file has { $length } bytes, expected { $size }
try-meant = did you mean `{ $name }`?
try-nothing-to-choose = leave it out: there is nothing to choose here
try-known = known here: { $names }
try-space-for-cache = free some disk space, or set LAE_STUDIO_CACHE to a folder on another disk
try-update-graphics-driver = update the graphics driver
try-update-driver-or-delete = update the graphics driver; delete { $file } to test it again
problem-device-out-of-memory = the device ran out of memory
problem-cannot-compute = { $name } cannot compute { $family }: { $why }
try-update-graphics-driver-then-try-again = update the graphics driver, then try again with `lae-studio devices --prepare`
problem-changed-since-this-run-began = { $what } changed since this run began
try-put-back-what-was-there-or = put back what was there, or train a new run
try-lists-are-read-now = the classes or splits now come from { $lists }, which older versions ignored: to continue an older run, move { $n ->
        [one] this file
       *[other] these files
    } out of the folder
problem-has-gb-free-and-this-run = { $name } has { $free } GB free, and this run may take { $expected } GB
problem-backbones-weights-changed-since-this-run = the backbone's weights changed since this run was trained
try-put-weight-file-back-that-run = put the weight file back that the run was trained with
problem-weights-of-this-run-are-not = the weights of this run are not on this computer
try-choose-backbone-on-experiment-and-download = choose the backbone on Experiment and download it there, then ask again
problem-experts-gave-no-answer = the experts gave no answer
problem-this-pictures-pixels-do-not-fill = this picture's pixels do not fill its size
problem-weights-of-this-backbone-are-not = the weights of this backbone are not there
try-put-file-there-or-choose-another = put the file there, or choose another backbone
problem-it-took-too-long-and-was = it took too long and was stopped
try-train-run-of-it-which-takes = train a run of it, which takes its time
problem-it-was-stopped = it was stopped
problem-there-is-no-preset-named = there is no preset named '{ $name }'
try-one-of = one of { $names }
problem-too-many-images-cannot-be-read = too many images cannot be read any more ({ $lost } of { $images }): { $what }
try-bring-disk-or-folder-back-then = bring the disk or folder back, then continue the run: it goes on from its last finished epoch
problem-not-single-image-could-be-read = not a single image could be read
try-bring-disk-or-folder-back-then-2 = bring the disk or folder back, then continue the run
problem-this-run-was-stopped-and-then = this run was stopped and then taught, so it cannot be continued
try-undo-its-added-tasks-then-continue = undo its added tasks, then continue it
problem-this-run-is-finished-there-is = this run is finished, there is nothing to continue
try-start-new-run-or-look-at = start a new run, or look at this one with `lae-studio runs`
problem-reading-pictures-failed = reading the pictures failed
problem-table-holds-other-pictures-by-now = the table holds other pictures by now
try-predict-folder-again = predict the folder again
problem-this-is-no-table-of-predicted = this is no table of predicted pictures: { $error }
problem-there-is-no-picture-in-this = there is no picture in this folder
try-choose-folder-with-pictures-or-with = choose a folder with pictures, or with folders of pictures
problem-table-was-stopped = the table was stopped
problem-experts-gave-too-few-answers = the experts gave too few answers
problem-learns-all-classes-at-once-from = { $title } learns all classes at once from all pictures, so no class can be added
try-teach-run-of-another-method = teach a run of another method
problem-this-run-has-not-finished-task = this run has not finished a task yet
try-continue-it-until-its-first-task = continue it until its first task is done
try-undo-earlier-added-task-or-train = undo an earlier added task, or train a new run with other settings
problem-data-has-new-classes = the data set has classes that this run did not begin with: { $names }
problem-data-lacks-classes = the data set lacks classes that this run began with: { $names }
problem-data-has-other-classes = the classes of the data set have changed since this run began: { $missing } missing, { $new } new
try-put-classes-back = put the classes back as they were, or name the folder that has them with --data; a new run learns new classes
problem-test-images-of-runs-data-set = the test images of the run's data set changed since
problem-learns-added-task-by-telling-its = { $title } learns an added task by telling its classes apart, and this one has a single class
try-add-second-class-pictures-of-one = add a second class; pictures of one that the run knows will do
problem-these-are-pictures-added-task-takes = these are { $pictures } pictures, an added task takes { $most_pictures } at most
try-give-fewer-pictures-or-train-new = give fewer pictures, or train a new run on all of them
problem-these-features-have-no-main-directions = these features have no main directions
problem-networks-last-block-gathers-nothing = the network's last block gathers nothing
problem-none-of-this-runs-test-pictures = none of this run's test pictures can be read
problem-training-images-of-this-data-set = the training images of this data set are no longer those this run learned from
try-put-back-what-was-there-or-2 = put back what was there, or train a run on what is there now
problem-one-class-was-learned-by-then = one class was learned by then: a picture looks like another one only where there are two
try-ask-after-later-task = ask after a later task
problem-there-are-too-few-training-pictures = there are too few training pictures to hold them against one another
try-at-least-are-needed-and-two = at least { $folds } are needed, and two of every class
problem-of-that-this-run-keeps-of = of the { $kept } that this run keeps of earlier tasks, { $found } cannot be found
problem-exemplars-without-data-set = { $title } replays { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} of the run, and the data set of the run is not available
problem-exemplars-changed = { $title } replays { $n ->
    [one] { $n } training image
   *[other] { $n } training images
} of the run, and the training images of its data set changed since it was trained
try-put-runs-data-set-back-where = put the run's data set back where it was, as it was
problem-saved-training-state-of-this-run = the saved training state of this run is gone: it begins with its first task
try-nothing-need-be-done-tasks-that = nothing need be done; tasks that were saved are learned once more, with the same result on the CPU
problem-has-no-setting = { $title } has no setting "{ $key }"
try-cross-it-in-part-of-its = cross it in a part of its own, where all methods have it
problem-no-method-has-setting = no method has a setting "{ $key }"
problem-no-two-rows-of-this-grid = no two rows of this grid differ in settings of one method
try-give-setting-several-values-base-lr = give a setting several values: base_lr = [0.005, 0.01, 0.02]
problem-training-steps-do-not-suffice-for = { $budget } training steps do not suffice for { $title }
try-one-of-its-settings-takes = one of its settings takes { $steps }
problem-value-cannot-be-written = a value cannot be written: { $error }
problem-it-cannot-be-told-which-run = it cannot be told which run this is
try-look-whether-weight-file-can-be = look whether the weight file can be read, and try again
problem-no-grid-is-called = no grid is called "{ $wanted }"
problem-no-data-set-is-open = no data set is open
problem-run-goes-on-with-at-once = { $out_of_memory }: the run goes on with { $images } at once
try-nothing-need-be-done-it-begins = nothing need be done: it begins after its last saved epoch and has the same result
try-start-program-again-and-continue-run-2 = start the program again and continue the run: from its last saved epoch on it lets { $images } through the network at once instead of { $at_once }, with the same result
problem-pet-of-is-too-large-to = a PET of { $values } is too large to be measured here
try-choose-smaller-default-sizes = choose smaller default sizes
problem-name-tags-and-note-of-this = name, tags and note of this run cannot be read: { $wrong }
try-give-them-again-run-itself-is = give them again; the run itself is not affected
problem-this-cannot-be-written = this cannot be written: { $error }
problem-this-added-task-was-task-but = this added task was task { $task }, but the run has { $after } before it
try-move-folder-away-to-see-run = move the folder `{ $added_folder }` away to see the run without its added tasks
problem-this-added-task-cannot-be-read = this added task cannot be read: { $why }
try-restore-it-from-copy-or-move = restore it from a copy, or move its folder away
problem-this-added-task-was-taught-by = this added task was taught by a newer version of LAE Studio
try-use-that-version-to-open-it = use that version to open it
problem-pictures-of-this-added-task-are = the pictures of this added task are not those that were taught
try-put-runs-folder-back-as-it = put the run's folder back as it was
problem-this-does-not-say-how-classes = this does not say how classes are learned: { $message }
try-move-it-away-and-answer-again = move it away and answer again
problem-answer-cannot-be-written = the answer cannot be written: { $error }
problem-checkpoints-counter-is-missing-or-unreadable = the checkpoint's counter "{ $name }" is missing or unreadable
try-train-again-with-same-settings = train again with the same settings
problem-checkpoint-lacks = the checkpoint lacks { $name }
problem-this-file-is-no-checkpoint-of = this file is no checkpoint of a run
try-its-finished-tasks-can-still-be = its finished tasks can still be used; train the run again for the rest
try-give-path-of-list-or-none = give the path of a list, or none
problem-this-is-no-list-of-corrected = this is no list of corrected labels: { $message }
try-correct-it-or-move-it-away = correct it, or move it away to use the labels as they are in the data
problem-another-program-is-changing-corrected-labels = another program is changing corrected labels right now
try-try-again-when-it-is-done = try again when it is done
problem-corrected-labels-cannot-be-written = the corrected labels cannot be written: { $error }
problem-this-files-ending-names-no-export = this file's ending names no export format
try-end-it-in-csv-md-tex = end it in .csv, .md, .tex, .svg, .pdf, .png or .html
problem-there-is-no-figure-of-runs = there is no figure `{ $name }` of runs
problem-this-figure-shows-one-run-and = this figure shows one run, and these are { $several }
try-name-run-or-latest = name the run, or `latest`
problem-figure-cannot-be-drawn = the figure cannot be drawn: { $error }
try-save-it-as-svg-instead = save it as SVG instead
try-what-was-saved-before-is-kept = what was saved before is kept; check the disk, then continue the run
problem-another-program-is-working-on-this = another program is working on this run right now
try-wait-until-it-has-finished-or = wait until it has finished, or stop it there first
problem-task-cannot-be-saved-tasks-before = task { $task } cannot be saved: { $rows } tasks before it are
try-remove-this-folder-by-hand-run = remove this folder by hand; the run is whole without it
problem-link-stands-where-folder-of-run = a link stands where a folder of the run should be
try-put-folder-itself-in-its-place = put the folder itself in its place, then continue the run
problem-none-of-these-runs-has-finished = none of these runs has a finished task
try-export-run-once-its-first-task = export a run once its first task is done
problem-reading-this-run-failed-inside-program = reading this run failed inside the program
try-move-its-folder-away-other-runs = move its folder away; the other runs are not affected
problem-no-run-is-called = no run is called "{ $wanted }"
problem-could-be-runs = "{ $wanted }" could be { $several } runs
try-write-more-of-name = write more of the name: { $several }
problem-this-run-is-here-already = this run is here already: { $run }
try-nothing-need-be-done-delete-that = nothing need be done; delete that one first to unpack it anew
problem-this-run-was-packed-by-newer = this run was packed by a newer version of LAE Studio
problem-this-packed-run-was-refused = this packed run was refused: { $why }
try-ask-for-it-once-more-from = ask for it once more from whoever packed it
problem-this-packed-run-is-damaged = this packed run is damaged: { $error }
problem-added-task-cannot-be-packed = an added task cannot be packed: { $error }
problem-program-is-working-on-this-run = a program is working on this run, so it is not packed
problem-runs-figures-cannot-be-written = the run's figures cannot be written: { $error }
problem-run-cannot-be-read = the run cannot be read: { $error }
problem-run-cannot-be-packed = the run cannot be packed: { $other }
problem-run-cannot-be-packed-2 = the run cannot be packed: { $error }
problem-run-changed-while-it-was-packed = the run changed while it was packed: { $name } is another file now
try-pack-it-again = pack it again
problem-copying-pictures-was-stopped = copying the pictures was stopped
problem-this-picture-is-no-longer-one = this picture is no longer the one that was taught
problem-this-added-task-has-no-test = this added task has no test picture { $index }
problem-this-folder-holds-no-run-it = this folder holds no run (it has no run.toml)
try-lae-studio-runs-lists-runs-there = `lae-studio runs` lists the runs there are
problem-there-is-built-in-plugin-and = there is a built-in plugin { $name }, and it is not replaced unasked
try-give-this-one-another-name-or = give this one another name, or allow it
problem-notes-cannot-be-written = the notes cannot be written: { $error }
try-restore-file-from-copy-without-it = restore the file from a copy; without it the run is whole, but less can be checked
problem-what-run-is-made-of-cannot = what the run is made of cannot be written: { $error }
problem-queue-is-not-kept-when-this = the queue is not kept when this window is closed
try-another-window-keeps-its-own-line = another window keeps its own line there; close that one first
problem-queue-cannot-be-written = the queue cannot be written: { $error }
problem-some-runs-that-waited-in-queue = some runs that waited in the queue cannot be read
try-set-them-up-again = set them up again
problem-runs-facts-cannot-be-written = the run's facts cannot be written: { $error }
try-this-file-is-damaged-restore-it = this file is damaged; restore it from a copy, or train the run again
problem-this-run-was-made-by-newer = this run was made by a newer version of LAE Studio
problem-snapshot-cannot-be-described = a snapshot cannot be described: { $error }
problem-snapshot-of-task-goes-on-from = the snapshot of task { $task } goes on from another file than this one
problem-no-task-is-saved = no task is saved
problem-there-is-no-column-of-runs = there is no column `{ $key }` of runs
try-figure-or-setting-as-train-has = a figure ({ $figures }), or a setting as `train` has it
problem-condition-of-characters-is-too-long = a condition of { $text } characters is too long
try-use-at-most-3 = use at most { $longest }
problem-compares-nothing = `{ $shown }` compares nothing
try-write-it-like-final-85-or = write it like `final > 85` or `method = l2p`
problem-lacks-one-of-its-sides = `{ $shown }` lacks one of its sides
problem-is-no-number-and-is-one = `{ $value }` is no number, and { $name } is one
try-give-percent-like-final-85 = give percent, like `final > 85`
problem-is-figure-and-rows-are-told = { $figure } is a figure, and rows are told apart by settings
try-name-setting-there-and-figures-in = name a setting there, and figures in --columns
problem-no-row-has-only-runs-with = no row has only runs with `{ $text }`
try-name-value-of-one-of-columns = name a value of one of the columns in --by
problem-several-rows-have-only-runs-with = several rows have only runs with `{ $text }`
try-add-condition-with-and-that-one = add a condition with `and` that one row alone meets
problem-table-by-columns-is-no-figure = a table by columns is no figure or report
try-end-file-in-csv-md-or = end the file in .csv, .md or .tex, or leave --by, --columns, --sort, --against and --published out
problem-table-cannot-be-written = the table cannot be written: { $error }
problem-table-cannot-be-written-2 = a table cannot be written: { $error }
problem-this-table-of-run-is-damaged = this table of the run is damaged: { $why }
try-restore-it-from-copy-or-train = restore it from a copy, or train the run again
problem-added-task-cannot-be-written = the added task cannot be written: { $error }
problem-this-run-has-no-added-task = this run has no added task that could be undone
problem-this-run-is-link-to-folder = this run is a link to a folder elsewhere
try-delete-folder-that-it-leads-to = delete the folder that it leads to, or remove the link yourself
problem-this-run-waits-in-queue-to = this run waits in the queue to be resumed
try-remove-it-from-queue-first-then = remove it from the queue first, then delete it
problem-this-is-no-deleted-run = this is no deleted run
try-lae-studio-restore-lists-deleted-runs = `lae-studio restore` lists the deleted runs
problem-link-stands-where-trash-should-be = a link stands where the trash should be
try-remove-link-then-delete-run-again = remove the link, then delete the run again
problem-there-is-no-method = there is no method "{ $key }"
try-one-of-2 = one of { $value }
problem-is-no-value-of-setting = { $given } is no value of the setting "{ $setting }"
try-give = give { $range }
problem-sets-nothing-2 = "{ $text }" sets nothing
try-write-it-as-key-value-for = write it as KEY=VALUE, for example --set length=5
problem-this-method-needs-pet-plugin = this method needs a PET plugin
try-give-every-class-company-classes-per = give every class company: --classes-per-task { $sizes }
try-freeze-fewer = freeze fewer: { $place } { $usual }
problem-more-epochs-are-frozen-than-there = more epochs are frozen than there are
try-give-number-up-to-epochs = give a number up to --epochs
problem-trains-backbones-own-weights-which-cannot = { $title } trains the backbone's own weights, which { $key } cannot hold
try-choose-f32-or-method-that-leaves = choose f32, or a method that leaves the backbone as it is
problem-network-as-it-was-after-task = the network as it was after task { $tasks } was not kept
try-ask-for-last-task-of-finished = ask for the last task of the finished run, or train with --set keep_weights=every
problem-esns-task-token-needs-backbone-with = ESN's task token needs a backbone with a class token: only a ViT has one
try-choose-vit-or-another-method = choose a ViT, or another method
problem-this-backbone-has-no-class-token = this backbone has no class token
problem-no-can-be-drawn-that-is = no { $name } can be drawn that is orthogonal to those before
try-begin-this-run-anew = begin this run anew
problem-coda-prompt-needs-blocks-and-even = CODA-Prompt needs blocks and an even length: half of it are keys, half values
problem-cannot-be-shared-among = { $components } cannot be shared among { $tasks }
try-give-or-more = give { $tasks } or more
problem-components-of-channels-cannot-be-orthogonal = { $pool } components of { $width } channels cannot be orthogonal
try-give-or-less = give { $width } or less
problem-of-coda-prompts-components-are-never = { $unused } of CODA-Prompt's { $pool } components are never used: each of { $tasks } tasks gets { $share }
try-or-share-out-evenly = { $unused } or { $share } share out evenly
problem-block-cannot-have-g-prompt-and = block { $block } cannot have a G prompt and an E prompt
try-let-g-blocks-and-e-blocks = let g_blocks and e_blocks differ
problem-dualprompt-needs-e-prompts-blocks-slots = DualPrompt needs E prompts: blocks, slots and a length
problem-g-prompts-need-length = G prompts need a length
problem-l2p-needs-pool-of-prompts-with = L2P needs a pool of prompts with tokens, of which each image takes at least one
problem-image-cannot-take-of = an image cannot take { $top_k } of { $pool }
try-give-or-less-or-larger-pool = give { $pool } or less, or a larger pool
problem-s-prompts-stand-beside-class-token = { $title }'s prompts stand beside a class token: only a ViT has one
try-name-blocks-from-0-to = name blocks from 0 to { $depth }
problem-tensor-is-not = the tensor { $name } is { $found }, not { $shape }
problem-nothing-has-been-learned-yet = nothing has been learned yet
problem-batch-has-no-images = a batch has no images
problem-no-backbone-is-called = no backbone is called { $name }
try-give-name-of-table-or-path = give a name of the table, or the path of a weight file
problem-no-backbone-is-chosen = no backbone is chosen
try-is-part-of-program = { $embedded } is part of the program
problem-weights-of-are-not-there = the weights of { $name } are not there
try-correct-file-in-table-of-backbones = correct the file in the table of backbones
problem-it-is-another-file-than-one = { $what }: it is another file than the one that came first
try-if-its-makers-say-that-they = if its makers say that they changed it, delete { $place } and download it again
problem-what-came-from-is-no-weight = what came from { $url } is no weight file: { $what }
try-try-again-later-without-internet-download = try again later; without internet, download it elsewhere and give that file as the backbone
problem-weights-of-are-not-expected-ones = the weights of { $name } are not the expected ones: their SHA-256 is { $sha256 } instead of { $known }
try-delete-file-and-download-it-again = delete the file and download it again, or open it as a file of its own
problem-its-weights-take-mb-of-memory = its { $weights } weights take { $needed } MB of memory, and { $free } MB are free
try-state-dimensions-of-smaller-network = state the dimensions of a smaller network
problem-table-of-backbones-cannot-be-read = the table of backbones cannot be read: { $message }
try-correct-this-line-entries-of-other = correct this line; the entries of the other tables stay available
try-give-entry-shorter-name = give the entry a shorter name
problem-entry-of-backbone-cannot-be-read = the entry of backbone { $name } cannot be read: { $why }
try-correct-entry-see-docs-backbones-md = correct the entry, see docs/backbones.md
problem-entry-of-backbone-makes-no-sense = the entry of backbone { $name } makes no sense: { $why }
problem-weight-file-is-damaged-holds = the weight file is damaged: { $name } holds { $holds }
try-copy-or-download-file-again = copy or download the file again
problem-backbones-weight-is-missing = the backbone's weight { $name } is missing
problem-backbones-weight-is-instead-of = the backbone's weight { $name } is { $found } instead of { $shape }
try-choose-backbone-these-weights-were-made = choose the backbone these weights were made for, or give the file itself as the backbone so that its dimensions are read from it
problem-there-is-no-tensor = there is no tensor { $name }
problem-folder-was-given-where-weight-file = a folder was given where a weight file is needed
try-name-safetensors-pth-bin-or-npz = name a .safetensors, .pth, .bin or .npz file
problem-this-is-no-usable-weight-file = this is no usable weight file: { $why }
try-choose-safetensors-file-pytorch-state-dict = choose a .safetensors file, a PyTorch state dict (.pth, .bin) or an original ViT .npz; if it was downloaded, download it again
try-fetch-file-with-git-lfs = run `git lfs pull` in the repository, or download the file itself from the repository's page
try-download-file-not-page = download the file itself: open the address in a browser, where a page that asks to log in or to accept a licence can be answered
problem-weights-kept-as-can-be-neither = weights kept as { $kept } can be neither trained nor exported
try-train-run-in-f32-for-that = train a run in f32 for that
problem-this-backbone-has-no-place-for = this backbone has no place for { $what }
try-choose-vit-with-class-token = choose a ViT with a class token
problem-is-no-known-family-of-backbones = { $name } is no known family of backbones
try-known-are = known are { $names }
problem-weight-file-belongs-to-none-of = the weight file belongs to none of the known families ({ $titles }); its tensors are { $names }
try-choose-weights-of-one-of-these = choose weights of one of these families, under timm's names
problem-weight-file-holds-several-networks = the weight file holds more than one network: their first tensors are { $names }
try-save-state-dict-of-one-network = save the state dict of one of them with torch.save, or give a file that holds only one network
problem-models-on-cannot-be-written-for = models on { $family } cannot be written for PyTorch yet
problem-these-dimensions-do-not-fit-together = these { $title } dimensions do not fit together: { $wrong }
try-state-dimensions-of-real-network-input = state the dimensions of a real network; an input of 224 pixels is usual
problem-epsilon-of-layer-norms-does-not = epsilon { $epsilon } of the layer norms does not lie between 0 and 1
try-1e-6-and-1e-5-are = 1e-6 and 1e-5 are usual
problem-of-grid-could-not-be-finished = { $n ->
    [one] { $n } run
   *[other] { $n } runs
} of the grid could not be finished
try-see-lines = { $what }; its lines say what is wrong
problem-pass-is-not-saved = this pass is not saved, training goes on: { $what }
problem-run-is-as-it-was = { $what }; the run is as it was before the added task
problem-count-image = { $n ->
    [one] { $n } image
   *[other] { $n } images
}
problem-map-has-no-axes-yet = the map has no axes yet
problem-no-helper-thread-could-be-started = no helper thread could be started: { $error }
problem-engine-thread-did-not-start = the engine thread did not start: { $error }
problem-no-row-of-this-search-is-whole = no row of this search has all of its runs
try-lines-of-its-runs-say-what = the lines of its runs say what is wrong; the same search tries again
problem-engine-has-ended = the engine has ended
problem-single-class-task = task { $task } has a single class: the loss is taken over the classes of a task alone, so nothing is learned there
problem-single-class-tasks = tasks { $tasks } have a single class: the loss is taken over the classes of a task alone, so nothing is learned there
problem-only-epoch-frozen = from the second task on the only epoch is frozen, so the PET learns nothing there
problem-all-epochs-frozen = from the second task on all { $n } epochs are frozen, so the PET learns nothing there
try-micro-batch = --micro-batch { $images } gives the same result in less
try-smaller-backbone = choose a smaller backbone, or train on the CPU (--device cpu)
problem-task-without-training = task { $task } has no training images
problem-task-without-test = task { $task } has no test images
try-add-training-images = add training images for its classes
try-add-test-images = add test images for its classes, or give a folder without a test split
problem-weights-do-not-fit = the weight file does not fit this { $family } backbone; tensors: { $faults }
problem-weights-of-another = the weight file does not fit this { $family } backbone: it holds a { $other } network; tensors: { $faults }
problem-processor-without-bf16 = this processor does not multiply numbers of bf16 (AVX512-BF16, AMX and ARM's instructions for it do)
problem-card-without-bf16 = { $name } keeps weights as f32 or f16, bf16 is the processor's
try-f32 = choose f32
try-f16 = choose f16, or --device cpu
problem-f32-on-cpu = the backbone's weights are kept as f32: the CPU's kernels are made for it
problem-f32-on-card = the backbone's weights are kept as f32: this graphics card does not compute rightly in half precision
try-a-card-for-half = leave the option out, or train on a graphics card
try-another-card-for-half = leave the option out, or train on another card
problem-not-kept-older-version = what { $title } needs to learn another task was not kept: an older version of the program finished the run
problem-not-kept-stopped = what { $title } needs to learn another task was not kept: the run was stopped on the way
try-train-again-same-settings = train the run again with the same settings
try-continue-to-the-end = continue the run to its end, then teach it
problem-cannot-learn-another-task = { $title } cannot learn another task now: { $what }
problem-no-room-for-another-task = { $title } has no room for another task: { $what }
try-no-own-settings = leave it out: this method has no settings of its own
try-its-settings = its settings are { $keys }
problem-network-kept-after-every-task = the whole network is kept after every task, { $megabytes } MB each time
problem-network-kept-after-last-task = the network ({ $megabytes } MB) is kept as it is after the last task alone: pictures can be predicted after that one
try-keep-last = --set keep_weights=last keeps the last one alone
try-keep-every = --set keep_weights=every keeps it after every task
problem-no-such-weight-file = there is no weight file { $name }
try-meant-plain = did you mean { $name }?
try-weight-file-or-one-of = give the path of a weight file, or one of { $names }
problem-no-loss-noted = this run noted no loss: its method trains in no passes, or it is of an older version
try-no-runs-yet = there are no runs in { $root } yet
try-there-are = there are { $names }
# Mistakes in plugins and formulas, and what is known or to be done about them.
mistake-has-more-than-letters = { $called } has more than { $most_letters } letters
mistake-parentheses-nest-more-than-deep = parentheses nest more than { $deepest } deep
mistake-this-is-never-closed = this `(` is never closed
mistake-ends-after = { $called } ends after `{ $shown }`
mistake-is-empty = { $called } is empty
mistake-is-not-number = `{ $shown }` is not a number
mistake-has-more-than-names-and-signs = { $called } has more than { $most_tokens } names and signs
mistake-has-no-meaning-in = `{ $letter }` has no meaning in { $any }
mistake-equation-has-at-most-steps = an equation has at most { $most_steps } steps
mistake-step-name-is-taken-already = the step name `{ $name }` is taken already
mistake-step-is-used-by-no-later = the step `{ $name }` is used by no later step
mistake-equation-has-no-result = the equation has no result
mistake-equation-gives-number-where-tensor-is = the equation gives a number where a tensor is needed
mistake-unknown-name = unknown name `{ $name }`
mend-is-function-write = `{ $name }` is a function: write { $name }(…)
mistake-is-name-of-default-form-already = `{ $name }` is the name of the default form already
mistake-plugin-has-at-most-variants = a plugin has at most { $most_variants } variants
mistake-there-is-no-parameter = there is no parameter `{ $name }`
mistake-equation-for-which-sites-does-not = an equation for `{ $key }`, which `sites` does not name
mistake-is-empty-2 = { $what } is empty
mistake-there-is-no-equation-for-site = there is no equation for the site `{ $name }`
mend-write-or = write `{ $name } = "…"` or `{ $every } = "…"`
mistake-unknown-function = unknown function `{ $name }`
mistake-takes-and-got = `{ $name }` takes { $takes } and got { $given }
mend-write = write { $usage }
mistake-no-backbone-family-offers-these-sites = no backbone family offers these sites together
mistake-shape-of-in-block = the shape of `{ $name }` in block { $block }: { $reason }
mistake-file-has-bytes-plugin-has-at = the file has { $bytes } bytes; a plugin has at most { $most_bytes }
mistake-not-valid-toml = not valid TOML: { $message }
mend-compare-with-one-of-built-in = compare with one of the built-in plugins
mistake-name-must-be-1-to-40 = `name` must be 1 to 40 letters without slashes
mistake-sites-must-name-at-least-one = `sites` must name at least one site
mistake-site-is-named-twice = the site `{ $name }` is named twice
mistake-there-is-no-site = there is no site `{ $name }`
mistake-plugin-has-at-most-parameters = a plugin has at most { $most_parameters } parameters
mend-write-bias-of-d-channels-as = write a bias of d channels as [1, "d"], a single number as [1, 1]
mistake-name-is-taken-it-means = the name `{ $name }` is taken: it means { $owner }
mend-write-one-of = write one of { $value }
mistake-plugin-has-at-most-constants = a plugin has at most { $most_constants } constants
mistake-constant-needs-both-min-and-max = constant `{ $name }` needs both `min` and `max`, and min ≤ default ≤ max
mistake-shape-has-no-0 = a shape has no 0
mend-shape-is-made-of-sizes-numbers = a shape is made of sizes, numbers, + - * / and parentheses
mistake-must-be-number = { $what } must be a number
mistake-size-needs-1-min-default-max = size `{ $name }` needs 1 ≤ min ≤ default ≤ max ≤ { $most_size }, not { $min }, { $default }, { $max }
mistake-plugin-has-no-equation = the plugin has no equation
mistake-parameter-is-used-by-no-equation = the parameter `{ $name }` is used by no equation
mistake-has-no-variant = { $name } has no variant `{ $name2 }`
mistake-result-needs = the equation for `{ $name }` gives { $found }, but { $needed } is needed there, as `{ $like }` has
mistake-result-needs-at-least = the equation for `{ $name }` gives { $found }, but { $needed } is needed there, as `{ $like }` has, or more tokens
mend-tried-with-blocks-of-channels = tried with { $name } blocks of { $width } channels
mend-named-are = named are { $sets }
mistake-plugins-forms-have-far-too-many = the plugin's forms have far too many parameters: more than { $value } million on a block of { $width } channels
mend-use-smaller-sizes-or-fewer-variants = use smaller sizes, or fewer variants
mistake-equation-for-gives-numbers-that-are = the equation for `{ $name }` gives numbers that are not finite
mend-look-for-divisions-by-0-roots = look for divisions by 0, roots of negative numbers and exp of large ones
problem-cannot-be-read = this cannot be read
problem-name-too-long = a name here has { $letters } letters; names have at most { $most }
mistake-no-value-before = a name or a number is missing before `{ $shown }`
mistake-comma = a comma belongs between arguments
mistake-no-operator-before = an operator is missing before `{ $shown }`
mistake-closes-nothing = this `)` closes nothing

# Before a list of names, which the window cuts.
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
    [one] { $n } picture
   *[other] { $n } pictures
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

# A LoRA of peft's as the start of a PET
problem-start-shared = `{ $parameter }` serves several layers, and the adapter has other values for each
try-start-per-site = use a plugin with per_site = true, such as LoRA all
problem-start-no-lora = { $pet } has no A and B at `{ $site }` to be started from
try-start-no-lora = choose LoRA, LoRA all, or a plugin with h + e @ a @ b there
problem-start-unreadable = { $file } cannot be read: { $error }
try-start-folder = name the folder in which the library peft saved a LoRA of a ViT, with adapter_config.json and adapter_model.safetensors
problem-start-kind = the adapter is { $kind }, and a PET starts from a plain LoRA alone
problem-start-bias = the adapter is a LoRA that trains biases, too, and a PET starts from a plain LoRA alone
problem-start-field = the adapter has { $field } = { $value }, so it is not, or may not be, a plain LoRA: a PET starts from B · A with alpha and rank alone
try-start-plain = train a plain LoRA in peft, or leave --pet-start out
problem-start-no-matrix = { $name } is no matrix
problem-start-ranks = A and B of { $layer } have the ranks { $a } and { $b }
problem-start-not-finite = { $layer } holds numbers that are not finite
problem-start-nothing = the adapter changes no linear layer
problem-start-none = this folder has no adapter of peft
problem-start-channels = the adapter's { $layer } is { $from } to { $to } channels, here it is { $inputs } to { $outputs }
try-start-backbone = choose the backbone that the adapter was trained on
problem-start-rank = the adapter's { $layer } has rank { $rank }, and the PET's size is { $size }
try-start-rank = --pet-size { $rank }
problem-start-scale = the PET multiplies its change of { $layer } with 0
try-start-scale = choose another scale with --pet-set
problem-start-elsewhere = the adapter changes { $layer }, where this run has no PET
try-start-elsewhere = choose the blocks with --blocks, and a PET that acts at the same layers (LoRA all, or a copy of it)
problem-start-part = the adapter changes the { $site } part of { $layer }, which this run's PET leaves as it is
try-start-part = use LoRA all, or a copy of it with these sites
problem-start-changed = what this run's PET started from was changed
try-start-changed = put the two files of the adapter back
problem-start-changes = the adapter was changed while it was copied
try-start-changes = train again once nothing writes it any more

# What can be written for other programs
problem-method-has-no-recipe = answers of this method take more than features and scores, and have no form for other programs yet
try-method-with-recipe = export a run of one of these methods: { $methods }
problem-export-taken = there is something here already
try-export-taken = name a new folder, or an empty one
problem-export-no-pet = this run has no PET, so there is nothing for peft to load
try-export-torch = use the form torch, which takes every PET: --format torch
problem-export-no-lora = { $pet } is not a LoRA that peft could load: at `{ $site }` its equation is not h + scale * (e @ A @ B), or it acts on no linear layer of timm's
problem-export-no-form = `{ $name }` of the PET's equation has no form in ONNX here
problem-export-too-large = this network is too large for one ONNX file

# iCaRL
problem-icarl-few = { $budget ->
    [one] { $budget } exemplar
   *[other] { $budget } exemplars
} cannot stand for { $classes }: those without one would never be answered
try-icarl-few = --set exemplars={ $classes } is the least
problem-icarl-memory = up to { $images } of earlier tasks are learned again, which the other methods never see
try-icarl-memory = compare it with them as what a memory of pictures brings

problem-no-common-folder = these pictures lie in no common folder
try-one-drive-at-a-time = choose pictures of one drive at a time

problem-cpu-instead = { $what }; the CPU is used instead
