//! Published lists of ImageNet-R and DomainNet, and lists that do not match the images.

use lae_studio::data::{OpenOptions, Sample};

use crate::data::{DatasetFixture, assumptions};

fn names(split: &[Sample]) -> Vec<String> {
    split.iter().map(Sample::name).collect()
}

/// Creates two class folders with four images each in `imagenet-r`, the layout of LAE's code.
fn imagenet_r_folder() -> DatasetFixture {
    let fixture = DatasetFixture::new();
    fixture.write_class("imagenet-r/n01", 4).write_class("imagenet-r/n02", 4);
    fixture
}

#[test]
fn reads_split_from_lae_lists() {
    let fixture = imagenet_r_folder();
    fixture.write_file(
        "train_list.txt",
        "imagenet-r/n02/003.png 1\nimagenet-r/n01/000.png 0\nimagenet-r/n01/002.png 0\n",
    );
    fixture.write_file("val_list.txt", "imagenet-r/n01/001.png 0\nimagenet-r/n02/000.png 1\n");
    let data = fixture.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_eq!(
        names(&data.train),
        ["imagenet-r/n01/000.png", "imagenet-r/n01/002.png", "imagenet-r/n02/003.png"]
    );
    assert_eq!(names(&data.test), ["imagenet-r/n01/001.png", "imagenet-r/n02/000.png"]);
    assert!(!data.test_drawn);
    let listed = data.listed_split.unwrap();
    assert_eq!((listed.train, listed.test), (3, 2));
    // Without lists, the test split is drawn.
    let drawn = imagenet_r_folder().open();
    assert!(drawn.test_drawn && drawn.listed_split.is_none());
}

/// File systems list folders in creation order or in no order.
#[test]
fn sorts_listed_images_by_folder() {
    let fixture = DatasetFixture::new();
    let folders = [7, 2, 11, 5, 0, 9, 3, 8, 1, 10, 6, 4].map(|n| format!("part_{n:02}"));
    let mut rows = String::from("file,label,split\n");
    for (folder_index, folder) in folders.iter().enumerate() {
        fixture.write_class(folder, 4);
        let row = |i: usize| {
            let split = ["train", "test"][i % 2];
            format!("{folder}/{i:03}.png,{},{split}\n", ["a", "b"][(folder_index + i / 2) % 2])
        };
        rows.extend((0..4).rev().map(row));
    }
    fixture.write_file("labels.csv", rows);
    let data = fixture.open();
    assert_eq!((data.train.len(), data.test.len()), (24, 24));
    for samples in [&data.train, &data.test] {
        for class in 0..2 {
            let class_samples: Vec<Sample> =
                samples.iter().filter(|s| s.class == class).cloned().collect();
            let names = names(&class_samples);
            assert!(names.len() == 12 && names.is_sorted(), "{names:?}");
        }
    }
}

#[test]
fn text_and_yaml_lists_give_equal_split() {
    let text = imagenet_r_folder();
    text.write_file("imagenet-r/train_list.txt", "n01/000.png 0\nn02/000.png 1\n");
    text.write_file("imagenet-r/val_list.txt", "n02/001.png 1\nn01/003.png 0\n");
    let text = text.open();
    // CODA-Prompt's format: paths, then labels with a different numbering.
    let yaml = imagenet_r_folder();
    let write_list = |name: &str, lines: &[(&str, u32)]| {
        let data = lines.iter().map(|(path, _)| format!("- data/imagenet-r/{path}\n"));
        let targets = lines.iter().map(|(_, label)| format!("- {label}\n"));
        let text = ["data:\n".to_string()].into_iter().chain(data);
        let text: String = text.chain(["targets:\n".to_string()]).chain(targets).collect();
        yaml.write_file(name, text);
    };
    write_list("imagenet-r_train.yaml", &[("n01/000.png", 1), ("n02/000.png", 0)]);
    write_list("imagenet-r_test.yaml", &[("n01/003.png", 1), ("n02/001.png", 0)]);
    let yaml = yaml.open();
    assert_eq!(yaml.classes, text.classes);
    assert_eq!(yaml.listed_split, text.listed_split);
    assert_eq!((yaml.train.len(), yaml.test.len()), (2, 2));
    // Limits do not change the listed split.
    let fixture = imagenet_r_folder();
    fixture
        .write_file("imagenet-r/train_list.txt", "n01/000.png 0\nn01/001.png 0\nn02/000.png 1\n");
    fixture.write_file("imagenet-r/val_list.txt", "n02/001.png 1\nn01/003.png 0\n");
    let options =
        OpenOptions { train_limit: Some(1), test_limit: Some(1), ..OpenOptions::default() };
    let (full, limited) = (fixture.open(), fixture.try_open(&options).unwrap());
    assert_eq!((full.train.len(), limited.train.len()), (3, 2));
    assert_eq!(limited.listed_split, full.listed_split);
    // A different test image gives a different split.
    assert_eq!(full.listed_split.unwrap().test_names, text.listed_split.unwrap().test_names);
    fixture.write_file("imagenet-r/val_list.txt", "n02/002.png 1\nn01/003.png 0\n");
    let different = fixture.open().listed_split.unwrap();
    assert_ne!(different.test_names, yaml.listed_split.unwrap().test_names);
}

