//! Texts that people write: settings, class orders, task sizes, crop boxes, tables of backbones.

use std::path::{Path, PathBuf};

use lae_studio::backbone::library::{BackboneLibrary, WeightLocations};
use lae_studio::data::export::CropBoxes;
use lae_studio::data::scenario::{ClassOrder, Scenario, TaskSizes};
use lae_studio::data::{Correction, Dataset, OpenOptions};
use lae_studio::method::{
    ConfiguredMethod, METHODS, problems, run_title, switch_method, with_explicit_settings,
};
use lae_studio::run::config::RunConfig;
use lae_studio::store;
use lae_studio::ui::settings::Settings;

use super::bytes::Dice;
use super::{Case, Target, fuzz, single_file_case};

fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

struct Configs;

impl Target for Configs {
    const NAME: &'static str = "settings";

    fn valid_cases(&self) -> Vec<Case> {
        let config_case = |spec: &'static lae_studio::method::MethodSpec| {
            let mut config = RunConfig { train_limit: Some(5), ..RunConfig::default() };
            switch_method(&mut config, spec);
            let config = with_explicit_settings(&config);
            let window = Settings { setup: Some(config.clone()), ..Settings::default() };
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("window.toml");
            window.save(&file).unwrap();
            Case::from([
                ("run.toml".into(), config.to_toml().unwrap().into_bytes()),
                ("window.toml".into(), std::fs::read(file).unwrap()),
            ])
        };
        METHODS.iter().map(|spec| config_case(spec)).collect()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"[settings]\n",
            b"[setup]\n",
            b"[former]\n",
            b"method = \"lae\"\n",
            b"method = \"coda\"\n",
            b"method = \"ranpac\"\n",
            b"epochs = ",
            b"batch = ",
            b"base_lr = ",
            b"crop_scale = [0.0, 1.0]\n",
            b"classes_per_task = \"2\"\n",
            b"order = \"seed:1\"\n",
            b"blocks = \"0,1,2\"\n",
            b"blocks = \"99999999999\"\n",
            b"pool = ",
            b"top_k = ",
            b"projection = ",
            b"prompt_length = ",
            b"nan",
            b"inf",
            b"true",
            b"\"on\"",
            b"\"\"",
            b"[",
            b"]",
            b"=",
            b"\n",
            b"train_limit = 0\n",
            b"test_share = 1.0\n",
            b"cache_mb = 18446744073709551615\n",
            b"\"\"\"",
            b"'''",
            b"#",
            b"learning = false\n",
            b"ema = 2\n",
            b"theme = \"light\"\n",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let window = Settings::load(Some(&folder.join("window.toml")));
        let _ = window.after_crash();
        let Ok(config) = RunConfig::from_toml(&read_text(&folder.join("run.toml")), "run.toml")
        else {
            return false;
        };
        let found = problems(&config);
        let _ = (config.parse_blocks(12), config.dataset_name(), run_title(&config, true));
        let toml_text = config.to_toml().unwrap();
        let reparsed = RunConfig::from_toml(&toml_text, "again").unwrap();
        assert_eq!(reparsed.to_toml().unwrap(), toml_text);
        if let (Ok(chosen), true) = (ConfiguredMethod::from_config(&config), found.is_empty()) {
            chosen.default_passes(0).unwrap();
            chosen.default_passes(1).unwrap();
            chosen.facts().unwrap();
        }
        found.is_empty()
    }
}

/// An order, task sizes and crop boxes for ten classes.
struct Orders;

impl Target for Orders {
    const NAME: &'static str = "orders";

    fn valid_cases(&self) -> Vec<Case> {
        let order_case = |order: &str, file: &str, sizes: &str, boxes: &str| {
            Case::from([
                ("order".to_owned(), order.into()),
                ("order.json".to_owned(), file.into()),
                ("sizes".to_owned(), sizes.into()),
                ("boxes.json".to_owned(), boxes.into()),
            ])
        };
        let names =
            "[\"c0\", \"c1\", \"c2\", \"c3\", \"c4\", \"c5\", \"c6\", \"c7\", \"c9\", \"c8\"]";
        let boxed = "[{\"left\": 0, \"top\": 0, \"width\": 3, \"height\": 3, \"flip\": true}]";
        let named = "{\"a/1.png\": {\"left\": 0, \"top\": 0, \"width\": 3, \"height\": 3}}";
        vec![
            order_case("natural", names, "2", boxed),
            order_case("seed:7", "[0, 1, 2, 3, 4, 5, 6, 7, 9, 8]", "4,3,3", named),
            order_case("0-4,6,5,7-9", names, "4+2", boxed),
        ]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"0-9",
            b"0-999999",
            b"-",
            b",",
            b"seed:",
            b"natural",
            b"cifar100_order2",
            b"+",
            b"[",
            b"]",
            b"{",
            b"}",
            b"\"c1\"",
            b"\"left\": 4294967295",
            b"\"width\": 0",
            b"null",
            b"1e3",
            b"\xef\xbb\xbf",
            b".json",
            b"\\u0000",
            b" ",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let classes: Vec<String> = (0..10).map(|class| format!("c{class}")).collect();
        let text = read_text(&folder.join("order"));
        let file = folder.join("order.json");
        let orders = [ClassOrder::parse(&text), ClassOrder::parse(file.to_str().unwrap())];
        let sizes = TaskSizes::parse(&read_text(&folder.join("sizes")));
        let boxes = CropBoxes::from_file(&folder.join("boxes.json"));
        let mut is_valid = boxes.is_ok();
        for order in orders {
            let (Ok(order), Ok(sizes)) = (order, &sizes) else {
                is_valid = false;
                continue;
            };
            let scenario = Scenario::new(&classes, &order, sizes);
            is_valid &= scenario.is_ok();
            if let Ok(scenario) = scenario {
                // Every class comes once, and what was resolved can be written down.
                let mut sorted = scenario.class_order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..10));
                let order_text = ClassOrder::format_indices_or_natural(&scenario.class_order);
                let reparsed = ClassOrder::parse(&order_text).unwrap();
                assert_eq!(reparsed.resolve(&classes).unwrap(), scenario.class_order);
            }
        }
        is_valid
    }
}

