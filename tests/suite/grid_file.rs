//! Grid files: meaning, error messages, and hostile files.

use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::grid::{Grid, GridKey};

fn read(text: &str) -> Grid {
    Grid::parse("mine", text, "mine.toml").unwrap()
}

fn expect_problem(text: &str) -> Problem {
    Grid::parse("mine", text, "mine.toml").unwrap_err()
}

/// Returns the titles of all rows.
fn titles(grid: &Grid) -> Vec<String> {
    let rows = grid.parts.iter().flat_map(|part| {
        (0..part.row_count()).map(|row| {
            let choices = part.choices(row);
            let words = choices.iter().map(|choice| choice.title.as_str());
            let words = [part.title.as_str()].into_iter().chain(words);
            words.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
        })
    });
    rows.collect()
}

#[test]
fn crosses_lists_and_shares_single_values() {
    let grid = read(
        "title = \"Mine\"\nabout = \"\"\"\nfor\n  me\"\"\"\nepochs = 2\npet_size = [5, 10]\nbase_lr = [0.01, 1]\norders = 3\nseeds = 2\n",
    );
    assert_eq!((grid.title.as_str(), grid.about.as_str()), ("Mine", "for me"));
    let expected = [
        "pet_size 5, base_lr 0.01",
        "pet_size 5, base_lr 1",
        "pet_size 10, base_lr 0.01",
        "pet_size 10, base_lr 1",
    ];
    assert_eq!(titles(&grid), expected);
    let [part] = grid.parts.as_slice() else { panic!("one part") };
    assert_eq!((part.repetitions(), part.fixed.len()), (6, 1));
    // An empty file is a grid of one run.
    assert_eq!((read("").row_count(), titles(&read(""))), (1, vec![String::new()]));
}

#[test]
fn parts_inherit_settings_and_rows_group_values() {
    let grid = read(
        r#"
pet_size = [5, 10]
orders = 2
settings.ema = 0.9

[[part]]
title = "A"
pet_size = 7

[[part]]
title = "B"
orders = 3
settings.ema = [0.5, 0.6]
pet_size = 1
rows = [{ title = "x", pet = "lora", pet_size = 3 }, { method = "l2p" }]
"#,
    );
    let expected =
        ["A", "B, x, ema 0.5", "B, x, ema 0.6", "B, method l2p, ema 0.5", "B, method l2p, ema 0.6"];
    assert_eq!(titles(&grid), expected);
    let [a, b] = grid.parts.as_slice() else { panic!("two parts") };
    assert_eq!((a.orders, b.orders), (Some(2), Some(3)));
    // What applies to all rows comes first, so that a row's own value wins.
    let fixed_values = b.fixed.iter().chain(&b.choices(0)[0].values);
    let sizes = fixed_values.filter(|setting| setting.key.name() == "pet_size");
    let sizes: Vec<String> = sizes.map(|setting| setting.value.to_string()).collect();
    assert_eq!(sizes, ["1", "3"]);
}

#[test]
fn parses_crop_scale_pairs_and_lists() {
    let crops = |text: &str| read(text).row_count();
    assert_eq!(crops("crop_scale = [0.5, 1.0]"), 1);
    assert_eq!(crops("crop_scale = [[0.5, 1.0], [0.08, 1]]"), 2);
    assert_eq!(crops("flip = [true, false]\nblocks = [1, \"0,2\"]"), 4);
}

