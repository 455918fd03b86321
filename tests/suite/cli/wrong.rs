//! Bad input: damaged images and runs, unknown names, folders that cannot be written.

use super::*;

#[test]
fn predict_reports_broken_images_and_classifies_others() {
    let (runs, _) = finished_run();
    let folder = tempfile::tempdir().unwrap();
    let good = stroke_image(folder.path());
    let bytes = std::fs::read(&good).unwrap();
    let truncated = folder.path().join("cut.png");
    std::fs::write(&truncated, &bytes[..bytes.len() / 2]).unwrap();
    let [good, truncated] = [good, truncated].map(|path| path.display().to_string());
    let output = run_json(&["predict", "latest", &truncated, &good, "/nowhere.png"], runs);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).matches("problem: ").count(), 2, "{}", stderr(&output));
    let entries: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(entries[0]["problem"]["what"].is_string() && entries[1]["class"].is_string());
}

#[test]
fn truncated_run_file_is_named() {
    let (runs, summary) = finished_run();
    let root = tempfile::tempdir().unwrap();
    let name = summary["run"].as_str().unwrap();
    let picture = stroke_image(root.path()).display().to_string();
    for file in ["run.toml", "metrics.csv", "task_5.safetensors", "plugin.toml"] {
        let copies = root.path().join(file.replace('.', "-"));
        copy_folder(&runs.join(name), &copies.join(name));
        let path = copies.join(name).join(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let message = run_expecting_error(&["predict", name, &picture], &copies);
        assert!(message.contains(file), "{file}: {message}");
        let listed = json(&run_json(&["runs"], &copies));
        assert_eq!(listed.as_array().unwrap().len(), 1, "{file}");
    }
}

#[test]
fn unknown_names_suggest_valid_ones() {
    let root = tempfile::tempdir().unwrap();
    let root_path = root.path();
    let run_with_options =
        |words: &[&'static str]| run_expecting_error(&[QUICK, words].concat(), root_path);
    assert!(run_with_options(&["--pet", "adaptr"]).contains("adapter"));
    assert!(run_with_options(&["--backbone", "lae-nanno"]).contains("lae-nano"));
    assert!(run_with_options(&["--data", "digit"]).contains("digits"));
    assert!(
        run_with_options(&["--device", "geforce 256"])
            .contains(&tr!("advice-choose-device", devices = "0 "))
    );
    assert!(run_with_options(&["--blocks", "99"]).contains("--blocks"));
    assert!(run_with_options(&["--epochs", "0", "--batch", "0"]).contains("--batch"));
    assert_says!(
        run_expecting_error(&["predict", "no-such-run", "a.png"], root_path),
        "problem-run-not-found"
    );
    assert!(run_expecting_error(&["plugins", "adaptr"], root_path).contains("adapter"));
    assert!(
        run_expecting_error(&["train", "--config", "/nowhere.toml"], root_path)
            .contains("/nowhere.toml")
    );
    let json = [QUICK, &["--json", "/nowhere/at/all/result.json"]].concat();
    assert!(run_expecting_error(&json, root_path).contains("the folder does not exist"));
    assert!(first_run(root_path).is_none(), "a refused run left files");
}

#[test]
fn reports_unusable_runs_folder() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    let message = run_expecting_error(QUICK, &file);
    assert!(message.contains("folder for runs") && message.contains("file"), "{message}");
}

#[test]
fn rejects_mismatched_class_order_before_first_run() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path().join("runs");
    // The preset's second order is one of a hundred classes; digits has ten.
    let words = ["--preset", "cifar100-10", "--backbone", "lae-nano", "--orders", "2"];
    let full_args: Vec<&str> = QUICK.iter().copied().chain(words).collect();
    let message = run_expecting_error(&full_args, &runs);
    assert!(message.contains("run 2 of 2 (class order cifar100_order2)"), "{message}");
    assert!(message.contains("10 classes"), "{message}");
    assert!(first_run(&runs).is_none(), "a run was started");
}

