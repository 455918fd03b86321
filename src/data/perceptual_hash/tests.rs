use super::*;

/// Returns an image of soft blobs, which differs for every seed.
pub fn scene(seed: u64, width: u32, height: u32) -> RgbImage {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let blobs: Vec<[f32; 6]> = (0..24).map(|_| std::array::from_fn(|_| next())).collect();
    RgbImage::from_fn(width, height, |x, y| {
        let (x, y) = (x as f32 / width as f32, y as f32 / height as f32);
        let mut pixel = [110.0f32; 3];
        for [cx, cy, size, r, g, b] in &blobs {
            let near = ((x - cx).powi(2) + (y - cy).powi(2)) / (0.01 + 0.05 * size);
            let weight = (-near).exp() * 400.0;
            for (value, colour) in pixel.iter_mut().zip([r, g, b]) {
                *value += weight * (colour - 0.5);
            }
        }
        image::Rgb(pixel.map(|value| value.clamp(0.0, 255.0) as u8))
    })
}

fn near(a: &RgbImage, b: &RgbImage) -> bool {
    PerceptualHash::new(a).unwrap().is_near_copy(&PerceptualHash::new(b).unwrap())
}

#[test]
fn edited_copies_are_near_and_others_are_not() {
    let others: Vec<RgbImage> = (1..40).map(|seed| scene(seed, 96, 72)).collect();
    for seed in 1..40 {
        let original = scene(seed, 160, 120);
        let small = image::imageops::thumbnail(&original, 100, 75);
        assert!(near(&original, &small), "resized, {seed}");
        let light = RgbImage::from_fn(160, 120, |x, y| {
            image::Rgb(original.get_pixel(x, y).0.map(|v| v.saturating_add(12)))
        });
        assert!(near(&original, &light), "lightened, {seed}");
        let moved = image::imageops::crop_imm(&original, 2, 1, 157, 118).to_image();
        assert!(near(&original, &moved), "moved, {seed}");
        for (other, image) in (1..40).zip(&others) {
            assert_eq!(near(&original, image), seed == other, "{seed} {other}");
        }
    }
}

#[test]
fn ignores_low_detail_images_and_greyscale_copies() {
    assert!(PerceptualHash::new(&scene(1, 47, 200)).is_none());
    assert!(PerceptualHash::new(&RgbImage::from_pixel(99, 99, image::Rgb([70; 3]))).is_none());
    // A drawing on a plain background.
    let drawing = RgbImage::from_fn(128, 128, |x, y| {
        let ink = (x as i32 - 64).abs() < 10 && (20..100).contains(&y);
        image::Rgb([if ink { 0 } else { 255 }; 3])
    });
    assert!(PerceptualHash::new(&drawing).is_none());
    // The same shapes without colours.
    let original = scene(7, 96, 96);
    let greyscale = RgbImage::from_fn(96, 96, |x, y| {
        let [r, g, b] = original.get_pixel(x, y).0;
        let light = (0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b)) as u8;
        image::Rgb([light; 3])
    });
    assert!(!near(&original, &greyscale));
}
