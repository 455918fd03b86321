# Why a setting has no effect.

idle-method = { $title }
idle-with-settings = { $title } with these settings
idle-no-plugin = { $title } trains no PET plugin
idle-no-size = { $title } has no size
idle-no-steps = { $title } takes no gradient steps
idle-no-epochs = { $title } learns in no epochs
idle-no-augmentation = { $title } looks at training pictures as at test pictures
idle-no-draws = { $title } draws nothing at random
idle-one-task = { $title } learns all classes as one task
idle-no-first-session = nothing is tuned without a first session
idle-no-learning = without Learning no epochs are frozen
idle-no-accumulation = without Accumulation the offline PET does not follow
