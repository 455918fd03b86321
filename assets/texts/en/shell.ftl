# Dialogs and bars around the pages.

shell-cancel = Cancel
shell-close = Close
shell-save = Save
shell-choose = Choose…
shell-clear = Clear
shell-report-problem = Report a problem…
shell-run-about-title = Name, tags and note
shell-run-name-hint = Your own name for this run
shell-run-tags-hint = Search terms, separated by commas
shell-run-note = Note
shell-run-name = Name
shell-run-tags = Tags
shell-run-note-hint = Notes about this run; { $keys } saves them
shell-run-add-tag = Add the tag { $tag }
shell-already-started = a run with these settings is already queued or in progress
shell-already-started-advice = to train another run with them, press Start training on Experiment
shell-help-hint = Help: tour, lessons, glossary, shortcuts, guide (F1)
shell-help = Help
shell-palette = Command palette
shell-palette-hint = All commands
shell-pages = Pages
shell-notices = Notifications
shell-device-detecting = detecting devices
shell-device-hint = Where new runs are trained
shell-device-auto = Automatic: the best GPU, or the CPU if there is none
shell-device-place = Train new runs on a remote machine; runs on this one continue
shell-idle = Idle
shell-run-idle = Run: idle
shell-resume-run = Resume
shell-pause-run = Pause the run
shell-stop-run = Stop the run
shell-notices-unread = Notifications, { $n } unread
shell-idle-runs-waiting = Idle · { $n } waiting
shell-run-progress = Run: { $told }
shell-runs-elsewhere = { $n } on remote machines
shell-paused = paused
shell-task-of-tasks = task { $task } of { $tasks }
shell-runs-waiting = { $n } waiting
shell-collect-add-drawing = Add drawing
shell-collect-enter = Enter
shell-collect-files = Files…
shell-collect-paste = Paste
shell-collect-create-dataset = Create a dataset
shell-teach-title = Teach new classes
shell-collect-about = Draw, paste or drop images into the selected class. Ten or more images per class give reliable results.
shell-collect-add-class = Add class
shell-collect-add-images = Add images to this class
shell-collect-add-images-to = Add images to { $class }
shell-collect-class-name = Class name
shell-collect-remove-images = Remove images
shell-collect-remove = Remove
shell-collect-class-known = The run already knows { $class }. The images are added to that class.
shell-collect-no-images = No images yet
shell-collect-remove-image = Remove image
shell-collect-where-saved = The images are saved next to your runs, in a folder with one subfolder per class.
shell-collect-use-as-dataset = Use as dataset
shell-collect-teach = Teach
shell-collect-images-kept = The images stay here
shell-collect-folder-name = Folder name
shell-collect-undo-remove = Undo removal
shell-collect-image-of = Image { $n } of { $class }
shell-deleted-title = Deleted runs
shell-deleted-loading = Loading…
shell-deleted-none = No deleted runs
shell-deleted-restore-all = Restore all
shell-deleted-delete-all = Delete all permanently…
shell-deleted-restore = Restore
shell-deleted-delete = Delete permanently…
shell-export-teachable-machine = For Teachable Machine (.tm)
shell-export-teachable-machine-hint = One project with all classes; images are cropped to 224 × 224 pixels
shell-export-zip = As an image folder (.zip)
shell-export-zip-hint = One folder per class; images are unchanged
shell-export = Export…
shell-export-hint = Save the images of all classes in one file
shell-folders-title = Other folders of runs
shell-folders-about = Runs in these folders appear in all lists next to your own. Opening a folder changes nothing in it. Before the data of these runs is opened, you are asked for permission.
shell-folders-path-hint = Path to a folder of runs, then Enter
shell-folders-path = Folder of runs
shell-folders-add = Add
shell-folders-missing = no longer exists
shell-folders-remove = Remove
shell-folders-remove-hint = Removes its runs from all lists; the files are kept
shell-folders-read-only = { $n ->
    [one] { $n } run, read-only
   *[other] { $n } runs, read-only
}
shell-notices-none = No notifications
shell-undo = Undo
shell-notices-all = Show all notifications
shell-notice-error = error
shell-notice-success = success
shell-notice-note = note
shell-path-no-dialog = The file dialog did not open.
shell-path-no-portal = No file dialog is available on this desktop: no portal responds, and zenity is not installed.
shell-path-type = Type or paste a path.
shell-path-missing = { $path } does not exist.
shell-path-hint = Path, then Enter
shell-path = Path
shell-path-checking = Checking…
shell-path-replace = Replace
shell-path-save-here = Save here
shell-path-choose-folder = Choose this folder
shell-path-open = Open
shell-path-file-exists = This file already exists.
shell-path-dialog-open = A file dialog is open.
shell-path-type-instead = Type a path instead
shell-ask-queued-runs-wait = { $n ->
    [one] { $n } queued run waits until you resume the queue.
   *[other] { $n } queued runs wait until you resume the queue.
}
shell-ask-stop = Stop training?
shell-ask-stop-kept = { $title } will be stopped. Finished tasks and epochs are kept; you can resume the run later.
shell-ask-stop-yes = Stop and save
shell-ask-close = Close the window?
shell-ask-close-kept = A run is in progress. It will be stopped and saved; you can resume it after the next start.
shell-ask-close-yes = Save and close
shell-ask-close-anyway = Close anyway
shell-ask-close-moved = The images you moved to other classes on Predict have not been saved to their table.
shell-ask-close-collected = { $n ->
    [one] { $n } collected image has not been saved as a dataset.
   *[other] { $n } collected images have not been saved as a dataset.
}
shell-ask-close-writing = A file is being written and will be lost.
shell-ask-close-tour = The tour is not finished; next time it starts from the beginning.
shell-ask-delete = Delete permanently?
shell-ask-delete-what = { $n ->
    [one] { $n } run ({ $size }) will be deleted. This cannot be undone.
   *[other] { $n } runs ({ $size }) will be deleted. This cannot be undone.
}
shell-ask-delete-yes = Delete permanently
shell-ask-access = Access another computer?
shell-ask-access-what = This run refers to { $places }. Accessing it reveals your identity to that computer. Continue only if you trust it.
shell-ask-access-yes = Access
shell-ask-stop-this = Stop only this run
shell-ask-remove = Remove the grid from the queue?
shell-ask-remove-at = Remove it from { $place }?
shell-ask-remove-grid = { $title } has { $n } runs. Finished runs are kept. To train the others later, you have to set up the grid again.
shell-ask-remove-job = { $title } has not started. To run it later, you have to set it up again.
shell-ask-remove-yes = Remove
shell-ask-stop-at = Stop at { $place }?
shell-ask-stop-at-kept = { $title } will be stopped. Finished tasks and epochs are copied to this computer; you can resume the run later.
shell-ask-stop-grid-kept = { $title } will be stopped; { $done } of { $n } runs are finished. They are kept, and the current run is saved.
shell-ask-grid-stop = Stop the grid on the cluster?
shell-ask-grid-stop-what = { $grid } has { $waiting } waiting and { $running } running jobs. All of them will be stopped; saved results are kept.
shell-ask-grid-stop-yes = Stop grid
shell-ask-discard = Discard the moved images?
shell-ask-discard-what = The images you moved to other classes have not been saved to { $table }.
shell-ask-discard-yes = Discard
shell-ask-leave = Leave the tour?
shell-ask-leave-what = Your drawings are removed, and a tour run in progress is stopped. The next tour starts from the beginning.
shell-ask-leave-yes = Leave
shell-ask-restart = Restart this lesson?
shell-ask-restart-what = Your answers are deleted. If you train again, the earlier runs stay in the list of runs.
shell-ask-restart-keep = Keep the runs
shell-ask-restart-train = Train again
shell-ask-plugin = Delete this plugin?
shell-ask-plugin-what = { $name } has not been saved as a file. Deleting it cannot be undone.
shell-ask-plugin-yes = Delete
shell-report-title = Report a problem
shell-report-about = The report contains only versions, settings and the log; no images, class names or data. Nothing is sent: you decide what to do with the file.
shell-report-collecting = Collecting versions, settings and the log…
shell-report-save-as = Save report as
shell-report-save = Save report
shell-tags-all-have = All runs have it
shell-tags-add-to-all = Add to all
shell-tags-remove-from-all = Remove from all
shell-tags-field = Tags for all runs
shell-tags-hint = Search terms, separated by commas
shell-tags-current = Current tags; click one to change it for all runs:
shell-tags-share = { $n } of { $of }
shell-tags-have = { $share } have it
shell-tags-all = all
shell-tags-none = none
shell-tags-title = { $n ->
    [one] Tags of { $n } run
   *[other] Tags of { $n } runs
}
shell-export-model = Export model…
shell-export-model-torch = For PyTorch
shell-export-model-peft = As LoRA for peft
shell-export-model-onnx = As ONNX
shell-teach-about = Draw or collect images here, choose a folder with one subfolder of images per class, or drop it on this window. 5 to 50 images per class are enough. They become the run's next task and are learned with the run's own method. Images of earlier tasks are usually not needed; the new ones are copied into the run.
shell-teach-collect = Draw or collect…
shell-teach-choose-folder = Choose folder…
shell-teach-choose-other-folder = Choose another folder…
shell-teach-checking = Checking the images
shell-teach-classes = { $n ->
    [one] Teach { $n } class
   *[other] Teach { $n } classes
}
shell-teach-undo = Undo last added task: { $classes }
shell-teach-images-found = { $classes }: { $pictures } for training, { $tests } for testing.
shell-drop-box = Drop images into the selected class
shell-drop-teach = Drop a folder with one subfolder per new class
shell-drop-compare = Drop a folder of runs to list its runs, or an image to classify it
shell-drop-predict = Drop images, or a folder of images, to classify them
shell-drop-data = Drop a folder to use it as the dataset, or an image to classify it
part-commands = Commands
part-notices = Notifications
part-report-problem = Report a problem
part-about-run = About a run
part-tags = Tags
part-deleted-runs = Deleted runs
part-help = Help
part-run-folders = Folders of runs
part-choosing-files = Choosing files
part-dropping-files = Dropping files
part-teaching = Teaching
part-question = Question
part-top-bar = Top bar
part-frame-times = Frame times
part-newest-notice = Newest notification
part-presenter-view = Presentation view
part-collecting-images = Collecting images
part-news = news
part-chosen-files = chosen files
part-dropped-files = dropped files
part-finished-runs = finished runs
part-figures = figures
part-focus = focus
part-closing = closing
part-settings = settings
shell-paired-runs-finished = { $n ->
    [one] { $n } run is finished
   *[other] { $n } runs are finished
}
shell-paired-runs-finished-advice = open Compare to see them side by side
shell-paired-runs-finished-select = select them in the list to see them side by side
shell-copied-numbers = Numbers copied to the clipboard
shell-copied-image = Image copied to the clipboard
shell-copied-command = Command copied to the clipboard
shell-copied-command-current-labels = Command copied to the clipboard; it uses the current list of corrected labels
shell-still-using-dataset = still using the dataset { $mine }: it has as many classes as { $its }
page-start = Start
page-experiment = Experiment
page-train = Train
page-compare = Compare
page-predict = Predict
page-plugins = Plugins
page-learn = Learn
shell-part-try-again = Try again
shell-part-reset-page = Reset this page
shell-part-reset-page-hint = Clears the filters, selections and input of this page
shell-part-failed-advice = try again, or continue elsewhere: the rest of the window and a run in progress are not affected; if it fails again, report the problem
shell-window-out-of-date-advice = training continues and is saved as usual, but the window may be out of date; if it does not recover, restart the program and report the problem
part-last-command = last command
shell-part-test-fault = test fault in { $part }
shell-part-failed = this part of the window stopped after an internal error: { $words }
shell-resume-on = Resume on…
shell-resume-trained-so-far = Trained on { $device } so far
shell-resume-at-place = At { $place }
shell-data-location = The images of this run are in { $place }.
shell-data-open = Open this dataset
shell-frame-times = first frame after { $first } ms · { $n ->
    [one] { $n } frame
   *[other] { $n } frames
} · total: { $whole } · pages only: { $pages }
shell-frame-percentiles = p50 { $half } ms, p95 { $most } ms
shell-drawing-canvas = Drawing canvas
shell-canvas-draw-here = Draw here
shell-pasted-image = pasted image
shell-step-ready = ready
shell-step-working = working
shell-step-needs-attention = needs attention
shell-state-after-task = State after task
shell-places-note = Runs and grids are sent there. Method trials, searches, checks and added tasks run on this computer.
