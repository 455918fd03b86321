//! What a run is made of here, for a program elsewhere that is to train it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneLibrary, WeightSource};
use crate::data::builtin;
use crate::method::Chosen;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::job::Own;

/// What goes along with a run, as far as it is known here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Along {
    /// What the job says of it.
    pub own: Own,
    /// The data set of this computer that is still to be carried there.
    pub data: Option<PathBuf>,
    /// The file of weights of this computer that is still to be carried there.
    pub weights: Option<PathBuf>,
}

/// What these settings need of this computer: the plugin's text, the own table that the backbone stands in, the file of
/// its weights where no program can fetch them, and the data set. `data` says where data sets lie there, by the name or path
/// that they have here. Paths in the settings become whole ones, so that the run finds all of it when it comes home.
///
/// # Errors
/// A Problem for a broken plugin, or weights that are not there.
pub fn take_along(config: &mut RunConfig, data: &BTreeMap<String, String>) -> Result<Along> {
    let mut along = Along::default();
    if Chosen::of(config)?.trains_pet()? {
        let library = PluginLibrary::standard();
        let name = config.pet.to_lowercase();
        let entry = library.entries().iter();
        // One that only the other computer has is for it to find.
        if let Some(entry) = entry
            .into_iter()
            .find(|entry| entry.name.to_lowercase() == name)
        {
            along.own.plugin = Some(entry.spec.clone()?.text().to_string());
        }
    }
    let library = BackboneLibrary::usual();
    if let Some(entry) = library.entry(&config.backbone) {
        along.own.backbones = library.own_table(entry);
        if let WeightSource::File(file) = &entry.source {
            along.weights = Some(file.clone());
        }
    } else if Path::new(&config.backbone).is_file() {
        let whole = whole("find the weights", &mut config.backbone)?;
        along.weights = Some(whole);
    }
    take_data(config, data, &mut along)?;
    match &along.weights {
        Some(file) if !file.is_file() => {
            Err(Problem::new("the weights of this backbone are not there")
                .at_path(file)
                .advise("put the file there, or choose another backbone"))
        }
        _ => Ok(along),
    }
}

/// The data set: where it lies there already, or that it has to be carried.
fn take_data(
    config: &mut RunConfig,
    known: &BTreeMap<String, String>,
    along: &mut Along,
) -> Result<()> {
    along.own.data = known.get(&config.data).cloned();
    let is_named = builtin::names().any(|name| name == config.data);
    if is_named || !Path::new(&config.data).exists() {
        return Ok(());
    }
    let whole = whole("read the data set", &mut config.data)?;
    if along.own.data.is_none() {
        along.own.data = known.get(&config.data).cloned();
    }
    along.data = along.own.data.is_none().then_some(whole);
    Ok(())
}

/// Makes the path a whole one.
fn whole(what: &str, path: &mut String) -> Result<PathBuf> {
    let whole = std::path::absolute(&*path).map_err(|error| Problem::io(what, &*path, &error))?;
    *path = whole.display().to_string();
    Ok(whole)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_data_set_keeps_the_place_that_it_has_here() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().display().to_string();
        let mut config = RunConfig {
            data: here.clone(),
            ..RunConfig::default()
        };
        let along = take_along(&mut config, &BTreeMap::new()).unwrap();
        assert_eq!(along.data.as_deref(), Some(folder.path()));
        assert_eq!((along.own.data, &config.data), (None, &here));
        let known = BTreeMap::from([(here.clone(), "/there".to_string())]);
        let along = take_along(&mut config, &known).unwrap();
        assert_eq!(
            (along.data, along.own.data.as_deref()),
            (None, Some("/there"))
        );
        assert_eq!(config.data, here);
        config.data = "digits".into();
        let along = take_along(&mut config, &known).unwrap();
        assert_eq!((along.data, along.own.data), (None, None));
    }
}
