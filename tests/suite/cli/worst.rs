//! Mistakes, corrected labels and refusals for scripts.

use super::*;

/// The mistakes of the finished run as JSON.
fn worst_report(words: &[&str]) -> Value {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    json(&run_json(&[&["worst", name], words].concat(), runs))
}

#[test]
fn worst_lists_most_certain_mistakes_first() {
    let report = worst_report(&[]);
    assert_eq!((report["task"].as_u64(), report["tested"].as_u64()), (Some(5), Some(60)));
    assert_eq!(report["noted"], true);
    let pictures = report["pictures"].as_array().unwrap();
    assert_eq!(pictures.len() as u64, report["wrong"].as_u64().unwrap().min(50));
    assert!(!pictures.is_empty(), "such a short run must make mistakes");
    let certainty = |picture: &Value| picture["certainty"].as_f64().unwrap();
    assert!(pictures.windows(2).all(|pair| certainty(&pair[0]) >= certainty(&pair[1])));
    for picture in pictures {
        assert_ne!(picture["class"], picture["answer"]);
        assert!(picture["picture"].as_str().unwrap().ends_with(".png"));
    }
    let class = pictures[0]["class"].as_str().unwrap();
    let class_report = worst_report(&["--class", class, "--top", "1"]);
    assert_eq!(class_report["pictures"][0], pictures[0]);
    assert_eq!(class_report["pictures"].as_array().unwrap().len(), 1);
    // Counts refer to this class only.
    let counts = ["tested", "wrong"].map(|key| class_report[key].as_u64().unwrap());
    assert_eq!((counts[0], &class_report["class"]), (6, &class.into()));
    assert!(report["class"].is_null());
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    let output = run(&["worst", name, "--class", class], runs);
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = format!("{} of 6 test images of `{class}` w", counts[1]);
    assert!(text.starts_with(&expected), "{text}");
    let message = run_expecting_error(&["worst", name, "--class", "eleven"], runs);
    assert!(message.contains("no class `eleven` has been learned by task 5"), "{message}");
}

#[test]
fn worst_lists_mislabelled_training_images_first() {
    let root = tempfile::tempdir().unwrap();
    let data = lae_studio::data::Dataset::open("digits", &Default::default()).unwrap();
    // Two labels are changed to wrong ones with a list of corrections.
    let limited: Vec<_> = data.train.iter().step_by(97).take(2).collect();
    let mislabelled: Vec<String> = limited.iter().map(|sample| sample.name()).collect();
    for sample in limited {
        let correction = lae_studio::data::Correction {
            picture: sample.name(),
            sha256: sample.sha256().unwrap(),
            was: data.classes[sample.class as usize].clone(),
            class: Some("9".into()),
        };
        lae_studio::store::correct_label(root.path(), "digits", correction).unwrap();
    }
    let words = [
        "train",
        "--data",
        "digits",
        "--method",
        "simplecil",
        "--classes-per-task",
        "5",
        "--test-limit",
        "5",
        "--device",
        "cpu",
        "--quiet",
    ];
    let run = json(&run_json(&words, root.path()));
    let name = run["run"].as_str().unwrap();
    let report = json(&run_json(&["worst", name, "--split", "train"], root.path()));
    assert_eq!((&report["split"], &report["expert"]), (&"train".into(), &"answer".into()));
    assert_eq!(report["tested"].as_u64(), Some(data.train.len() as u64));
    assert!(report["noted"].is_null());
    let pictures = report["pictures"].as_array().unwrap();
    let first: Vec<&str> =
        pictures.iter().take(4).map(|picture| picture["picture"].as_str().unwrap()).collect();
    assert!(mislabelled.iter().all(|name| first.contains(&name.as_str())), "{first:?}");
    let certainty = |picture: &Value| picture["certainty"].as_f64().unwrap();
    let pairs = pictures.windows(2);
    assert!(pairs.into_iter().all(|pair| certainty(&pair[0]) >= certainty(&pair[1])));
    for picture in pictures {
        assert_ne!(picture["class"], picture["answer"]);
        assert_eq!(picture["source"], 0);
    }
    let nines = ["worst", name, "--split", "train", "--class", "9", "--top", "2"];
    let nines = json(&run_json(&nines, root.path()));
    // Images relabelled as nine count as nines.
    let mut labels: Vec<&str> =
        data.train.iter().map(|sample| &*data.classes[sample.class as usize]).collect();
    for (label, sample) in labels.iter_mut().zip(&data.train) {
        if mislabelled.contains(&sample.name()) {
            *label = "9";
        }
    }
    let labelled = labels.iter().filter(|label| **label == "9").count();
    assert_eq!(nines["tested"].as_u64(), Some(labelled as u64));
    let names: Vec<&str> = nines["pictures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["picture"].as_str().unwrap())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| mislabelled.iter().any(|mislabelled_name| mislabelled_name == name)),
        "{names:?}"
    );
    // After the first task the images of later classes are left out.
    let task = ["worst", name, "--split", "train", "--task", "1", "--top", "0"];
    let tested = json(&run_json(&task, root.path()))["tested"].as_u64().unwrap();
    assert!(tested < data.train.len() as u64 * 6 / 10, "{tested}");
    // Test images are what is listed without the option.
    let tests = json(&run_json(&["worst", name], root.path()));
    assert_eq!(tests["split"], "test");
}

