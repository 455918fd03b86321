//! Archives of small data sets, with entries that no archive should have.

use std::io::Cursor;
use std::path::Path;

use lae_studio::data::{Dataset, OpenOptions};

use super::bytes::Dice;
use super::packing::{ZipEntry, build_zip, compress_gzip, compress_xz, tar_entry};
use super::{Case, Target, file_names, fuzz, single_file_case};

/// A file that no archive may create.
const OUTSIDE: &str = "/tmp/lae-fuzz-outside.png";

/// Names that leave the folder, are ambiguous or have a special meaning.
const NAMES: &[&str] = &[
    "../up.png",
    "s/../../up.png",
    "s/a/../../../up.png",
    OUTSIDE,
    "//tmp/lae-fuzz-outside.png",
    "C:\\w.png",
    "s\\b\\1.png",
    "s/a/0.png",
    "s/A/0.PNG",
    "s/a/0.png/under.png",
    "s/a",
    "s/a/",
    "",
    ".",
    "..",
    "/",
    ".hidden/x.png",
    ".left-out.json",
    "s/a/\u{202e}gnp.exe",
    "s/a/\0.png",
    "s/a/con.png",
    "train.txt",
    "labels.csv",
    "s/link/0.png",
];

/// Small images of two classes.
fn class_images() -> Vec<(String, Vec<u8>)> {
    let class_image = |class: &str, number: u8| {
        let pixel = image::Rgb([number * 40, class.len() as u8 * 90, 7]);
        let picture = image::RgbImage::from_pixel(4, 4, pixel);
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        (format!("s/{class}/{number}.png"), bytes.into_inner())
    };
    let class_names = ["a", "bb"].into_iter();
    class_names.flat_map(|class| (0..3).map(move |number| class_image(class, number))).collect()
}

/// Random entries of an archive: the images, some of them under other names or with other content.
fn random_entries(dice: &mut Dice) -> Vec<(String, Vec<u8>)> {
    let mut entries = class_images();
    for _ in 0..dice.below(4) {
        let (name, bytes) = dice.choose(&entries).clone();
        let name = match dice.below(4) {
            0 => name,
            1 => "d/".repeat(1 << dice.below(11)) + "x.png",
            2 => "n".repeat(1 << dice.below(16)) + ".png",
            _ => (*dice.choose(NAMES)).to_owned(),
        };
        let bytes = match dice.below(4) {
            0 => vec![0; 1 << dice.below(21)],
            1 => NAMES.join("\n").into_bytes(),
            _ => bytes,
        };
        let index = dice.below(entries.len() + 1);
        entries.insert(index, (name, bytes));
    }
    entries
}

/// Opens the archive of a case; what it unpacks stays in the cache folder next to it.
fn can_open(folder: &Path, name: &str) -> bool {
    let cache = folder.join("cache");
    let options = OpenOptions { unpack_to: Some(cache.clone()), ..OpenOptions::default() };
    let data = Dataset::open(folder.join(name).to_str().unwrap(), &options);
    let stem = name.split('.').next().unwrap();
    for entry in file_names(&cache) {
        assert!(entry.starts_with(stem), "{entry} was left in the cache");
    }
    assert!(!Path::new(OUTSIDE).exists(), "{OUTSIDE} was written");
    data.is_ok()
}

struct Zip;

impl Target for Zip {
    const NAME: &'static str = "zip";

    fn valid_cases(&self) -> Vec<Case> {
        let entries: Vec<ZipEntry> =
            class_images().into_iter().map(|(name, bytes)| ZipEntry::new(&name, bytes)).collect();
        vec![single_file_case("set.zip", build_zip(&entries, None))]
    }

