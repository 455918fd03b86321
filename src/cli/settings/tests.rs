//! Tests that options become settings, and that settings become the command that repeats them.

use std::sync::Arc;

use clap::Parser;

use super::*;
use crate::experiment::open_options;
use crate::method::{ConfiguredMethod, METHODS, train_command};
use crate::run::config::{RunSetting, SETTINGS, Setting, SettingKind};
use crate::session::Session;
use crate::tr;

/// LAE's setting that depends on the number of epochs.
const FREEZE_EPOCHS: &str = "freeze_epochs";

#[derive(Parser)]
struct TestCli {
    #[command(flatten)]
    settings: Settings,
}

fn method_settings(settings: &[(&str, Setting)]) -> crate::run::config::Settings {
    let settings = settings.iter().cloned();
    settings.map(|(key, value)| (key.to_string(), value)).collect()
}

fn frozen_epochs(config: &RunConfig) -> usize {
    ConfiguredMethod::from_config(config).unwrap().count(FREEZE_EPOCHS).unwrap()
}

fn try_resolve(arguments: &str) -> Result<ResolvedSettings> {
    let arguments = ["train"].into_iter().chain(arguments.split_whitespace());
    let settings = TestCli::try_parse_from(arguments).unwrap().settings;
    let (cache, control) = (ResourceCache::default(), Control::default());
    settings.resolve(Path::new("/nowhere"), &cache, &control)
}

fn resolve(arguments: &str) -> RunConfig {
    try_resolve(arguments).unwrap().config
}

