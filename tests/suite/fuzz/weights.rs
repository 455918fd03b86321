//! Weight files of all formats: names and shapes, the network they are taken for, and its tensors.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use lae_studio::backbone::library::{BackboneChoice, BackboneLibrary, WeightLocations};
use lae_studio::golden::{self, Tolerance};
use lae_studio::nn::WeightPlacement;
use safetensors::tensor::Dtype;
use serde_json::Value;

use super::bytes::Dice;
use super::headers::{join_header, split_header, vary_header};
use super::meter::Meter;
use super::packing::{ZipEntry, build_zip, unzip};
use super::{Case, Target, fuzz, single_file_case};
use crate::backbone::files;

/// A library that knows no file but the one it is given.
fn library() -> BackboneLibrary {
    BackboneLibrary::new(WeightLocations {
        cache: PathBuf::from("no-such-folder"),
        hub_cache: None,
        endpoint: "http://127.0.0.1:9".into(),
        tables: Vec::new(),
    })
}

/// Describes a file and builds its network.
fn can_open(path: &Path) -> bool {
    let library = library();
    let choice = BackboneChoice {
        values: Some("heads=2,activation=gelu,normalisation=unit"),
        ..BackboneChoice::from(path.to_str().unwrap())
    };
    let described = library.describe(choice);
    let opened = library.open(choice, &Device::flex(), &mut |_| true);
    assert!(described.is_ok() || opened.is_err(), "opened, but not described");
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
fn written_bytes(write: impl FnOnce(&Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write(&path);
    std::fs::read(path).unwrap()
}

/// Descriptions of timm and transformers next to weights.
struct Descriptions;

impl Target for Descriptions {
    const NAME: &'static str = "beside";

    fn valid_cases(&self) -> Vec<Case> {
        let weights = || {
            written_bytes(|path| {
                files::write_safetensors(&files::convnext(), Dtype::F32, &[], path);
            })
        };
        let timm = r#"{"architecture": "convnext_tiny", "global_pool": "avg", "model_args": {"norm_eps": 1e-5},
            "pretrained_cfg": {"input_size": [3, 32, 32], "interpolation": "bicubic", "crop_pct": 0.9,
            "crop_mode": "center", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}}"#;
        let config = r#"{"model_type": "convnext", "hidden_act": "gelu", "image_size": 32, "vision_config": null}"#;
        let transform = r#"{"do_resize": true, "size": {"shortest_edge": 32}, "crop_pct": 0.875, "resample": 3,
            "do_rescale": true, "rescale_factor": 0.00392156862745098, "image_mean": [0.5, 0.5, 0.5], "image_std": [1, 1, 1]}"#;
        [
            vec![("config.json", timm)],
            vec![("config.json", config), ("preprocessor_config.json", transform)],
        ]
        .map(|description_files| {
            let description_files = description_files
                .into_iter()
                .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
            description_files.chain([("model.safetensors".to_owned(), weights())]).collect()
        })
        .into()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let mut case = dice.choose(valid).clone();
        let texts: Vec<String> =
            case.keys().filter(|name| name.ends_with("json")).cloned().collect();
        let name = dice.choose(&texts).clone();
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
    fuzz(Descriptions);
}

struct Safetensors;

impl Target for Safetensors {
    const NAME: &'static str = "safetensors";

    fn valid_cases(&self) -> Vec<Case> {
        let swin_size = [("model_args", "{\"img_size\": 8, \"window_size\": 2}")];
        let all = [
            written_bytes(|path| {
                files::write_safetensors(
                    &files::vit(),
                    Dtype::F32,
                    &[("mean", "0.5"), ("std", "0.5")],
                    path,
                );
            }),
            written_bytes(|path| files::write_safetensors(&files::swin(), Dtype::F16, &[], path)),
            written_bytes(|path| {
                files::write_safetensors(&files::convnext(), Dtype::BF16, &swin_size, path);
            }),
        ];
        all.map(|bytes| single_file_case("w.safetensors", bytes)).into()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let bytes = &dice.choose(valid)["w.safetensors"];
        single_file_case("w.safetensors", vary_header(bytes, dice, WORDS))
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(&folder.join("w.safetensors"))
    }
}

/// ZIPs with mutated entries.
fn vary_zip(bytes: &[u8], dice: &mut Dice, words: &[&[u8]], suffixes: &[&str]) -> Vec<u8> {
    let mut entries = unzip(bytes);
    for _ in 0..1 + dice.below(2) {
        let candidates: Vec<usize> = (0..entries.len())
            .filter(|&at| suffixes.iter().any(|end| entries[at].0.ends_with(end)))
            .collect();
        let at = *dice.choose(&candidates);
        // Only headers are mutated.
        let head = entries[at].1.len().min(4096);
        let rest = entries[at].1.split_off(head);
        dice.mutate(&mut entries[at].1, words);
        entries[at].1.extend(rest);
    }
    let entries_iter = entries.into_iter().map(|(name, bytes)| ZipEntry {
        deflated: bytes.len() > 100,
        ..ZipEntry::new(&name, bytes)
    });
    let zip_entries: Vec<ZipEntry> = entries_iter.collect();
    let one_in = [100, 100_000][dice.below(2)];
    build_zip(&zip_entries, Some((dice, one_in)))
}

struct Npz;

impl Target for Npz {
    const NAME: &'static str = "npz";

    fn valid_cases(&self) -> Vec<Case> {
        let all = [files::swin(), files::convnext()];
        all.map(|weights| {
            single_file_case("w.npz", written_bytes(|path| files::write_npz(&weights, path)))
        })
        .into()
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
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
        let bytes = &dice.choose(valid)["w.npz"];
        single_file_case("w.npz", vary_zip(bytes, dice, NUMPY, &[".npy"]))
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(&folder.join("w.npz"))
    }
}

const PICKLE_TOKENS: &[&[u8]] = &[
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
fn to_legacy_pytorch(modern: &[u8]) -> Vec<u8> {
    let entries = unzip(modern);
    let find_entry = |end: &str| entries.iter().find(|(name, _)| name.ends_with(end));
    let pickle = &find_entry("data.pkl").unwrap().1;
    let mut bytes =
        b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}."
            .to_vec();
    bytes.extend(pickle);
    let numbers: Vec<&(String, Vec<u8>)> =
        entries.iter().filter(|(name, _)| name.contains("/data/")).collect();
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

    fn valid_cases(&self) -> Vec<Case> {
        let swin = written_bytes(|path| files::write_pytorch(&files::swin(), Some("model"), path));
        let convnext = written_bytes(|path| files::write_pytorch(&files::convnext(), None, path));
        vec![single_file_case("w.pth", swin), single_file_case("w.pth", convnext)]
    }

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let bytes = &dice.choose(valid)["w.pth"];
        let varied = match dice.one_in(3) {
            false => vary_zip(
                bytes,
                dice,
                PICKLE_TOKENS,
                &["data.pkl", "data.pkl", "version", "byteorder", "/data/0"],
            ),
            true => {
                let mut bytes = to_legacy_pytorch(bytes);
                let rest = bytes.split_off(bytes.len().min(8 << 10));
                dice.mutate(&mut bytes, PICKLE_TOKENS);
                [bytes, rest].concat()
            }
        };
        single_file_case("w.pth", varied)
    }

    fn read(&self, folder: &Path) -> bool {
        can_open(&folder.join("w.pth"))
    }
}

