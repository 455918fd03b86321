//! The position of the window, which the next window restores.

use egui::{Vec2, ViewportInfo};
use serde::{Deserialize, Serialize};

/// Size and position of the window in units of the system, which do not depend on the zoom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowPlace {
    /// Width and height of the window's content when it is not maximized.
    pub size: [f32; 2],
    /// The upper left corner of the window when it is not maximized; `None` if the system does not report it (Wayland).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f32; 2]>,
    /// Whether the window is maximized.
    #[serde(default)]
    pub maximized: bool,
}

impl Default for WindowPlace {
    /// Returns the size of the first window; the system chooses its position.
    fn default() -> Self {
        Self {
            size: [1280.0, 800.0],
            position: None,
            maximized: false,
        }
    }
}

impl WindowPlace {
    /// Returns whether the values are plausible, because the settings file may contain anything.
    pub fn is_sound(&self) -> bool {
        let sides = self.size.iter().all(|side| (1.0..=16_384.0).contains(side));
        let mut at = self.position.iter().flatten();
        sides && at.all(|at| at.abs() <= 65_536.0)
    }

    /// Returns the position after a frame, for this content size in points and this zoom. A window that is minimized,
    /// or in full screen for the presenter view, keeps its previous position.
    #[must_use]
    pub fn after(self, info: &ViewportInfo, size: Vec2, zoom: f32) -> Self {
        if info.minimized == Some(true) || info.fullscreen == Some(true) {
            return self;
        }
        if info.maximized == Some(true) {
            return Self {
                maximized: true,
                ..self
            };
        }
        let whole = |x: f32, y: f32| [(x * zoom).round(), (y * zoom).round()];
        Self {
            size: whole(size.x, size.y),
            position: info.outer_rect.map(|rect| whole(rect.min.x, rect.min.y)),
            maximized: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_window_is_followed_unless_it_fills_the_screen() {
        let place = WindowPlace::default();
        let rect = |x, y| {
            Some(egui::Rect::from_min_size(
                [x, y].into(),
                [50.0, 50.0].into(),
            ))
        };
        let moved = ViewportInfo {
            outer_rect: rect(10.0, 20.0),
            ..ViewportInfo::default()
        };
        // At a zoom of 2, a point is two units of the system.
        let place = place.after(&moved, [500.0, 400.0].into(), 2.0);
        assert_eq!(place.size, [1000.0, 800.0]);
        assert_eq!(place.position, Some([20.0, 40.0]));
        for (fullscreen, minimized) in [(true, false), (false, true)] {
            let info = ViewportInfo {
                fullscreen: Some(fullscreen),
                minimized: Some(minimized),
                ..ViewportInfo::default()
            };
            assert_eq!(place.after(&info, Vec2::ZERO, 1.0), place);
        }
        let info = ViewportInfo {
            maximized: Some(true),
            outer_rect: rect(0.0, 0.0),
            ..ViewportInfo::default()
        };
        let maximized = place.after(&info, [1920.0, 1000.0].into(), 1.0);
        assert_eq!((maximized.size, maximized.maximized), (place.size, true));
        // The settings file may contain anything.
        for (size, position, sound) in [
            ([900.0, 600.0], None, true),
            ([0.0, 600.0], None, false),
            ([f32::NAN, 600.0], None, false),
            ([900.0, 600.0], Some([1e9, 0.0]), false),
        ] {
            let place = WindowPlace {
                size,
                position,
                maximized: false,
            };
            assert_eq!(place.is_sound(), sound, "{place:?}");
        }
    }
}
