//! Weight files of all formats: names and shapes, the network they are taken for, and its tensors.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use lae_studio::backbone::library::{BackboneChoice, BackboneLibrary, Places};
use lae_studio::golden::{self, Tolerance};
use lae_studio::nn::WeightPlacement;
use safetensors::tensor::Dtype;
use serde_json::Value;

use super::bytes::Dice;
use super::headers::{joined, split, vary_header};
use super::meter::Meter;
use super::packing::{Zipped, unzipped, zip};
use super::{Case, Target, fuzz, single};
use crate::backbone::files;

/// A library that knows no file but the one it is given.
fn library() -> BackboneLibrary {
    BackboneLibrary::new(Places {
        cache: PathBuf::from("no-such-folder"),
        hub_cache: None,
        endpoint: "http://127.0.0.1:9".into(),
        tables: Vec::new(),
    })
}

/// Describes a file and builds its network.
fn opens(path: &Path) -> bool {
    let library = library();
    let choice = BackboneChoice {
        values: Some("heads=2,activation=gelu,normalisation=unit"),
        ..BackboneChoice::from(path.to_str().unwrap())
    };
    let described = library.describe(choice);
    let opened = library.open(choice, &Device::flex(), &mut |_| true);
    assert!(
        described.is_ok() || opened.is_err(),
        "opened, but not described"
    );
    opened.is_ok()
}

/// Parts of names and texts of the three families.
const WORDS: &[&[u8]] = &[
    b"\"F32\"",
    b"\"F16\"",
    b"\"BF16\"",
    b"\"F64\"",
    b"\"I64\"",
    b"\"U8\"",
    b"\"F8_E4M3\"",
    b"\"__metadata__\":{",
    b"\"architecture\":\"vit\"",
    b"\"architecture\":\"swin\"",
    b"\"architecture\":\"convnext\"",
    b"\"config\":\"{}\"",
    b"\"model_args\":\"{\\\"embed_dim\\\":64}\"",
    b"\"depth\":\"12\"",
    b"\"num_heads\":\"3\"",
    b"\"img_size\":\"224\"",
    b"\"patch_size\":\"16\"",
    b"\"window_size\":\"7\"",
    b"\"shape\":[",
    b"\"data_offsets\":[0,4]",
    b"blocks.0.",
    b"blocks.1.",
    b"layers.0.",
    b"layers.3.",
    b"stages.0.",
    b"stages.9.",
    b"norm1.weight",
    b"attn.qkv.weight",
    b"pos_embed",
    b"cls_token",
    b"patch_embed.proj.weight",
    b"stem.0.weight",
    b"relative_position_bias_table",
    b"downsample.",
    b"norm_pre.weight",
    b"ls1.gamma",
    b"mlp.fc1.weight",
    b"conv_dw.weight",
    b"visual.",
    b"module.",
    b"Transformer/encoderblock_0/",
    b"embedding/kernel",
    b"MultiHeadDotProductAttention_1/",
    b"[",
    b"]",
    b"{",
    b"}",
    b"\"",
    b",",
    b":",
    b"0",
    b"-1",
    b"1e3",
];

