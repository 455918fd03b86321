//! What a run will cost: time from the speed of an earlier run where there is one, else from the
//! size of the network; memory as the plan has it.

use super::views::{PlanView, RunRow};
use crate::experiment::estimate::{self, TaskImages, unmeasured_speed};
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

/// Seconds that `config` takes where so many images are trained in a second; none while the plan
/// is unknown.
pub fn seconds_at(config: &RunConfig, plan: &PlanView, speed: f64) -> Option<f64> {
    let images = TaskImages {
        train: &plan.train_images,
        test: &plan.test_images,
    };
    estimate::seconds_at(config, images, speed)
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
    let measured = runs.into_iter().find(same).map(|row| row.images_per_second);
    let speed =
        measured.unwrap_or_else(|| unmeasured_speed(backbone.parameters, backbone.input_size));
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
