# Help and the command palette.

palette-no-match = No matching commands
palette-hint = Type a command
palette-command = Command
palette-more = and { $n } more
palette-keys-on-page = { $keys } on { $page }
keys-open-help = help
keys-open-palette = command palette
keys-start-training = start training
keys-stop-run = stop the run
keys-pause = pause (on Train)
keys-presenter-view = presentation view
keys-undo = undo
keys-redo = redo
keys-paste-image = paste an image (on Predict)
keys-select-all-runs = select all runs (on Compare)
help-guide = User guide
help-shortcuts = Shortcuts
help-tour = Take the tour
help-tour-about = Three minutes: draw two digits and watch a network forget one.
help-lesson = Take a lesson
help-lesson-about = 15 minutes each: guess, train, measure, explain.
help-term = Look up a term
help-term-about = The glossary explains every word with a dotted underline.
help-command = Find a command
help-command-about = Type a few letters to find any command.
