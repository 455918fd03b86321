//! Opening datasets: layouts, splits, bad files. Each bad file gives one message, and the rest of the data
//! stays usable.

use std::fs;
use std::path::{Path, PathBuf};

use image::RgbImage;
use lae_studio::data::scenario::{ClassOrder, Scenario, TaskSizes};
use lae_studio::data::{Check, Correction, Dataset, OpenOptions};
use lae_studio::problem::Problem;

/// A temporary dataset folder.
pub struct DatasetFixture(tempfile::TempDir);

impl DatasetFixture {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes images with pixels generated from their names.
    pub fn write_images(&self, names: &[&str]) -> &Self {
        for name in names {
            write_image(&self.path().join(name), name);
        }
        self
    }

    /// Writes `count` images into a folder.
    pub fn write_class(&self, folder: &str, count: usize) -> &Self {
        for i in 0..count {
            let name = format!("{folder}/{i:03}.png");
            write_image(&self.path().join(&name), &name);
        }
        self
    }

    /// Writes `count` 12-bit grey images in 16-bit files, with all values multiplied by `times`.
    pub fn write_12_bit_class(&self, folder: &str, count: usize, times: u16) -> &Self {
        for i in 0..count {
            let name = format!("{folder}/{i:03}.png");
            let path = self.path().join(&name);
            write_image(&path, &name);
            let colours = image::open(&path).unwrap().into_rgb8();
            let value = |x: u32, y: u32| match colours.get_pixel(x, y).0 {
                _ if (x, y) == (0, 0) => 4095 * times,
                [high, low, _] => ((u16::from(high) << 4) | (u16::from(low) >> 4)) * times,
            };
            let pixel = |x, y| image::Luma([value(x, y)]);
            let image_16_bit = image::ImageBuffer::<_, Vec<u16>>::from_fn(12, 10, pixel);
            image_16_bit.save(path).unwrap();
        }
        self
    }

    pub fn write_file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub fn open(&self) -> Dataset {
        self.try_open(&OpenOptions::default()).unwrap()
    }

    pub fn try_open(&self, options: &OpenOptions) -> Result<Dataset, Problem> {
        Dataset::open(self.path().to_str().unwrap(), options)
    }
}

pub fn write_image(path: &Path, name: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let seed = name.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let pixel = |x: u32, y: u32| {
        let value = (seed ^ (x * 97 + y * 389)).wrapping_mul(2_654_435_761);
        image::Rgb([(value >> 24) as u8, (value >> 16) as u8, (value >> 8) as u8])
    };
    RgbImage::from_fn(12, 10, pixel).save(path).unwrap();
}

fn names(samples: &[lae_studio::data::Sample]) -> Vec<String> {
    samples.iter().map(lae_studio::data::Sample::name).collect()
}

/// Returns the assumptions made when a dataset was opened, one per line.
pub fn assumptions(data: &Dataset) -> String {
    lae_studio::texts::join_translated(&data.assumed, "\n")
}

#[test]
fn splits_class_folders_by_seed_and_share() {
    let fixture = DatasetFixture::new();
    fixture.write_class("cat", 10).write_class("Dog", 20).write_class("猫 ñ", 10);
    let data = fixture.open();
    assert_eq!(data.classes, ["Dog", "cat", "猫 ñ"], "classes are sorted by code point");
    assert_eq!((data.train.len(), data.test.len()), (32, 8));
    assert_says!(assumptions(&data), "remark-test-split-drawn", test = 8, n = 40);
    let open_with = |share, seed| {
        let options = OpenOptions { test_share: share, split_seed: seed, ..OpenOptions::default() };
        fixture.try_open(&options).unwrap()
    };
    assert_eq!(
        names(&open_with(0.2, 0).test),
        names(&data.test),
        "equal seeds must give equal splits"
    );
    assert_ne!(names(&open_with(0.2, 1).test), names(&data.test));
    assert_eq!(open_with(0.5, 0).test.len(), 20);
    assert_eq!(open_with(0.0, 0).test.len(), 0);
    let options = OpenOptions { test_share: 1.5, ..OpenOptions::default() };
    assert!(fixture.try_open(&options).unwrap_err().mentions("problem-share-out-of-range"));
    fixture.write_class("owl", 1);
    let remarks = assumptions(&fixture.open());
    assert_says!(remarks, "remark-single-images-not-held-out", classes = "owl");
}