#[test]
fn train_command_roundtrips_settings() {
    let config = RunConfig {
        data: "some/folder".into(),
        precision: Precision::F16,
        settings: method_settings(&[
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
        near_copies_together: false,
        bit_depth: 12,
        order: "0-4,6,5,7-9".into(),
        cache_mb: 64,
        seed: 7,
        ..RunConfig::default()
    };
    let command = train_command(&config, Plugins::standard().get(&config.pet).ok().as_deref());
    let options = command.strip_prefix("lae-studio train").unwrap();
    assert_eq!(resolve(options), config);
    // Settings of methods keep the options that scripts use.
    for option in [" --no-ensemble", " --no-learning", " --ema 0.9999"] {
        assert!(options.contains(option), "{options}");
    }
}

/// Returns a value of this setting that differs from the default.
fn other_value(setting: &RunSetting) -> Setting {
    match (setting.spec.kind, setting.spec.key) {
        (_, "method") => Setting::Text("baseline".into()),
        (_, "data") => Setting::Text("letters".into()),
        (SettingKind::Flag(on), _) => Setting::Flag(!on),
        (SettingKind::Whole { default, max: most, .. }, _) => {
            Setting::Whole(match default < most {
                true => default + 2,
                false => default - 2,
            })
        }
        (SettingKind::Seed | SettingKind::Limit, _) => Setting::Whole(7),
        (SettingKind::Real { default, .. } | SettingKind::Share(default), _) => {
            Setting::Real(default / 2.0)
        }
        (SettingKind::ShareOrNone, _) => Setting::Real(0.1),
        (SettingKind::Shares(_), _) => Setting::Pair([0.08, 0.9]),
        (SettingKind::Choice(names), _) => Setting::Text(names[1].into()),
        (SettingKind::Blocks(_) | SettingKind::Text(_) | SettingKind::Name(_), _) => {
            Setting::Text("3".into())
        }
    }
}

#[test]
fn every_setting_roundtrips_through_its_option() {
    use clap::CommandFactory;
    let help = TestCli::command().render_long_help().to_string();
    for setting in SETTINGS {
        let (spec, value) = (&setting.spec, other_value(setting));
        let line = format!("--{} {value}", spec.key.replace('_', "-"));
        assert!(help.contains(&format!("--{} <", spec.key.replace('_', "-"))), "{}", spec.key);
        let mut wanted = RunConfig::default();
        assert!((setting.set)(&mut wanted, value.clone()), "{}", spec.key);
        let resolved = resolve(&line);
        assert_eq!((setting.get)(&resolved), Some(value), "{}", spec.key);
        let method = find_method(&resolved.method).unwrap();
        let again = resolved.as_command(method.settings, &[]);
        let again = resolve(again.strip_prefix("lae-studio train").unwrap());
        assert_eq!(again, resolved, "{}", spec.key);
    }
    let method_settings = METHODS.iter().flat_map(|method| method.settings.iter());
    for spec in method_settings {
        if let Some(name) = spec.option_name() {
            assert!(help.contains(&format!("--{name}")), "{name}");
        }
    }
}

#[test]
fn options_override_config_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let text = "epochs = 9\nbatch = 12\nlearning = false\n\n[facts]\nformat = 1\n";
    std::fs::write(&path, text).unwrap();
    let config = resolve(&format!("--config {} --batch 6 --no-ensemble", path.display()));
    assert_eq!((config.epochs, config.batch), (9, 6));
    let off = |key: &str| config.settings.get(key) == Some(&Setting::Flag(false));
    assert!(off("learning") && off("ensemble") && !off("accumulation"));
}

#[test]
fn options_override_preset() {
    let paper = resolve("--preset imagenet-r-20");
    assert_eq!((paper.epochs, frozen_epochs(&paper)), (50, 30));
    assert_eq!(paper.data, "imagenet-r");
    let mine = resolve("--preset imagenet-r-20 --data my/copy --pet lora --pet-size 10 --epochs 2");
    assert_eq!((mine.data.as_str(), mine.epochs), ("my/copy", 2));
    assert_eq!(frozen_epochs(&mine), 1);
    assert_eq!(frozen_epochs(&resolve("--preset imagenet-r-20 --epochs 20")), 12);
    let demo = |arguments: &str| frozen_epochs(&resolve(arguments));
    assert_eq!([demo("--epochs 1"), demo("--epochs 3"), demo("--epochs 4")], [0, 1, 3]);
    assert_eq!((mine.pet.as_str(), mine.pet_size), ("lora", 10));
    assert_eq!(mine.classes_per_task, "10");
    let line = TestCli::try_parse_from(["train", "--preset", "imagenet"]).unwrap();
    let (cache, control) = (ResourceCache::default(), Control::default());
    let problem = line.settings.resolve(Path::new("/nowhere"), &cache, &control);
    let problem = problem.unwrap_err();
    assert!(problem.remedy.contains("imagenet-r-10"), "{problem}");
}

#[test]
fn letters_dataset_has_default_task_sizes() {
    assert_eq!(resolve("--data letters").classes_per_task, "6,5,5,5,5");
    assert_eq!(resolve("--data letters --classes-per-task 13").classes_per_task, "13");
    assert_eq!(resolve(""), RunConfig::default());
}

/// Creates a folder of `classes` classes with `pictures` images of one colour each.
fn create_photos(classes: u8, pictures: u8) -> tempfile::TempDir {
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
fn folder_gets_same_suggested_settings_as_in_window() {
    let folder = create_photos(12, 10);
    let place = folder.path().display();
    let config = resolve(&format!("--data {place}"));
    let data = Dataset::open(&config.data, &open_options(&config)).unwrap();
    // The window starts from its stored settings and the data that it shows.
    let mut wanted = RunConfig { data: config.data.clone(), ..RunConfig::default() };
    suggest_for_dataset(&mut wanted, &data, false);
    assert_eq!(config, wanted);
    assert_eq!((config.batch, config.epochs, config.flip), (24, 15, true));
    assert_eq!(config.classes_per_task, "12");
    // Batch and epochs suit the smaller tasks.
    let stages = resolve(&format!("--data {place} --classes-per-task 3,3,2,2,2"));
    assert_eq!((stages.batch, stages.epochs), (6, 15));
    // A size of at least all classes is a single task.
    let single = resolve(&format!("--data {place} --classes-per-task 20"));
    assert_eq!((single.batch, single.epochs), (config.batch, config.epochs));
    assert_eq!((config.order.as_str(), frozen_epochs(&config)), ("0,4-11,1-3", 9));
    let given = resolve(&format!("--data {place} --epochs 4 --flip off --order natural"));
    assert_eq!((given.epochs, frozen_epochs(&given), given.flip), (4, 3, false));
    assert_eq!((given.order.as_str(), given.batch), ("natural", 24));
    let again = train_command(&config, Plugins::standard().get(&config.pet).ok().as_deref());
    assert_eq!(resolve(again.strip_prefix("lae-studio train").unwrap()), config);
}

#[test]
fn backbone_determines_default_blocks() {
    assert_eq!(resolve("--backbone swin_base_patch4_window7_224").blocks, "10");
    assert_eq!(resolve("--backbone convnext_base").blocks, "15");
    assert_eq!(resolve("--backbone convnext_base --blocks 3").blocks, "3");
}

#[test]
fn invalid_option_values_exit_with_2() {
    for words in ["--flip maybe", "--crop-scale 1", "--method sgd", "--epochs -3", "--epoch 3"] {
        let all = ["train"].into_iter().chain(words.split_whitespace());
        let error = TestCli::try_parse_from(all).err().unwrap();
        assert_eq!(error.exit_code(), 2, "{words}");
    }
}

#[test]
fn notes_options_without_effect() {
    let switch = "note: Baseline has no setting `ensemble`, so --no-ensemble has no effect";
    let title = "SimpleCIL";
    let pet = no_effect_note(&tr!("unused-no-plugin", title), "--pet");
    let rate = no_effect_note(&tr!("unused-no-steps", title), "--base-lr");
    let tuned = no_effect_note(tr!("unused-no-first-session"), "--set dropout");
    let frozen = no_effect_note(tr!("unused-no-learning"), "--freeze-epochs");
    let [pet, rate, tuned, frozen] = [&pet, &rate, &tuned, &frozen].map(String::as_str);
    for (words, expected) in [
        ("--method baseline --no-ensemble", vec![switch]),
        ("--method simplecil --base-lr 0.1 --pet lora", vec![pet, rate]),
        ("--method ranpac --set dropout=off", vec![tuned]),
        ("--no-learning --freeze-epochs 2", vec![frozen]),
        ("--pet lora --pet-size 3 --base-lr 0.1 --ema 0.9", vec![]),
    ] {
        assert_eq!(try_resolve(words).unwrap().notes, expected, "{words}");
    }
    let refused = try_resolve("--pet ssf --pet-size 5").unwrap_err();
    assert!(refused.is("unused-no-size"), "{refused}");
    assert!(refused.what.starts_with("SSF "), "{refused}");
    let others = try_resolve("--pet fact --pet-size 5 --pet-set scale=2").unwrap();
    assert_eq!(others.config.pet_set.as_deref(), Some("scale=2"));
    // The same options are used for LAE and its Baseline.
    let both = "--pet adapter --pet-size 5 --blocks 5 --epochs 5 --freeze-epochs 0 --ema 0.999";
    assert!(try_resolve(both).unwrap().notes.is_empty());
    let of_baseline = try_resolve(&format!("--method baseline {both}")).unwrap().notes;
    assert_eq!(of_baseline, ["note: Baseline has no setting `ema`, so --ema has no effect"]);
}

#[test]
fn notes_unused_options_unless_already_satisfied() {
    let common = "--epochs 2 --crop-scale 0.5,1 --flip on --classes-per-task 5";
    let notes_for = |words: &str| try_resolve(&format!("{words} {common}")).unwrap().notes;
    assert!(notes_for("--method lae").is_empty());
    let reported = notes_for("--method simplecil");
    assert_eq!(reported.len(), 3, "{reported:?}");
    let why = tr!("unused-no-epochs", title = "SimpleCIL");
    let epochs = no_effect_note(&why, "--epochs");
    assert!(reported.contains(&epochs), "{reported:?}");
    let reported = notes_for("--method joint-ft");
    assert!(reported.len() == 1 && reported[0].contains("--classes-per-task"), "{reported:?}");
    // Errors are reported first, and nothing else.
    assert!(try_resolve(&format!("--method simplecil --batch 0 {common}")).is_err());
    // A method without frozen epochs already does what is requested.
    for method in ["baseline", "simplecil", "lae --no-learning"] {
        let words = format!("--method {method} --freeze-epochs 0");
        assert!(try_resolve(&words).unwrap().notes.is_empty(), "{method}");
    }
}

#[test]
fn fewer_epochs_preserve_share_of_frozen_epochs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let with = |text: &str, words: &str| {
        std::fs::write(&path, text).unwrap();
        frozen_epochs(&resolve(&format!("--config {} {words}", path.display())))
    };
    assert_eq!(with("epochs = 5\n", "--epochs 3"), 1);
    assert_eq!(with("epochs = 5\n", "--epochs 3 --freeze-epochs 3"), 3);
    // If all are frozen explicitly, it is intended.
    assert_eq!(with("epochs = 3\nfreeze_epochs = 3\n", ""), 3);
}

/// Creates a folder of five classes of light strokes on a dark background.
fn create_symbols() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for class in 0..5u32 {
        let folder = root.path().join(format!("symbol {class}"));
        std::fs::create_dir(&folder).unwrap();
        for number in 0..10u32 {
            let stroke = |x: u32, y: u32| {
                let on = x.abs_diff(8 + class) < 2 && (4 + number % 3..26).contains(&y);
                image::Luma([if on { 255 } else { 0 }])
            };
            let picture = image::GrayImage::from_fn(32, 32, stroke);
            picture.save(folder.join(format!("{number}.png"))).unwrap();
        }
    }
    root
}

