//! A teacher's own lessons: their folder, and a template for new ones.

use std::path::{Path, PathBuf};

use super::library::own_folder;
use crate::message;
use crate::problem::{Problem, Result};
use crate::session::Session;
use crate::texts::Language;

/// The name of the first file created from the template. The names of further files have a number.
const NAME: &str = "my-lesson";
/// Maximum number of files with this name.
const MOST: usize = 99;

impl Session {
    /// Creates a lesson from the template in the folder of the teacher's lessons, shows the file in the file manager,
    /// and reads the lessons again.
    pub fn write_unit(&mut self) {
        let language = Language::spoken();
        self.task_or_notify(
            move |sources| {
                let path = new_unit(&folder()?, language)?;
                // The file is created even if the file manager cannot show it.
                let shown = sources.disk().reveal(&path);
                Ok((path, shown))
            },
            |session, (path, shown)| {
                let told = Problem::new(message!("lesson-created")).at_path(&path);
                session.notify(told.advise(message!("lesson-created-advice")), false);
                if let Err(problem) = shown {
                    session.notify(problem, true);
                }
                session.read_units();
            },
        );
    }

    /// Shows the folder of the teacher's lessons in the file manager.
    pub fn show_units(&mut self) {
        self.task_or_notify(
            |sources| sources.disk().reveal(&folder()?.join(NAME)),
            |session, folder| session.notify_revealed(&folder),
        );
    }
}

/// Returns the folder of the teacher's lessons and creates it if needed.
fn folder() -> Result<PathBuf> {
    let folder = own_folder().ok_or_else(|| {
        Problem::new(message!("lesson-no-data-folder"))
            .advise(message!("lesson-no-data-folder-advice"))
    })?;
    std::fs::create_dir_all(&folder)
        .map_err(|error| Problem::io("create the folder of lessons", &folder, &error))?;
    Ok(folder)
}

/// Writes the template in this language to a new file of this folder. No file is overwritten.
///
/// # Errors
/// Returns a Problem if the file cannot be written or all names are taken.
fn new_unit(folder: &Path, language: Language) -> Result<PathBuf> {
    let text = match language {
        Language::English => include_str!("../../../assets/lessons/template.en.md"),
        Language::German => include_str!("../../../assets/lessons/template.de.md"),
    };
    for nth in 1..=MOST {
        let name = match nth {
            1 => NAME.to_string(),
            nth => format!("{NAME}-{nth}"),
        };
        let path = folder.join(format!("{name}.md"));
        match std::fs::File::create_new(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Problem::io("write the lesson", &path, &error)),
            Ok(mut file) => {
                let written = std::io::Write::write_all(&mut file, text.as_bytes());
                return written
                    .map(|()| path.clone())
                    .map_err(|error| Problem::io("write the lesson", &path, &error));
            }
        }
    }
    Err(Problem::new(message!("lesson-names-taken"))
        .at_path(folder)
        .advise(message!("lesson-names-taken-advice")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Unit;
    use super::*;

    #[test]
    fn a_template_is_a_sound_lesson_in_every_language_and_writes_over_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut seen = Vec::new();
        for (language, _) in Language::ALL {
            let path = new_unit(folder.path(), language).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let unit = Unit::read("mine", language, &text, "mine").unwrap();
            assert_eq!(unit.plans().count(), 2);
            assert!(!seen.contains(&path));
            seen.push(path);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
