//! The meaning of names of folders, lists and table cells: splits, masks, folders for all images, and parts of a
//! collection.

/// The role of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Images for training.
    Train,
    /// Images for testing.
    Test,
    /// Images for testing, if there is no test split with labels.
    Validation,
}

/// Words that may occur in the name of a split besides its role: `train_images`, `val-set`, `test2017`.
const FILLER_WORDS: [&str; 18] = [
    "images", "image", "imgs", "img", "pictures", "photos", "set", "data", "dataset", "split",
    "list", "lists", "folder", "files", "labels", "label", "metadata", "final",
];

/// Returns the words of a name in lower case. Names are split at characters other than letters and digits, between
/// lower and upper case, and between letters and digits.
pub fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for letter in name.chars() {
        let is_boundary = !letter.is_alphanumeric()
            || (previous.is_lowercase() && letter.is_uppercase())
            || (previous.is_alphanumeric() && previous.is_ascii_digit() != letter.is_ascii_digit());
        if is_boundary {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        previous = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the role that a word names, if any.
fn word_role(word: &str) -> Option<Role> {
    match word {
        "train" | "training" | "trainset" | "trainval" => Some(Role::Train),
        "test" | "testing" | "testset" => Some(Role::Test),
        "val" | "valid" | "validation" | "valset" | "eval" | "dev" => Some(Role::Validation),
        _ => None,
    }
}

/// Returns the role that the name of a folder or the text of a cell consists of: `train`, `Train_images`, `val-set`,
/// `test2017`.
pub fn parse_role(name: &str) -> Option<Role> {
    let (role, rest) = role_and_rest(name)?;
    rest.chars().all(|c| c.is_ascii_digit() || c == ' ').then_some(role)
}

/// Returns the role in a name, and its other words without fillers: `clipart_train` gives `Train` and `clipart`,
/// `images_variant_trainval` gives `Train` and `variant`, `Testing_01` gives `Test` and `01`. `None` if the name has no
/// role or contradictory ones.
pub fn role_and_rest(name: &str) -> Option<(Role, String)> {
    let words = split_words(name);
    let mut roles = words.iter().filter_map(|word| word_role(word));
    let mut role = roles.next()?;
    for other in roles {
        role = match (role, other) {
            _ if role == other => role,
            // `train_val` is a training set, which remains if the test split is separate.
            (Role::Train, Role::Validation) => Role::Train,
            _ => return None,
        };
    }
    Some((role, join_other_words(&words)))
}

/// Returns the words of a list's name without its role and fillers. Lists with the same rest belong together.
pub fn name_without_role(name: &str) -> String {
    join_other_words(&split_words(name))
}

fn join_other_words(words: &[String]) -> String {
    let rest = words.iter().map(String::as_str);
    let rest: Vec<&str> =
        rest.filter(|word| word_role(word).is_none() && !FILLER_WORDS.contains(word)).collect();
    rest.join(" ")
}

/// The kinds of folders that are neither splits nor classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FolderKind {
    /// Contains images of all classes.
    Images,
    /// Contains masks: regions, outlines or heat maps of other images.
    Masks,
    /// A domain of DomainNet, Office or PACS.
    Domain,
}

fn folder_kind(name: &str) -> Option<FolderKind> {
    Some(match split_words(name).concat().as_str() {
        "images" | "image" | "imgs" | "img" | "jpegimages" | "jpg" => FolderKind::Images,
        "mask" | "masks" | "trimap" | "trimaps" | "segmentation" | "segmentations"
        | "segmentationclass" | "segmentationobject" | "segmap" | "segmaps" | "annotation"
        | "annotations" | "gt" | "groundtruth" | "label" | "labels" | "depth" | "edges"
        | "saliency" => FolderKind::Masks,
        "clipart" | "infograph" | "painting" | "quickdraw" | "real" | "realworld" | "sketch"
        | "photo" | "art" | "artpainting" | "cartoon" | "product" | "amazon" | "webcam"
        | "dslr" => FolderKind::Domain,
        _ => return None,
    })
}

/// Returns whether a folder has the name of a domain of DomainNet, Office or PACS.
pub fn is_domain_folder(name: &str) -> bool {
    folder_kind(name) == Some(FolderKind::Domain)
}

/// Returns whether a folder has a name for images of all classes, such as `images`.
pub fn is_image_folder(name: &str) -> bool {
    folder_kind(name) == Some(FolderKind::Images)
}

/// Returns whether a folder has a name for masks, which belong to other images.
pub fn is_mask_folder(name: &str) -> bool {
    folder_kind(name) == Some(FolderKind::Masks)
}

/// Words in the names of folders into which the images of a dataset were divided.
const PART_WORDS: [&str; 8] =
    ["part", "batch", "chunk", "shard", "fold", "subset", "folder", "archive"];

/// Returns whether names of folders differ only in a number and contain a word for images or parts: `images_001`,
/// `images_002`.
pub fn are_collection_parts<'n>(names: impl IntoIterator<Item = &'n str>) -> bool {
    let without_numbers = |name: &str| {
        let mut words = split_words(name);
        words.retain(|word| !word.starts_with(|letter: char| letter.is_ascii_digit()));
        words
    };
    let mut names = names.into_iter().map(without_numbers);
    let Some(first) = names.next() else {
        return false;
    };
    let is_part_word = |word: &String| PART_WORDS.contains(&word.as_str()) || is_image_folder(word);
    first.iter().any(is_part_word) && names.all(|words| words == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_roles_from_words_of_names() {
        let cases = [
            ("train", Some(Role::Train)),
            ("Train_images", Some(Role::Train)),
            ("train2017", Some(Role::Train)),
            ("TestImages", Some(Role::Test)),
            ("val-set", Some(Role::Validation)),
            ("Final_Training", Some(Role::Train)),
            ("steam_train", None),
            ("latest", None),
        ];
        for (name, role) in cases {
            assert_eq!(parse_role(name), role, "{name}");
        }
        let pair = |role, rest: &str| Some((role, rest.to_owned()));
        assert_eq!(role_and_rest("clipart_train"), pair(Role::Train, "clipart"));
        assert_eq!(role_and_rest("images_variant_trainval"), pair(Role::Train, "variant"));
        assert_eq!(role_and_rest("Testing_01"), pair(Role::Test, "01"));
        assert_eq!(role_and_rest("train_val"), pair(Role::Train, ""));
        assert_eq!(role_and_rest("train_test_split"), None);
        assert_eq!(name_without_role("HAM10000_metadata"), "ham 10000");
    }

    #[test]
    fn detects_non_class_folders_by_name() {
        assert!(is_image_folder("JPEGImages") && is_mask_folder("SegmentationClass"));
        assert!(!is_image_folder("cat") && !is_mask_folder("with_mask"));
        assert!(are_collection_parts(["HAM10000_images_part_1", "HAM10000_images_part_2"]));
        assert!(are_collection_parts(["images_001", "images_002", "images_012"]));
        assert!(
            !are_collection_parts(["n01443537", "n01629819"]) && !are_collection_parts(["0", "1"])
        );
        assert!(!are_collection_parts(["class_1", "class_2"]));
    }
}
