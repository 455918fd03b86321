//! Collects what the runs of a grid need from this computer, for a program on another computer that will train them.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::cells::{Cells, Overrides};
use crate::experiment::{RunAttachments, collect_attachments};
use crate::problem::Result;
use crate::run::grid::Grid;
use crate::run::job::GridWork;

/// Returns what the runs of a grid, whose runs are in `root`, need from this computer, and makes the dataset paths of
/// `work` absolute. Skips runs whose needs cannot be met here; the other computer reports the reason.
///
/// # Errors
/// Returns a Problem for a file that is not a grid.
pub fn collect_grid_attachments(
    work: &mut GridWork,
    root: &Path,
    data: &BTreeMap<String, String>,
) -> Result<RunAttachments> {
    let grid = Grid::read(&work.name, &work.text, &format!("the grid {}", work.name))?;
    let overrides = Overrides {
        data: work.data.clone(),
        ..Overrides::default()
    };
    let cells = Cells::of(grid, root, &overrides)?.only(&work.cells);
    let (mut all, mut known) = (RunAttachments::default(), HashSet::new());
    for cell in cells.cells {
        let mut config = cell.config;
        let called = config.data.clone();
        let (weights, start) = (config.backbone.clone(), config.pet_start.clone());
        let needs = [&called, &weights, &config.pet, &config.method].map(String::clone);
        if !known.insert((needs, start.clone())) {
            continue;
        }
        let Ok(mut attachments) = collect_attachments(&mut config, data) else {
            continue;
        };
        // The other computer reads the grid's text again, with the names that it uses here.
        rename(&mut attachments.weights, &config.backbone, weights);
        if let (Some(whole), Some(start)) = (&config.pet_start, start) {
            rename(&mut attachments.starts, whole, start);
        }
        all.add(attachments);
        if config.data != called {
            call(&mut work.data, called, &config.data);
        }
        all.own.corrected.insert(config.data, config.corrected);
    }
    Ok(all)
}

fn rename(files: &mut BTreeMap<String, PathBuf>, from: &str, to: String) {
    if let Some(file) = files.remove(from) {
        files.insert(to, file);
    }
}

/// Sets the path of the dataset that the grid calls `called`.
fn call(data: &mut Vec<(String, String)>, called: String, path: &str) {
    let mut given = data
        .iter_mut()
        .filter(|(_, place)| *place == called)
        .peekable();
    if given.peek().is_none() {
        return data.push((called, path.to_string()));
    }
    given.for_each(|(_, place)| *place = path.to_string());
}
