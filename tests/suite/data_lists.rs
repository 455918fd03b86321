//! Published lists of ImageNet-R and DomainNet, and lists that do not match the images.

use lae_studio::data::{OpenOptions, Sample};

use crate::data::{Made, assumed};

fn names(split: &[Sample]) -> Vec<String> {
    split.iter().map(Sample::name).collect()
}

/// Creates two class folders with four images each in `imagenet-r`, the layout of LAE's code.
fn imagenet_r_folder() -> Made {
    let made = Made::new();
    made.class("imagenet-r/n01", 4).class("imagenet-r/n02", 4);
    made
}

#[test]
fn reads_split_from_lae_lists() {
    let made = imagenet_r_folder();
    made.file(
        "train_list.txt",
        "imagenet-r/n02/003.png 1\nimagenet-r/n01/000.png 0\nimagenet-r/n01/002.png 0\n",
    );
    made.file(
        "val_list.txt",
        "imagenet-r/n01/001.png 0\nimagenet-r/n02/000.png 1\n",
    );
    let data = made.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_eq!(
        names(&data.train),
        [
            "imagenet-r/n01/000.png",
            "imagenet-r/n01/002.png",
            "imagenet-r/n02/003.png"
        ]
    );
    assert_eq!(
        names(&data.test),
        ["imagenet-r/n01/001.png", "imagenet-r/n02/000.png"]
    );
    assert!(!data.test_drawn);
    let listed = data.listed.unwrap();
    assert_eq!((listed.train, listed.test), (3, 2));
    // Without lists, the test split is drawn.
    let drawn = imagenet_r_folder().open();
    assert!(drawn.test_drawn && drawn.listed.is_none());
}

/// File systems list folders in creation order or in no order.
#[test]
fn sorts_listed_images_by_folder() {
    let made = Made::new();
    let folders = [7, 2, 11, 5, 0, 9, 3, 8, 1, 10, 6, 4].map(|n| format!("part_{n:02}"));
    let mut rows = String::from("file,label,split\n");
    for (at, folder) in folders.iter().enumerate() {
        made.class(folder, 4);
        let row = |i: usize| {
            let split = ["train", "test"][i % 2];
            format!(
                "{folder}/{i:03}.png,{},{split}\n",
                ["a", "b"][(at + i / 2) % 2]
            )
        };
        rows.extend((0..4).rev().map(row));
    }
    made.file("labels.csv", rows);
    let data = made.open();
    assert_eq!((data.train.len(), data.test.len()), (24, 24));
    for samples in [&data.train, &data.test] {
        for class in 0..2 {
            let of_class: Vec<Sample> = samples
                .iter()
                .filter(|s| s.class == class)
                .cloned()
                .collect();
            let names = names(&of_class);
            assert!(names.len() == 12 && names.is_sorted(), "{names:?}");
        }
    }
}

#[test]
fn text_and_yaml_lists_give_equal_split() {
    let text = imagenet_r_folder();
    text.file(
        "imagenet-r/train_list.txt",
        "n01/000.png 0\nn02/000.png 1\n",
    );
    text.file("imagenet-r/val_list.txt", "n02/001.png 1\nn01/003.png 0\n");
    let text = text.open();
    // CODA-Prompt's format: paths, then labels with a different numbering.
    let yaml = imagenet_r_folder();
    let write = |name: &str, lines: &[(&str, u32)]| {
        let data = lines
            .iter()
            .map(|(path, _)| format!("- data/imagenet-r/{path}\n"));
        let targets = lines.iter().map(|(_, label)| format!("- {label}\n"));
        let text = ["data:\n".to_string()].into_iter().chain(data);
        let text: String = text
            .chain(["targets:\n".to_string()])
            .chain(targets)
            .collect();
        yaml.file(name, text);
    };
    write(
        "imagenet-r_train.yaml",
        &[("n01/000.png", 1), ("n02/000.png", 0)],
    );
    write(
        "imagenet-r_test.yaml",
        &[("n01/003.png", 1), ("n02/001.png", 0)],
    );
    let yaml = yaml.open();
    assert_eq!(yaml.classes, text.classes);
    assert_eq!(yaml.listed, text.listed);
    assert_eq!((yaml.train.len(), yaml.test.len()), (2, 2));
    // Limits do not change the listed split.
    let made = imagenet_r_folder();
    made.file(
        "imagenet-r/train_list.txt",
        "n01/000.png 0\nn01/001.png 0\nn02/000.png 1\n",
    );
    made.file("imagenet-r/val_list.txt", "n02/001.png 1\nn01/003.png 0\n");
    let options = OpenOptions {
        train_limit: Some(1),
        test_limit: Some(1),
        ..OpenOptions::default()
    };
    let (all, few) = (made.open(), made.try_open(&options).unwrap());
    assert_eq!((all.train.len(), few.train.len()), (3, 2));
    assert_eq!(few.listed, all.listed);
    // A different test image gives a different split.
    assert_eq!(
        all.listed.unwrap().test_names,
        text.listed.unwrap().test_names
    );
    made.file("imagenet-r/val_list.txt", "n02/002.png 1\nn01/003.png 0\n");
    let other = made.open().listed.unwrap();
    assert_ne!(other.test_names, yaml.listed.unwrap().test_names);
}

