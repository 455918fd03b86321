//! The self-test of a GPU, on a software adapter.

use std::path::Path;

use lae_studio::store;
use serde_json::Value;

use super::{json, only_run, program_command, run, stderr};
use crate::skip::skip;

/// The index of the software GPU in the list of devices, if there is one.
pub(super) fn software_gpu(runs: &Path) -> Option<String> {
    let list = json(&run(&["devices", "--json", "-"], runs));
    let is_software_gpu =
        |entry: &&Value| entry["kind"] == "software_gpu" && entry["api"] == "vulkan";
    let found = list.as_array()?.iter().find(is_software_gpu);
    if found.is_none() {
        skip("no software Vulkan");
    }
    Some(found?["index"].to_string())
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn gpu_selftest_passes_with_and_without_own_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let Some(gpu) = software_gpu(folder.path()) else {
        return;
    };
    let words = ["gpu-selftest", &gpu, "--measure", "600"];
    let tested = json(&run(&words, folder.path()));
    eprintln!("{tested}");
    assert!(tested["good"] == true && tested["kernels"] == true);
    for numbers in ["f32", "f16"] {
        let plans = tested["plans"][numbers].as_object().unwrap();
        assert!(plans.contains_key("wide") && plans.contains_key("weight-gradient"));
    }
    let words = ["gpu-selftest", &gpu, "--without-kernels"];
    let without_kernels = json(&run(&words, folder.path()));
    assert!(without_kernels["good"] == true && without_kernels["kernels"] == false);
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn cooperative_matrix_products_pass_selftest() {
    let folder = tempfile::tempdir().unwrap();
    let Some(gpu) = software_gpu(folder.path()) else {
        return;
    };
    let words = ["gpu-selftest", &gpu, "--only-cooperative-matrices"];
    let tested = json(&run(&words, folder.path()));
    if tested["kernels"] == false {
        return skip("no cooperative matrices (software Vulkan has them from Mesa 26)");
    }
    assert!(tested["good"] == true, "{tested}");
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn falls_back_when_kernels_are_wrong_or_crash() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path();
    let Some(gpu) = software_gpu(runs) else {
        return;
    };
    for fault in ["wrong", "die"] {
        let words = ["devices", "--prepare", "--device", &gpu];
        let mut command = program_command(&words, runs);
        let output = command.env("LAE_STUDIO_SELFTEST_FAULT", fault).output();
        let output = output.unwrap();
        let stderr_text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{stderr_text}");
        assert!(stderr_text.contains("largest relative error"), "{stderr_text}");
        assert!(
            !stderr_text.contains(", with the program's own kernels"),
            "{fault}: {stderr_text}"
        );
    }
    let words = "train --epochs 1 --freeze-epochs 0 --train-limit 2 --test-limit 1 --classes-per-task 5 \
                 --batch 8 --blocks 1 --precision f16 --device";
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.push(&gpu);
    let out = runs.join("out");
    let output = program_command(&words, runs).env("LAE_RUNS", &out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(only_run(&out).join("run.toml")).unwrap();
    assert!(text.contains("\ngpu_weights = \"f16\"\n"), "{text}");
}

/// A run whose steps are replayed has the same tensors as a run whose steps are all computed. Sums on a GPU may differ
/// in their last bits from run to run.
#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn replayed_runs_equal_computed_runs() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path();
    let Some(gpu) = software_gpu(runs) else {
        return;
    };
    // Both runs need the same tiles.
    run(&["devices", "--prepare", "--device", &gpu], runs);
    let swin = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/backbones/swin-v2.safetensors");
    let methods = ["seq-ft", "esn", "icarl", "aper", "l2p", "dualprompt", "coda-prompt"];
    let methods = methods.map(|method| (method, "lae-nano"));
    for (method, backbone) in methods.into_iter().chain([("seq-ft", swin)]) {
        let snapshots = ["off", "always"].map(|replay| {
            let words = "train --data digits --epochs 1 --train-limit 4 --test-limit 1 --batch 4 \
                         --classes-per-task 5 --pet adapter --log debug --device";
            let mut words: Vec<&str> = words.split_whitespace().collect();
            words.extend([&gpu, "--method", method, "--backbone", backbone]);
            let out = tempfile::tempdir_in(runs).unwrap().keep();
            let mut command = program_command(&words, runs);
            command.env("LAE_RUNS", &out).env("LAE_STUDIO_REPLAY", replay);
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{method}: {}", stderr(&output));
            let log = std::fs::read_to_string(out.join("log/lae-studio.log")).unwrap();
            let is_recorded = log.contains("a training step was recorded");
            assert_eq!(is_recorded, replay == "always", "{method}: {log}");
            store::load_snapshot(&only_run(&out), 1).unwrap()
        });
        for (name, computed) in &snapshots[0] {
            let error = snapshots[1][name].relative_error(computed);
            assert!(error < 1e-5, "{method}: {name} {error}");
        }
    }
}

#[test]
#[ignore = "campaign: minutes on a software GPU"]
fn golden_files_pass_on_gpu_in_f32_and_f16() {
    let root = tempfile::tempdir().unwrap();
    let Some(gpu) = software_gpu(root.path()) else {
        return;
    };
    let files = ["00_vit_adapter", "04_swin_adapter", "05_convnext_adapter"].map(|name| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        format!("{folder}/{name}.safetensors")
    });
    for precision in ["f32", "f16"] {
        let mut words = vec!["golden", "--device", &gpu, "--precision", precision];
        words.extend(files.iter().map(String::as_str));
        let output = run(&words, root.path());
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{precision}: {text}");
        let passed = text.lines().filter(|line| line.ends_with(" ok")).count();
        assert_eq!(passed, files.len(), "{precision}: {text}");
    }
}
