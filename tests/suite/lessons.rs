//! Plays every lesson of the page Learn with the command line and checks its statements about runs.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

fn run_program(args: &[&str], root: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lae-studio"))
        .args(args)
        .env("LAE_RUNS", root.join("runs"))
        .env("HOME", root)
        .env("XDG_DATA_HOME", root.join("data"))
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env("XDG_CACHE_HOME", root.join("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code();
    (code, text(output.stdout), text(output.stderr))
}

/// Plays a lesson and asserts that all figures and answers exist and all checks pass.
fn play_lesson(name: &str) -> Value {
    let root = tempfile::tempdir().unwrap();
    let words = ["lesson", name, "--play", "--device", "cpu", "--quiet"];
    let (code, stdout, stderr) = run_program(&[&words[..], &["--json", "-"]].concat(), root.path());
    assert_eq!(code, Some(0), "{name}: {stderr}\n{stdout}");
    let played: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(played["holds"], true, "{played}");
    for figure in played["figures"].as_array().unwrap() {
        assert!(figure["value"].is_number(), "{name}: {figure}");
    }
    for question in played["questions"].as_array().unwrap() {
        assert!(question["answer"].is_string(), "{name}: {question}");
    }
    played
}

#[test]
fn plays_lesson_forgetting() {
    let played = play_lesson("forgetting");
    assert_eq!(played["runs"].as_array().unwrap().len(), 1);
}

#[test]
#[ignore = "campaign: trains for a minute"]
fn plays_lesson_speed() {
    let played = play_lesson("speed");
    assert_eq!(played["runs"].as_array().unwrap().len(), 4);
}

#[test]
#[ignore = "campaign: trains for a minute"]
fn plays_lesson_inside_lae() {
    let played = play_lesson("inside-lae");
    assert_eq!(played["runs"].as_array().unwrap().len(), 6);
}

#[test]
#[ignore = "campaign: trains for a minute"]
fn plays_lesson_learn_or_remember() {
    let played = play_lesson("learn-or-remember");
    // Three methods with three orders each, and one run with an added task.
    assert_eq!(played["runs"].as_array().unwrap().len(), 10);
}

const CUSTOM_LESSON: &str = "+++
title = \"Mine\"
minutes = 3
order = 1
+++

It ends at {A_2: accuracy(tiny)} %.

```run
name = \"tiny\"
method = \"simplecil\"
classes_per_task = \"5\"
train_limit = 10
test_limit = 5
```

```figure
kind = \"matrix\"
title = \"Accuracy\"
runs = [\"tiny\"]
```

```expect
accuracy(tiny) > LIMIT
```
";

#[test]
fn prints_plays_and_reuses_custom_lesson() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("mine.en.md");
    let path = file.to_str().unwrap();
    std::fs::write(&file, CUSTOM_LESSON.replace("LIMIT", "20")).unwrap();
    let (code, stdout, stderr) = run_program(&["lesson", path], root.path());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stdout.contains("It ends at [A_2] %.") && stdout.contains("lae-studio train"),
        "{stdout}"
    );
    let play = ["lesson", path, "--play", "--device", "cpu", "--quiet"];
    let (code, stdout, stderr) = run_program(&play, root.path());
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("holds: accuracy(tiny) > 20 (line 24)"), "{stdout}");
    assert!(!stdout.contains("[A_2]"), "{stdout}");
    let (_, stdout, stderr) = run_program(&[&play[..], &["--json", "-"]].concat(), root.path());
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["runs"][0]["again"], true);
    assert!(stderr.contains("reused"), "{stderr}");
    // A failed check gives exit code 1.
    std::fs::write(&file, CUSTOM_LESSON.replace("LIMIT", "101")).unwrap();
    let (code, stdout, _) = run_program(&play, root.path());
    assert_eq!(code, Some(1));
    assert!(stdout.contains("FAILS: accuracy(tiny) > 101"), "{stdout}");
}

#[test]
fn adds_tasks_only_to_new_runs() {
    let root = tempfile::tempdir().unwrap();
    let images = crate::data::DatasetFixture::new();
    images.write_class("x", 6).write_class("y", 6);
    let file = root.path().join("mine.en.md");
    let path = file.to_str().unwrap();
    let play = |lesson: &str| -> Vec<bool> {
        std::fs::write(&file, lesson).unwrap();
        let args = ["lesson", path, "--play", "--device", "cpu", "--quiet", "--json", "-"];
        let (code, stdout, stderr) = run_program(&args, root.path());
        assert_eq!(code, Some(0), "{stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        report["runs"].as_array().unwrap().iter().map(|run| run["again"] == true).collect()
    };
    let plain = CUSTOM_LESSON.replace("LIMIT", "20");
    let source = images.path().display();
    let taught =
        format!("{plain}\n```teach\nname = \"taught\"\nrun = \"tiny\"\nsource = '{source}'\n```\n");
    assert_eq!(play(&plain), [false]);
    assert_eq!(play(&taught), [false, false]);
    assert_eq!(play(&taught), [true, true]);
    assert_eq!(play(&plain), [true]);
}

#[test]
fn reports_invalid_lessons_with_line() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("wrong.md");
    let path = file.to_str().unwrap();
    let run_invalid = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let (code, _, stderr) = run_program(&["lesson", path, "--play"], root.path());
        assert_eq!(code, Some(1), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
        stderr
    };
    assert_says!(run_invalid("nothing"), "lesson-no-title");
    let message = run_invalid(&CUSTOM_LESSON.replace("simplecil", "simple"));
    assert!(message.contains("wrong.md, line 10") && message.contains("`simple`"), "{message}");
    assert!(run_invalid(&CUSTOM_LESSON.replace("LIMIT", "much")).contains("line 24"));
    assert!(run_invalid(&CUSTOM_LESSON.replace("LIMIT", "cell(tiny, 9, 1)")).contains("line 24"));
    std::fs::write(&file, [0xff, 0xfe]).unwrap();
    assert!(run_program(&["lesson", path], root.path()).2.contains("UTF-8"));
    let (code, _, stderr) = run_program(&["lesson", "nothing"], root.path());
    assert_eq!(code, Some(1));
    assert!(stderr.contains("forgetting"), "{stderr}");
    let (code, stdout, _) = run_program(&["lesson", "--lang", "de"], root.path());
    assert_eq!(code, Some(0));
    assert!(stdout.contains("Was wird vergessen?"), "{stdout}");
}

/// Any damaged file gives a lesson or a `Problem` that names it.
#[test]
fn damaged_lessons_never_panic() {
    use lae_studio::session::lessons::Lesson;
    use lae_studio::texts::Language;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
    for name in ["forgetting.de.md", "inside-lae.en.md"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let read = |text: &str| Lesson::parse("x", Language::English, text, "x.md");
        assert!(read(&text).is_ok());
        let insertions = ["", "```", "{", "\"", "+++", "[[", "\u{f8f0}9\u{f8f1}", "(((("];
        for (i, position) in (0..text.len()).step_by(61).enumerate() {
            let position = text.floor_char_boundary(position);
            let (head, tail) = text.split_at(position);
            let insertion = insertions[i % insertions.len()];
            let skipped = tail.ceil_char_boundary(tail.len().min(i % 9));
            for broken in [head.to_string(), format!("{head}{insertion}{}", &tail[skipped..])] {
                if let Err(problem) = read(&broken) {
                    assert!(problem.place.starts_with("x.md"), "{problem}");
                }
            }
        }
    }
}
