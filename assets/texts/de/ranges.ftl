# Welche Werte eine Einstellung annimmt.

range-and = und
range-on-or-off = an oder aus
range-whole = eine ganze Zahl
range-whole-from = eine ganze Zahl ab { $least }
range-whole-to = eine ganze Zahl von { $least } bis { $most }
range-above-zero = eine Zahl über 0
range-from = eine Zahl ab { $least }
range-to = eine Zahl von { $least } bis { $most }
range-between-0-and-1 = eine Zahl zwischen 0 und 1
range-0-or-between = 0 oder eine Zahl zwischen 0 und 1
range-two-numbers = zwei Zahlen wie 0.08,1
range-one = { $name }
range-or = { $one } oder { $other }
range-block-numbers = eine Anzahl (5: die ersten fünf Blöcke) oder eine Liste von Blöcken (0,2,4)
range-text = Text
range-not-stated = nicht genannt
