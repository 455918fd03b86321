# Anzahlen, Größen und Zeiten.

count-bytes = { $n ->
    [one] { $n } Byte
   *[other] { $n } Byte
}
count-range = { $least } bis { $most }
# $span ist $n, oder vom kleinsten bis $n.
count-epochs = { $n ->
    [one] { $span } Epoche
   *[other] { $span } Epochen
}
count-more = und { $n } weitere
count-time-left = noch { $time }
count-runs = { $n ->
    [one] { $n } Lauf
   *[other] { $n } Läufe
}
count-threads = { $n ->
    [one] { $n } Thread
   *[other] { $n } Threads
}
count-images = { $n ->
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
count-class-order = Reihenfolge { $order }
count-custom-order = eigene Reihenfolge
count-with-original-labels = { $share } mit den ursprünglichen Labels ({ $corrected }; ausgeschlossene Testbilder zählen als falsch)
count-weights-built-in = eingebaut
count-weights-local = auf diesem Rechner
count-weights-download = { $size } MB herunterzuladen
count-weights-download-rest = { $left } von { $size } MB noch herunterzuladen
count-weights-to-download = herunterzuladen
# Richtige von so vielen Bildern: der Bereich in Prozent.
count-images-interval = { $n ->
    [one] { $n } Bild
   *[other] { $n } Bilder
}, { NUMBER($low, minimumFractionDigits: 1, maximumFractionDigits: 1) } bis { NUMBER($high, minimumFractionDigits: 1, maximumFractionDigits: 1) } %