    fn generate(&self, _: &[Case], dice: &mut Dice) -> Case {
        let mut entries = Vec::new();
        for (name, bytes) in random_entries(dice) {
            let mut entry = ZipEntry::new(&name, bytes);
            entry.deflated = !dice.one_in(3);
            if dice.one_in(8) {
                // A link, a folder, a device.
                entry.attributes = *dice.choose(&[0o120_777, 0o40_755, 0o20_666]) << 16;
                entry.bytes = NAMES[dice.below(4)].into();
            }
            entries.push(entry);
        }
        let one_in = [20, 200, 100_000][dice.below(3)];
        let mut bytes = build_zip(&entries, Some((dice, one_in)));
        if dice.one_in(2) {
            dice.mutate(
                &mut bytes,
                &[b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"],
            );
        }
        single_file_case("set.zip", bytes)
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(folder, "set.zip")
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["cache"]
    }
}

/// A tar file, plain or compressed.
fn tar_case(form: usize, tar: &[u8], dictionary: u8) -> Case {
    match form {
        0 => single_file_case("set.tar", tar),
        1 => single_file_case("set.tar.gz", compress_gzip(tar)),
        _ => single_file_case("set.tar.xz", compress_xz(tar, dictionary)),
    }
}

struct Tar;

impl Target for Tar {
    const NAME: &'static str = "tar";

    fn valid_cases(&self) -> Vec<Case> {
        let entries = class_images().into_iter();
        let tar = entries.flat_map(|(name, bytes)| tar_entry(name.as_bytes(), &bytes, b'0', None));
        let tar: Vec<u8> = tar.chain([0; 1024]).collect();
        (0..3).map(|form| tar_case(form, &tar, 16)).collect()
    }

    fn generate(&self, _: &[Case], dice: &mut Dice) -> Case {
        let mut tar = Vec::new();
        for (name, bytes) in random_entries(dice) {
            if name.len() > 100 || dice.one_in(20) {
                // A long name comes before its entry; `K` is that of a link, `x` an extended header.
                let kind = *dice.choose(b"LLLKxg");
                let text = match kind {
                    b'x' | b'g' => format!("{} path={name}\n", name.len() + 9),
                    _ => name.clone(),
                };
                let is_damaged = dice.one_in(6);
                tar.extend(tar_entry(
                    b"././@LongLink",
                    text.as_bytes(),
                    kind,
                    is_damaged.then_some(&mut *dice),
                ));
            }
            let kind = match dice.one_in(8) {
                true => *dice.choose(b"123456S7"),
                false => b'0',
            };
            let is_damaged = dice.one_in(8);
            tar.extend(tar_entry(name.as_bytes(), &bytes, kind, is_damaged.then_some(&mut *dice)));
        }
        tar.extend([0; 1024]);
        if dice.one_in(4) {
            dice.mutate(
                &mut tar,
                &[b"ustar\x0000", b"ustar  \0", b"GNU.sparse.map", b"./PaxHeader"],
            );
        }
        let mut case = tar_case(dice.below(3), &tar, dice.below(42) as u8);
        if dice.one_in(4) {
            for bytes in case.values_mut() {
                dice.mutate(bytes, &[b"\x1f\x8b\x08", b"\xfd7zXZ\0"]);
            }
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        let names = ["set.tar", "set.tar.gz", "set.tar.xz"];
        let form = names.into_iter().find(|name| folder.join(name).exists());
        form.is_some_and(|name| can_open(folder, name))
    }

    /// The dictionary of `xz -9`.
    fn extra_bytes(&self, _: &Case) -> usize {
        16 << 20
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["cache"]
    }
}

/// Datasets in Parquet and WebDataset.
struct Shards;

const PARQUET: &[u8] = include_bytes!("../../parquet/plain.parquet");

impl Target for Shards {
    const NAME: &'static str = "shards";

