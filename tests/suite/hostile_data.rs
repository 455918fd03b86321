//! Datasets that are small on disk but need much memory, time or many files.

use std::fs;
use std::io::Write;
use std::time::Duration;

use lae_studio::data::transform::InputSpec;
use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::problem::Problem;

use super::data::DatasetFixture;
use super::fuzz::meter::Meter;
use crate::assert_is;

/// Processor time that no input needs, however slow the machine is.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Returns concatenated gzip members, which form one stream: repetition is cheap.
fn gzip_members(members: &[(&[u8], usize)]) -> Vec<u8> {
    let mut stream = Vec::new();
    for (bytes, times) in members {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        let packed = encoder.finish().unwrap();
        for _ in 0..*times {
            stream.extend_from_slice(&packed);
        }
    }
    stream
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
    let options =
        OpenOptions { unpack_to: Some(folder.path().join("cache")), ..OpenOptions::default() };
    Dataset::open(path.to_str().unwrap(), &options)
}

#[test]
fn skipped_names_count_toward_limit_and_are_shortened() {
    let name = "n".repeat((1 << 20) - 4096);
    let long_name_entry = tar_entry("././@LongLink", tar::EntryType::GNULongName, name.as_bytes());
    let link = tar_entry("x", tar::EntryType::Symlink, &[]);
    let link = [long_name_entry, link].concat();
    let problem = open_archive(&gzip_members(&[(&link, 400)]), "links.tgz").unwrap_err();
    assert_is(&problem, "problem-archive-rejected");
    assert!(problem.what.contains("times its size"), "{problem}");
    // Listed names are shortened.
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 2).write_class("b", 2);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("s", fixture.path()).unwrap();
    let mut bytes = tar.into_inner().unwrap();
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(link);
    bytes.extend([0; 1024]);
    let data = open_archive(&bytes, "few.tar").unwrap();
    let path_lengths = data.skipped.iter().map(|skipped| skipped.path.as_os_str().len());
    assert!(path_lengths.max().unwrap() < 1000);
}

#[test]
fn skips_entries_in_too_deep_folders() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 2).write_class("b", 2);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("s", fixture.path()).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(0);
    header.set_mode(0o644);
    let deep_path = "d/".repeat(200) + "x.png";
    tar.append_data(&mut header, deep_path, &[][..]).unwrap();
    let data = open_archive(&tar.into_inner().unwrap(), "deep.tar").unwrap();
    assert_eq!(data.train.len() + data.test.len(), 4);
    let reasons = data.skipped.iter().map(|skipped| skipped.reason.english.as_str());
    assert_says!(reasons.collect::<String>(), "skip-too-deep");
}

#[test]
fn skips_repeated_archive_names() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 2).write_class("b", 2);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("s", fixture.path()).unwrap();
    let mut bytes = tar.into_inner().unwrap();
    bytes.truncate(bytes.len() - 1024);
    let first = fs::read_dir(fixture.path().join("a")).unwrap().next().unwrap();
    let name = format!("s/a/{}", first.unwrap().file_name().to_str().unwrap());
    bytes.extend(tar_entry(&name, tar::EntryType::Regular, b"no picture"));
    bytes.extend([0; 1024]);
    let data = open_archive(&bytes, "twice.tar").unwrap();
    assert_eq!(data.train.len() + data.test.len(), 4, "{:?}", data.skipped);
    let reasons = data.skipped.iter().map(|skipped| skipped.reason.english.as_str());
    assert_says!(reasons.collect::<String>(), "skip-name-impossible");
}

#[test]
fn rejects_pickles_with_expanding_names_or_excess_length() {
    let fixture = DatasetFixture::new();
    let mut meta = b"\x80\x02}(U\x10fine_label_names](X".to_vec();
    meta.extend((1u32 << 20).to_le_bytes());
    meta.extend(vec![b'a'; 1 << 20]);
    meta.extend(b"q\x01");
    meta.extend(b"h\x01".repeat(200_000));
    meta.extend(b"eu.");
    fixture.write_file("meta", &meta);
    fixture.write_file("train", b"\x80\x02}.");
    let meter = Meter::start();
    assert!(fixture.try_open(&OpenOptions::default()).is_err());
    let (peak_memory, time) = meter.stop();
    assert!(peak_memory < 600 << 20, "{} MB", peak_memory >> 20);
    assert!(time < TIME_LIMIT, "{time:?}");
    // A pickle with too many instructions.
    let mut train = b"\x80\x02".to_vec();
    train.extend(vec![b'N'; 3_000_000]);
    fixture.write_file("train", &train);
    let problem = fixture.try_open(&OpenOptions::default()).unwrap_err();
    assert_is(&problem, "problem-pickle-unreadable");
    assert!(problem.what.contains("too long"), "{problem}");
}

