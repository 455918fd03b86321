//! What the log and bug reports contain, and what they omit.

use std::io::Read;

use super::*;

/// Class names that occur nowhere else.
const CLASSES: [&str; 4] = ["wheatear", "great bustard", "hoopoe", "dotterel"];

/// Writes images with private names, one of them broken.
fn write_bird_images(folder: &Path) -> PathBuf {
    let root = folder.join("my secret birds");
    for (number, class) in CLASSES.iter().enumerate() {
        std::fs::create_dir_all(root.join(class)).unwrap();
        for index in 0..8 {
            let grey = (40 * number + 3 * index) as u8;
            let image = image::RgbImage::from_pixel(32, 32, image::Rgb([grey; 3]));
            let name = format!("nest-{index}.png");
            image.save(root.join(class).join(name)).unwrap();
        }
    }
    std::fs::write(root.join("hoopoe/broken-nest.png"), "no picture").unwrap();
    root
}

fn train_args(data: &Path) -> Vec<&str> {
    let mut words = QUICK.to_vec();
    words[2] = data.to_str().unwrap();
    words
}

fn read_log(runs: &Path) -> String {
    std::fs::read_to_string(runs.join("log/lae-studio.log")).unwrap_or_default()
}

/// Asserts that a text contains no private names.
fn assert_no_private_names(text: &str, home: &Path) {
    let home = home.to_str().unwrap();
    let names = CLASSES.iter().copied().chain(["secret", "nest", home]);
    for name in names {
        assert!(!text.contains(name), "{name}: {text}");
    }
    assert!(text.lines().all(|line| !line.contains(char::is_control)), "{text}");
}

#[test]
fn log_records_actions_without_private_names() {
    let runs = tempfile::tempdir().unwrap();
    let data = write_bird_images(runs.path());
    let words = [&train_args(&data)[..], &["--log", "debug"]].concat();
    let output = run(&words, runs.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let log = read_log(runs.path());
    for expected in [
        "was started: train --data --epochs",
        "processor: ",
        "a run is prepared: data=own",
        "started classes=4 tasks=1",
        "task finished",
        "the program ends code=0",
    ] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
    assert!(log.contains(" DEBUG "), "{log}");
    assert_no_private_names(&log, runs.path());

    // Errors are logged with their source file.
    let missing = data.join("wheatear/none.txt");
    let [order, missing] = [data.join("hoopoe/order.json"), missing];
    std::fs::write(&order, "[\"hoopoe\", \"hoopoe\"]").unwrap();
    let data_text = data.to_str().unwrap();
    for failing_args in [
        vec!["train", "--data", missing.to_str().unwrap()],
        vec!["train", "--data", data_text, "--order", order.to_str().unwrap()],
        vec!["train", "--data", data_text, "--backbone", missing.to_str().unwrap()],
        vec!["resume", "hoopoe"],
        vec!["predict", "latest", missing.to_str().unwrap()],
        vec!["data", missing.to_str().unwrap()],
    ] {
        let before = read_log(runs.path()).len();
        run_expecting_error(&failing_args, runs.path());
        let added = read_log(runs.path())[before..].to_string();
        let mut lines = added.lines();
        assert!(lines.any(|l| l.contains("ERROR") && l.contains("a Problem of src/")), "{added}");
        assert_no_private_names(&added, runs.path());
    }
}

#[test]
fn log_level_follows_option_environment_and_settings() {
    let runs = tempfile::tempdir().unwrap();
    run(&[QUICK, &["--log", "off"]].concat(), runs.path());
    assert!(!runs.path().join("log").exists());
    let mut quiet = program_command(&[QUICK, &["--epochs", "0"]].concat(), runs.path());
    quiet.env("LAE_LOG", "error").output().unwrap();
    let text = read_log(runs.path());
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("ERROR"), "{text}");
    // The window's settings apply if neither option nor variable is set.
    let config = runs.path().join("config/lae-studio");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("window.toml"), "log = \"off\"\n").unwrap();
    run(&["runs"], runs.path());
    assert_eq!(read_log(runs.path()), text);
    run(&["runs", "--log", "info"], runs.path());
    assert!(read_log(runs.path()).contains("was started: runs --log"));
    let invalid = run(&["runs", "--log", "loud"], runs.path());
    assert_eq!(invalid.status.code(), Some(2));
}

#[test]
fn listing_creates_no_folder_and_unwritable_log_is_ignored() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("none yet");
    assert_eq!(run(&["runs"], &runs).status.code(), Some(0));
    assert!(!runs.exists());
    std::fs::create_dir(&runs).unwrap();
    std::fs::write(runs.join("log"), "a file in its place").unwrap();
    let output = run(&[QUICK, &["--quiet"]].concat(), &runs);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn report_show_matches_zip_and_omits_private_names() {
    let runs = tempfile::tempdir().unwrap();
    let data = write_bird_images(runs.path());
    assert_eq!(run(&train_args(&data), runs.path()).status.code(), Some(0));
    let config = runs.path().join("config/lae-studio");
    std::fs::create_dir_all(&config).unwrap();
    let setup = format!("log = \"info\"\n[setup]\ndata = {data:?}\nepochs = 3\n");
    std::fs::write(config.join("window.toml"), setup).unwrap();

    let shown = run(&["report", "--show"], runs.path());
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    let shown = String::from_utf8(shown.stdout).unwrap();
    let archive_path = runs.path().join("report.zip");
    let output = run(&["report", archive_path.to_str().unwrap()], runs.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the report is in"));
    let listed = String::from_utf8(output.stdout).unwrap();

    let mut archive = zip::ZipArchive::new(std::fs::File::open(&archive_path).unwrap()).unwrap();
    let names =
        (0..archive.len()).map(|i| archive.by_index(i).unwrap().name().unwrap().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["lae-studio.log", "settings.toml", "versions.txt"]);
    for name in names {
        assert!(listed.contains(&name) && shown.contains(&format!("== {name}\n")));
        let mut text = String::new();
        archive.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
        assert_no_private_names(&text, runs.path());
        match name.as_str() {
            "settings.toml" => assert!(text.contains("data = \"‹own›\"\nepochs = 3"), "{text}"),
            "versions.txt" => assert!(text.contains("device 0 ") && shown.contains(&text)),
            _ => assert!(text.contains("task finished"), "{text}"),
        }
    }
    let message = run_expecting_error(&["report", "/nowhere/at/all.zip"], runs.path());
    assert!(message.contains("could not save"), "{message}");
}
