# Notices, and what the session tells by the way.

notices-taught = { $classes } taught
notices-taught-advice = Train shows what it cost the old classes
notices-finished = { $run } is finished: { $share } of the { $n } { $on } images of all classes are right
notices-missed = { $head }: Train says which, and what may help
notices-task-failed = reading this failed inside the program
notices-task-failed-advice = try another file; the running work is not affected
notices-no-thread = no helper thread could be started: { $why }
notices-bin-held = { $n ->
    [one] a run that is at work or waits in the queue is not deleted
   *[other] { $n } runs that are at work or wait in the queue are not deleted
}
notices-bin-held-advice = stop it, or remove it from the queue on Train
notices-bin-deleted = { $n ->
    [one] { $n } run was deleted
   *[other] { $n } runs were deleted
}
notices-bin-deleted-advice = Compare has a list of deleted runs
notices-bin-restored = { $n ->
    [one] { $n } run was brought back
   *[other] { $n } runs were brought back
}
notices-bin-erased = { $n ->
    [one] { $n } run was deleted for good
   *[other] { $n } runs were deleted for good
}
notices-report-saved = The report is in { $path }
notices-report-unpacked = the report cannot be packed: { $why }
notices-report-versions = versions and machine
notices-report-settings = the window's settings
notices-report-devices = what tests of the devices found
notices-report-log = what the program did
choose-data = Choose a folder with one subfolder per class
choose-weights = Choose a weight file
choose-images = Choose images
choose-order = Choose a class order
choose-pet-start = Choose the folder of a LoRA that peft saved
choose-report = Save the bug report
choose-export-project = Export for Teachable Machine
choose-export-folder = Export as an image folder in a zip
choose-results = Save the report
choose-figure = Save the figure
choose-table = Save the table
choose-grid = Choose a grid
choose-save-grid = Save the grid
choose-pack = Pack the run into one file
choose-packed = Choose a packed run
choose-model = Choose where the folder of the model goes
choose-teach = Choose a folder with one subfolder per new class
choose-runs = Choose a folder that runs lie in
choose-pictures = Choose a folder of pictures
choose-archives = Archives
choose-weight-files = Weights
choose-image-files = Images
choose-run-files = Runs
choose-folders = Folders
choose-projects = Projects of Teachable Machine
choose-result-files = Results
choose-grid-files = Grids
choose-packed-files = Packed runs
notices-downloaded = { $name } is downloaded
notices-download-stopped = the download of { $name } was stopped
notices-download-kept = what has arrived is kept; a later download goes on from there
notices-exported = { $pictures } of { $classes } are in one file now
notices-renamed = { $from } as { $to }
notices-all-renamed = not every system takes these names of classes, so they are written differently: { $names }
notices-counts = { $picture } counts as { $class }, from the next run on
notices-counts-now = { $picture } counts as { $class } instead of { $was }, from the next run on
notices-left-out = { $picture } is left out, from the next run on
notices-corrected-advice = Experiment lists the corrected labels of a data set; the files stay as they are
notices-no-train-image = the data set has no training image { $n } any more
notices-no-test-image = the data set has no test image { $n } any more
notices-no-room = no room for a moment's copy: { $why }
notices-size = { $least } to { $most }, usually { $usual }
notices-number = a number, usually { $usual }
notices-this-text = this text
notices-is-folder = this is a folder, not an image
notices-is-folder-advice = drop a folder on Experiment to train on it; drop one image here
notices-no-image = there is no image in this folder
notices-no-image-advice = drop image files, or a folder with the images of one class
notices-unwritable-advice = make it writable, or start the program with another folder for runs
notices-no-program-advice = copy the path instead
notices-unwritable = runs cannot be kept in this folder: { $why }
notices-no-program-folders = this desktop has no program that shows folders
notices-no-data = there is no published data set named '{ $name }'
notices-grid-unread = the grid was not looked at to its end
notices-the-settings = the settings
notices-beyond-advice = give a smaller number
notices-the-grid = the grid { $name }
notices-axis = { $n } { $setting }
notices-axis-orders = class orders
notices-axis-seeds = seeds
notices-beyond = { $n } is more than a grid's file can hold
notices-no-plugins = this system has no folder for a person's own plugins
notices-no-plugins-advice = save the text as a file in the folder plugins beside the program
notices-installed = installed on { $since } from { $from }
notices-changed = changed last on { $since }
notices-no-train = a task has no training images
notices-no-train-advice = add images of its classes
notices-no-test = a task has no test images
notices-no-test-advice = add images of its classes: a class needs two at least, one of them for testing
notices-export-stopped = the export was stopped
notices-folder-gone-advice = bring it back, or take it off the list on Compare
notices-folder-known = the runs of this folder are listed already
notices-folders-most-advice = take one off the list first
notices-folder-empty = there is no run in this folder
notices-folder-empty-advice = choose the folder that the folders of the runs lie in
notices-folder-gone = a folder of runs is not there any more: { $why }
notices-folders-most = { $n } other folders of runs are open already
notices-no-drop = files cannot be dropped on this window: it is opened on Wayland, and no X server answers
notices-no-drop-advice = choose files with the buttons, paste images, or install XWayland
