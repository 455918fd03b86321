# Welche Werte eine Einstellung annimmt.

settings-and = und
range-flag = an oder aus
range-whole = eine ganze Zahl
range-whole-from = eine ganze Zahl ab { $least }
range-whole-to = eine ganze Zahl von { $least } bis { $most }
range-above = eine Zahl über 0
range-from = eine Zahl ab { $least }
range-to = eine Zahl von { $least } bis { $most }
range-share = eine Zahl zwischen 0 und 1
range-share-or-none = 0 oder eine Zahl zwischen 0 und 1
range-shares = zwei Zahlen wie 0.08,1
range-one = { $name }
range-or = { $one } oder { $other }
range-blocks = die Anzahl der ersten Blöcke (5) oder eine Liste von Blöcken (0,2,4)
range-text = Text
backbone-not-stated = nicht genannt
