# The menu Settings.

settings-title = Settings
settings-theme = Theme
settings-theme-system = System
settings-theme-light = Light
settings-theme-dark = Dark
settings-language = Language
settings-size = Size
settings-smaller = Smaller
settings-usual-size = Reset size
settings-larger = Larger
settings-still = Reduce motion
settings-log = Log level
settings-log-how-much = Log level
settings-log-off = Off
settings-log-error = Errors
settings-log-warn = Errors and warnings
settings-log-info = Commands and their results
settings-log-debug = All details
settings-folders = Other run folders…
settings-kept-aside = the window starts with default settings; the old file is kept as { $file }
settings-written-over = the window starts with default settings and replaces the file on exit
settings-unreadable = cannot read the window settings: { $why }
settings-unwritten = cannot save the settings: { $why }
settings-unwritten-advice = the window keeps working; check free disk space and permissions
