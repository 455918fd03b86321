# Lists of runs.

findings-paused = paused
