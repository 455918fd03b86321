//! Layouts of published datasets: tables and lists take precedence over folders, and every guess is reported.

use lae_studio::data::{Dataset, OpenOptions};

use crate::data::{DatasetFixture, assumptions};

fn expect_problem(fixture: &DatasetFixture) -> String {
    let problem = fixture.try_open(&OpenOptions::default()).unwrap_err();
    assert!(!problem.remedy.is_empty(), "{problem}");
    problem.to_string()
}

fn counts(data: &Dataset) -> (usize, usize) {
    (data.train.len(), data.test.len())
}

/// Returns `count` lines of a table, generated from their numbers.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn rejects_flat_splits_without_labels() {
    for (train, test) in [("train", "test"), ("cars_train", "cars_test"), ("train2017", "val2017")]
    {
        let fixture = DatasetFixture::new();
        fixture.write_class(train, 6).write_class(test, 3);
        let problem = expect_problem(&fixture);
        assert_says!(problem, "problem-splits-without-classes");
    }
    // A class may have the name of a split.
    let fixture = DatasetFixture::new();
    fixture.write_class("bus", 5).write_class("car", 5).write_class("train", 5);
    assert_eq!(fixture.open().classes, ["bus", "car", "train"]);
    let fixture = DatasetFixture::new();
    for split in ["train", "test"] {
        for class in ["bus", "train"] {
            fixture.write_class(&format!("{split}/{class}"), 4);
        }
    }
    let data = fixture.open();
    assert_eq!((data.classes.len(), counts(&data)), (2, (8, 8)));
    // Pairs of other names are splits, too.
    let fixture = DatasetFixture::new();
    for split in ["seg_train/seg_train", "seg_test/seg_test"] {
        fixture.write_class(&format!("{split}/sea"), 4).write_class(&format!("{split}/street"), 4);
    }
    fixture.write_class("seg_pred/seg_pred", 3);
    let data = fixture.open();
    assert_eq!((data.classes.len(), counts(&data)), (2, (8, 8)));
}

#[test]
fn derives_classes_of_flat_splits_from_file_names() {
    let fixture = DatasetFixture::new();
    let names = |split: &str, classes: &[&str]| -> Vec<String> {
        let numbered = |class| (0..3).map(move |i| format!("{split}/{class}{i}.png"));
        classes.iter().flat_map(numbered).collect()
    };
    let add_images = |fixture: &DatasetFixture, names: Vec<String>| {
        fixture.write_images(&names.iter().map(String::as_str).collect::<Vec<_>>());
    };
    add_images(&fixture, names("train", &["cat.", "Great Dane_0"]));
    add_images(&fixture, names("test", &["cat.", "Great Dane_0"]));
    let data = fixture.open();
    assert_eq!((data.classes.len(), counts(&data)), (2, (6, 6)));
    let mut classes = data.classes.clone();
    classes.sort();
    assert_eq!(classes, ["Great Dane", "cat"]);
    assert_says!(assumptions(&data), "remark-classes-from-files");
    // Test images without labels are not used.
    let fixture = DatasetFixture::new();
    add_images(&fixture, names("train", &["cat.", "dog."]));
    fixture.write_class("test", 5);
    let data = fixture.open();
    assert_eq!((counts(&data), data.test_drawn), ((4, 2), true));
    // Prefixes that cameras write are no classes.
    let fixture = DatasetFixture::new();
    add_images(&fixture, names("train", &["IMG_", "DSC_"]));
    fixture.write_class("test", 5);
    assert_says!(expect_problem(&fixture), "problem-splits-without-classes");
}

