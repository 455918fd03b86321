//! Near copies of an image stay in one split when splits are drawn; merely similar images do not.

use std::collections::HashSet;
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use lae_studio::data::{Dataset, OpenOptions, Sample};

use super::data::{DatasetFixture, assumptions};

/// Returns an image of soft blobs and noise, generated from a seed.
fn random_scene(seed: u32) -> RgbImage {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let blobs: Vec<[f32; 6]> = (0..24).map(|_| std::array::from_fn(|_| next())).collect();
    RgbImage::from_fn(192, 128, |x, y| {
        let (x, y) = (x as f32 / 192.0, y as f32 / 128.0);
        let mut pixel = [110.0f32; 3];
        for [cx, cy, size, r, g, b] in &blobs {
            let distance = ((x - cx).powi(2) + (y - cy).powi(2)) / (0.01 + 0.05 * size);
            for (value, colour) in pixel.iter_mut().zip([r, g, b]) {
                *value += (-distance).exp() * 400.0 * (colour - 0.5);
            }
        }
        let noise = 12.0 * (next() - 0.5);
        Rgb(pixel.map(|value| (value + noise).clamp(0.0, 255.0) as u8))
    })
}

fn write_jpeg(path: &Path, image: &RgbImage, quality: u8) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let encoder = JpegEncoder::new_with_quality(std::io::BufWriter::new(file), quality);
    image.write_with_encoder(encoder).unwrap();
}

/// Writes two classes of twenty images; ten of each also recompressed, smaller, lighter and shifted.
fn fixture_with_near_copies() -> DatasetFixture {
    let fixture = DatasetFixture::new();
    for (number, class) in ["cat", "dog"].iter().enumerate() {
        for i in 0..20u32 {
            let original = random_scene(1000 * number as u32 + i + 1);
            let path = |kind: &str| fixture.path().join(format!("{class}/{i:02}-{kind}.jpg"));
            write_jpeg(&path("one"), &original, 92);
            if i < 10 {
                write_jpeg(&path("again"), &original, 60);
                write_jpeg(&path("small"), &image::imageops::thumbnail(&original, 120, 80), 85);
                let lighten = |x, y| Rgb(original.get_pixel(x, y).0.map(|v| v.saturating_add(14)));
                write_jpeg(&path("light"), &RgbImage::from_fn(192, 128, lighten), 85);
                let cropped = image::imageops::crop_imm(&original, 2, 1, 190, 127);
                write_jpeg(&path("burst"), &cropped.to_image(), 85);
            }
        }
    }
    fixture
}

fn options(together: bool, split_seed: u64) -> OpenOptions {
    OpenOptions { near_copies_together: together, split_seed, ..OpenOptions::default() }
}

/// Returns the originals of images of [`fixture_with_near_copies`].
fn origins(samples: &[Sample]) -> HashSet<String> {
    let origin = |sample: &Sample| sample.name().split('-').next().unwrap().to_string();
    samples.iter().map(origin).collect()
}

#[test]
fn near_copies_stay_in_one_split() {
    let fixture = fixture_with_near_copies();
    for seed in 0..4 {
        let ungrouped = fixture.try_open(&options(false, seed)).unwrap();
        let shared = origins(&ungrouped.train).intersection(&origins(&ungrouped.test)).count();
        assert!(shared > 4, "without the option, copies must be in both splits: {shared}");
        assert_eq!(ungrouped.near_copies, []);
        let grouped = fixture.try_open(&options(true, seed)).unwrap();
        let (train, test) = (origins(&grouped.train), origins(&grouped.test));
        assert_eq!(train.intersection(&test).count(), 0, "seed {seed}");
        assert_eq!(grouped.near_copies.len(), 20);
        assert!(grouped.near_copies.iter().all(|set| set.0.len() == 5));
        let remarks = assumptions(&grouped);
        assert_says!(remarks, "remark-near-copies-as-copies", sets = 20, n = 100);
        assert_says!(remarks, "remark-near-copies-moved");
        let count_in_class = |class| grouped.test.iter().filter(|s| s.class == class).count();
        assert!((10..=14).contains(&count_in_class(0)), "{}", count_in_class(0));
        let report = serde_json::to_value(grouped.summary()).unwrap();
        assert_eq!(report["near_copies"][0][4]["class"], "cat");
    }
}

#[test]
fn similar_images_are_not_near_copies() {
    let fixture = DatasetFixture::new();
    for i in 0..60u32 {
        write_jpeg(&fixture.path().join(format!("{}/{i}.jpg", i % 2)), &random_scene(i + 1), 85);
    }
    // Letters of the embedded dataset, enlarged four times.
    let letters = Dataset::open("letters", &OpenOptions::default()).unwrap();
    for (i, sample) in letters.train.iter().step_by(13).enumerate() {
        let letter = sample.decode().unwrap();
        let (width, height) = (4 * letter.width(), 4 * letter.height());
        let enlarged = image::imageops::thumbnail(&letter, width, height);
        let path = fixture.path().join(format!("c{}/{i}.png", sample.class));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        enlarged.save(path).unwrap();
    }
    let [grouped, ungrouped] =
        [true, false].map(|together| fixture.try_open(&options(together, 0)).unwrap());
    assert_eq!(grouped.near_copies, []);
    assert_eq!((grouped.train, grouped.test), (ungrouped.train, ungrouped.test));
}

#[test]
fn near_copy_option_keeps_embedded_splits() {
    for name in ["digits", "letters"] {
        for validation_share in [0.0, 0.2] {
            let open = |together| {
                let options = OpenOptions { validation_share, ..options(together, 0) };
                Dataset::open(name, &options).unwrap()
            };
            let (grouped, ungrouped) = (open(true), open(false));
            assert_eq!(grouped.fingerprints(), ungrouped.fingerprints());
            assert_eq!(grouped.assumed, ungrouped.assumed);
        }
    }
}