/// Invalid text and its problem: message with one of its values, position, and remedy with one of its values.
const INVALID_GRIDS: [(&str, [&str; 2], &str, [&str; 2]); 25] = [
    (
        "epochs = 2\nepoch = 3\n",
        ["problem-grid-key-unknown", "`epoch`"],
        "line 2, column 1",
        ["advice-did-you-mean", "epochs"],
    ),
    (
        "zzzzzz = 3\n",
        ["problem-grid-key-unknown", "`zzzzzz`"],
        "line 1",
        ["advice-known-names", "title, preset"],
    ),
    (
        "epochs = 0\n",
        ["problem-grid-value-invalid", "`epochs`"],
        "line 1, column 10",
        ["advice-give-range-why", "10000"],
    ),
    (
        "epochs = [1, \"two\"]\n",
        ["problem-grid-value-invalid", "two"],
        "column 14",
        ["advice-give-range-why", "10000"],
    ),
    (
        "epochs = []\n",
        ["problem-grid-setting-without-values", "`epochs`"],
        "line 1",
        ["advice-give-one-value", ""],
    ),
    (
        "epochs = [5, 5]\n",
        ["problem-grid-value-twice", "5"],
        "column 14",
        ["advice-remove-one-of-them", ""],
    ),
    (
        "micro_batch = [4, 8]\n",
        ["problem-grid-same-runs", "`micro_batch`"],
        "line 1",
        ["advice-keep-one-value", ""],
    ),
    (
        "epochs = [[5]]\n",
        ["problem-grid-value-unreadable", "`epochs`"],
        "line 1",
        ["advice-grid-value-types", ""],
    ),
    (
        "base_lr = nan\n",
        ["problem-grid-value-unreadable", "`base_lr`"],
        "line 1",
        ["advice-grid-value-types", ""],
    ),
    (
        "base_lr = 1979-05-27\n",
        ["problem-grid-value-unreadable", "`base_lr`"],
        "line 1",
        ["advice-grid-value-types", ""],
    ),
    (
        "precision = \"f8\"\n",
        ["problem-grid-value-invalid", "f8"],
        "line 1",
        ["advice-give-range", "auto or f32 or f16"],
    ),
    (
        "pet = 5\n",
        ["problem-grid-value-invalid", "`pet`"],
        "line 1",
        ["advice-give-quoted-string", ""],
    ),
    (
        "preset = 5\n",
        ["problem-grid-value-invalid", "`preset`"],
        "line 1",
        ["advice-give-preset-name", ""],
    ),
    (
        "orders = 0\n",
        ["problem-grid-no-number-of-runs", "`orders`"],
        "line 1",
        ["advice-give-whole-number", "1000"],
    ),
    (
        "seeds = 1001\n",
        ["problem-grid-no-number-of-runs", "`seeds`"],
        "line 1",
        ["advice-give-whole-number", "1000"],
    ),
    (
        "order = \"seed:1\"\norders = 2\n",
        ["problem-grid-keys-exclusive", "`orders`"],
        "line 1",
        ["advice-remove-one-of-them", ""],
    ),
    (
        "seed = [1, 2]\nseeds = 2\n",
        ["problem-grid-keys-exclusive", "`seeds`"],
        "line 1",
        ["advice-remove-one-of-them", ""],
    ),
    (
        "settings = 5\n",
        ["problem-grid-settings-no-table", ""],
        "line 1",
        ["advice-write-settings-table", ""],
    ),
    (
        "rows = []\n",
        ["problem-grid-rows-no-list", ""],
        "line 1",
        ["advice-write-as-example", "rows = [{"],
    ),
    (
        "rows = [{ epochs = [1, 2] }]\n",
        ["problem-grid-row-several-values", "`epochs`"],
        "line 1",
        ["advice-move-next-to-rows", ""],
    ),
    (
        "rows = [{ epochs = 1 }, { epochs = 1 }]\n",
        ["problem-grid-rows-same-title", "`epochs 1`"],
        "line 1",
        ["advice-give-unique-title", ""],
    ),
    (
        "epochs = [1, 2]\nrows = [{ epochs = 1 }]\n",
        ["problem-grid-values-and-rows", "`epochs`"],
        "line 1",
        ["advice-remove-one-of-them", ""],
    ),
    (
        "[[part]]\ntitle = \"a\"\n[[part]]\n",
        ["problem-grid-part-without-title", ""],
        "line 3",
        ["advice-add-part-title", ""],
    ),
    (
        "[[part]]\ntitle = \"a\"\n[[part]]\ntitle = \"a\"\n",
        ["problem-grid-parts-same-title", "`a`"],
        "line 3",
        ["advice-give-unique-title", ""],
    ),
    ("part = 3\n", ["problem-grid-part-no-list", ""], "line 1", ["advice-write-grid-parts", ""]),
];

