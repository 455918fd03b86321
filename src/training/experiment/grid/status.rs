//! What a front end shows of a grid: its cells as plain lines, what they are called, and the time that is left.

use std::collections::HashMap;
use std::time::Instant;

use super::plan::{CellState, GridPlan};
use super::work::CellEnd;
use crate::problem::Result;
use crate::run::grid::{CellStanding, GridLine, GridStanding};

impl GridPlan {
    /// All cells with their states.
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

    /// The state of a cell, as plain data.
    pub fn standing_of(&self, cell: usize) -> CellStanding {
        match self.state(cell) {
            CellState::Done(folder) => CellStanding::Done(folder),
            CellState::Stopped { saved, tasks, .. } => CellStanding::Stopped { saved, tasks },
            CellState::Elsewhere => CellStanding::Elsewhere,
            CellState::ToDo => CellStanding::ToDo,
            CellState::Refused(problem) => CellStanding::Refused(problem),
        }
    }
}

/// How long a grid will still take: what its cells are thought to take, as much slower or faster as those were that
/// were run.
#[derive(Debug)]
pub struct Pace {
    began: Instant,
    /// Seconds that each cell left is thought to take, as far as it is not there.
    left: HashMap<usize, f64>,
    /// The same of those that were run, and what they took.
    thought: f64,
    took: f64,
}

impl Pace {
    /// That of these cells, of which none has begun.
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

    /// A cell begins.
    pub fn begins(&mut self) {
        self.began = Instant::now();
    }

    /// A cell has ended so.
    pub fn ended(&mut self, cell: usize, end: &Result<CellEnd>) {
        // Who else is at work on it may not end it.
        let is_elsewhere = matches!(end, Ok(CellEnd::Elsewhere));
        let left = (!is_elsewhere).then(|| self.left.remove(&cell)).flatten();
        if matches!(end, Ok(CellEnd::Finished)) {
            self.thought += left.unwrap_or_default();
            self.took += self.began.elapsed().as_secs_f64();
        }
    }

    /// Seconds left, the cell at work with all that it is thought to take.
    pub fn left(&self) -> f64 {
        let pace = match self.thought > 0.0 {
            true => self.took / self.thought,
            false => 1.0,
        };
        self.left.values().sum::<f64>() * pace
    }
}
