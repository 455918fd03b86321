//! Lessons of the page Learn, added tasks in a run's folder, and the notes on a run.

use std::path::Path;

use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::fetch::hex;
use lae_studio::method::METHODS;
use lae_studio::metrics::Histories;
use lae_studio::run::annotations::Annotations;
use lae_studio::run::event::{Control, RunHeader, TaskReport};
use lae_studio::session::lessons::{
    Figures, GivenAnswer, Lesson, LessonPart, RunFigures, open, plain_text,
};
use lae_studio::store::{self, StoredRun};
use lae_studio::texts::Language;
use sha2::{Digest, Sha256};

use super::bytes::Dice;
use super::{Case, Target, file_names, fuzz, read_case, single_file_case};
use crate::store::{header, report};

/// A lesson that a teacher wrote.
struct LessonFiles {
    /// Results used for the runs of any lesson.
    trained: RunFigures,
}

const UNIT_WORDS: &[&[u8]] = &[
    b"+++\n",
    b"```run\n",
    b"```figure\n",
    b"```ask\n",
    b"```expect\n",
    b"```teach\n",
    b"```text\n",
    b"```\n",
    b"[[runs]]\n",
    b"name = \"a\"\n",
    b"name = \"\"\n",
    b"text = \"\"\n",
    b"text = \"{x: 1} *a*\"\n",
    b"orders = [\"natural\", \"seed:1\"]\n",
    b"runs = [\"a\", \"a\"]\n",
    b"kind = \"curves\"\n",
    b"kind = \"matrix\"\n",
    b"kind = \"bars\"\n",
    b"kind = \"spread\"\n",
    b"kind = \"table\"\n",
    b"kind = \"distance\"\n",
    b"value = \"forgetting(run)\"\n",
    b"columns = [{ title = \"x\", value = \"accuracy(run)\" }]\n",
    b"choices = [\"a\", \"b\"]\n",
    b"right = 1\n",
    b"holds = [\"1 < 2\", \"2 < 1\"]\n",
    b"answer = \"cell(a, 1, 1)\"\n",
    b"tolerance = -1\n",
    b"slips = [{ value = \"1\", text = \"no\" }]\n",
    b"guess = true\n",
    b"source = \"/dev/zero\"\n",
    b"{F: forgetting(a)}",
    b"{x: cell(a, 99999999999999999999, 1)}",
    b"\xef\xa3\xb0",
    b"0\xef\xa3\xb1",
    b"drop(a, 1)",
    b"apart(a, 1, 1)",
    b"mean(",
    b"(((((((((",
    b" and ",
    b" or ",
    b" <= ",
    b"- - - - - - ",
    b"> > > > ",
    b"1. ",
    b"999999999. ",
    b"# ",
    b"**",
    b"_",
    b"`",
    b"[a](b)",
    b"![",
    b"<!--",
    b"<b>",
    b"&amp;",
    b"\\",
    b"\r\n",
    b"\n\n",
    b"    ",
    b"\xe2\x80\xae",
    b"\"\"\"",
    b"{",
    b"}",
    b"minutes = ",
    b"epochs = ",
    b"method = \"coda\"\n",
    b"settings = { pool = 0 }\n",
];

impl Target for LessonFiles {
    const NAME: &'static str = "lessons";

    fn valid_cases(&self) -> Vec<Case> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
        let read = |name: String| std::fs::read(folder.join(name)).unwrap();
        let mut names = file_names(&folder);
        names.sort();
        let cases = names.into_iter().map(|name| single_file_case("own.md", read(name)));
        cases.collect()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        dice.vary(valid, UNIT_WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let file = folder.join("own.md");
        let Ok(lesson) = open(file.to_str().unwrap(), Language::English) else {
            return false;
        };
        // Printed, asked and checked: before its runs are there, and with them.
        for figures in [Figures::new(), self.figures(&lesson)] {
            plain_text::lesson_text(&lesson, &figures);
            lesson.parts.iter().for_each(|part| answer_question(part, &figures));
        }
        true
    }
}

impl LessonFiles {
    /// Figures of every run that a lesson names.
    fn figures(&self, lesson: &Lesson) -> Figures {
        let plans = lesson.plans();
        let runs = plans.map(|plan| (plan.name.clone(), plan.configs.len()));
        let added_runs = lesson.added_tasks().map(|teach| (teach.name.clone(), 1));
        let all_runs = runs.chain(added_runs);
        all_runs.map(|(name, times)| (name, vec![self.trained.clone(); times])).collect()
    }
}

