//! Archives and CIFAR: every format gives the same images, and hostile files are rejected.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lae_studio::data::{Dataset, OpenOptions, Sample};
use lae_studio::problem::Problem;
use proptest::prelude::*;

use super::data::DatasetFixture;
use super::shared_folder;
use crate::assert_is;
use crate::skip::skip;

fn open(path: &Path) -> Result<Dataset, Problem> {
    // One cache for all tests.
    static CACHE: OnceLock<PathBuf> = OnceLock::new();
    let cache = CACHE.get_or_init(shared_folder);
    let options = OpenOptions { unpack_to: Some(cache.clone()), ..OpenOptions::default() };
    Dataset::open(path.to_str().unwrap(), &options)
}

/// Returns the name and pixels of every image.
fn content(samples: &[Sample]) -> Vec<(String, Vec<u8>)> {
    samples.iter().map(|sample| (sample.name(), sample.decode().unwrap().into_raw())).collect()
}

fn build_tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_ustar();
        // Set directly, because the builder rejects names outside the archive.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

fn build_zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Returns a small image folder as archive entries.
fn entries(fixture: &DatasetFixture) -> Vec<(String, Vec<u8>)> {
    fixture
        .write_class("train/a", 3)
        .write_class("train/b", 3)
        .write_class("test/a", 2)
        .write_class("test/b", 2);
    let mut list = Vec::new();
    for split in ["train", "test"] {
        for class in ["a", "b"] {
            for entry in fs::read_dir(fixture.path().join(split).join(class)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(fixture.path()).unwrap().to_str().unwrap().to_owned();
                list.push((format!("my set/{name}"), fs::read(path).unwrap()));
            }
        }
    }
    list
}

#[test]
fn archives_yield_same_images_as_folder() {
    let fixture = DatasetFixture::new();
    let list = entries(&fixture);
    let borrowed: Vec<(&str, &[u8])> =
        list.iter().map(|(n, b)| (n.as_str(), b.as_slice())).collect();
    let folder = fixture.open();
    let dir = tempfile::tempdir().unwrap();
    let tar = build_tar(&borrowed);
    for (name, bytes) in [
        ("x.tar", tar.clone()),
        ("x.tar.gz", gzip(&tar)),
        ("x.zip", build_zip(&borrowed)),
        ("odd.bin", tar),
    ] {
        let path = write_file(dir.path(), name, &bytes);
        for _ in 0..2 {
            let data = open(&path).unwrap();
            assert_eq!(content(&data.train), content(&folder.train), "{name}");
            assert_eq!(content(&data.test), content(&folder.test), "{name}");
            assert_eq!(data.origin, path.to_str().unwrap());
        }
    }
}

#[test]
fn concurrent_unpacking_yields_same_images() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 40).write_class("b", 40);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("set", fixture.path()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.tar");
    fs::write(&path, tar.into_inner().unwrap()).unwrap();
    let cache_dir = folder.path().join("shelf");
    let read = || {
        let options = OpenOptions { unpack_to: Some(cache_dir.clone()), ..OpenOptions::default() };
        let data = Dataset::open(path.to_str().unwrap(), &options).unwrap();
        content(&data.train)
    };
    let contents: Vec<_> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert_eq!(contents[0].len(), 64);
    assert!(contents.iter().all(|result| *result == contents[0]));
    // Only the result of the first remains.
    assert_eq!(fs::read_dir(&cache_dir).unwrap().count(), 1);
}

