# Valid values of settings.

range-and = and
range-on-or-off = on or off
range-whole = a whole number
range-whole-from = a whole number from { $least }
range-whole-to = a whole number from { $least } to { $most }
range-above-zero = a number above 0
range-from = a number from { $least }
range-to = a number from { $least } to { $most }
range-between-0-and-1 = a number between 0 and 1
range-0-or-between = 0, or a number between 0 and 1
range-two-numbers = two numbers such as 0.08,1
range-one = { $name }
range-or = { $one } or { $other }
range-block-numbers = a number (5: the first five blocks) or a list of blocks (0,2,4)
range-text = text
range-not-stated = not stated
