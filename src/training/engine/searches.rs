//! A search among the rows of a grid: rounds of runs, each like a grid, and the chosen rows.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::cells::{CellSink, preparing};
use super::sink::JobSink;
use crate::experiment::ResourceCache;
use crate::experiment::grid::Cells;
use crate::experiment::grid::search::Search;
use crate::message;
use crate::problem::Result;
use crate::run::event::{Control, Event, Sink};
use crate::run::job::SearchBy;
use crate::run::search_result::SearchResult;
use crate::{files, store};

/// Share of each class's training images that is held out, if a row gives none.
const SHARE: f64 = 0.2;

/// Runs a search; returns the event that ends the job.
pub(super) fn run_search(
    cells: Cells,
    by: SearchBy,
    runs_root: &Path,
    cache: &ResourceCache,
    (sink, control): (&mut JobSink<'_>, &Control),
) -> Result<Event> {
    let run = String::new;
    let name = cells.grid.name.clone();
    sink.event(preparing(message!("doing-counting-candidates")));
    let search = Search::new(cells, (by, SHARE), None, cache, control)?;
    let verdicts = search.run(runs_root, cache, control, |plan, order, round| {
        let mut standing = plan.standing();
        standing.title += &format!(" · round {} of {}", round + 1, search.rounds());
        sink.event(Event::Grid(Box::new(standing)));
        let mut cells = CellSink::new(plan, order, sink);
        plan.run(order, &mut cells)
    })?;
    let Some(verdicts) = verdicts else {
        return Ok(Event::Stopped { run: run() });
    };
    let searched = SearchResult {
        contests: search.ends(&verdicts),
        file: save_chosen(runs_root, &name, &search.file_of(&verdicts)?)?,
    };
    sink.event(Event::Searched(Box::new(searched)));
    Ok(Event::Finished { run: run() })
}

/// Writes the grid of the rows chosen in a search of the grid `name` to the folder of runs. Does not overwrite the
/// file of another search.
fn save_chosen(runs_root: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let numbered = (2..).map(|number| format!("{name}-best-{number}.toml"));
    let names = std::iter::once(format!("{name}-best.toml")).chain(numbered);
    let mut files = names.map(|name| runs_root.join(name));
    let is_free = |file: &PathBuf| match files::read_text(file, files::TEXT) {
        Ok(known) => known == text,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    // The disk is full before the numbers run out.
    let file = files.find(is_free).unwrap_or_default();
    store::write_file(&file, text.as_bytes())?;
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_search_chose_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let save = |text: &str| {
            let file = save_chosen(root.path(), "rates", text).unwrap();
            file.file_name().unwrap().to_str().unwrap().to_string()
        };
        assert_eq!(save("a"), "rates-best.toml");
        assert_eq!(save("b"), "rates-best-2.toml");
        assert_eq!(save("c"), "rates-best-3.toml");
        // The same search, repeated, gives the same file.
        assert_eq!(save("b"), "rates-best-2.toml");
        for (name, text) in [("rates-best.toml", "a"), ("rates-best-2.toml", "b")] {
            assert_eq!(
                std::fs::read_to_string(root.path().join(name)).unwrap(),
                text
            );
        }
    }
}
