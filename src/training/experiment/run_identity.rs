//! The identity of a run and the header made from it, either after opening everything or before, to compute its key.

use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneEntry, WeightSource};
use crate::data::scenario::{ClassOrder, Scenario};
use crate::data::{Dataset, is_available, published};
use crate::method::{ConfiguredMethod, with_explicit_settings};
use crate::pet::{PetSpec, StreamScheme};
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{MethodFacts, RunHeader};

/// Returns the header of a run that starts now, with these settings as returned by [`self_contained_settings`] and this
/// plugin, if a PET is trained. The caller sets what data, backbone and device determine.
pub(super) fn new_header(config: RunConfig, pet: Option<&PetSpec>) -> Result<RunHeader> {
    Ok(RunHeader {
        run: String::new(),
        about: Default::default(),
        folder: PathBuf::new(),
        method: MethodFacts {
            pet_sized: Some(pet.is_none_or(PetSpec::is_sized)),
            ..ConfiguredMethod::from_config(&config)?.facts()?
        },
        config,
        class_order: Vec::new(),
        train_images: Vec::new(),
        test_images: Vec::new(),
        tasks: Vec::new(),
        device: String::new(),
        gpu_weights: None,
        drawing: StreamScheme::default(),
        input_size: 0,
        trained_parameters: 0,
        frozen_parameters: 0,
        weights_sha256: String::new(),
        start_sha256: None,
        images: None,
        added_tasks: Vec::new(),
        // Small runs take less than a second, and lists are sorted by this time.
        started: jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    })
}

/// Returns the settings as a run stores them: paths are absolute, and the class order is written out, because the
/// file that contains it may change or disappear.
pub(super) fn self_contained_settings(
    config: &RunConfig,
    order: &ClassOrder,
    scenario: &Scenario,
    (data, backbone): (&Dataset, &BackboneEntry),
) -> RunConfig {
    let mut config = with_explicit_settings(config);
    let absolute = |name: &str| {
        let path = std::path::absolute(name).ok()?;
        let absolute_path = path.to_string_lossy().into_owned();
        is_available(&absolute_path).then_some(absolute_path)
    };
    // Embedded and published datasets are stored by name, even if a folder with that name exists.
    if Path::new(&data.origin).is_absolute()
        && published::find_published(&config.data).is_none()
        && let Some(absolute_path) = absolute(&config.data)
    {
        config.data = absolute_path;
    }
    if matches!(&backbone.source, WeightSource::File(path) if path.as_os_str() == config.backbone.as_str())
        && let Some(absolute_path) = absolute(&config.backbone)
    {
        config.backbone = absolute_path;
    }
    if let Some(values) = &backbone.values {
        // The run stays the same if the files beside the weights change.
        config.backbone_set = Some(values.clone());
    }
    if let Some(start) = &mut config.pet_start
        && let Some(absolute_path) = absolute(start)
    {
        *start = absolute_path;
    }
    if matches!(order, ClassOrder::Names(_) | ClassOrder::Indices(_)) {
        config.order = ClassOrder::format_indices_or_natural(&scenario.class_order);
    }
    config
}
