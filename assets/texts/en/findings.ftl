# What the lists say about runs: what matters in one, and several in comparison.

findings-paused = paused
