//! A run whose PET starts from a LoRA in peft's form: it has a copy of it, and every adapter that does not fit is
//! reported. `tests/export_check.py` checks with peft itself.

use lae_studio::tensors::{HostTensor, Named, to_bytes};

use super::*;

/// Channels of lae-nano.
const WIDTH: usize = 192;
pub(super) const CONFIG: &str = r#"{"peft_type": "LORA", "r": 2, "lora_alpha": 4, "bias": "none"}"#;

/// An adapter of this rank on the packed projections of some blocks; its B has values for queries, keys and values as
/// `parts` says.
pub(super) fn adapter(
    folder: &Path,
    config: &str,
    rank: usize,
    blocks: &[usize],
    parts: [bool; 3],
) -> String {
    let mut named = Named::new();
    for block in blocks {
        let value = |at: usize| ((at * 37 + block) % 101) as f32 / 1000.0 - 0.05;
        let a = HostTensor {
            shape: vec![rank, WIDTH],
            values: (0..rank * WIDTH).map(value).collect(),
        };
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

fn train_words<'a>(place: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let own = ["--pet", "lora", "--pet-size", "2", "--pet-start", place];
    let ends = ["--quiet", "--json", "-"];
    [QUICK, &own, more, &ends].concat()
}

pub(super) const KEYS_AND_VALUES: [bool; 3] = [false, true, true];

#[test]
fn run_stores_copy_of_pet_start_adapter() {
    let (runs, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = work.path().join("adapter");
    let place = adapter(&folder, CONFIG, 2, &[0, 3], KEYS_AND_VALUES);
    let still = train_words(&place, &["--method", "baseline", "--base-lr", "1e-12"]);
    let summary = json(&run(&still, runs.path()));
    let name = summary["run"].as_str().unwrap();
    let own = runs.path().join(name);
    // Initial values: A as stored, B times alpha / rank; parts missing in the adapter as drawn.
    let (tensors, _) =
        lae_studio::tensors::load(&own.join("task_1.safetensors"), "read it").unwrap();
    let value = |at: usize, block: usize| ((at * 37 + block) % 101) as f32 / 1000.0 - 0.05;
    let a = &tensors["online.3.a_k"].values;
    assert!(
        (a[2 * 5 + 1] - value(WIDTH + 5, 3)).abs() < 1e-6,
        "row 1 of A is column 1 here"
    );
    let b = &tensors["online.3.b_v"].values;
    let row = 2 * WIDTH + 9;
    assert!((b[WIDTH + 9] - 2.0 * value(row * 2 + 1 + 7, 3)).abs() < 1e-6);
    assert!(
        tensors["online.1.b_k"]
            .values
            .iter()
            .all(|value| value.abs() < 1e-6)
    );
    // The original is no longer needed.
    std::fs::remove_dir_all(&folder).unwrap();
    let report = json(&run(
        &["check", name, "--train", "--quiet", "--json", "-"],
        runs.path(),
    ));
    assert_eq!(report["verdict"], "equal", "{report}");
    let file = work.path().join("a.laerun.zip").display().to_string();
    assert_eq!(
        run(&["pack", name, &file], runs.path()).status.code(),
        Some(0)
    );
    let other = tempfile::tempdir().unwrap();
    let report = json(&run(
        &["check", &file, "--train", "--quiet", "--json", "-"],
        other.path(),
    ));
    assert_eq!(report["verdict"], "equal", "{report}");
    let config = own.join("run.toml").display().to_string();
    let again = json(&run(
        &["train", "--config", &config, "--quiet", "--json", "-"],
        runs.path(),
    ));
    assert_eq!(again["final_accuracy"], summary["final_accuracy"]);
    let copy = own.join("start/adapter_config.json");
    std::fs::write(&copy, CONFIG.replace('4', "8")).unwrap();
    let said = refused(&["check", name, "--train", "--quiet"], runs.path());
    assert_says!(said, "problem-adapter-changed");
}

/// As peft writes it, with a classifier beside the LoRA.
const WHOLE_CONFIG: &str = r#"{"alora_invocation_tokens": null, "alpha_pattern": {"blocks\\.[0-2]\\..*": 8, ".*qkv": 6},
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
    let place = adapter(work.path(), WHOLE_CONFIG, 2, &[0, 3], KEYS_AND_VALUES);
    let still = train_words(&place, &["--method", "baseline", "--base-lr", "1e-12"]);
    let summary = json(&run(&still, runs.path()));
    let own = runs.path().join(summary["run"].as_str().unwrap());
    let (tensors, _) =
        lae_studio::tensors::load(&own.join("task_1.safetensors"), "read it").unwrap();
    let at = (2 * WIDTH + 9) * 2 + 8;
    for (block, scale) in [(0, 8.0 / 2.0), (3, 6.0 / 2.0)] {
        let stored = ((at * 37 + block) % 101) as f32 / 1000.0 - 0.05;
        let b = &tensors[&format!("online.{block}.b_v")].values;
        assert!(
            (b[WIDTH + 9] - scale * stored).abs() < 1e-6,
            "block {block}"
        );
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
        let place = adapter(&folder, &config, 2, &[0], KEYS_AND_VALUES);
        let said = refused(&train_words(&place, &[]), runs.path());
        let name = field.split('"').nth(1).unwrap();
        assert_says!(said, "problem-adapter-field", field = name);
        assert!(said.contains("adapter_config.json"), "{said}");
    }
}

#[test]
fn rejects_adapters_that_do_not_fit_pet() {
    let (runs, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let made = |name: &str, config: &str, rank: usize, blocks: &[usize], parts: [bool; 3]| {
        adapter(&work.path().join(name), config, rank, blocks, parts)
    };
    let ia3 = CONFIG.replace("LORA", "IA3");
    let dora = CONFIG.replace("\"bias\"", "\"use_dora\": true, \"bias\"");
    let biases = CONFIG.replace("none", "all");
    let cases = [
        (
            made("ia3", &ia3, 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-kind", kind = "IA3"),
        ),
        (
            made("dora", &dora, 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-kind", kind = "DoRA"),
        ),
        (
            made("biases", &biases, 2, &[0], KEYS_AND_VALUES),
            tr!("problem-adapter-trains-biases").into(),
        ),
        (
            made("text", "{", 2, &[0], KEYS_AND_VALUES),
            tr!(
                "problem-adapter-unreadable",
                file = "adapter_config.json",
                error = ""
            ),
        ),
        (
            made("rank", CONFIG, 3, &[0], KEYS_AND_VALUES),
            tr!(
                "problem-adapter-rank",
                layer = "blocks.0.attn.qkv",
                rank = 3,
                size = 2
            ),
        ),
        (
            made("block", CONFIG, 2, &[0, 9], KEYS_AND_VALUES),
            tr!(
                "problem-adapter-layer-without-pet",
                layer = "blocks.9.attn.qkv"
            ),
        ),
        (
            made("query", CONFIG, 2, &[0], [true; 3]),
            tr!(
                "problem-adapter-site-without-pet",
                site = "query",
                layer = "blocks.0.attn.qkv"
            ),
        ),
        (
            work.path().join("nowhere").display().to_string(),
            "adapter_config.json".into(),
        ),
    ];
    for (place, wanted) in &cases {
        let said = refused(&train_words(place, &[]), runs.path());
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let place = made("fine", CONFIG, 2, &[0], KEYS_AND_VALUES);
    let words = [
        QUICK,
        &["--pet", "adapter", "--pet-start", &place, "--quiet"],
    ]
    .concat();
    // Adapter acts at none of the layers.
    let said = refused(&words, runs.path());
    assert_says!(said, "problem-adapter-layer-without-pet");
    let small = made("cut", CONFIG, 2, &[0], KEYS_AND_VALUES);
    let file = Path::new(&small).join("adapter_model.safetensors");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    refused(&train_words(&small, &[]), runs.path());
    // A method without a PET has nothing to start.
    let said = stderr(&run(
        &[
            QUICK,
            &["--method", "simplecil", "--pet-start", &place, "--quiet"],
        ]
        .concat(),
        runs.path(),
    ));
    assert!(said.contains("--pet-start"), "{said}");
}
