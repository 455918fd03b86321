//! A drawing made of pen strokes, and the image that the network receives.

use crate::run::event::NamedImage;
use crate::tr;

/// Width and height of the image in pixels.
const SIDE: usize = 224;

/// Pen strokes in the unit square; (0, 0) is the top left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The strokes, each a list of points.
    pub strokes: Vec<Vec<[f32; 2]>>,
    /// Width of the pen as a share of the canvas.
    pub pen: f32,
    /// Whether the pen is down.
    pub down: bool,
    /// The strokes that were cleared last.
    cleared: Vec<Vec<[f32; 2]>>,
}

impl Default for Drawing {
    /// Returns an empty canvas and a pen as wide as the strokes of the embedded data.
    fn default() -> Self {
        Self { strokes: Vec::new(), pen: 0.075, down: false, cleared: Vec::new() }
    }
}

impl Drawing {
    /// Returns whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.strokes.iter().all(Vec::is_empty)
    }

    /// Empties the canvas and keeps the pen; this cannot be undone.
    pub fn reset(&mut self) {
        *self = Self { pen: self.pen, ..Self::default() };
    }

    /// Removes all strokes. [`Drawing::undo`] restores them.
    pub fn clear(&mut self) {
        self.down = false;
        if !self.is_empty() {
            self.cleared = std::mem::take(&mut self.strokes);
        }
        self.strokes.clear();
    }

    /// Returns whether there is something for [`Drawing::undo`] to undo.
    pub fn can_undo(&self) -> bool {
        !self.is_empty() || !self.cleared.is_empty()
    }

    /// Removes the last stroke, or restores the strokes removed by [`Drawing::clear`]. Returns whether anything
    /// changed.
    pub fn undo(&mut self) -> bool {
        self.down = false;
        if self.strokes.pop().is_some() {
            return true;
        }
        self.strokes = std::mem::take(&mut self.cleared);
        !self.is_empty()
    }

    /// Extends the current stroke to this point. Steps that are too small to see are skipped.
    pub fn extend(&mut self, to: [f32; 2]) {
        let Some(stroke) = self.strokes.last_mut() else {
            return;
        };
        let is_far_enough =
            |last: &[f32; 2]| (last[0] - to[0]).abs() + (last[1] - to[1]).abs() > 0.004;
        if stroke.last().is_none_or(is_far_enough) {
            stroke.push(to);
        }
    }

    /// Returns the drawing's bounding box including the pen's width: left, top, right, bottom.
    fn bounds(&self) -> Option<[f32; 4]> {
        let points = self.strokes.iter().flatten();
        let mut bounds: Option<[f32; 4]> = None;
        for &[x, y] in points {
            let [l, t, r, b] = bounds.unwrap_or([x, y, x, y]);
            bounds = Some([l.min(x), t.min(y), r.max(x), b.max(y)]);
        }
        let half = self.pen / 2.0;
        bounds.map(|[l, t, r, b]| [l - half, t - half, r + half, b + half])
    }

    /// Renders the drawing, light on dark or dark on light. With `glyph_share`, the drawing is centred and scaled so
    /// that its longer side covers that share of the image, as in the dataset.
    pub fn render(&self, light_on_dark: bool, glyph_share: Option<f32>) -> NamedImage {
        let (scale, shift) = match (glyph_share, self.bounds()) {
            (Some(share), Some([l, t, r, b])) => {
                let scale = share / (r - l).max(b - t).max(1e-3);
                let centre = [(l + r) / 2.0, (t + b) / 2.0];
                (scale, [0.5 - centre[0] * scale, 0.5 - centre[1] * scale])
            }
            _ => (1.0, [0.0, 0.0]),
        };
        let side = SIDE as f32;
        let to_pixels =
            |p: &[f32; 2]| [(p[0] * scale + shift[0]) * side, (p[1] * scale + shift[1]) * side];
        let radius = (self.pen * scale * side / 2.0).max(0.5);
        let mut ink = vec![0.0f32; SIDE * SIDE];
        for stroke in &self.strokes {
            let points: Vec<[f32; 2]> = stroke.iter().map(to_pixels).collect();
            match points.as_slice() {
                [] => {}
                [dot] => draw_capsule(&mut ink, *dot, *dot, radius),
                chain => {
                    for pair in chain.windows(2) {
                        draw_capsule(&mut ink, pair[0], pair[1], radius);
                    }
                }
            }
        }
        let rgb = ink
            .iter()
            .flat_map(|&ink| {
                let light = if light_on_dark { ink } else { 1.0 - ink };
                [(light * 255.0).round() as u8; 3]
            })
            .collect();
        NamedImage { name: tr!("predict-drawing").into(), width: SIDE, height: SIDE, rgb }
    }
}

