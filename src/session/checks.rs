//! Verification of runs, and packing of runs into one file.

use std::path::{Path, PathBuf};

use super::Session;
use crate::problem::Problem;
use crate::run::check_result::{Report, Verdict};
use crate::run::job::{Job, JobWork};
use crate::store::{self, PACKED_ENDING};
use crate::tr;

/// Maximum number of lines of a check in a notice. The job's log has all lines.
const TOLD: usize = 4;

impl Session {
    /// Queues a check of a run or a packed run: its files by their hashes, its predictions from its snapshots, and with
    /// `train` by training it again. The check is a job like a run, because it needs tensors.
    pub fn check(&mut self, place: PathBuf, train: bool) {
        let name = match self.row(&place) {
            Some(row) => row.title(),
            None => store::run_name(&place),
        };
        let title = match train {
            true => tr!("story-retraining-run", name = name),
            false => tr!("story-check-of-run", name = name),
        };
        self.queue(Job::new(JobWork::Check { run: place, train }, title));
    }

    /// Reports the result of a check.
    pub(super) fn notify_check_result(&mut self, report: &Report) {
        let (what, lines) = (report.sentence(), report.lines());
        let list: Vec<String> = lines
            .iter()
            .take(TOLD)
            .map(|(_, line)| line.clone())
            .collect();
        let told = Problem::new(what).advise(list.join("; "));
        self.notify(told, report.verdict() == Verdict::Differs);
    }

    /// Opens the dialog that asks where to pack a run.
    pub fn pick_pack(&mut self, run: PathBuf) {
        self.tickets += 1;
        self.compare.to_pack = run;
        self.pick(super::chooser::DialogPurpose::Pack(self.tickets));
    }

    /// Returns the default name of the packed file.
    pub(super) fn pack_name(&self) -> String {
        format!("{}{PACKED_ENDING}", store::run_name(&self.compare.to_pack))
    }

    /// Packs the run of the dialog into this file.
    pub fn pack(&mut self, to: &Path) {
        let run = std::mem::take(&mut self.compare.to_pack);
        let name = to.display().to_string();
        let name = name.strip_suffix(".zip").unwrap_or(&name);
        let name = name.strip_suffix(".laerun").unwrap_or(name);
        let to = PathBuf::from(format!("{name}{PACKED_ENDING}"));
        let path = to.clone();
        self.task_or_notify(
            move |_| store::pack(&run, &path),
            move |session, packed| {
                let told = Problem::new(tr!("story-run-packed")).at_path(&to);
                let told = match packed.left_pictures {
                    true => told.advise(tr!("story-run-packed-advice")),
                    false => told,
                };
                session.notify(told, false);
            },
        );
    }
}