    fn valid_cases(&self) -> Vec<Case> {
        let samples = class_images().into_iter().enumerate();
        let samples = samples.flat_map(|(number, (_, image))| {
            let class = match number % 2 {
                0 => ("json", br#"{"label": 0}"#.to_vec()),
                _ => ("cls", b"1".to_vec()),
            };
            let files = [("png", image), class].into_iter();
            files.flat_map(move |(ending, bytes)| {
                tar_entry(format!("n{number}.{ending}").as_bytes(), &bytes, b'0', None)
            })
        });
        let tar: Vec<u8> = samples.chain([0; 1024]).collect();
        vec![single_file_case("set.parquet", PARQUET), single_file_case("set.tar", tar)]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"PAR1",
            b"\xff\xff\xff\xff\x0f",
            b"\xfe\xff\xff\xff\x0f",
            b"huggingface",
            b"bytes",
            b"{\"label\": [",
            b".json",
            b".cls",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let names = ["set.parquet", "set.tar"];
        let form = names.into_iter().find(|name| folder.join(name).exists());
        form.is_some_and(|name| can_open(folder, name))
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["cache"]
    }
}

/// Projects of Teachable Machine.
struct Teachable;

const MANIFEST: &str = r#"{"type":"image","version":"2.4.7","appdata":{"publishResults":{},"trainEpochs":50,"trainBatchSize":16}}"#;

/// Names of entries that no project has.
const ENTRY_NAMES: &[&str] = &[
    "-!-",
    "-!-0.png",
    "a-!-",
    "a-!-0",
    "a-!-b-!-3.png",
    "a/b-!-2.png",
    "../a-!-0.png",
    "/tmp/lae-fuzz-outside-!-0.png",
    "CON-!-1.png",
    "con-!-1.png",
    "a.-!-1.png",
    "A-!-1.png",
    ".hidden-!-1.png",
    "a\0-!-1.png",
    "a-!-1.PNG",
    "a-!-1.svg",
    "a-!-99999999999999999999.png",
    "p/a-!-1.png",
    "p/manifest.json",
    "manifest.json",
    "manifest.json/a-!-1.png",
    "__MACOSX/a-!-1.png",
    "model.json",
    "labels.txt",
    "keras_model.h5",
];

impl Target for Teachable {
    const NAME: &'static str = "teachable";

    fn valid_cases(&self) -> Vec<Case> {
        let project = |prefix: &str| {
            let mut entries =
                vec![ZipEntry::new(&format!("{prefix}manifest.json"), MANIFEST.into())];
            for (number, (name, bytes)) in class_images().into_iter().enumerate() {
                let class = name.split('/').nth(1).unwrap();
                entries.push(ZipEntry::new(&format!("{prefix}{class}-!-{number}.png"), bytes));
            }
            single_file_case("set.tm", build_zip(&entries, None))
        };
        vec![project(""), project("my project/")]
    }

    fn generate(&self, _: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"\"type\":\"image\"",
            b"\"type\":\"audio\"",
            b"\"type\":7",
            b"\"appdata\":null",
            b"\"appdata\":",
            b"[[[[[[[[",
            b"{\"a\":",
            b"null,",
            b"\"",
            b"{",
            b"}",
            b",",
            b"\\u0000",
            b"1e999",
        ];
        let prefix = *dice.choose(&["", "", "p/", "a/b/"]);
        let mut manifest = MANIFEST.as_bytes().to_vec();
        if dice.one_in(3) {
            dice.mutate(&mut manifest, WORDS);
        }
        if dice.one_in(20) {
            manifest.extend(vec![b' '; 1 << dice.below(21)]);
        }
        let mut entries = vec![(format!("{prefix}manifest.json"), manifest)];
        for (number, (name, bytes)) in random_entries(dice).into_iter().enumerate() {
            let class = name.replace("s/", "").replace('/', "-");
            let name = match dice.below(6) {
                0 => (*dice.choose(ENTRY_NAMES)).to_owned(),
                1 => name,
                _ => format!("{class}-!-{number}.png"),
            };
            entries.push((format!("{prefix}{name}"), bytes));
        }
        if dice.one_in(10) {
            // Very many classes whose folder names collide.
            let many = 1 << dice.below(12);
            let colliding_entry = |n: usize| {
                (
                    format!("{prefix}{}-!-0.png", ":?*<>|"[..1 + n % 6].repeat(n / 6 % 40)),
                    b"".to_vec(),
                )
            };
            entries.extend((0..many).map(colliding_entry));
        }
        let entries: Vec<ZipEntry> =
            entries.into_iter().map(|(name, bytes)| ZipEntry::new(&name, bytes)).collect();
        let one_in = [200, 100_000, 100_000][dice.below(3)];
        let mut bytes = build_zip(&entries, Some((dice, one_in)));
        if dice.one_in(6) {
            dice.mutate(&mut bytes, &[b"PK\x01\x02", b"PK\x05\x06", b"-!-"]);
        }
        single_file_case("set.tm", bytes)
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(folder, "set.tm")
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["cache"]
    }
}

#[test]
fn fuzz_teachable() {
    fuzz(Teachable);
}

#[test]
fn fuzz_zip() {
    fuzz(Zip);
}

#[test]
fn fuzz_tar() {
    fuzz(Tar);
}

#[test]
fn fuzz_shards() {
    fuzz(Shards);
}
