//! A list of thousands of lines with different heights. Only the visible lines are laid out.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use egui::{Ui, Vec2};

/// Distance in points above and below the visible area within which lines are laid out too, so that the Tab key reaches
/// them.
const OVERSCAN: f32 = 300.0;
/// The assumed height of a line until a line has been laid out.
const DEFAULT_HEIGHT: f32 = 96.0;

/// The state of a long list: the heights of its lines.
#[derive(Default)]
pub struct LongList<K> {
    /// The list width for which the heights were measured.
    width: f32,
    /// The height of each line that was laid out, including the space below it.
    heights: HashMap<K, f32>,
    /// The top of each line relative to the first line, and the bottom of the last line; empty until computed.
    tops: Vec<f32>,
    /// Whether `tops` was computed before any line had been laid out.
    is_estimated: bool,
}

impl<K: Clone + Debug + Eq + Hash> LongList<K> {
    /// Marks the positions as outdated because the lines or their order have changed.
    pub fn invalidate(&mut self) {
        self.tops.clear();
    }

    /// Draws the visible lines. `key` returns the identity of a line from its index among `count` lines.
    pub fn show<'k>(
        &mut self,
        ui: &mut Ui,
        count: usize,
        key: impl Fn(usize) -> &'k K,
        mut draw_line: impl FnMut(&mut Ui, usize),
    ) where
        K: 'k,
    {
        if self.width != ui.available_width() {
            self.width = ui.available_width();
            self.heights.clear();
            self.tops.clear();
        }
        let can_improve = self.is_estimated && !self.heights.is_empty();
        if can_improve || self.tops.len() != count + 1 {
            self.compute_tops(count, &key);
        }
        let visible = ui.clip_rect().expand(OVERSCAN);
        let list_top = ui.cursor().top();
        let ends_above = |end: &f32| list_top + end < visible.top();
        let first = self.tops[1..].partition_point(ends_above);
        let spacing = ui.spacing().item_spacing.y;
        gap(ui, self.tops[first], spacing);
        let mut index = first;
        while index < count && ui.cursor().top() <= visible.bottom() {
            let top = ui.cursor().top();
            ui.push_id(key(index), |ui| draw_line(ui, index));
            self.store_height(index, key(index), ui.cursor().top() - top);
            index += 1;
        }
        gap(ui, self.tops[count] - self.tops[index], spacing);
    }

    /// Computes the tops of the lines. A line that was never laid out gets the average height of the others.
    fn compute_tops<'k>(&mut self, count: usize, key: impl Fn(usize) -> &'k K)
    where
        K: 'k,
    {
        self.is_estimated = self.heights.is_empty();
        let average = match self.is_estimated {
            true => DEFAULT_HEIGHT,
            false => self.heights.values().sum::<f32>() / self.heights.len() as f32,
        };
        let height = |index| self.heights.get(key(index)).copied().unwrap_or(average);
        let mut top = 0.0;
        let ends = (0..count).map(|index| {
            top += height(index);
            top
        });
        self.tops = std::iter::once(0.0).chain(ends).collect();
    }

    /// Stores the height of a line, and moves the lines below it if the height differs from the assumed one.
    fn store_height(&mut self, index: usize, key: &K, height: f32) {
        let difference = height - (self.tops[index + 1] - self.tops[index]);
        // Far down a list, f32 positions are less precise than a fraction of a point.
        if difference.abs() > 0.5 {
            self.tops[index + 1..].iter_mut().for_each(|top| *top += difference);
        }
        if self.heights.get(key) != Some(&height) {
            self.heights.insert(key.clone(), height);
        }
    }
}

/// Adds empty space in place of lines that are not laid out.
fn gap(ui: &mut Ui, height: f32, spacing: f32) {
    if height > spacing {
        ui.allocate_space(Vec2::new(1.0, height - spacing));
    }
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput, Rect, ScrollArea, pos2, vec2};

    use super::*;

    /// Returns which of `count` lines are laid out at this `scroll_offset`, and the height of the list.
    fn laid_out_lines(
        list: &mut LongList<usize>,
        count: usize,
        scroll_offset: f32,
    ) -> (Vec<usize>, f32) {
        let keys: Vec<usize> = (0..count).collect();
        let ctx = Context::default();
        let (mut lines, mut height) = (Vec::new(), 0.0);
        // Sizes are only known after the first frame.
        for _ in 0..3 {
            lines.clear();
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(300.0, 400.0))),
                ..Default::default()
            };
            let _ = ctx.run_ui(input, |ui| {
                let area = ScrollArea::vertical().vertical_scroll_offset(scroll_offset);
                let response = area.show(ui, |ui| {
                    list.show(
                        ui,
                        count,
                        |at| &keys[at],
                        |ui, at| {
                            lines.push(at);
                            ui.allocate_space(vec2(1.0, if at % 2 == 0 { 20.0 } else { 60.0 }));
                        },
                    );
                });
                height = response.content_size.y;
            });
        }
        (lines, height)
    }

    #[test]
    fn only_visible_lines_are_laid_out() {
        let mut list = LongList::default();
        let (lines, _) = laid_out_lines(&mut list, 10_000, 0.0);
        assert_eq!(lines[0], 0);
        assert!(lines.len() < 40, "{lines:?}");
        let (lines, height) = laid_out_lines(&mut list, 10_000, 200_000.0);
        assert!(lines[0] > 1_000 && lines.len() < 60, "{lines:?}");
        assert!(lines.windows(2).all(|pair| pair[0] + 1 == pair[1]));
        // The other lines are assumed to have the average height of those that were laid out.
        assert!((380_000.0..480_000.0).contains(&height), "{height}");
        // Covers a shorter list and an empty one.
        assert_eq!(laid_out_lines(&mut list, 3, 0.0).0, [0, 1, 2]);
        assert_eq!(laid_out_lines(&mut list, 0, 0.0).0, [0; 0]);
    }
}