#[test]
fn skips_and_reports_missing_or_outside_paths() {
    let fixture = imagenet_r_folder();
    let outside_folder = DatasetFixture::new();
    outside_folder.write_images(&["secret.png"]);
    let secret = outside_folder.path().join("secret.png");
    fixture.write_file(
        "train_list.txt",
        format!(
            "imagenet-r/n01/000.png 0\nimagenet-r/n02/000.png 1\nimagenet-r/n01/gone.png 0\n\
             ../{0}/secret.png 0\nimagenet-r/../../{0}/secret.png 1\n{1} 1\n",
            outside_folder.path().file_name().unwrap().to_str().unwrap(),
            secret.display()
        ),
    );
    fixture.write_file("val_list.txt", "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n");
    let data = fixture.open();
    assert_eq!((data.train.len(), data.test.len()), (2, 2));
    for split in [&data.train, &data.test] {
        let inside = |sample: &Sample| {
            let path = sample.source.path().unwrap();
            path.starts_with(fixture.path())
        };
        assert!(split.iter().all(inside));
    }
    let is_skipped = |line: u32| {
        let words = tr!("skip-listed-not-found", line, file = "train_list.txt");
        data.skipped.iter().any(|file| file.reason == words.as_str())
    };
    assert!((3..=6).all(is_skipped), "{:?}", data.skipped);
    assert_eq!(data.skipped.len(), 4);
}

#[test]
fn excludes_and_reports_classes_without_training_lines() {
    let fixture = imagenet_r_folder();
    fixture.write_class("imagenet-r/n03", 2);
    fixture.write_file("train_list.txt", "imagenet-r/n01/000.png 0\nimagenet-r/n02/000.png 1\n");
    fixture.write_file(
        "val_list.txt",
        "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\nimagenet-r/n03/001.png 7\n",
    );
    let data = fixture.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_says!(assumptions(&data), "remark-class-only-in-test", class = "n03", n = 1);
}

#[test]
fn images_in_both_lists_are_used_in_one_split() {
    let fixture = imagenet_r_folder();
    fixture.write_file(
        "train_list.txt",
        "imagenet-r/n01/000.png 0\nimagenet-r/n01/001.png 0\nimagenet-r/n02/000.png 1\n",
    );
    fixture.write_file("val_list.txt", "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n");
    let data = fixture.open();
    assert_eq!(names(&data.train), ["imagenet-r/n01/000.png", "imagenet-r/n02/000.png"]);
    assert_eq!(data.test.len(), 2);
    assert_says!(assumptions(&data), "remark-images-only-tested", n = 1);
    assert!(data.duplicates.is_empty());
    // A test list that contains all training images and others gives the others as test images.
    let fixture = imagenet_r_folder();
    let train = "imagenet-r/n01/000.png 0\nimagenet-r/n02/000.png 1\n";
    fixture.write_file("train_list.txt", train);
    let others = "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n";
    fixture.write_file("val_list.txt", format!("{train}{others}"));
    let data = fixture.open();
    assert_eq!(names(&data.train), ["imagenet-r/n01/000.png", "imagenet-r/n02/000.png"]);
    assert_eq!(names(&data.test), ["imagenet-r/n01/001.png", "imagenet-r/n02/001.png"]);
    assert_says!(assumptions(&data), "remark-images-only-trained", n = 2);
    // Two equal lists change nothing; each duplicate is reported.
    let fixture = imagenet_r_folder();
    for name in ["train_list.txt", "val_list.txt"] {
        fixture.write_file(name, "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n");
    }
    let data = fixture.open();
    assert_eq!((data.train.len(), data.test.len()), (2, 2));
    assert_eq!(data.duplicates.len(), 2);
}

#[test]
fn skips_and_reports_oversized_list() {
    let fixture = imagenet_r_folder();
    fixture.write_file("train_list.txt", "imagenet-r/n01/000.png 0\n".repeat(2_000_001));
    let data = fixture.open();
    assert!(data.test_drawn && data.listed_split.is_none());
    let skipped_list = data.skipped.iter().find(|file| file.path.ends_with("train_list.txt"));
    let reason = &skipped_list.unwrap().reason;
    assert_says!(reason.english, "problem-list-too-long");
}

#[test]
fn merges_lists_of_domains_into_one_split() {
    let fixture = DatasetFixture::new();
    for domain in ["clipart", "real"] {
        fixture.write_class(&format!("{domain}/car"), 5).write_class(&format!("{domain}/cat"), 5);
        let lines = |range: std::ops::Range<u32>| -> String {
            let line = |class: &str, label: u32, index: u32| {
                format!("{domain}/{class}/{index:03}.png {label}\n")
            };
            range.flat_map(|index| [line("car", 0, index), line("cat", 1, index)]).collect()
        };
        fixture.write_file(&format!("{domain}_train.txt"), lines(0..4));
        fixture.write_file(&format!("{domain}_test.txt"), lines(4..5));
    }
    let data = fixture.open();
    assert_eq!(data.classes, ["car", "cat"]);
    let listed = data.listed_split.unwrap();
    assert_eq!((listed.train, listed.test), (16, 4));
}
