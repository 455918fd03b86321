//! What a run will cost: time from the speed of an earlier run where there is one, else from the
//! size of the network; memory as the plan has it.

use super::views::{PlanView, RunRow};
use crate::method::Chosen;
use crate::run::config::RunConfig;

/// What a run will cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds of training and testing.
    pub seconds: f64,
    /// Bytes held at most, decoded pictures not counted.
    pub bytes: Option<u64>,
    /// Whether the time comes from an earlier run with the same backbone.
    pub measured: bool,
}

/// Multiplications and additions per second assumed of a processor nobody measured: about half of
/// what two cores of 2.5 GHz were seen to do.
const UNMEASURED: f64 = 1.5e11;
/// A training step costs about so many passes of the network.
const TRAINING: f64 = 2.5;

/// Seconds that `config` takes where so many images are trained in a second; none while the plan
/// is unknown.
pub fn seconds_at(config: &RunConfig, plan: &PlanView, speed: f64) -> Option<f64> {
    let trained = plan.training_work(config);
    if trained == 0.0 {
        return None;
    }
    // After task i all images of tasks 1..=i are tested, by two experts at most: an ensemble of
    // both costs nothing.
    let experts = Chosen::of(config).map_or(1, |chosen| chosen.spec.experts.len().min(2));
    let mut tested = 0.0;
    let mut seen = 0;
    for images in &plan.test_images {
        seen += images;
        tested += (experts * seen) as f64;
    }
    Some(trained / speed + tested / (speed * TRAINING))
}

/// The cost of `config`; none while the plan is unknown.
pub fn estimate<'a>(
    config: &RunConfig,
    plan: &PlanView,
    runs: impl IntoIterator<Item = &'a RunRow>,
) -> Option<Estimate> {
    let backbone = plan.backbone.as_ref()?;
    let same = |row: &&RunRow| {
        let known = row.header.as_ref();
        row.images_per_second > 0.0
            && known.is_some_and(|h| {
                h.config.backbone == config.backbone
                    && h.config.device == config.device
                    && h.config.method == config.method
            })
    };
    let patch = 8.0f64.max(backbone.input_size as f64 / 14.0);
    let tokens = (backbone.input_size as f64 / patch).powi(2) + 1.0;
    let pass = 2.0 * backbone.parameters as f64 * tokens;
    let measured = runs.into_iter().find(same).map(|row| row.images_per_second);
    let speed = measured.unwrap_or(UNMEASURED / (pass * TRAINING));
    Some(Estimate {
        seconds: seconds_at(config, plan, speed)?,
        bytes: plan.memory,
        measured: measured.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::views::BackboneView;
    use super::*;
    use crate::method::BackboneShape;

    #[test]
    fn the_demo_takes_less_than_a_minute_and_nothing_is_said_without_a_plan() {
        let nano = BackboneView {
            parameters: 3_600_000,
            input_size: 32,
            shape: BackboneShape {
                depth: 8,
                ..BackboneShape::default()
            },
            width: 192,
            ..BackboneView::default()
        };
        let plan = PlanView {
            train_images: vec![270; 5],
            test_images: vec![90; 5],
            backbone: Some(nano),
            memory: Some(200_000_000),
            ..PlanView::default()
        };
        let config = RunConfig::default();
        let cost = estimate(&config, &plan, []);
        let seconds = cost.map_or(0.0, |c| c.seconds);
        assert!((5.0..60.0).contains(&seconds), "{seconds}");
        assert!(cost.is_some_and(|c| !c.measured && c.bytes == plan.memory));
        assert_eq!(estimate(&config, &PlanView::default(), []), None);
    }
}
