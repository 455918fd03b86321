//! Tests of orders, task sizes and labels.

use std::fs;

use lae_base::tr;

use super::*;

fn classes(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("c{i:03}")).collect()
}

#[test]
fn parses_and_formats_class_orders() {
    for text in ["natural", "seed:7", "cifar100_order2"] {
        let order = ClassOrder::parse(text).unwrap();
        assert_eq!(order.to_string(), text);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("order.json");
    fs::write(&path, "[2, 0, 1]").unwrap();
    let order = ClassOrder::parse(path.to_str().unwrap()).unwrap();
    assert_eq!(order, ClassOrder::Indices(vec![2, 0, 1]));
    fs::write(&path, r#"["c001", "c000", "c002"]"#).unwrap();
    let order = ClassOrder::parse(path.to_str().unwrap()).unwrap();
    assert_eq!(order.resolve(&classes(3)).unwrap(), [1, 0, 2]);
}

#[test]
fn seeded_orders_depend_only_on_seed() {
    let draw = |seed| ClassOrder::Seeded(seed).resolve(&classes(50)).unwrap();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn paper_orders_match_published_configurations() {
    assert_eq!(ClassOrder::presets(100).len(), 2);
    assert_eq!(ClassOrder::presets(200).len(), 2);
    assert_eq!(ClassOrder::presets(345).len(), 2);
    assert!(ClassOrder::presets(10).is_empty());
    // The first classes of each order, as in the authors' configurations.
    for (name, n, first) in [
        ("cifar100_order2", 100, [23, 8, 11]),
        ("imagenet-r_order2", 200, [131, 181, 22]),
        ("domainnet_order2", 345, [177, 316, 160]),
        ("domainnet_order3", 345, [200, 107, 51]),
    ] {
        let order = ClassOrder::parse(name).unwrap();
        assert_eq!(order.resolve(&classes(n)).unwrap()[..3], first, "{name}");
    }
}

#[test]
fn rejects_invalid_class_orders() {
    let names = classes(3);
    let resolve_error = |order: ClassOrder| order.resolve(&names).unwrap_err().what;
    let what = tr!("problem-class-order-duplicate", index = "c000");
    assert_eq!(resolve_error(ClassOrder::Indices(vec![0, 0, 1])), what);
    let what = tr!("problem-class-order-incomplete", missing = "c002");
    assert_eq!(resolve_error(ClassOrder::Indices(vec![0, 1])), what);
    let what = tr!("problem-class-order-index-too-large", index = 9, classes = "3 classes");
    assert_eq!(resolve_error(ClassOrder::Indices(vec![0, 1, 9])), what);
    let what = tr!("problem-class-order-unknown-classes", unknown = "x");
    assert_eq!(resolve_error(ClassOrder::Names(vec!["x".into()])), what);
    assert!(ClassOrder::parse("reverse").unwrap_err().mentions("advice-class-order-forms"));
    assert!(ClassOrder::parse("seed:x").is_err());
    assert!(ClassOrder::parse("nowhere.json").unwrap_err().is("io-read-the-class-order-failed"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("order.json");
    fs::write(&path, r#"{"a": 1}"#).unwrap();
    assert!(
        ClassOrder::parse(path.to_str().unwrap())
            .unwrap_err()
            .is("problem-class-order-no-json-array")
    );
}

#[test]
fn task_sizes_cover_all_classes() {
    let cut = |text: &str, n| TaskSizes::parse(text).unwrap().ranges(n);
    assert_eq!(cut("10", 25).unwrap(), [0..10, 10..20, 20..25]);
    assert_eq!(cut("6,5", 11).unwrap(), [0..6, 6..11]);
    assert_eq!(cut("50+25", 100).unwrap(), [0..50, 50..75, 75..100]);
    assert_eq!(cut("50", 10).unwrap(), vec![0..10]);
    let id = "problem-classes-per-task-sum";
    let what = tr!(id, total = "11 classes", classes = 12);
    assert_eq!(cut("6,5", 12).unwrap_err().what, what);
    let most = usize::MAX;
    for wrapping in [format!("{most},11"), format!("{most},{most},12")] {
        let problem = cut(&wrapping, 10).unwrap_err();
        assert!(problem.is(id), "{problem}");
    }
    assert_eq!(cut(&format!("{most}+3"), 10).unwrap(), vec![0..10]);
    assert_eq!(cut(&format!("1+{most}"), 10).unwrap(), [0..1, 1..10]);
    for bad in ["0", "", "a", "3,0", "5+0", "3,,3", "-1"] {
        assert!(TaskSizes::parse(bad).is_err(), "{bad}");
    }
    for text in ["10", "6,5,5", "50+10"] {
        let sizes = TaskSizes::parse(text).unwrap();
        assert_eq!(sizes.to_string(), text);
    }
}

#[test]
fn label_is_position_in_class_order() {
    let scenario =
        Scenario::new(&classes(4), &ClassOrder::Indices(vec![2, 0, 3, 1]), &TaskSizes::Every(2))
            .unwrap();
    assert_eq!(scenario.class_label(2), 0);
    assert_eq!(scenario.class_label(1), 3);
    assert_eq!(scenario.task_at(2), Some(1));
    assert_eq!(scenario.class_names(&classes(4)), ["c002", "c000", "c003", "c001"]);
}

#[test]
fn index_orders_roundtrip_as_ranges() {
    for (indices, text) in [
        (vec![0, 1, 2, 3, 4, 6, 5, 7, 8, 9], "0-4,6,5,7-9"),
        (vec![1, 0], "1,0"),
        (vec![0, 1, 3, 2], "0,1,3,2"),
        (vec![2, 1, 0], "2,1,0"),
    ] {
        let order = ClassOrder::Indices(indices.clone());
        assert_eq!(order.to_string(), text);
        assert_eq!(ClassOrder::parse(text).unwrap(), order);
        assert_eq!(ClassOrder::format_indices_or_natural(&indices), text);
    }
    assert_eq!(ClassOrder::format_indices_or_natural(&[0, 1, 2]), "natural");
    assert_eq!(
        ClassOrder::parse(" 0 - 2, 4,3 ").unwrap(),
        ClassOrder::Indices(vec![0, 1, 2, 4, 3])
    );
    for bad in ["3-1,0", "1,,2", "0-", "-3", "0-99999999999", "0-999999999", "1,-2", ","] {
        assert!(ClassOrder::parse(bad).is_err(), "{bad}");
    }
    assert!(ClassOrder::parse("0,0").unwrap().resolve(&classes(2)).is_err());
    assert!(ClassOrder::parse("0-5").unwrap().resolve(&classes(3)).is_err());
}

#[test]
fn moving_class_updates_order_and_settings() {
    let start = Scenario::new(&classes(6), &ClassOrder::Natural, &TaskSizes::Every(2)).unwrap();
    let order = |scenario: &Scenario| scenario.class_order.clone();
    assert_eq!(start.to_settings(), ("natural".into(), "2".into()));
    let moved = start.with_moved_class(0, 1, 1);
    assert_eq!(order(&moved), [1, 2, 0, 3, 4, 5]);
    assert_eq!(moved.tasks, [0..1, 1..4, 4..6]);
    assert_eq!(moved.to_settings(), ("1,2,0,3-5".into(), "1,3,2".into()));
    // Moves within a task, forwards and backwards, past the end, and to the same position.
    assert_eq!(order(&start.with_moved_class(0, 0, 2)), [1, 0, 2, 3, 4, 5]);
    assert_eq!(order(&start.with_moved_class(1, 0, 0)), [1, 0, 2, 3, 4, 5]);
    assert_eq!(start.with_moved_class(2, 1, 0), start);
    assert_eq!(start.with_moved_class(2, 1, 1), start);
    assert_eq!(order(&start.with_moved_class(0, 2, 99)), [1, 2, 3, 4, 5, 0]);
    assert_eq!(start.with_moved_class(77, 0, 0), start);
    // A new task at the end, and the removal of an empty task.
    let new = start.with_moved_class(3, 3, 0);
    assert_eq!(new.tasks, [0..2, 2..3, 3..5, 5..6]);
    let gone = new.with_moved_class(2, 0, 0);
    assert_eq!(gone.tasks, [0..3, 3..5, 5..6]);
    assert_eq!(gone.class_label(2), 0);
}

proptest::proptest! {
    /// After any moves, every class occurs exactly once, and the written settings give the same scenario.
    #[test]
    fn settings_roundtrip_after_any_moves(
        moves in proptest::collection::vec((0..9_usize, 0..6_usize, 0..9_usize), 0..12),
    ) {
        let mut scenario =
            Scenario::new(&classes(9), &ClassOrder::Seeded(1), &TaskSizes::First(4, 2)).unwrap();
        for (position, task, target) in moves {
            scenario = scenario.with_moved_class(position, task, target);
        }
        let (order, sizes) = scenario.to_settings();
        let again = Scenario::new(
            &classes(9),
            &ClassOrder::parse(&order).unwrap(),
            &TaskSizes::parse(&sizes).unwrap(),
        )
        .unwrap();
        proptest::prop_assert_eq!(again, scenario);
    }

    /// Any text as an order, and any bytes as an order file, give an order or a Problem.
    #[test]
    fn parsing_arbitrary_orders_does_not_panic(
        text in "[0-9,\\- a-z:]{0,24}",
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
        json in "[\\[\\]0-9,\"a-c{}:\\-.e]{0,40}",
    ) {
        let check = |text: &str| {
            if let Ok(order) = ClassOrder::parse(text) {
                let _ = order.resolve(&classes(5));
            }
        };
        check(&text);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("order.json");
        for content in [bytes.as_slice(), json.as_bytes()] {
            std::fs::write(&file, content).unwrap();
            check(file.to_str().unwrap());
        }
    }
}
