//! Weight files without a table entry: values known from the file and files beside it, and values that users must
//! specify.

use std::fs;
use std::path::Path;

use super::BackboneLibrary;
use super::entry::{BackboneChoice, BackboneEntry, NOT_STATED, Transform, WeightSource};
use super::model_config::{StatedValues, parse_options, read_config_files, to_options};
use crate::backbone::{families, weights};
use crate::data::transform::{CropMode, Resize};
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Words;

impl BackboneLibrary {
    /// Returns the entry of a weight file: the one whose name is the file's, or else a new one with the values stated
    /// in the file, in the files beside it, and in the choice.
    ///
    /// # Errors
    /// Returns a Problem for a file of an unknown family. With the pre-training transform, also returns one if values
    /// are stated nowhere; otherwise they are assumed, and sentences about them are returned.
    pub(super) fn entry_of_file(
        &self,
        path: &Path,
        choice: BackboneChoice<'_>,
    ) -> Result<(BackboneEntry, Vec<Words>)> {
        let tensors = weights::open(path)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if let Some(entry) = self.entries.iter().find(|entry| entry.name == stem) {
            let mut entry = entry.clone();
            entry.source = WeightSource::File(path.to_owned());
            return Ok((apply_choice(entry, choice)?, Vec::new()));
        }
        let strict = choice.pretrained_transform;
        let mut stated = match strict {
            true => read_config_files(path)?,
            false => StatedValues::new(),
        };
        stated.extend(parse_options(choice.values.unwrap_or_default())?);
        let values = to_options(&stated);
        let tensors = families::extract_network(tensors)?.with_metadata(stated);
        let inferred = families::infer(&tensors)?;
        let (mut assumed, mut missing) = (inferred.assumptions, inferred.missing_options);
        let family = inferred.architecture.family();
        let release_transform = Transform::from_release(&tensors).filter(|_| strict);
        let is_known = release_transform.is_some();
        let mut transform = release_transform.unwrap_or(Transform {
            normalisation: family.assumed_normalisation.0,
            crop_ratio: 0.875,
            resize: Resize { mode: CropMode::Center, ..Resize::default() },
        });
        if !transform.apply_stated(tensors.metadata(), path, strict)? && !is_known {
            missing.push("normalisation");
            assumed.push(message!(family.assumed_normalisation.1).into());
        }
        if strict && !missing.is_empty() {
            return Err(Problem::new(message!(
                "problem-backbone-values-missing",
                values = missing.join(", ")
            ))
            .at_path(path)
            .advise(message!("advice-give-backbone-values")));
        }
        let stem = stem.into_owned();
        let entry = BackboneEntry {
            title: stem.clone(),
            name: tensors.metadata().get("name").cloned().unwrap_or(stem),
            pet_blocks: inferred.architecture.default_pet_blocks(),
            architecture: inferred.architecture,
            transform,
            paper: Transform { resize: Resize::default(), ..transform },
            values,
            source: WeightSource::File(path.to_owned()),
            size_mb: fs::metadata(path).ok().map(|meta| meta.len() / 1_000_000),
            sha256: None,
            licence: NOT_STATED.into(),
            pretrained_on: NOT_STATED.into(),
            warning: None,
        };
        Ok((entry, assumed))
    }
}

/// Returns the entry with the values of a choice, which may only change how images are prepared.
pub(super) fn apply_choice(
    mut entry: BackboneEntry,
    choice: BackboneChoice<'_>,
) -> Result<BackboneEntry> {
    let values = parse_options(choice.values.unwrap_or_default())?;
    if let Some(key) = values.keys().find(|key| !Transform::KEYS.contains(&key.as_str())) {
        let name = entry.name;
        return Err(Problem::new(message!("problem-backbone-value-of-table", name, what = key))
            .at("--backbone-set")
            .advise(message!("advice-own-backbone-entry")));
    }
    if values.contains_key("mean") != values.contains_key("std") {
        return Err(Problem::new(message!("problem-mean-without-std"))
            .at("--backbone-set")
            .advise(message!("advice-backbone-values")));
    }
    (entry.transform).apply_stated(&values, Path::new("--backbone-set"), true)?;
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::super::{NANO, embedded_entry};
    use super::*;

    #[test]
    fn apply_choice_keeps_crop_mode_and_requires_mean_with_std() {
        let mut entry = embedded_entry(NANO).unwrap();
        entry.transform.resize.mode = CropMode::Squash;
        let choice = |values: &'static str| BackboneChoice {
            values: Some(values),
            ..BackboneChoice::from(NANO)
        };
        let changed = apply_choice(entry.clone(), choice("interpolation=bicubic")).unwrap();
        assert_eq!(changed.transform.resize.mode, CropMode::Squash);
        let problem = apply_choice(entry, choice("mean=0.5:0.5:0.5")).err().unwrap();
        assert!(problem.is("problem-mean-without-std"), "{problem}");
    }
}
