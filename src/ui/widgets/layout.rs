//! How parts of a page stand beside and below each other.

use egui::{Align, Layout, Rect, ScrollArea, Ui, UiBuilder, Vec2};

use crate::ui::theme::{self, GAP};

/// A row with something at its left and something at its right end.
pub fn ends(ui: &mut Ui, left: impl FnOnce(&mut Ui), right: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        left(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
}

/// A column of a page: how much height is left in it.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    top: f32,
    height: f32,
}

impl Column {
    /// Height between here and the foot of the column, at least `least`.
    pub fn rest(&self, ui: &Ui, least: f32) -> f32 {
        (self.top + self.height - ui.cursor().top()).max(least)
    }
}

/// Which of two columns keeps its width.
#[derive(Clone, Copy, Debug)]
pub enum Fixed {
    /// The left one.
    Left(f32),
    /// The right one.
    Right(f32),
}

/// Two columns, each scrolling by itself; in a narrow window the right one goes under the left.
pub fn two_columns<S>(
    ui: &mut Ui,
    state: &mut S,
    fixed: Fixed,
    left: impl FnOnce(&mut Ui, &mut S, Column),
    right: impl FnOnce(&mut Ui, &mut S, Column),
) {
    let whole = ui.available_rect_before_wrap();
    ui.spacing_mut().item_spacing.y = GAP;
    if whole.width() < theme::NARROW {
        scroll(ui, "page", |ui| {
            let column = Column {
                top: ui.max_rect().top(),
                height: 0.0,
            };
            left(ui, state, column);
            right(ui, state, column);
        });
        return;
    }
    let split = match fixed {
        Fixed::Left(width) => whole.left() + width + GAP,
        Fixed::Right(width) => whole.right() - width,
    };
    let left_rect = Rect::from_min_max(whole.min, egui::pos2(split - GAP, whole.bottom()));
    let right_rect = Rect::from_min_max(egui::pos2(split, whole.top()), whole.max);
    let column = |ui: &Ui| Column {
        top: ui.max_rect().top(),
        height: whole.height(),
    };
    ui.scope_builder(UiBuilder::new().max_rect(left_rect), |ui| {
        scroll(ui, "left", |ui| left(ui, state, column(ui)));
    });
    ui.scope_builder(UiBuilder::new().max_rect(right_rect), |ui| {
        scroll(ui, "right", |ui| right(ui, state, column(ui)));
    });
}

/// A vertical scroll area over the whole space.
pub fn scroll<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui) -> R) -> R {
    ScrollArea::vertical()
        .id_salt(name)
        .auto_shrink([false, false])
        .show(ui, add)
        .inner
}

/// A part of a row with its own width, laid out from top to bottom.
pub fn part<R>(ui: &mut Ui, width: f32, add: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = Layout::top_down(Align::Min);
    ui.allocate_ui_with_layout(Vec2::new(width, 0.0), layout, |ui| {
        ui.set_width(width);
        add(ui)
    })
    .inner
}
