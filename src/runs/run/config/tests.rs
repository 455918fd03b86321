//! Tests of the settings.

use super::*;
use crate::data::Correction;

#[test]
fn settings_table_matches_config_fields() {
    let mut all = RunConfig {
        micro_batch: Some(1),
        pet_variant: Some("plain".into()),
        pet_set: Some("rank=8".into()),
        pet_start: Some("adapter".into()),
        train_limit: Some(1),
        test_limit: Some(1),
        bit_depth: 12,
        pretrained_transform: false,
        backbone_set: Some("heads=16".into()),
        ..RunConfig::default()
    };
    let text = all.to_toml().unwrap();
    let written_keys: Vec<&str> =
        text.lines().filter_map(|l| Some(l.split_once(" = ")?.0)).collect();
    let listed_keys: Vec<&str> = SETTINGS.iter().map(|setting| setting.spec.key).collect();
    assert_eq!(written_keys, listed_keys);
    for setting in SETTINGS {
        let (spec, value) = (&setting.spec, (setting.get)(&all));
        let value = value.unwrap();
        assert!(!spec.title.is_empty() && !spec.meaning.is_empty(), "{}", spec.key);
        assert!(!spec.meaning.ends_with('.') && !spec.meaning.contains("  "), "{}", spec.key);
        // Its text is parsed back unchanged.
        assert_eq!(
            spec.kind.parse_unchecked(&value.to_string()),
            Some(value.clone()),
            "{}",
            spec.key
        );
        let before = all.clone();
        assert!((setting.set)(&mut all, value) && all == before, "{}", spec.key);
        let default = (setting.get)(&RunConfig::default());
        assert_eq!(default, spec.kind.default(), "{}", spec.key);
    }
}

#[test]
fn config_roundtrips_through_toml() {
    let config = RunConfig {
        train_limit: Some(7),
        method: "baseline".into(),
        settings: Settings::from([("a".into(), Setting::Real(0.5))]),
        corrected: vec![Correction {
            picture: "a/1.png".into(),
            sha256: "0".repeat(64),
            was: "a".into(),
            class: None,
        }],
        ..RunConfig::default()
    };
    let text = config.to_toml().unwrap();
    assert_eq!(RunConfig::from_toml(&text, "run.toml").unwrap(), config);
}

#[test]
fn reports_unknown_key_with_line() {
    let problem = RunConfig::from_toml("epochs = 2\nepoch = 3\n", "my.toml").unwrap_err();
    assert!(problem.place.contains("line 2"), "{problem}");
    assert!(problem.is("problem-settings-unreadable"), "{problem}");
    assert!(problem.what.contains("epoch"), "{problem}");
}

#[test]
fn rejects_non_finite_numbers_with_line() {
    for line in [
        "base_lr = nan",
        "test_share = -inf",
        "validation_share = inf",
        "crop_scale = [nan, 1.0]",
        "ema = nan",
        "settings.ema = nan",
    ] {
        let problem = RunConfig::from_toml(&format!("epochs = 2\n{line}\n"), "my.toml");
        let problem = problem.unwrap_err();
        assert!(problem.is("problem-settings-unreadable"), "{problem}");
        assert!(problem.what.contains("finite"), "{problem}");
        assert!(problem.place.contains("line 2"), "{line}: {problem}");
    }
}

#[test]
fn files_without_copy_settings_use_old_default() {
    let read = |text| RunConfig::from_toml(text, "run.toml").unwrap();
    let old = read("data = \"digits\"\n");
    assert!(!old.copies_together && !old.near_copies_together);
    assert!(!read("copies_together = true\n").near_copies_together);
    let new = RunConfig::default();
    assert!(new.copies_together && new.near_copies_together);
    assert_eq!(read(&new.to_toml().unwrap()), new);
}

#[test]
fn files_without_transform_use_old_default() {
    let read = |text: &str| RunConfig::from_toml(text, "run.toml").unwrap();
    assert!(!read("backbone = \"swin\"\n").pretrained_transform);
    assert!(read("").pretrained_transform, "the embedded one has no other");
    for (backbone, pretrained_transform) in
        [("swin", true), ("swin", false), ("lae-nano", true), ("lae-nano", false)]
    {
        let config =
            RunConfig { backbone: backbone.into(), pretrained_transform, ..RunConfig::default() };
        let text = config.to_toml().unwrap();
        assert_eq!(read(&text), config);
        // Keys of runs without the setting stay the same.
        let named = pretrained_transform != (backbone == "lae-nano");
        assert_eq!(text.contains("pretrained_transform"), named, "{backbone}");
    }
}