#[test]
fn ignores_lists_and_tables_with_millions_of_cells() {
    for (name, line) in [("train.txt", "a\n"), ("train.csv", ",\n")] {
        let fixture = DatasetFixture::new();
        fixture.write_class("a", 2).write_class("b", 2);
        fixture.write_file(name, line.repeat(3_000_000));
        let data = fixture.open();
        assert_eq!(data.train.len() + data.test.len(), 4);
    }
    // A table of one line with millions of columns.
    let fixture = DatasetFixture::new();
    fixture.write_images(&["1.png", "2.png", "3.png", "4.png"]);
    fixture.write_file("labels.csv", "1.png,a\n".to_owned() + ",".repeat(17 << 20).as_str());
    assert!(fixture.try_open(&OpenOptions::default()).is_err());
}

#[test]
fn looks_up_bare_names_quickly_among_many_folders() {
    let fixture = DatasetFixture::new();
    for folder in 0..200 {
        fixture.write_images(&[&format!("c{folder}/p.png"), &format!("c{folder}/q{folder}.png")]);
    }
    let existing_names = "q7 x\nq8.png y\np z\n";
    fixture.write_file(
        "train.txt",
        existing_names.to_owned() + "nothing 1\n".repeat(100_000).as_str(),
    );
    let meter = Meter::start();
    let data = fixture.open();
    let (_, time) = meter.stop();
    assert!(time < TIME_LIMIT, "{time:?}");
    // `p` is in every folder and is ambiguous.
    assert_eq!(data.train.len() + data.test.len(), 2);
    let reports_more = data
        .skipped
        .iter()
        .any(|skipped| says!(skipped.reason.english, "skip-more-listed-not-found"));
    assert!(reports_more && data.skipped.len() < 20_000);
}

#[test]
fn rejects_out_of_range_crop_ratios() {
    for crop_ratio in [1e-45, 0.001, 0.0, -1.0, f32::NAN, 1.5] {
        let spec = InputSpec::new(32, crop_ratio);
        let problem = spec.checked().unwrap_err();
        assert_says!(problem.what, "problem-crop-ratio-out-of-range", smallest_crop = "0.01");
    }
}

#[cfg(unix)]
#[test]
fn skips_links_to_parent_folders() {
    let fixture = DatasetFixture::new();
    fixture.write_class("set/a", 2).write_class("set/b", 2).write_class("private", 3);
    let root = std::path::Path::new("/");
    for (link, target) in [("set/a/up", fixture.path()), ("set/root", root)] {
        std::os::unix::fs::symlink(target, fixture.path().join(link)).unwrap();
    }
    // A link to a sibling folder is followed.
    fixture.write_class("more", 2);
    let sibling = fixture.path().join("more");
    std::os::unix::fs::symlink(sibling, fixture.path().join("set/c")).unwrap();
    let path = fixture.path().join("set");
    let data = Dataset::open(path.to_str().unwrap(), &OpenOptions::default()).unwrap();
    assert_eq!(data.classes, ["a", "b", "c"]);
    assert_eq!(data.train.len() + data.test.len(), 6);
    let is_parent_link =
        |skipped: &&lae_studio::data::Skipped| says!(skipped.reason.english, "skip-link-to-parent");
    assert_eq!(data.skipped.iter().filter(is_parent_link).count(), 2);
}

#[test]
fn large_pickles_use_bounded_memory() {
    const IMAGES: usize = 20_000;
    let fixture = DatasetFixture::new();
    let mut meta = b"\x80\x02}(U\x0blabel_names](".to_vec();
    (0..10).for_each(|class| meta.extend(format!("U\x01{class}").bytes()));
    meta.extend(b"eu.");
    fixture.write_file("batches.meta", meta);
    // All images share one label, and the pixels are a hole in the file.
    let mut header = b"\x80\x02}(U\x06labels](K\x01q\x01".to_vec();
    header.extend(b"h\x01".repeat(IMAGES - 1));
    header.extend(b"eU\x04data\x8e");
    header.extend((IMAGES as u64 * 3072).to_le_bytes());
    for number in 1..=5 {
        let path = fixture.path().join(format!("data_batch_{number}"));
        let mut file = fs::File::create(path).unwrap();
        file.write_all(&header).unwrap();
        let length = header.len() + IMAGES * 3072;
        file.set_len(length as u64).unwrap();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).unwrap();
        file.write_all(b"u.").unwrap();
    }
    let meter = Meter::start();
    let problem = fixture.try_open(&OpenOptions::default()).unwrap_err();
    let (peak_memory, _) = meter.stop();
    assert!(problem.place.contains("data_batch_5"), "{problem}");
    assert!(peak_memory < 600 << 20, "{} MB", peak_memory >> 20);
}

#[test]
fn splits_thousands_of_copies_quickly() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 2).write_class("b", 2);
    for class in ["a", "b"] {
        let folder = fixture.path().join(class);
        let files: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
        for file in files {
            for number in 0..1000 {
                let name = format!("{number}-{}", file.file_name().to_str().unwrap());
                fs::hard_link(file.path(), folder.join(name)).unwrap();
            }
        }
    }
    let meter = Meter::start();
    let data = fixture.open();
    let (_, time) = meter.stop();
    assert!(data.train.len() + data.test.len() >= 4000);
    // Comparing each copy separately took minutes.
    assert!(time < TIME_LIMIT, "{time:?}");
}