#[test]
fn reports_each_mistake_with_position_and_remedy() {
    for (text, [problem_id, value], position, [remedy, advice_text]) in INVALID_GRIDS {
        let problem = expect_problem(text);
        assert!(problem.is(problem_id), "{text}: {problem}");
        assert!(problem.what.contains(value), "{text}: {problem}");
        assert!(problem.place.starts_with("mine.toml, line "), "{problem}");
        assert!(problem.place.contains(position), "{text}: {problem}");
        assert!(problem.mentions(remedy), "{text}: {problem}");
        assert!(problem.remedy.contains(advice_text), "{text}: {problem}");
    }
    let two_mistakes = expect_problem("epoch = 1\nbatch = 0\n");
    let second_problem = tr!("problem-grid-value-invalid", value = "0", name = "batch");
    let second_problem = format!("line 2, column 9: {second_problem}");
    assert!(two_mistakes.remedy.contains(&second_problem), "{two_mistakes}");
    assert!(expect_problem("a = ").is("problem-toml-invalid"));
    let duplicate = expect_problem("epochs = 1\nepochs = 2\n");
    assert!(duplicate.is("problem-toml-invalid"), "{duplicate}");
    // The words of the TOML library.
    assert!(duplicate.what.contains("duplicate key"), "{duplicate}");
}

#[test]
fn rejects_oversized_and_deeply_nested_files() {
    let list = |n: usize| {
        let values: Vec<String> = (1..=n).map(|value| value.to_string()).collect();
        format!("[{}]", values.join(","))
    };
    let huge = format!("pet_size = {0}\nseed = {0}\nbatch = {0}\n", list(10_000));
    let problem = expect_problem(&huge);
    assert!(problem.is("problem-grid-too-many-runs"), "{problem}");
    assert!(problem.what.contains("100,000"), "{problem}");
    assert!(read(&format!("pet_size = {}\norders = 10\n", list(10_000))).row_count() == 10_000);
    let too_many_runs = format!("pet_size = {}\norders = 1000\nseeds = 1000\n", list(10_000));
    assert!(expect_problem(&too_many_runs).is("problem-grid-too-many-runs"));
    let parts: String = (0..1001).map(|n| format!("[[part]]\ntitle = \"{n}\"\n")).collect();
    assert!(expect_problem(&parts).is("problem-grid-too-many-parts"));
    // Each part inherits all values.
    let many_parts: String = (0..500).map(|n| format!("[[part]]\ntitle = \"{n}\"\n")).collect();
    let inherited = format!("pet_size = {}\n{many_parts}", list(100_000));
    assert!(expect_problem(&inherited).is("problem-grid-too-many-runs"));
    for opening in ["[", "{ a = "] {
        let problem = expect_problem(&format!("epochs = {}", opening.repeat(100_000)));
        assert!(problem.is("problem-toml-invalid"), "{problem}");
    }
    let long_name = format!("{} = 1\n", "k".repeat(1 << 20));
    assert!(expect_problem(&long_name).is("problem-name-too-long"));
    let long_name = format!("settings.{} = 1\n", "k".repeat(1 << 20));
    assert!(expect_problem(&long_name).is("problem-name-too-long"));
}

#[test]
fn accepts_every_setting_of_run_file() {
    let full_config = RunConfig {
        micro_batch: Some(1),
        pet_variant: Some("plain".into()),
        train_limit: Some(1),
        test_limit: Some(1),
        ..RunConfig::default()
    };
    let text = full_config.to_toml().unwrap();
    let grid = read(&text);
    let mut config = RunConfig::default();
    for entry in &grid.parts[0].fixed {
        if let GridKey::Common(setting) = entry.key {
            assert!((setting.set)(&mut config, entry.value.clone()));
        }
    }
    assert_eq!(config, full_config);
}
