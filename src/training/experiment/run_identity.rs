//! The identity of a run and the header made from it, either after opening everything or before, to compute its key.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneEntry, WeightSource};
use crate::data::scenario::{ClassOrder, Scenario};
use crate::data::{Dataset, Fingerprints, is_here, published};
use crate::method::{Chosen, filled};
use crate::nn::WeightType;
use crate::pet::{PetSpec, StreamScheme};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{MethodFacts, RunHeader};

/// Everything that the results of a run depend on, and that distinguishes it from other runs.
pub(super) struct RunIdentity<'a> {
    /// The settings, as returned by [`self_contained_settings`].
    pub config: &'a RunConfig,
    /// Class names in the order in which they are taught.
    pub class_order: Vec<String>,
    /// The classes of each task, as positions in the class order.
    pub tasks: &'a [Range<usize>],
    /// Number of training images of each task.
    pub train_images: Vec<usize>,
    /// Number of test images of each task.
    pub test_images: Vec<usize>,
    /// Fingerprints of the images.
    pub images: Fingerprints,
    /// The plugin, if a PET is trained.
    pub pet: Option<&'a PetSpec>,
    /// How the random draws of a PET are separated.
    pub drawing: StreamScheme,
    /// Number format of the weights on a GPU; `None` on the CPU.
    pub gpu_weights: Option<WeightType>,
    /// Side of the square network input, in pixels.
    pub input_size: usize,
    /// Number of frozen values of the backbone.
    pub frozen_parameters: usize,
    /// SHA-256 of the weight file, in hex.
    pub weights_sha256: &'a str,
    /// SHA-256 of the adapter that the PET starts from, in hex.
    pub start_sha256: Option<&'a str>,
}

impl RunIdentity<'_> {
    /// Returns the header of the run without name, folder, device and number of trained values, which is enough for
    /// its key.
    ///
    /// # Errors
    /// Returns a Problem for settings out of range.
    pub fn header(self) -> Result<RunHeader> {
        Ok(RunHeader {
            run: String::new(),
            about: Default::default(),
            folder: PathBuf::new(),
            config: self.config.clone(),
            method: MethodFacts {
                pet_sized: Some(self.pet.is_none_or(PetSpec::is_sized)),
                ..Chosen::of(self.config)?.facts()?
            },
            class_order: self.class_order,
            train_images: self.train_images,
            test_images: self.test_images,
            tasks: self.tasks.to_vec(),
            device: String::new(),
            gpu_weights: self.gpu_weights,
            drawing: self.drawing,
            input_size: self.input_size,
            trained_parameters: 0,
            frozen_parameters: self.frozen_parameters,
            weights_sha256: self.weights_sha256.to_string(),
            start_sha256: self.start_sha256.map(str::to_owned),
            images: Some(self.images),
            added_tasks: Vec::new(),
            // Small runs take less than a second, and lists are sorted by this time.
            started: jiff::Zoned::now()
                .strftime("%Y-%m-%dT%H:%M:%S%.3f%:z")
                .to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        })
    }
}

/// Returns the settings as a run stores them: paths are absolute, and the class order is written out, because the
/// file that contains it may change or disappear.
pub(super) fn self_contained_settings(
    config: &RunConfig,
    order: &ClassOrder,
    scenario: &Scenario,
    (data, backbone): (&Dataset, &BackboneEntry),
) -> RunConfig {
    let mut config = filled(config);
    let absolute = |place: &str| {
        let path = std::path::absolute(place).ok()?;
        let place = path.to_string_lossy().into_owned();
        is_here(&place).then_some(place)
    };
    // Embedded and published datasets are stored by name, even if a folder with that name exists.
    if Path::new(&data.origin).is_absolute()
        && published::published(&config.data).is_none()
        && let Some(place) = absolute(&config.data)
    {
        config.data = place;
    }
    if matches!(&backbone.source, WeightSource::File(path) if path.as_os_str() == config.backbone.as_str())
        && let Some(place) = absolute(&config.backbone)
    {
        config.backbone = place;
    }
    if let Some(values) = &backbone.values {
        // The run stays the same if the files beside the weights change.
        config.backbone_set = Some(values.clone());
    }
    if let Some(start) = &mut config.pet_start
        && let Some(place) = absolute(start)
    {
        *start = place;
    }
    if matches!(order, ClassOrder::Names(_) | ClassOrder::Indices(_)) {
        config.order = ClassOrder::written(&scenario.class_order);
    }
    config
}