#[test]
fn reads_metadata_tables_in_split_folders() {
    let label = |i: usize| ["cat", "dog", "cow"][i % 3];
    let fixture = DatasetFixture::new();
    for (split, count) in [("train", 9), ("test", 6)] {
        fixture.write_class(split, count);
        let rows = lines(count, |i| format!("{i:03}.png,{}\n", label(i)));
        fixture.write_file(&format!("{split}/metadata.csv"), format!("file_name,label\n{rows}"));
    }
    let data = fixture.open();
    assert_eq!(data.classes, ["cat", "cow", "dog"]);
    assert_eq!((counts(&data), data.test_drawn), ((9, 6), false));
    // The same in JSON Lines.
    let fixture = DatasetFixture::new();
    for (split, count) in [("train", 9), ("validation", 6)] {
        fixture.write_class(split, count);
        let row = |i| format!("{{\"file_name\": \"{i:03}.png\", \"label\": \"{}\"}}\n", label(i));
        fixture.write_file(&format!("{split}/metadata.jsonl"), lines(count, row));
    }
    let data = fixture.open();
    assert_eq!((data.classes.len(), counts(&data)), (3, (9, 6)));
}

#[test]
fn reads_id_table_beside_several_image_folders() {
    let fixture = DatasetFixture::new();
    for i in 0..24 {
        let part = 1 + i / 12;
        fixture.write_images(&[&format!("HAM10000_images_part_{part}/ISIC_00{i:02}.jpg")]);
    }
    assert_says!(expect_problem(&fixture), "problem-folders-are-collection-parts");
    let rows = lines(24, |i| {
        let dx = ["nv", "mel", "bkl"][i % 3];
        let sex = ["male", "female"][i % 2];
        format!("HAM_{:02},ISIC_00{i:02},{dx},histo,{}.0,{sex}\n", i / 2, 50 + i % 4)
    });
    fixture.write_file(
        "HAM10000_metadata.csv",
        format!("lesion_id,image_id,dx,dx_type,age,sex\n{rows}"),
    );
    let data = fixture.open();
    assert_eq!(data.classes, ["bkl", "mel", "nv"]);
    assert_eq!(data.train.len() + data.test.len(), 24);
    assert_says!(assumptions(&data), "remark-class-column", column = "dx");
}

#[test]
fn reads_one_hot_columns_as_classes() {
    let fixture = DatasetFixture::new();
    fixture.write_class("input", 12);
    let row = |i: usize| {
        let cell = |class| if i % 3 == class { "1.0" } else { "0.0" };
        format!("{i:03},{},{},{}\n", cell(0), cell(1), cell(2))
    };
    fixture.write_file("truth.csv", format!("image,MEL,NV,BCC\n{}", lines(12, row)));
    assert_eq!(fixture.open().classes, ["BCC", "MEL", "NV"]);
    // A row with several ones has no class.
    fixture.write_file(
        "truth.csv",
        format!("image,MEL,NV,BCC\n{}", lines(12, |i| format!("{i:03},1,1,{}\n", i % 2))),
    );
    assert_says!(expect_problem(&fixture), "problem-several-columns-marked");
}

#[test]
fn accepts_spaces_in_list_labels() {
    let fixture = DatasetFixture::new();
    fixture.write_class("images", 12);
    let row = |i: usize| format!("{i:03}.png {}\n", ["polar bear", "brown bear", "wolf"][i % 3]);
    let list_text = lines(12, row);
    let (train, test) = list_text.split_at(list_text.match_indices('\n').nth(8).unwrap().0 + 1);
    fixture.write_file("train_list.txt", train).write_file("test_list.txt", test);
    let data = fixture.open();
    assert_eq!(data.classes, ["brown bear", "polar bear", "wolf"]);
    assert_eq!(counts(&data), (9, 3));
}

#[test]
fn lists_without_labels_split_class_folders() {
    let fixture = DatasetFixture::new();
    fixture.write_class("images/apple_pie", 6).write_class("images/sushi", 6);
    let list = |range: std::ops::Range<usize>| -> String {
        let lines_of_class =
            |class: &str| lines(range.len(), |i| format!("{class}/{:03}\n", range.start + i));
        lines_of_class("apple_pie") + &lines_of_class("sushi")
    };
    fixture.write_file("meta/classes.txt", "apple_pie\nsushi\n");
    fixture.write_file("meta/train.txt", list(0..4)).write_file("meta/test.txt", list(4..6));
    let data = fixture.open();
    assert_eq!(data.classes, ["apple_pie", "sushi"]);
    assert_eq!((counts(&data), data.test_drawn), ((8, 4), false));
}

