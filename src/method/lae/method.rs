//! LAE's implementation of `Method`: start and end of a task, answers, stored state.

use std::ops::Range;

use burn::tensor::Tensor;

use super::super::answers::{self, Answer};
use super::super::heads::Heads;
use super::super::{
    AnswerRule, Batch, CancelToken, ExportedClassifier, Features, LogitSource, Measurement, Method,
    Moment, Pass, PassWork, Snapshots, State, Task, TrainedPet,
};
use super::verdict::verdict;
use super::{DISTANCE, DRIFTS, Lae, Switches};
use crate::metrics::Expert;
use crate::pet::{Hooks, PetStack};
use crate::problem::Result;

impl Method for Lae {
    fn trained_parameters(&self) -> usize {
        self.online.trained_count()
    }

    fn measure_earlier(&mut self, images: Tensor<4>, classes: &[usize]) -> Result<()> {
        let features = self.backbone.features(images, &self.online)?;
        self.measured.add(&features, classes)
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.begin(task.classes.len());
        self.task = Some(task.clone());
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if pass.work == PassWork::Measure {
            self.measure_importance(batch)?;
            return Ok(None);
        }
        self.train(batch, pass).map(Some)
    }

    fn end_pass(&mut self, _pass: usize, _go_on: &mut CancelToken<'_>) -> Result<()> {
        if let Some(penalty) = &mut self.penalty {
            penalty.end_pass(&self.online);
        }
        Ok(())
    }

    fn end_task(&mut self, _go_on: &mut CancelToken<'_>) -> Result<()> {
        // Testing needs the memory, and the next task has another penalty.
        self.recorder.clear();
        if self.heads.0.len() == 1 {
            self.origin = Some(self.online.clone());
        }
        Ok(())
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        let depth = self.backbone.blocks().len();
        // Both experts compute the same tokens before the first PET, so this part runs once.
        let shared = self.online.first_block().unwrap_or(depth).min(depth);
        let tokens = self.backbone.embed(images)?;
        let tokens = self.backbone.run(tokens, 0..shared, &PetStack::empty())?;
        let features = |tokens, pets: &PetStack| -> Result<Vec<Tensor<2>>> {
            let tokens = self.backbone.run(tokens, shared..depth, pets)?;
            Ok(vec![self.backbone.pool(tokens)?])
        };
        let online = features(tokens.clone(), &self.online)?;
        let found = Features::default().with(Expert::ONLINE, online);
        Ok(match &self.offline {
            Some(offline) => found.with(Expert::OFFLINE, features(tokens, offline)?),
            None => found,
        })
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let logits = self.logits(features)?;
        if let [only] = self.experts {
            return answers::alone(*only, &logits.online);
        }
        let online = answers::rows(&logits.online)?;
        let offline = logits.offline.as_ref().map(answers::rows).transpose()?;
        let switches = self.settings.switches;
        let verdicts = online.iter().enumerate().map(|(row, online)| {
            let offline = offline.as_ref().and_then(|rows| rows.get(row));
            verdict(online, offline.map(Vec::as_slice), switches)
        });
        Ok(verdicts.collect())
    }

    /// Returns the computation of the answers: both PETs with the shared heads.
    fn recipe(&self) -> Result<ExportedClassifier> {
        let mut networks = vec![(Expert::ONLINE.name().to_owned(), self.online.clone())];
        if let Some(offline) = &self.offline {
            networks.push((Expert::OFFLINE.name().to_owned(), offline.clone()));
        }
        let two = networks.len() > 1;
        let voices = self.experts.iter();
        let voices = voices.map(|expert| (*expert, voice(*expert, self.settings.switches, two)));
        Ok(ExportedClassifier {
            networks,
            weights: None,
            reading: AnswerRule::of_heads(&self.heads, voices.collect())?,
        })
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        Some(&mut self.heads)
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        let trained = |(expert, now): (Expert, &PetStack)| TrainedPet {
            expert,
            began: self.fresh.clone(),
            now: now.clone(),
        };
        let offline = self.offline.iter().map(|pets| (Expert::OFFLINE, pets));
        let online = std::iter::once((Expert::ONLINE, &self.online));
        Ok(online.chain(offline).map(trained).collect())
    }

    fn measurements(&self, moment: Moment) -> Result<Vec<Measurement>> {
        if moment == Moment::Task {
            let drifts = DRIFTS.into_iter().zip(self.drift()?);
            return Ok(drifts
                .map(|(name, value)| Measurement::figure(name, value))
                .collect());
        }
        let Some(offline) = &self.offline else {
            return Ok(Vec::new());
        };
        // The distance is relative to the norm of the offline PET.
        let distance = self.online.distance_from(offline)?;
        Ok(vec![Measurement::figure(DISTANCE, distance)])
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<()> {
        state.pets("online", &mut self.online)?;
        state.optional_pets("offline", &mut self.offline, &self.online)?;
        let (width, device) = (self.backbone.feature_width(), self.backbone.device());
        self.heads.state("head", (width, &device), state)?;
        if !state.is_snapshot() {
            state.optional_pets("origin", &mut self.origin, &self.online)?;
            if let Some(penalty) = &mut self.penalty {
                penalty.state(&self.online, state)?;
            }
        }
        if let Some(stored) = state.stored() {
            self.task = Task::newest(stored.tasks);
        }
        self.adam.state(&device, state)
    }

    fn restore_snapshot(&mut self, snapshot: &Snapshots<'_>, tasks: &[Range<usize>]) -> Result<()> {
        self.restore(&snapshot(tasks.len().saturating_sub(1))?, tasks)?;
        if tasks.len() > 1 {
            // Drift is measured from the state after the first task.
            let first = self.online.read("online", &snapshot(0)?)?;
            self.origin = Some(first);
        }
        Ok(())
    }
}

/// Returns the features that an expert uses. `two` says whether there are two PETs or only the online one.
fn voice(expert: Expert, switches: Switches, two: bool) -> LogitSource {
    let offline = LogitSource::Of(usize::from(two));
    match (expert, switches.ensemble, switches.accumulation) {
        (Expert::ONLINE, ..) => LogitSource::Of(0),
        (Expert::OFFLINE, ..) => offline,
        (_, true, _) => LogitSource::Larger([0, usize::from(two)]),
        (_, false, true) => offline,
        _ => LogitSource::Of(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ensemble_logit_source_follows_switches() {
        let ensemble = |switches, two| voice(Expert::ENSEMBLE, switches, two);
        let alone = Switches {
            ensemble: false,
            ..Switches::ALL
        };
        assert_eq!(ensemble(Switches::ALL, true), LogitSource::Larger([0, 1]));
        assert_eq!(ensemble(Switches::ALL, false), LogitSource::Larger([0, 0]));
        assert_eq!(ensemble(alone, true), LogitSource::Of(1));
        assert_eq!(ensemble(Switches::NONE, true), LogitSource::Of(0));
        assert_eq!(
            voice(Expert::OFFLINE, Switches::ALL, false),
            LogitSource::Of(0)
        );
    }
}
