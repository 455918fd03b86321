//! Grid files and the cells they expand to.

use std::path::Path;

use lae_studio::experiment::grid::{Cells, Overrides, shipped};
use lae_studio::run::grid::Grid;

use super::bytes::Dice;
use super::{Case, Target, fuzz, single_file_case};

struct Grids;

impl Target for Grids {
    const NAME: &'static str = "grids";

    fn valid_cases(&self) -> Vec<Case> {
        let all = shipped().iter();
        all.map(|grid| single_file_case("grid.toml", grid.text)).collect()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"[[part]]\n",
            b"[settings]\n",
            b"settings.ema = ",
            b"rows = [",
            b"{ title = \"a\", ",
            b"orders = ",
            b"seeds = ",
            b"preset = \"letters\"\n",
            b"method = [\"lae\", \"l2p\"]\n",
            b"pet_size = [1, 2, 3, 4, 5]\n",
            b"1000",
            b"crop_scale = [[0.5, 1.0], [0.1, 0.2]]\n",
            b"blocks = \"0,1,2\"\n",
            b"9223372036854775807",
            b"nan",
            b"true",
            b"\"\"",
            b"[",
            b"]",
            b"{",
            b"}",
            b",",
            b"=",
            b"\n",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let bytes = std::fs::read(folder.join("grid.toml")).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let Ok(grid) = Grid::parse("grid", &text, "grid.toml") else {
            return false;
        };
        let runs = grid.parts.iter();
        let runs: u64 = runs.map(|part| part.row_count() as u64 * part.repetitions()).sum();
        if runs > 200 {
            return true;
        }
        let rows = grid.row_count();
        let cells = Cells::from_grid(grid, folder, &Overrides::default());
        cells.is_ok_and(|cells| {
            assert!(cells.rows.len() == rows && cells.cells.len() as u64 <= runs);
            let mut shared = cells.rows.iter().flat_map(|row| &row.cells);
            assert!(shared.all(|cell| *cell < cells.cells.len()));
            true
        })
    }
}

#[test]
fn fuzz_grids() {
    fuzz(Grids);
}
