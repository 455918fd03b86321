//! CIFAR-10 and CIFAR-100 as distributed: record files ("binary version") and pickles ("python version").
//!
//! Binary: CIFAR-10 has one label byte and 3,072 pixel bytes per record, CIFAR-100 two label bytes
//! (coarse, fine; the fine one is the class) before the pixels. Both forms end in the same [`Records`].
//! Source: A. Krizhevsky, *Learning multiple layers of features from tiny images*, 2009.

use std::path::Path;

use super::record::{PixelLayout, Records};
use super::source::Sample;
use super::tree::Dir;
use super::{RawDataset, Skipped, pickle};
use crate::counts::count_with_noun;
use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::Words;

const SIDE: usize = 32;
const PIXELS: usize = SIDE * SIDE * 3;
/// Maximum size of the files of a split in bytes; CIFAR's largest split has 154 MB.
const MAX_SPLIT_BYTES: u64 = 256 << 20;

/// The description of one of the four forms.
struct Format {
    name: &'static str,
    train: &'static [&'static str],
    test: &'static str,
    /// Name of the file with the class names.
    names_file: &'static str,
    classes: usize,
    /// Number of label bytes before the pixels; 0 for pickles.
    label_bytes: usize,
    /// Keys of the labels and of the class names in pickles; empty for record files.
    keys: (&'static str, &'static str),
}

const CIFAR_100: Format = Format {
    name: "CIFAR-100",
    train: &["train.bin"],
    test: "test.bin",
    names_file: "fine_label_names.txt",
    classes: 100,
    label_bytes: 2,
    keys: ("", ""),
};

const CIFAR_10: Format = Format {
    name: "CIFAR-10",
    train: &[
        "data_batch_1.bin",
        "data_batch_2.bin",
        "data_batch_3.bin",
        "data_batch_4.bin",
        "data_batch_5.bin",
    ],
    test: "test_batch.bin",
    names_file: "batches.meta.txt",
    classes: 10,
    label_bytes: 1,
    keys: ("", ""),
};

const FORMATS: [Format; 4] = [
    CIFAR_100,
    CIFAR_10,
    Format {
        train: &["train"],
        test: "test",
        names_file: "meta",
        label_bytes: 0,
        keys: ("fine_labels", "fine_label_names"),
        ..CIFAR_100
    },
    Format {
        train: &["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"],
        test: "test_batch",
        names_file: "batches.meta",
        label_bytes: 0,
        keys: ("labels", "label_names"),
        ..CIFAR_10
    },
];

/// Returns the dataset in this folder if it contains CIFAR's files.
///
/// # Errors
/// Returns a Problem if the files exist but cannot be read or are damaged.
pub fn open(dir: &Dir) -> Result<Option<RawDataset>> {
    let has_file = |name: &str| dir.others.iter().any(|other| other == name);
    // A file named `train` is not enough evidence, so pickles need their `meta` file, too.
    let is_complete = |format: &&Format| {
        has_file(format.train[0]) && (format.label_bytes > 0 || has_file(format.names_file))
    };
    FORMATS
        .iter()
        .find(|format| is_complete(format) && has_valid_labels(format, &dir.path))
        .map(|format| read(format, &dir.path, &has_file))
        .transpose()
}

/// Returns whether the first file contains records: their labels must be below the number of classes. Pickles are
/// recognised by their file names only.
fn has_valid_labels(format: &Format, folder: &Path) -> bool {
    if format.label_bytes == 0 {
        return true;
    }
    let record_len = format.label_bytes + PIXELS;
    // Read errors are reported when the file is read completely.
    let Ok(start) = files::read_start(&folder.join(format.train[0]), 64 * record_len as u64) else {
        return true;
    };
    start
        .chunks_exact(record_len)
        .all(|bytes| usize::from(bytes[format.label_bytes - 1]) < format.classes)
}

fn read(format: &Format, folder: &Path, has_file: &dyn Fn(&str) -> bool) -> Result<RawDataset> {
    let mut found = RawDataset {
        name: format.name.to_owned(),
        note: format!(
            "{}: 32×32 colour photographs, A. Krizhevsky, 2009; a labelled part of the Tiny Images collection, for research.",
            format.name
        ),
        ..RawDataset::default()
    };
    found.classes = class_names(format, folder, has_file, &mut found.assumed)?;
    let mut split = |files: &[&str]| -> Result<Vec<Sample>> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut labels = Vec::new();
        for &name in files {
            let path = folder.join(name);
            if !has_file(name) {
                let reason = message!("skip-missing-from-dataset");
                found.skipped.push(Skipped::new(path, reason));
                continue;
            }
            let batch = read_batch(format, &path, MAX_SPLIT_BYTES - bytes.len() as u64)?;
            if let Some(reason) = batch.damage {
                found.skipped.push(Skipped::new(path, reason));
            }
            if bytes.is_empty() {
                // Avoids copying the only file of a split.
                bytes = batch.bytes;
            } else {
                bytes.reserve_exact(batch.bytes.len());
                bytes.extend_from_slice(&batch.bytes);
            }
            labels.extend(batch.labels);
        }
        Ok(Sample::from_records(Records {
            height: SIDE,
            width: SIDE,
            pixels: PixelLayout::Planes,
            stride: format.label_bytes + PIXELS,
            offset: format.label_bytes,
            bytes: bytes.into(),
            labels,
            names: found.classes.clone(),
        }))
    };
    let train = split(format.train)?;
    let test = has_file(format.test).then(|| split(&[format.test])).transpose()?;
    Ok(RawDataset { train, test, ..found })
}