/// Covers folders inside classes and around them (domains) with names in both Unicode forms.
#[test]
fn composed_and_decomposed_unicode_names_are_equal() {
    let open = |to_unicode_form: fn(&str) -> String, options: &OpenOptions, list: &str| {
        let fixture = DatasetFixture::new();
        // The images are generated from their names, so the folders are renamed afterwards.
        for domain in ["photos", "sketches"] {
            for class in ["B\u{e4}r", "Fuchs", "Wolf"] {
                fixture.write_class(&format!("{domain}/{class}/\u{fc}ben/tief"), 5);
            }
        }
        let rename_to_form = |parent: &Path, name: &str| {
            fs::rename(parent.join(name), parent.join(to_unicode_form(name))).unwrap();
        };
        for domain in ["photos", "sketches"].map(|name| fixture.path().join(name)) {
            for class in ["B\u{e4}r", "Fuchs", "Wolf"] {
                rename_to_form(&domain.join(class), "\u{fc}ben");
            }
        }
        // The same class has a name in each form.
        rename_to_form(&fixture.path().join("photos"), "B\u{e4}r");
        if !list.is_empty() {
            fixture.write_file("labels.csv", list);
        }
        let data = fixture.try_open(options).unwrap();
        let corrected = (data.corrected.labels, data.corrected.left_out);
        let splits = [names(&data.train), names(&data.test)];
        let hash = data.train[0].sha256().unwrap();
        (data.classes.clone(), splits, data.fingerprints(), corrected, hash)
    };
    let composed: fn(&str) -> String = str::to_owned;
    let decomposed: fn(&str) -> String =
        |name| name.replace('\u{e4}', "a\u{308}").replace('\u{fc}', "u\u{308}");
    let plain = OpenOptions::default();
    let first = open(composed, &plain, "");
    assert_eq!(first.0, ["B\u{e4}r", "Fuchs", "Wolf"]);
    let [train, test] = &first.1;
    assert!(train.iter().chain(test).all(|name| name.contains("/\u{fc}ben/tief/")));
    assert_eq!(open(decomposed, &plain, ""), first);
    // Label corrections and exclusions refer to images by name.
    let entry = |class: Option<&str>| Correction {
        picture: train[0].clone(),
        sha256: first.4.clone(),
        was: "B\u{e4}r".into(),
        class: class.map(Into::into),
    };
    for (class, count) in [(Some("Wolf"), (1, 0)), (None, (0, 1))] {
        let options = OpenOptions { corrected: vec![entry(class)], ..OpenOptions::default() };
        let found = open(decomposed, &options, "");
        assert_eq!(found.3, count);
        assert_eq!(found, open(composed, &options, ""));
    }
    // The lists use one form of the names, the disk the other.
    let rows =
        train.iter().map(|name| (name, "train")).chain(test.iter().map(|name| (name, "test")));
    let rows: Vec<String> = rows
        .enumerate()
        .map(|(i, (name, split))| format!("{name},{split},{}\n", ["one", "two"][i % 2]))
        .collect();
    let list = format!("file,split,label\n{}", rows.concat());
    let by_list = open(composed, &plain, &list);
    assert_eq!(by_list.0, ["one", "two"]);
    assert_eq!(by_list.1.each_ref().map(Vec::len), [train.len(), test.len()]);
    assert_eq!(open(decomposed, &plain, &list), by_list);
}

