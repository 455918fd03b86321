//! Tests that users with colour vision deficiency can distinguish the colours of the palette.

use egui::{Color32, Rgba};

use super::{DARK, LIGHT, Tokens};
use crate::method::METHODS;
use crate::palette::RunStyle;

/// Normal vision, and simulations of protanopia and deuteranopia in linear RGB (Machado, Oliveira and Fernandes, 2009,
/// severity 1).
const VISION_KINDS: [(&str, [[f32; 3]; 3]); 3] = [
    ("usual", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanope",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranope",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
];

/// Returns a colour in CIE Lab (D65), as perceived with this deficiency.
fn perceived_lab(colour: Color32, matrix: &[[f32; 3]; 3]) -> [f32; 3] {
    let [r, g, b, _] = Rgba::from(colour).to_array();
    let multiply = |rows: &[[f32; 3]; 3], v: [f32; 3]| {
        rows.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f32>())
    };
    let rgb = multiply(matrix, [r, g, b]).map(|v| v.clamp(0.0, 1.0));
    let xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
    let [x, y, z] = multiply(&xyz, rgb);
    let root = |v: f32| match v {
        v if v > 0.008856 => v.cbrt(),
        v => 7.787 * v + 16.0 / 116.0,
    };
    let (x, y, z) = (root(x / 0.9505), root(y), root(z / 1.089));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Returns the smallest distance ΔE (CIE 1976) between two of these colours over all kinds of vision, with a text that
/// names the kind of vision and the colours.
fn closest(colours: &[Color32]) -> (f32, String) {
    let mut smallest = (f32::INFINITY, String::new());
    for (vision, matrix) in &VISION_KINDS {
        for (i, a) in colours.iter().enumerate() {
            for (j, b) in colours.iter().enumerate().skip(i + 1) {
                let (p, q) = (perceived_lab(*a, matrix), perceived_lab(*b, matrix));
                let squares = p.iter().zip(q).map(|(p, q)| (p - q).powi(2));
                let distance = squares.sum::<f32>().sqrt();
                if distance < smallest.0 {
                    smallest = (distance, format!("{vision}: {i} and {j}, {a:?} and {b:?}"));
                }
            }
        }
    }
    smallest
}

/// Returns the contrast ratio of two colours (WCAG 2).
pub(crate) fn contrast(a: Color32, b: Color32) -> f32 {
    let light = |colour: Color32| {
        let [r, g, b, _] = Rgba::from(colour).to_array();
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    let (a, b) = (light(a), light(b));
    a.max(b) / a.min(b)
}

fn themes() -> [(&'static str, &'static Tokens); 2] {
    [("dark", &DARK), ("light", &LIGHT)]
}

#[test]
fn experts_and_tour_methods_are_distinguishable() {
    for (theme, t) in themes() {
        let tour =
            ["lae", "baseline", "seq-ft"].map(|method| t.run_colour(RunStyle::for_method(method)));
        for colours in [&t.experts[..], &tour] {
            let (distance, which) = closest(colours);
            assert!(distance > 30.0, "{theme}: {distance} {which}");
        }
        // The colours of a prediction's bars and their background.
        for other in [t.warning, t.subdued] {
            let (distance, which) = closest(&[t.accent, other, t.background]);
            assert!(distance > 30.0, "{theme}: {distance} {which}");
        }
    }
}

/// With this number of hues, some are close for some kinds of vision; markers distinguish them.
#[test]
fn method_colours_are_unique_and_distinguishable() {
    for (theme, t) in themes() {
        let shades = METHODS.iter().map(|spec| RunStyle::for_method(spec.key));
        let colours: Vec<Color32> = shades.map(|shade| t.run_colour(shade)).collect();
        let none = t.run_colour(RunStyle::for_method(""));
        assert!(!colours.contains(&none), "a method without a colour");
        let (distance, which) = closest(&colours);
        assert!(distance > 16.0, "{theme}: {distance} {which}");
    }
}

/// Lines need a contrast of about 3 against their background.
#[test]
fn methods_contrast_with_the_background() {
    for (theme, t) in themes() {
        for spec in METHODS {
            let contrast = contrast(t.run_colour(RunStyle::for_method(spec.key)), t.card);
            assert!(contrast >= 2.9, "{theme}: {}", spec.key);
        }
    }
}

/// A nearly white colour has few lighter shades, so dashes distinguish the lines too.
#[test]
fn shades_of_a_method_are_distinguishable() {
    for (theme, t) in themes() {
        for spec in METHODS {
            let shades = RunStyle::for_runs([spec.key; RunStyle::COUNT]);
            let colours: Vec<Color32> =
                shades.into_iter().map(|shade| t.run_colour(shade)).collect();
            let (distance, which) = closest(&colours);
            assert!(distance > 4.0, "{theme}: {} {distance} {which}", spec.key);
        }
    }
}

#[test]
fn good_and_bad_are_distinguishable() {
    for (theme, t) in themes() {
        let (distance, which) = closest(&[t.good, t.warning, t.bad]);
        assert!(distance > 12.0, "{theme}: {distance} {which}");
    }
}
