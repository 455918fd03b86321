//! Collects what a run needs from this computer, for a program on another computer that will train it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneLibrary, WeightSource};
use crate::data::{builtin, is_here};
use crate::message;
use crate::method::{Chosen, check_start};
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::job::JobAttachments;
use crate::store::PetStart;

/// What has to be sent along with a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunAttachments {
    /// The plugins, backbone tables and dataset places that the job contains as text.
    pub own: JobAttachments,
    /// Datasets that still have to be uploaded, by their name in the settings.
    pub data: BTreeMap<String, PathBuf>,
    /// Weight files that still have to be uploaded, by the name of their backbone in the settings.
    pub weights: BTreeMap<String, PathBuf>,
    /// LoRA folders that still have to be uploaded, by their name in the settings.
    pub starts: BTreeMap<String, PathBuf>,
}

impl RunAttachments {
    /// Returns whether no files have to be uploaded.
    pub fn is_text_alone(&self) -> bool {
        self.data.is_empty() && self.weights.is_empty() && self.starts.is_empty()
    }

    /// Adds what another run needs.
    pub(super) fn add(&mut self, other: Self) {
        let add = |texts: &mut Vec<String>, new: Vec<String>| {
            for text in new {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        };
        add(&mut self.own.plugins, other.own.plugins);
        add(&mut self.own.backbones, other.own.backbones);
        self.own.data.extend(other.own.data);
        self.data.extend(other.data);
        self.weights.extend(other.weights);
        self.starts.extend(other.starts);
    }
}

/// Returns what a run with these settings needs from this computer: the plugin's text, the LoRA that it starts from,
/// the user's table that lists the backbone, a weight file that cannot be downloaded, and the dataset. `data` maps
/// names or paths of datasets here to their paths on the other computer. Makes the paths in the settings absolute, so
/// that they remain valid when the run comes back.
///
/// # Errors
/// Returns a Problem for a broken plugin, and for weights or a LoRA that do not exist.
pub fn collect_attachments(
    config: &mut RunConfig,
    data: &BTreeMap<String, String>,
) -> Result<RunAttachments> {
    let mut attachments = RunAttachments::default();
    if Chosen::of(config)?.trains_pet()? {
        let library = PluginLibrary::standard();
        let name = config.pet.to_lowercase();
        let entry = library.entries().iter();
        // A plugin that is not known here may exist on the other computer.
        if let Some(entry) = entry
            .into_iter()
            .find(|entry| entry.name.to_lowercase() == name)
        {
            attachments
                .own
                .plugins
                .push(entry.spec.clone()?.text().to_string());
        }
        if let Some(start) = &mut config.pet_start {
            check_start(Path::new(&*start))?;
            PetStart::at(Path::new(&*start))?;
            let whole = make_absolute("find the adapter to start from", start)?;
            attachments.starts.insert(start.clone(), whole);
        }
    }
    let library = BackboneLibrary::usual();
    if let Some(entry) = library.entry(&config.backbone) {
        attachments.own.backbones.extend(library.own_table(entry));
        if let WeightSource::File(file) = &entry.source {
            let name = config.backbone.clone();
            attachments.weights.insert(name, file.clone());
        }
    } else if Path::new(&config.backbone).exists() {
        // Files beside the weights are not uploaded, so their values are stored in the settings.
        let entry = library.describe(config.chosen_backbone())?.entry;
        config.backbone_set = entry.values;
        if let WeightSource::File(file) = entry.source {
            config.backbone = file.to_string_lossy().into_owned();
        }
        let whole = make_absolute("find the weights", &mut config.backbone)?;
        attachments.weights.insert(config.backbone.clone(), whole);
    }
    attach_data(config, data, &mut attachments)?;
    match attachments.weights.values().find(|file| !file.is_file()) {
        Some(file) => Err(Problem::new(message!("problem-backbone-file-missing"))
            .at_path(file)
            .advise(message!("advice-copy-file-or-choose-backbone"))),
        None => Ok(attachments),
    }
}

/// Adds the dataset: its path on the other computer if it is already there, otherwise its path here for the upload.
fn attach_data(
    config: &mut RunConfig,
    known: &BTreeMap<String, String>,
    attachments: &mut RunAttachments,
) -> Result<()> {
    let called = config.data.clone();
    let is_named = builtin::names().any(|name| name == config.data);
    let here = !is_named && is_here(&called);
    let whole = match here {
        true => Some(make_absolute("read the dataset", &mut config.data)?),
        false => None,
    };
    let name = config.data.clone();
    match (known.get(&called).or_else(|| known.get(&name)), whole) {
        (Some(there), _) => drop(attachments.own.data.insert(name, there.clone())),
        (None, Some(whole)) => drop(attachments.data.insert(name, whole)),
        (None, None) => {}
    }
    Ok(())
}

/// Makes the path absolute and returns it.
fn make_absolute(what: &str, path: &mut String) -> Result<PathBuf> {
    let whole = std::path::absolute(&*path).map_err(|error| Problem::io(what, &*path, &error))?;
    *path = whole.display().to_string();
    Ok(whole)
}

#[cfg(test)]
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
        let attachments = collect_attachments(&mut config, &BTreeMap::new()).unwrap();
        let carried = BTreeMap::from([(here.clone(), folder.path().to_path_buf())]);
        assert_eq!(
            (&attachments.data, &attachments.own.data),
            (&carried, &BTreeMap::new())
        );
        assert_eq!(config.data, here);
        let known = BTreeMap::from([(here.clone(), "/there".to_string())]);
        let attachments = collect_attachments(&mut config, &known).unwrap();
        assert!(attachments.is_text_alone());
        assert_eq!(attachments.own.data, known);
        assert_eq!(config.data, here);
        let table = folder.path().join("labels.csv");
        std::fs::write(&table, "file,species\n").unwrap();
        config.data = format!("{}#species", table.display());
        let attachments = collect_attachments(&mut config, &BTreeMap::new()).unwrap();
        let carried = BTreeMap::from([(config.data.clone(), config.data.clone().into())]);
        assert_eq!(attachments.data, carried);
        config.data = "digits".into();
        let attachments = collect_attachments(&mut config, &known).unwrap();
        assert!(attachments.is_text_alone() && attachments.own.data.is_empty());
    }
}