#[test]
fn joins_lists_by_image_number() {
    let fixture = DatasetFixture::new();
    let class = |i: usize| ["001.Auk", "002.Wren"][i / 6];
    fixture.write_class("images/001.Auk", 6).write_class("images/002.Wren", 6);
    fixture.write_file(
        "images.txt",
        lines(12, |i| format!("{} {}/{:03}.png\n", i + 1, class(i), i % 6)),
    );
    fixture
        .write_file("image_class_labels.txt", lines(12, |i| format!("{} {}\n", i + 1, 1 + i / 6)));
    fixture.write_file(
        "train_test_split.txt",
        lines(12, |i| format!("{} {}\n", i + 1, usize::from(i % 6 < 4))),
    );
    fixture.write_file("classes.txt", "1 001.Auk\n2 002.Wren\n");
    let data = fixture.open();
    assert_eq!(data.classes, ["001.Auk", "002.Wren"]);
    assert_eq!((counts(&data), data.test_drawn), ((8, 4), false));
}

#[test]
fn reads_class_numbers_and_ignores_masks() {
    let fixture = DatasetFixture::new();
    let name = |i: usize| format!("{}_{}", ["Abyssinian", "beagle"][i / 6], 1 + i % 6);
    for i in 0..12 {
        fixture.write_images(&[
            &format!("images/{}.jpg", name(i)),
            &format!("annotations/trimaps/{}.png", name(i)),
        ]);
    }
    let problem = expect_problem(&fixture);
    assert_says!(problem, "problem-images-without-classes");
    let row = |i: usize| format!("{} {} {} 1\n", name(i), 1 + i / 6, 1 + i / 6);
    let split_list =
        |train: bool| lines(12, |i| if (i % 6 < 4) == train { row(i) } else { String::new() });
    fixture.write_file(
        "annotations/list.txt",
        format!("#Image CLASS-ID SPECIES BREED ID\n{}", lines(12, row)),
    );
    fixture
        .write_file("annotations/trainval.txt", split_list(true))
        .write_file("annotations/test.txt", split_list(false));
    let data = fixture.open();
    assert_eq!(data.classes, ["Abyssinian", "beagle"]);
    assert_eq!((counts(&data), data.test_drawn), ((8, 4), false));
}

#[test]
fn requires_choice_between_contradicting_lists() {
    let fixture = DatasetFixture::new();
    fixture.write_class("data/images", 12);
    let variant = |i: usize| ["A310", "707-320", "727-200", "F-16A/B"][i % 4];
    let manufacturer = |i: usize| ["Airbus", "Boeing", "Boeing", "Lockheed Corporation"][i % 4];
    for (role, range) in [("train", 0..4), ("val", 4..8), ("trainval", 0..8), ("test", 8..12)] {
        let format_list = |class: &dyn Fn(usize) -> &'static str| -> String {
            range.clone().map(|i| format!("{i:03} {}\n", class(i))).collect()
        };
        fixture.write_file(&format!("data/images_variant_{role}.txt"), format_list(&variant));
        fixture.write_file(
            &format!("data/images_manufacturer_{role}.txt"),
            format_list(&manufacturer),
        );
    }
    fixture.write_file("data/images_box.txt", lines(12, |i| format!("{i:03} 1 1 60 60\n")));
    fixture.write_file("data/variants.txt", "707-320\nA310\n");
    let problem = expect_problem(&fixture);
    assert!(
        says!(problem, "problem-lists-assign-different-classes")
            && problem.contains("images_variant_"),
        "{problem}"
    );
    let open = |list: &str| {
        let path = fixture.path().join(list);
        Dataset::open(path.to_str().unwrap(), &OpenOptions::default()).unwrap()
    };
    let data = open("data/images_variant_trainval.txt");
    assert_eq!(data.classes, ["707-320", "727-200", "A310", "F-16A/B"]);
    assert_eq!(counts(&data), (8, 4));
    let reopened = Dataset::open(&data.origin, &data.options).unwrap();
    assert_eq!(reopened.fingerprints(), data.fingerprints());
    assert_eq!(open("data/images_manufacturer_test.txt").classes.len(), 3);
}

