//! A grid at work: its cells are runs, each known by its key, so that none is run twice.
//!
//! [`Cells`] are the settings that a grid's file comes to. A [`GridPlan`] knows of each cell the key that its run will
//! have, whether there is such a run, and what it will cost; it runs what is not there yet and has the figures of what is.

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
