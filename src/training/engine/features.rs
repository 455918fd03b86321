//! Probe sets of runs, gathered by a helper thread, and probe passes computed from them. The probe passes are kept, so
//! that a map with other axes needs no second pass over the images.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Message;
use super::helper::Loader;
use crate::experiment::ResourceCache;
use crate::experiment::inside::{Axes, ProbePass, ProbeSet, probe_inside};
use crate::experiment::predict::Predictor;
use crate::experiment::predictor_cache::{PredictorCache, SnapshotKey};
use crate::message;
use crate::metrics::ByExpert;
use crate::problem::{Problem, Result};
use crate::run::inside::ProbeInspection;

/// Number of probe sets kept; one takes about 45 MB at the input size of a large network.
const MAX_PROBE_SETS: usize = 4;
/// Maximum number of feature values kept (128 MB).
const MAX_FEATURE_VALUES: usize = 32 << 20;

/// The outcome of one step of [`FeatureCache::step`].
pub(super) enum Progress {
    /// The predictor of this snapshot has to be loaded first.
    Load(SnapshotKey),
    /// The probe set has not been gathered yet.
    Wait,
    /// A few images were processed; there are more.
    Computed,
    Found(Box<ProbeInspection>),
    NoProbeSet(Problem),
}

/// A probe pass of a snapshot, and the axes computed from its features.
struct CachedProbePass {
    key: SnapshotKey,
    probe_pass: ProbePass,
    axes: Option<ByExpert<Axes>>,
}

impl CachedProbePass {
    fn matches(&self, key: &SnapshotKey, probe: &Arc<ProbeSet>) -> bool {
        self.key == *key && Arc::ptr_eq(self.probe_pass.probe(), probe)
    }
}

/// Probe sets of runs, and probe passes of snapshots.
#[derive(Default)]
pub(super) struct FeatureCache {
    /// Keyed by the snapshot that defines the axes; the newest is last.
    probes: VecDeque<(SnapshotKey, Result<Arc<ProbeSet>>)>,
    loader: Loader<ProbeSet>,
    /// The most recently computed probe pass is last.
    probe_passes: VecDeque<CachedProbePass>,
}

impl FeatureCache {
    /// Removes everything, including what is being gathered, because the test images may have changed.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Forgets probe sets that could not be gathered, so that a new request tries again. A request in progress needs
    /// the failure until it ends.
    pub fn forget_failures(&mut self) {
        self.probes.retain(|(_, probe)| probe.is_ok());
    }

    /// Continues the probe pass of the snapshot `anchor`, which defines the axes, and then the probe pass of `key`.
    pub fn step(
        &mut self,
        predictors: &mut PredictorCache,
        cache: &ResourceCache,
        engine: &Sender<Message>,
        [anchor, key]: [&SnapshotKey; 2],
    ) -> Result<Progress> {
        self.collect_loaded();
        let entry = self.probes.iter().find(|(cached_key, _)| cached_key == anchor);
        let Some((_, probe)) = entry.cloned() else {
            let Some(predictor) = predictors.predictor(anchor, cache)? else {
                return Ok(Progress::Load(anchor.clone()));
            };
            let (input, cache) = (predictor.input(), cache.clone());
            let gather = move |key: &SnapshotKey| ProbeSet::gather(&key.run, input, &cache);
            self.loader.start(anchor.clone(), gather, engine);
            return Ok(Progress::Wait);
        };
        let probe = match probe {
            Ok(probe) => probe,
            Err(problem) => return Ok(Progress::NoProbeSet(problem)),
        };
        for key in [anchor, key] {
            if self.has_probe_pass(key, &probe) {
                continue;
            }
            let Some(predictor) = predictors.predictor(key, cache)? else {
                return Ok(Progress::Load(key.clone()));
            };
            self.continue_probe_pass(key, &probe, predictor)?;
            return Ok(Progress::Computed);
        }
        Ok(Progress::Found(Box::new(self.project(anchor, key)?)))
    }

    /// Stores a gathered probe set. If a known one has the same images, that one is used, so that its probe passes stay
    /// valid.
    fn collect_loaded(&mut self) {
        let Some((key, probe)) = self.loader.poll() else {
            return;
        };
        let entries = self.probes.iter();
        let mut probe_sets = entries.filter_map(|(_, probe_set)| probe_set.as_ref().ok());
        let probe = probe.map(|probe| {
            let same = probe_sets.find(|other| ***other == probe).cloned();
            same.unwrap_or_else(|| Arc::new(probe))
        });
        self.probes.retain(|(cached_key, _)| *cached_key != key);
        self.probes.push_back((key, probe));
        while self.probes.len() > MAX_PROBE_SETS {
            self.probes.pop_front();
        }
        let uses_probe_set = |cached: &CachedProbePass, probe_set: &Result<Arc<ProbeSet>>| {
            let probe_set = probe_set.as_ref();
            probe_set.is_ok_and(|probe_set| Arc::ptr_eq(probe_set, cached.probe_pass.probe()))
        };
        self.probe_passes.retain(|cached| {
            self.probes.iter().any(|(_, probe_set)| uses_probe_set(cached, probe_set))
        });
    }

    /// Returns whether the probe pass of a snapshot is complete.
    fn has_probe_pass(&self, key: &SnapshotKey, probe: &Arc<ProbeSet>) -> bool {
        let mut probe_passes = self.probe_passes.iter();
        probe_passes.any(|cached| cached.matches(key, probe) && cached.probe_pass.is_complete())
    }

    /// Continues the probe pass of a snapshot with a few more images.
    fn continue_probe_pass(
        &mut self,
        key: &SnapshotKey,
        probe: &Arc<ProbeSet>,
        predictor: &Predictor,
    ) -> Result<()> {
        let probe_passes = &mut self.probe_passes;
        let at = probe_passes.iter().position(|cached| cached.matches(key, probe));
        let existing = at.and_then(|at| probe_passes.remove(at));
        let mut probe_pass =
            existing.map_or_else(|| ProbePass::new(probe.clone()), |cached| cached.probe_pass);
        probe_pass.step(predictor)?;
        probe_passes.retain(|cached| cached.key != *key);
        probe_passes.push_back(CachedProbePass { key: key.clone(), probe_pass, axes: None });
        let size = |probe_passes: &VecDeque<CachedProbePass>| -> usize {
            probe_passes.iter().map(|cached| cached.probe_pass.feature_value_count()).sum()
        };
        while size(probe_passes) > MAX_FEATURE_VALUES && probe_passes.len() > 2 {
            probe_passes.pop_front();
        }
        Ok(())
    }

    /// Returns a complete probe pass, projected onto the axes of another one.
    fn project(&mut self, anchor: &SnapshotKey, key: &SnapshotKey) -> Result<ProbeInspection> {
        let missing = || Problem::new(message!("problem-map-without-axes"));
        let mut probe_passes = self.probe_passes.iter_mut();
        let anchor_pass = probe_passes.find(|cached| cached.key == *anchor);
        let anchor_pass = anchor_pass.ok_or_else(missing)?;
        if anchor_pass.axes.is_none() {
            anchor_pass.axes = Some(anchor_pass.probe_pass.axes()?);
        }
        let find = |key: &SnapshotKey| self.probe_passes.iter().find(|cached| cached.key == *key);
        let axes = find(anchor).and_then(|cached| cached.axes.as_ref());
        let (probe_pass, axes) = find(key).zip(axes).ok_or_else(missing)?;
        Ok(probe_inside(&probe_pass.probe_pass, axes, anchor.task))
    }
}
