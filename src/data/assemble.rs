//! Converts the result of a reader into a [`Dataset`]: sorts classes, draws splits and applies limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::check::{self, Checked};
use super::corrected_labels::{self, CorrectionCount};
use super::near_copies::NearCopySets;
use super::split_sampler::Draw;
use super::summary::count_per_class;
use super::tree::count_reasons;
use super::{Dataset, OpenOptions, RawDataset, Sample, Skipped};
use crate::fetch::hex;
use crate::message;
use crate::problem::{Problem, Result, list_value, text_list_value};
use crate::texts::Words;

/// Finishes a dataset.
///
/// # Errors
/// Returns a Problem if there are fewer classes than `options.min_classes`, or if corrections removed all training
/// images of a class.
pub fn build_dataset(
    mut found: RawDataset,
    checked: &Checked,
    options: &OpenOptions,
) -> Result<Dataset> {
    let mut test = found.test.take();
    let mut train = std::mem::take(&mut found.train);
    let test_drawn = test.is_none();
    drop_untrained(&mut found, &train, test.as_mut());
    let mut names = sort_classes(&found.classes, options, &mut train, test.as_mut());
    for name in &mut names {
        if let Some(title) = found.titles.remove(name) {
            *name = title;
        }
    }
    let listed = test.as_deref().filter(|_| found.listed);
    let listed = listed.map(|test| ListedSplit::new(&train, test));
    let copies = find_copy_sets(&train, test.as_deref(), checked, options, names.len());
    let near_remark = copies.as_ref().and_then(NearCopySets::summary);
    found.assumed.extend(near_remark.map(Words::from));
    let draw = Draw {
        share: options.test_share,
        seed: options.split_seed,
        classes: names.len(),
        copies: copies.as_ref(),
    };
    let test = resolve_test_split(&names, &mut train, test, &draw, &mut found.assumed);
    let validation_draw = Draw {
        share: options.validation_share,
        // A different seed than for the test split, because otherwise both draws would be correlated.
        seed: options.split_seed ^ 0x5641_4C49,
        ..draw
    };
    let mut test =
        draw_validation_split(&names, &mut train, test, &validation_draw, &mut found.assumed);
    let splits = [&mut train, &mut test];
    let (corrected, original_labels) = corrected_labels::apply(&options.corrected, &names, splits);
    check_corrections(&names, &train, corrected, &mut found.assumed)?;
    if names.len() < options.min_classes {
        return Err(too_few_classes(&names, &found, options));
    }
    let mut data = Dataset {
        name: found.name,
        origin: found.origin,
        options: options.clone(),
        classes: names,
        train,
        test,
        skipped: found.skipped,
        corrected,
        duplicates: Vec::new(),
        two_labels: Vec::new(),
        near_copies: Vec::new(),
        assumed: found.assumed,
        test_drawn,
        listed_split: listed,
        lists: found.lists,
        sizes: checked.sizes,
        better_depth: checked.better_depth,
        note: found.note,
        image_hashes: checked.image_hashes.clone(),
        original_labels: Arc::new(original_labels),
    };
    data.duplicates = check::duplicates(&data.train, &data.test, &checked.image_hashes);
    data.two_labels =
        check::two_labels(&data.classes, &data.train, &data.test, &checked.image_hashes);
    let splits = [("train", &*data.train), ("test", &*data.test)];
    data.near_copies =
        copies.map_or_else(Vec::new, |copies| copies.to_near_copies(&data.classes, splits));
    limit_per_class(&mut data.train, options.train_limit, data.classes.len());
    limit_per_class(&mut data.test, options.test_limit, data.classes.len());
    if options.test_limit.is_some() {
        Arc::make_mut(&mut data.original_labels).retain(&data.test);
    }
    data.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(data)
}

