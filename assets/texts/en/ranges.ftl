# Valid values of settings.

settings-and = and
range-flag = on or off
range-whole = a whole number
range-whole-from = a whole number from { $least }
range-whole-to = a whole number from { $least } to { $most }
range-above = a number above 0
range-from = a number from { $least }
range-to = a number from { $least } to { $most }
range-share = a number between 0 and 1
range-share-or-none = 0, or a number between 0 and 1
range-shares = two numbers such as 0.08,1
range-one = { $name }
range-or = { $one } or { $other }
range-blocks = the number of first blocks (5) or a list of blocks (0,2,4)
range-text = text
backbone-not-stated = not stated
