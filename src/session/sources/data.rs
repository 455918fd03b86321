//! Datasets in the form that pages show: counts, thumbnails, test images.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::DataExport;
use crate::data::export::{PackSummary, write_packed};
use crate::data::image_kind::{ImageKind, first_images};
use crate::data::summary::count_per_class;
use crate::data::{
    Dataset, Duplicate, OpenOptions, ProgressReporter, Sample, Scan, Skipped, TwoLabels,
    image_size, summarise_two_labels,
};
use crate::problem::{Problem, Result};
use crate::session::collection::Collection;
use crate::session::loads::DataRequest;
use crate::session::progress::Progress;
use crate::session::views::DataView;
use crate::sync::lock;
use crate::texts::Message;
use crate::tr;

/// Maximum number of images whose size is read to estimate the mean size.
const MAX_SIZE_SAMPLES: usize = 256;
/// Number of recently used datasets whose files are not read again.
const MAX_SCANS: usize = 3;

/// The scanned datasets that were used last, before they are split.
#[derive(Default)]
pub(super) struct Scans(Mutex<Vec<(Key, Scan)>>);

/// The name or path of a dataset, and the bit depth of its images.
type Key = (String, usize);

impl Scans {
    /// Opens the dataset `location` with the splits and limits of `options`. Its files are read only if they were not
    /// read before or if `reload` is set.
    pub fn dataset(
        &self,
        location: &str,
        options: &OpenOptions,
        reload: bool,
        watch: &ProgressReporter,
    ) -> Result<Dataset> {
        let key = (location.to_string(), options.bit_depth);
        let cached = lock(&self.0).iter().find(|(cached_key, _)| *cached_key == key).cloned();
        let scan = match cached.filter(|_| !reload) {
            Some((_, scan)) => scan,
            None => {
                let scan = Scan::read(location, options, watch)?;
                let mut scans = lock(&self.0);
                scans.retain(|(cached_key, _)| cached_key.0 != location);
                scans.truncate(MAX_SCANS - 1);
                scans.insert(0, (key, scan.clone()));
                scan
            }
        };
        scan.into_dataset(options)
    }
}

/// Opens a dataset and computes the data that pages show.
pub(super) fn open(request: &DataRequest, scans: &Scans, progress: &Progress) -> Result<DataView> {
    let step = |doing: Message, done: usize, of: Option<usize>| progress.step(doing, done, of);
    let watch = ProgressReporter::new(&step);
    let data =
        Arc::new(scans.dataset(&request.location, &request.options, request.reload, &watch)?);
    let (classes, images): (Vec<usize>, Vec<_>) = first_images(&data).into_iter().unzip();
    let image_kind = ImageKind::from_images(&images);
    let names = classes.iter().map(|class| data.classes[*class].clone());
    let thumbs = names.zip(images).collect();
    let path_and_reason = |file: &Skipped| (file.path.display().to_string(), file.reason.clone());
    let to_pair = |duplicate: &Duplicate| (duplicate.train.clone(), duplicate.test.as_str().into());
    let labels = data.two_labels.iter().filter_map(TwoLabels::pair);
    Ok(DataView {
        key: request.key().into(),
        location: request.location.clone(),
        train: count_per_class(&data.train, data.classes.len()),
        test: count_per_class(&data.test, data.classes.len()),
        skipped: data.skipped.iter().map(path_and_reason).collect(),
        duplicates: data.duplicates.iter().map(to_pair).collect(),
        two_labels: labels
            .map(|(one, other)| (one.to_string(), other.to_string().into()))
            .collect(),
        two_labels_note: summarise_two_labels(&data.two_labels),
        image_bytes: mean_image_bytes(&data.train),
        all_at_once: None,
        image_kind,
        thumbs,
        dataset: data,
    })
}

/// Exports a dataset or collected images to one file.
pub(super) fn export(
    export: &DataExport,
    scans: &Scans,
    target: &Path,
    progress: &Progress,
) -> Result<PackSummary> {
    let step = |doing: Message, done, of| progress.step(doing, done, of);
    let watch = ProgressReporter::new(&step);
    match export {
        DataExport::Data(request) => {
            let data =
                scans.dataset(&request.location, &request.options, request.reload, &watch)?;
            write_packed(&data, target, &watch)
        }
        DataExport::Collection(collection) => {
            write_packed(&collection_dataset(collection)?.0, target, &watch)
        }
    }
}

/// Returns collected images as a dataset, and the temporary folder of its files, which must outlive it.
fn collection_dataset(collection: &Collection) -> Result<(Dataset, tempfile::TempDir)> {
    let copy_error = |error: std::io::Error| {
        Problem::new(tr!("notices-temporary-copy-failed", why = error.to_string()))
    };
    let folder = tempfile::tempdir().map_err(copy_error)?;
    let images_folder = collection.save(folder.path())?;
    let options = OpenOptions { min_classes: 1, ..OpenOptions::default() };
    let data = Dataset::open(&images_folder.display().to_string(), &options)?;
    Ok((data, folder))
}

/// Estimates the mean bytes of a decoded image from a sample; `None` if the images are in memory anyway.
fn mean_image_bytes(samples: &[Sample]) -> Option<u64> {
    let step = (samples.len() / MAX_SIZE_SAMPLES).max(1);
    let sizes: Vec<u64> = samples
        .iter()
        .step_by(step)
        .filter_map(|sample| image_size(&sample.source.path()?).ok())
        .map(|(width, height)| u64::from(width) * u64::from(height) * 3)
        .collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum::<u64>() / sizes.len() as u64)
}