/// The bytes that `write` puts into a file.
fn file(write: impl FnOnce(&Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write(&path);
    std::fs::read(path).unwrap()
}

/// Descriptions of timm and transformers beside weights.
struct Beside;

impl Target for Beside {
    const NAME: &'static str = "beside";

    fn valid(&self) -> Vec<Case> {
        let weights = || file(|path| files::safetensors(&files::convnext(), Dtype::F32, &[], path));
        let timm = r#"{"architecture": "convnext_tiny", "global_pool": "avg", "model_args": {"norm_eps": 1e-5},
            "pretrained_cfg": {"input_size": [3, 32, 32], "interpolation": "bicubic", "crop_pct": 0.9,
            "crop_mode": "center", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}}"#;
        let config = r#"{"model_type": "convnext", "hidden_act": "gelu", "image_size": 32, "vision_config": null}"#;
        let transform = r#"{"do_resize": true, "size": {"shortest_edge": 32}, "crop_pct": 0.875, "resample": 3,
            "do_rescale": true, "rescale_factor": 0.00392156862745098, "image_mean": [0.5, 0.5, 0.5], "image_std": [1, 1, 1]}"#;
        [
            vec![("config.json", timm)],
            vec![
                ("config.json", config),
                ("preprocessor_config.json", transform),
            ],
        ]
        .map(|beside| {
            let beside = beside
                .into_iter()
                .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
            beside
                .chain([("model.safetensors".to_owned(), weights())])
                .collect()
        })
        .into()
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let mut case = dice.one_of(valid).clone();
        let texts: Vec<String> = case
            .keys()
            .filter(|name| name.ends_with("json"))
            .cloned()
            .collect();
        let name = dice.one_of(&texts).clone();
        if let Some(text) = case.get_mut(&name) {
            dice.mutate(text, WORDS);
        }
        case
    }

    fn read(&self, folder: &Path) -> bool {
        library().describe(folder.to_str().unwrap()).is_ok()
    }
}

#[test]
fn fuzz_descriptions_beside_weights() {
    fuzz(Beside);
}

struct Safetensors;

impl Target for Safetensors {
    const NAME: &'static str = "safetensors";

    fn valid(&self) -> Vec<Case> {
        let swin_size = [("model_args", "{\"img_size\": 8, \"window_size\": 2}")];
        let all = [
            file(|path| {
                files::safetensors(
                    &files::vit(),
                    Dtype::F32,
                    &[("mean", "0.5"), ("std", "0.5")],
                    path,
                );
            }),
            file(|path| files::safetensors(&files::swin(), Dtype::F16, &[], path)),
            file(|path| files::safetensors(&files::convnext(), Dtype::BF16, &swin_size, path)),
        ];
        all.map(|bytes| single("w.safetensors", bytes)).into()
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let bytes = &dice.one_of(valid)["w.safetensors"];
        single("w.safetensors", vary_header(bytes, dice, WORDS))
    }

    fn read(&self, folder: &Path) -> bool {
        opens(&folder.join("w.safetensors"))
    }
}

/// ZIPs with mutated entries.
fn vary_zip(bytes: &[u8], dice: &mut Dice, words: &[&[u8]], wanted: &[&str]) -> Vec<u8> {
    let mut entries = unzipped(bytes);
    for _ in 0..1 + dice.below(2) {
        let fitting: Vec<usize> = (0..entries.len())
            .filter(|&at| wanted.iter().any(|end| entries[at].0.ends_with(end)))
            .collect();
        let at = *dice.one_of(&fitting);
        // Only headers are mutated.
        let head = entries[at].1.len().min(4096);
        let rest = entries[at].1.split_off(head);
        dice.mutate(&mut entries[at].1, words);
        entries[at].1.extend(rest);
    }
    let all = entries.into_iter().map(|(name, bytes)| Zipped {
        deflated: bytes.len() > 100,
        ..Zipped::new(&name, bytes)
    });
    let all: Vec<Zipped> = all.collect();
    let one_in = [100, 100_000][dice.below(2)];
    zip(&all, Some((dice, one_in)))
}

struct Npz;

impl Target for Npz {
    const NAME: &'static str = "npz";

    fn valid(&self) -> Vec<Case> {
        let all = [files::swin(), files::convnext()];
        all.map(|weights| single("w.npz", file(|path| files::npz(&weights, path))))
            .into()
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
        const NUMPY: &[&[u8]] = &[
            b"\x93NUMPY\x01\0",
            b"\x93NUMPY\x02\0\xff\xff\0\0",
            b"'descr': '<f4'",
            b"'<f8'",
            b"'<f2'",
            b"'|O'",
            b"'fortran_order': True",
            b"'shape': ()",
            b"'shape': (1, 2",
            b"(",
            b")",
            b",",
            b"-1",
            b"'",
        ];
        let bytes = &dice.one_of(valid)["w.npz"];
        single("w.npz", vary_zip(bytes, dice, NUMPY, &[".npy"]))
    }

