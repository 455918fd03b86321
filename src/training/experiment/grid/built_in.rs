//! The grids that are included in the program: the tables of the paper and a comparison of all PETs, each for the
//! real data and as a demo on embedded data. Also finds a grid by name or path.

use std::path::Path;

use crate::files;
use crate::message;
use crate::names::{truncated_name, with_suggestion};
use crate::problem::{Problem, Result};
use crate::run::grid::Grid;

/// A grid that is included in the program.
#[derive(Clone, Copy, Debug)]
pub struct ShippedGrid {
    /// Its name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

/// Includes the grid files of these names and their demos.
macro_rules! grids {
    ($($name:literal),+ $(,)?) => {
        /// All included grids; each demo follows its full version.
        static SHIPPED: &[ShippedGrid] = &[$(
            ShippedGrid {
                name: $name,
                text: include_str!(concat!("../../../../assets/grids/", $name, ".toml")),
            },
            ShippedGrid {
                name: concat!($name, "-demo"),
                text: include_str!(concat!("../../../../assets/grids/", $name, "-demo.toml")),
            },
        )+];
    };
}

grids![
    "cifar100-10",
    "imagenet-r-10",
    "cifar100-20",
    "imagenet-r-20",
    "switches",
    "prefix-calibration",
    "swin",
    "convnext",
    "coda-prompt",
    "alpha",
    "parameters",
    "e-prompts",
    "pets",
];

/// Returns the included grids in the order in which they are listed.
pub fn shipped() -> &'static [ShippedGrid] {
    SHIPPED
}

impl ShippedGrid {
    /// Parses the grid.
    ///
    /// # Errors
    /// None in practice: a test parses all included grids.
    pub fn read(&self) -> Result<Grid> {
        Grid::parse(self.name, self.text, &format!("the grid {}", self.name))
    }
}

/// Returns the grid in a file, or the included grid of this name, and its text.
///
/// # Errors
/// Returns a Problem if neither exists, or the file is invalid.
pub fn find(wanted: &str) -> Result<(Grid, String)> {
    if let Some(grid) = shipped().iter().find(|grid| grid.name == wanted) {
        return Ok((grid.read()?, grid.text.to_string()));
    }
    let path = Path::new(wanted);
    let is_file = path.extension().is_some_and(|ending| ending == "toml") || path.is_file();
    if !is_file {
        let what = message!("problem-grid-not-found", wanted = truncated_name(wanted).to_string());
        let names = shipped().iter().map(|grid| grid.name);
        let problem = with_suggestion(Problem::new(what), wanted, names);
        let joint = if problem.remedy.ends_with('?') { " Or" } else { "; or" };
        let path = "give the path of a file that ends in .toml";
        let remedy = format!("{}{joint} {path}", problem.remedy);
        return Err(problem.advise(remedy));
    }
    let text = files::read_text(path, files::TEXT)
        .map_err(|error| Problem::io("read the grid", path, &error))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let grid = Grid::parse(&name, &text, &path.display().to_string())?;
    Ok((grid, text))
}
