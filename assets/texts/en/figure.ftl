# Charts and matrices.

figure-menu = Copy or save
figure-copy-image = Copy image
figure-copy-numbers = Copy numbers
figure-save-svg = Save as SVG…
figure-save-pdf = Save as PDF…
figure-save-png = Save as PNG…
figure-accuracy-matrix = Accuracy by task
figure-after-row = after task { $n }
figure-task-column = task { $n }
figure-on-task = on task
figure-matrix-cell = task { $column } after learning task { $row }: { $value } %
figure-after-task = after task { $task }
figure-losses = Loss over steps
figure-losses-about = loss on the new classes, by step
figure-loss-value = { $task }, step { $step }: { $loss }
figure-epoch-losses = Loss over epochs
figure-epoch-losses-about = loss on the new classes, mean of each epoch
figure-epoch-loss-value = { $task }, epoch { $epoch }: { $loss }
figure-confusion = Confusion matrix
figure-confusion-title = Confusion
figure-predicted-class = predicted class
figure-class-not-learned = { $name } is not learned yet
figure-correct-count = { $name }: { $count } of { $all } correct
figure-confused-count = { $name } predicted as { $answer }: { $count } of { $all }
figure-table-after-task = after task
figure-table-on-task = on the images of task
figure-table-class = class
figure-accuracy = Accuracy on all classes so far, after each task
figure-accuracy-about = accuracy on all classes so far, %, after each task
figure-confusion-of = Confusion after task { $n }: { $name }
figure-mean-loss-of-passes = mean training loss of each of { $n ->
    [one] { $n } epoch
   *[other] { $n } epochs
}
figure-training-loss = Training loss
