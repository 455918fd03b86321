//! Bad input: damaged images and runs, unknown names, folders that cannot be written.

use super::*;

#[test]
fn predict_reports_broken_images_and_classifies_others() {
    let (runs, _) = finished();
    let folder = tempfile::tempdir().unwrap();
    let good = stroke_image(folder.path());
    let bytes = std::fs::read(&good).unwrap();
    let cut = folder.path().join("cut.png");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let [good, cut] = [good, cut].map(|path| path.display().to_string());
    let output = run_json(&["predict", "latest", &cut, &good, "/nowhere.png"], runs);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output).matches("problem: ").count(),
        2,
        "{}",
        stderr(&output)
    );
    let entries: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(entries[0]["problem"]["what"].is_string() && entries[1]["class"].is_string());
}

#[test]
fn truncated_run_file_is_named() {
    let (runs, summary) = finished();
    let root = tempfile::tempdir().unwrap();
    let name = summary["run"].as_str().unwrap();
    let picture = stroke_image(root.path()).display().to_string();
    for file in [
        "run.toml",
        "metrics.csv",
        "task_5.safetensors",
        "plugin.toml",
    ] {
        let copies = root.path().join(file.replace('.', "-"));
        copy_folder(&runs.join(name), &copies.join(name));
        let path = copies.join(name).join(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let said = refused(&["predict", name, &picture], &copies);
        assert!(said.contains(file), "{file}: {said}");
        let listed = json(&run_json(&["runs"], &copies));
        assert_eq!(listed.as_array().unwrap().len(), 1, "{file}");
    }
}

#[test]
fn unknown_names_suggest_valid_ones() {
    let root = tempfile::tempdir().unwrap();
    let at = root.path();
    let with = |words: &[&'static str]| refused(&[QUICK, words].concat(), at);
    assert!(with(&["--pet", "adaptr"]).contains("adapter"));
    assert!(with(&["--backbone", "lae-nanno"]).contains("lae-nano"));
    assert!(with(&["--data", "digit"]).contains("digits"));
    assert!(
        with(&["--device", "geforce 256"]).contains(&tr!("advice-choose-device", devices = "0 "))
    );
    assert!(with(&["--blocks", "99"]).contains("--blocks"));
    assert!(with(&["--epochs", "0", "--batch", "0"]).contains("--batch"));
    assert_says!(
        refused(&["predict", "no-such-run", "a.png"], at),
        "problem-run-not-found"
    );
    assert!(refused(&["plugins", "adaptr"], at).contains("adapter"));
    assert!(refused(&["train", "--config", "/nowhere.toml"], at).contains("/nowhere.toml"));
    let json = [QUICK, &["--json", "/nowhere/at/all/result.json"]].concat();
    assert!(refused(&json, at).contains("the folder does not exist"));
    assert!(first_run(at).is_none(), "a refused run left files");
}

#[test]
fn reports_unusable_runs_folder() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    let said = refused(QUICK, &file);
    assert!(
        said.contains("folder for runs") && said.contains("file"),
        "{said}"
    );
}

#[test]
fn rejects_mismatched_class_order_before_first_run() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path().join("runs");
    // The preset's second order is one of a hundred classes; digits has ten.
    let words = [
        "--preset",
        "cifar100-10",
        "--backbone",
        "lae-nano",
        "--orders",
        "2",
    ];
    let all: Vec<&str> = QUICK.iter().copied().chain(words).collect();
    let said = refused(&all, &runs);
    assert!(
        said.contains("run 2 of 2 (class order cifar100_order2)"),
        "{said}"
    );
    assert!(said.contains("10 classes"), "{said}");
    assert!(first_run(&runs).is_none(), "a run was started");
}