#[test]
fn bit_depth_option_rescales_12_bit_images() {
    let (unscaled, scaled) = (DatasetFixture::new(), DatasetFixture::new());
    for class in ["a", "b"] {
        unscaled.write_12_bit_class(class, 5, 1);
        scaled.write_12_bit_class(class, 5, 16);
    }
    let pixels = |data: &Dataset| -> Vec<Vec<u8>> {
        let samples = data.train.iter().chain(&data.test);
        let decoded = samples.map(|sample| sample.decode().unwrap().into_raw());
        decoded.collect()
    };
    let expected = scaled.open();
    for id in ["remark-bit-depth-dark", "remark-bit-depth-clipped"] {
        assert!(!says!(assumptions(&expected), id, n = 10), "{id}");
    }
    assert_eq!(expected.better_depth, None);
    let dark = unscaled.open();
    assert_says!(assumptions(&dark), "remark-bit-depth-dark", n = 10, bits = 12);
    assert!(assumptions(&dark).contains("--bit-depth 12"));
    assert_eq!(dark.better_depth, Some(12));
    assert_ne!(pixels(&dark), pixels(&expected));
    let open_with_depth = |bit_depth| {
        let options = OpenOptions { bit_depth, ..OpenOptions::default() };
        unscaled.try_open(&options).unwrap()
    };
    let rescaled = open_with_depth(12);
    assert_eq!(pixels(&rescaled), pixels(&expected));
    assert_eq!((rescaled.assumed.clone(), rescaled.better_depth), (expected.assumed, None));
    // The files and their order are the same; only the decoding differs.
    assert_eq!(rescaled.fingerprints(), dark.fingerprints());
    assert_says!(
        assumptions(&open_with_depth(10)),
        "remark-bit-depth-clipped",
        n = 10,
        bits = 12,
        depth = 10
    );
}

#[test]
fn finds_splits_from_parent_and_inner_folders() {
    let fixture = DatasetFixture::new();
    for class in ["a", "b"] {
        fixture
            .write_class(&format!("set/train/{class}"), 3)
            .write_class(&format!("set/test/{class}"), 2);
    }
    let check = |path: PathBuf, id: &str| {
        let data = Dataset::open(path.to_str().unwrap(), &OpenOptions::default()).unwrap();
        assert_eq!((data.train.len(), data.test.len()), (6, 4), "{}", path.display());
        assert_eq!(names(&data.test)[0], "a/000.png", "names are relative to the split");
        assert!(
            id.is_empty() && data.assumed.is_empty() || says!(assumptions(&data), id),
            "{:?}",
            data.assumed
        );
    };
    check(fixture.path().join("set"), "");
    check(fixture.path().to_path_buf(), "remark-inner-folder-as-dataset");
    check(fixture.path().join("set/train"), "remark-parent-of-split-opened");
    check(fixture.path().join("set/test"), "remark-parent-of-split-opened");
    check(fixture.path().join("set/train/a"), "remark-folder-as-one-class");
}

#[test]
fn uses_validation_split_if_test_has_no_classes() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/n01/images", 3)
        .write_class("train/n02/images", 3)
        .write_class("test/images", 2)
        .write_class("val/images", 2);
    fixture.write_file(
        "val/val_annotations.txt",
        "000.png\tn02\t0\t0\t1\t1\n001.png\tn01\t0\t0\t1\t1\n",
    );
    fixture.write_file("wnids.txt", "n01\nn02\n");
    let data = fixture.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_eq!(names(&data.test), ["images/001.png", "images/000.png"]);
    assert_eq!(names(&data.train)[0], "n01/images/000.png");
    assert!(
        says!(assumptions(&data), "remark-folder-without-classes-unused")
            && says!(assumptions(&data), "remark-folder-as-test-split"),
        "{:?}",
        data.assumed
    );
}

#[test]
fn reads_flat_folder_with_csv_labels() {
    let fixture = DatasetFixture::new();
    fixture.write_class("images", 4);
    fixture.write_file("labels.csv", "id,label,split\n000,cat,train\n001.png,\"dog, big\",train\nlists/../images/002.png,cat,test\n003,dog,val\nlost.png,cat,train\n../../etc/passwd,cat,train\n");
    let data = fixture.open();
    assert_eq!(data.classes, ["cat", "dog, big"]);
    assert_eq!((data.train.len(), data.test.len()), (2, 1), "{:?}", data.assumed);
    let reasons: Vec<&str> = data.skipped.iter().map(|s| s.reason.english.as_str()).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert_says!(reasons[0], "skip-listed-not-found");
    assert!(
        says!(assumptions(&data), "remark-validation-images-unused", n = 1)
            && says!(assumptions(&data), "remark-test-classes-missing", classes = "dog, big"),
        "{:?}",
        data.assumed
    );
}

