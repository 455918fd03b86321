//! Datasets that are small on disk but need much memory, time or many files.

use std::fs;
use std::io::Write;
use std::time::Duration;

use lae_studio::data::transform::InputSpec;
use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::problem::Problem;

use super::data::Made;
use super::fuzz::meter::Meter;
use crate::assert_is;

/// Processor time that no input needs, however slow the machine is.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Returns concatenated gzip members, which form one stream: repetition is cheap.
fn gz(members: &[(&[u8], usize)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (bytes, times) in members {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        let packed = encoder.finish().unwrap();
        for _ in 0..*times {
            all.extend_from_slice(&packed);
        }
    }
    all
}

fn tar_entry(name: &str, kind: tar::EntryType, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    let field = &mut header.as_old_mut().name;
    field[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn open_archive(bytes: &[u8], name: &str) -> Result<Dataset, Problem> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let options = OpenOptions {
        unpack_to: Some(folder.path().join("cache")),
        ..OpenOptions::default()
    };
    Dataset::open(path.to_str().unwrap(), &options)
}

#[test]
fn skipped_names_count_toward_limit_and_are_shortened() {
    let name = "n".repeat((1 << 20) - 4096);
    let long = tar_entry(
        "././@LongLink",
        tar::EntryType::GNULongName,
        name.as_bytes(),
    );
    let link = tar_entry("x", tar::EntryType::Symlink, &[]);
    let link = [long, link].concat();
    let problem = open_archive(&gz(&[(&link, 400)]), "links.tgz").unwrap_err();
    assert_is(&problem, "problem-archive-rejected");
    assert!(problem.what.contains("times its size"), "{problem}");
    // Listed names are shortened.
    let made = Made::new();
    made.class("a", 2).class("b", 2);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("s", made.path()).unwrap();
    let mut bytes = tar.into_inner().unwrap();
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(link);
    bytes.extend([0; 1024]);
    let data = open_archive(&bytes, "few.tar").unwrap();
    let left_out = data.skipped.iter().map(|one| one.path.as_os_str().len());
    assert!(left_out.max().unwrap() < 1000);
}

#[test]
fn skips_entries_in_too_deep_folders() {
    let made = Made::new();
    made.class("a", 2).class("b", 2);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("s", made.path()).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(0);
    header.set_mode(0o644);
    let deep = "d/".repeat(200) + "x.png";
    tar.append_data(&mut header, deep, &[][..]).unwrap();
    let data = open_archive(&tar.into_inner().unwrap(), "deep.tar").unwrap();
    assert_eq!(data.train.len() + data.test.len(), 4);
    let reasons = data.skipped.iter().map(|one| one.reason.english.as_str());
    assert_says!(reasons.collect::<String>(), "skip-too-deep");
}

#[test]
fn skips_repeated_archive_names() {
    let made = Made::new();
    made.class("a", 2).class("b", 2);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("s", made.path()).unwrap();
    let mut bytes = tar.into_inner().unwrap();
    bytes.truncate(bytes.len() - 1024);
    let first = fs::read_dir(made.path().join("a")).unwrap().next().unwrap();
    let name = format!("s/a/{}", first.unwrap().file_name().to_str().unwrap());
    bytes.extend(tar_entry(&name, tar::EntryType::Regular, b"no picture"));
    bytes.extend([0; 1024]);
    let data = open_archive(&bytes, "twice.tar").unwrap();
    assert_eq!(data.train.len() + data.test.len(), 4, "{:?}", data.skipped);
    let reasons = data.skipped.iter().map(|one| one.reason.english.as_str());
    assert_says!(reasons.collect::<String>(), "skip-name-impossible");
}

#[test]
fn rejects_pickles_with_expanding_names_or_excess_length() {
    let made = Made::new();
    let mut meta = b"\x80\x02}(U\x10fine_label_names](X".to_vec();
    meta.extend((1u32 << 20).to_le_bytes());
    meta.extend(vec![b'a'; 1 << 20]);
    meta.extend(b"q\x01");
    meta.extend(b"h\x01".repeat(200_000));
    meta.extend(b"eu.");
    made.file("meta", &meta);
    made.file("train", b"\x80\x02}.");
    let meter = Meter::start();
    assert!(made.try_open(&OpenOptions::default()).is_err());
    let (most, time) = meter.stop();
    assert!(most < 600 << 20, "{} MB", most >> 20);
    assert!(time < MOST_TIME, "{time:?}");
    // A pickle with too many instructions.
    let mut train = b"\x80\x02".to_vec();
    train.extend(vec![b'N'; 3_000_000]);
    made.file("train", &train);
    let problem = made.try_open(&OpenOptions::default()).unwrap_err();
    assert_is(&problem, "problem-pickle-unreadable");
    assert!(problem.what.contains("too long"), "{problem}");
}

#[test]
fn ignores_lists_and_tables_with_millions_of_cells() {
    for (name, line) in [("train.txt", "a\n"), ("train.csv", ",\n")] {
        let made = Made::new();
        made.class("a", 2).class("b", 2);
        made.file(name, line.repeat(3_000_000));
        let data = made.open();
        assert_eq!(data.train.len() + data.test.len(), 4);
    }
    // A table of one line with millions of columns.
    let made = Made::new();
    made.pictures(&["1.png", "2.png", "3.png", "4.png"]);
    made.file(
        "labels.csv",
        "1.png,a\n".to_owned() + ",".repeat(17 << 20).as_str(),
    );
    assert!(made.try_open(&OpenOptions::default()).is_err());
}

#[test]
fn looks_up_bare_names_quickly_among_many_folders() {
    let made = Made::new();
    for folder in 0..200 {
        made.pictures(&[
            &format!("c{folder}/p.png"),
            &format!("c{folder}/q{folder}.png"),
        ]);
    }
    let known = "q7 x\nq8.png y\np z\n";
    made.file(
        "train.txt",
        known.to_owned() + "nothing 1\n".repeat(100_000).as_str(),
    );
    let meter = Meter::start();
    let data = made.open();
    let (_, time) = meter.stop();
    assert!(time < MOST_TIME, "{time:?}");
    // `p` is in every folder and is ambiguous.
    assert_eq!(data.train.len() + data.test.len(), 2);
    let more = data
        .skipped
        .iter()
        .any(|one| says!(one.reason.english, "skip-more-listed-not-found"));
    assert!(more && data.skipped.len() < 20_000);
}

#[test]
fn rejects_out_of_range_crop_ratios() {
    for crop_ratio in [1e-45, 0.001, 0.0, -1.0, f32::NAN, 1.5] {
        let spec = InputSpec::new(32, crop_ratio);
        let problem = spec.checked().unwrap_err();
        assert_says!(
            problem.what,
            "problem-crop-ratio-out-of-range",
            smallest_crop = "0.01"
        );
    }
}

#[cfg(unix)]
#[test]
fn skips_links_to_parent_folders() {
    let made = Made::new();
    made.class("set/a", 2).class("set/b", 2).class("private", 3);
    let root = std::path::Path::new("/");
    for (link, to) in [("set/a/up", made.path()), ("set/root", root)] {
        std::os::unix::fs::symlink(to, made.path().join(link)).unwrap();
    }
    // A link to a sibling folder is followed.
    made.class("more", 2);
    let beside = made.path().join("more");
    std::os::unix::fs::symlink(beside, made.path().join("set/c")).unwrap();
    let place = made.path().join("set");
    let data = Dataset::open(place.to_str().unwrap(), &OpenOptions::default()).unwrap();
    assert_eq!(data.classes, ["a", "b", "c"]);
    assert_eq!(data.train.len() + data.test.len(), 6);
    let around =
        |one: &&lae_studio::data::Skipped| says!(one.reason.english, "skip-link-to-parent");
    assert_eq!(data.skipped.iter().filter(around).count(), 2);
}

#[test]
fn large_pickles_use_bounded_memory() {
    const PICTURES: usize = 20_000;
    let made = Made::new();
    let mut meta = b"\x80\x02}(U\x0blabel_names](".to_vec();
    (0..10).for_each(|class| meta.extend(format!("U\x01{class}").bytes()));
    meta.extend(b"eu.");
    made.file("batches.meta", meta);
    // All images share one label, and the pixels are a hole in the file.
    let mut start = b"\x80\x02}(U\x06labels](K\x01q\x01".to_vec();
    start.extend(b"h\x01".repeat(PICTURES - 1));
    start.extend(b"eU\x04data\x8e");
    start.extend((PICTURES as u64 * 3072).to_le_bytes());
    for number in 1..=5 {
        let path = made.path().join(format!("data_batch_{number}"));
        let mut file = fs::File::create(path).unwrap();
        file.write_all(&start).unwrap();
        let length = start.len() + PICTURES * 3072;
        file.set_len(length as u64).unwrap();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
        file.write_all(b"u.").unwrap();
    }
    let meter = Meter::start();
    let problem = made.try_open(&OpenOptions::default()).unwrap_err();
    let (most, _) = meter.stop();
    assert!(problem.place.contains("data_batch_5"), "{problem}");
    assert!(most < 600 << 20, "{} MB", most >> 20);
}

#[test]
fn splits_thousands_of_copies_quickly() {
    let made = Made::new();
    made.class("a", 2).class("b", 2);
    for class in ["a", "b"] {
        let folder = made.path().join(class);
        let files: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
        for file in files {
            for number in 0..1000 {
                let name = format!("{number}-{}", file.file_name().to_str().unwrap());
                fs::hard_link(file.path(), folder.join(name)).unwrap();
            }
        }
    }
    let meter = Meter::start();
    let data = made.open();
    let (_, time) = meter.stop();
    assert!(data.train.len() + data.test.len() >= 4000);
    // Comparing each copy separately took minutes.
    assert!(time < MOST_TIME, "{time:?}");
}
