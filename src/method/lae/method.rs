//! LAE's implementation of `Method`: start and end of a task, answers, stored state.

use std::ops::Range;

use burn::tensor::Tensor;

use super::super::answers::{self, Answer};
use super::super::heads::Heads;
use super::super::{
    AnswerRule, Batch, CancelToken, ExportedClassifier, Features, LogitSource, Measurement, Method,
    Moment, Pass, PassWork, SnapshotReader, State, Task, TrainedPet,
};
use super::ensemble::ensemble_answer;
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
        self.start_task(task.classes.len());
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

    fn end_pass(&mut self, _pass: usize, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        if let Some(penalty) = &mut self.penalty {
            penalty.end_pass(&self.online);
        }
        Ok(())
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
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
        let shared_blocks = self.online.first_block().unwrap_or(depth).min(depth);
        let tokens = self.backbone.embed(images)?;
        let tokens = self.backbone.run(tokens, 0..shared_blocks, &PetStack::empty())?;
        let features = |tokens, pets: &PetStack| -> Result<Vec<Tensor<2>>> {
            let tokens = self.backbone.run(tokens, shared_blocks..depth, pets)?;
            Ok(vec![self.backbone.pool(tokens)?])
        };
        let online = features(tokens.clone(), &self.online)?;
        let result = Features::default().with_expert(Expert::ONLINE, online);
        Ok(match &self.offline {
            Some(offline) => result.with_expert(Expert::OFFLINE, features(tokens, offline)?),
            None => result,
        })
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let logits = self.logits(features)?;
        if let [only] = self.experts {
            return answers::answers_from_logits(*only, &logits.online);
        }
        let batch = logits.online.dims()[0];
        // Both are read in one transfer, since each transfer waits for the device.
        let experts = std::iter::once(logits.online).chain(logits.offline).collect();
        let rows = answers::read_rows(&Tensor::cat(experts, 0))?;
        let (online, offline) = rows.split_at(batch);
        let switches = self.settings.switches;
        let answers_of_rows = online.iter().enumerate().map(|(row, online)| {
            let offline = offline.get(row);
            ensemble_answer(online, offline.map(Vec::as_slice), switches)
        });
        Ok(answers_of_rows.collect())
    }

    /// Returns the computation of the answers: both PETs with the shared heads.
    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        let mut networks = vec![(Expert::ONLINE.key().to_owned(), self.online.clone())];
        if let Some(offline) = &self.offline {
            networks.push((Expert::OFFLINE.key().to_owned(), offline.clone()));
        }
        let has_offline = networks.len() > 1;
        let sources = self.experts.iter();
        let sources = sources
            .map(|expert| (*expert, logit_source(*expert, self.settings.switches, has_offline)));
        Ok(ExportedClassifier {
            networks,
            weights: None,
            answer_rule: AnswerRule::from_heads(&self.heads, sources.collect())?,
        })
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        Some(&mut self.heads)
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        let trained = |(expert, current): (Expert, &PetStack)| TrainedPet {
            expert,
            initial: self.initial_pets.clone(),
            current: current.clone(),
        };
        let offline = self.offline.iter().map(|pets| (Expert::OFFLINE, pets));
        let online = std::iter::once((Expert::ONLINE, &self.online));
        Ok(online.chain(offline).map(trained).collect())
    }

    fn measurements(&self, moment: Moment) -> Result<Vec<Measurement>> {
        if moment == Moment::Task {
            let drifts = DRIFTS.into_iter().zip(self.drift()?);
            return Ok(drifts.map(|(name, value)| Measurement::number(name, value)).collect());
        }
        let Some(offline) = &self.offline else {
            return Ok(Vec::new());
        };
        // The distance is relative to the norm of the offline PET.
        let distance = self.online.distance_from(offline)?;
        Ok(vec![Measurement::number(DISTANCE, distance)])
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        state.sync_pets("online", &mut self.online)?;
        state.sync_optional_pets("offline", &mut self.offline, &self.online)?;
        let (width, device) = (self.backbone.feature_width(), self.backbone.device());
        self.heads.sync_state("head", (width, &device), state)?;
        if !state.is_snapshot() {
            state.sync_optional_pets("origin", &mut self.origin, &self.online)?;
            if let Some(penalty) = &mut self.penalty {
                penalty.sync_state(&self.online, state)?;
            }
        }
        if let Some(stored) = state.stored() {
            self.task = Task::last(stored.tasks);
        }
        self.adam.sync_state(&device, state)
    }

    fn restore_snapshot(
        &mut self,
        snapshot: &SnapshotReader<'_>,
        tasks: &[Range<usize>],
    ) -> Result<()> {
        self.restore(&snapshot(tasks.len().saturating_sub(1))?, tasks)?;
        if tasks.len() > 1 {
            // Drift is measured from the state after the first task.
            let origin = self.online.read("online", &snapshot(0)?)?;
            self.origin = Some(origin);
        }
        Ok(())
    }
}

/// Returns the features that an expert uses. `has_offline` is false if there is only the online PET.
fn logit_source(expert: Expert, switches: Switches, has_offline: bool) -> LogitSource {
    let offline = LogitSource::Network(usize::from(has_offline));
    match (expert, switches.ensemble, switches.accumulation) {
        (Expert::ONLINE, ..) => LogitSource::Network(0),
        (Expert::OFFLINE, ..) => offline,
        (_, true, _) => LogitSource::Maximum([0, usize::from(has_offline)]),
        (_, false, true) => offline,
        _ => LogitSource::Network(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ensemble_logit_source_follows_switches() {
        let ensemble =
            |switches, has_offline| logit_source(Expert::ENSEMBLE, switches, has_offline);
        let without_ensemble = Switches { ensemble: false, ..Switches::ALL };
        assert_eq!(ensemble(Switches::ALL, true), LogitSource::Maximum([0, 1]));
        assert_eq!(ensemble(Switches::ALL, false), LogitSource::Maximum([0, 0]));
        assert_eq!(ensemble(without_ensemble, true), LogitSource::Network(1));
        assert_eq!(ensemble(Switches::NONE, true), LogitSource::Network(0));
        assert_eq!(logit_source(Expert::OFFLINE, Switches::ALL, false), LogitSource::Network(0));
    }
}
