//! Compares the tensors that a constructor requests with those of a weight file.

use std::collections::BTreeSet;

use super::WeightLoader;
use crate::backbone::weights::Tensors;
use crate::message;
use crate::problem::{Problem, Result, join_some};

impl WeightLoader {
    /// Compares the tensors requested in a plan with those of the file; returns one Problem for all differences.
    /// `other` is the family of the network in the file, if it is another one.
    pub fn verify(&self, tensors: &Tensors, family: &str, other: Option<&str>) -> Result<()> {
        let mut missing = Vec::new();
        let mut misshaped = Vec::new();
        for (name, wanted) in &self.requested {
            match tensors.shape(name) {
                None => missing.push(name.clone()),
                Some(found) if found != wanted.as_slice() => {
                    misshaped.push(format!("{name} is {found:?} instead of {wanted:?}"));
                }
                Some(_) => {}
            }
        }
        let known: BTreeSet<&str> = self.requested.iter().map(|(name, _)| name.as_str()).collect();
        let unexpected: Vec<&str> =
            (tensors.names()).filter(|name| !known.contains(name) && !is_ignored(name)).collect();
        let mut faults = Vec::new();
        for (what, names) in [("missing", &missing), ("of another shape", &misshaped)] {
            if !names.is_empty() {
                faults.push(format!("{} {what} ({})", names.len(), join_some(names, 3)));
            }
        }
        if !unexpected.is_empty() {
            let shown = join_some(&unexpected, 3);
            faults.push(format!("{} unexpected ({shown})", unexpected.len()));
        }
        if faults.is_empty() {
            return Ok(());
        }
        let variants = unsupported(&missing, &unexpected);
        if !variants.is_empty() {
            faults.push(format!("{} not supported", join_some(&variants, 4)));
        }
        let holds = match other {
            None => message!("problem-weights-mismatch", family),
            Some(other) => message!("problem-weights-of-other-family", family, other),
        };
        Err(Problem::new(holds.with("faults", faults.join("; ")))
            .at(tensors.origin())
            .advise(message!("advice-choose-matching-backbone")))
    }
}

/// Returns the unsupported variants that the tensor names indicate.
fn unsupported(missing: &[String], unexpected: &[&str]) -> Vec<&'static str> {
    let markers = [
        (".q_norm.", "norms of queries and keys are"),
        (".rel_pos", "relative positions in a ViT are"),
    ];
    let mut found: Vec<&str> = markers
        .into_iter()
        .filter(|(sign, _)| unexpected.iter().any(|name| name.contains(sign)))
        .map(|(_, what)| what)
        .collect();
    if missing.iter().any(|name| name.ends_with("attn.qkv.bias")) {
        found.push("attention without biases is");
    }
    found
}

/// Returns whether a tensor belongs to a classifier or to training only, and is not needed for features.
fn is_ignored(name: &str) -> bool {
    name.starts_with("head.") || name.starts_with("fc.") || name == "mask_token"
}
