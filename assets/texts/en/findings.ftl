# What is said of runs: what matters in one, and several held against each other.

findings-paused = paused