#[test]
fn parses_blocks_as_count_or_list() {
    let with = |blocks: &str| RunConfig { blocks: blocks.into(), ..RunConfig::default() };
    assert_eq!(with("3").parse_blocks(8).unwrap(), vec![0, 1, 2]);
    assert_eq!(with("4, 0,4").parse_blocks(8).unwrap(), vec![0, 4]);
    assert!(with("9").parse_blocks(8).is_err());
    assert!(with("99999999999").parse_blocks(8).is_err());
    assert!(with("0,x").parse_blocks(8).is_err());
    assert!(with("").parse_blocks(8).is_err());
}

#[test]
fn reads_card_variant_of_older_files_as_precision() {
    for (text, precision) in [
        ("card_variant = \"f16-fused-bytes\"\n", Precision::F16),
        ("card_variant = \"f32-fused-bytes\"\n", Precision::Auto),
        ("card_variant = \"plain\"\nprecision = \"bf16\"\n", Precision::Bf16),
    ] {
        let config = RunConfig::from_toml(text, "run.toml").unwrap();
        assert_eq!(config.precision, precision);
    }
}

#[test]
fn reads_top_level_lae_settings_of_older_files() {
    let old = "method = \"lae\"\nlearning = false\nfreeze_epochs = 2\nema = 0.99\n";
    let config = RunConfig::from_toml(old, "run.toml").unwrap();
    let expected = [
        ("learning", Setting::Flag(false)),
        ("freeze_epochs", Setting::Whole(2)),
        ("ema", Setting::Real(0.99)),
    ];
    let expected = expected.map(|(key, value)| (key.to_string(), value));
    assert_eq!(config.settings, Settings::from(expected));
}

#[test]
fn validation_reports_all_problems() {
    let config = RunConfig { epochs: 0, batch: 0, crop_scale: [0.9, 0.1], ..RunConfig::default() };
    assert_eq!(config.validate().len(), 3);
    let endless = RunConfig { epochs: usize::MAX, batch: usize::MAX, ..RunConfig::default() };
    let errors: Vec<String> = endless.validate().into_iter().map(|p| p.what).collect();
    let expected = ["the number of epochs per task is too large", "the batch is too large"];
    assert_eq!(errors, expected);
    assert!(RunConfig::default().validate().is_empty());
}

#[test]
fn extreme_valid_settings_roundtrip() {
    for upper in [true, false] {
        let config = extreme_config(upper);
        assert!(config.validate().is_empty(), "{:?}", config.validate());
        let text = config.to_toml().unwrap_or_default();
        assert_eq!(RunConfig::from_toml(&text, "run.toml").ok(), Some(config));
    }
    let beyond = RunConfig {
        seed: u64::MAX,
        split_seed: u64::MAX,
        cache_mb: usize::MAX,
        ..RunConfig::default()
    };
    assert_eq!(beyond.validate().len(), 3);
}

/// Returns settings at the upper or lower ends of their ranges.
fn extreme_config(upper: bool) -> RunConfig {
    let mut config = RunConfig::default();
    for setting in SETTINGS {
        let ends = match setting.spec.kind {
            SettingKind::Whole { min: least, max: most, .. } => {
                [Setting::Whole(least), Setting::Whole(most)]
            }
            SettingKind::Seed => [Setting::Whole(0), Setting::Whole(i64::MAX)],
            SettingKind::Limit => [Setting::Whole(1), Setting::Whole(i64::MAX)],
            SettingKind::Real { min: least, max: most, .. } => {
                [Setting::Real(least), Setting::Real(most)]
            }
            SettingKind::Share(_) | SettingKind::ShareOrNone => {
                [Setting::Real(f64::MIN_POSITIVE), Setting::Real(1.0 - f64::EPSILON)]
            }
            SettingKind::Shares(_) => {
                [Setting::Pair([f32::MIN_POSITIVE; 2]), Setting::Pair([1.0; 2])]
            }
            _ => continue,
        };
        let [lower, upper_end] = ends;
        let end = if upper { upper_end } else { lower };
        assert!((setting.set)(&mut config, end), "{}", setting.spec.key);
    }
    config
}