#[test]
fn reads_semicolon_csv_without_header() {
    let fixture = DatasetFixture::new();
    fixture.write_class("", 0).write_images(&["x1.png", "x2.png", "x3.png"]);
    fixture.write_file("list.csv", "x1.png;1\nx2.png;0\nx3.png;1\n");
    let data = fixture.open();
    assert_eq!(data.classes, ["0", "1"]);
    assert_eq!(data.train.len() + data.test.len(), 3);
    // Opening the table opens its folder; sample submissions of contests are ignored.
    fixture.write_file("sample_submission.csv", "x1.png;7\nx2.png;7\nx3.png;7\n");
    let table = fixture.path().join("list.csv");
    let data = Dataset::open(table.to_str().unwrap(), &OpenOptions::default()).unwrap();
    assert_eq!(data.classes, ["0", "1"]);
    assert_says!(assumptions(&data), "remark-folder-as-dataset", file = "list.csv");
}

#[test]
fn list_files_take_precedence_over_folders() {
    let fixture = DatasetFixture::new();
    fixture.write_class("imagenet-r/n01", 4).write_class("imagenet-r/n02", 4);
    fixture.write_file("imagenet-r/README.txt", "about this data");
    fixture.write_file(
        "imagenet-r/train_list.txt",
        "n01/000.png 0\nimagenet-r/n01/001.png 0\nn02/000.png 1\n",
    );
    fixture.write_file("imagenet-r/val_list.txt", "n01/002.png 0\nn02/001.png 1\nn02/gone.png 1\n");
    let data = fixture.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_eq!((data.train.len(), data.test.len()), (3, 2));
    assert!(
        assumptions(&data).contains("train_list.txt")
            && says!(assumptions(&data), "remark-images-not-listed", n = 3),
        "{:?}",
        data.assumed
    );
    assert_eq!(data.skipped.len(), 2, "{:?}", data.skipped);
}

#[test]
fn keeps_classes_with_equal_subfolder_names() {
    let fixture = DatasetFixture::new();
    for folder in ["cat/train", "cat/test", "dog/train", "dog/test"] {
        fixture.write_class(folder, 3);
    }
    let data = fixture.open();
    assert_eq!(data.classes, ["cat", "dog"]);
    assert_eq!((data.train.len(), data.test.len()), (6, 6));
    assert_says!(assumptions(&data), "remark-splits-in-class-folders");
    let fixture = DatasetFixture::new();
    for folder in ["apple/red", "apple/green", "pear/red", "pear/green"] {
        fixture.write_class(folder, 5);
    }
    assert_eq!(fixture.open().classes, ["apple", "pear"]);
}

#[test]
fn merges_domains_with_and_without_lists() {
    let fixture = DatasetFixture::new();
    for domain in ["clipart", "real", "sketch"] {
        fixture.write_class(&format!("{domain}/car"), 5).write_class(&format!("{domain}/dog"), 5);
    }
    let data = fixture.open();
    assert_eq!(data.classes, ["car", "dog"]);
    assert_eq!(data.train.len() + data.test.len(), 30);
    assert_says!(assumptions(&data), "remark-domains-merged");
    for domain in ["clipart", "real"] {
        fixture.write_file(
            &format!("{domain}_train.txt"),
            format!("{domain}/car/000.png 0\n{domain}/dog/000.png 1\n"),
        );
        fixture.write_file(
            &format!("{domain}_test.txt"),
            format!("{domain}/car/001.png 0\n{domain}/dog/002.png 1\n"),
        );
    }
    let data = fixture.open();
    assert_eq!(data.classes, ["car", "dog"]);
    assert_eq!((data.train.len(), data.test.len()), (4, 4), "{:?}", data.assumed);
}

#[test]
fn reads_coda_prompt_yaml_lists() {
    let fixture = DatasetFixture::new();
    fixture.write_class("n01", 2).write_class("n02", 2);
    fixture.write_file(
        "splits/imagenet-r_train.yaml",
        "data:\n- data/imagenet-r/n01/000.png\n- data/imagenet-r/n02/000.png\ntargets:\n- 0\n- 1\n",
    );
    fixture.write_file(
        "splits/imagenet-r_test.yaml",
        "data:\n- data/imagenet-r/n01/001.png\n- data/imagenet-r/n02/001.png\ntargets:\n- 0\n- 1\n",
    );
    let data = fixture.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_eq!((data.train.len(), data.test.len()), (2, 2), "{:?}", data.assumed);
}