    fn read(&self, folder: &Path) -> bool {
        opens(&folder.join("w.npz"))
    }
}

const PICKLED: &[&[u8]] = &[
    b"(",
    b")",
    b"]",
    b"}",
    b".",
    b"0",
    b"2",
    b"N",
    b"\x88",
    b"\x89",
    b"K\x05",
    b"M\x01\x00",
    b"J\xff\xff\xff\xff",
    b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"X\x01\0\0\0a",
    b"\x8c\x01a",
    b"l",
    b"t",
    b"d",
    b"\x85",
    b"\x86",
    b"\x87",
    b"a",
    b"s",
    b"e",
    b"u",
    b"q\x01",
    b"h\x01",
    b"R",
    b"\x81",
    b"b",
    b"Q",
    b"P0\n",
    b"ctorch\nFloatStorage\n",
    b"ctorch\nHalfStorage\n",
    b"ctorch\nBFloat16Storage\n",
    b"ctorch\nLongStorage\n",
    b"ctorch._utils\n_rebuild_parameter\n",
    b"ctorch._utils\n_rebuild_tensor_v2\n",
    b"cos\nsystem\n",
    b"ccollections\nOrderedDict\n",
    b"\x93",
    b"1",
    b"\x80\x04",
    b"\x95\0\0\0\0\0\0\0\0",
];

/// The format before 2020: pickles one after the other, then the numbers.
fn older(modern: &[u8]) -> Vec<u8> {
    let entries = unzipped(modern);
    let of = |end: &str| entries.iter().find(|(name, _)| name.ends_with(end));
    let pickle = &of("data.pkl").unwrap().1;
    let mut bytes =
        b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}."
            .to_vec();
    bytes.extend(pickle);
    let numbers: Vec<&(String, Vec<u8>)> = entries
        .iter()
        .filter(|(name, _)| name.contains("/data/"))
        .collect();
    bytes.extend(b"\x80\x02](");
    for (name, _) in &numbers {
        let key = name.rsplit('/').next().unwrap();
        bytes.extend([b"X", &(key.len() as u32).to_le_bytes()[..], key.as_bytes()].concat());
    }
    bytes.extend(b"e.");
    for (_, numbers) in &numbers {
        bytes.extend((numbers.len() as u64 / 4).to_le_bytes());
        bytes.extend(numbers);
    }
    bytes
}

struct PyTorch;

impl Target for PyTorch {
    const NAME: &'static str = "pytorch";

    fn valid(&self) -> Vec<Case> {
        let swin = file(|path| files::pytorch(&files::swin(), Some("model"), path));
        let convnext = file(|path| files::pytorch(&files::convnext(), None, path));
        vec![single("w.pth", swin), single("w.pth", convnext)]
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let bytes = &dice.one_of(valid)["w.pth"];
        let varied = match dice.one_in(3) {
            false => vary_zip(
                bytes,
                dice,
                PICKLED,
                &["data.pkl", "data.pkl", "version", "byteorder", "/data/0"],
            ),
            true => {
                let mut bytes = older(bytes);
                let rest = bytes.split_off(bytes.len().min(8 << 10));
                dice.mutate(&mut bytes, PICKLED);
                [bytes, rest].concat()
            }
        };
        single("w.pth", varied)
    }

    fn read(&self, folder: &Path) -> bool {
        opens(&folder.join("w.pth"))
    }
}

/// Golden files, each a small run in itself.
struct Golden;

impl Target for Golden {
    const NAME: &'static str = "golden";

