# Why a setting has no effect.

unused-method = { $title }
unused-with-settings = { $title } with these settings
unused-no-plugin = { $title } does not train a PET plugin
unused-no-size = { $title } has no size setting
unused-no-steps = { $title } takes no gradient steps
unused-no-epochs = { $title } does not train in epochs
unused-no-augmentation = { $title } does not augment training images
unused-no-random-numbers = { $title } uses no random numbers
unused-learns-one-task = { $title } learns all classes as one task
unused-no-first-session = without a first session, nothing is tuned
unused-no-learning = without Learning, no epochs are frozen
unused-no-accumulation = without Accumulation, the offline PET is not updated
