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
use crate::experiment::predictor_cache::{Key, PredictorCache};
use crate::message;
use crate::metrics::ByExpert;
use crate::problem::{Problem, Result};
use crate::run::inside::ProbeInside;

/// Number of probe sets kept; one takes about 45 MB at the input size of a large network.
const PROBE_SETS: usize = 4;
/// Maximum number of feature values kept (128 MB).
const NUMBERS: usize = 32 << 20;

/// The outcome of one step of [`FeatureCache::step`].
pub(super) enum Progress {
    /// The predictor of this snapshot has to be loaded first.
    Load(Key),
    /// The probe set has not been gathered yet.
    Wait,
    /// A few images were processed; there are more.
    Computed,
    Found(Box<ProbeInside>),
    NoProbeSet(Problem),
}

/// A probe pass of a snapshot, and the axes computed from its features.
struct CachedProbePass {
    key: Key,
    probe_pass: ProbePass,
    axes: Option<ByExpert<Axes>>,
}

impl CachedProbePass {
    fn is_of(&self, key: &Key, probe: &Arc<ProbeSet>) -> bool {
        self.key == *key && Arc::ptr_eq(self.probe_pass.probe(), probe)
    }
}

/// Probe sets of runs, and probe passes of snapshots.
#[derive(Default)]
pub(super) struct FeatureCache {
    /// Keyed by the snapshot that defines the axes; the newest is last.
    probes: VecDeque<(Key, Result<Arc<ProbeSet>>)>,
    loader: Loader<ProbeSet>,
    /// The most recently computed probe pass is last.
    probe_passes: VecDeque<CachedProbePass>,
}

impl FeatureCache {
    /// Removes everything, including what is being gathered, because the test images may have changed.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Continues the probe pass of the snapshot `anchor`, which defines the axes, and then the probe pass of `key`.
    pub fn step(
        &mut self,
        predictors: &mut PredictorCache,
        cache: &ResourceCache,
        engine: &Sender<Message>,
        [anchor, key]: [&Key; 2],
    ) -> Result<Progress> {
        self.collect_loaded();
        let known = self.probes.iter().find(|(known, _)| known == anchor);
        let Some((_, probe)) = known.cloned() else {
            let Some(predictor) = predictors.predictor(anchor, cache)? else {
                return Ok(Progress::Load(anchor.clone()));
            };
            let (input, cache) = (predictor.input(), cache.clone());
            let gather = move |key: &Key| ProbeSet::gather(&key.run, input, &cache);
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
            self.probe_pass(key, &probe, predictor)?;
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
        let known = self.probes.iter();
        let mut known = known.filter_map(|(_, known)| known.as_ref().ok());
        let probe = probe.map(|probe| {
            let same = known.find(|known| ***known == probe).cloned();
            same.unwrap_or_else(|| Arc::new(probe))
        });
        self.probes.retain(|(known, _)| *known != key);
        self.probes.push_back((key, probe));
        while self.probes.len() > PROBE_SETS {
            self.probes.pop_front();
        }
        let is_of = |kept: &CachedProbePass, known: &Result<Arc<ProbeSet>>| {
            let known = known.as_ref();
            known.is_ok_and(|known| Arc::ptr_eq(known, kept.probe_pass.probe()))
        };
        self.probe_passes
            .retain(|kept| self.probes.iter().any(|(_, known)| is_of(kept, known)));
    }

    /// Returns whether the probe pass of a snapshot is complete.
    fn has_probe_pass(&self, key: &Key, probe: &Arc<ProbeSet>) -> bool {
        let mut probe_passes = self.probe_passes.iter();
        probe_passes.any(|kept| kept.is_of(key, probe) && kept.probe_pass.is_complete())
    }

    /// Continues the probe pass of a snapshot with a few more images.
    fn probe_pass(
        &mut self,
        key: &Key,
        probe: &Arc<ProbeSet>,
        predictor: &Predictor,
    ) -> Result<()> {
        let probe_passes = &mut self.probe_passes;
        let at = probe_passes.iter().position(|kept| kept.is_of(key, probe));
        let begun = at.and_then(|at| probe_passes.remove(at));
        let mut probe_pass =
            begun.map_or_else(|| ProbePass::new(probe.clone()), |kept| kept.probe_pass);
        probe_pass.step(predictor)?;
        probe_passes.retain(|kept| kept.key != *key);
        probe_passes.push_back(CachedProbePass {
            key: key.clone(),
            probe_pass,
            axes: None,
        });
        let size = |probe_passes: &VecDeque<CachedProbePass>| -> usize {
            probe_passes.iter().map(|kept| kept.probe_pass.size()).sum()
        };
        while size(probe_passes) > NUMBERS && probe_passes.len() > 2 {
            probe_passes.pop_front();
        }
        Ok(())
    }

    /// Returns a complete probe pass, projected onto the axes of another one.
    fn project(&mut self, anchor: &Key, key: &Key) -> Result<ProbeInside> {
        let missing = || Problem::new(message!("problem-map-without-axes"));
        let mut probe_passes = self.probe_passes.iter_mut();
        let given = probe_passes.find(|kept| kept.key == *anchor);
        let given = given.ok_or_else(missing)?;
        if given.axes.is_none() {
            given.axes = Some(given.probe_pass.axes()?);
        }
        let find = |key: &Key| self.probe_passes.iter().find(|kept| kept.key == *key);
        let axes = find(anchor).and_then(|given| given.axes.as_ref());
        let (probe_pass, axes) = find(key).zip(axes).ok_or_else(missing)?;
        Ok(probe_inside(&probe_pass.probe_pass, axes, anchor.task))
    }
}
