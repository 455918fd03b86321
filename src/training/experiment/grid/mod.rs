//! Runs grids: the cells of a grid are runs, each identified by its key, so that none is run twice.
//!
//! [`Cells`] are the settings that result from a grid file. A [`GridPlan`] has for each cell the key of its run,
//! whether the run exists, and its estimated cost; it executes the missing runs and has the results of the existing
//! ones.

mod along;
mod cells;
mod foresight;
mod plan;
pub mod search;
mod shipped;
pub mod slurm;
mod standing;
mod work;
mod written;

pub use along::take_grid_along;
pub use cells::{Cell, Cells, GridRow, Overrides};
pub use foresight::Foreseen;
pub use plan::{CellState, GridCosts, GridPlan, RowFigures};
pub use shipped::{ShippedGrid, find, shipped};
pub use standing::Pace;
pub use work::{CellEnd, GridEnd, GridSink};
