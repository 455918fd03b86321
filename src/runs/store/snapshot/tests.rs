use super::*;
use crate::tr;

fn rows(count: usize, width: usize, start: f32) -> HostTensor {
    HostTensor {
        shape: vec![count, width],
        values: (0..count * width).map(|index| start + index as f32).collect(),
    }
}

fn write(
    folder: &Path,
    task: usize,
    snapshot: &NamedTensors,
    metadata: HashMap<String, String>,
) -> usize {
    let bytes = tensors::to_bytes(snapshot, metadata).unwrap();
    std::fs::write(snapshot_file(folder, task), &bytes).unwrap();
    snapshot.values().map(|tensor| tensor.values.len()).sum()
}

fn write_next(
    writer: &mut SnapshotWriter,
    folder: &Path,
    task: usize,
    mut snapshot: NamedTensors,
) -> usize {
    let metadata = writer.strip_unchanged(folder, task, &mut snapshot).unwrap();
    write(folder, task, &snapshot, metadata)
}

/// Returns tensors that stay, grow, change in two rows, change completely, and a head for each task.
fn snapshot_after(task: usize) -> NamedTensors {
    let mut pool = rows(6, 20, 0.0);
    for part in 0..2 {
        pool.values[20 * (3 * part + task % 3)] = -1.0;
    }
    let mut named = NamedTensors::from([
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
fn snapshots_store_only_changes_and_load_completely() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut writer = SnapshotWriter::default();
    let stored: Vec<usize> =
        (0..3).map(|task| write_next(&mut writer, folder, task, snapshot_after(task))).collect();
    // Each later snapshot has two new rows of `grows`, all of `moves`, the old and new rows of `pool`, and a head.
    assert_eq!(stored, [32 + 6 + 120 + 200 + 6, 32 + 6 + 80 + 6, 32 + 6 + 80 + 6]);
    for task in 0..3 {
        assert_eq!(load_snapshot(folder, task).unwrap(), snapshot_after(task));
    }
    // A writer that resumes the run writes the same bytes.
    let bytes = std::fs::read(snapshot_file(folder, 2)).unwrap();
    write_next(&mut SnapshotWriter::default(), folder, 2, snapshot_after(2));
    assert!(std::fs::read(snapshot_file(folder, 2)).unwrap() == bytes);
    // A complete snapshot is written if a tensor was removed, or if the previous snapshot is from an older version or
    // cannot be read.
    let mut fewer = snapshot_after(1);
    fewer.remove("stays");
    assert_eq!(write_next(&mut writer, folder, 3, fewer.clone()), 64 + 6 + 120 + 12);
    write(folder, 4, &snapshot_after(2), HashMap::new());
    for task in [5, 9] {
        let mut writer = SnapshotWriter::default();
        write_next(&mut writer, folder, task, fewer.clone());
        assert_eq!(load_snapshot(folder, task).unwrap(), fewer);
    }
}

#[test]
fn missing_or_wrong_parts_are_reported_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut writer = SnapshotWriter::default();
    for task in 0..3 {
        write_next(&mut writer, folder, task, snapshot_after(task));
    }
    let load_error = |task| {
        let problem = load_snapshot(folder, task).unwrap_err();
        (problem.place.clone(), problem)
    };
    let second = std::fs::read(snapshot_file(folder, 1)).unwrap();
    // This snapshot belongs to another run.
    let metadata = complete_metadata(1, &snapshot_after(5)).unwrap();
    write(folder, 1, &snapshot_after(5), metadata);
    let (file, problem) = load_error(2);
    assert!(file.ends_with("task_2.safetensors"), "{file}");
    let what = tr!("problem-snapshot-other-file", task = 3);
    assert_eq!(problem.what, what);
    std::fs::remove_file(snapshot_file(folder, 1)).unwrap();
    let (file, problem) = load_error(2);
    assert!(file.ends_with("task_2.safetensors"), "{file}");
    assert!(problem.what.contains("read the snapshot of task 3"), "{problem}");
    // A first snapshot that depends on a previous one contains rows of a tensor that is missing.
    std::fs::write(snapshot_file(folder, 0), second).unwrap();
    let (file, problem) = load_error(0);
    assert!(file.ends_with("task_1.safetensors"), "{file}");
    assert!(problem.is("problem-snapshot-rows-mismatch"), "{problem}");
}

#[test]
fn rows_must_match_width_and_be_contiguous() {
    let mut tensor = rows(3, 2, 0.0);
    let mut replace = |spans: &[Span], new: HostTensor| replace_rows(&mut tensor, spans, &new);
    assert!(!replace(&[[4, 1]], rows(1, 2, 9.0)));
    assert!(!replace(&[[0, 1]], rows(1, 3, 9.0)));
    assert!(!replace(&[[0, 2]], rows(1, 2, 9.0)));
    assert!(!replace(&[[usize::MAX, 1]], rows(1, 2, 9.0)));
    assert!(!replace(&[[0, usize::MAX], [0, 2]], rows(1, 2, 9.0)));
    assert!(replace(&[[2, 2]], rows(2, 2, 9.0)));
    assert!(replace(&[[0, 1], [3, 2]], rows(3, 2, 20.0)));
    assert_eq!(tensor.shape, [5, 2]);
    let expected = [20.0, 21.0, 2.0, 3.0, 9.0, 10.0, 22.0, 23.0, 24.0, 25.0];
    assert_eq!(tensor.values, expected);
}
