//! Tests of resizing, cropping and drawn boxes.

use super::*;

fn test_image(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([(x * 255 / width) as u8, (y * 255 / height) as u8, (x * y % 251) as u8])
    })
}

#[test]
fn shorter_side_follows_crop_ratio() {
    let side = |size, crop_ratio| InputSpec::new(size, crop_ratio).shorter_side();
    assert_eq!(side(224, 0.875), 256);
    assert_eq!(side(32, 1.0), 32);
    assert_eq!(side(224, 0.9), 249);
    assert_eq!(side(32, 0.875), 37);
    assert!(InputSpec::new(0, 1.0).checked().is_err());
    assert!(InputSpec::new(8, 1.5).checked().is_err());
    assert!(InputSpec::new(8, f32::NAN).checked().is_err());
}

#[test]
fn inference_leaves_exact_size_unchanged() {
    let source = test_image(32, 32);
    let spec = InputSpec::new(32, 1.0);
    let mut out = vec![0; spec.bytes()];
    resize_for_inference(&source, spec, &mut out).unwrap();
    assert_eq!(&out, source.as_raw());
}

#[test]
fn centre_crop_equals_resize_then_crop() {
    // 90×60 → shorter side 37 → 55×37 → crop 32 at (round(11.5)=12, round(2.5)=2).
    let source = test_image(90, 60);
    let spec = InputSpec::new(32, 0.875);
    let mut out = vec![0; spec.bytes()];
    resize_for_inference(&source, spec, &mut out).unwrap();
    let mut resized = TypedImage::<U8x3>::new(55, 37);
    fir::Resizer::new()
        .resize_typed(&image_view(&source).unwrap(), &mut resized, &resize_options(spec.resize))
        .unwrap();
    for y in 0..32 {
        for x in 0..32 {
            for channel in 0..3 {
                let expected = resized.pixels()[(y + 2) * 55 + x + 12].0[channel];
                let actual = out[(y * 32 + x) * 3 + channel];
                assert!(actual.abs_diff(expected) <= 1, "{x} {y} {channel}: {actual} {expected}");
            }
        }
    }
}

#[test]
fn handles_extreme_aspect_ratios() {
    let spec = InputSpec::new(224, 0.875);
    let mut out = vec![0; spec.bytes()];
    resize_for_inference(&test_image(1, 60_000), spec, &mut out).unwrap();
    resize_for_inference(&test_image(60_000, 2), spec, &mut out).unwrap();
    resize_for_inference(&test_image(1, 1), spec, &mut out).unwrap();
    assert!(resize_for_inference(&RgbImage::new(0, 0), spec, &mut out).is_err());
}

#[test]
fn crop_and_resize_flips_and_rejects_outside_boxes() {
    let source = test_image(8, 8);
    let mut plain = vec![0; 8 * 8 * 3];
    let mut flipped = plain.clone();
    let mut crop = CropBox::new(0, 0, 8, 8);
    let spec = InputSpec::new(8, 1.0);
    crop_and_resize(&source, &crop, spec, &mut plain).unwrap();
    crop.flip = true;
    crop_and_resize(&source, &crop, spec, &mut flipped).unwrap();
    assert_eq!(&plain[..3], &flipped[21..24]);
    assert_eq!(&plain[9..12], &flipped[12..15]);
    for bad in [CropBox::new(1, 0, 8, 8), CropBox::new(0, 0, 0, 8), CropBox::new(u32::MAX, 0, 2, 2)]
    {
        let problem = crop_and_resize(&source, &bad, spec, &mut plain).unwrap_err();
        assert!(problem.is("problem-crop-outside-image"), "{problem}");
    }
}