    fn valid(&self) -> Vec<Case> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let case = |name: &str| single("g.safetensors", std::fs::read(folder.join(name)).unwrap());
        [
            "02_vit_prefix",
            "04_swin_adapter",
            "methods_simplecil",
            "methods_ranpac",
            "methods_ease",
            "prompts_l2p",
            "prompts_dualprompt",
            "prompts_coda",
            "methods_esn",
        ]
        .map(|name| case(&format!("{name}.safetensors")))
        .into()
    }

    fn vary(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let bytes = &dice.one_of(valid)["g.safetensors"];
        let varied = match dice.one_in(2) {
            true => restated(bytes, || dice.one_in(3).then(|| *dice.one_of(SIZES))),
            false => vary_header(bytes, dice, WORDS),
        };
        single("g.safetensors", varied)
    }

    fn read(&self, folder: &Path) -> bool {
        let place = WeightPlacement::from(&Device::flex());
        golden::check(&folder.join("g.safetensors"), &place, Tolerance::CPU).is_ok()
    }
}

/// Sizes that a file may claim.
const SIZES: &[u64] = &[
    0,
    1,
    2,
    7,
    300,
    1 << 20,
    1 << 32,
    10_000_000_000_000,
    1 << 63,
    u64::MAX,
];

/// The file with other numbers among its settings; none leaves one as it is.
fn restated(bytes: &[u8], mut change: impl FnMut() -> Option<u64>) -> Vec<u8> {
    fn walk(value: &mut Value, change: &mut dyn FnMut() -> Option<u64>) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|one| walk(one, change)),
            Value::Object(all) => all.values_mut().for_each(|one| walk(one, change)),
            _ if value.is_u64() => {
                if let Some(size) = change() {
                    *value = size.into();
                }
            }
            _ => {}
        }
    }
    let (header, data) = split(bytes);
    let mut header: Value = serde_json::from_slice(&header).unwrap();
    for setting in header["__metadata__"].as_object_mut().unwrap().values_mut() {
        if let Ok(mut parsed) = serde_json::from_str(setting.as_str().unwrap()) {
            walk(&mut parsed, &mut change);
            *setting = parsed.to_string().into();
        }
    }
    joined(&serde_json::to_vec(&header).unwrap(), data)
}

/// Memory that the check of a golden file with a wrong size may take.
const MOST_GOLDEN_BYTES: usize = 1 << 30;

/// Declared sizes must not cause allocations that the tensors do not need: too large ones would abort the program.
#[test]
fn golden_check_survives_wrong_declared_sizes() {
    // One thread for everything, so that its memory is counted.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap().install(check_wrong_declared_sizes);
}

fn check_wrong_declared_sizes() {
    let place = WeightPlacement::from(&Device::flex());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.safetensors");
    for case in Golden.valid() {
        let bytes = &case["g.safetensors"];
        let mut sizes = 0;
        restated(bytes, || {
            sizes += 1;
            None
        });
        let mut refused = 0;
        for wrong in [10_000_000_000_000, 3_000_000, u64::MAX] {
            for at in 0..sizes {
                let mut seen = 0;
                let changed = restated(bytes, || {
                    seen += 1;
                    (seen == at + 1).then_some(wrong)
                });
                std::fs::write(&path, changed).unwrap();
                let meter = Meter::start();
                let checked = golden::check(&path, &place, Tolerance::CPU);
                let (most, _) = meter.stop();
                assert!(most < MOST_GOLDEN_BYTES, "{} MB, size {at}", most >> 20);
                // A size that nothing depends on may be accepted.
                match checked {
                    Ok(report) => assert!(report.worst().is_some(), "size {at}"),
                    Err(problem) => {
                        assert!(problem.place.contains("g.safetensors"), "{problem}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 0, "all of {sizes} wrong sizes are accepted");
    }
}

#[test]
fn fuzz_safetensors() {
    fuzz(Safetensors);
}

#[test]
fn fuzz_npz() {
    fuzz(Npz);
}

#[test]
fn fuzz_pytorch() {
    fuzz(PyTorch);
}

#[test]
fn fuzz_golden() {
    fuzz(Golden);
}
