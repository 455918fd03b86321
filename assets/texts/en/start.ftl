# The page Start: the ways to start, and classifying own images.

start-question = What do you want to do?
start-classify = Classify my images
start-classify-about = Choose a folder of images with one subfolder per class. The program finds the best model for them and sorts new images. Your images stay on this computer.
start-classify-open = Classify images
start-tour = Watch a network forget
start-experiment = Set up an experiment
start-experiment-about = Choose a dataset, a backbone, a PET (a small trainable module) and a method. Train runs and compare them, or start with the settings of the LAE paper.
start-experiment-open = Open Experiment

classify-back = Back to the overview
classify-images = 1. Images with known classes
classify-images-about = Choose a folder with one subfolder per class, for example oak and maple, with ten or more images each. You can also drop it here.
classify-choose-classes = Choose folder of classes…
classify-model = 2. Model
classify-model-about = Several methods are compared on part of your images. The best one is then trained on all of them. This takes a few minutes.
classify-make = Find the best model
classify-make-again = Find the best model again
classify-grid = A grid of runs is set up on Experiment. Return to single values there to find the best model.
classify-comparing = Comparing methods on part of your images.
classify-training = Training the best method on all of your images.
classify-stop = Stop
classify-accuracy = { $n ->
    [one] { $share } % correct on { $n } image not used for training
   *[other] { $share } % correct on { $n } images not used for training
}
classify-larger = A larger network usually classifies more images correctly. It is slower, and is downloaded once.
classify-use-larger = Use a larger network
classify-details = Details
classify-show-settings = Show settings
classify-show-run = Show run
classify-other-model = Use another model ▾
classify-no-finished-model = No model is finished yet
classify-new = 3. New images
classify-new-about = Drop images or a folder here, or choose them. The results are also saved as a table next to the folder.
classify-choose-folder = Choose image folder…
classify-choose-images = Choose images…
classify-no-results = Your new images appear here, sorted by class.
classify-no-model = There is no model for your images yet
classify-no-model-advice = Choose a folder of classes and find the best model first