#[test]
fn rejects_huge_numbers_immediately() {
    let root = tempfile::tempdir().unwrap();
    for (option, words) in [
        ("--epochs", "epochs"),
        ("--batch", "the batch is too large"),
    ] {
        let begun = Instant::now();
        let large = [option, "9000000000000000000"];
        let all: Vec<&str> = QUICK.iter().copied().chain(large).collect();
        let said = refused(&all, &root.path().join("runs"));
        assert!(said.contains(words), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{option}");
    }
    // The same in the settings of an interrupted run.
    let (runs, summary) = finished();
    let name = summary["run"].as_str().unwrap();
    let copies = root.path().join("copies");
    copy_folder(&runs.join(name), &copies.join(name));
    let path = copies.join(name).join("run.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("\nepochs = 1\n", "\nepochs = 9000000000000000000\n");
    std::fs::write(&path, text).unwrap();
    // As if its last task had not been saved.
    let metrics = copies.join(name).join("metrics.csv");
    let rows = std::fs::read_to_string(&metrics).unwrap();
    let (fewer, _) = rows.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(&metrics, format!("{fewer}\n")).unwrap();
    let said = refused(&["resume", name], &copies);
    assert!(said.contains("--epochs"), "{said}");
    // The run is still listed.
    let listed = json(&run_json(&["runs"], &copies));
    assert_eq!(listed[0]["state"], "interrupted");
}

/// Graphics drivers may print to stderr, so CPU runs must not load them.
#[cfg(target_os = "linux")]
#[test]
fn cpu_run_loads_no_graphics_driver() {
    let root = tempfile::tempdir().unwrap();
    let mut child = program(QUICK, &root.path().join("runs"))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let maps = format!("/proc/{}/maps", child.id());
    let drivers = ["libEGL", "libvulkan", "libGL", "wayland"];
    while child.try_wait().unwrap().is_none() {
        let loaded = std::fs::read_to_string(&maps).unwrap_or_default();
        let found = drivers.iter().find(|driver| loaded.contains(**driver));
        assert!(found.is_none(), "{found:?} is loaded");
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(
        said.starts_with("needs about "),
        "its own lines come first: {said}"
    );
}

#[test]
fn devices_command_suppresses_driver_output() {
    let root = tempfile::tempdir().unwrap();
    let output = program(&["devices"], root.path())
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
}

#[test]
fn notes_single_class_task_before_training() {
    let root = tempfile::tempdir().unwrap();
    let words = ["--classes-per-task", "3", "--quiet"];
    let all: Vec<&str> = QUICK.iter().copied().chain(words).collect();
    let output = run(&all, &root.path().join("runs"));
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(
        said.starts_with("note: ") && says!(said, "problem-single-class-task", task = 4),
        "{said}"
    );
    assert!(said.contains("--classes-per-task 3,3,4"), "{said}");
}

#[test]
fn features_rejects_inputs_of_wrong_shape() {
    use lae_studio::tensors::{HostTensor, Named, to_bytes};
    let root = tempfile::tempdir().unwrap();
    for shape in [[0, 3, 32, 32], [1, 7, 32, 32], [1, 3, 5, 5], [1, 3, 32, 64]] {
        let values = vec![0.5; shape.iter().product()];
        let shape = shape.to_vec();
        let images = Named::from([("images".to_owned(), HostTensor { shape, values })]);
        let path = root.path().join("inputs.safetensors");
        std::fs::write(&path, to_bytes(&images, Default::default()).unwrap()).unwrap();
        let inputs = path.to_str().unwrap();
        let said = refused(&["features", "lae-nano", "--inputs", inputs], root.path());
        assert!(said.contains("N×3×32×32"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn escapes_control_characters_in_names() {
    let root = tempfile::tempdir().unwrap();
    let odd = root.path().join("\u{1b}[2Jdata");
    std::fs::create_dir(&odd).unwrap();
    let said = refused(&["data", odd.to_str().unwrap()], root.path());
    assert!(
        !said.contains('\u{1b}') && said.contains("\\u{1b}[2Jdata"),
        "{said}"
    );
    for class in ["a\u{1b}[31m", "b\u{202e}gnp", "c\u{9b}2J"] {
        for number in 0..4 {
            let folder = odd.join(class);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::rename(
                stroke_image(root.path()),
                folder.join(format!("{number}.png")),
            )
            .unwrap();
        }
    }
    let output = run(&["data", odd.to_str().unwrap()], root.path());
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    const ACT: [char; 3] = ['\u{1b}', '\u{202e}', '\u{9b}'];
    assert!(!shown.contains(ACT), "{shown}");
    // JSON escapes these characters and keeps the names.
    let output = run(&["data", odd.to_str().unwrap(), "--json", "-"], root.path());
    let json = String::from_utf8_lossy(&output.stdout);
    assert!(!json.contains(ACT), "{json}");
    let told: Value = serde_json::from_str(&json).unwrap();
    assert!(told.to_string().contains("b\u{202e}gnp"), "{json}");
    assert!(!stderr(&output).contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn sum_of_task_sizes_does_not_overflow() {
    let root = tempfile::tempdir().unwrap();
    let most = usize::MAX;
    for (sizes, code, word) in [
        (format!("{most},11"), 1, tr!("advice-sum-to-class-count")),
        (
            format!("{most},{most},12"),
            1,
            tr!("advice-sum-to-class-count"),
        ),
        // Larger than the data set: all of it is one task.
        (format!("{most}+3"), 0, ""),
        (most.to_string(), 0, ""),
    ] {
        let output = run(
            &[
                "train",
                "--data",
                "digits",
                "--classes-per-task",
                &sizes,
                "--epochs",
                "1",
                "--device",
                "cpu",
                "--train-limit",
                "2",
            ],
            root.path(),
        );
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{sizes}: {told}");
        assert!(told.contains(word), "{sizes}: {told}");
    }
}

#[cfg(unix)]
#[test]
fn handles_non_utf8_arguments() {
    use std::os::unix::ffi::OsStrExt;

    let (runs, _) = finished();
    let odd = std::ffi::OsStr::from_bytes(b"\xff.png");
    let output = program(&["predict", "latest"], runs)
        .arg(odd)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("problem: "), "{}", stderr(&output));
    // An image of such a name is read like any other, alone and in its folder. Not every system has such files.
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join(odd);
    if std::fs::rename(stroke_image(made.path()), &path).is_ok() {
        let alone = program(&["predict", "latest"], runs).arg(&path).output();
        let table = ["predict", "latest", "--csv", "-", "--folder"];
        let among = program(&table, runs).arg(made.path()).output();
        for output in [alone.unwrap(), among.unwrap()] {
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
    }
    // An argument that must be text is rejected as wrong usage.
    let output = program(&["predict"], runs).arg(odd).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
}

/// A display that does not respond is reported; with `x11`, Wayland is not tried.
#[cfg(target_os = "linux")]
#[test]
fn names_unusable_display() {
    let root = tempfile::tempdir().unwrap();
    let listens = root.path().join("wayland-7");
    let _wayland = std::os::unix::net::UnixListener::bind(&listens).unwrap();
    let (gone, nobody) = (("DISPLAY", ":65000"), ("WAYLAND_DISPLAY", "wayland-8"));
    let there = ("WAYLAND_DISPLAY", "wayland-7");
    let said = |words: &[&str], named: &[(&str, &str)]| {
        let mut program = program(words, root.path());
        for variable in [
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "WAYLAND_SOCKET",
            "LAE_DISPLAY",
        ] {
            program.env_remove(variable);
        }
        program.env("XDG_RUNTIME_DIR", root.path());
        program.envs(named.iter().copied());
        let output = program.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stderr(&output)
    };
    let none = "neither DISPLAY nor WAYLAND_DISPLAY is set";
    assert!(said(&[], &[]).contains(none));
    assert!(said(&[], &[gone, nobody]).contains("no X server is responding at :65000"));
    assert!(said(&[], &[nobody]).contains("no Wayland desktop is responding at wayland-8"));
    assert!(said(&["--display", "x11"], &[there]).contains("DISPLAY is not set"));
    assert!(said(&["--display", "x11"], &[gone, there]).contains("no X server is responding"));
    let asked = ("LAE_DISPLAY", "wayland");
    assert!(said(&[], &[asked, gone]).contains("WAYLAND_DISPLAY is not set"));
    assert!(said(&[], &[("LAE_DISPLAY", "mir"), there]).contains("auto, x11, wayland"));
}
