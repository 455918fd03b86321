//! The table of backbone families, and functions that find a family by name, by the metadata of a weight file, or by
//! the names and shapes of its tensors.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::architecture::{Architecture, Family, InferredArchitecture};
use super::arguments::ArchitectureValues;
use super::loader::WeightLoader;
use super::parameters::Origin;
use super::weights::Tensors;
use super::{Backbone, convnext, swin, vit};
use crate::message;
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result, list_value};

/// All families, in display order.
pub static FAMILIES: [&Family; 3] = [&vit::FAMILY, &swin::FAMILY, &convnext::FAMILY];

/// Returns their names.
pub fn names() -> Vec<&'static str> {
    FAMILIES.iter().map(|family| family.name).collect()
}

/// Returns the family with this name.
///
/// # Errors
/// Returns a Problem that lists the families.
pub fn find_family(name: &str) -> Result<&'static Family> {
    let found = FAMILIES.into_iter().find(|family| family.name == name);
    found.ok_or_else(|| {
        Problem::new(message!("problem-family-unknown", name))
            .advise(message!("advice-known-families", names = names().join(", ")))
    })
}

/// Returns the architecture that timm's constructor of this family creates from the arguments in a metadata map.
///
/// # Errors
/// Returns a Problem for an unknown family or inconsistent dimensions.
pub fn from_metadata(family: &str, metadata: &BTreeMap<String, String>) -> Result<Architecture> {
    let architecture = (find_family(family)?.read)(&ArchitectureValues::from_metadata(metadata))?;
    architecture.check()?;
    Ok(architecture)
}

/// Prefixes of networks whose weights are an average over training, which are preferred.
const AVERAGED_PREFIXES: [&str; 2] = ["ema", "teacher"];
/// Prefixes of networks that only helped to train another one.
const HELPER_PREFIXES: [&str; 2] = ["momentum", "student"];

/// Returns the tensors of the network in a file, without the prefixes of wrappers (`module.`, `_orig_mod.`), larger
/// models (`backbone.`, `base_encoder.`) and training programs (`state_dict.`, `model_ema.`). Other tensors (such as an
/// optimiser's state) are dropped. Returns all tensors unchanged if no family knows a name.
///
/// Of several networks, an average of weights (EMA, teacher) is used, and a helper (momentum, student) only if there is
/// no other network.
///
/// # Errors
/// Returns a Problem if more than one network remains.
pub fn extract_network(tensors: Tensors) -> Result<Tensors> {
    // `torch.compile` adds this to the names of everything it compiled, also of single layers.
    let tensors = tensors.rename(|name| Some(name.replace("_orig_mod.", "")));
    let rank = |prefix: &str| {
        let has =
            |markers: &[&str]| prefix.split(['.', '/', '_']).any(|word| markers.contains(&word));
        u8::from(!has(&AVERAGED_PREFIXES)) + u8::from(has(&HELPER_PREFIXES))
    };
    // The first tensors of the networks of each rank, by prefix.
    let mut networks: BTreeMap<u8, BTreeMap<String, String>> = BTreeMap::new();
    for first in FAMILIES.iter().flat_map(|family| family.first_tensors) {
        for name in tensors.names() {
            let prefix = name.strip_suffix(first);
            if let Some(prefix) =
                prefix.filter(|prefix| prefix.is_empty() || prefix.ends_with(['.', '/']))
            {
                let same_rank = networks.entry(rank(prefix)).or_default();
                same_rank.insert(prefix.to_owned(), name.to_owned());
            }
        }
    }
    let Some((_, best)) = networks.pop_first() else {
        return Ok(tensors);
    };
    match best.keys().collect::<Vec<_>>().as_slice() {
        [prefix] => Ok(tensors.strip_prefix(prefix)),
        _ => Err(Problem::new(message!(
            "problem-weight-file-several-networks",
            names = list_value(&best.into_values().collect::<Vec<_>>(), 4)
        ))
        .at(tensors.origin())
        .advise(message!("advice-save-one-state-dict"))),
    }
}

