# Notices and other messages of the session.

notices-classes-learned = learned { $classes }
notices-classes-learned-advice = open Train to see how the earlier classes changed
notices-run-finished = { $run } is finished: { $share } of the { $n } { $on ->
    [validation] validation
   *[test] test
} images of all classes are correct
notices-open-train = { $head }: open Train for details and suggestions
notices-reading-failed = reading failed because of an internal error
notices-reading-failed-advice = try another file; jobs in progress are not affected
notices-trash-run-active = { $n ->
    [one] a running or queued run cannot be deleted
   *[other] { $n } running or queued runs cannot be deleted
}
notices-trash-run-active-advice = on Train, stop running runs and remove queued ones
notices-runs-deleted = { $n ->
    [one] { $n } run was deleted
   *[other] { $n } runs were deleted
}
notices-runs-deleted-advice = to restore runs, open the list of deleted runs on Compare
notices-runs-restored = { $n ->
    [one] { $n } run was restored
   *[other] { $n } runs were restored
}
notices-runs-erased = { $n ->
    [one] { $n } run was permanently deleted
   *[other] { $n } runs were permanently deleted
}
notices-report-saved = Report saved to { $path }
notices-report-not-packed = cannot pack the report: { $why }
notices-report-versions = versions and machine
notices-report-settings = window settings
notices-report-devices = results of the device tests
notices-report-log = program log
choose-data-folder = Choose a folder with one subfolder per class
choose-weights-file = Choose a weight file
choose-images = Choose images
choose-class-order-file = Choose a class order file
choose-lora-folder = Choose the folder of a LoRA saved by peft
choose-save-bug-report = Save the bug report
choose-export-teachable-machine = Export for Teachable Machine
choose-export-zip = Export as a zip of image folders
choose-save-report = Save the report
choose-save-figure = Save the figure
choose-save-summary = Save the summary
choose-save-table = Save the table
choose-grid = Choose a grid
choose-save-grid = Save the grid
choose-pack-target = Pack the run into one file
choose-packed-run = Choose a packed run
choose-model-folder = Choose where to save the model folder
choose-new-class-folder = Choose a folder with one subfolder per new class
choose-run-folder = Choose a folder of runs
choose-image-folder = Choose a folder of images
choose-filter-archives = Archives
choose-filter-weights = Weights
choose-filter-images = Images
choose-filter-runs = Runs
choose-filter-folders = Folders
choose-filter-projects = Teachable Machine projects
choose-filter-results = Results
choose-filter-grids = Grids
choose-filter-packed-runs = Packed runs
notices-downloaded = { $name } downloaded
notices-download-stopped = download of { $name } stopped
notices-download-part-kept = the downloaded part is kept; the next download continues from there
notices-exported = { $pictures } of { $classes } saved in one file
notices-class-renamed = { $from } as { $to }
notices-classes-renamed = some class names are not valid on every system and were changed: { $names }
notices-label-counts-as = { $picture } is labelled { $class }, starting with the next run
notices-label-corrected = { $picture } is labelled { $class } instead of { $was }, starting with the next run
notices-image-excluded = { $picture } is excluded, starting with the next run
notices-corrected-labels-advice = Experiment lists the corrected labels of a dataset; the files are not changed
notices-training-image-gone = training image { $n } is no longer in the dataset
notices-test-image-gone = test image { $n } is no longer in the dataset
notices-temporary-copy-failed = cannot create a temporary copy: { $why }
notices-size-range = { $least } to { $most }, default { $usual }
notices-number-default = a number, default { $usual }
notices-this-text = this text
notices-folder-not-image = this is a folder, not an image
notices-folder-not-image-advice = drop a folder on Experiment to train on it; drop one image here
notices-folder-without-images = this folder contains no images
notices-folder-without-images-advice = drop image files, or a folder with the images of one class
notices-run-folder-unwritable-advice = make it writable, or start the program with another folder of runs
notices-no-file-manager-advice = copy the path instead
notices-run-folder-unwritable = cannot save runs in this folder: { $why }
notices-no-file-manager = this folder could not be opened: no file manager was found on this desktop
notices-folder-missing = this folder could not be opened: it no longer exists
notices-folder-opened = folder opened in the file manager
notices-dataset-not-published = there is no published dataset named `{ $name }`
notices-grid-incomplete = the grid was not read completely
notices-settings = the settings
notices-number-too-large-advice = use a smaller number
notices-grid-name = the grid { $name }
notices-axis-values = { $n } { $setting }
notices-axis-class-orders = class orders
notices-axis-seeds = seeds
notices-number-too-large = { $n } is too large for a grid file
notices-no-plugin-folder = this system has no folder for user plugins
notices-no-plugin-folder-advice = save the text as a file in the folder plugins of the working directory
notices-plugin-installed = installed on { $since } from { $from }
notices-plugin-changed = last changed on { $since }
notices-no-training-images = a task has no training images
notices-no-training-images-advice = add images of its classes
notices-guessing-advice = that is no better than guessing; try more epochs, more images or another backbone
notices-few-images-advice = with so few test images, this may be due to chance; add images
notices-no-test-images = a task has no test images
notices-no-test-images-advice = add images of its classes: each class needs at least two, one of them for testing
notices-export-stopped = export stopped
notices-run-folder-gone-advice = restore it, or remove it from the list on Compare
notices-run-folder-known = the runs in this folder are already listed
notices-too-many-run-folders-advice = remove one from the list first
notices-run-folder-empty = this folder contains no runs
notices-run-folder-empty-advice = choose the folder that contains the run folders
notices-run-folder-gone = a folder of runs no longer exists: { $why }
notices-too-many-run-folders = { $n } other folders of runs are already open
notices-drop-unsupported = files cannot be dropped on this window: it runs on Wayland and no X server is available
notices-drop-unsupported-advice = choose files with the buttons, paste images, or install XWayland
