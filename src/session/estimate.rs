//! Cost estimate of a run. The time is computed from the speed of an earlier run if there is one, otherwise from the
//! speed of the processor; the memory is from the plan.

use super::inventory::Inventory;
use super::views::{PlanView, RunRow};
use crate::backbone::library::Description;
use crate::experiment::estimate::{self, Basis, DEFAULT_SPEED, EarlierRun, Network, TaskImages};
use crate::run::config::RunConfig;

/// Estimated cost of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds of training and testing.
    pub seconds: f64,
    /// Maximum bytes in memory, without decoded images; `None` if unknown.
    pub bytes: Option<u64>,
    /// What the speed is based on; `None` if the speed is guessed.
    pub basis: Option<Basis>,
}

/// Returns how many seconds a run of `config` takes at `speed` images per second; `None` while the plan is unknown.
pub fn seconds_at(config: &RunConfig, plan: &PlanView, speed: f64) -> Option<f64> {
    let images = TaskImages { train: &plan.train_images, test: &plan.test_images };
    estimate::seconds_at_speed(config, images, plan.backbone.as_ref().map(network_of)?, speed)
}

fn network_of(backbone: &Description) -> Network {
    Network::new(&backbone.entry.architecture)
}

/// Returns the estimated cost of `config`; `None` while the plan is unknown. The speed is from the most similar run;
/// among equally similar runs, the first one is used.
pub fn estimate<'a>(
    config: &RunConfig,
    plan: &PlanView,
    runs: impl IntoIterator<Item = &'a RunRow>,
    inventory: &Inventory,
) -> Option<Estimate> {
    let network = plan.backbone.as_ref().map(network_of)?;
    let mut best: Option<(Basis, f64)> = None;
    for row in runs {
        let Some(header) = &row.header else { continue };
        let Some(basis) = Basis::from_run(config, None, header) else {
            continue;
        };
        if best.is_some_and(|(best_basis, _)| best_basis <= basis) {
            continue;
        }
        let earlier = EarlierRun {
            header,
            network: match basis {
                Basis::Device => inventory.backbone(&header.config.backbone).map(network_of),
                _ => Some(network),
            },
            saved: row.history.task_given.len(),
            seconds: row.seconds,
        };
        if let Some(speed) = earlier.speed() {
            best = Some((basis, speed));
        }
        if basis == Basis::Method && best.is_some() {
            break;
        }
    }
    let measured = || Some((Basis::Processor, inventory.speed_of(&config.device)?));
    let best = best.or_else(measured);
    let speed = best.map_or(DEFAULT_SPEED, |(_, speed)| speed);
    Some(Estimate {
        seconds: seconds_at(config, plan, network.steps_per_second(speed))?,
        bytes: plan.memory,
        basis: best.map(|(basis, _)| basis),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::{BackboneLibrary, NANO};
    use crate::session::views::DeviceView;

    #[test]
    fn demo_estimate_is_under_a_minute_and_uses_measured_speed() {
        let plan = PlanView {
            train_images: vec![270; 5],
            test_images: vec![90; 5],
            backbone: BackboneLibrary::with_default_locations().describe(NANO).ok(),
            memory: Some(200_000_000),
            ..PlanView::default()
        };
        let config = RunConfig::default();
        let mut inventory = Inventory::default();
        let cost = estimate(&config, &plan, [], &inventory);
        let seconds = cost.map_or(0.0, |c| c.seconds);
        assert!((5.0..60.0).contains(&seconds), "{seconds}");
        assert!(cost.is_some_and(|c| c.basis.is_none() && c.bytes == plan.memory));
        let unknown = estimate(&config, &PlanView::default(), [], &inventory);
        assert_eq!(unknown, None);
        // A measured processor speed replaces the guess, but not for a GPU.
        inventory.speed = Some(2.0 * DEFAULT_SPEED);
        for (chosen_by_auto, factor, basis) in
            [(true, 0.5, Some(Basis::Processor)), (false, 1.0, None)]
        {
            inventory.devices =
                vec![DeviceView { key: "cpu".into(), chosen_by_auto, ..DeviceView::default() }];
            let cost = estimate(&config, &plan, [], &inventory);
            assert!(
                cost.is_some_and(
                    |c| c.basis == basis && (c.seconds / seconds - factor).abs() < 1e-6
                )
            );
        }
    }
}