/// Adds ink within `radius` of the segment from `a` to `b`, with a soft edge of one pixel.
fn draw_capsule(ink: &mut [f32], a: [f32; 2], b: [f32; 2], radius: f32) {
    let reach = radius + 1.0;
    let range = |low: f32, high: f32| {
        let low = (low - reach).floor().clamp(0.0, SIDE as f32) as usize;
        let high = (high + reach).ceil().clamp(0.0, SIDE as f32) as usize;
        low..high
    };
    let along = [b[0] - a[0], b[1] - a[1]];
    let length2 = (along[0] * along[0] + along[1] * along[1]).max(1e-12);
    for y in range(a[1].min(b[1]), a[1].max(b[1])) {
        for x in range(a[0].min(b[0]), a[0].max(b[0])) {
            let p = [x as f32 + 0.5 - a[0], y as f32 + 0.5 - a[1]];
            let t = ((p[0] * along[0] + p[1] * along[1]) / length2).clamp(0.0, 1.0);
            let d = [p[0] - t * along[0], p[1] - t * along[1]];
            let distance = (d[0] * d[0] + d[1] * d[1]).sqrt();
            let cover = (radius + 0.5 - distance).clamp(0.0, 1.0);
            let cell = &mut ink[y * SIDE + x];
            *cell = cell.max(cover);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::image_kind::{glyph_share, is_light_on_dark};

    fn stroke() -> Drawing {
        Drawing { strokes: vec![vec![[0.1, 0.1], [0.1, 0.3]]], pen: 0.05, ..Drawing::default() }
    }

    #[test]
    fn undo_removes_stroke_then_restores_cleared_drawing() {
        let mut drawing = stroke();
        let before = drawing.strokes.clone();
        drawing.clear();
        assert!(drawing.is_empty() && drawing.can_undo());
        drawing.strokes.push(vec![[0.5, 0.5]]);
        assert!(drawing.undo() && drawing.is_empty());
        assert!(drawing.undo());
        assert_eq!(drawing.strokes, before);
        // Strokes that were added to a collection are not restored.
        drawing.reset();
        assert!(!drawing.can_undo() && !drawing.undo());
    }

    #[test]
    fn drawing_is_centred_and_scaled_like_dataset() {
        let image = stroke().render(true, Some(0.8));
        assert_eq!(image.rgb.len(), SIDE * SIDE * 3);
        assert!(is_light_on_dark(&image));
        let share = glyph_share(&image, true).unwrap_or(0.0);
        assert!((share - 0.8).abs() < 0.03, "{share}");
        let middle = (SIDE / 2 * SIDE + SIDE / 2) * 3;
        assert_eq!(image.rgb[middle], 255);
    }

    #[test]
    fn drawing_without_share_is_not_moved() {
        let image = stroke().render(false, None);
        assert!(!is_light_on_dark(&image));
        let at = |x: f32, y: f32| {
            let (x, y) = ((x * SIDE as f32) as usize, (y * SIDE as f32) as usize);
            image.rgb[(y * SIDE + x) * 3]
        };
        assert_eq!(at(0.1, 0.2), 0);
        assert_eq!(at(0.5, 0.5), 255);
    }

    #[test]
    fn coloured_photo_has_no_glyph_share() {
        let image = NamedImage {
            name: String::new(),
            width: 2,
            height: 1,
            rgb: vec![200, 10, 10, 0, 0, 0],
        };
        assert_eq!(glyph_share(&image, true), None);
        assert!(Drawing::default().is_empty());
    }
}
