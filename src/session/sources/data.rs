//! Datasets in the form that pages show: counts, thumbnails, test images.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::DataExport;
use crate::data::export::{Packed, packed};
use crate::data::image_kind::{ImageKind, first_pictures};
use crate::data::summary::counts;
use crate::data::{
    Dataset, Duplicate, OpenOptions, Sample, Scan, Skipped, TwoLabels, Watch, picture_size,
    told_two_labels,
};
use crate::problem::{Problem, Result};
use crate::session::backend::lock;
use crate::session::collection::Collection;
use crate::session::loads::DataAsk;
use crate::session::progress::Progress;
use crate::session::views::DataView;
use crate::texts::Message;
use crate::tr;

/// Maximum number of images whose size is read to estimate the mean size.
const SIZED: usize = 256;
/// Number of recently used datasets whose files are not read again.
const SCANS: usize = 3;

/// The scanned datasets that were used last, before they are split.
#[derive(Default)]
pub(super) struct Scans(Mutex<Vec<(Key, Scan)>>);

/// The name or path of a dataset, and the bit depth of its images.
type Key = (String, usize);

impl Scans {
    /// Returns the dataset at a place with the splits and limits of `options`. Its files are read only if they were not
    /// read before or if `fresh` is set.
    pub fn dataset(
        &self,
        place: &str,
        options: &OpenOptions,
        fresh: bool,
        watch: &Watch,
    ) -> Result<Dataset> {
        let key = (place.to_string(), options.bit_depth);
        let known = lock(&self.0).iter().find(|(at, _)| *at == key).cloned();
        let scan = match known.filter(|_| !fresh) {
            Some((_, scan)) => scan,
            None => {
                let scan = Scan::read(place, options, watch)?;
                let mut shelf = lock(&self.0);
                shelf.retain(|(at, _)| at.0 != place);
                shelf.truncate(SCANS - 1);
                shelf.insert(0, (key, scan.clone()));
                scan
            }
        };
        scan.into_dataset(options)
    }
}

/// Opens a dataset and computes the data that pages show.
pub(super) fn open(ask: &DataAsk, scans: &Scans, progress: &Progress) -> Result<DataView> {
    let step = |doing: Message, done: usize, of: Option<usize>| progress.step(doing, done, of);
    let watch = Watch::new(&step);
    let data = Arc::new(scans.dataset(&ask.place, &ask.options, ask.fresh, &watch)?);
    let (classes, pictures): (Vec<usize>, Vec<_>) = first_pictures(&data).into_iter().unzip();
    let looks = ImageKind::of(&pictures);
    let names = classes.iter().map(|class| data.classes[*class].clone());
    let thumbs = names.zip(pictures).collect();
    let path_and_reason = |file: &Skipped| (file.path.display().to_string(), file.reason.clone());
    let twins = |twins: &Duplicate| (twins.train.clone(), twins.test.as_str().into());
    let labels = data.two_labels.iter().filter_map(TwoLabels::pair);
    Ok(DataView {
        key: ask.key().into(),
        place: ask.place.clone(),
        train: counts(&data.train, data.classes.len()),
        test: counts(&data.test, data.classes.len()),
        skipped: data.skipped.iter().map(path_and_reason).collect(),
        duplicates: data.duplicates.iter().map(twins).collect(),
        two_labels: labels
            .map(|(one, other)| (one.to_string(), other.to_string().into()))
            .collect(),
        two_labels_told: told_two_labels(&data.two_labels),
        picture_bytes: picture_bytes(&data.train),
        all_at_once: None,
        looks,
        thumbs,
        dataset: data,
    })
}

/// Exports a dataset or collected images to one file.
pub(super) fn export(
    export: &DataExport,
    scans: &Scans,
    to: &Path,
    progress: &Progress,
) -> Result<Packed> {
    let step = |doing: Message, done, of| progress.step(doing, done, of);
    let watch = Watch::new(&step);
    match export {
        DataExport::Data(ask) => {
            let data = scans.dataset(&ask.place, &ask.options, ask.fresh, &watch)?;
            packed(&data, to, &watch)
        }
        DataExport::Collection(collection) => packed(&gathered(collection)?.0, to, &watch),
    }
}

/// Returns collected images as a dataset, and the temporary folder of its files, which must outlive it.
fn gathered(collection: &Collection) -> Result<(Dataset, tempfile::TempDir)> {
    let unkept = |error: std::io::Error| {
        Problem::new(tr!(
            "notices-temporary-copy-failed",
            why = error.to_string()
        ))
    };
    let folder = tempfile::tempdir().map_err(unkept)?;
    let place = collection.save(folder.path())?;
    let options = OpenOptions {
        min_classes: 1,
        ..OpenOptions::default()
    };
    let data = Dataset::open(&place.display().to_string(), &options)?;
    Ok((data, folder))
}

/// Estimates the mean bytes of a decoded image from a sample; `None` if the images are in memory anyway.
fn picture_bytes(samples: &[Sample]) -> Option<u64> {
    let step = (samples.len() / SIZED).max(1);
    let sizes: Vec<u64> = samples
        .iter()
        .step_by(step)
        .filter_map(|sample| picture_size(&sample.source.path()?).ok())
        .map(|(width, height)| u64::from(width) * u64::from(height) * 3)
        .collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum::<u64>() / sizes.len() as u64)
}
