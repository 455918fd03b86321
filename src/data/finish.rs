//! Converts the result of a reader into a [`Dataset`]: sorts classes, draws splits and applies limits.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::check::{self, Checked};
use super::corrected::{self, CorrectionCount};
use super::draw::Draw;
use super::near_copies::NearCopySets;
use super::summary::counts;
use super::tree::counted_reasons;
use super::{Dataset, Found, OpenOptions, Sample, Skipped};
use crate::fetch::hex;
use crate::message;
use crate::problem::{Problem, Result, some_of, some_words};
use crate::texts::Words;

/// Finishes a dataset.
///
/// # Errors
/// Returns a Problem if there are fewer classes than `options.min_classes`, or if corrections removed all training
/// images of a class.
pub fn settle(mut found: Found, checked: &Checked, options: &OpenOptions) -> Result<Dataset> {
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
    let listed = listed.map(|test| Listed::of(&train, test));
    let copies = copies_kept_together(&train, test.as_deref(), checked, options, names.len());
    let near = copies.as_ref().and_then(NearCopySets::words);
    found.assumed.extend(near.map(Words::from));
    let draw = Draw {
        share: options.test_share,
        seed: options.split_seed,
        classes: names.len(),
        copies: copies.as_ref(),
    };
    let test = tested(&names, &mut train, test, &draw, &mut found.assumed);
    let tuning = Draw {
        share: options.validation_share,
        // A different seed than for the test split, because otherwise both draws would be correlated.
        seed: options.split_seed ^ 0x5641_4C49,
        ..draw
    };
    let mut test = validate(&names, &mut train, test, &tuning, &mut found.assumed);
    let splits = [&mut train, &mut test];
    let (corrected, came) = corrected::apply(&options.corrected, &names, splits);
    check_corrected(&names, &train, corrected, &mut found.assumed)?;
    if names.len() < options.min_classes {
        return Err(too_few(&names, &found, options));
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
        listed,
        lists: found.lists,
        sizes: checked.sizes,
        better_depth: checked.better_depth,
        note: found.note,
        known: checked.known.clone(),
        original_labels: Arc::new(came),
    };
    data.duplicates = check::duplicates(&data.train, &data.test, &checked.known);
    data.two_labels = check::two_labels(&data.classes, &data.train, &data.test, &checked.known);
    let splits = [("train", &*data.train), ("test", &*data.test)];
    data.near_copies = copies.map_or_else(Vec::new, |copies| copies.told(&data.classes, splits));
    thin(&mut data.train, options.train_limit, data.classes.len());
    thin(&mut data.test, options.test_limit, data.classes.len());
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
fn check_corrected(
    names: &[String],
    train: &[Sample],
    corrected: CorrectionCount,
    assumed: &mut Vec<Words>,
) -> Result<()> {
    if let Some(words) = corrected.words() {
        assumed.push(message!("remark-corrected-labels", words).into());
    }
    if corrected.without_effect > 0 {
        let n = corrected.without_effect;
        assumed.push(message!("remark-corrections-without-effect", n).into());
    }
    let trained = counts(train, names.len());
    let Some(empty) = trained.iter().position(|count| *count == 0) else {
        return Ok(());
    };
    Err(Problem::new(message!(
        "problem-corrected-labels-empty-classes",
        empty = &names[empty]
    ))
    .advise(message!("advice-undo-corrected-label")))
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

/// Returns the Problem for a dataset without training images, with the reasons for skipped files.
pub(super) fn nothing_left(found: &Found) -> Problem {
    let reasons = found.skipped.iter().map(|skipped| skipped.reason.clone());
    let reasons = counted_reasons(reasons);
    let what = match reasons.is_empty() {
        true => message!("problem-no-training-images"),
        false => message!(
            "problem-no-training-images-skipped",
            left_out = some_words(&reasons, 4)
        ),
    };
    Problem::new(what)
        .at(&found.origin)
        .advise(message!("advice-use-class-folders-of-formats"))
}

fn too_few(names: &[String], found: &Found, options: &OpenOptions) -> Problem {
    let id = match names.len() {
        1 => "problem-only-one-class",
        _ => "problem-too-few-classes",
    };
    Problem::new(message!(
        id,
        names = some_of(names, 3),
        least = options.min_classes
    ))
    .at(&found.origin)
    .advise(message!("advice-use-class-folders-check-folder"))
}

/// Removes test images of classes without training images.
fn drop_untrained(found: &mut Found, train: &[Sample], test: Option<&mut Vec<Sample>>) {
    let Some(test) = test else { return };
    let trained = counts(train, found.classes.len());
    let mut gone: BTreeMap<u32, usize> = BTreeMap::new();
    test.retain(|sample| {
        let known = trained.get(sample.class as usize).is_some_and(|&n| n > 0);
        if !known {
            *gone.entry(sample.class).or_default() += 1;
            let reason = message!("skip-class-without-training-images");
            found.skipped.push(Skipped::of_sample(sample, reason));
        }
        known
    });
    for (class, count) in gone {
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
    let trained = counts(train, names.len());
    let mut order: Vec<usize> = (0..names.len())
        .filter(|&class| trained[class] > 0)
        .collect();
    let stored = options.stored(names);
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
    order
        .into_iter()
        .map(|class| names[class].clone())
        .collect()
}

/// Returns the test split: the given one, extended for classes without test images, or a drawn one.
fn tested(
    names: &[String],
    train: &mut Vec<Sample>,
    given: Option<Vec<Sample>>,
    draw: &Draw<'_>,
    assumed: &mut Vec<Words>,
) -> Vec<Sample> {
    if let Some(mut test) = given {
        fill_gaps(names, train, &mut test, draw, assumed);
        return test;
    }
    let drawn = draw.from(train, |_| true);
    let test = drawn.samples.len();
    let remark = message!(
        "remark-test-split-drawn",
        test,
        n = test + train.len(),
        share = percent(draw.share),
        seed = draw.seed.to_string()
    );
    assumed.push(remark.then(draw.words(&drawn, names)).into());
    drawn.samples
}

/// Returns the sets of copies to keep together if a split is drawn; `None` otherwise.
fn copies_kept_together(
    train: &[Sample],
    test: Option<&[Sample]>,
    checked: &Checked,
    options: &OpenOptions,
    classes: usize,
) -> Option<NearCopySets> {
    let gaps = |test: &[Sample]| counts(test, classes).contains(&0);
    let drawn = options.validation_share > 0.0 || test.is_none_or(gaps);
    let samples = train.iter().chain(test.unwrap_or_default());
    let counts = drawn && options.copies_together;
    counts.then(|| NearCopySets::of(samples, &checked.known, options.near_copies_together))
}

/// Draws test images for classes without any, so that every class can be measured.
fn fill_gaps(
    names: &[String],
    train: &mut Vec<Sample>,
    test: &mut Vec<Sample>,
    draw: &Draw<'_>,
    assumed: &mut Vec<Words>,
) {
    let tested = counts(test, names.len());
    let missing: Vec<&String> = names
        .iter()
        .zip(&tested)
        .filter_map(|(name, &count)| (count == 0).then_some(name))
        .collect();
    if missing.is_empty() {
        return;
    }
    let drawn = draw.from(train, |class| tested[class] == 0);
    let gaps = some_of(&missing, 5);
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
    assumed.push(remark.then(draw.words(&drawn, names)).into());
    test.extend(drawn.samples);
    test.sort_by_key(|sample| sample.class);
}

/// Replaces the test split by a share of the training images, if requested.
fn validate(
    names: &[String],
    train: &mut Vec<Sample>,
    test: Vec<Sample>,
    draw: &Draw<'_>,
    assumed: &mut Vec<Words>,
) -> Vec<Sample> {
    if draw.share == 0.0 {
        return test;
    }
    let drawn = draw.from(train, |_| true);
    let remark = message!(
        "remark-validation-images",
        n = drawn.samples.len(),
        share = percent(draw.share),
        test = test.len()
    );
    assumed.push(remark.then(draw.words(&drawn, names)).into());
    drawn.samples
}

/// Keeps at most `limit` images of each class, at even distances.
fn thin(samples: &mut Vec<Sample>, limit: Option<usize>, classes: usize) {
    let Some(limit) = limit else { return };
    let counts = counts(samples, classes);
    let mut seen = vec![0; classes];
    samples.retain(|sample| {
        let class = sample.class as usize;
        let (place, count) = (seen[class], counts[class]);
        seen[class] += 1;
        if count <= limit {
            return true;
        }
        // The kept positions are ⌊i·count/limit⌋ for i = 0 … limit−1.
        let i = (place * limit).div_ceil(count);
        i < limit && i * count / limit == place
    });
}

/// The split in list files, before images were held out or removed. Different groups publish list files of the same
/// collection under various names; their splits differ in the test images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Number of training images.
    pub train: usize,
    /// Number of test images.
    pub test: usize,
    /// SHA-256 of the sorted names of the test images, `folder/file`, each followed by a newline.
    pub test_names: String,
}

impl Listed {
    fn of(train: &[Sample], test: &[Sample]) -> Self {
        let mut names: Vec<String> = test.iter().map(short_name).collect();
        names.sort_unstable();
        let mut hash = Sha256::new();
        for name in names {
            hash.update(name);
            hash.update(b"\n");
        }
        Self {
            train: train.len(),
            test: test.len(),
            test_names: hex(&hash.finalize()),
        }
    }
}

/// Returns an image's file name with its folder, which is the same in all lists, whatever their paths start with.
fn short_name(sample: &Sample) -> String {
    let name = sample.name();
    let from = name.rmatch_indices('/').nth(1);
    from.map_or(name.as_str(), |(at, _)| &name[at + 1..])
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;

    #[test]
    fn thin_keeps_all_samples_below_limit() {
        let found = builtin::open("digits").ok().flatten().unwrap_or_default();
        let mut samples = found.train;
        let all = samples.len();
        thin(&mut samples, Some(usize::MAX), found.classes.len());
        assert!(all > 0);
        assert_eq!(samples.len(), all);
    }
}