#[test]
fn worst_recomputes_missing_certainties() {
    let (runs, summary) = finished_run();
    let name = summary["run"].as_str().unwrap();
    let copied = tempfile::tempdir().unwrap();
    let folder = copied.path().join(name);
    copy_folder(&runs.join(name), &folder);
    let table = folder.join("confusion/task_5.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    let titles = text.lines().next().unwrap().to_string();
    let kept_columns = titles.split(',').take_while(|title| !title.ends_with("certainty")).count();
    let old: Vec<String> = text
        .lines()
        .map(|line| line.split(',').take(kept_columns).collect::<Vec<_>>().join(","))
        .collect();
    std::fs::write(&table, old.join("\n") + "\n").unwrap();
    let recomputed = json(&run_json(&["worst", name, "--device", "cpu"], copied.path()));
    assert_eq!(recomputed["noted"], false);
    let report = worst_report(&[]);
    let (old, new) =
        (recomputed["pictures"].as_array().unwrap(), report["pictures"].as_array().unwrap());
    assert_eq!(old.len(), new.len());
    let sum =
        |list: &[Value]| -> f64 { list.iter().map(|p| p["certainty"].as_f64().unwrap()).sum() };
    assert!((sum(old) - sum(new)).abs() < 1e-3, "certainties of snapshot and test differ");
}

#[test]
fn predict_reports_none_of_these() {
    let (runs, summary) = finished_run();
    let folder = tempfile::tempdir().unwrap();
    let path = stroke_image(folder.path()).display().to_string();
    let name = summary["run"].as_str().unwrap();
    let predictions = json(&run_json(&["predict", name, &path], runs));
    let (strange, limit) = (
        predictions[0]["strangeness"].as_f64().unwrap(),
        predictions[0]["threshold"].as_f64().unwrap(),
    );
    assert_eq!(predictions[0]["none_of_these"], strange > limit);
    let stored = summary["tasks"][4]["gauges"]["strange95_ensemble"].as_f64();
    assert!((stored.unwrap() - limit).abs() < 1e-4);
    let predictions = json(&run_json(&["predict", name, &path, "--always-answer"], runs));
    assert!(predictions[0]["none_of_these"].is_null() && predictions[0]["class"].is_string());
    let inside = json(&run_json(&["inside", name, "--task", "2"], runs));
    let rejection = &inside["none_of_these"]["ensemble"];
    assert_eq!(rejection["known"]["pictures"], 24);
    assert_eq!(rejection["measured"], "cross_fitted");
    let measurements = &summary["tasks"][1]["gauges"];
    assert_eq!(measurements["judged95_ensemble"], 24.0);
    assert_eq!(measurements["refused95_ensemble"].as_f64(), rejection["known"]["refused"].as_f64());
    assert_eq!(rejection["later"]["pictures"], 36);
}

#[test]
fn corrected_option_selects_label_corrections() {
    let (runs, summary) = finished_run();
    let mistakes = worst_report(&[]);
    let mistake = &mistakes["pictures"][0];
    let name = summary["run"].as_str().unwrap();
    // A list of corrections as the window writes it.
    let data = lae_studio::data::Dataset::open("digits", &Default::default()).unwrap();
    let is_mistaken = |sample: &&lae_studio::data::Sample| mistake["picture"] == sample.name();
    let sample = data.test.iter().find(is_mistaken).unwrap();
    let root = tempfile::tempdir().unwrap();
    let correction = lae_studio::data::Correction {
        picture: sample.name(),
        sha256: sample.sha256().unwrap(),
        was: data.classes[sample.class as usize].clone(),
        class: None,
    };
    lae_studio::store::correct_label(root.path(), "digits", correction).unwrap();
    let list = lae_studio::store::corrections_path(root.path(), "digits");
    let list = list.to_str().unwrap();
    let left_out = |words: &[&str], runs: &Path| {
        let report = json(&run_json(&[&["data", "digits"], words].concat(), runs));
        report["mended"]["left_out"].as_u64().unwrap()
    };
    assert_eq!(left_out(&[], root.path()), 1, "the data set's own list");
    assert_eq!(left_out(&["--corrected", "none"], root.path()), 0);
    assert_eq!(left_out(&[], runs), 0);
    assert_eq!(left_out(&["--corrected", list], runs), 1);
    let message = run_expecting_error(&["data", "digits", "--corrected", "/no/such.toml"], runs);
    assert!(message.contains("read the corrected labels"), "{message}");
    // A run stores the list in its settings.
    let words = [QUICK, &["--quiet", "--classes-per-task", "10"]].concat();
    let summary_json = json(&run_json(&words, root.path()));
    assert_eq!(summary_json["config"]["mended"].as_array().unwrap().len(), 1, "{name}");
}
