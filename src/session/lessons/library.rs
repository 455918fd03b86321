//! The sources of lessons: the built-in lessons, and a teacher's own lessons in the folder `lessons` of the program's data.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Lesson;
use crate::message;
use crate::problem::{Problem, Result, list_value};
use crate::session::Session;
use crate::texts::Language;
use crate::{files, folders};

/// The folder of a teacher's lessons within the program's data.
const FOLDER: &str = "lessons";
/// Maximum size of a lesson in bytes.
const MAX_SIZE: u64 = 256 << 10;
/// Maximum number of files read from the folder.
const MAX_FILES: usize = 200;
/// The name of the first file created from the template. The names of further files have a number.
const NEW_FILE_NAME: &str = "my-lesson";
/// Maximum number of files created from the template.
const MAX_NEW_FILES: usize = 99;

/// The built-in lessons: name, English text, German text.
const BUILT_IN: [(&str, &str, &str); 4] = [
    (
        "forgetting",
        include_str!("../../../assets/lessons/forgetting.en.md"),
        include_str!("../../../assets/lessons/forgetting.de.md"),
    ),
    (
        "speed",
        include_str!("../../../assets/lessons/speed.en.md"),
        include_str!("../../../assets/lessons/speed.de.md"),
    ),
    (
        "inside-lae",
        include_str!("../../../assets/lessons/inside-lae.en.md"),
        include_str!("../../../assets/lessons/inside-lae.de.md"),
    ),
    (
        "learn-or-remember",
        include_str!("../../../assets/lessons/learn-or-remember.en.md"),
        include_str!("../../../assets/lessons/learn-or-remember.de.md"),
    ),
];

/// A lesson in the list: its content in one language, or why it cannot be read.
#[derive(Clone, Debug)]
pub struct LessonEntry {
    /// The name of its file without language and extension.
    pub name: String,
    /// The language of its file; `None` for a file that serves all languages.
    pub language: Option<Language>,
    /// Whether it is built in.
    pub is_built_in: bool,
    /// The lesson.
    pub lesson: Result<Arc<Lesson>>,
}

/// Reads all lessons: the built-in lessons, then a teacher's own.
pub fn read_entries() -> Vec<LessonEntry> {
    let mut all = Vec::new();
    for (name, english, german) in BUILT_IN {
        for (language, text) in [(Language::English, english), (Language::German, german)] {
            let origin = format!("{name}.{}.md", language.code());
            all.push(LessonEntry {
                name: name.to_string(),
                language: Some(language),
                is_built_in: true,
                lesson: Lesson::parse(name, language, text, &origin).map(Arc::new),
            });
        }
    }
    if let Some(folder) = lessons_folder() {
        all.extend(read_folder(&folder));
    }
    all
}

/// Returns the folder of a teacher's lessons; `None` if the system has no folder for data.
pub fn lessons_folder() -> Option<PathBuf> {
    Some(folders::data()?.join(FOLDER))
}

/// Reads the lessons of a folder; empty if the folder does not exist.
fn read_folder(folder: &Path) -> Vec<LessonEntry> {
    let Ok(list) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = list.take(MAX_FILES).flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    paths.sort();
    // A file that serves all languages is read in the language of the thread.
    let entry = |path: &PathBuf| read_file(path, Language::spoken());
    let mut entries: Vec<LessonEntry> = paths.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.lesson.as_ref().map_or(i64::MAX, |lesson| lesson.order));
    entries
}