#[test]
fn skips_bad_files_and_reports_reasons() {
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 4).write_class("b", 4);
    let good = fs::read(fixture.path().join("a/000.png")).unwrap();
    fixture.write_file("a/cut.png", &good[..good.len() / 2]);
    fixture
        .write_file("a/empty.jpg", "")
        .write_file("a/notes.txt", "hello")
        .write_file("b/photo.heic", "x");
    fixture
        .write_file("b/fake.jpg", "no picture at all")
        .write_file("b/.hidden.png", "x")
        .write_file("beside.md", "# readme");
    let mut jpeg = Vec::new();
    image::load_from_memory(&good)
        .unwrap()
        .to_rgb8()
        .write_to(&mut std::io::Cursor::new(&mut jpeg), image::ImageFormat::Jpeg)
        .unwrap();
    fixture.write_file("b/cut.jpg", &jpeg[..jpeg.len() - 40]);
    fixture.write_file("a/huge.bmp", huge_bitmap());
    let data = fixture.open();
    assert_eq!(data.train.len() + data.test.len(), 8);
    let reason = |name: &str| {
        let found = data.skipped.iter().find(|skipped| skipped.path.ends_with(name));
        found.unwrap_or_else(|| panic!("{name} is missing in {:?}", data.skipped)).reason.clone()
    };
    let cut = reason("cut.png").english;
    assert!(
        says!(cut, "problem-image-file-incomplete") || says!(cut, "problem-image-damaged"),
        "{cut}"
    );
    assert_says!(reason("cut.jpg").english, "problem-image-file-incomplete");
    assert_says!(reason("empty.jpg").english, "problem-file-empty");
    assert_says!(reason("notes.txt").english, "skip-no-image-extension", ending = "txt");
    assert_says!(reason("photo.heic").english, "skip-format-unsupported", form = "HEIC");
    assert_says!(reason("fake.jpg").english, "skip-no-image");
    assert_says!(
        reason("huge.bmp").english,
        "problem-image-decoding-memory-limit",
        width = "30000",
        height = "30000"
    );
    assert_eq!(data.skipped.len(), 8, "{:?}", data.skipped);
    let unchecked = OpenOptions { check: Check::Never, ..OpenOptions::default() };
    assert_eq!(
        fixture.try_open(&unchecked).unwrap().skipped.len(),
        3,
        "without checking file contents"
    );
}

/// Returns a bitmap header that claims 30,000×30,000 pixels.
fn huge_bitmap() -> Vec<u8> {
    let mut bytes = b"BM".to_vec();
    bytes.extend(100_u32.to_le_bytes());
    bytes.extend([0; 4]);
    for word in [54_u32, 40, 30_000, 30_000] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([1, 0, 24, 0]);
    bytes.extend([0; 24]);
    bytes.extend([9; 60]);
    bytes
}

#[test]
fn reports_problem_for_unusable_folders() {
    let problem = |fixture: &DatasetFixture| fixture.try_open(&OpenOptions::default()).unwrap_err();
    let fixture = DatasetFixture::new();
    assert!(problem(&fixture).mentions("problem-folder-empty"), "{}", problem(&fixture));
    fixture.write_file("a/x.txt", "1").write_file("a/y.txt", "2").write_file("z.pdf", "3");
    let texts = problem(&fixture);
    assert!(
        texts.what.contains(&format!("2 × {}", tr!("skip-no-image-extension", ending = "txt"))),
        "{texts}"
    );
    assert_says!(texts.remedy, "advice-use-class-folders-or-splits");
    let single_class = DatasetFixture::new();
    single_class.write_class("only", 5);
    assert_says!(problem(&single_class).what, "problem-only-one-class", names = "only");
    let flat = DatasetFixture::new();
    flat.write_class("set", 3).write_file("loose.txt", "x");
    let inner = Dataset::open(flat.path().join("set").to_str().unwrap(), &OpenOptions::default())
        .unwrap_err();
    assert_says!(inner.what, "problem-images-without-classes", total = "3 images");
    let single = OpenOptions { min_classes: 1, ..OpenOptions::default() };
    let set = Dataset::open(flat.path().join("set").to_str().unwrap(), &single).unwrap();
    assert_eq!(set.classes, ["set"]);
    let broken = DatasetFixture::new();
    broken.write_file("a/1.png", "x").write_file("b/1.png", "y");
    assert_says!(problem(&broken).what, "problem-no-training-images-skipped");
    for path in ["", "no/such/folder", "digit"] {
        assert!(Dataset::open(path, &OpenOptions::default()).is_err());
    }
    let named = Dataset::open("imagenet-r", &OpenOptions::default());
    if let Err(problem) = named {
        assert_says!(problem.remedy, "advice-download-dataset");
    }
}

