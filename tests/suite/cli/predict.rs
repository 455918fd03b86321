//! What `predict` answers.

use super::*;

#[test]
fn the_json_of_a_prediction_keeps_its_contract() {
    let (runs, summary) = finished();
    let folder = tempfile::tempdir().unwrap();
    let path = picture(folder.path()).display().to_string();
    let name = summary["run"].as_str().unwrap();
    let all = json(&run_json(&["predict", name, &path], runs));
    let entry = &all[0];
    assert_eq!(entry["path"], path);
    assert_eq!(entry["class"], entry["ensemble"]["class"]);
    let classes: Vec<&str> = summary["class_order"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_str().unwrap())
        .collect();
    for expert in ["online", "offline", "ensemble"] {
        let view = &entry[expert];
        let probabilities = view["probabilities"].as_object().unwrap();
        let names: Vec<&str> = probabilities.keys().map(String::as_str).collect();
        assert_eq!(names, classes);
        let best = probabilities
            .iter()
            .max_by(|a, b| a.1.as_f64().unwrap().total_cmp(&b.1.as_f64().unwrap()));
        assert_eq!(view["class"], *best.unwrap().0);
        assert!(view["energy"].is_f64());
    }
    let sum: f64 = entry["online"]["probabilities"]
        .as_object()
        .unwrap()
        .values()
        .map(|p| p.as_f64().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-4);
    let highest = entry["ensemble"]["probabilities"]
        .as_object()
        .unwrap()
        .values()
        .map(|p| p.as_f64().unwrap())
        .fold(0.0, f64::max);
    assert!((entry["confidence"].as_f64().unwrap() - highest).abs() < 1e-6);
    // After the first task only its two classes exist.
    let first = json(&run_json(&["predict", name, &path, "--task", "1"], runs));
    assert_eq!(
        first[0]["online"]["probabilities"]
            .as_object()
            .unwrap()
            .len(),
        2
    );
    let beyond = refused(&["predict", name, &path, "--task", "9"], runs);
    assert!(beyond.contains("from 1 to 5"), "{beyond}");
}
