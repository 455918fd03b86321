//! Texts that people write: settings, class orders, task sizes, crop boxes, tables of backbones.

use std::path::{Path, PathBuf};

use lae_studio::backbone::library::{BackboneLibrary, Places};
use lae_studio::data::export::Boxes;
use lae_studio::data::scenario::{ClassOrder, Scenario, TaskSizes};
use lae_studio::data::{Correction, Dataset, OpenOptions};
use lae_studio::method::{Chosen, METHODS, adopt, filled, problems, run_title};
use lae_studio::run::config::RunConfig;
use lae_studio::store;
use lae_studio::ui::settings::Settings;

use super::bytes::Dice;
use super::{Case, Target, fuzz, single};

fn text_of(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

struct Configs;

impl Target for Configs {
    const NAME: &'static str = "settings";

    fn valid(&self) -> Vec<Case> {
        let of = |spec: &'static lae_studio::method::MethodSpec| {
            let mut config = RunConfig {
                train_limit: Some(5),
                ..RunConfig::default()
            };
            adopt(&mut config, spec);
            let config = filled(&config);
            let window = Settings {
                setup: Some(config.clone()),
                ..Settings::default()
            };
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("window.toml");
            window.save(&file).unwrap();
            Case::from([
                ("run.toml".into(), config.to_toml().unwrap().into_bytes()),
                ("window.toml".into(), std::fs::read(file).unwrap()),
            ])
        };
        METHODS.iter().map(|spec| of(spec)).collect()
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
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
        let Ok(config) = RunConfig::from_toml(&text_of(&folder.join("run.toml")), "run.toml")
        else {
            return false;
        };
        let found = problems(&config);
        let _ = (
            config.block_list(12),
            config.data_name(),
            run_title(&config, true),
        );
        let written = config.to_toml().unwrap();
        let again = RunConfig::from_toml(&written, "again").unwrap();
        assert_eq!(again.to_toml().unwrap(), written);
        if let (Ok(chosen), true) = (Chosen::of(&config), found.is_empty()) {
            chosen.kinds(0).unwrap();
            chosen.kinds(1).unwrap();
            chosen.facts().unwrap();
        }
        found.is_empty()
    }
}

/// An order, task sizes and crop boxes for ten classes.
struct Orders;

impl Target for Orders {
    const NAME: &'static str = "orders";

    fn valid(&self) -> Vec<Case> {
        let of = |order: &str, file: &str, sizes: &str, boxes: &str| {
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
            of("natural", names, "2", boxed),
            of("seed:7", "[0, 1, 2, 3, 4, 5, 6, 7, 9, 8]", "4,3,3", named),
            of("0-4,6,5,7-9", names, "4+2", boxed),
        ]
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
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
        let text = text_of(&folder.join("order"));
        let file = folder.join("order.json");
        let orders = [
            ClassOrder::parse(&text),
            ClassOrder::parse(file.to_str().unwrap()),
        ];
        let sizes = TaskSizes::parse(&text_of(&folder.join("sizes")));
        let boxes = Boxes::from_file(&folder.join("boxes.json"));
        let mut fine = boxes.is_ok();
        for order in orders {
            let (Ok(order), Ok(sizes)) = (order, &sizes) else {
                fine = false;
                continue;
            };
            let scenario = Scenario::new(&classes, &order, sizes);
            fine &= scenario.is_ok();
            if let Ok(scenario) = scenario {
                // Every class comes once, and what was resolved can be written down.
                let mut sorted = scenario.class_order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..10));
                let written = ClassOrder::written(&scenario.class_order);
                let again = ClassOrder::parse(&written).unwrap();
                assert_eq!(again.resolve(&classes).unwrap(), scenario.class_order);
            }
        }
        fine
    }
}

struct Backbones;

const OWN: &str = "[[backbone]]\nname = \"own\"\nfamily = \"vit\"\ninput_size = 16\npatch = 4\nwidth = 128\ndepth = 2\nheads = 2\nnormalisation = \"unit\"\nurl = \"https://example.org/own.safetensors\"\n";
/// The program's own table, part of which no other table may repeat.
const TABLE: &str = include_str!("../../../assets/backbones.toml");

impl Target for Backbones {
    const NAME: &'static str = "backbones";

    fn valid(&self) -> Vec<Case> {
        vec![single("backbones.toml", OWN)]
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
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
        let table = single("backbones.toml", TABLE);
        dice.vary(&[table, valid[0].clone()], WORDS)
    }

    fn read(&self, folder: &Path) -> bool {
        let library = BackboneLibrary::new(Places {
            cache: folder.join("cache"),
            hub_cache: None,
            endpoint: "http://127.0.0.1:9".into(),
            tables: vec![folder.join("backbones.toml")],
        });
        for entry in library.entries() {
            let described = library.describe(&entry.name).unwrap();
            assert_eq!(described.blocks.is_empty(), described.feature_width == 0);
            // Downloads stay in their folder whatever the entry is called.
            let places = Places {
                cache: PathBuf::from("cache"),
                ..Places::usual()
            };
            if let Some(own) = places.own_file(entry) {
                assert!(
                    own.components().all(|part| part.as_os_str() != ".."),
                    "{own:?}"
                );
                assert!(
                    own.starts_with("cache") && own.iter().count() == 3,
                    "{own:?}"
                );
            }
        }
        library.problems().is_empty()
    }
}

/// A few digits with these labels corrected.
fn digits(corrected: Vec<Correction>) -> Dataset {
    let options = OpenOptions {
        train_limit: Some(2),
        test_limit: Some(2),
        corrected,
        ..OpenOptions::default()
    };
    Dataset::open("digits", &options).unwrap()
}

/// A list of corrected labels.
struct Corrected;

impl Target for Corrected {
    const NAME: &'static str = "mended";

    fn valid(&self) -> Vec<Case> {
        let root = tempfile::tempdir().unwrap();
        let data = digits(Vec::new());
        for (sample, class) in data.train.iter().zip([Some("7"), None, Some("no class")]) {
            let change = Correction {
                picture: sample.name(),
                sha256: sample.sha256().unwrap(),
                was: data.classes[sample.class as usize].clone(),
                class: class.map(Into::into),
            };
            store::correct_label(root.path(), "digits", change).unwrap();
        }
        let list = std::fs::read(store::corrected_file(root.path(), "digits")).unwrap();
        vec![single("list.toml", list)]
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
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
        let Ok(corrected) = store::read_corrected(&folder.join("list.toml")) else {
            return false;
        };
        // Every entry counts once, whether there is such an image or not, and no image gets a
        // class that is not there.
        let wanted = corrected.len();
        let data = digits(corrected);
        let count = data.corrected;
        assert_eq!(count.labels + count.left_out + count.without_effect, wanted);
        let both = data.train.iter().chain(&data.test);
        let classes = data.classes.len();
        both.for_each(|sample| assert!((sample.class as usize) < classes));
        wanted > 0
    }
}

#[test]
fn fuzz_corrected() {
    fuzz(Corrected);
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
