//! Invalid added tasks: each is rejected with one clear sentence, and the run stays unchanged.

use super::*;
use crate::assert_is;
use lae_studio::store::RunFolder;

#[test]
fn rejected_added_task_leaves_run_unchanged() {
    let root = tempfile::tempdir().unwrap();
    let good = letters("AB", 5);
    let run = train_run(&config("lae"), root.path());
    let before = folder_contents(&run);
    let empty = DatasetFixture::new();
    let broken = DatasetFixture::new();
    for name in ["x/1.png", "x/2.png", "y/1.jpg", "y/2.jpg"] {
        broken.write_file(name, "no picture");
    }
    let text = DatasetFixture::new();
    text.write_file("x/notes.txt", "a").write_file("y/notes.txt", "b");
    let single_class = letters("A", 5);
    let cases = [
        (empty.path().to_path_buf(), "problem-folder-empty"),
        (broken.path().to_path_buf(), "problem-no-training-images-skipped"),
        (text.path().to_path_buf(), "problem-folder-without-images"),
        (PathBuf::from("/nowhere/at/all"), "problem-dataset-not-found"),
    ];
    for (folder, id) in cases {
        let problem = teach_error(&run, &folder);
        assert!(problem.mentions(id), "{id}: {problem}");
        assert!(!problem.remedy.is_empty(), "{problem}");
        assert!(!problem.what.contains('\n'), "{problem}");
        assert!(folder_contents(&run) == before, "{id}");
    }
    let prompts = train_run(&config("l2p"), root.path());
    let unchanged = folder_contents(&prompts);
    let problem = teach_error(&prompts, single_class.path());
    assert_is(&problem, "problem-added-task-single-class");
    assert_says!(problem.remedy, "advice-add-second-class");
    assert!(folder_contents(&prompts) == unchanged);
    // A single class is enough for a method that compares with class means.
    let prototypes = train_run(&config("simplecil"), root.path());
    add_task(&prototypes, single_class.path());
    // A folder of images is also one class.
    let flat = single_class.path().join("A");
    let header = |run: &Path| store::load_run(run).unwrap().header;
    add_task(&prototypes, &flat);
    assert_eq!(header(&prototypes).class_order[10..], ["A", "A (2)"]);

    let lock = RunFolder::open(&run).unwrap();
    let problem = teach_error(&run, good.path());
    assert_is(&problem, "problem-run-in-use");
    assert!(store::undo_added_task(&run).unwrap_err().mentions("problem-run-in-use"));
    drop(lock);
    let problem = teach_error(root.path(), good.path());
    assert_is(&problem, "problem-folder-without-run");

    let joint = train_run(&config("joint-ft"), root.path());
    let problem = teach_error(&joint, good.path());
    assert_is(&problem, "problem-joint-method-cannot-add");
}

#[test]
fn rejects_runs_without_task_backbone_or_state() {
    let root = tempfile::tempdir().unwrap();
    let good = letters("AB", 5);
    let control = Control::default();
    let mut sink = StopInTask { control: control.clone(), task: 0 };
    let run = train_run_with(&config("lae"), root.path(), &mut sink, &control);
    let problem = teach_error(&run, good.path());
    assert_is(&problem, "problem-no-finished-task");

    let run = train_run(&config("lae"), root.path());
    let path = run.join("run.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let edit = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let problem = teach_error(&run, good.path());
        std::fs::write(&path, &text).unwrap();
        problem
    };
    let missing_weights = edit("backbone = \"lae-nano\"", "backbone = \"/gone/net.safetensors\"");
    assert!(missing_weights.to_string().contains("/gone/net.safetensors"), "{missing_weights}");
    let sha = &store::load_run(&run).unwrap().header.weights_sha256;
    let changed_weights = edit(sha, &"0".repeat(64));
    assert_is(&changed_weights, "problem-backbone-weights-changed");
    let unknown_method = edit("method = \"lae\"", "method = \"warp\"");
    assert_says!(unknown_method.what, "problem-method-not-found", key = "warp");
    std::fs::remove_file(run.join("task_2.safetensors")).unwrap();
    let problem = teach_error(&run, good.path());
    assert!(problem.what.contains("snapshot of task 2"), "{problem}");

    // An older version stored no state with a finished run.
    let run = train_run(&config("ranpac"), root.path());
    std::fs::remove_file(run.join("state.safetensors")).unwrap();
    let problem = teach_error(&run, good.path());
    assert_is(&problem, "problem-learning-data-older-version");
    assert_says!(problem.remedy, "advice-train-run-again");
}

