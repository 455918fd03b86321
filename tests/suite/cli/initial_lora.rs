//! A run whose PET starts from a LoRA in peft's form: it has a copy of it, and every adapter that does not fit is
//! reported. `tests/export_check.py` checks with peft itself.

use lae_studio::tensors::{HostTensor, NamedTensors, to_bytes};

use super::*;

/// Channels of lae-nano.
const WIDTH: usize = 192;
pub(super) const CONFIG: &str = r#"{"peft_type": "LORA", "r": 2, "lora_alpha": 4, "bias": "none"}"#;

/// An adapter of this rank on the packed projections of some blocks; its B has values for queries, keys and values as
/// `parts` says.
pub(super) fn write_adapter(
    folder: &Path,
    config: &str,
    rank: usize,
    blocks: &[usize],
    parts: [bool; 3],
) -> String {
    let mut named = NamedTensors::new();
    for block in blocks {
        let value = |index: usize| ((index * 37 + block) % 101) as f32 / 1000.0 - 0.05;
        let a =
            HostTensor { shape: vec![rank, WIDTH], values: (0..rank * WIDTH).map(value).collect() };
        let b = HostTensor {
            shape: vec![3 * WIDTH, rank],
            values: (0..3 * WIDTH * rank)
                .map(|at| f32::from(u8::from(parts[at / rank / WIDTH])) * value(at + 7))
                .collect(),
        };
        let module = format!("base_model.model.blocks.{block}.attn.qkv");
        named.insert(format!("{module}.lora_A.weight"), a);
        named.insert(format!("{module}.lora_B.weight"), b);
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("adapter_config.json"), config).unwrap();
    let bytes = to_bytes(&named, Default::default()).unwrap();
    std::fs::write(folder.join("adapter_model.safetensors"), bytes).unwrap();
    folder.display().to_string()
}

fn train_args<'a>(adapter_path: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let pet_options = ["--pet", "lora", "--pet-size", "2", "--pet-start", adapter_path];
    let ends = ["--quiet", "--json", "-"];
    [QUICK, &pet_options, more, &ends].concat()
}

pub(super) const KEYS_AND_VALUES: [bool; 3] = [false, true, true];

#[test]
fn run_stores_copy_of_pet_start_adapter() {
    let (runs, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = work.path().join("adapter");
    let adapter_path = write_adapter(&folder, CONFIG, 2, &[0, 3], KEYS_AND_VALUES);
    let frozen_args = train_args(&adapter_path, &["--method", "baseline", "--base-lr", "1e-12"]);
    let summary = json(&run(&frozen_args, runs.path()));
    let name = summary["run"].as_str().unwrap();
    let run_folder = runs.path().join(name);
    // Initial values: A as stored, B times alpha / rank; parts missing in the adapter as drawn.
    let (tensors, _) =
        lae_studio::tensors::load(&run_folder.join("task_1.safetensors"), "read it").unwrap();
    let value = |index: usize, block: usize| ((index * 37 + block) % 101) as f32 / 1000.0 - 0.05;
    let a = &tensors["online.3.a_k"].values;
    assert!((a[2 * 5 + 1] - value(WIDTH + 5, 3)).abs() < 1e-6, "row 1 of A is column 1 here");
    let b = &tensors["online.3.b_v"].values;
    let row = 2 * WIDTH + 9;
    assert!((b[WIDTH + 9] - 2.0 * value(row * 2 + 1 + 7, 3)).abs() < 1e-6);
    assert!(tensors["online.1.b_k"].values.iter().all(|value| value.abs() < 1e-6));
    // The original is no longer needed.
    std::fs::remove_dir_all(&folder).unwrap();
    let report = json(&run(&["check", name, "--train", "--quiet", "--json", "-"], runs.path()));
    assert_eq!(report["verdict"], "equal", "{report}");
    let file = work.path().join("a.laerun.zip").display().to_string();
    assert_eq!(run(&["pack", name, &file], runs.path()).status.code(), Some(0));
    let other = tempfile::tempdir().unwrap();
    let report = json(&run(&["check", &file, "--train", "--quiet", "--json", "-"], other.path()));
    assert_eq!(report["verdict"], "equal", "{report}");
    let config = run_folder.join("run.toml").display().to_string();
    let repeated =
        json(&run(&["train", "--config", &config, "--quiet", "--json", "-"], runs.path()));
    assert_eq!(repeated["final_accuracy"], summary["final_accuracy"]);
    let copy = run_folder.join("start/adapter_config.json");
    std::fs::write(&copy, CONFIG.replace('4', "8")).unwrap();
    let message = run_expecting_error(&["check", name, "--train", "--quiet"], runs.path());
    assert_says!(message, "problem-adapter-changed");
}

/// As peft writes it, with a classifier next to the LoRA.
const FULL_CONFIG: &str = r#"{"alora_invocation_tokens": null, "alpha_pattern": {"blocks\\.[0-2]\\..*": 8, ".*qkv": 6},
    "arrow_config": null, "auto_mapping": {"base_model_class": "ViT"}, "base_model_name_or_path": "vit", "bias": "none",
    "corda_config": null, "ensure_weight_tying": false, "eva_config": null, "exclude_modules": null, "fan_in_fan_out": false,
    "inference_mode": true, "init_lora_weights": "gaussian", "layer_replication": null, "layers_pattern": null,
    "layers_to_transform": null, "loftq_config": {}, "lora_alpha": 4, "lora_bias": false, "lora_dropout": 0.1,
    "megatron_config": null, "megatron_core": "megatron.core", "modules_to_save": ["classifier"], "peft_type": "LORA",
    "peft_version": "0.18.0", "qalora_group_size": 16, "r": 8, "rank_pattern": {"qkv": 2}, "revision": null,
    "target_modules": ["qkv"], "target_parameters": null, "task_type": null, "trainable_token_indices": null,
    "use_dora": false, "use_qalora": false, "use_rslora": false}"#;