/// Returns a session whose window draws nothing.
fn session(runs: &Path) -> Session {
    let backend = Box::<crate::session::backend::RecordedBackend>::default();
    let sources = crate::session::Disk::new(runs.into());
    Session::with_backend(backend, sources, RunConfig::default(), Arc::new(|| {}))
}

fn wait_until_idle(session: &mut Session) {
    let mut quiet = 0;
    while quiet < 3 {
        quiet = match session.drain() || session.is_busy() {
            true => 0,
            false => quiet + 1,
        };
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn window_and_command_line_agree_for_every_method() {
    let runs = tempfile::tempdir().unwrap();
    let folders = [create_symbols(), create_photos(12, 10), create_photos(2, 3)];
    let plugins = Plugins::with_folders(Vec::new());
    for (folder, first) in folders.iter().zip(["lae", "ease", "simplecil"]) {
        let place = folder.path().display().to_string();
        let typed = |method: &str| resolve(&format!("--data {place} --method {method}"));
        let all: Vec<RunConfig> = METHODS.iter().map(|spec| typed(spec.key)).collect();
        // First the dataset, then one method after the other, and back.
        let mut window = session(runs.path());
        window.choose_data(&place);
        wait_until_idle(&mut window);
        let there = METHODS.iter().zip(&all);
        for (spec, typed) in there.clone().chain(there.rev()) {
            if window.experiment.draft.method != spec.key {
                window.choose_method(spec);
            }
            assert_eq!(window.experiment.draft, *typed, "{} on {place}", spec.key);
            let pet = plugins.get(&typed.pet).ok();
            let command = train_command(typed, pet.as_deref());
            let options = command.strip_prefix("lae-studio train").unwrap();
            assert_eq!(resolve(options), *typed, "{command}");
        }
        // First the method.
        let mut window = session(runs.path());
        if first != window.experiment.draft.method {
            window.choose_method(find_method(first).unwrap());
        }
        window.choose_data(&place);
        wait_until_idle(&mut window);
        assert_eq!(window.experiment.draft, typed(first), "{first} before {place}");
    }
    let drawn = resolve(&format!("--data {}", folders[0].path().display()));
    let shot = resolve(&format!("--data {}", folders[1].path().display()));
    assert!(!drawn.flip && shot.flip);
}

#[test]
fn invalid_values_are_reported_before_opening_dataset() {
    // If the dataset were opened first, the missing folder would be reported instead.
    let error_for = |options: &str| {
        let resolved = try_resolve(&format!("--data /nowhere/at/all {options}"));
        resolved.map(drop).map_err(|problem| problem.what)
    };
    assert_eq!(error_for(""), Ok(()));
    assert_eq!(
        error_for("--epochs 0 --batch 0").unwrap_err(),
        "the number of epochs must be above 0; a batch needs at least one image"
    );
    // The number of epochs that suits the dataset is not known yet.
    assert_eq!(error_for("--set freeze_epochs=9"), Ok(()));
}