#[test]
fn drawn_crops_follow_expected_distribution() {
    // With a maximum scale of 0.5, nearly all boxes fit into a square image, so the area share is nearly uniform on
    // [0.08, 0.5].
    let augment = Augment { crop_scale: (0.08, 0.5), ..Augment::default() };
    let (mut share, mut log_aspect, mut flips, mut left) = (0.0, 0.0, 0, 0.0);
    let n = 4_000;
    let mut below_quarter = 0;
    for index in 0..n {
        let crop = augment.draw(5, 1, index, 1000, 1000);
        let area = f64::from(crop.width) * f64::from(crop.height) / 1e6;
        let aspect = f64::from(crop.width) / f64::from(crop.height);
        assert!((0.079..=0.501).contains(&area), "{area}");
        assert!((0.745..=1.34).contains(&aspect), "{aspect}");
        share += area;
        below_quarter += usize::from(area < 0.185);
        log_aspect += aspect.ln();
        flips += usize::from(crop.flip);
        left += f64::from(crop.left) / f64::from(1000 - crop.width);
    }
    let mean = |sum: f64| sum / n as f64;
    assert!((mean(share) - 0.29).abs() < 0.01, "{}", mean(share));
    assert!((below_quarter as f64 / n as f64 - 0.25).abs() < 0.035);
    assert!(mean(log_aspect).abs() < 0.015);
    assert!((mean(left) - 0.5).abs() < 0.025);
    assert!((flips as f64 / n as f64 - 0.5).abs() < 0.04);
}

#[test]
fn draw_falls_back_to_largest_centre_crop() {
    let augment = Augment { crop_scale: (1.0, 1.0), flip: false };
    let crop = augment.draw(0, 0, 0, 400, 100);
    assert_eq!(crop, CropBox::new(133, 0, 133, 100));
    let crop = augment.draw(0, 0, 0, 1, 1000);
    assert_eq!((crop.width, crop.height, crop.top), (1, 1, 499));
}

#[test]
fn checked_rejects_invalid_crop_scales() {
    for crop_scale in [(0.5, 0.2), (0.0, 1.0)] {
        let augment = Augment { crop_scale, ..Augment::default() };
        assert!(augment.checked().is_err());
    }
    assert!(Augment::default().checked().is_ok());
}

/// Pixels and channel means computed by timm 1.0.31 and Pillow with `create_transform(…, mean=0, std=1)`.
#[test]
fn inference_matches_timm_transform() {
    let positions = [(0, 0), (3, 17), (13, 9), (27, 27)];
    for (mode, crop_ratio, interpolation, size, image, pixels, means) in [
        (
            CropMode::Center,
            0.9,
            Interpolation::Bicubic,
            32,
            (61, 47),
            [[34, 15, 24], [131, 36, 216], [85, 110, 166], [187, 212, 183]],
            [122.0625, 127.9375, 123.8281],
        ),
        (
            CropMode::Center,
            0.9,
            Interpolation::Bilinear,
            32,
            (47, 61),
            [[15, 34, 24], [139, 52, 68], [81, 108, 136], [212, 187, 169]],
            [128.0, 122.0625, 123.6797],
        ),
        (
            CropMode::Squash,
            1.0,
            Interpolation::Bicubic,
            32,
            (61, 47),
            [[2, 1, 0], [137, 25, 151], [73, 105, 90], [217, 216, 66]],
            [124.9688, 124.25, 112.2549],
        ),
        (
            CropMode::Center,
            0.95,
            Interpolation::Bicubic,
            28,
            (20, 23),
            [[0, 14, 0], [147, 37, 39], [77, 113, 63], [236, 222, 121]],
            [116.3571, 117.6071, 79.2895],
        ),
    ] {
        let resize = Resize { interpolation, mode };
        let spec = InputSpec { resize, ..InputSpec::new(size, crop_ratio) };
        let mut out = vec![0; spec.bytes()];
        resize_for_inference(&test_image(image.0, image.1), spec, &mut out).unwrap();
        for ((row, column), expected) in positions.into_iter().zip(pixels) {
            let actual = &out[(row * size + column) * 3..][..3];
            let differences = actual.iter().zip(expected).map(|(a, b)| a.abs_diff(b));
            assert!(differences.max() <= Some(1), "{spec:?}: {actual:?} {expected:?}");
        }
        for (channel, expected) in means.into_iter().enumerate() {
            let channel_values = out.iter().skip(channel).step_by(3);
            let mean = channel_values.map(|&v| f64::from(v)).sum::<f64>() / (size * size) as f64;
            assert!((mean - expected).abs() < 0.1, "{spec:?}: {mean} {expected}");
        }
    }
}