/// Reads a file, such as `forgetting.en.md` with the name "forgetting" in English. A file whose name states no language
/// is read in the given one.
fn read_file(path: &Path, default_language: Language) -> LessonEntry {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let parsed = Language::ALL.into_iter().find_map(|(language, _)| {
        let name = stem.strip_suffix(language.code())?.strip_suffix('.')?;
        Some((name.to_string(), Some(language)))
    });
    let (name, language) = parsed.unwrap_or_else(|| (stem.to_string(), None));
    let origin = path.display().to_string();
    let text = files::read_text(path, MAX_SIZE)
        .map_err(|error| Problem::io("read the lesson", path, &error));
    let lesson = text.and_then(|text| {
        let language = language.unwrap_or(default_language);
        let mut lesson = Lesson::parse(&name, language, &text, &origin)?;
        if BUILT_IN.iter().any(|(built_in, ..)| *built_in == name) {
            lesson.key = format!("own/{name}");
        }
        Ok(Arc::new(lesson))
    });
    LessonEntry { name, language, is_built_in: false, lesson }
}

/// Returns one entry for each name, in the given order. It is in this language if available, otherwise in any language.
pub fn entries_in_language(entries: &[LessonEntry], language: Language) -> Vec<&LessonEntry> {
    let mut chosen: Vec<&LessonEntry> = Vec::new();
    let rank = |entry: &LessonEntry| match entry.language {
        Some(spoken) if spoken == language => 0,
        None => 1,
        Some(_) => 2,
    };
    for entry in entries {
        let existing = chosen.iter_mut().find(|existing| {
            (&existing.name, existing.is_built_in) == (&entry.name, entry.is_built_in)
        });
        match existing {
            Some(existing) if rank(entry) < rank(existing) => *existing = entry,
            Some(_) => {}
            None => chosen.push(entry),
        }
    }
    chosen
}

/// Reads the lesson with this name or path, in this language if there is a choice.
///
/// # Errors
/// Returns a Problem if the lesson does not exist, or has an error in a line that the Problem names.
pub fn open(name_or_path: &str, language: Language) -> Result<Arc<Lesson>> {
    let path = Path::new(name_or_path);
    if path.extension().is_some_and(|ending| ending == "md") {
        return read_file(path, language).lesson;
    }
    let entries = read_entries();
    let available = entries_in_language(&entries, language);
    let names: Vec<&str> = available.iter().map(|entry| entry.name.as_str()).collect();
    let entry = available.iter().find(|entry| entry.name == name_or_path);
    let entry = entry.ok_or_else(|| {
        let advice = message!("lesson-not-found-advice", names = list_value(&names, 30));
        Problem::new(message!("lesson-not-found", name = name_or_path)).advise(advice)
    })?;
    entry.lesson.clone()
}

impl Session {
    /// Creates a lesson from the template in the folder of the teacher's lessons, shows the file in the file manager,
    /// and reads the lessons again.
    pub fn create_lesson(&mut self) {
        let language = Language::spoken();
        self.task_or_notify(
            move |sources| {
                let path = create_from_template(&create_lessons_folder()?, language)?;
                // The file is created even if the file manager cannot show it.
                let revealed = sources.disk().reveal(&path);
                Ok((path, revealed))
            },
            |session, (path, revealed)| {
                let problem = Problem::new(message!("lesson-created")).at_path(&path);
                session.notify(problem.advise(message!("lesson-created-advice")), false);
                if let Err(problem) = revealed {
                    session.notify(problem, true);
                }
                session.read_lessons();
            },
        );
    }

    /// Shows the folder of the teacher's lessons in the file manager.
    pub fn reveal_lessons_folder(&mut self) {
        self.task_or_notify(
            |sources| sources.disk().reveal(&create_lessons_folder()?.join(NEW_FILE_NAME)),
            |session, folder| session.notify_revealed(&folder),
        );
    }
}

