//! Data sets as views: counts, thumbnails, test images.

use std::sync::Arc;

use super::files::plain;
use crate::data::card::counts;
use crate::data::{Dataset, OpenOptions, Sample};
use crate::problem::{Problem, Result};
use crate::run::event::Picture;
use crate::session::drawing::{glyph_share, is_light_on_dark};
use crate::session::views::{DataView, Pictures, Thumb};

/// Thumbnails made of one data set.
const THUMBS: usize = 24;

/// The test images of an open data set.
struct TestImages(Arc<Dataset>);

impl Pictures for TestImages {
    fn test_picture(&self, index: usize) -> Result<Picture> {
        let sample = self.0.test.get(index).ok_or_else(|| {
            Problem::new(format!("the data set has no test image {index} any more"))
                .at(&self.0.name)
        })?;
        picture_of(sample)
    }
}

fn picture_of(sample: &Sample) -> Result<Picture> {
    Ok(plain(sample.name(), sample.decode()?))
}
/// Opens a data set and looks at it.
pub(super) fn open(key: &str, test_share: f64) -> Result<DataView> {
    let options = OpenOptions {
        test_share,
        ..OpenOptions::default()
    };
    let data = Arc::new(Dataset::open(key, &options)?);
    let thumbs = thumbs(&data);
    let light = thumbs
        .iter()
        .filter(|thumb| is_light_on_dark(&thumb.picture))
        .count();
    let light_on_dark = 2 * light > thumbs.len();
    Ok(DataView {
        key: key.to_string(),
        title: data.name.clone(),
        credit: data.note.clone(),
        classes: data.classes.clone(),
        train: counts(&data.train, data.classes.len()),
        test: counts(&data.test, data.classes.len()),
        skipped: data
            .skipped
            .iter()
            .map(|file| (file.path.display().to_string(), file.reason.clone()))
            .collect(),
        duplicates: data.duplicates.len(),
        assumed: data.assumed.clone(),
        glyph_share: shared_glyph(&thumbs, light_on_dark),
        light_on_dark,
        thumbs,
        test_labels: data
            .test
            .iter()
            .map(|sample| sample.class as usize)
            .collect(),
        pictures: Arc::new(TestImages(data)),
    })
}

/// The first image of each class, as far as shown.
fn thumbs(data: &Dataset) -> Vec<Thumb> {
    let first = |class: usize| data.train.iter().find(|s| s.class as usize == class);
    (0..data.classes.len())
        .filter_map(|class| {
            let picture = picture_of(first(class)?).ok()?;
            Some(Thumb {
                caption: data.classes[class].clone(),
                picture: Arc::new(picture),
            })
        })
        .take(THUMBS)
        .collect()
}

/// The mean share of the frame that glyphs cover; none if any image is no drawing.
fn shared_glyph(thumbs: &[Thumb], light_on_dark: bool) -> Option<f32> {
    let shares: Option<Vec<f32>> = thumbs
        .iter()
        .map(|thumb| glyph_share(&thumb.picture, light_on_dark))
        .collect();
    let shares = shares.filter(|shares| !shares.is_empty())?;
    Some(shares.iter().sum::<f32>() / shares.len() as f32)
}
