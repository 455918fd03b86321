//! A search among the rows of a grid: rounds of runs, each like a grid of its own, and what was chosen.

use std::path::Path;

use super::cells::{CellSink, preparing};
use super::sink::JobSink;
use crate::experiment::Stock;
use crate::experiment::grid::search::{Measured, Search, Verdict};
use crate::experiment::grid::{Cells, GridEnd, GridPlan};
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::event::{Control, Event, Sink};
use crate::run::job::SearchBy;
use crate::run::searched::{ChosenEnd, ContestEnd, Searched};
use crate::store;
use crate::texts::Message;

/// Share of each class's training images that is held back, where a row names none.
const SHARE: f64 = 0.2;

/// Searches; gives how the job ended.
pub(super) fn run_search(
    cells: Cells,
    by: SearchBy,
    runs_root: &Path,
    stock: &Stock,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let run = String::new;
    let name = cells.grid.name.clone();
    sink.event(preparing(message!("doing-counting")));
    let search = Search::new(cells, (by, SHARE), None, stock, control)?;
    let (mut left, mut measured) = (search.begin(), Measured::new());
    for round in 0..search.rounds() {
        let (cells, numbers) = search.round(round, &left);
        let mut tell = |what: Message| {
            sink.event(preparing(what));
            sink.between_batches();
        };
        let plan = GridPlan::make(cells, runs_root, true, stock, control, &mut tell);
        let Some(mut plan) = plan else {
            return Ok(Event::Stopped { run: run() });
        };
        let mut standing = plan.standing();
        standing.title += &format!(" · round {} of {}", round + 1, search.rounds());
        sink.event(Event::Grid(Box::new(standing)));
        let order = plan.in_order();
        let mut cells = CellSink::new(&plan, &order, sink);
        if let GridEnd::Stopped(_) = plan.run(&order, &mut cells) {
            return Ok(Event::Stopped { run: run() });
        }
        measured.extend(numbers.into_iter().zip(plan.rows(&order)));
        search.keep(round, &mut left, &measured);
    }
    let verdicts: Vec<Option<Verdict>> = left
        .iter()
        .map(|rows| search.verdict(rows, &measured))
        .collect();
    let winners = search.contests.iter().zip(&verdicts);
    let winners: Vec<(String, usize)> = winners
        .filter_map(|(contest, verdict)| Some((contest.title.clone(), verdict.as_ref()?.row)))
        .collect();
    if winners.is_empty() {
        return Err(
            Problem::new(message!("problem-no-run-of-this-search-could"))
                .advise(message!("try-lines-of-its-runs-say-what")),
        );
    }
    let file = runs_root.join(format!("{name}-best.toml"));
    store::write_file(&file, search.file_of(&winners)?.as_bytes())?;
    let contests = search.contests.iter().zip(&verdicts);
    let contests = contests.map(|(contest, verdict)| ContestEnd {
        title: contest.title.clone(),
        tried: contest.rows.len(),
        chosen: verdict.as_ref().map(|verdict| chosen(&search, verdict)),
    });
    let searched = Searched {
        contests: contests.collect(),
        file,
    };
    sink.event(Event::Searched(Box::new(searched)));
    Ok(Event::Finished { run: run() })
}

fn chosen(search: &Search, verdict: &Verdict) -> ChosenEnd {
    let title = |row: usize| search.title(row).to_string();
    let second = verdict.second.as_ref();
    ChosenEnd {
        title: title(verdict.row),
        mean: verdict.mean,
        second: second.map(|second| (title(second.row), second.difference)),
        level: verdict.level.iter().map(|row| title(*row)).collect(),
    }
}
