# The page Start: the ways to start, and classifying own images.

start-question = What do you want to do?
start-classify = Classify my images
start-classify-about = Choose a folder of images with one subfolder per class. The program finds the best model for them and sorts new images. Your images stay on this computer.
start-classify-open = Classify images
start-tour = See forgetting
start-experiment = Set up an experiment
start-experiment-about = Choose a dataset, a backbone, a PET and a method. Train runs, compare them, and load the settings of the paper.
start-experiment-open = Open Experiment

classify-back = Back to the overview
classify-images = 1. Images with known classes
classify-images-about = Choose a folder with one subfolder per class, for example oak and maple, with ten or more images each. You can also drop it here.
classify-choose-classes = Choose folder of classes…
classify-model = 2. Model
classify-model-about = Several methods are tried on a part of your images. The best one then learns all of them. This takes a few minutes.
classify-make = Find the best model
classify-make-again = Find the best model again
classify-comparing = Trying methods on a part of your images.
classify-training = The best method learns your images.
classify-stop = Stop
classify-accuracy = { $n ->
    [one] { $share } % correct on { $n } image that it has not seen
   *[other] { $share } % correct on { $n } images that it has not seen
}
classify-larger = A larger network usually classifies more images correctly. It is slower, and is downloaded once.
classify-use-larger = Use a larger network
classify-details = Details
classify-show-settings = Show settings
classify-show-run = Show run
classify-other-model = Use another model ▾
classify-new = 3. New images
classify-new-about = Drop images or a folder here, or choose them. The results are also saved as a table next to the folder.
classify-choose-folder = Choose image folder…
classify-choose-images = Choose images…
classify-no-results = New images are shown here by class.
classify-no-model = There is no model for your images yet
classify-no-model-advice = Choose a folder of classes and find the best model first