#[test]
fn first_matching_alpha_pattern_sets_scale() {
    let (runs, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let adapter_path = write_adapter(work.path(), FULL_CONFIG, 2, &[0, 3], KEYS_AND_VALUES);
    let frozen_args = train_args(&adapter_path, &["--method", "baseline", "--base-lr", "1e-12"]);
    let summary = json(&run(&frozen_args, runs.path()));
    let run_folder = runs.path().join(summary["run"].as_str().unwrap());
    let (tensors, _) =
        lae_studio::tensors::load(&run_folder.join("task_1.safetensors"), "read it").unwrap();
    let at = (2 * WIDTH + 9) * 2 + 8;
    for (block, scale) in [(0, 8.0 / 2.0), (3, 6.0 / 2.0)] {
        let stored = ((at * 37 + block) % 101) as f32 / 1000.0 - 0.05;
        let b = &tensors[&format!("online.{block}.b_v")].values;
        assert!((b[WIDTH + 9] - scale * stored).abs() < 1e-6, "block {block}");
    }
}

/// Settings that change more than B · A, and an unknown field.
#[test]
fn rejects_adapters_with_unsupported_fields() {
    let (runs, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let fields = [
        r#""init_lora_weights": "pissa""#,
        r#""init_lora_weights": "pissa_niter_16""#,
        r#""init_lora_weights": "olora""#,
        r#""init_lora_weights": "corda""#,
        r#""init_lora_weights": "loftq""#,
        r#""modules_to_save": ["classifier", "layernorm"]"#,
        r#""fan_in_fan_out": true"#,
        r#""layer_replication": [[0, 2]]"#,
        r#""target_parameters": ["mlp.weight"]"#,
        r#""trainable_token_indices": [1]"#,
        r#""alpha_pattern": {"(": 2}"#,
        r#""field_of_tomorrow": 1"#,
    ];
    for (index, field) in fields.into_iter().enumerate() {
        let config = CONFIG.replace('{', &format!("{{{field}, "));
        let folder = work.path().join(index.to_string());
        let adapter_path = write_adapter(&folder, &config, 2, &[0], KEYS_AND_VALUES);
        let message = run_expecting_error(&train_args(&adapter_path, &[]), runs.path());
        let name = field.split('"').nth(1).unwrap();
        assert_says!(message, "problem-adapter-field", field = name);
        assert!(message.contains("adapter_config.json"), "{message}");
    }
}

#[test]
fn rejects_adapters_that_do_not_fit_pet() {
    let (runs, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let write_named_adapter =
        |name: &str, config: &str, rank: usize, blocks: &[usize], parts: [bool; 3]| {
            write_adapter(&work.path().join(name), config, rank, blocks, parts)
        };
    let ia3 = CONFIG.replace("LORA", "IA3");
    let dora = CONFIG.replace("\"bias\"", "\"use_dora\": true, \"bias\"");
    let biases = CONFIG.replace("none", "all");
    let cases = [
        (
            write_named_adapter("ia3", &ia3, 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-kind", kind = "IA3"),
        ),
        (
            write_named_adapter("dora", &dora, 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-kind", kind = "DoRA"),
        ),
        (
            write_named_adapter("biases", &biases, 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-trains-biases").into(),
        ),
        (
            write_named_adapter("text", "{", 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-unreadable", file = "adapter_config.json", error = ""),
        ),
        (
            write_named_adapter("rank", CONFIG, 3, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-rank", layer = "blocks.0.attn.qkv", rank = 3, size = 2),
        ),
        (
            write_named_adapter("block", CONFIG, 2, &[0, 9], KEYS_AND_VALUES),
            tr!("problem-adapter-layer-without-pet", layer = "blocks.9.attn.qkv"),
        ),
        (
            write_named_adapter("query", CONFIG, 2, &[0], [true; 3]),
            tr!("problem-adapter-site-without-pet", site = "query", layer = "blocks.0.attn.qkv"),
        ),
        (work.path().join("nowhere").display().to_string(), "adapter_config.json".into()),
    ];
    for (adapter_path, expected) in &cases {
        let message = run_expecting_error(&train_args(adapter_path, &[]), runs.path());
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let adapter_path = write_named_adapter("fine", CONFIG, 2, &[0], KEYS_AND_VALUES);
    let words = [QUICK, &["--pet", "adapter", "--pet-start", &adapter_path, "--quiet"]].concat();
    // Adapter acts at none of the layers.
    let message = run_expecting_error(&words, runs.path());
    assert_says!(message, "problem-adapter-layer-without-pet");
    let small = write_named_adapter("cut", CONFIG, 2, &[0], KEYS_AND_VALUES);
    let file = Path::new(&small).join("adapter_model.safetensors");
    let full_bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &full_bytes[..full_bytes.len() / 2]).unwrap();
    run_expecting_error(&train_args(&small, &[]), runs.path());
    // A method without a PET has nothing to start.
    let stderr_text = stderr(&run(
        &[QUICK, &["--method", "simplecil", "--pet-start", &adapter_path, "--quiet"]].concat(),
        runs.path(),
    ));
    assert!(stderr_text.contains("--pet-start"), "{stderr_text}");
}
