//! Tests of the loader: order, randomness, caching, bad files.

use std::path::Path;

use image::RgbImage;

use super::super::source::{Folder, ImageSource};
use super::*;

fn samples(folder: &Path, count: usize) -> Arc<Vec<(Sample, i64)>> {
    let folder_of_samples = Arc::new(Folder {
        path: folder.to_path_buf(),
        path_in_split: String::new(),
        bit_depth: 16,
    });
    let make = |i: usize| {
        let name = format!("{i:03}.png");
        let shade = |x: u32, y: u32| image::Rgb([5 * x, 7 * y, 9 * i as u32].map(|n| n as u8));
        RgbImage::from_fn(24, 20, shade).save(folder.join(&name)).unwrap();
        let source = ImageSource::File {
            folder: Arc::clone(&folder_of_samples),
            name: Path::new(&name).as_os_str().into(),
        };
        (Sample { source, class: (i % 3) as u32 }, (i % 3) as i64)
    };
    Arc::new((0..count).map(make).collect())
}

fn options(threads: usize) -> LoaderOptions {
    LoaderOptions {
        augment: Some(Augment::default()),
        shuffle: true,
        drop_last: true,
        seed: 3,
        epoch: 1,
        threads,
        ..LoaderOptions::inference(InputSpec::new(16, 0.875), 4)
    }
}

fn load_all(samples: &Arc<Vec<(Sample, i64)>>, options: LoaderOptions) -> Vec<ImageBatch> {
    ImageLoader::new(Arc::clone(samples), options).unwrap().collect()
}

fn pixels(batches: &[ImageBatch]) -> Vec<u8> {
    batches.iter().flat_map(|batch| batch.pixels.clone()).collect()
}

#[test]
fn batches_are_identical_for_any_threads_and_cache() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 30);
    let single_threaded = load_all(&samples, options(1));
    assert_eq!(single_threaded.len(), 7, "the last batch of 2 is dropped");
    assert_eq!(single_threaded[0].pixels.len(), 4 * 16 * 16 * 3);
    for threads in [2, 5] {
        assert_eq!(pixels(&single_threaded), pixels(&load_all(&samples, options(threads))));
    }
    let cache = Arc::new(PixelCache::new(1 << 20));
    let cached = || LoaderOptions { cache: Some(Arc::clone(&cache)), ..options(2) };
    assert_eq!(pixels(&single_threaded), pixels(&load_all(&samples, cached())));
    assert_eq!(pixels(&single_threaded), pixels(&load_all(&samples, cached())));
    let usage = cache.usage();
    assert_eq!((usage.images, usage.hits, usage.misses), (28, 28, 28));
    assert!(usage.bytes >= 28 * 24 * 20 * 3 && usage.bytes <= usage.budget);
    cache.clear_originals();
    assert_eq!(cache.usage().bytes, 0);
}

#[test]
fn max_images_limits_reading_to_first_drawn_images() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 12);
    let cache = Arc::new(PixelCache::new(1 << 20));
    let all = LoaderOptions { drop_last: false, ..options(2) };
    let few = LoaderOptions { max_images: Some(6), cache: Some(Arc::clone(&cache)), ..all.clone() };
    let [all, few] = [all, few].map(|options| load_all(&samples, options));
    assert_eq!(few.iter().map(ImageBatch::len).collect::<Vec<_>>(), [4, 2]);
    assert!(pixels(&all).starts_with(&pixels(&few)));
    assert_eq!(cache.usage().misses, 6);
}

#[test]
fn cache_stores_originals_only_if_eight_fit() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 12);
    let uncached = pixels(&load_all(&samples, options(2)));
    let each = 24 * 20 * 3 + 160;
    for (budget, cached_images) in [(8 * each - 1, 0), (8 * each, 8), (10 * each, 10)] {
        let cache = Arc::new(PixelCache::new(budget));
        let cached = LoaderOptions { cache: Some(Arc::clone(&cache)), ..options(2) };
        assert_eq!(uncached, pixels(&load_all(&samples, cached)));
        let usage = cache.usage();
        assert_eq!((usage.images, usage.bytes), (cached_images, cached_images * each), "{budget}");
    }
}

#[test]
fn seed_and_epoch_change_batches_with_labels_aligned() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 12);
    let base = load_all(&samples, options(2));
    for other in [LoaderOptions { seed: 4, ..options(2) }, LoaderOptions { epoch: 2, ..options(2) }]
    {
        let other = load_all(&samples, other);
        assert_ne!(pixels(&base), pixels(&other));
        assert_ne!(base[0].indices, other[0].indices);
    }
    for batch in &base {
        for (label, &index) in batch.labels.iter().zip(&batch.indices) {
            assert_eq!(*label, samples[index].1);
        }
    }
}

#[test]
fn reports_unreadable_images_and_keeps_others_aligned() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 8);
    for i in [1, 4, 5, 6, 7] {
        std::fs::write(folder.path().join(format!("{i:03}.png")), b"\x89PNG\r\n\x1a\nbroken")
            .unwrap();
    }
    let plain = LoaderOptions::inference(InputSpec::new(16, 1.0), 2);
    let mut loader = ImageLoader::new(Arc::clone(&samples), plain).unwrap();
    let batches: Vec<ImageBatch> = loader.by_ref().collect();
    assert_eq!(batches.len(), 2);
    assert_eq!(batches[0].indices, [0]);
    assert_eq!(batches[0].unreadable[0].0, 1);
    assert_eq!(batches[0].pixels.len(), 16 * 16 * 3);
    assert_eq!(batches[1].indices, [2, 3]);
    let late: Vec<usize> = loader.take_unreadable().iter().map(|(index, _)| *index).collect();
    assert_eq!(late, [4, 5, 6, 7]);
}

#[test]
fn dropping_loader_ends_its_threads() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 64);
    let mut loader = ImageLoader::new(Arc::clone(&samples), options(4)).unwrap();
    assert!(loader.next().is_some());
    drop(loader);
    assert_eq!(Arc::strong_count(&samples), 1, "no thread owns the samples any more");
}

#[test]
fn inference_cache_returns_same_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples(folder.path(), 5);
    let spec = InputSpec::new(8, 0.875);
    let cache = Arc::new(PixelCache::new(1 << 20));
    let plain = load_all(&samples, LoaderOptions::inference(spec, 2));
    let cached =
        LoaderOptions { cache: Some(Arc::clone(&cache)), ..LoaderOptions::inference(spec, 2) };
    assert_eq!(pixels(&plain), pixels(&load_all(&samples, cached.clone())));
    assert_eq!(pixels(&plain), pixels(&load_all(&samples, cached)));
    assert_eq!(cache.usage().hits, 5);
    let few: Vec<Sample> = samples.iter().map(|(sample, _)| sample.clone()).collect();
    let singles: Vec<u8> =
        inference_inputs(&few, spec).into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(singles, pixels(&plain));
}

#[test]
fn join_within_does_not_wait_for_stuck_threads() {
    let (answer, disk) = std::sync::mpsc::channel::<()>();
    let hangs = std::thread::spawn(move || {
        let _ = disk.recv();
    });
    let ends = std::thread::spawn(|| ());
    let start = Instant::now();
    join_within(vec![hangs, ends], Duration::from_millis(30));
    assert!(start.elapsed() < Duration::from_secs(20));
    // The thread still exists, and ends once the disk responds.
    answer.send(()).unwrap();
}
