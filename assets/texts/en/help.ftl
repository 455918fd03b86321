# Help and the command palette.

palette-none = No command with these letters
palette-hint = Type a command
palette-field = Command
palette-more = and { $n } more
palette-keys-on = { $keys } on { $page }
keys-help = help
keys-palette = all commands
keys-start = start training
keys-stop = stop the run
keys-pause = pause, on Train
keys-present = show the run to a room
keys-undo = undo
keys-redo = redo
keys-paste = paste a picture, on Predict
keys-all = choose all runs, on Compare
help-guide = User guide
help-shortcuts = Shortcuts
help-tour = Take the tour
help-tour-told = Three minutes: draw two digits, watch one being forgotten.
help-lesson = Read a lesson
help-lesson-told = A quarter of an hour each: guess, train, measure, explain.
help-term = Look up a term
help-term-told = The glossary: every word that is underlined with dots.
help-command = Find a command
help-command-told = Everything the window can do, by a few letters of it.
