use super::*;
use crate::tr;

fn rows(count: usize, width: usize, begin: f32) -> HostTensor {
    HostTensor {
        shape: vec![count, width],
        values: (0..count * width).map(|at| begin + at as f32).collect(),
    }
}

fn write(folder: &Path, task: usize, snapshot: &Named, metadata: HashMap<String, String>) -> usize {
    let bytes = tensors::to_bytes(snapshot, metadata).unwrap();
    std::fs::write(snapshot_file(folder, task), &bytes).unwrap();
    snapshot.values().map(|tensor| tensor.values.len()).sum()
}

fn next(writer: &mut SnapshotWriter, folder: &Path, task: usize, mut snapshot: Named) -> usize {
    let metadata = writer.next(folder, task, &mut snapshot).unwrap();
    write(folder, task, &snapshot, metadata)
}

/// Returns tensors that stay, grow, change in two rows, change completely, and a head for each task.
fn after(task: usize) -> Named {
    let mut pool = rows(6, 20, 0.0);
    for part in 0..2 {
        pool.values[20 * (3 * part + task % 3)] = -1.0;
    }
    let mut named = Named::from([
        ("grows".into(), rows(2 * task + 2, 16, 0.5)),
        ("moves".into(), rows(2, 3, task as f32)),
        ("pool".into(), pool),
        ("stays".into(), rows(5, 40, 7.0)),
    ]);
    for task in 0..=task {
        named.insert(format!("head.{task}"), rows(3, 2, task as f32));
    }
    named
}

#[test]
fn a_snapshot_holds_what_is_new_and_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut writer = SnapshotWriter::default();
    let held: Vec<usize> = (0..3)
        .map(|task| next(&mut writer, folder, task, after(task)))
        .collect();
    // Each later snapshot has two new rows of `grows`, all of `moves`, the old and new rows of `pool`, and a head.
    assert_eq!(
        held,
        [32 + 6 + 120 + 200 + 6, 32 + 6 + 80 + 6, 32 + 6 + 80 + 6]
    );
    for task in 0..3 {
        assert_eq!(load_snapshot(folder, task).unwrap(), after(task));
    }
    // A writer that resumes the run writes the same bytes.
    let bytes = std::fs::read(snapshot_file(folder, 2)).unwrap();
    next(&mut SnapshotWriter::default(), folder, 2, after(2));
    assert!(std::fs::read(snapshot_file(folder, 2)).unwrap() == bytes);
    // A complete snapshot is written if a tensor was removed, or if the previous snapshot is from an older version or
    // cannot be read.
    let mut fewer = after(1);
    fewer.remove("stays");
    assert_eq!(
        next(&mut writer, folder, 3, fewer.clone()),
        64 + 6 + 120 + 12
    );
    write(folder, 4, &after(2), HashMap::new());
    for task in [5, 9] {
        let mut writer = SnapshotWriter::default();
        next(&mut writer, folder, task, fewer.clone());
        assert_eq!(load_snapshot(folder, task).unwrap(), fewer);
    }
}

#[test]
fn a_missing_foreign_or_wrong_part_is_a_problem_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut writer = SnapshotWriter::default();
    for task in 0..3 {
        next(&mut writer, folder, task, after(task));
    }
    let place = |task| {
        let problem = load_snapshot(folder, task).unwrap_err();
        (problem.place.clone(), problem)
    };
    let second = std::fs::read(snapshot_file(folder, 1)).unwrap();
    // This snapshot belongs to another run.
    let metadata = whole(1, &after(5)).unwrap();
    write(folder, 1, &after(5), metadata);
    let (file, problem) = place(2);
    assert!(file.ends_with("task_2.safetensors"), "{file}");
    let what = tr!("problem-snapshot-other-file", task = 3);
    assert_eq!(problem.what, what);
    std::fs::remove_file(snapshot_file(folder, 1)).unwrap();
    let (file, problem) = place(2);
    assert!(file.ends_with("task_2.safetensors"), "{file}");
    assert!(
        problem.what.contains("read the snapshot of task 3"),
        "{problem}"
    );
    // A first snapshot that depends on a previous one contains rows of a tensor that is missing.
    std::fs::write(snapshot_file(folder, 0), second).unwrap();
    let (file, problem) = place(0);
    assert!(file.ends_with("task_1.safetensors"), "{file}");
    assert!(problem.is("problem-snapshot-rows-mismatch"), "{problem}");
}

#[test]
fn rows_fit_a_tensor_of_their_width_that_reaches_them() {
    let mut tensor = rows(3, 2, 0.0);
    let mut put = |spans: &[Span], new: HostTensor| replace_rows(&mut tensor, spans, &new);
    assert!(!put(&[[4, 1]], rows(1, 2, 9.0)));
    assert!(!put(&[[0, 1]], rows(1, 3, 9.0)));
    assert!(!put(&[[0, 2]], rows(1, 2, 9.0)));
    assert!(!put(&[[usize::MAX, 1]], rows(1, 2, 9.0)));
    assert!(!put(&[[0, usize::MAX], [0, 2]], rows(1, 2, 9.0)));
    assert!(put(&[[2, 2]], rows(2, 2, 9.0)));
    assert!(put(&[[0, 1], [3, 2]], rows(3, 2, 20.0)));
    assert_eq!(tensor.shape, [5, 2]);
    let wanted = [20.0, 21.0, 2.0, 3.0, 9.0, 10.0, 22.0, 23.0, 24.0, 25.0];
    assert_eq!(tensor.values, wanted);
}
