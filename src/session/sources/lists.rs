//! What there is to choose from: devices, stored runs.

use std::path::Path;

use crate::method::lae;
use crate::metrics::Histories;
use crate::run::event::TaskReport;
use crate::session::views::{DeviceView, RunRow, RunState};
use crate::store::{Figures, Kin};
use crate::{device, store};

/// The devices of this machine.
pub(super) fn devices() -> Vec<DeviceView> {
    let auto = device::choose("auto").map(|info| info.index).ok();
    device::list()
        .iter()
        .map(|info| DeviceView {
            key: if info.is_cpu() {
                "cpu".into()
            } else {
                info.selector()
            },
            title: if info.is_cpu() {
                format!("CPU · {}", info.name)
            } else {
                format!("GPU · {}", info.name)
            },
            kind: format!("{}, {}", info.kind.title(), info.api.title()),
            chosen_by_auto: Some(info.index) == auto,
        })
        .collect()
}

/// The stored runs.
pub(super) fn runs(root: &Path) -> Vec<RunRow> {
    store::list(root).into_iter().map(run_row).collect()
}

fn run_row(listed: store::Listed) -> RunRow {
    let mut row = RunRow {
        name: listed.run,
        folder: listed.folder,
        header: None,
        state: RunState::Finished,
        plugin: String::new(),
        kin: None,
        figures: Figures::default(),
        history: Default::default(),
        images_per_second: 0.0,
        drift: Vec::new(),
        apart: Vec::new(),
        costs: Default::default(),
    };
    match listed.stored {
        Err(problem) => row.state = RunState::Damaged(problem),
        Ok(run) => {
            row.kin = Kin::of(&run);
            row.figures = store::summary(&run).figures;
            row.history = histories(&run);
            row.costs = run.costs();
            row.images_per_second = run.images_per_second();
            row.drift = run.reports.iter().filter_map(lae::drift_of).collect();
            row.apart = run.reports.iter().map(TaskReport::apart).collect();
            row.state = match run.state {
                store::RunState::Finished => RunState::Finished,
                store::RunState::Interrupted { task, .. } => RunState::Unfinished(task),
                store::RunState::Running => RunState::Busy,
            };
            row.header = Some(run.header);
            row.plugin = run.plugin;
        }
    }
    row
}

fn histories(run: &store::StoredRun) -> Histories {
    let mut histories = Histories::default();
    for report in &run.reports {
        histories.push(&report.answers, &run.header.tasks[..=report.task]);
    }
    histories
}
