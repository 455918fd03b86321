//! Options become settings, and settings the command that gives them again.

use clap::Parser;

use super::*;
use crate::experiment::open_options;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    settings: Settings,
}

fn own(settings: &[(&str, Setting)]) -> crate::run::config::Settings {
    let settings = settings.iter().cloned();
    settings
        .map(|(key, value)| (key.to_string(), value))
        .collect()
}

fn frozen(config: &RunConfig) -> usize {
    Chosen::of(config).unwrap().count(FREEZE_EPOCHS).unwrap()
}

fn resolve(words: &str) -> RunConfig {
    let words = ["train"].into_iter().chain(words.split_whitespace());
    Line::try_parse_from(words)
        .unwrap()
        .settings
        .resolve(
            Path::new("/nowhere"),
            &Stock::default(),
            &Control::default(),
        )
        .unwrap()
        .0
}

#[test]
fn the_copied_command_gives_the_same_settings() {
    let config = RunConfig {
        data: "some/folder".into(),
        precision: Precision::F16,
        settings: own(&[
            ("ensemble", Setting::Flag(false)),
            ("learning", Setting::Flag(false)),
            ("ema", Setting::Real(0.9999)),
        ]),
        flip: true,
        crop_scale: [0.08, 1.0],
        classes_per_task: "6,5,5,5,5".into(),
        pet_variant: Some("plain".into()),
        train_limit: Some(50),
        test_share: 0.3,
        validation_share: 0.1,
        split_seed: 4,
        copies_together: false,
        order: "0-4,6,5,7-9".into(),
        cache_mb: 64,
        seed: 7,
        ..RunConfig::default()
    };
    let command = config.as_command();
    let options = command.strip_prefix("lae-studio train").unwrap();
    assert_eq!(resolve(options), config);
}

#[test]
fn a_file_comes_first_and_options_override_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let text = "epochs = 9\nbatch = 12\nlearning = false\n\n[facts]\nformat = 1\n";
    std::fs::write(&path, text).unwrap();
    let config = resolve(&format!(
        "--config {} --batch 6 --no-ensemble",
        path.display()
    ));
    assert_eq!((config.epochs, config.batch), (9, 6));
    let off = |key: &str| config.settings.get(key) == Some(&Setting::Flag(false));
    assert!(off("learning") && off("ensemble") && !off("accumulation"));
}

#[test]
fn a_preset_comes_first_and_options_override_it() {
    let paper = resolve("--preset imagenet-r-20");
    assert_eq!((paper.epochs, frozen(&paper)), (50, 30));
    assert_eq!(paper.data, "imagenet-r");
    let mine = resolve("--preset imagenet-r-20 --data my/copy --pet lora --pet-size 10 --epochs 2");
    assert_eq!((mine.data.as_str(), mine.epochs), ("my/copy", 2));
    assert_eq!(frozen(&mine), 1);
    assert_eq!(frozen(&resolve("--preset imagenet-r-20 --epochs 20")), 12);
    let demo = |words: &str| frozen(&resolve(words));
    assert_eq!(
        [demo("--epochs 1"), demo("--epochs 3"), demo("--epochs 4")],
        [0, 1, 3]
    );
    assert_eq!((mine.pet.as_str(), mine.pet_size), ("lora", 10));
    assert_eq!(mine.classes_per_task, "10");
    let line = Line::try_parse_from(["train", "--preset", "imagenet"]).unwrap();
    let (stock, control) = (Stock::default(), Control::default());
    let problem = line
        .settings
        .resolve(Path::new("/nowhere"), &stock, &control);
    let problem = problem.unwrap_err();
    assert!(problem.remedy.contains("imagenet-r-10"), "{problem}");
}

#[test]
fn letters_come_with_their_tasks() {
    assert_eq!(resolve("--data letters").classes_per_task, "6,5,5,5,5");
    assert_eq!(
        resolve("--data letters --classes-per-task 13").classes_per_task,
        "13"
    );
    assert_eq!(resolve(""), RunConfig::default());
}

/// A folder of so many classes, with so many plain pictures of one colour in each.
fn photographs(classes: u8, pictures: u8) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for class in 1..=classes {
        let folder = root.path().join(format!("class_{class}"));
        std::fs::create_dir(&folder).unwrap();
        for number in 0..pictures {
            let picture = image::RgbImage::from_pixel(8, 8, image::Rgb([class * 9, 250, number]));
            picture.save(folder.join(format!("{number}.png"))).unwrap();
        }
    }
    root
}

#[test]
fn a_folder_gets_what_the_window_gives_it() {
    let folder = photographs(12, 10);
    let place = folder.path().display();
    let config = resolve(&format!("--data {place}"));
    let data = Dataset::open(&config.data, &open_options(&config)).unwrap();
    // The window's way: its own settings of the data, from what it shows of it.
    let mut wanted = RunConfig {
        data: config.data.clone(),
        ..RunConfig::default()
    };
    suit_to(&mut wanted, &data);
    assert_eq!(config, wanted);
    assert_eq!((config.batch, config.epochs, config.flip), (6, 15, true));
    assert_eq!(config.classes_per_task, "3,3,2,2,2");
    assert_eq!((config.order.as_str(), frozen(&config)), ("0,4-11,1-3", 9));
    let given = resolve(&format!(
        "--data {place} --epochs 4 --flip off --order natural"
    ));
    assert_eq!((given.epochs, frozen(&given), given.flip), (4, 3, false));
    assert_eq!((given.order.as_str(), given.batch), ("natural", 6));
    let again = config.as_command();
    assert_eq!(
        resolve(again.strip_prefix("lae-studio train").unwrap()),
        config
    );
}

#[test]
fn a_backbone_comes_with_its_blocks() {
    assert_eq!(
        resolve("--backbone swin_base_patch4_window7_224").blocks,
        "10"
    );
    assert_eq!(resolve("--backbone convnext_base").blocks, "15");
    assert_eq!(resolve("--backbone convnext_base --blocks 3").blocks, "3");
}

#[test]
fn wrong_values_are_wrong_usage() {
    for words in [
        "--flip maybe",
        "--crop-scale 1",
        "--method sgd",
        "--epochs -3",
        "--epoch 3",
    ] {
        let all = ["train"].into_iter().chain(words.split_whitespace());
        let error = Line::try_parse_from(all).err().unwrap();
        assert_eq!(error.exit_code(), 2, "{words}");
    }
}