#[test]
fn handles_classes_missing_from_one_split() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 5)
        .write_class("train/b", 5)
        .write_class("test/a", 2)
        .write_class("test/new", 3);
    let data = fixture.open();
    assert_eq!(data.classes, ["a", "b"]);
    assert_says!(assumptions(&data), "remark-class-only-in-test", class = "new", n = 3);
    assert_says!(assumptions(&data), "remark-test-classes-filled", classes = "b", n = 1);
    assert_eq!((data.train.len(), data.test.len(), data.skipped.len()), (9, 3, 3));
}

#[test]
fn unused_test_share_is_reported() {
    let fixture = DatasetFixture::new();
    for split in ["train", "test"] {
        fixture.write_class(&format!("{split}/a"), 2).write_class(&format!("{split}/b"), 2);
    }
    let unused = tr!("remark-test-share-without-effect");
    assert!(!assumptions(&fixture.open()).contains(unused));
    let options = OpenOptions { test_share: 0.5, ..OpenOptions::default() };
    assert!(assumptions(&fixture.try_open(&options).unwrap()).contains(unused));
}

#[test]
fn reports_duplicates_across_splits() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 3)
        .write_class("train/b", 3)
        .write_class("test/a", 2)
        .write_class("test/b", 2);
    // The same pixels under another name and format.
    let twin = image::open(fixture.path().join("train/b/001.png")).unwrap();
    twin.save(fixture.path().join("test/b/copy.bmp")).unwrap();
    let data = fixture.open();
    assert_eq!(data.duplicates.len(), 1);
    assert_eq!(data.duplicates[0].train, "b/001.png");
    assert_eq!(data.duplicates[0].test, "b/copy.bmp");
    assert!(data.two_labels.is_empty());
}

#[test]
fn reports_images_with_two_labels() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 6)
        .write_class("train/b", 6)
        .write_class("test/a", 2)
        .write_class("test/b", 2);
    let path_of = |name: &str| fixture.path().join(name);
    let copies = [
        // A copy with the same label is no conflict.
        ("train/a/000.png", "train/a/twin.bmp"),
        ("train/a/001.png", "train/b/other.bmp"),
        ("train/b/002.png", "test/a/mixed.bmp"),
        ("train/b/002.png", "train/b/more.bmp"),
    ];
    for (from, to) in copies {
        image::open(path_of(from)).unwrap().save(path_of(to)).unwrap();
    }
    let data = fixture.open();
    let conflicts: Vec<Vec<String>> = data
        .two_labels
        .iter()
        .map(|found| found.0.iter().map(ToString::to_string).collect())
        .collect();
    assert_eq!(
        conflicts,
        [
            vec!["a/001.png (a, train)", "b/other.bmp (b, train)"],
            vec!["b/002.png (b, train)", "b/more.bmp (b, train)", "a/mixed.bmp (a, test)"],
        ]
    );
    for built_in in ["digits", "letters"] {
        let data = Dataset::open(built_in, &OpenOptions::default()).unwrap();
        assert!(data.two_labels.is_empty(), "{built_in}");
    }
}