/// Adds remarks on the effect of corrections.
///
/// # Errors
/// Returns a Problem if they removed the last training image of a class.
fn check_corrections(
    names: &[String],
    train: &[Sample],
    corrected: CorrectionCount,
    assumed: &mut Vec<Words>,
) -> Result<()> {
    if let Some(words) = corrected.summary() {
        assumed.push(message!("remark-corrected-labels", words).into());
    }
    if corrected.without_effect > 0 {
        let n = corrected.without_effect;
        assumed.push(message!("remark-corrections-without-effect", n).into());
    }
    let trained = count_per_class(train, names.len());
    let Some(empty) = trained.iter().position(|count| *count == 0) else {
        return Ok(());
    };
    Err(Problem::new(message!("problem-corrected-labels-empty-classes", empty = &names[empty]))
        .advise(message!("advice-undo-corrected-label")))
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

/// Returns the Problem for a dataset without training images, with the reasons for skipped files.
pub(super) fn no_images_problem(found: &RawDataset) -> Problem {
    let reasons = found.skipped.iter().map(|skipped| skipped.reason.clone());
    let reasons = count_reasons(reasons);
    let what = match reasons.is_empty() {
        true => message!("problem-no-training-images"),
        false => {
            message!("problem-no-training-images-skipped", left_out = text_list_value(&reasons, 4))
        }
    };
    Problem::new(what).at(&found.origin).advise(message!("advice-use-class-folders-of-formats"))
}

fn too_few_classes(names: &[String], found: &RawDataset, options: &OpenOptions) -> Problem {
    let id = match names.len() {
        1 => "problem-only-one-class",
        _ => "problem-too-few-classes",
    };
    Problem::new(message!(id, names = list_value(names, 3), least = options.min_classes))
        .at(&found.origin)
        .advise(message!("advice-use-class-folders-check-folder"))
}

/// Removes test images of classes without training images.
fn drop_untrained(found: &mut RawDataset, train: &[Sample], test: Option<&mut Vec<Sample>>) {
    let Some(test) = test else { return };
    let trained = count_per_class(train, found.classes.len());
    let mut removed: BTreeMap<u32, usize> = BTreeMap::new();
    test.retain(|sample| {
        let is_trained = trained.get(sample.class as usize).is_some_and(|&n| n > 0);
        if !is_trained {
            *removed.entry(sample.class).or_default() += 1;
            let reason = message!("skip-class-without-training-images");
            found.skipped.push(Skipped::from_sample(sample, reason));
        }
        is_trained
    });
    for (class, count) in removed {
        let name = &found.classes[class as usize];
        let remark = message!("remark-class-only-in-test", class = name, n = count);
        found.assumed.push(remark.into());
    }
}

/// Sorts the class names, and renumbers and sorts the samples. Classes without training images are removed.
fn sort_classes(
    names: &[String],
    options: &OpenOptions,
    train: &mut [Sample],
    test: Option<&mut Vec<Sample>>,
) -> Vec<String> {
    let trained = count_per_class(train, names.len());
    let mut order: Vec<usize> = (0..names.len()).filter(|&class| trained[class] > 0).collect();
    let stored = options.names_as_stored(names);
    order.sort_by_key(|&class| stored[class]);
    let mut new_number = vec![0; names.len()];
    for (number, &class) in order.iter().enumerate() {
        new_number[class] = number as u32;
    }
    let renumber = |samples: &mut [Sample]| {
        for sample in samples.iter_mut() {
            sample.class = new_number[sample.class as usize];
        }
        // Readers return the files of each class sorted by name, and a stable sort preserves that.
        samples.sort_by_key(|sample| sample.class);
    };
    renumber(train);
    if let Some(test) = test {
        renumber(test);
    }
    order.into_iter().map(|class| names[class].clone()).collect()
}

/// Returns the test split: the given one, extended for classes without test images, or a drawn one.
fn resolve_test_split(
    names: &[String],
    train: &mut Vec<Sample>,
    given_test: Option<Vec<Sample>>,
    draw: &Draw<'_>,
    assumed: &mut Vec<Words>,
) -> Vec<Sample> {
    if let Some(mut test) = given_test {
        fill_missing_classes(names, train, &mut test, draw, assumed);
        return test;
    }
    let drawn = draw.draw_from(train, |_| true);
    let test = drawn.samples.len();
    let remark = message!(
        "remark-test-split-drawn",
        test,
        n = test + train.len(),
        share = percent(draw.share),
        seed = draw.seed.to_string()
    );
    assumed.push(remark.followed_by(draw.summary(&drawn, names)).into());
    drawn.samples
}

/// Returns the sets of copies to keep together if a split is drawn; `None` otherwise.
fn find_copy_sets(
    train: &[Sample],
    test: Option<&[Sample]>,
    checked: &Checked,
    options: &OpenOptions,
    classes: usize,
) -> Option<NearCopySets> {
    let has_gaps = |test: &[Sample]| count_per_class(test, classes).contains(&0);
    let drawn = options.validation_share > 0.0 || test.is_none_or(has_gaps);
    let samples = train.iter().chain(test.unwrap_or_default());
    let keep_together = drawn && options.copies_together;
    keep_together
        .then(|| NearCopySets::new(samples, &checked.image_hashes, options.near_copies_together))
}

/// Draws test images for classes without any, so that every class can be measured.
fn fill_missing_classes(
    names: &[String],
    train: &mut Vec<Sample>,
    test: &mut Vec<Sample>,
    draw: &Draw<'_>,
    assumed: &mut Vec<Words>,
) {
    let tested = count_per_class(test, names.len());
    let missing: Vec<&String> = names
        .iter()
        .zip(&tested)
        .filter_map(|(name, &count)| (count == 0).then_some(name))
        .collect();
    if missing.is_empty() {
        if draw.share != OpenOptions::default().test_share {
            assumed.push(message!("remark-test-share-without-effect").into());
        }
        return;
    }
    let drawn = draw.draw_from(train, |class| tested[class] == 0);
    let gaps = list_value(&missing, 5);
    let remark = match drawn.samples.len() {
        0 => message!("remark-test-classes-missing", classes = gaps),
        n => message!(
            "remark-test-classes-filled",
            classes = gaps,
            n,
            share = percent(draw.share),
            seed = draw.seed.to_string()
        ),
    };
    assumed.push(remark.followed_by(draw.summary(&drawn, names)).into());
    test.extend(drawn.samples);
    test.sort_by_key(|sample| sample.class);
}

/// Replaces the test split by a share of the training images, if requested.
fn draw_validation_split(
    names: &[String],
    train: &mut Vec<Sample>,
    test: Vec<Sample>,
    draw: &Draw<'_>,
    assumed: &mut Vec<Words>,
) -> Vec<Sample> {
    if draw.share == 0.0 {
        return test;
    }
    let drawn = draw.draw_from(train, |_| true);
    let remark = message!(
        "remark-validation-images",
        n = drawn.samples.len(),
        share = percent(draw.share),
        test = test.len()
    );
    assumed.push(remark.followed_by(draw.summary(&drawn, names)).into());
    drawn.samples
}

/// Keeps at most `limit` images of each class, at even distances.
fn limit_per_class(samples: &mut Vec<Sample>, limit: Option<usize>, classes: usize) {
    let Some(limit) = limit else { return };
    let counts = count_per_class(samples, classes);
    let mut seen_per_class = vec![0; classes];
    samples.retain(|sample| {
        let class = sample.class as usize;
        let (position, count) = (seen_per_class[class], counts[class]);
        seen_per_class[class] += 1;
        if count <= limit {
            return true;
        }
        // The kept positions are ⌊i·count/limit⌋ for i = 0 … limit−1.
        let i = (position * limit).div_ceil(count);
        i < limit && i * count / limit == position
    });
}

/// The split in list files, before images were held out or removed. Different groups publish list files of the same
/// collection under various names; their splits differ in the test images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSplit {
    /// Number of training images.
    pub train: usize,
    /// Number of test images.
    pub test: usize,
    /// SHA-256 of the sorted names of the test images, `folder/file`, each followed by a newline.
    pub test_names: String,
}

impl ListedSplit {
    fn new(train: &[Sample], test: &[Sample]) -> Self {
        let mut names: Vec<String> = test.iter().map(short_name).collect();
        names.sort_unstable();
        let mut hash = Sha256::new();
        for name in names {
            hash.update(name);
            hash.update(b"\n");
        }
        Self { train: train.len(), test: test.len(), test_names: hex(&hash.finalize()) }
    }
}

/// Returns an image's file name with its folder, which is the same in all lists, whatever their paths start with.
fn short_name(sample: &Sample) -> String {
    let name = sample.name();
    let from = name.rmatch_indices('/').nth(1);
    from.map_or(name.as_str(), |(at, _)| &name[at + 1..]).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;

    #[test]
    fn limit_per_class_keeps_all_samples_below_limit() {
        let found = builtin::open("digits").ok().flatten().unwrap_or_default();
        let mut samples = found.train;
        let all = samples.len();
        limit_per_class(&mut samples, Some(usize::MAX), found.classes.len());
        assert!(all > 0);
        assert_eq!(samples.len(), all);
    }
}