#[test]
fn picks_class_column_by_header_or_asks() {
    let fixture = DatasetFixture::new();
    fixture.write_class("", 0);
    for i in 0..12 {
        fixture.write_images(&[&format!("p{i:02}.png")]);
    }
    let row = |i: usize| format!("p{i:02}.png,{},{},{}\n", i % 5, i % 4, ["cat", "dog"][i % 2]);
    fixture.write_file("labels.csv", format!("image,x,y,label\n{}", lines(12, row)));
    let data = fixture.open();
    assert_eq!(data.classes, ["cat", "dog"]);
    assert_says!(assumptions(&data), "remark-class-column", column = "label");
    // If no header means a class, the user chooses the column.
    let row = |i: usize| {
        format!("p{i:02}.png,{},{}\n", ["men", "women"][i % 2], ["shoes", "hats", "belts"][i % 3])
    };
    fixture.write_file("labels.csv", format!("image,gender,article\n{}", lines(12, row)));
    let problem = expect_problem(&fixture);
    assert!(
        says!(problem, "problem-several-class-columns", columns = "gender, article")
            && problem.contains("#gender"),
        "{problem}"
    );
    let column = format!("{}#article", fixture.path().join("labels.csv").display());
    let data = Dataset::open(&column, &OpenOptions::default()).unwrap();
    assert_eq!(data.classes, ["belts", "hats", "shoes"]);
    assert_eq!(Dataset::open(&data.origin, &data.options).unwrap().classes, data.classes);
}

#[test]
fn handles_contradicting_labels_in_table() {
    let fixture = DatasetFixture::new();
    for i in 0..24 {
        fixture.write_images(&[&format!("p{i:02}.png")]);
    }
    let label = |i: usize| ["cat", "dog", "cow"][i % 3];
    let rows = lines(24, |i| format!("p{i:02}.png,{}\n", label(i)));
    let conflicting_rows = lines(6, |i| format!("p{i:02}.png,{}\n", label(i + 1)));
    fixture.write_file("labels.csv", format!("file,label\n{rows}{conflicting_rows}"));
    let problem = expect_problem(&fixture);
    assert!(
        says!(problem, "problem-list-two-labels-per-image", n = 6)
            && problem.contains("p00.png (cat, dog)"),
        "{problem}"
    );
    // A single conflict is skipped and reported.
    fixture.write_file("labels.csv", format!("file,label\n{rows}p03.png,dog\n"));
    let data = fixture.open();
    assert_eq!(data.train.len() + data.test.len(), 23);
    assert_says!(assumptions(&data), "remark-two-labels-in-list", n = 1);
    // The same label twice is no conflict.
    fixture.write_file("labels.csv", format!("file,label\n{rows}p03.png,cat\n"));
    let data = fixture.open();
    assert_eq!(data.train.len() + data.test.len(), 24);
}