/// Results of a run, added tasks included.
fn run_figures(header: &RunHeader, reports: &[TaskReport]) -> RunFigures {
    let mut history = Histories::default();
    for report in reports {
        let tasks_so_far = header.tasks.get(..=report.task);
        history.push(&report.answers, tasks_so_far.unwrap_or(&header.tasks));
    }
    let measurements = reports.iter().map(|report| &report.measurements);
    RunFigures::new(header, &history, measurements, true)
}

/// Answers a question in every way, or checks what is expected.
fn answer_question(part: &LessonPart, figures: &Figures) {
    match part {
        LessonPart::Question(ask) => {
            for (choice, typed) in [(Some(0), "1"), (Some(7), "x"), (None, "1e308 %")] {
                let given_answer = GivenAnswer { choice, typed: typed.into(), checked: true };
                ask.feedback(&given_answer, figures);
            }
        }
        LessonPart::Expectation(expect) => drop(expect.formula.holds(figures)),
        _ => {}
    }
}

/// A run with an added task.
struct AddedTasks;

const ADDED_TASK_WORDS: &[&[u8]] = &[
    b"[lesson]\n",
    b"[[lesson.again]]\nclass = 0\nof = 1\n",
    b"class = 9\n",
    b"format = 2\n",
    b"classes = []\n",
    b"classes = [\"a\", \"b\"]\n",
    b"train_images = [9223372036854775807, 9223372036854775807]\n",
    b"test_images = [9223372036854775807, 9223372036854775807]\n",
    b"test_images = []\n",
    b"planned_tasks = 0\n",
    b"planned_tasks = 9223372036854775807\n",
    b"before = nan\n",
    b"repeats = 0\n",
    b"batch = 0\n",
    b"source = \"../../x\"\n",
    b"notes = [\"\\u001b[2J\"]\n",
    b"train,",
    b"test,",
    b"test,0,png,",
    b",0,",
    b",1,jpg,",
    b"../../x",
    b"\"",
    b"\n",
    b",",
    b"-1",
    b"nan",
    b"1e400",
];

const LESSON_PATH: &str = "run/lessons/task_3/lesson.toml";
const IMAGE_LIST_PATH: &str = "run/lessons/task_3/pictures.csv";

impl Target for AddedTasks {
    const NAME: &'static str = "taught";

