//! The appearance of a line in a figure: colour, dash pattern, and marker of its points.

use super::RenderTarget;
use crate::palette::{Dash, Marker, Shade};

/// Dash patterns that distinguish lines without colour, for lines that do not show a run.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];

/// The appearance of a line.
pub(super) struct RunMarkers {
    /// The colour, as an SVG attribute.
    pub(super) colour: String,
    /// The dash pattern, as an SVG attribute.
    pub(super) dash: &'static str,
    marker: Marker,
}

impl RunMarkers {
    /// Returns the appearance of each line. A run's line looks like its method; other lines are numbered among
    /// themselves.
    pub(super) fn each(
        lines: impl Iterator<Item = Option<Shade>>,
        place: RenderTarget,
    ) -> Vec<Self> {
        let mut others = 0;
        let look = |shade: Option<Shade>| match shade {
            Some(shade) => Self {
                colour: place.shade(shade),
                dash: match shade.dash() {
                    Dash::Whole => "",
                    Dash::Dashes => "7 4",
                    Dash::Dots => "2 3",
                    Dash::Short => "4 3",
                },
                marker: shade.marker(),
            },
            None => {
                let at = others;
                others += 1;
                Self {
                    colour: place.colour(at),
                    dash: DASHES[at % DASHES.len()],
                    marker: Marker::Circle,
                }
            }
        };
        lines.map(look).collect()
    }

    /// Returns the SVG path of the marker at a position.
    pub(super) fn sign_at(&self, x: f64, y: f64) -> String {
        let around = match self.marker {
            Marker::Circle => "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
            Marker::Square => "m-3 -3h6v6h-6z",
            Marker::Up => "m0 -4l3.8 6.6h-7.6z",
            Marker::Down => "m0 4l3.8 -6.6h-7.6z",
            Marker::Left => "m-4 0l6.6 -3.8v7.6z",
            Marker::Right => "m4 0l-6.6 -3.8v7.6z",
            Marker::Diamond => "m0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
            Marker::Asterisk => "m-1 -4h2v3h3v2h-3v3h-2v-3h-3v-2h3z",
        };
        format!("M{x} {y}{around}")
    }
}
