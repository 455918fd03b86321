# The menu Settings.

settings-title = Settings
settings-theme = Theme
settings-theme-system = System
settings-theme-light = Light
settings-theme-dark = Dark
settings-language = Language
settings-size = Size
settings-smaller = Smaller
settings-reset-size = Reset size
settings-larger = Larger
settings-reduce-motion = Reduce motion
settings-log-level = Log level
settings-log-level-name = Log level
settings-log-off = Off
settings-log-error = Errors
settings-log-warn = Errors and warnings
settings-log-info = Commands and their results
settings-log-debug = All details
settings-folders = Other folders of runs…
settings-old-file-kept = the window starts with default settings; the old file is kept as { $file }
settings-file-replaced = the window starts with default settings and replaces the file on exit
settings-unreadable = cannot read the window settings: { $why }
settings-not-saved = cannot save the settings: { $why }
settings-not-saved-advice = the window keeps working; check free disk space and permissions
