//! A grid as a job array of Slurm: each task of the array is one cell, done by this program on a node that shares the
//! folder of the runs. Locks and keys are those of every grid, so a task that is begun again goes on after its last
//! epoch, and none does what is there.
//!
//! What was submitted is noted in a folder of its own below `.slurm` beside the runs, with the grid's file and the plugins
//! as they were then. How the tasks stand is asked of `squeue`, of `sacct` where it keeps books, and else told from what
//! they left there.

mod cluster;
mod note;
mod script;
mod submission;
mod task_state;
mod watch;

pub use cluster::{Cluster, explained, is_here};
pub use script::TEMPLATE;
pub use submission::{Given, Submitted, cancel, submit, told};
pub use task_state::{Standing, TaskState};
pub use watch::{FailedTasks, OnCluster, cancel_submission, watch};