#[cfg(unix)]
#[test]
fn lists_unreadable_files_and_broken_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 3).write_class("b", 3).write_class("c", 3);
    symlink(fixture.path(), fixture.path().join("a/loop")).unwrap();
    symlink("gone.png", fixture.path().join("b/dangling.png")).unwrap();
    let set_mode = |path: &str, mode| {
        fs::set_permissions(fixture.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode("a/000.png", 0o000);
    set_mode("c", 0o000);
    let data = fixture.open();
    set_mode("c", 0o755);
    // Root can read everything.
    let is_root = fs::read(fixture.path().join("a/000.png")).is_ok();
    assert_eq!(data.classes.len(), if is_root { 3 } else { 2 });
    assert!(
        data.skipped.iter().any(|s| says!(s.reason.english, "skip-link-already-read")),
        "{:?}",
        data.skipped
    );
    assert!(data.skipped.iter().any(|s| says!(s.reason.english, "skip-link-broken")));
    assert!(
        is_root || data.skipped.iter().any(|s| says!(s.reason.english, "skip-folder-unreadable"))
    );
}

#[test]
fn limits_pick_evenly_spaced_images() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 10)
        .write_class("train/b", 3)
        .write_class("test/a", 4)
        .write_class("test/b", 4);
    let options =
        OpenOptions { train_limit: Some(4), test_limit: Some(1), ..OpenOptions::default() };
    let data = fixture.try_open(&options).unwrap();
    assert_eq!(
        names(&data.train),
        ["a/000.png", "a/002.png", "a/005.png", "a/007.png", "b/000.png", "b/001.png", "b/002.png"]
    );
    assert_eq!(names(&data.test), ["a/000.png", "b/000.png"]);
    let zero = OpenOptions { train_limit: Some(0), ..OpenOptions::default() };
    assert!(fixture.try_open(&zero).is_err());
}

#[test]
fn validation_share_excludes_test_images() {
    let fixture = DatasetFixture::new();
    fixture
        .write_class("train/a", 10)
        .write_class("train/b", 10)
        .write_class("test/a", 2)
        .write_class("test/b", 2);
    let options = OpenOptions { validation_share: 0.3, ..OpenOptions::default() };
    let data = fixture.try_open(&options).unwrap();
    assert_eq!((data.train.len(), data.test.len()), (14, 6));
    let train = names(&data.train);
    assert!(names(&data.test).iter().all(|name| !train.contains(name)));
    assert_says!(assumptions(&data), "remark-validation-images");
}

#[test]
fn embedded_datasets_have_fixed_splits() {
    let digits = Dataset::open("digits", &OpenOptions::default()).unwrap();
    assert_eq!((digits.classes.len(), digits.train.len() + digits.test.len()), (10, 1797));
    assert!(digits.note.contains("CC BY 4.0"), "{}", digits.note);
    assert_eq!(digits.train[0].decode().unwrap().dimensions(), (32, 32));
    let letters = Dataset::open("letters", &OpenOptions::default()).unwrap();
    assert_eq!(letters.classes.len(), 26);
    assert_eq!(letters.classes[0], "A");
    assert_eq!(letters.test[0].decode().unwrap().dimensions(), (32, 32));
    let reopened = Dataset::open(&letters.origin, &letters.options).unwrap();
    assert_eq!(names(&reopened.train), names(&letters.train));
    assert_eq!(reopened.fingerprints(), letters.fingerprints());
    assert_ne!(digits.fingerprints().test, letters.fingerprints().test);
}

#[test]
fn scenario_assigns_each_image_to_one_task() {
    let data = Dataset::open("letters", &OpenOptions::default()).unwrap();
    let sizes = TaskSizes::parse("6,5,5,5,5").unwrap();
    let scenario = Scenario::new(&data.classes, &ClassOrder::Seeded(3), &sizes).unwrap();
    let mut total = 0;
    for (task, range) in scenario.tasks.iter().enumerate() {
        let train = scenario.train_samples(&data, task);
        total += train.len() + scenario.test_samples(&data, task).len();
        for (sample, label) in &train {
            assert!(range.contains(&(*label as usize)));
            assert_eq!(scenario.class_order[*label as usize], sample.class as usize);
        }
    }
    assert_eq!(total, data.train.len() + data.test.len());
}

#[test]
fn reads_and_counts_jpegs_without_end_marker() {
    let fixture = DatasetFixture::new();
    for name in ["a/1.jpg", "a/2.jpg", "b/1.jpg", "b/2.jpg"] {
        let path = fixture.path().join(name);
        write_image(&path, name);
        let bytes = fs::read(&path).unwrap();
        let end = if name.ends_with("2.jpg") { 2 } else { 0 };
        fixture.write_file(name, &bytes[..bytes.len() - end]);
    }
    let data = fixture.open();
    assert_eq!((data.train.len() + data.test.len(), data.skipped.len()), (4, 0));
    assert_says!(assumptions(&data), "remark-jpeg-without-end", n = 2);
}
