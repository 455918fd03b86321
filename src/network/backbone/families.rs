//! The table of backbone families, and functions that find a family by name, by the metadata of a weight file, or by
//! the names and shapes of its tensors.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::architecture::{Architecture, Family, Inferred};
use super::arguments::ArchitectureValues;
use super::loader::WeightLoader;
use super::parameters::Origin;
use super::weights::Tensors;
use super::{Backbone, convnext, swin, vit};
use crate::message;
use crate::nn::WeightPlacement;
use crate::problem::{Problem, Result, some_of};

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
pub fn named(name: &str) -> Result<&'static Family> {
    let found = FAMILIES.into_iter().find(|family| family.name == name);
    found.ok_or_else(|| {
        Problem::new(message!("problem-family-unknown", name)).advise(message!(
            "advice-known-families",
            names = names().join(", ")
        ))
    })
}

/// Returns the architecture that timm's constructor of this family creates from the arguments in a metadata map.
///
/// # Errors
/// Returns a Problem for an unknown family or inconsistent dimensions.
pub fn from_metadata(family: &str, metadata: &BTreeMap<String, String>) -> Result<Architecture> {
    let made = (named(family)?.read)(&ArchitectureValues::of_metadata(metadata))?;
    made.check()?;
    Ok(made)
}

/// Prefixes of networks whose weights are an average over training, which are preferred.
const AVERAGED: [&str; 2] = ["ema", "teacher"];
/// Prefixes of networks that only helped to train another one.
const HELPERS: [&str; 2] = ["momentum", "student"];

/// Returns the tensors of the network in a file, without the prefixes of wrappers (`module.`, `_orig_mod.`), larger
/// models (`backbone.`, `base_encoder.`) and training programs (`state_dict.`, `model_ema.`). Other tensors (such as an
/// optimiser's state) are dropped. Returns all tensors unchanged if no family knows a name.
///
/// Of several networks, an average of weights (EMA, teacher) is used; helpers (momentum, student) never are.
///
/// # Errors
/// Returns a Problem if more than one network remains.
pub fn unwrapped(tensors: Tensors) -> Result<Tensors> {
    // `torch.compile` adds this to the names of everything it compiled, also of single layers.
    let tensors = tensors.renamed(|name| Some(name.replace("_orig_mod.", "")));
    let rank = |prefix: &str| {
        let has = |words: &[&str]| {
            prefix
                .split(['.', '/', '_'])
                .any(|word| words.contains(&word))
        };
        u8::from(!has(&AVERAGED)) + u8::from(has(&HELPERS))
    };
    // The first tensors of the networks of each rank, by prefix.
    let mut networks: BTreeMap<u8, BTreeMap<String, String>> = BTreeMap::new();
    for first in FAMILIES.iter().flat_map(|family| family.first) {
        for name in tensors.names() {
            let prefix = name.strip_suffix(first);
            if let Some(prefix) = prefix.filter(|it| it.is_empty() || it.ends_with(['.', '/'])) {
                let same = networks.entry(rank(prefix)).or_default();
                same.insert(prefix.to_owned(), name.to_owned());
            }
        }
    }
    let Some((_, best)) = networks.pop_first() else {
        return Ok(tensors);
    };
    match best.keys().collect::<Vec<_>>().as_slice() {
        [prefix] => Ok(tensors.under(prefix)),
        _ => Err(Problem::new(message!(
            "problem-weight-file-several-networks",
            names = some_of(&best.into_values().collect::<Vec<_>>(), 4)
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
pub fn infer(tensors: &Tensors) -> Result<Inferred> {
    let tensors = &unwrapped(tensors.clone())?;
    let metadata = tensors.metadata();
    let at = |problem: Problem| problem.at(tensors.origin());
    let family = metadata.get("architecture").or(metadata.get("kind"));
    if let Some(family) = family.filter(|family| named(family).is_ok()) {
        return Ok(Inferred {
            architecture: from_metadata(family, metadata).map_err(at)?,
            assumed: Vec::new(),
            missing: Vec::new(),
        });
    }
    // The first family has no distinguishing tensor, so it is tried last.
    for family in FAMILIES.iter().rev() {
        if let Some(found) = (family.infer)(tensors)? {
            found.architecture.check().map_err(at)?;
            return Ok(found);
        }
    }
    let titles: Vec<&str> = FAMILIES.iter().map(|family| family.title).collect();
    let names: Vec<&str> = tensors.names().collect();
    Err(at(Problem::new(message!(
        "problem-weight-file-family-unknown",
        titles = titles.join(", "),
        names = some_of(&names, 3)
    ))
    .advise(message!("advice-choose-known-family"))))
}

impl Architecture {
    /// Builds the backbone from `tensors` (timm's names or one of the family's other namings).
    ///
    /// # Errors
    /// Returns one Problem for all missing, unexpected and mis-shaped tensors, before any values are read.
    pub fn assemble(
        &self,
        tensors: Tensors,
        to: impl Into<WeightPlacement>,
    ) -> Result<Arc<dyn Backbone>> {
        self.check()?;
        let found = infer(&tensors).map(|found| found.architecture.family().name);
        let own = self.family();
        let other = found.ok().filter(|found| *found != own.name);
        let tensors = (own.renamed)(tensors)?;
        let mut plan = WeightLoader::plan(Some(tensors.clone()));
        self.build(&mut plan);
        plan.verify(&tensors, own.name, other)?;
        self.build_from(Origin::File(tensors), to.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn metadata(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn parses_json_and_plain_text_arguments() {
        let json = metadata(&[(
            "config",
            r#"{"img_size": 64, "patch_size": 4, "window_size": 4, "embed_dim": 24, "depths": [2, 2], "num_heads": [2, 4]}"#,
        )]);
        let made = from_metadata("swin", &json).unwrap();
        assert_eq!(made.blocks().len(), 4);
        assert_eq!(made.feature_width(), 48);
        let texts = metadata(&[
            ("input_size", "32"),
            ("patch_size", "8"),
            ("embed_dim", "192"),
            ("depth", "8"),
            ("num_heads", "3"),
            ("class_token", "true"),
            ("norm_eps", "1e-6"),
        ]);
        let made = from_metadata("vit", &texts).unwrap();
        let plain = Architecture::of(vit::Config::plain(32, 8, 192, 8, 3));
        assert_eq!(made, plain);
        let other = Architecture::of(vit::Config::plain(32, 8, 192, 9, 3));
        assert_ne!(made, other);
    }

    #[test]
    fn rejects_contradictory_arguments() {
        let odd = metadata(&[("embed_dim", "50"), ("num_heads", "4")]);
        let problem = from_metadata("vit", &odd).unwrap_err();
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
            assert_eq!(blocks.len(), architecture.lengths().len());
            for (block, length) in blocks.iter().zip(architecture.lengths()) {
                assert_eq!(block.heads > 0, length.attended > 0);
            }
        }
    }
}
