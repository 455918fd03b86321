//! Finds images of a dataset that differ from those of a run.

use std::collections::HashMap;

use crate::data::{ClassPrints, Dataset, Fingerprints, Split};

use super::{Difference, Part};

/// Returns the first image that differs from those with these fingerprints; `prints` are the short prints of the
/// run's images, if they are known. `None` if all images are equal.
pub(super) fn differs(
    then: &Fingerprints,
    prints: Option<&[ClassPrints]>,
    data: &Dataset,
) -> Option<Difference> {
    if data.has_images(then) {
        return None;
    }
    let told = prints.and_then(|prints| {
        let (_, found) = data.prints_of(then.kind);
        first(prints, &found, &|of, at| {
            data.picture_name(of.split, &of.class, at)
        })
    });
    Some(told.unwrap_or_else(|| {
        let split = match data.has_images_of(Split::Train, then) {
            true => "test",
            false => "training",
        };
        let told = format!("a {split} image differs; it is unknown which one");
        Difference::new(Part::Picture, None, told)
    }))
}

/// Returns the first image whose short print differs. `name` returns the file name of an image, given its class and
/// index in the class.
pub(super) fn first(
    then: &[ClassPrints],
    found: &[ClassPrints],
    name: &dyn Fn(&ClassPrints, usize) -> Option<String>,
) -> Option<Difference> {
    let (mut told, mut others) = (None, 0);
    let here = found.iter().map(|now| ((now.split, &*now.class), now));
    let here: HashMap<(Split, &str), &ClassPrints> = here.collect();
    for known in then {
        let split = match known.split {
            Split::Train => "training",
            Split::Test => "test",
        };
        let class = &known.class;
        let Some(now) = here.get(&(known.split, &*known.class)) else {
            others += known.images;
            told.get_or_insert_with(|| format!("the class \"{class}\" is missing"));
            continue;
        };
        let Some(at) = known.first_other(now) else {
            continue;
        };
        others += 1;
        told.get_or_insert_with(|| {
            let named = name(now, at).map_or_else(String::new, |name| format!(", {name},"));
            let number = at + 1;
            match known.images == now.images {
                true => format!("{split} image {number} of class \"{class}\"{named} differs"),
                false => format!(
                    "class \"{class}\" has {} {split} images, not {}; they differ from image {number}{named} on",
                    now.images, known.images
                ),
            }
        });
    }
    told.map(|told| Difference::new(Part::Picture, None, told).first_of(others))
}