/// Golden files, each a small run in itself.
struct Golden;

impl Target for Golden {
    const NAME: &'static str = "golden";

    fn valid_cases(&self) -> Vec<Case> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let case = |name: &str| {
            single_file_case("g.safetensors", std::fs::read(folder.join(name)).unwrap())
        };
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

    fn generate(&self, valid: &[Case], dice: &mut Dice) -> Case {
        let bytes = &dice.choose(valid)["g.safetensors"];
        let varied = match dice.one_in(2) {
            true => replace_sizes(bytes, || dice.one_in(3).then(|| *dice.choose(SIZES))),
            false => vary_header(bytes, dice, WORDS),
        };
        single_file_case("g.safetensors", varied)
    }

    fn read(&self, folder: &Path) -> bool {
        let place = WeightPlacement::from(&Device::flex());
        golden::check(&folder.join("g.safetensors"), &place, Tolerance::CPU).is_ok()
    }
}

/// Sizes that a file may claim.
const SIZES: &[u64] = &[0, 1, 2, 7, 300, 1 << 20, 1 << 32, 10_000_000_000_000, 1 << 63, u64::MAX];

/// The file with other numbers among its settings; none leaves one as it is.
fn replace_sizes(bytes: &[u8], mut change: impl FnMut() -> Option<u64>) -> Vec<u8> {
    fn walk(value: &mut Value, change: &mut dyn FnMut() -> Option<u64>) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|element| walk(element, change)),
            Value::Object(all) => all.values_mut().for_each(|element| walk(element, change)),
            _ if value.is_u64() => {
                if let Some(size) = change() {
                    *value = size.into();
                }
            }
            _ => {}
        }
    }
    let (header, data) = split_header(bytes);
    let mut header: Value = serde_json::from_slice(&header).unwrap();
    for setting in header["__metadata__"].as_object_mut().unwrap().values_mut() {
        if let Ok(mut parsed) = serde_json::from_str(setting.as_str().unwrap()) {
            walk(&mut parsed, &mut change);
            *setting = parsed.to_string().into();
        }
    }
    join_header(&serde_json::to_vec(&header).unwrap(), data)
}

/// Memory that the check of a golden file with a wrong size may take.
const MAX_GOLDEN_BYTES: usize = 1 << 30;

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
    for case in Golden.valid_cases() {
        let bytes = &case["g.safetensors"];
        let mut sizes = 0;
        replace_sizes(bytes, || {
            sizes += 1;
            None
        });
        let mut rejected_count = 0;
        for wrong in [10_000_000_000_000, 3_000_000, u64::MAX] {
            for at in 0..sizes {
                let mut visited = 0;
                let changed = replace_sizes(bytes, || {
                    visited += 1;
                    (visited == at + 1).then_some(wrong)
                });
                std::fs::write(&path, changed).unwrap();
                let meter = Meter::start();
                let checked = golden::check(&path, &place, Tolerance::CPU);
                let (peak_bytes, _) = meter.stop();
                assert!(peak_bytes < MAX_GOLDEN_BYTES, "{} MB, size {at}", peak_bytes >> 20);
                // A size that nothing depends on may be accepted.
                match checked {
                    Ok(report) => assert!(report.worst().is_some(), "size {at}"),
                    Err(problem) => {
                        assert!(problem.place.contains("g.safetensors"), "{problem}");
                        rejected_count += 1;
                    }
                }
            }
        }
        assert!(rejected_count > 0, "all of {sizes} wrong sizes are accepted");
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