#[test]
fn skips_archive_entries_outside_folder() {
    let fixture = DatasetFixture::new();
    let list = entries(&fixture);
    let png = list[0].1.clone();
    let mut borrowed: Vec<(&str, &[u8])> =
        list.iter().map(|(n, b)| (n.as_str(), b.as_slice())).collect();
    for escaping_name in
        ["../escaped.png", "my set/../../escaped.png", "/tmp/escaped-by-lae-test.png"]
    {
        borrowed.push((escaping_name, &png));
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in [("evil.tar", build_tar(&borrowed)), ("evil.zip", build_zip(&borrowed))] {
        let data = open(&write_file(dir.path(), name, &bytes)).unwrap();
        assert_eq!(data.train.len() + data.test.len(), 10);
        let rejected =
            data.skipped.iter().filter(|s| says!(s.reason.english, "skip-leads-out")).count();
        assert!(rejected >= 2, "{name}: {:?}", data.skipped);
    }
    assert!(!Path::new("/tmp/escaped-by-lae-test.png").exists());
}

#[test]
fn skips_links_in_archives() {
    let fixture = DatasetFixture::new();
    let list = entries(&fixture);
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in &list {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    tar.append_link(&mut link, "my set/train/a/evil.png", "/etc/passwd").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let data = open(&write_file(dir.path(), "links.tar", &tar.into_inner().unwrap())).unwrap();
    assert!(
        data.skipped.iter().any(|s| says!(s.reason.english, "skip-archive-link")),
        "{:?}",
        data.skipped
    );
}

/// Returns an archive whose entry has its name in a separate header, as long names do.
fn build_tar_with_long_name(name: &str, content: &[u8]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let mut long_name_header = tar::Header::new_gnu();
    long_name_header.set_entry_type(tar::EntryType::GNULongName);
    long_name_header.set_size(name.len() as u64);
    long_name_header.set_cksum();
    tar.append(&long_name_header, name.as_bytes()).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    tar.append(&header, content).unwrap();
    tar.into_inner().unwrap()
}

#[test]
fn reads_long_names_and_rejects_oversized_headers() {
    let fixture = DatasetFixture::new();
    let list = entries(&fixture);
    let (name, png) = &list[0];
    let dir = tempfile::tempdir().unwrap();
    let long_name = format!("{}/{name}", "deep/".repeat(40));
    let problem =
        open(&write_file(dir.path(), "long.tar", &build_tar_with_long_name(&long_name, png)));
    // The archive was read to its end; it is rejected because it has only one class.
    assert!(!problem.unwrap_err().mentions("problem-archive-damaged"));
    let oversized_name = "x".repeat(3 << 20);
    let bytes = gzip(&build_tar_with_long_name(&oversized_name, png));
    let problem = open(&write_file(dir.path(), "endless.tgz", &bytes)).unwrap_err();
    assert_is(&problem, "problem-archive-damaged");
    assert!(problem.what.contains("too long"), "{problem}");
    // Skipped entries count, too.
    let mut link = tar::Header::new_ustar();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_path("a/link.png").unwrap();
    link.set_size(300 << 20);
    link.set_cksum();
    let mut tar = tar::Builder::new(Vec::new());
    tar.append(&link, std::io::repeat(0).take(300 << 20)).unwrap();
    let bytes = gzip(&tar.into_inner().unwrap());
    let problem = open(&write_file(dir.path(), "links.tgz", &bytes)).unwrap_err();
    assert_is(&problem, "problem-archive-rejected");
    assert!(problem.what.contains("times its size"), "{problem}");
}

#[test]
fn rejects_bombs_and_truncated_archives() {
    let dir = tempfile::tempdir().unwrap();
    let bomb = gzip(&build_tar(&[("a/1.bmp", &vec![0; 300 << 20])]));
    assert!(bomb.len() < 3 << 20);
    let problem = open(&write_file(dir.path(), "bomb.tgz", &bomb)).unwrap_err();
    assert_is(&problem, "problem-archive-rejected");
    assert!(problem.what.contains("times its size"), "{problem}");
    let fixture = DatasetFixture::new();
    let list = entries(&fixture);
    let borrowed: Vec<(&str, &[u8])> =
        list.iter().map(|(n, b)| (n.as_str(), b.as_slice())).collect();
    for (name, bytes) in [
        ("cut.tar", build_tar(&borrowed)),
        ("cut.tar.gz", gzip(&build_tar(&borrowed))),
        ("cut.zip", build_zip(&borrowed)),
    ] {
        let path = write_file(dir.path(), name, &bytes[..bytes.len() / 2]);
        let problem = open(&path).unwrap_err();
        assert!(problem.mentions("problem-archive-damaged"), "{name}: {problem}");
        assert!(!problem.remedy.is_empty());
        // The complete archive can be unpacked afterwards.
        fs::write(&path, &bytes).unwrap();
        assert_eq!(open(&path).unwrap().train.len(), 6, "{name}");
    }
    let text = write_file(dir.path(), "notes.txt", b"hello");
    assert!(open(&text).unwrap_err().mentions("problem-no-folder-or-archive"));
}

/// CIFAR-100's binary files with two images of every class but the last.
fn write_cifar100(folder: &Path) {
    let record = |class: u8, shade: u8| -> Vec<u8> {
        let pixels =
            (0..3072_u32).map(|i| (i * 31 + u32::from(shade) * 7 + u32::from(class)) as u8);
        [class / 5, class].into_iter().chain(pixels).collect()
    };
    let records = |shades: [u8; 2]| -> Vec<u8> {
        (0..99).flat_map(|class| shades.map(|shade| record(class, shade)).concat()).collect()
    };
    fs::write(folder.join("train.bin"), records([1, 2])).unwrap();
    fs::write(folder.join("test.bin"), records([3, 4])).unwrap();
    let names: String = (0..100).map(|i| format!("name_{i:02}\n")).collect();
    fs::write(folder.join("fine_label_names.txt"), names).unwrap();
}

#[test]
fn cifar_records_match_exported_image_folder() {
    let fixture = DatasetFixture::new();
    let inner = fixture.path().join("cifar-100-binary");
    fs::create_dir(&inner).unwrap();
    write_cifar100(&inner);
    let data = fixture.open();
    assert_eq!(data.classes.len(), 99, "classes without images are dropped");
    assert_eq!((data.train.len(), data.test.len()), (198, 198));
    assert_eq!(data.train[3].name(), "name_01/00003.png");
    let copy = tempfile::tempdir().unwrap();
    lae_studio::data::export::write_folder(
        &data,
        &copy.path().join("as"),
        &lae_studio::data::ProgressReporter::silent(),
    )
    .unwrap();
    let folder = open(&copy.path().join("as")).unwrap();
    assert_eq!(folder.classes, data.classes);
    assert_eq!(content(&folder.train), content(&data.train), "names, order or pixels differ");
    assert_eq!(content(&folder.test), content(&data.test));
}

#[cfg(target_os = "linux")]
#[test]
fn export_writes_portable_names() {
    let fixture = DatasetFixture::new();
    for class in ["Tit", "tit", "con", "wren.", "owl: small"] {
        fixture.write_class(&format!("train/{class}"), 2);
        fixture.write_class(&format!("test/{class}"), 1);
        fixture
            .write_images(&[&format!("train/{class}/NUL.PNG"), &format!("train/{class}/nul.png")]);
    }
    let data = fixture.open();
    let copy = tempfile::tempdir().unwrap();
    let target = copy.path().join("as");
    let watch = lae_studio::data::ProgressReporter::silent();
    let renamed = lae_studio::data::export::write_folder(&data, &target, &watch).unwrap();
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    let expected = [
        pair("con", "_con"),
        pair("owl: small", "owl_ small"),
        pair("tit", "tit-2"),
        pair("wren.", "wren_"),
    ];
    assert_eq!(renamed, expected);
    let folder = open(&target).unwrap();
    assert_eq!(folder.train.len(), data.train.len());
    let mut names: Vec<String> = fs::read_dir(target.join("train/tit-2"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["000.png", "001.png", "_NUL.png", "_nul-2.png"]);
}

#[test]
fn truncated_cifar_keeps_complete_records() {
    let fixture = DatasetFixture::new();
    write_cifar100(fixture.path());
    let path = fixture.path().join("train.bin");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1000]).unwrap();
    fs::remove_file(fixture.path().join("fine_label_names.txt")).unwrap();
    let data = fixture.open();
    assert_eq!(data.train.len(), 197);
    assert!(
        data.skipped.iter().any(|s| says!(s.reason.english, "skip-truncated")),
        "{:?}",
        data.skipped
    );
    assert!(
        data.assumed.iter().any(|s| says!(s.english, "remark-class-names-missing")),
        "{:?}",
        data.assumed
    );
}

/// Needs the published CIFAR-100 in the folder `LAE_DATA`.
#[test]
fn reads_published_cifar_100() {
    let Some(folder) = std::env::var_os("LAE_DATA") else {
        skip("LAE_DATA is not set");
        return;
    };
    let path = Path::new(&folder).join("cifar-100-binary.tar.xz");
    let data = open(&path).unwrap();
    assert_eq!((data.classes.len(), data.train.len(), data.test.len()), (100, 50_000, 10_000));
    assert_eq!((data.classes[0].as_str(), data.classes[99].as_str()), ("apple", "worm"));
    let mut counts = [0; 100];
    data.train.iter().for_each(|sample| counts[sample.class as usize] += 1);
    assert!(counts.iter().all(|&count| count == 500));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes in a list file give a dataset or a `Problem`, never a panic or a file outside the folder.
    #[test]
    fn arbitrary_list_files_never_panic_or_escape(
        text in "[a-c01/.,;:\\-\t \"'\r\n]{0,120}",
        raw in proptest::collection::vec(any::<u8>(), 0..60),
        name in proptest::sample::select(vec!["train_list.txt", "labels.csv", "x_test.yaml", "val.txt", "t.tsv"]),
    ) {
        let made = DatasetFixture::new();
        made.write_class("a", 2).write_class("b", 2).write_images(&["0.png"]);
        let mut bytes = text.into_bytes();
        bytes.extend(raw);
        made.write_file(name, &bytes);
        if let Ok(data) = made.try_open(&OpenOptions::default()) {
            for sample in data.train.iter().chain(&data.test) {
                let root = made.path().canonicalize().unwrap();
                prop_assert!(sample.source.path().unwrap().starts_with(&root));
            }
        }
    }

    /// Damaged archives give a dataset or a `Problem`.
    #[test]
    fn damaged_archives_never_panic(place in 0_usize..4000, value in any::<u8>(), kind in 0..3) {
        let png = fs::read({
            let made = DatasetFixture::new();
            made.write_class("a", 1);
            made.path().join("a/000.png")
        }.as_path()).unwrap_or_default();
        let list: [(&str, &[u8]); 2] = [("s/a/1.png", &png), ("s/b/1.png", &png)];
        let mut bytes = match kind { 0 => build_tar(&list), 1 => gzip(&build_tar(&list)), _ => build_zip(&list) };
        let length = bytes.len();
        bytes[place % length] ^= value;
        let folder = tempfile::tempdir().unwrap();
        let _ = open(&write_file(folder.path(), "damaged", &bytes));
    }
}