    fn valid_cases(&self) -> Vec<Case> {
        let spec = METHODS.iter().find(|spec| spec.key == "simplecil").unwrap();
        let mut config = crate::methods::quick_config(spec);
        (config.train_limit, config.test_limit) = (Some(2), Some(1));
        let root = tempfile::tempdir().unwrap();
        let (cache, control) = (ResourceCache::default(), Control::default());
        let outcome = experiment::train(&config, root.path(), &cache, &mut Vec::new(), &control);
        let Ok(Outcome::Finished(header)) = outcome else {
            panic!("{outcome:?}");
        };
        let letters = crate::teach::letters("AB", 5);
        let source = letters.path().to_str().unwrap();
        experiment::teach(&header.folder, source, None, &cache, &mut Vec::new(), &control).unwrap();
        let files = read_case(&header.folder).into_iter();
        vec![files.map(|(name, bytes)| (format!("run/{name}"), bytes)).collect()]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let mut case = valid[0].clone();
        let lesson_files: Vec<String> =
            case.keys().filter(|name| name.starts_with("run/lessons/")).cloned().collect();
        for _ in 0..1 + dice.below(2) {
            let name = match dice.below(4) {
                0 => dice.choose(&lesson_files).as_str(),
                1 => IMAGE_LIST_PATH,
                _ => LESSON_PATH,
            };
            match case.get_mut(name) {
                Some(_) if dice.one_in(40) => drop(case.remove(name)),
                Some(bytes) => dice.mutate(bytes, ADDED_TASK_WORDS),
                None => {}
            }
        }
        if !dice.one_in(4) {
            update_fingerprint(&mut case);
        }
        if dice.one_in(40) {
            // Another number of the task, or a second copy.
            let other = *dice.choose(&["task_1", "task_4", "task_03", "task_99999999999999999999"]);
            let keep = dice.one_in(2);
            for name in lesson_files {
                let moved = name.replace("task_3/", &format!("{other}/"));
                let bytes = match keep {
                    true => case.get(&name).cloned(),
                    false => case.remove(&name),
                };
                case.extend(bytes.map(|bytes| (moved, bytes)));
            }
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        let listed = store::list_runs(folder);
        let mut is_valid = !listed.is_empty();
        for entry in listed {
            match entry.summary {
                Ok(run) => is_valid &= read_full_run(&store::load_run(&run.header.folder).unwrap()),
                Err(problem) => {
                    assert!(!problem.mentions("problem-run-reading-internal-error"), "{problem}");
                    is_valid = false;
                }
            }
        }
        // Undoing removes the last added task.
        let run = folder.join("run");
        let before = store::load_run(&run).map(|stored| stored.header.added_tasks.len());
        if let (Ok(count), Ok(_)) = (before, store::undo_added_task(&run)) {
            let remaining = store::load_run(&run).unwrap().header.added_tasks.len();
            assert_eq!(remaining + 1, count);
        }
        is_valid
    }
}

/// Reads everything about a run and its added tasks.
fn read_full_run(stored: &StoredRun) -> bool {
    let header = &stored.header;
    serde_json::to_string(&store::summary(stored)).unwrap();
    run_figures(header, &stored.reports);
    let positions = 0..header.class_order.len();
    positions.for_each(|position| assert!(header.class_at(position) < header.class_order.len()));
    let first = header.original_task_count();
    let mut is_valid = true;
    for (task, lesson) in (first..).zip(&header.added_tasks) {
        is_valid &= store::load_snapshot(&header.folder, task).is_ok();
        let Ok(pictures) = store::added_task_images(&header.folder, task, lesson, 16) else {
            return false;
        };
        is_valid &= pictures.check_test_images().is_ok();
        for index in 0..3 {
            let _ = pictures.test_image(index);
        }
        let samples = pictures.train().into_iter().chain(pictures.test());
        samples.take(4).for_each(|sample| drop(sample.decode()));
    }
    is_valid
}

/// Updates the fingerprint of the list of images.
fn update_fingerprint(case: &mut Case) {
    let Some(fingerprint) = case.get(IMAGE_LIST_PATH).map(|list| hex(&Sha256::digest(list))) else {
        return;
    };
    let Some(Ok(text)) = case.get(LESSON_PATH).cloned().map(String::from_utf8) else {
        return;
    };
    let row = |row: &str| match row.starts_with("fingerprint = ") {
        true => format!("fingerprint = \"{fingerprint}\"\n"),
        false => row.to_owned(),
    };
    let text: String = text.split_inclusive('\n').map(row).collect();
    case.insert(LESSON_PATH.into(), text.into_bytes());
}

/// Name, tags and note of a run.
struct AboutFile;

impl Target for AboutFile {
    const NAME: &'static str = "about";

    fn valid_cases(&self) -> Vec<Case> {
        let root = tempfile::tempdir().unwrap();
        let abouts = [
            Annotations {
                name: "first".into(),
                tags: vec!["a".into(), "b".into()],
                note: "two\nlines".into(),
                ..Annotations::default()
            },
            Annotations { note: "\"quoted\" \u{202e} [x]".into(), ..Annotations::default() },
        ];
        abouts
            .map(|about| {
                std::fs::write(root.path().join("run.toml"), "").unwrap();
                store::set_annotations(root.path(), &about).unwrap();
                read_case(root.path())
            })
            .into()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"name = \"\\u001b[2J\"\n",
            b"name = 1\n",
            b"tags = [7]\n",
            b"tags = \"a\"\n",
            b"tags = [[[\n",
            b"note = '''\n",
            b"\"\"\"",
            b"more = 1979-05-27\n",
            b"[a]\n",
            b"a.b.c = ",
            b"\\U0010ffff",
            b"\r",
            b"\xff",
        ];
        let mut case = dice.choose(valid).clone();
        if let Some(bytes) = case.get_mut("about.toml") {
            dice.mutate(bytes, WORDS);
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        let (about, remark) = store::load_annotations(folder);
        // Values that were read can be written and read again.
        let stored = store::set_annotations(folder, &about).unwrap();
        assert_eq!(stored, about);
        assert_eq!(store::load_annotations(folder).0, about);
        remark.is_none()
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["about.toml"]
    }
}

#[test]
fn fuzz_lessons() {
    let reports = [report(0), report(1)];
    let trained = run_figures(&header(), &reports);
    fuzz(LessonFiles { trained });
}

#[test]
fn fuzz_added_tasks() {
    fuzz(AddedTasks);
}

#[test]
fn fuzz_about() {
    fuzz(AboutFile);
}
