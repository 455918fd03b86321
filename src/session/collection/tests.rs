use super::*;
use crate::tr;

fn piece(shade: u8) -> CollectedPicture {
    let picture = Picture {
        name: "drawing".into(),
        width: 4,
        height: 2,
        rgb: vec![shade; 24],
    };
    CollectedPicture {
        picture: picture.into(),
        file: None,
    }
}

fn two_classes() -> Collection {
    let mut made = Collection::default();
    made.add_group();
    for group in [1, 2] {
        for shade in 0..3 {
            assert!(made.add(group, piece(shade * 80)));
        }
    }
    made.groups[0].name = "sun?".into();
    made.groups[1].name = "moon".into();
    made
}

#[test]
fn what_is_missing_is_said_in_turn() {
    let mut made = Collection::default();
    let added_task = Purpose::AddedTask("/run".into());
    assert!(made.lacks(&Purpose::Data).unwrap() == tr!("predict-collect-second-class"));
    assert_eq!(
        made.lacks(&added_task).unwrap(),
        tr!("predict-collect-two-images", name = "Class 1")
    );
    made.add(1, piece(1));
    assert_eq!(
        made.lacks(&added_task).unwrap(),
        tr!("predict-collect-one-more-image", name = "Class 1")
    );
    made.add(1, piece(2));
    assert_eq!(made.lacks(&added_task), None);
    made.add_group();
    made.groups[1].name = "class 1".into();
    assert_eq!(
        made.lacks(&added_task).unwrap(),
        tr!("predict-collect-duplicate-name", name = "class 1")
    );
    made.groups[1].name = "  ".into();
    assert_eq!(
        made.lacks(&added_task).unwrap(),
        tr!("predict-collect-name-every-class")
    );
    assert!(two_classes().lacks(&Purpose::Data).is_none());
}

#[test]
fn groups_come_and_go_and_the_chosen_one_stays() {
    let mut made = two_classes();
    assert_eq!(made.chosen, 1);
    made.remove_group(0);
    assert_eq!(
        (made.groups[made.chosen].name.as_str(), made.chosen),
        ("moon", 0)
    );
    assert!(!made.add(1, piece(0)), "its group is gone");
    made.remove_group(0);
    assert_eq!(made.groups.len(), 1);
    assert!(made.is_empty());
}

#[test]
fn a_collection_is_kept_as_an_image_folder_and_a_second_one_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let mut made = two_classes();
    let file = root.path().join("photo.JPG");
    std::fs::write(&file, b"as it is").unwrap();
    made.add(
        2,
        CollectedPicture {
            file: Some(file),
            ..piece(0)
        },
    );
    let kept = root.path().join("made");
    let first = made.save(&kept).unwrap();
    let second = made.save(&kept).unwrap();
    assert_eq!(first, kept.join("My images"));
    assert_eq!(second, kept.join("My images 2"));
    let count = |class: &str| first.join(class).read_dir().unwrap().count();
    assert_eq!((count("sun_"), count("moon")), (3, 4));
    assert_eq!(
        std::fs::read(first.join("moon/0004.JPG")).unwrap(),
        b"as it is"
    );
    let back = image::open(first.join("sun_/0002.png")).unwrap().to_rgb8();
    assert_eq!((back.dimensions(), back.into_raw()[0]), ((4, 2), 80));
    assert_eq!(kept.read_dir().unwrap().count(), 2);
    // Nothing is written if the folder cannot be created.
    let problem = made.save(&root.path().join("photo.JPG")).unwrap_err();
    assert!(
        problem.is("io-create-a-folder-for-images-failed"),
        "{problem}"
    );
    assert_eq!(root.path().read_dir().unwrap().count(), 2);
    // A missing file ends the operation and nothing is left.
    made.groups[0].pieces[0].file = Some("/gone.png".into());
    assert!(made.save(&kept).is_err());
    assert_eq!(kept.read_dir().unwrap().count(), 2);
}
