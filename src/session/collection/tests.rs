use super::*;
use crate::tr;

fn collected_image(shade: u8) -> CollectedImage {
    let image = NamedImage { name: "drawing".into(), width: 4, height: 2, rgb: vec![shade; 24] };
    CollectedImage { image: image.into(), file: None }
}

fn two_classes() -> Collection {
    let mut collection = Collection::default();
    collection.add_class();
    for class_id in [1, 2] {
        for shade in 0..3 {
            assert!(collection.add(class_id, collected_image(shade * 80)));
        }
    }
    collection.classes[0].name = "sun?".into();
    collection.classes[1].name = "moon".into();
    collection
}

#[test]
fn missing_requirements_are_reported_in_order() {
    let mut collection = Collection::default();
    let added_task = Purpose::AddedTask("/run".into());
    assert!(
        collection.missing_requirement(&Purpose::Data).unwrap()
            == tr!("predict-collect-second-class")
    );
    assert_eq!(
        collection.missing_requirement(&added_task).unwrap(),
        tr!("predict-collect-two-images", name = "Class 1")
    );
    collection.add(1, collected_image(1));
    assert_eq!(
        collection.missing_requirement(&added_task).unwrap(),
        tr!("predict-collect-one-more-image", name = "Class 1")
    );
    collection.add(1, collected_image(2));
    assert_eq!(collection.missing_requirement(&added_task), None);
    collection.add_class();
    collection.classes[1].name = "class 1".into();
    assert_eq!(
        collection.missing_requirement(&added_task).unwrap(),
        tr!("predict-collect-duplicate-name", name = "class 1")
    );
    collection.classes[1].name = "  ".into();
    assert_eq!(
        collection.missing_requirement(&added_task).unwrap(),
        tr!("predict-collect-name-every-class")
    );
    assert!(two_classes().missing_requirement(&Purpose::Data).is_none());
}

#[test]
fn classes_can_be_added_and_removed() {
    let mut collection = two_classes();
    assert_eq!(collection.selected, 1);
    collection.remove_class(0);
    assert_eq!(
        (collection.classes[collection.selected].name.as_str(), collection.selected),
        ("moon", 0)
    );
    assert!(!collection.add(1, collected_image(0)), "the class was removed");
    collection.remove_class(0);
    assert_eq!(collection.classes.len(), 1);
    assert!(collection.is_empty());
}

#[test]
fn images_removed_before_their_class_can_be_restored() {
    let mut collection = Collection::default();
    assert!(collection.add(1, collected_image(80)));
    collection.remove(0, 0);
    collection.remove_class(0);
    assert_eq!(collection.classes.len(), 1);
    while collection.can_undo_removal() {
        collection.undo_removal();
    }
    assert_eq!((collection.classes.len(), collection.image_count()), (1, 1));
    // A class that never had images need not be restored.
    collection.add_class();
    collection.remove_class(1);
    assert!(!collection.can_undo_removal());
}

#[test]
fn collections_are_saved_as_separate_image_folders() {
    let root = tempfile::tempdir().unwrap();
    let mut collection = two_classes();
    let file = root.path().join("photo.JPG");
    std::fs::write(&file, b"as it is").unwrap();
    collection.add(2, CollectedImage { file: Some(file), ..collected_image(0) });
    let folder = root.path().join("made");
    let first = collection.save(&folder).unwrap();
    let second = collection.save(&folder).unwrap();
    assert_eq!(first, folder.join("My images"));
    assert_eq!(second, folder.join("My images 2"));
    let count = |class: &str| first.join(class).read_dir().unwrap().count();
    assert_eq!((count("sun_"), count("moon")), (3, 4));
    assert_eq!(std::fs::read(first.join("moon/0004.JPG")).unwrap(), b"as it is");
    let stored = image::open(first.join("sun_/0002.png")).unwrap().to_rgb8();
    assert_eq!((stored.dimensions(), stored.into_raw()[0]), ((4, 2), 80));
    assert_eq!(folder.read_dir().unwrap().count(), 2);
    // Nothing is written if the folder cannot be created.
    let problem = collection.save(&root.path().join("photo.JPG")).unwrap_err();
    assert!(problem.is("io-create-a-folder-for-images-failed"), "{problem}");
    assert_eq!(root.path().read_dir().unwrap().count(), 2);
    // A missing file ends the operation and nothing is left.
    collection.classes[0].images[0].file = Some("/gone.png".into());
    assert!(collection.save(&folder).is_err());
    assert_eq!(folder.read_dir().unwrap().count(), 2);
}
