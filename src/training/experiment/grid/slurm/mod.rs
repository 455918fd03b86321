//! A grid as a Slurm job array: each task of the array runs one cell with this program, on a node that shares the
//! folder of runs. Locks and keys are those of every grid, so a restarted task resumes after its last epoch, and
//! finished cells are not repeated.
//!
//! Each submission is recorded in its own folder in `.slurm` next to the runs, with the grid's file and the plugins at
//! that time. The state of a task comes from `squeue`, else from `sacct` if the cluster keeps accounts, else from the
//! files that the task left there.

mod commands;
mod script;
mod status;
mod submission;

pub use commands::is_installed;
pub use script::TEMPLATE;
pub use status::{ClusterGrid, SlurmTask, TaskState, group_failures, poll_grids};
pub use submission::{SubmitOptions, cancel_cells, cancel_submission, submit};