/// The records of one file.
struct Batch {
    bytes: Vec<u8>,
    labels: Vec<Option<u32>>,
    /// What is wrong with the file, if some labels or bytes are unusable.
    damage: Option<Words>,
}

/// Reads a file completely, if it has at most `max_bytes` bytes.
fn read_file(path: &Path, max_bytes: u64, doing: &str) -> Result<Vec<u8>> {
    files::read(path, max_bytes).map_err(|error| Problem::io(doing, path, &error))
}

fn read_batch(format: &Format, path: &Path, max_bytes: u64) -> Result<Batch> {
    let bytes = read_file(path, max_bytes, "read the records")?;
    if format.label_bytes == 0 {
        return from_pickle(format, bytes).map_err(|problem| problem.at_path(path));
    }
    Ok(from_records(format, bytes))
}

fn from_records(format: &Format, mut bytes: Vec<u8>) -> Batch {
    let stride = format.label_bytes + PIXELS;
    let rest = bytes.len() % stride;
    bytes.truncate(bytes.len() - rest);
    let labels: Vec<Option<u32>> = bytes
        .chunks_exact(stride)
        .map(|record| valid_label(format, i64::from(record[format.label_bytes - 1])))
        .collect();
    let damage = (rest > 0).then(|| message!("skip-truncated", n = labels.len(), rest).into());
    let damage = damage.or_else(|| label_damage(&labels));
    Batch { bytes, labels, damage }
}

fn valid_label(format: &Format, label: i64) -> Option<u32> {
    u32::try_from(label).ok().filter(|&label| (label as usize) < format.classes)
}

fn label_damage(labels: &[Option<u32>]) -> Option<Words> {
    let bad = labels.iter().filter(|label| label.is_none()).count();
    (bad > 0).then(|| message!("skip-unknown-labels", n = bad).into())
}

fn from_pickle(format: &Format, mut bytes: Vec<u8>) -> Result<Batch> {
    let damaged_problem = |what: &str| {
        Problem::new(message!("problem-cifar-file-damaged", what))
            .advise(message!("advice-download-again"))
    };
    let pickle = pickle::read(&bytes)?;
    let labels: Vec<Option<u32>> = pickle
        .get(format.keys.0)
        .and_then(|labels| pickle.numbers(labels))
        .ok_or_else(|| damaged_problem("it contains no list of labels"))?
        .into_iter()
        .map(|label| valid_label(format, label))
        .collect();
    let pixels = pickle
        .get("data")
        .and_then(|data| pickle.array_range(data))
        .ok_or_else(|| damaged_problem("it contains no pixels"))?;
    drop(pickle);
    if pixels.len() != labels.len() * PIXELS {
        return Err(damaged_problem(&format!(
            "{} but {} of pixels",
            count_with_noun(labels.len(), "label"),
            count_with_noun(pixels.len(), "byte")
        )));
    }
    let damage = label_damage(&labels);
    // The pixels are moved within the buffer, because a copy would double the memory of a large file.
    bytes.truncate(pixels.end);
    bytes.drain(..pixels.start);
    Ok(Batch { bytes, labels, damage })
}

fn class_names(
    format: &Format,
    folder: &Path,
    has_file: &dyn Fn(&str) -> bool,
    assumed: &mut Vec<Words>,
) -> Result<Vec<String>> {
    let path = folder.join(format.names_file);
    let names = if !has_file(format.names_file) {
        None
    } else if format.label_bytes == 0 {
        let bytes = read_file(&path, files::TEXT, "read the class names")?;
        let pickle = pickle::read(&bytes).map_err(|problem| problem.at_path(&path))?;
        pickle.get(format.keys.1).and_then(|names| pickle.strings(names, format.classes))
    } else {
        let text = read_file(&path, files::TEXT, "read the class names")?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Some(lines.map(str::to_owned).collect())
    };
    if let Some(names) = names.filter(|names: &Vec<String>| names.len() == format.classes) {
        return Ok(names);
    }
    let remark =
        message!("remark-class-names-missing", file = format.names_file, n = format.classes);
    assumed.push(remark.into());
    Ok((0..format.classes).map(|class| format!("class {class:03}")).collect())
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;

    use super::*;
    use lae_base::tr;

    fn record(labels: &[u8], fill: u8) -> Vec<u8> {
        [labels, &vec![fill; PIXELS]].concat()
    }

    #[test]
    fn reads_fine_labels_and_reports_truncated_record() {
        let format = &FORMATS[0];
        let mut bytes = [record(&[3, 42], 7), record(&[0, 99], 8), record(&[0, 200], 9)].concat();
        bytes.extend([1, 2, 3]);
        let batch = from_records(format, bytes);
        assert_eq!(batch.labels, [Some(42), Some(99), None]);
        assert!(batch.damage.unwrap() == &*tr!("skip-truncated", n = 3, rest = 3));
    }

    proptest! {
        #[test]
        fn reads_arbitrary_bytes_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..9_000)) {
            for form in &FORMATS[..2] {
                let length = bytes.len();
                let batch = from_records(form, bytes.clone());
                prop_assert_eq!(batch.labels.len(), length / (form.label_bytes + PIXELS));
                prop_assert!(batch.labels.iter().flatten().all(|&l| (l as usize) < form.classes));
            }
            let _ = from_pickle(&FORMATS[2], bytes);
        }
    }
}
