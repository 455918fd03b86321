//! Collects what a run needs from this computer, for a program on another computer that will train it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneLibrary, WeightSource};
use crate::data::{builtin, is_available};
use crate::message;
use crate::method::{ConfiguredMethod, check_start};
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::job::JobAttachments;
use crate::store::PetStart;

/// What has to be sent along with a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunAttachments {
    /// The plugins, backbone tables and dataset paths that the job contains as text.
    pub inline: JobAttachments,
    /// Datasets that still have to be uploaded, by their name in the settings.
    pub data: BTreeMap<String, PathBuf>,
    /// Weight files that still have to be uploaded, by the name of their backbone in the settings.
    pub weights: BTreeMap<String, PathBuf>,
    /// LoRA folders that still have to be uploaded, by their name in the settings.
    pub starts: BTreeMap<String, PathBuf>,
}

impl RunAttachments {
    /// Returns whether no files have to be uploaded.
    pub fn is_text_only(&self) -> bool {
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
        add(&mut self.inline.plugins, other.inline.plugins);
        add(&mut self.inline.backbones, other.inline.backbones);
        self.inline.data.extend(other.inline.data);
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
    if ConfiguredMethod::from_config(config)?.trains_pet()? {
        let library = PluginLibrary::standard();
        let name = config.pet.to_lowercase();
        let entries = library.entries().iter();
        // A plugin that is not known here may exist on the other computer.
        if let Some(entry) = entries.into_iter().find(|entry| entry.name.to_lowercase() == name) {
            attachments.inline.plugins.push(entry.spec.clone()?.text().to_string());
        }
        if let Some(start) = &mut config.pet_start {
            check_start(Path::new(&*start))?;
            PetStart::load(Path::new(&*start))?;
            let absolute_path = make_absolute("find the adapter to start from", start)?;
            attachments.starts.insert(start.clone(), absolute_path);
        }
    }
    let library = BackboneLibrary::with_default_locations();
    if let Some(entry) = library.entry(&config.backbone) {
        attachments.inline.backbones.extend(library.user_table(entry));
        if let WeightSource::File(file) = &entry.source {
            let name = config.backbone.clone();
            attachments.weights.insert(name, file.clone());
        }
    } else if Path::new(&config.backbone).exists() {
        // Files beside the weights are not uploaded, so their values are stored in the settings.
        let entry = library.describe(config.backbone_choice())?.entry;
        config.backbone_set = entry.values;
        if let WeightSource::File(file) = entry.source {
            config.backbone = file.to_string_lossy().into_owned();
        }
        let absolute_path = make_absolute("find the weights", &mut config.backbone)?;
        attachments.weights.insert(config.backbone.clone(), absolute_path);
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
    remote_paths: &BTreeMap<String, String>,
    attachments: &mut RunAttachments,
) -> Result<()> {
    let original_name = config.data.clone();
    let is_named = builtin::names().any(|name| name == config.data);
    let is_local_path = !is_named && is_available(&original_name);
    let local_path = match is_local_path {
        true => Some(make_absolute("read the dataset", &mut config.data)?),
        false => None,
    };
    let name = config.data.clone();
    match (remote_paths.get(&original_name).or_else(|| remote_paths.get(&name)), local_path) {
        (Some(remote_path), _) => drop(attachments.inline.data.insert(name, remote_path.clone())),
        (None, Some(local_path)) => drop(attachments.data.insert(name, local_path)),
        (None, None) => {}
    }
    Ok(())
}

/// Makes the path absolute and returns it.
fn make_absolute(what: &str, path: &mut String) -> Result<PathBuf> {
    let absolute_path =
        std::path::absolute(&*path).map_err(|error| Problem::io(what, &*path, &error))?;
    *path = absolute_path.display().to_string();
    Ok(absolute_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_dataset_keeps_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let local_path = folder.path().display().to_string();
        let mut config = RunConfig { data: local_path.clone(), ..RunConfig::default() };
        let attachments = collect_attachments(&mut config, &BTreeMap::new()).unwrap();
        let expected = BTreeMap::from([(local_path.clone(), folder.path().to_path_buf())]);
        assert_eq!((&attachments.data, &attachments.inline.data), (&expected, &BTreeMap::new()));
        assert_eq!(config.data, local_path);
        let remote_paths = BTreeMap::from([(local_path.clone(), "/there".to_string())]);
        let attachments = collect_attachments(&mut config, &remote_paths).unwrap();
        assert!(attachments.is_text_only());
        assert_eq!(attachments.inline.data, remote_paths);
        assert_eq!(config.data, local_path);
        let table = folder.path().join("labels.csv");
        std::fs::write(&table, "file,species\n").unwrap();
        config.data = format!("{}#species", table.display());
        let attachments = collect_attachments(&mut config, &BTreeMap::new()).unwrap();
        let expected = BTreeMap::from([(config.data.clone(), config.data.clone().into())]);
        assert_eq!(attachments.data, expected);
        config.data = "digits".into();
        let attachments = collect_attachments(&mut config, &remote_paths).unwrap();
        assert!(attachments.is_text_only() && attachments.inline.data.is_empty());
    }
}
