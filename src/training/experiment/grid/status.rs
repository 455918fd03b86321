//! The state of a grid as a front end shows it: its cells as plain data, and the remaining time.

use std::collections::HashMap;
use std::time::Instant;

use super::plan::{CellState, GridPlan};
use super::work::CellEnd;
use crate::problem::Result;
use crate::run::grid::{CellStanding, GridLine, GridStanding};

impl GridPlan {
    /// Returns all cells with their states and costs.
    pub fn standing(&self) -> GridStanding {
        let mut titles: HashMap<usize, &str> = HashMap::new();
        for row in &self.cells.rows {
            for cell in &row.cells {
                titles.entry(*cell).or_insert(&row.title);
            }
        }
        let lines = self.cells.cells.iter().enumerate();
        let lines = lines.map(|(number, cell)| GridLine {
            row: titles.get(&number).copied().unwrap_or_default().to_string(),
            order: cell.config.order.clone(),
            seed: cell.config.seed,
            seconds: self.costs(&[number]).seconds,
            standing: self.standing_of(number),
        });
        let all: Vec<usize> = (0..self.cells.cells.len()).collect();
        let costs = self.costs(&all);
        let grid = &self.cells.grid;
        GridStanding {
            title: match grid.title.as_str() {
                "" => grid.name.clone(),
                title => title.to_string(),
            },
            about: grid.about.clone(),
            lines: lines.collect(),
            rows: self.cells.rows.len(),
            measured: costs.measured,
            memory: costs.memory_bytes,
            disk: costs.disk_bytes,
        }
    }

    /// Returns the state of a cell as plain data.
    pub fn standing_of(&self, cell: usize) -> CellStanding {
        match self.state(cell) {
            CellState::Done(folder) => CellStanding::Done(folder),
            CellState::Stopped { saved, tasks, .. } => CellStanding::Stopped { saved, tasks },
            CellState::RunningElsewhere => CellStanding::Elsewhere,
            CellState::ToDo => CellStanding::ToDo,
            CellState::Refused(problem) => CellStanding::Refused(problem),
        }
    }
}

/// Estimates the remaining time of a grid: the estimated time of the remaining cells, scaled by the ratio of real to
/// estimated time of the finished ones.
#[derive(Debug)]
pub struct Pace {
    began: Instant,
    /// Estimated seconds of each remaining cell, without what is already done.
    left: HashMap<usize, f64>,
    /// Estimated seconds of the cells that have run; `took` is the real time.
    thought: f64,
    took: f64,
}

impl Pace {
    /// Returns the pace of these cells before the first one begins.
    pub fn of(plan: &GridPlan, cells: &[usize]) -> Self {
        let left = cells.iter();
        Self {
            began: Instant::now(),
            left: left
                .map(|cell| (*cell, plan.costs(&[*cell]).seconds))
                .collect(),
            thought: 0.0,
            took: 0.0,
        }
    }

    /// Starts timing a cell.
    pub fn begins(&mut self) {
        self.began = Instant::now();
    }

    /// Records the end of a cell.
    pub fn ended(&mut self, cell: usize, end: &Result<CellEnd>) {
        // Another program may stop before it finishes the cell.
        let is_elsewhere = matches!(end, Ok(CellEnd::Elsewhere));
        let left = (!is_elsewhere).then(|| self.left.remove(&cell)).flatten();
        if matches!(end, Ok(CellEnd::Finished)) {
            self.thought += left.unwrap_or_default();
            self.took += self.began.elapsed().as_secs_f64();
        }
    }

    /// Returns the remaining seconds; the current cell counts in full.
    pub fn left(&self) -> f64 {
        let pace = match self.thought > 0.0 {
            true => self.took / self.thought,
            false => 1.0,
        };
        self.left.values().sum::<f64>() * pace
    }
}
