//! Packed runs that are dropped on the window. They are unpacked into the folder of runs.

use std::path::PathBuf;

use super::Session;
use crate::problem::Problem;
use crate::store::{self, Unpacked};
use crate::tr;

impl Session {
    /// Unpacks packed runs into the default folder, one after the other, so that each finds the runs unpacked before
    /// it.
    pub fn unpack_runs(&mut self, files: Vec<PathBuf>) {
        self.task_or_notify(
            move |sources| {
                let root = &sources.disk().runs_root;
                let unpacked = files.iter().map(|file| store::unpack(file, root));
                Ok(unpacked.collect::<Vec<_>>())
            },
            |session, unpacked| {
                for one in unpacked {
                    match one {
                        Ok(unpacked) => session.notify(told(&unpacked), false),
                        Err(problem) => session.notify(problem, true),
                    }
                }
                session.list_runs();
            },
        );
    }
}

fn told(unpacked: &Unpacked) -> Problem {
    let name = store::run_name(&unpacked.folder);
    let told = Problem::new(tr!("story-run-unpacked", name = name));
    match &unpacked.repeats {
        Some(other) => told.advise(tr!("story-reproduces-run", name = other.as_str())),
        None => told,
    }
}