/// Returns the dimensions of a weight file: from its metadata if present, else from names and shapes of its tensors.
/// What shapes do not determine is assumed and reported.
///
/// # Errors
/// Returns a Problem for an unknown family or inconsistent dimensions.
pub fn infer(tensors: &Tensors) -> Result<InferredArchitecture> {
    let tensors = &extract_network(tensors.clone())?;
    let metadata = tensors.metadata();
    let with_origin = |problem: Problem| problem.at(tensors.origin());
    let family = metadata.get("architecture").or(metadata.get("kind"));
    if let Some(family) = family.filter(|family| find_family(family).is_ok()) {
        return Ok(InferredArchitecture {
            architecture: from_metadata(family, metadata).map_err(with_origin)?,
            assumptions: Vec::new(),
            missing_options: Vec::new(),
        });
    }
    // The first family has no distinguishing tensor, so it is tried last.
    for family in FAMILIES.iter().rev() {
        if let Some(found) = (family.infer)(tensors)? {
            found.architecture.check().map_err(with_origin)?;
            return Ok(found);
        }
    }
    let titles: Vec<&str> = FAMILIES.iter().map(|family| family.title).collect();
    let names: Vec<&str> = tensors.names().collect();
    Err(with_origin(
        Problem::new(message!(
            "problem-weight-file-family-unknown",
            titles = titles.join(", "),
            names = list_value(&names, 3)
        ))
        .advise(message!("advice-choose-known-family")),
    ))
}

impl Architecture {
    /// Builds the backbone from `tensors` (timm's names or one of the family's other namings).
    ///
    /// # Errors
    /// Returns one Problem for all missing, unexpected and mis-shaped tensors, before any values are read.
    pub fn assemble(
        &self,
        tensors: Tensors,
        placement: impl Into<WeightPlacement>,
    ) -> Result<Arc<dyn Backbone>> {
        self.check()?;
        let found = infer(&tensors).map(|found| found.architecture.family().name);
        let family = self.family();
        let other = found.ok().filter(|found| *found != family.name);
        let tensors = (family.rename_tensors)(tensors)?;
        let mut plan = WeightLoader::plan(Some(tensors.clone()));
        self.build(&mut plan);
        plan.verify(&tensors, family.name, other)?;
        self.build_from(Origin::File(tensors), placement.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let to_owned_pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(to_owned_pair).collect()
    }

    #[test]
    fn parses_json_and_plain_text_arguments() {
        let json = metadata(&[(
            "config",
            r#"{"img_size": 64, "patch_size": 4, "window_size": 4, "embed_dim": 24, "depths": [2, 2], "num_heads": [2, 4]}"#,
        )]);
        let architecture = from_metadata("swin", &json).unwrap();
        assert_eq!(architecture.blocks().len(), 4);
        assert_eq!(architecture.feature_width(), 48);
        let texts = metadata(&[
            ("input_size", "32"),
            ("patch_size", "8"),
            ("embed_dim", "192"),
            ("depth", "8"),
            ("num_heads", "3"),
            ("class_token", "true"),
            ("norm_eps", "1e-6"),
        ]);
        let architecture = from_metadata("vit", &texts).unwrap();
        let plain = Architecture::new(vit::Config::new(32, 8, 192, 8, 3));
        assert_eq!(architecture, plain);
        let other = Architecture::new(vit::Config::new(32, 8, 192, 9, 3));
        assert_ne!(architecture, other);
    }

    #[test]
    fn rejects_contradictory_arguments() {
        let invalid = metadata(&[("embed_dim", "50"), ("num_heads", "4")]);
        let problem = from_metadata("vit", &invalid).unwrap_err();
        assert!(problem.is("problem-dimensions-inconsistent"), "{problem}");
        assert!(problem.what.contains("4 heads"), "{problem}");
        let text = metadata(&[("depth", "many")]);
        assert!(from_metadata("vit", &text).is_err());
        assert!(from_metadata("resnet", &BTreeMap::new()).is_err());
    }

    /// Checks that the description of each family is consistent with its trial network.
    #[test]
    fn families_match_their_trial_networks() {
        for family in FAMILIES {
            let architecture = (family.trial)();
            architecture.check().unwrap();
            assert_eq!(architecture.family().name, family.name);
            let blocks = architecture.blocks();
            assert_eq!(blocks.len(), architecture.token_counts().len());
            for (block, length) in blocks.iter().zip(architecture.token_counts()) {
                assert_eq!(block.heads > 0, length.attended > 0);
            }
        }
    }
}
