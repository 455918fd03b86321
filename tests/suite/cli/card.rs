//! Preparing a card, on a processor that imitates one: each variant against the CPU, what is kept,
//! and that a run then computes that way.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::{json, only_run, program, run, stderr};
use crate::skip::skip;

/// The number of the imitated card in the list of devices; none where there is none.
pub(super) fn imitated(runs: &Path) -> Option<String> {
    let list = json(&run(&["devices", "--json", "-"], runs));
    let of = |entry: &&Value| entry["kind"] == "software_gpu" && entry["api"] == "vulkan";
    let found = list.as_array()?.iter().find(of);
    if found.is_none() {
        skip("no software Vulkan");
    }
    Some(found?["index"].to_string())
}

fn prepare(runs: &Path, card: &str, family: &str, fault: &str) -> Output {
    let words = [
        "devices",
        "--prepare",
        "--device",
        card,
        "--family",
        family,
        "--json",
        "-",
    ];
    let mut command = program(&words, runs);
    command.env("LAE_STUDIO_PREPARE_FAULT", fault);
    command.output().unwrap()
}

/// What was found for a family on a card.
fn found<'a>(list: &'a Value, card: &str, family: &str) -> &'a Vec<Value> {
    let index: usize = card.parse().unwrap();
    list[index]["prepared"][family]["tried"].as_array().unwrap()
}

/// Every right variant is within single precision of the CPU.
fn hold(tried: &[Value], refused: &str) {
    for entry in tried {
        let name = entry["variant"].as_str().unwrap();
        eprintln!("{entry}");
        if name == refused {
            assert!(entry["refused"].is_string(), "{entry}");
            continue;
        }
        assert!(entry["refused"].is_null(), "{entry}");
        for error in ["forward_error", "gradient_error"] {
            let error = entry[error].as_f64().unwrap();
            assert!(error < 1e-3, "{name}: {error}");
        }
        assert!(
            entry["images_per_second"].as_f64().unwrap() > 0.0,
            "{entry}"
        );
    }
}

#[test]
#[ignore = "campaign: minutes on a software card"]
fn own_kernels_are_right_with_all_tiles_and_the_fastest_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let Some(card) = imitated(folder.path()) else {
        return;
    };
    let words = ["gpu-selftest", &card, "--measure", "600"];
    let tested = json(&run(&words, folder.path()));
    eprintln!("{tested}");
    assert!(tested["good"] == true && tested["kernels"] == true);
    let plans = tested["plans"].as_object().unwrap();
    assert!(plans.contains_key("wide") && plans.contains_key("mixed-transposed"));
    let words = ["gpu-selftest", &card, "--without-kernels"];
    let plain = json(&run(&words, folder.path()));
    assert!(plain["good"] == true && plain["kernels"] == false);
}

#[test]
#[ignore = "campaign: minutes on a software card"]
fn a_wrong_variant_is_refused_and_a_run_computes_with_the_best_right_one() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path();
    let Some(card) = imitated(runs) else { return };
    let wrong = "f32-fused-bytes";
    let list = json(&prepare(runs, &card, "vit", &format!("wrong:{wrong}")));
    let tried = found(&list, &card, "vit");
    assert_eq!(tried.len(), 8);
    hold(tried, wrong);
    let used = list[card.parse::<usize>().unwrap()]["used"]["vit"].clone();
    assert!(used.is_string() && used != wrong, "{used}");
    // It is kept, and shown to people.
    let shown = run(&["devices"], runs);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("gradients are off") && shown.contains("used"),
        "{shown}"
    );

    // Asked for in so many words, the wrong one is still not used, and that is said.
    let few = [
        "train",
        "--epochs",
        "1",
        "--freeze-epochs",
        "0",
        "--train-limit",
        "2",
        "--test-limit",
        "1",
        "--classes-per-task",
        "5",
        "--batch",
        "8",
        "--blocks",
        "1",
        "--device",
        &card,
        "--card-variant",
        wrong,
    ];
    let out = runs.join("out");
    let output = program(&few, runs).env("LAE_RUNS", &out).output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("is not used"), "{said}");
    let text = std::fs::read_to_string(only_run(&out).join("run.toml")).unwrap();
    let facts = &text[text.find("[facts]").unwrap()..];
    let noted = format!("card_variant = {used}");
    assert!(facts.lines().any(|line| line == noted), "{facts}");
}

#[test]
#[ignore = "campaign: minutes on a software card"]
fn a_variant_that_takes_its_process_down_costs_only_itself() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path();
    let Some(card) = imitated(runs) else { return };
    let dies = "f32-decomposed-bytes";
    let list = json(&prepare(runs, &card, "convnext", &format!("die:{dies}")));
    let tried = found(&list, &card, "convnext");
    assert_eq!(tried.len(), 4);
    hold(tried, dies);
    let why = tried[1]["refused"].as_str().unwrap();
    assert!(why.contains("crashed"), "{why}");
}

#[test]
#[ignore = "campaign: minutes on a software card"]
fn every_variant_of_swin_is_right() {
    let root = tempfile::tempdir().unwrap();
    let Some(card) = imitated(root.path()) else {
        return;
    };
    let list = json(&prepare(root.path(), &card, "swin", ""));
    let tried = found(&list, &card, "swin");
    assert_eq!(tried.len(), 8);
    hold(tried, "");
}

#[test]
#[ignore = "campaign: minutes on a software card"]
fn the_golden_files_of_each_family_hold_on_a_card_in_the_ways_farthest_from_the_plain_one() {
    let root = tempfile::tempdir().unwrap();
    let Some(card) = imitated(root.path()) else {
        return;
    };
    let files = ["00_vit_adapter", "04_swin_adapter", "05_convnext_adapter"].map(|name| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        format!("{folder}/{name}.safetensors")
    });
    for variant in ["f32-fused-bytes", "f16-fused-bytes"] {
        let mut words = vec!["golden", "--device", &card, "--card-variant", variant];
        words.extend(files.iter().map(String::as_str));
        let output = run(&words, root.path());
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{variant}: {text}");
        let right = text.lines().filter(|line| line.ends_with(" ok")).count();
        assert_eq!(right, files.len(), "{variant}: {text}");
    }
}
