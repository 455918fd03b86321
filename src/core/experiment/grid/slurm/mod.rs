//! A grid as a job array of Slurm: each task of the array is one cell, done by this program on a node that shares the
//! folder of the runs. Locks and keys are those of every grid, so a task that is begun again goes on after its last
//! epoch, and none does what is there.
//!
//! What was submitted is noted in a folder of its own below `.slurm` beside the runs, with the grid's file and the plugins
//! as they were then. The state of the tasks is what `squeue` says, else `sacct` where the cluster keeps accounts, else
//! what they left there.

mod commands;
mod note;
mod script;
mod standing;
mod submission;

pub use commands::{Cluster, is_here};
pub use script::TEMPLATE;
pub use standing::{OnCluster, Standing, TaskState, failures, watch};
pub use submission::{Given, cancel, cancel_submission, submit};
