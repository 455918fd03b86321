# Anzahlen, Größen und Zeiten.

count-bytes = { $n ->
    [one] { $n } Byte
   *[other] { $n } Byte
}
count-span = { $least } bis { $most }
# $span ist $n, oder vom kleinsten bis $n.
count-epochs = { $n ->
    [one] { $span } Epoche
   *[other] { $span } Epochen
}
count-more = und { $n } weitere
count-left = noch { $time }
count-runs = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
count-threads = { $n ->
    [one] { $n } Thread
   *[other] { $n } Threads
}
count-pictures = { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}
count-classes = { $n ->
    [one] { $n } Klasse
   *[other] { $n } Klassen
}
count-of-runs = { $done } von { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufen
}
count-of-tasks = { $done } von { $n ->
    [one] { $n } Task
   *[other] { $n } Tasks
}
count-step = { $doing }: { $done }
count-step-of = { $doing }: { $done } von { $of }
count-seed = Startwert { $seed }
count-order = Reihenfolge { $order }
count-order-own = eigene Reihenfolge
count-as-they-came = { $share } mit den ursprünglichen Labels ({ $corrected }; ausgeschlossene Testbilder zählen als falsch)
count-weights-built-in = eingebaut
count-weights-here = auf diesem Rechner
count-weights-hub = { $size } MB herunterzuladen
count-weights-rest = { $left } von { $size } MB noch herunterzuladen
count-weights-unknown = herunterzuladen
# Richtige von so vielen Bildern: der Bereich in Prozent.
count-tally = { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}, { NUMBER($low, minimumFractionDigits: 1, maximumFractionDigits: 1) } bis { NUMBER($high, minimumFractionDigits: 1, maximumFractionDigits: 1) } %
