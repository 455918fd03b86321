//! Near copies of an image stay in one split when splits are drawn; merely similar images do not.

use std::collections::HashSet;
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use lae_studio::data::{Dataset, OpenOptions, Sample};

use super::data::{Made, assumed};

/// Returns an image of soft blobs and noise, generated from a seed.
fn scene(seed: u32) -> RgbImage {
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
            let far = ((x - cx).powi(2) + (y - cy).powi(2)) / (0.01 + 0.05 * size);
            for (value, colour) in pixel.iter_mut().zip([r, g, b]) {
                *value += (-far).exp() * 400.0 * (colour - 0.5);
            }
        }
        let noise = 12.0 * (next() - 0.5);
        Rgb(pixel.map(|value| (value + noise).clamp(0.0, 255.0) as u8))
    })
}

fn jpeg(path: &Path, picture: &RgbImage, quality: u8) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let encoder = JpegEncoder::new_with_quality(std::io::BufWriter::new(file), quality);
    picture.write_with_encoder(encoder).unwrap();
}

/// Writes two classes of twenty images; ten of each also recompressed, smaller, lighter and shifted.
fn planted() -> Made {
    let made = Made::new();
    for (number, class) in ["cat", "dog"].iter().enumerate() {
        for at in 0..20u32 {
            let one = scene(1000 * number as u32 + at + 1);
            let path = |kind: &str| made.path().join(format!("{class}/{at:02}-{kind}.jpg"));
            jpeg(&path("one"), &one, 92);
            if at < 10 {
                jpeg(&path("again"), &one, 60);
                jpeg(
                    &path("small"),
                    &image::imageops::thumbnail(&one, 120, 80),
                    85,
                );
                let lighter = |x, y| Rgb(one.get_pixel(x, y).0.map(|v| v.saturating_add(14)));
                jpeg(&path("light"), &RgbImage::from_fn(192, 128, lighter), 85);
                let next = image::imageops::crop_imm(&one, 2, 1, 190, 127);
                jpeg(&path("burst"), &next.to_image(), 85);
            }
        }
    }
    made
}

fn options(near: bool, split_seed: u64) -> OpenOptions {
    OpenOptions {
        near_copies_together: near,
        split_seed,
        ..OpenOptions::default()
    }
}

/// Returns the originals of images of [`planted`].
fn origins(samples: &[Sample]) -> HashSet<String> {
    let of = |sample: &Sample| sample.name().split('-').next().unwrap().to_string();
    samples.iter().map(of).collect()
}

#[test]
fn near_copies_stay_in_one_split() {
    let made = planted();
    for seed in 0..4 {
        let apart = made.try_open(&options(false, seed)).unwrap();
        let torn = origins(&apart.train)
            .intersection(&origins(&apart.test))
            .count();
        assert!(
            torn > 4,
            "without the option, copies must be in both splits: {torn}"
        );
        assert_eq!(apart.near_copies, []);
        let together = made.try_open(&options(true, seed)).unwrap();
        let (train, test) = (origins(&together.train), origins(&together.test));
        assert_eq!(train.intersection(&test).count(), 0, "seed {seed}");
        assert_eq!(together.near_copies.len(), 20);
        assert!(together.near_copies.iter().all(|set| set.0.len() == 5));
        let told = assumed(&together);
        assert_says!(told, "remark-near-copies-as-copies", sets = 20, n = 100);
        assert_says!(told, "remark-near-copies-moved");
        let of_class = |class| together.test.iter().filter(|s| s.class == class).count();
        assert!((10..=14).contains(&of_class(0)), "{}", of_class(0));
        let card = serde_json::to_value(together.card()).unwrap();
        assert_eq!(card["near_copies"][0][4]["class"], "cat");
    }
}

#[test]
fn similar_images_are_not_near_copies() {
    let made = Made::new();
    for at in 0..60u32 {
        jpeg(
            &made.path().join(format!("{}/{at}.jpg", at % 2)),
            &scene(at + 1),
            85,
        );
    }
    // Letters of the embedded dataset, enlarged four times.
    let letters = Dataset::open("letters", &OpenOptions::default()).unwrap();
    for (at, sample) in letters.train.iter().step_by(13).enumerate() {
        let picture = sample.decode().unwrap();
        let (width, height) = (4 * picture.width(), 4 * picture.height());
        let large = image::imageops::thumbnail(&picture, width, height);
        let path = made.path().join(format!("c{}/{at}.png", sample.class));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        large.save(path).unwrap();
    }
    let [with, without] = [true, false].map(|near| made.try_open(&options(near, 0)).unwrap());
    assert_eq!(with.near_copies, []);
    assert_eq!((with.train, with.test), (without.train, without.test));
}

#[test]
fn near_copy_option_keeps_embedded_splits() {
    for name in ["digits", "letters"] {
        for validation_share in [0.0, 0.2] {
            let open = |near| {
                let options = OpenOptions {
                    validation_share,
                    ..options(near, 0)
                };
                Dataset::open(name, &options).unwrap()
            };
            let (with, without) = (open(true), open(false));
            assert_eq!(with.fingerprints(), without.fingerprints());
            assert_eq!(with.assumed, without.assumed);
        }
    }
}
