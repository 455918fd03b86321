# Counts, sizes and times.

count-bytes = { $n ->
    [one] { $n } byte
   *[other] { $n } bytes
}
count-span = { $least } to { $most }
# $span is $n, or a range up to $n.
count-epochs = { $n ->
    [one] { $span } epoch
   *[other] { $span } epochs
}
count-more = and { $n } more
count-left = { $time } left
count-runs = { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
count-threads = { $n ->
    [one] { $n } thread
   *[other] { $n } threads
}
count-pictures = { $n ->
    [one] { $n } image
   *[other] { $n } images
}
count-classes = { $n ->
    [one] { $n } class
   *[other] { $n } classes
}
count-of-runs = { $done } of { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
count-of-tasks = { $done } of { $n ->
    [one] { $n } task
   *[other] { $n } tasks
}
count-step = { $doing }: { $done }
count-step-of = { $doing }: { $done } of { $of }
count-seed = seed { $seed }
count-order = order { $order }
count-order-own = custom order
count-as-they-came = { $share } with the original labels ({ $corrected }; excluded test images count as wrong)
count-weights-built-in = built in
count-weights-here = on this computer
count-weights-hub = { $size } MB to download
count-weights-rest = { $left } of { $size } MB left to download
count-weights-unknown = to be downloaded
# Number of images, then the interval in percent.
count-tally = { $n ->
    [one] { $n } image
   *[other] { $n } images
}, { NUMBER($low, minimumFractionDigits: 1, maximumFractionDigits: 1) } to { NUMBER($high, minimumFractionDigits: 1, maximumFractionDigits: 1) } %
