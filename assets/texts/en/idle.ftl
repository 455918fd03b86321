# Why a setting has no effect.

idle-method = { $title }
idle-with-settings = { $title } with these settings
idle-no-plugin = { $title } does not train a PET plugin
idle-no-size = { $title } has no size setting
idle-no-steps = { $title } takes no gradient steps
idle-no-epochs = { $title } does not train in epochs
idle-no-augmentation = { $title } does not augment training images
idle-no-random-numbers = { $title } uses no random numbers
idle-learns-one-task = { $title } learns all classes as one task
idle-no-first-session = without a first session, nothing is tuned
idle-no-learning = without Learning, no epochs are frozen
idle-no-accumulation = without Accumulation, the offline PET is not updated
