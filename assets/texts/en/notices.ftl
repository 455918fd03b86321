# Notices and other messages of the session.

notices-taught = learned { $classes }
notices-taught-advice = open Train to see how the earlier classes changed
notices-finished = { $run } is finished: { $share } of the { $n } { $on ->
    [validation] validation
   *[test] test
} images of all classes are correct
notices-missed = { $head }: open Train for details and suggestions
notices-task-failed = reading failed because of an internal error
notices-task-failed-advice = try another file; running work is not affected
notices-no-thread = cannot start a worker thread: { $why }
notices-bin-held = { $n ->
    [one] a running or queued run cannot be deleted
   *[other] { $n } running or queued runs cannot be deleted
}
notices-bin-held-advice = stop it, or remove it from the queue on Train
notices-bin-deleted = { $n ->
    [one] { $n } run was deleted
   *[other] { $n } runs were deleted
}
notices-bin-deleted-advice = to restore it, open the list of deleted runs on Compare
notices-bin-restored = { $n ->
    [one] { $n } run was restored
   *[other] { $n } runs were restored
}
notices-bin-erased = { $n ->
    [one] { $n } run was permanently deleted
   *[other] { $n } runs were permanently deleted
}
notices-report-saved = Report saved to { $path }
notices-report-unpacked = cannot pack the report: { $why }
notices-report-versions = versions and machine
notices-report-settings = window settings
notices-report-devices = results of the device tests
notices-report-log = program log
choose-data = Choose a folder with one subfolder per class
choose-weights = Choose a weights file
choose-images = Choose images
choose-order = Choose a class order file
choose-pet-start = Choose the folder of a LoRA saved by peft
choose-report = Save the bug report
choose-export-project = Export for Teachable Machine
choose-export-folder = Export as a zip of image folders
choose-results = Save the report
choose-figure = Save the figure
choose-table = Save the table
choose-grid = Choose a grid
choose-save-grid = Save the grid
choose-pack = Pack the run into one file
choose-packed = Choose a packed run
choose-model = Choose where to save the model folder
choose-teach = Choose a folder with one subfolder per new class
choose-runs = Choose a folder that contains runs
choose-pictures = Choose a folder of images
choose-archives = Archives
choose-weight-files = Weights
choose-image-files = Images
choose-run-files = Runs
choose-folders = Folders
choose-projects = Teachable Machine projects
choose-result-files = Results
choose-grid-files = Grids
choose-packed-files = Packed runs
notices-downloaded = { $name } downloaded
notices-download-stopped = download of { $name } stopped
notices-download-kept = the downloaded part is kept; the next download continues from there
notices-exported = { $pictures } of { $classes } saved in one file
notices-renamed = { $from } as { $to }
notices-all-renamed = some class names are not valid on every system and were changed: { $names }
notices-counts = { $picture } counts as { $class }, starting with the next run
notices-counts-now = { $picture } counts as { $class } instead of { $was }, starting with the next run
notices-left-out = { $picture } is excluded, starting with the next run
notices-corrected-advice = Experiment lists the corrected labels of a dataset; the files are not changed
notices-no-train-image = training image { $n } is no longer in the dataset
notices-no-test-image = test image { $n } is no longer in the dataset
notices-no-room = cannot create a temporary copy: { $why }
notices-size = { $least } to { $most }, default { $usual }
notices-number = a number, default { $usual }
notices-this-text = this text
notices-is-folder = this is a folder, not an image
notices-is-folder-advice = drop a folder on Experiment to train on it; drop one image here
notices-no-image = this folder contains no images
notices-no-image-advice = drop image files, or a folder with the images of one class
notices-unwritable-advice = make it writable, or start the program with another run folder
notices-no-program-advice = copy the path instead
notices-unwritable = cannot save runs in this folder: { $why }
notices-no-program-folders = no file manager was found on this desktop
notices-no-data = there is no published dataset named '{ $name }'
notices-grid-unread = the grid was not read completely
notices-the-settings = the settings
notices-beyond-advice = use a smaller number
notices-the-grid = the grid { $name }
notices-axis = { $n } { $setting }
notices-axis-orders = class orders
notices-axis-seeds = seeds
notices-beyond = { $n } is too large for a grid file
notices-no-plugins = this system has no folder for user plugins
notices-no-plugins-advice = save the text as a file in the plugins folder next to the program
notices-installed = installed on { $since } from { $from }
notices-changed = last changed on { $since }
notices-no-train = a task has no training images
notices-no-train-advice = add images of its classes
notices-no-test = a task has no test images
notices-no-test-advice = add images of its classes: each class needs at least two, one of them for testing
notices-export-stopped = export stopped
notices-folder-gone-advice = restore it, or remove it from the list on Compare
notices-folder-known = the runs in this folder are already listed
notices-folders-most-advice = remove one from the list first
notices-folder-empty = this folder contains no runs
notices-folder-empty-advice = choose the folder that contains the run folders
notices-folder-gone = a run folder no longer exists: { $why }
notices-folders-most = { $n } other run folders are already open
notices-no-drop = files cannot be dropped on this window: it runs on Wayland and no X server is available
notices-no-drop-advice = choose files with the buttons, paste images, or install XWayland