/// Returns the folder of the teacher's lessons and creates it if needed.
fn create_lessons_folder() -> Result<PathBuf> {
    let folder = lessons_folder().ok_or_else(|| {
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
fn create_from_template(folder: &Path, language: Language) -> Result<PathBuf> {
    let text = match language {
        Language::English => include_str!("../../../assets/lessons/template.en.md"),
        Language::German => include_str!("../../../assets/lessons/template.de.md"),
    };
    for nth in 1..=MAX_NEW_FILES {
        let name = match nth {
            1 => NEW_FILE_NAME.to_string(),
            nth => format!("{NEW_FILE_NAME}-{nth}"),
        };
        let path = folder.join(format!("{name}.md"));
        let created = std::fs::File::create_new(&path);
        match created.and_then(|mut file| file.write_all(text.as_bytes())) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Problem::io("write the lesson", &path, &error)),
            Ok(()) => return Ok(path),
        }
    }
    Err(Problem::new(message!("lesson-names-taken"))
        .at_path(folder)
        .advise(message!("lesson-names-taken-advice")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_lessons_are_valid_and_match_across_languages() {
        let built_in: Vec<LessonEntry> =
            read_entries().into_iter().filter(|entry| entry.is_built_in).collect();
        assert_eq!(built_in.len(), 2 * BUILT_IN.len());
        for pair in built_in.chunks(2) {
            let [english, german] = pair else {
                panic!("half a pair");
            };
            let (english, german) =
                (english.lesson.clone().unwrap(), german.lesson.clone().unwrap());
            assert_eq!(
                (english.order, english.minutes, english.parts.len()),
                (german.order, german.minutes, german.parts.len()),
                "{}",
                english.name
            );
            let configs = |lesson: &Lesson| -> Vec<_> {
                lesson.plans().flat_map(|plan| plan.configs.clone()).collect()
            };
            assert_eq!(configs(&english), configs(&german), "{}", english.name);
            let checks = |lesson: &Lesson| -> Vec<String> {
                let parts = lesson.parts.iter();
                let checks = parts.filter_map(|part| match part {
                    super::super::LessonPart::Expectation(expect) => {
                        Some(expect.formula.text.clone())
                    }
                    _ => None,
                });
                checks.collect()
            };
            assert_eq!(checks(&english), checks(&german), "{}", english.name);
            assert!(!checks(&english).is_empty(), "{}", english.name);
        }
    }

    #[test]
    fn read_folder_lists_lessons_with_problems() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("mine.md", "+++\ntitle = \"Mine\"\nminutes = 3\norder = 9\n+++\nText\n");
        write("speed.md", "+++\ntitle = \"Mine\"\nminutes = 3\norder = 10\n+++\nText\n");
        write("broken.de.md", "no title");
        write("notes.txt", "not a lesson");
        std::fs::create_dir(folder.path().join("folder.md")).unwrap();
        let all = read_folder(folder.path());
        let names: Vec<&str> = all.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["mine", "speed", "broken", "folder"]);
        // A user's lesson and a built-in lesson with the same name have different keys.
        let keys = all[..2].iter().map(|entry| entry.lesson.as_ref().unwrap().key.as_str());
        assert_eq!(keys.collect::<Vec<_>>(), ["mine", "own/speed"]);
        assert_eq!(open("speed", Language::English).unwrap().key, "speed");
        assert_eq!(all[2].language, Some(Language::German));
        let problem = all[2].lesson.as_ref().unwrap_err();
        assert!(problem.place.ends_with("broken.de.md, line 1"), "{problem}");
        assert!(all[3].lesson.is_err());
        assert_eq!(entries_in_language(&all, Language::English).len(), 4);
        assert!(read_folder(&folder.path().join("none")).is_empty());
    }

    #[test]
    fn opens_lesson_in_requested_language() {
        for (language, _) in Language::ALL {
            assert_eq!(open("forgetting", language).unwrap().language, language);
        }
        let problem = open("forgeting", Language::English).unwrap_err();
        assert!(problem.remedy.contains("forgetting"), "{problem}");
    }

    #[test]
    fn templates_are_valid_and_overwrite_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (language, _) in Language::ALL {
            let path = create_from_template(folder.path(), language).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let lesson = Lesson::parse("mine", language, &text, "mine").unwrap();
            assert_eq!(lesson.plans().count(), 2);
            assert!(!paths.contains(&path));
            paths.push(path);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