#[test]
fn rejects_task_when_components_exceed_channels() {
    let root = tempfile::tempdir().unwrap();
    let mut config = config("coda-prompt");
    apply_assignment(&mut config, "pool=100").unwrap();
    let run = train_run(&config, root.path());
    let added_tasks = ["AB", "CD", "EF"].map(|names| letters(names, 3));
    let before = folder_contents(&run);
    let mut problems = Vec::new();
    for added_task in &added_tasks {
        problems.extend(teach(&run, added_task.path()).err());
    }
    let problem = problems.first().unwrap();
    assert_is(problem, "problem-no-room-for-task");
    assert_says!(problem.what, "problem-components-exceed-channels");
    while store::undo_added_task(&run).is_ok() {}
    assert!(folder_contents(&run) == before);
}

#[test]
fn detects_modified_files_of_added_task() {
    let root = tempfile::tempdir().unwrap();
    let run = train_run(&config("simplecil"), root.path());
    add_task(&run, letters("AB", 6).path());
    let stored = store::load_run(&run).unwrap();
    let added_task = &stored.header.added_tasks[0];
    let folder = run.join("lessons/task_3");
    let test_picture = |index: usize| {
        let images = store::added_task_images(&run, 2, added_task, 16)?;
        images.test_image(index)
    };
    let name = test_picture(0).unwrap().name;
    assert!(name.starts_with("A/"), "{name}");
    assert!(test_picture(9).is_err());
    // Training images come first in the list.
    let image_path = folder.join("pictures/0011.png");
    let bytes = std::fs::read(&image_path).unwrap();
    std::fs::copy(folder.join("pictures/0001.png"), &image_path).unwrap();
    let problem = test_picture(0).unwrap_err();
    assert_is(&problem, "problem-image-changed-since-learned");
    // Another added task would be evaluated on a changed image.
    let problem = teach_error(&run, letters("CD", 5).path());
    assert_is(&problem, "problem-image-changed-since-learned");
    std::fs::write(&image_path, bytes).unwrap();
    let list = folder.join("pictures.csv");
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, text.replacen("png", "../../etc/passwd", 1)).unwrap();
    assert!(test_picture(0).unwrap_err().mentions("problem-run-table-damaged"));
    std::fs::write(&list, text.replacen("A/", "Z/", 1)).unwrap();
    assert!(test_picture(0).unwrap_err().mentions("problem-added-task-images-changed"));
    std::fs::write(&list, &text).unwrap();
    test_picture(0).unwrap();

    let task_file = folder.join("lesson.toml");
    let text = std::fs::read_to_string(&task_file).unwrap();
    let unreadable = "problem-added-task-unreadable";
    for (from, to, id, word) in [
        ("format = 1", "format = 9", "problem-added-task-newer-version", ""),
        ("\"A\"", "\"B\"", unreadable, "same name"),
        ("train_images = [5, 5]", "train_images = [5]", unreadable, "numbers of images"),
        ("batch = ", "batch = x", unreadable, ""),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(&task_file, text.replacen(from, to, 1)).unwrap();
        let problem = store::load_run(&run).unwrap_err();
        assert_is(&problem, id);
        assert!(problem.what.contains(word), "{word}: {problem}");
    }
    std::fs::write(&task_file, text).unwrap();
    // The number of the added task is too high.
    std::fs::rename(&folder, run.join("lessons/task_7")).unwrap();
    let problem = store::load_run(&run).unwrap_err();
    assert_says!(problem.what, "problem-added-task-number", task = 7);
}

#[cfg(unix)]
#[test]
fn added_tasks_are_not_written_through_symlink() {
    let root = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let outside_file = outside.path().join("mine.partial");
    std::fs::write(&outside_file, "precious").unwrap();
    let run = train_run(&config("simplecil"), root.path());
    std::os::unix::fs::symlink(outside.path(), run.join("lessons")).unwrap();
    let problem = teach_error(&run, letters("AB", 5).path());
    assert_is(&problem, "problem-run-folder-is-link");
    assert!(outside_file.exists());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}