#[test]
fn rejects_huge_numbers_immediately() {
    let root = tempfile::tempdir().unwrap();
    for (option, expected) in [("--epochs", "epochs"), ("--batch", "the batch is too large")] {
        let begun = Instant::now();
        let large = [option, "9000000000000000000"];
        let full_args: Vec<&str> = QUICK.iter().copied().chain(large).collect();
        let message = run_expecting_error(&full_args, &root.path().join("runs"));
        assert!(message.contains(expected), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{option}");
    }
    // The same in the settings of an interrupted run.
    let (runs, summary) = finished_run();
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
    let message = run_expecting_error(&["resume", name], &copies);
    assert!(message.contains("--epochs"), "{message}");
    // The run is still listed.
    let listed = json(&run_json(&["runs"], &copies));
    assert_eq!(listed[0]["state"], "interrupted");
}

/// Graphics drivers may print to stderr, so CPU runs must not load them.
#[cfg(target_os = "linux")]
#[test]
fn cpu_run_loads_no_graphics_driver() {
    let root = tempfile::tempdir().unwrap();
    let mut child = program_command(QUICK, &root.path().join("runs"))
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
    let stderr_text = stderr(&output);
    assert!(output.status.success(), "{stderr_text}");
    assert!(stderr_text.starts_with("needs about "), "its own lines come first: {stderr_text}");
}

#[test]
fn devices_command_suppresses_driver_output() {
    let root = tempfile::tempdir().unwrap();
    let output =
        program_command(&["devices"], root.path()).env_remove("XDG_RUNTIME_DIR").output().unwrap();
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
}

#[test]
fn notes_single_class_task_before_training() {
    let root = tempfile::tempdir().unwrap();
    let words = ["--classes-per-task", "3", "--quiet"];
    let full_args: Vec<&str> = QUICK.iter().copied().chain(words).collect();
    let output = run(&full_args, &root.path().join("runs"));
    let stderr_text = stderr(&output);
    assert!(output.status.success(), "{stderr_text}");
    assert!(
        stderr_text.starts_with("note: ")
            && says!(stderr_text, "problem-single-class-task", task = 4),
        "{stderr_text}"
    );
    assert!(stderr_text.contains("--classes-per-task 3,3,4"), "{stderr_text}");
}

#[test]
fn features_rejects_inputs_of_wrong_shape() {
    use lae_studio::tensors::{HostTensor, NamedTensors, to_bytes};
    let root = tempfile::tempdir().unwrap();
    for shape in [[0, 3, 32, 32], [1, 7, 32, 32], [1, 3, 5, 5], [1, 3, 32, 64]] {
        let values = vec![0.5; shape.iter().product()];
        let shape = shape.to_vec();
        let images = NamedTensors::from([("images".to_owned(), HostTensor { shape, values })]);
        let path = root.path().join("inputs.safetensors");
        std::fs::write(&path, to_bytes(&images, Default::default()).unwrap()).unwrap();
        let inputs = path.to_str().unwrap();
        let message =
            run_expecting_error(&["features", "lae-nano", "--inputs", inputs], root.path());
        assert!(message.contains("N×3×32×32"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn escapes_control_characters_in_names() {
    let root = tempfile::tempdir().unwrap();
    let odd_folder = root.path().join("\u{1b}[2Jdata");
    std::fs::create_dir(&odd_folder).unwrap();
    let message = run_expecting_error(&["data", odd_folder.to_str().unwrap()], root.path());
    assert!(!message.contains('\u{1b}') && message.contains("\\u{1b}[2Jdata"), "{message}");
    for class in ["a\u{1b}[31m", "b\u{202e}gnp", "c\u{9b}2J"] {
        for number in 0..4 {
            let folder = odd_folder.join(class);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::rename(stroke_image(root.path()), folder.join(format!("{number}.png")))
                .unwrap();
        }
    }
    let output = run(&["data", odd_folder.to_str().unwrap()], root.path());
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    const CONTROL_CHARACTERS: [char; 3] = ['\u{1b}', '\u{202e}', '\u{9b}'];
    assert!(!shown.contains(CONTROL_CHARACTERS), "{shown}");
    // JSON escapes these characters and keeps the names.
    let output = run(&["data", odd_folder.to_str().unwrap(), "--json", "-"], root.path());
    let json = String::from_utf8_lossy(&output.stdout);
    assert!(!json.contains(CONTROL_CHARACTERS), "{json}");
    let report: Value = serde_json::from_str(&json).unwrap();
    assert!(report.to_string().contains("b\u{202e}gnp"), "{json}");
    assert!(!stderr(&output).contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn sum_of_task_sizes_does_not_overflow() {
    let root = tempfile::tempdir().unwrap();
    let max = usize::MAX;
    for (sizes, code, word) in [
        (format!("{max},11"), 1, tr!("advice-sum-to-class-count")),
        (format!("{max},{max},12"), 1, tr!("advice-sum-to-class-count")),
        // Larger than the data set: all of it is one task.
        (format!("{max}+3"), 0, ""),
        (max.to_string(), 0, ""),
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
        let stderr_text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{sizes}: {stderr_text}");
        assert!(stderr_text.contains(word), "{sizes}: {stderr_text}");
    }
}

#[cfg(unix)]
#[test]
fn handles_non_utf8_arguments() {
    use std::os::unix::ffi::OsStrExt;

    let (runs, _) = finished_run();
    let odd = std::ffi::OsStr::from_bytes(b"\xff.png");
    let output = program_command(&["predict", "latest"], runs).arg(odd).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("problem: "), "{}", stderr(&output));
    // An image of such a name is read like any other, alone and in its folder. Not every system has such files.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(odd);
    if std::fs::rename(stroke_image(folder.path()), &path).is_ok() {
        let single = program_command(&["predict", "latest"], runs).arg(&path).output();
        let table = ["predict", "latest", "--csv", "-", "--folder"];
        let in_folder = program_command(&table, runs).arg(folder.path()).output();
        for output in [single.unwrap(), in_folder.unwrap()] {
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
    }
    // An argument that must be text is rejected as wrong usage.
    let output = program_command(&["predict"], runs).arg(odd).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
}

/// A display that does not respond is reported; with `x11`, Wayland is not tried.
#[cfg(target_os = "linux")]
#[test]
fn names_unusable_display() {
    let root = tempfile::tempdir().unwrap();
    let socket = root.path().join("wayland-7");
    let _wayland = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let (missing_display, nobody) = (("DISPLAY", ":65000"), ("WAYLAND_DISPLAY", "wayland-8"));
    let live_wayland = ("WAYLAND_DISPLAY", "wayland-7");
    let display_error = |words: &[&str], variables: &[(&str, &str)]| {
        let mut program = program_command(words, root.path());
        for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "LAE_DISPLAY"] {
            program.env_remove(variable);
        }
        program.env("XDG_RUNTIME_DIR", root.path());
        program.envs(variables.iter().copied());
        let output = program.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stderr(&output)
    };
    let unset = "neither DISPLAY nor WAYLAND_DISPLAY is set";
    assert!(display_error(&[], &[]).contains(unset));
    assert!(
        display_error(&[], &[missing_display, nobody])
            .contains("no X server is responding at :65000")
    );
    assert!(
        display_error(&[], &[nobody]).contains("no Wayland desktop is responding at wayland-8")
    );
    assert!(display_error(&["--display", "x11"], &[live_wayland]).contains("DISPLAY is not set"));
    assert!(
        display_error(&["--display", "x11"], &[missing_display, live_wayland])
            .contains("no X server is responding")
    );
    let requested = ("LAE_DISPLAY", "wayland");
    assert!(
        display_error(&[], &[requested, missing_display]).contains("WAYLAND_DISPLAY is not set")
    );
    assert!(
        display_error(&[], &[("LAE_DISPLAY", "mir"), live_wayland]).contains("auto, x11, wayland")
    );
}
