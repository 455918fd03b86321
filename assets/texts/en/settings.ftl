# The menu Settings.

settings-title = Settings
settings-theme = Theme
settings-theme-system = System
settings-theme-light = Light
settings-theme-dark = Dark
settings-language = Language
settings-size = Size
settings-smaller = Smaller
settings-usual-size = Usual size
settings-larger = Larger
settings-still = Reduce motion
settings-log = The log keeps
settings-log-how-much = How much the log keeps
settings-log-off = Nothing
settings-log-error = Errors
settings-log-warn = Errors and warnings
settings-log-info = What was asked and how it ended
settings-log-debug = Every step
settings-folders = Other folders of runs…
settings-kept-aside = the window begins with its defaults; the file is kept as { $file }
settings-written-over = the window begins with its defaults, and writes over it at its end
settings-unreadable = the window's settings cannot be read: { $why }
settings-unwritten = the settings cannot be written: { $why }
settings-unwritten-advice = the window goes on; check the disk and its rights
