//! Grid files: meaning, error messages, and hostile files.

use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::grid::{Grid, GridKey};

fn read(text: &str) -> Grid {
    Grid::read("mine", text, "mine.toml").unwrap()
}

fn refused(text: &str) -> Problem {
    Grid::read("mine", text, "mine.toml").unwrap_err()
}

/// Returns the titles of all rows.
fn titles(grid: &Grid) -> Vec<String> {
    let rows = grid.parts.iter().flat_map(|part| {
        (0..part.rows()).map(|row| {
            let choices = part.choices(row);
            let words = choices.iter().map(|choice| choice.title.as_str());
            let words = [part.title.as_str()].into_iter().chain(words);
            words
                .filter(|words| !words.is_empty())
                .collect::<Vec<_>>()
                .join(", ")
        })
    });
    rows.collect()
}

#[test]
fn crosses_lists_and_shares_single_values() {
    let grid = read(
        "title = \"Mine\"\nabout = \"\"\"\nfor\n  me\"\"\"\nepochs = 2\npet_size = [5, 10]\nbase_lr = [0.01, 1]\norders = 3\nseeds = 2\n",
    );
    assert_eq!(
        (grid.title.as_str(), grid.about.as_str()),
        ("Mine", "for me")
    );
    let wanted = [
        "pet_size 5, base_lr 0.01",
        "pet_size 5, base_lr 1",
        "pet_size 10, base_lr 0.01",
        "pet_size 10, base_lr 1",
    ];
    assert_eq!(titles(&grid), wanted);
    let [part] = grid.parts.as_slice() else {
        panic!("one part")
    };
    assert_eq!((part.repetitions(), part.fixed.len()), (6, 1));
    // An empty file is a grid of one run.
    assert_eq!(
        (read("").rows(), titles(&read(""))),
        (1, vec![String::new()])
    );
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
    let wanted = [
        "A",
        "B, x, ema 0.5",
        "B, x, ema 0.6",
        "B, method l2p, ema 0.5",
        "B, method l2p, ema 0.6",
    ];
    assert_eq!(titles(&grid), wanted);
    let [a, b] = grid.parts.as_slice() else {
        panic!("two parts")
    };
    assert_eq!((a.orders, b.orders), (Some(2), Some(3)));
    // What applies to all rows comes first, so that a row's own value wins.
    let given = b.fixed.iter().chain(&b.choices(0)[0].given);
    let sizes = given.filter(|given| given.key.name() == "pet_size");
    let sizes: Vec<String> = sizes.map(|given| given.value.to_string()).collect();
    assert_eq!(sizes, ["1", "3"]);
}

#[test]
fn parses_crop_scale_pairs_and_lists() {
    let crops = |text: &str| read(text).rows();
    assert_eq!(crops("crop_scale = [0.5, 1.0]"), 1);
    assert_eq!(crops("crop_scale = [[0.5, 1.0], [0.08, 1]]"), 2);
    assert_eq!(crops("flip = [true, false]\nblocks = [1, \"0,2\"]"), 4);
}

/// Invalid text and parts of the reported problem: message, position, remedy.
const REFUSED: [(&str, &str, &str, &str); 24] = [
    (
        "epochs = 2\nepoch = 3\n",
        "no key `epoch`",
        "line 2, column 1",
        "`epochs`",
    ),
    ("zzzzzz = 3\n", "no key `zzzzzz`", "line 1", "title, preset"),
    (
        "epochs = 0\n",
        "0 is not a valid value of `epochs`",
        "line 1, column 10",
        "from 1 to 10000",
    ),
    (
        "epochs = [1, \"two\"]\n",
        "two is not a valid value of `epochs`",
        "column 14",
        "whole number",
    ),
    (
        "epochs = []\n",
        "`epochs` has no values",
        "line 1",
        "give at least one",
    ),
    (
        "epochs = [5, 5]\n",
        "the value 5 twice",
        "column 14",
        "remove one",
    ),
    (
        "epochs = [[5]]\n",
        "`epochs` has an invalid value",
        "line 1",
        "a finite number",
    ),
    (
        "base_lr = nan\n",
        "`base_lr` has an invalid value",
        "line 1",
        "a finite number",
    ),
    (
        "base_lr = 1979-05-27\n",
        "`base_lr` has an invalid value",
        "line 1",
        "a finite number",
    ),
    (
        "precision = \"f8\"\n",
        "f8 is not a valid value of `precision`",
        "line 1",
        "auto or f32 or f16",
    ),
    (
        "pet = 5\n",
        "5 is not a valid value of `pet`",
        "line 1",
        "a string in quotes",
    ),
    (
        "preset = 5\n",
        "5 is not a valid value of `preset`",
        "line 1",
        "lae-studio presets",
    ),
    (
        "orders = 0\n",
        "`orders` is not a number of runs",
        "line 1",
        "from 1 to 1000",
    ),
    (
        "seeds = 1001\n",
        "`seeds` is not a number of runs",
        "line 1",
        "from 1 to 1000",
    ),
    (
        "order = \"seed:1\"\norders = 2\n",
        "`order` and `orders` cannot be used together",
        "line 1",
        "remove one",
    ),
    (
        "seed = [1, 2]\nseeds = 2\n",
        "`seed` and `seeds` cannot be used together",
        "line 1",
        "remove one",
    ),
    (
        "settings = 5\n",
        "`settings` is not a table",
        "line 1",
        "[settings]",
    ),
    (
        "rows = []\n",
        "`rows` is not a list of rows",
        "line 1",
        "rows = [{",
    ),
    (
        "rows = [{ epochs = [1, 2] }]\n",
        "several values within a row",
        "line 1",
        "next to `rows`",
    ),
    (
        "rows = [{ epochs = 1 }, { epochs = 1 }]\n",
        "two rows have the title \"epochs 1\"",
        "line 1",
        "title",
    ),
    (
        "epochs = [1, 2]\nrows = [{ epochs = 1 }]\n",
        "is also in `rows`",
        "line 1",
        "remove one",
    ),
    (
        "[[part]]\ntitle = \"a\"\n[[part]]\n",
        "this part has no title",
        "line 3",
        "`title`",
    ),
    (
        "[[part]]\ntitle = \"a\"\n[[part]]\ntitle = \"a\"\n",
        "two parts have the title \"a\"",
        "line 3",
        "a unique title",
    ),
    (
        "part = 3\n",
        "`part` is not a list of parts",
        "line 1",
        "[[part]]",
    ),
];