struct Backbones;

const USER_TABLE: &str = "[[backbone]]\nname = \"own\"\nfamily = \"vit\"\ninput_size = 16\npatch = 4\nwidth = 128\ndepth = 2\nheads = 2\nnormalisation = \"unit\"\nurl = \"https://example.org/own.safetensors\"\n";
/// The program's own table, part of which no other table may repeat.
const TABLE: &str = include_str!("../../../assets/backbones.toml");

impl Target for Backbones {
    const NAME: &'static str = "backbones";

    fn valid_cases(&self) -> Vec<Case> {
        vec![single_file_case("backbones.toml", USER_TABLE)]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"[[backbone]]\n",
            b"family = \"swin\"\n",
            b"family = \"convnext\"\n",
            b"depths = [2, 2]\n",
            b"heads = [1, 2]\n",
            b"widths = [8, 16]\n",
            b"window = 7\n",
            b"depth = 1024\n",
            b"width = 65536\n",
            b"mlp_ratio = 4.0\n",
            b"epsilon = 0\n",
            b"crop_ratio = 1e-45\n",
            b"mean = [0.5, 0.5, 0.5]\n",
            b"std = 0\n",
            b"file = \"../x\"\n",
            b"repository = \"../../x\"\n",
            b"url = \"file:///etc/passwd\"\n",
            b"name = \"../..\"\n",
            b"nan",
            b"inf",
            b"[",
            b"]",
        ];
        let table = single_file_case("backbones.toml", TABLE);
        dice.vary(&[table, valid[0].clone()], WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let library = BackboneLibrary::new(WeightLocations {
            cache: folder.join("cache"),
            hub_cache: None,
            endpoint: "http://127.0.0.1:9".into(),
            tables: vec![folder.join("backbones.toml")],
        });
        for entry in library.entries() {
            let described = library.describe(&entry.name).unwrap();
            assert_eq!(described.blocks.is_empty(), described.feature_width == 0);
            // Downloads stay in their folder whatever the entry is called.
            let places =
                WeightLocations { cache: PathBuf::from("cache"), ..WeightLocations::from_env() };
            if let Some(path) = places.cached_file(entry) {
                assert!(path.components().all(|part| part.as_os_str() != ".."), "{path:?}");
                assert!(path.starts_with("cache") && path.iter().count() == 3, "{path:?}");
            }
        }
        library.problems().is_empty()
    }
}

/// A few digits with these labels corrected.
fn open_digits(corrected: Vec<Correction>) -> Dataset {
    let options = OpenOptions {
        train_limit: Some(2),
        test_limit: Some(2),
        corrected,
        ..OpenOptions::default()
    };
    Dataset::open("digits", &options).unwrap()
}

/// A list of corrected labels.
struct CorrectedLabels;

impl Target for CorrectedLabels {
    const NAME: &'static str = "mended";

    fn valid_cases(&self) -> Vec<Case> {
        let root = tempfile::tempdir().unwrap();
        let data = open_digits(Vec::new());
        for (sample, class) in data.train.iter().zip([Some("7"), None, Some("no class")]) {
            let change = Correction {
                picture: sample.name(),
                sha256: sample.sha256().unwrap(),
                was: data.classes[sample.class as usize].clone(),
                class: class.map(Into::into),
            };
            store::correct_label(root.path(), "digits", change).unwrap();
        }
        let list = std::fs::read(store::corrections_path(root.path(), "digits")).unwrap();
        vec![single_file_case("list.toml", list)]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const WORDS: &[&[u8]] = &[
            b"[[mended]]\n",
            b"picture = \"../../x\"\n",
            b"sha256 = \"\"\n",
            b"class = 3\n",
            b"data = \"/dev/zero\"\n",
            b"\"\"\"",
            b"[",
            b"=",
        ];
        dice.vary(valid, WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let Ok(corrected) = store::read_corrections(&folder.join("list.toml")) else {
            return false;
        };
        // Every entry counts once, whether there is such an image or not, and no image gets a
        // class that is not there.
        let expected = corrected.len();
        let data = open_digits(corrected);
        let count = data.corrected;
        assert_eq!(count.labels + count.left_out + count.without_effect, expected);
        let samples = data.train.iter().chain(&data.test);
        let classes = data.classes.len();
        samples.for_each(|sample| assert!((sample.class as usize) < classes));
        expected > 0
    }
}

#[test]
fn fuzz_corrected() {
    fuzz(CorrectedLabels);
}

#[test]
fn fuzz_settings() {
    fuzz(Configs);
}

#[test]
fn fuzz_orders() {
    fuzz(Orders);
}

#[test]
fn fuzz_backbones() {
    fuzz(Backbones);
}
