//! The user's answer whether the classes of a dataset are learned in stages or all at once, stored beside the runs in
//! `stages/NAME-HASH.toml`, one file per dataset. The dataset itself is never changed.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::corrected::{file_of, origin};
use super::write_file;
use crate::error_problem;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};

/// Folder of the answers.
const FOLDER: &str = "stages";

/// The content of an answer's file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The dataset, for readers of the file.
    data: String,
    all_at_once: bool,
}

/// Returns whether the classes of the dataset at `place` are learned all at once; `None` if the user has not answered.
///
/// # Errors
/// Returns a Problem if the file exists but cannot be read.
pub fn all_at_once(root: &Path, place: &str) -> Result<Option<bool>> {
    let path = file_of(&root.join(FOLDER), place);
    if !path.exists() {
        return Ok(None);
    }
    let text = files::read_text(&path, files::TEXT)
        .map_err(|error| Problem::io("read how classes are learned", &path, &error))?;
    let written: Written = toml::from_str(&text).map_err(|error| {
        Problem::new(message!(
            "problem-arrival-file-invalid",
            message = error.message().to_string()
        ))
        .at_path(&path)
        .advise(message!("advice-move-file-and-answer"))
    })?;
    Ok(Some(written.all_at_once))
}

/// Saves the answer for the dataset at `place`.
///
/// # Errors
/// Returns a Problem if it cannot be written.
pub fn save_all_at_once(root: &Path, place: &str, all_at_once: bool) -> Result<()> {
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of these answers", &folder, &error))?;
    let written = Written {
        data: origin(place),
        all_at_once,
    };
    let text = toml::to_string_pretty(&written)
        .map_err(|error| error_problem("problem-answer-unwritten", error))?;
    write_file(&file_of(&folder, place), text.as_bytes()).map(drop)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_its_data_set_alone_and_can_be_changed() {
        let root = tempfile::tempdir().unwrap();
        let of = |place: &str| all_at_once(root.path(), place).unwrap();
        assert_eq!(of("/birds"), None);
        save_all_at_once(root.path(), "/birds", true).unwrap();
        assert_eq!((of("/birds"), of("/other/birds")), (Some(true), None));
        save_all_at_once(root.path(), "/birds", false).unwrap();
        assert_eq!(of("/birds"), Some(false));
        let path = file_of(&root.path().join(FOLDER), "/birds");
        std::fs::write(path, "?").unwrap();
        let problem = all_at_once(root.path(), "/birds").unwrap_err();
        assert!(problem.is("problem-arrival-file-invalid"), "{problem}");
    }
}
