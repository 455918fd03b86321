# Counts, sizes and times.

count-bytes = { $n ->
    [one] { $n } byte
   *[other] { $n } bytes
}
count-range = { $least } to { $most }
# $span is $n, or a range up to $n.
count-epochs = { $n ->
    [one] { $span } epoch
   *[other] { $span } epochs
}
count-more = and { $n } more
count-time-left = { $time } left
count-runs = { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
count-threads = { $n ->
    [one] { $n } thread
   *[other] { $n } threads
}
count-images = { $n ->
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
count-class-order = order { $order }
count-custom-order = custom order
count-with-original-labels = { $share } with the original labels ({ $corrected }; excluded test images count as wrong)
count-weights-built-in = built in
count-weights-local = on this computer
count-weights-download = { $size } MB to download
count-weights-download-rest = { $left } of { $size } MB left to download
count-weights-to-download = to be downloaded
# Number of images, then the interval in percent.
count-images-interval = { $n ->
    [one] { $n } image
   *[other] { $n } images
}, { NUMBER($low, minimumFractionDigits: 1, maximumFractionDigits: 1) } to { NUMBER($high, minimumFractionDigits: 1, maximumFractionDigits: 1) } %
