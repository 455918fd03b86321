//! Packed runs of others: dropped on the window they become runs among the others.

use std::path::PathBuf;

use super::Session;
use crate::problem::Problem;
use crate::store;

impl Session {
    /// Unpacks a packed run among the runs of the usual folder.
    pub fn unpack_run(&mut self, file: PathBuf) {
        self.task_or_tell(
            move |sources| sources.unpack(&file),
            |session, unpacked| {
                let name = store::run_name(&unpacked.folder);
                let told = Problem::new(format!("{name} is among the runs"));
                let told = match unpacked.repeats {
                    Some(other) => told.advise(format!("it repeats {other}")),
                    None => told,
                };
                session.notify(told, false);
                session.list_runs();
            },
        );
    }
}
