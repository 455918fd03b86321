# Help and the command palette.

palette-none = No matching commands
palette-hint = Type a command
palette-field = Command
palette-more = and { $n } more
palette-keys-on = { $keys } on { $page }
keys-help = help
keys-palette = command palette
keys-start = start training
keys-stop = stop the run
keys-pause = pause (on Train)
keys-present = presenter view
keys-undo = undo
keys-redo = redo
keys-paste = paste an image (on Predict)
keys-all = select all runs (on Compare)
help-guide = User guide
help-shortcuts = Shortcuts
help-tour = Take the tour
help-tour-told = Three minutes: draw two digits and watch a network forget one.
help-lesson = Take a lesson
help-lesson-told = 15 minutes each: guess, train, measure, explain.
help-term = Look up a term
help-term-told = The glossary explains every word with a dotted underline.
help-command = Find a command
help-command-told = Type a few letters to find any command.