#[test]
fn reports_each_mistake_with_position_and_remedy() {
    for (text, what, place, remedy) in REFUSED {
        let problem = refused(text);
        assert!(problem.what.contains(what), "{text}: {problem}");
        assert!(problem.place.starts_with("mine.toml, line "), "{problem}");
        assert!(problem.place.contains(place), "{text}: {problem}");
        assert!(problem.remedy.contains(remedy), "{text}: {problem}");
    }
    let both = refused("epoch = 1\nbatch = 0\n");
    assert!(
        both.remedy
            .contains("line 2, column 9: 0 is not a valid value of `batch`"),
        "{both}"
    );
    assert!(refused("a = ").what.contains("not valid TOML"));
    assert!(
        refused("epochs = 1\nepochs = 2\n")
            .what
            .contains("duplicate key")
    );
}

#[test]
fn rejects_oversized_and_deeply_nested_files() {
    let list = |n: usize| {
        let values: Vec<String> = (1..=n).map(|value| value.to_string()).collect();
        format!("[{}]", values.join(","))
    };
    let huge = format!("pet_size = {0}\nseed = {0}\nbatch = {0}\n", list(10_000));
    let problem = refused(&huge);
    assert!(problem.what.contains("100,000 runs"), "{problem}");
    assert!(read(&format!("pet_size = {}\norders = 10\n", list(10_000))).rows() == 10_000);
    let crossed = format!("pet_size = {}\norders = 1000\nseeds = 1000\n", list(10_000));
    assert!(refused(&crossed).what.contains("100,000 runs"));
    let parts: String = (0..1001)
        .map(|n| format!("[[part]]\ntitle = \"{n}\"\n"))
        .collect();
    assert!(refused(&parts).what.contains("1000 parts"));
    // Each part inherits all values.
    let some: String = (0..500)
        .map(|n| format!("[[part]]\ntitle = \"{n}\"\n"))
        .collect();
    let shared = format!("pet_size = {}\n{some}", list(100_000));
    assert!(refused(&shared).what.contains("100,000 runs"));
    for deep in ["[", "{ a = "] {
        let problem = refused(&format!("epochs = {}", deep.repeat(100_000)));
        assert!(problem.what.contains("not valid TOML"), "{problem}");
    }
    let long = format!("{} = 1\n", "k".repeat(1 << 20));
    assert!(refused(&long).what.contains("characters"));
    let long = format!("settings.{} = 1\n", "k".repeat(1 << 20));
    assert!(refused(&long).what.contains("characters"));
}

#[test]
fn accepts_every_setting_of_run_file() {
    let whole = RunConfig {
        micro_batch: Some(1),
        pet_variant: Some("plain".into()),
        train_limit: Some(1),
        test_limit: Some(1),
        ..RunConfig::default()
    };
    let text = whole.to_toml().unwrap();
    let grid = read(&text);
    let mut config = RunConfig::default();
    for given in &grid.parts[0].fixed {
        if let GridKey::Common(setting) = given.key {
            assert!((setting.set)(&mut config, given.value.clone()));
        }
    }
    assert_eq!(config, whole);
}