#[test]
fn matches_names_ignoring_case_and_unicode_form() {
    let fixture = DatasetFixture::new();
    for i in 0..12 {
        fixture.write_images(&[&format!("U\u{308}bung_{i:02}.PNG")]);
    }
    let row = |i: usize| format!("\u{dc}bung_{i:02}.png,{}\n", ["Tu\u{308}r", "Tor"][i % 2]);
    fixture.write_file("labels.csv", format!("file,label\n{}", lines(12, row)));
    let data = fixture.open();
    assert_eq!(data.classes, ["Tor", "T\u{fc}r"]);
    assert_eq!(data.train.len() + data.test.len(), 12);
    assert!(data.train[0].name().contains('\u{dc}'));
    // Splits with names in both Unicode forms.
    let fixture = DatasetFixture::new();
    fixture.write_class("train/M\u{fc}ller", 4).write_class("train/Bauer", 4);
    fixture.write_class("test/Mu\u{308}ller", 2).write_class("test/Bauer", 2);
    let data = fixture.open();
    assert_eq!((data.classes.len(), counts(&data)), (2, (8, 4)));
}

#[test]
fn reads_windows_1252_labels() {
    let fixture = DatasetFixture::new();
    for i in 0..12 {
        fixture.write_images(&[&format!("p{i:02}.png")]);
    }
    let mut table = b"file;label\n".to_vec();
    for i in 0..12 {
        table.extend(format!("p{i:02}.png;T").bytes());
        table.extend([[0xFC, 0xE4, 0x6F][i % 3], b'r', b'\n']);
    }
    fixture.write_file("labels.csv", table);
    let data = fixture.open();
    assert_eq!(data.classes, ["Tor", "T\u{e4}r", "T\u{fc}r"]);
    assert_says!(assumptions(&data), "remark-read-as-windows-1252");
}

#[test]
fn accepts_folder_between_domains_and_classes() {
    let fixture = DatasetFixture::new();
    for domain in ["amazon", "dslr", "webcam"] {
        fixture
            .write_class(&format!("{domain}/images/bike"), 3)
            .write_class(&format!("{domain}/images/mug"), 3);
    }
    assert_eq!(fixture.open().classes, ["bike", "mug"]);
}

#[test]
fn uses_table_beside_class_folders_for_split() {
    let fixture = DatasetFixture::new();
    fixture.write_class("cat", 6).write_class("dog", 6);
    let plain = fixture.open();
    let row = |i: usize| {
        format!("{}/{:03}.png,{},{}\n", ["cat", "dog"][i / 6], i % 6, i % 3, ["am", "pm"][i % 2])
    };
    fixture.write_file("notes.csv", format!("image,week,time\n{}", lines(12, row)));
    let with_notes = fixture.open();
    assert_eq!(
        (&with_notes.classes, with_notes.fingerprints()),
        (&plain.classes, plain.fingerprints())
    );
    assert!(assumptions(&with_notes).contains("notes.csv"), "{:?}", with_notes.assumed);
    let row = |i: usize| {
        format!(
            "{}/{:03}.png,{},{}\n",
            ["cat", "dog"][i / 6],
            i % 6,
            ["cat", "dog"][i / 6],
            i % 6 > 3
        )
    };
    fixture.write_file("notes.csv", format!("path,noisy_labels_0,is_valid\n{}", lines(12, row)));
    let data = fixture.open();
    assert_eq!((data.classes.len(), counts(&data), data.test_drawn), (2, (8, 4), false));
}

#[test]
fn reports_dark_16_bit_images() {
    let open_with_max_value = |max_value: u16| {
        let fixture = DatasetFixture::new();
        for i in 0..12_u16 {
            let pixel =
                |x: u32, y: u32| image::Luma([(x as u16 * 31 + y as u16 * 7 + i) % max_value + i]);
            let bitmap = image::ImageBuffer::<image::Luma<u16>, Vec<u16>>::from_fn(16, 16, pixel);
            let path = fixture.path().join(format!("{}/{i}.png", ["a", "b"][usize::from(i) % 2]));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            bitmap.save(path).unwrap();
        }
        fixture.open()
    };
    let dark = open_with_max_value(480);
    assert_says!(assumptions(&dark), "remark-bit-depth-dark", n = 12, bits = 9);
    let fixture = DatasetFixture::new();
    fixture.write_class("a", 3).write_class("b", 3);
    assert!(!says!(assumptions(&fixture.open()), "remark-bit-depth-dark"));
}
