# Charts and matrices.

figure-menu = Copy or save
figure-copy-picture = Copy image
figure-copy-numbers = Copy numbers
figure-save-svg = Save as SVG…
figure-save-pdf = Save as PDF…
figure-save-png = Save as PNG…
figure-matrix = Accuracy by task
figure-row = after { $n }
figure-column = task { $n }
figure-columns = on task
figure-cell = task { $column } after learning task { $row }: { $value } %
figure-after = after task { $task }
figure-losses = Loss over steps
figure-losses-about = loss on the new classes, by step
figure-loss = { $task }, step { $step }: { $loss }
figure-confusion = Confusion matrix
figure-confusion-title = Confusion
figure-answered = predicted class
figure-not-taught = { $name } is not learned yet
figure-right = { $name }: { $count } of { $all } correct
figure-taken-for = { $name } taken for { $answer }: { $count } of { $all }
figure-cells-after = after task
figure-cells-on = on the images of task
figure-cells-class = class
figure-accuracy = Accuracy on all classes so far, after each task
figure-accuracy-about = accuracy on all classes so far, %, after each task
figure-confusion-of = Confusion after task { $n }: { $name }
figure-passes = mean training loss of each of { $n ->
    [one] { $n } pass
   *[other] { $n } passes
}
figure-training-loss = Training loss
