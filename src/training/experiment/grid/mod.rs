//! Runs grids: the cells of a grid are runs, each identified by its key, so that none is run twice.
//!
//! [`Cells`] are the settings that result from a grid file. A [`GridPlan`] has for each cell the key of its run,
//! whether the run exists, and its estimated cost; it executes the missing runs and has the results of the existing
//! ones.

mod built_in;
mod cells;
mod forecast;
mod plan;
mod run_cells;
pub mod search;
pub mod slurm;

pub use built_in::{ShippedGrid, find, shipped};
pub use cells::{Cell, Cells, GridRow, Overrides, collect_grid_attachments, value_of};
pub use forecast::CellForecast;
pub use plan::{GridCosts, GridPlan, RowSummary};
pub use run_cells::{GridEnd, GridSink, Pace};
