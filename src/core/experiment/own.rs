//! What a run is made of here, for a program elsewhere that is to train it.

use crate::backbone::library::{BackboneLibrary, WeightSource};
use crate::method::Chosen;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::job::Own;

/// What these settings need of this computer: the plugin's text, the own table that the backbone stands in, and the file of
/// its weights where no program can fetch them. That file is still the one here; a path to it in the settings becomes a
/// whole one, so that the run finds it when it comes home.
///
/// # Errors
/// A Problem for a broken plugin, or weights that are not there.
pub fn take_along(config: &mut RunConfig) -> Result<Own> {
    let mut own = Own::default();
    if Chosen::of(config)?.trains_pet()? {
        let library = PluginLibrary::standard();
        let name = config.pet.to_lowercase();
        let entry = library.entries().iter();
        // One that only the other computer has is for it to find.
        if let Some(entry) = entry
            .into_iter()
            .find(|entry| entry.name.to_lowercase() == name)
        {
            own.plugin = Some(entry.spec.clone()?.text().to_string());
        }
    }
    let library = BackboneLibrary::usual();
    if let Some(entry) = library.entry(&config.backbone) {
        own.backbones = library.own_table(entry);
        if let WeightSource::File(file) = &entry.source {
            own.weights = Some(file.clone());
        }
    } else if std::path::Path::new(&config.backbone).is_file() {
        let whole = std::path::absolute(&config.backbone)
            .map_err(|error| Problem::io("find the weights", &config.backbone, &error))?;
        config.backbone = whole.display().to_string();
        own.weights = Some(whole);
    }
    match &own.weights {
        Some(file) if !file.is_file() => {
            Err(Problem::new("the weights of this backbone are not there")
                .at_path(file)
                .advise("put the file there, or choose another backbone"))
        }
        _ => Ok(own),
    }
}
