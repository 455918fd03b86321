//! Tests of the presets.

use super::*;
use crate::data::scenario::{ClassOrder, TaskSizes};

#[test]
fn presets_are_valid_and_recognised() {
    let all = presets();
    for preset in all {
        let problems = crate::method::problems(&preset.run);
        assert!(problems.is_empty(), "{}: {problems:?}", preset.title);
        assert!(matches(preset, &preset.run), "{}", preset.name);
        let same = all.iter().filter(|other| matches(other, &preset.run));
        let same = same.filter(|other| other.comparison.is_some() == preset.comparison.is_some());
        assert_eq!(same.count(), 1, "{}", preset.name);
    }
    let cifar = find_preset("cifar100-10").unwrap();
    let mine = RunConfig {
        data: "my/cifar".into(),
        order: "cifar100_order3".into(),
        device: "cpu".into(),
        ..cifar.with_pet("lora", 10)
    };
    assert!(matches(cifar, &mine));
    assert!(!matches(cifar, &cifar.with_pet("lora", 7)));
    assert!(!matches(&all[0], &mine));
    assert!(find_preset("forgetting").is_err() && find_preset("").is_err());
}

#[test]
fn paper_presets_split_classes_evenly_with_known_orders() {
    for preset in presets() {
        let Some(paper) = preset.paper else { continue };
        let names: Vec<String> = (0..paper.classes).map(|i| format!("{i:03}")).collect();
        let tasks =
            TaskSizes::parse(&preset.run.classes_per_task).unwrap().ranges(paper.classes).unwrap();
        assert!(preset.title.contains(&format!("{} tasks", tasks.len())), "{}", preset.title);
        let runs = repeat_over_orders(&preset.run, Some(paper), 4);
        for run in &runs {
            let order = ClassOrder::parse(&run.order).unwrap();
            assert_eq!(order.resolve(&names).unwrap().len(), paper.classes);
        }
        // Every experiment has three orders from the paper; further ones are random.
        let drawn = runs.iter().map(|run| run.order.starts_with("seed:"));
        assert_eq!(drawn.collect::<Vec<_>>(), [false, false, false, true]);
        let found = find_paper_dataset(&preset.run, paper.classes).unwrap();
        assert_eq!((found.data, found.orders), (paper.data, paper.orders));
        assert_eq!(find_paper_dataset(&preset.run, 7), None);
    }
}

#[test]
fn repeated_runs_use_paper_orders_before_random_ones() {
    let names = |paper, count| -> Vec<String> {
        let runs = repeat_over_orders(&RunConfig::default(), paper, count);
        assert!(runs.iter().all(|run| run.seed == 0));
        runs.into_iter().map(|run| run.order).collect()
    };
    assert_eq!(names(None, 3), ["natural", "seed:1", "seed:2"]);
    assert_eq!(names(Some(CIFAR), 4), ["natural", "cifar100_order2", "cifar100_order3", "seed:3"]);
}

#[test]
fn paper_presets_use_weights_of_authors() {
    for preset in presets() {
        let Some(paper) = preset.paper else { continue };
        let expected = match preset.hint {
            "CODA-Prompt comparison" => (FINE_TUNED_WEIGHTS, "prefix", 10),
            _ => (ORIGINAL_WEIGHTS, "adapter", 5),
        };
        let run = &preset.run;
        assert_eq!(
            (run.backbone.as_str(), run.pet.as_str(), run.pet_size),
            expected,
            "{}",
            preset.name
        );
        let coda = expected.0 == FINE_TUNED_WEIGHTS && paper.classes == 200;
        assert_eq!(paper.split == PresetSplit::Coda, coda, "{}", preset.name);
    }
    // Runs of older versions with other weights show which setting differs.
    let cifar = find_preset("cifar100-10").unwrap();
    let old =
        RunConfig { backbone: "vit_base_patch16_224.augreg_in21k".into(), ..cifar.run.clone() };
    assert!(!matches(cifar, &old));
    assert_eq!(changed_settings(cifar, &old), ["backbone"]);
}