#[test]
fn skips_and_reports_missing_or_outside_paths() {
    let made = imagenet_r_folder();
    let outside = Made::new();
    outside.pictures(&["secret.png"]);
    let secret = outside.path().join("secret.png");
    made.file(
        "train_list.txt",
        format!(
            "imagenet-r/n01/000.png 0\nimagenet-r/n02/000.png 1\nimagenet-r/n01/gone.png 0\n\
             ../{0}/secret.png 0\nimagenet-r/../../{0}/secret.png 1\n{1} 1\n",
            outside.path().file_name().unwrap().to_str().unwrap(),
            secret.display()
        ),
    );
    made.file(
        "val_list.txt",
        "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n",
    );
    let data = made.open();
    assert_eq!((data.train.len(), data.test.len()), (2, 2));
    for split in [&data.train, &data.test] {
        let inside = |sample: &Sample| {
            let path = sample.source.path().unwrap();
            path.starts_with(made.path())
        };
        assert!(split.iter().all(inside));
    }
    let told = |line: u32| {
        let words = tr!("skip-listed-not-found", line, file = "train_list.txt");
        data.skipped
            .iter()
            .any(|file| file.reason == words.as_str())
    };
    assert!((3..=6).all(told), "{:?}", data.skipped);
    assert_eq!(data.skipped.len(), 4);
}

#[test]
fn excludes_and_reports_classes_without_training_lines() {
    let made = imagenet_r_folder();
    made.class("imagenet-r/n03", 2);
    made.file(
        "train_list.txt",
        "imagenet-r/n01/000.png 0\nimagenet-r/n02/000.png 1\n",
    );
    made.file(
        "val_list.txt",
        "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\nimagenet-r/n03/001.png 7\n",
    );
    let data = made.open();
    assert_eq!(data.classes, ["n01", "n02"]);
    assert_says!(
        assumed(&data),
        "remark-class-only-in-test",
        class = "n03",
        n = 1
    );
}

#[test]
fn images_in_both_lists_are_only_tested() {
    let made = imagenet_r_folder();
    made.file(
        "train_list.txt",
        "imagenet-r/n01/000.png 0\nimagenet-r/n01/001.png 0\nimagenet-r/n02/000.png 1\n",
    );
    made.file(
        "val_list.txt",
        "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n",
    );
    let data = made.open();
    assert_eq!(
        names(&data.train),
        ["imagenet-r/n01/000.png", "imagenet-r/n02/000.png"]
    );
    assert_eq!(data.test.len(), 2);
    assert_says!(assumed(&data), "remark-images-only-tested", n = 1);
    assert!(data.duplicates.is_empty());
    // Two equal lists change nothing; each duplicate is reported.
    let made = imagenet_r_folder();
    for name in ["train_list.txt", "val_list.txt"] {
        made.file(name, "imagenet-r/n01/001.png 0\nimagenet-r/n02/001.png 1\n");
    }
    let data = made.open();
    assert_eq!((data.train.len(), data.test.len()), (2, 2));
    assert_eq!(data.duplicates.len(), 2);
}

#[test]
fn skips_and_reports_oversized_list() {
    let made = imagenet_r_folder();
    made.file(
        "train_list.txt",
        "imagenet-r/n01/000.png 0\n".repeat(2_000_001),
    );
    let data = made.open();
    assert!(data.test_drawn && data.listed.is_none());
    let told = data
        .skipped
        .iter()
        .find(|file| file.path.ends_with("train_list.txt"));
    let reason = &told.unwrap().reason;
    assert_says!(reason.english, "problem-list-too-long");
}

#[test]
fn merges_lists_of_domains_into_one_split() {
    let made = Made::new();
    for domain in ["clipart", "real"] {
        made.class(&format!("{domain}/car"), 5)
            .class(&format!("{domain}/cat"), 5);
        let lines = |places: std::ops::Range<u32>| -> String {
            let line = |class: &str, label: u32, place: u32| {
                format!("{domain}/{class}/{place:03}.png {label}\n")
            };
            places
                .flat_map(|place| [line("car", 0, place), line("cat", 1, place)])
                .collect()
        };
        made.file(&format!("{domain}_train.txt"), lines(0..4));
        made.file(&format!("{domain}_test.txt"), lines(4..5));
    }
    let data = made.open();
    assert_eq!(data.classes, ["car", "cat"]);
    let listed = data.listed.unwrap();
    assert_eq!((listed.train, listed.test), (16, 4));
}
