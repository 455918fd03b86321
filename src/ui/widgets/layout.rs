//! Functions that lay out the parts of a page.

use egui::{
    Align, AreaState, Context, Frame, Grid, Id, Layout, Margin, Modal, ModalResponse, Panel, Rect,
    ScrollArea, TextWrapMode, Ui, UiBuilder, Vec2,
};

use super::{headline, title};
use crate::ui::theme::{self, GAP};

/// The total space around a dialog, including its margins.
const DIALOG_EDGE: f32 = 76.0;

/// Seconds that a dialog must be visible before a click outside closes it. This is longer than a double click.
const MIN_VISIBLE_SECONDS: f64 = 0.5;

/// Draws a row with one part at the left end and one part at the right end.
pub fn ends<L, R>(ui: &mut Ui, left: impl FnOnce(&mut Ui) -> L, right: impl FnOnce(&mut Ui) -> R) {
    ui.horizontal(|ui| {
        left(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
}

/// Draws a row with the title of a card at the left end and one part at the right end.
pub fn title_row<R>(ui: &mut Ui, text: impl Into<String>, right: impl FnOnce(&mut Ui) -> R) {
    ends(ui, |ui| title(ui, text), right);
}

/// Draws a row as [`ends`] does, for several widgets at the right end. They are added in reading order, so that
/// keyboard navigation follows it. Their widths must not depend on the available width. If both parts do not fit in one
/// line, the right part gets its own line.
pub fn ends_in_order<L, R>(
    ui: &mut Ui,
    left: impl FnOnce(&mut Ui) -> L,
    right: impl FnOnce(&mut Ui) -> R,
) {
    let width = Width::load(ui.next_auto_id().with("both-ends"), ui);
    let needed = if width.last.is_some_and(|width| width > ui.available_width()) {
        // Both parts are drawn in their natural width, so that it is known when they fit in one line again.
        let first = ui.horizontal(|ui| measure_width(ui, left)).inner;
        first + ui.horizontal(|ui| measure_width(ui, right)).inner
    } else {
        let row = ui.horizontal(|ui| measure_width(ui, left) + at_end(ui, right));
        row.inner
    };
    width.store(ui, needed + ui.spacing().item_spacing.x);
}

fn measure_width<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> f32 {
    add(ui);
    ui.min_rect().width()
}

/// Draws widgets from left to right such that the last one ends at the end of the row. Returns their width.
pub fn at_end<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> f32 {
    let width = Width::load(ui.next_auto_id().with("end-width"), ui);
    let available = ui.available_rect_before_wrap();
    let reserved = width.last.unwrap_or(0.0).min(available.width());
    let rect = Rect::from_min_max(
        egui::pos2(available.right() - reserved, available.top()),
        available.max,
    );
    let layout = Layout::left_to_right(Align::Center);
    let part = UiBuilder::new().max_rect(rect).layout(layout);
    let used = ui.scope_builder(part, |ui| measure_width(ui, add)).inner;
    width.store(ui, used);
    used
}

/// Draws several parts as one item of a wrapped row. If the item does not fit, it is moved to the next line as a whole.
/// A plain scope would be squeezed into the rest of the line or overflow it.
pub fn keep_together<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui) -> R) -> R {
    let width = Width::load(ui.scope_id().with(("whole", name)), ui);
    let is_line_start = ui.cursor().left() < ui.max_rect().left() + 1.0;
    let available = ui.available_size_before_wrap().x;
    if !is_line_start && width.last.is_some_and(|width| available < width) {
        ui.end_row();
    }
    let scope = ui.scope(|ui| {
        ui.style_mut().wrap_mode = Some(TextWrapMode::Extend);
        add(ui)
    });
    width.store(ui, scope.response.rect.width());
    scope.inner
}

/// The width of an item when it was last drawn, because only drawing determines it.
struct Width {
    id: Id,
    last: Option<f32>,
}

impl Width {
    fn load(id: Id, ui: &Ui) -> Self {
        let last = ui.data(|data| data.get_temp(id));
        Self { id, last }
    }

    /// Stores the new width. If it has changed, the frame is laid out again.
    fn store(self, ui: &Ui, width: f32) {
        if self.last.is_none_or(|last| (last - width).abs() > 0.5) {
            ui.data_mut(|data| data.insert_temp(self.id, width));
            ui.ctx().request_discard("the width of a part of a row has changed");
        }
    }
}

/// Draws a dialog in the centre of the window, with this width if there is enough space. A dialog that is higher than
/// the window scrolls, so that its buttons can be reached at every size and zoom.
pub fn dialog<R>(
    ctx: &Context,
    name: &'static str,
    width: f32,
    content: impl FnOnce(&mut Ui) -> R,
) -> ModalResponse<R> {
    let window_size = ctx.content_rect().size();
    // The margins equal those of a card.
    let frame = Frame::popup(&ctx.global_style()).inner_margin(Margin::symmetric(14, 12));
    let modal = Modal::new(Id::unique(name)).frame(frame);
    dismissible_modal(ctx, modal, |ui| {
        let height = (window_size.y - DIALOG_EDGE).max(100.0);
        // The scroll area grows with its content; by default it would keep its first height.
        let scroll_output =
            ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
                ui.set_width((window_size.x - DIALOG_EDGE).max(260.0).min(width));
                content(ui)
            });
        scroll_output.inner
    })
}

/// Draws a dialog with a title and this width if it is `open`. The content returns whether to close the dialog, which
/// stays open if a confirmation above it receives the Escape key.
pub fn titled_dialog(
    ctx: &Context,
    name: &'static str,
    (title, width): (&str, f32),
    open: &mut bool,
    content: impl FnOnce(&mut Ui) -> bool,
) {
    if *open {
        let modal = dialog(ctx, name, width, |ui| {
            headline(ui, title);
            content(ui)
        });
        *open = !(modal.inner || modal.should_close());
    }
}

/// Draws a dialog that a click outside closes. A click that was made before the dialog was visible is ignored: the
/// second click of a double click, or a click that was delayed by slow frames.
pub fn dismissible_modal<R>(
    ctx: &Context,
    modal: Modal,
    content: impl FnOnce(&mut Ui) -> R,
) -> ModalResponse<R> {
    let id = modal.area.layer().id;
    let mut response = modal.show(ctx, content);
    let visible_since = AreaState::load(ctx, id).and_then(|area| area.last_became_visible_at);
    // Events of a frame can have occurred at any time since the previous frame.
    let earliest_event = ctx.input(|i| i.time - f64::from(i.unstable_dt));
    if visible_since
        .is_none_or(|visible_since| earliest_event < visible_since + MIN_VISIBLE_SECONDS)
    {
        // The response of the dialog itself does not sense clicks.
        response.backdrop_response = response.response.clone();
    }
    response
}

/// A column of a page, for computing the height that remains in it.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    top: f32,
    height: f32,
}

impl Column {
    /// Returns the column inside its scroll area, whose content moves when it is scrolled.
    fn scrolled(self, ui: &Ui) -> Self {
        Self { top: ui.cursor().top(), ..self }
    }

    /// Returns the height between the cursor and the bottom of the column, at least `min`.
    pub fn remaining_height(&self, ui: &Ui, min: f32) -> f32 {
        (self.top + self.height - ui.cursor().top()).max(min)
    }
}

/// The column of two that has a fixed width, in points.
#[derive(Clone, Copy, Debug)]
pub enum Fixed {
    /// The left one.
    Left(f32),
    /// The right one.
    Right(f32),
}

/// Draws two columns, each with its own scroll area. In a narrow window, the right column is below the left one.
pub fn two_columns<S>(
    ui: &mut Ui,
    state: &mut S,
    fixed: Fixed,
    left: impl FnOnce(&mut Ui, &mut S, Column),
    right: impl FnOnce(&mut Ui, &mut S, Column),
) {
    if ui.available_width() >= theme::NARROW_WIDTH {
        columns(ui, state, fixed, left, right, |_, _| {});
        return;
    }
    ui.spacing_mut().item_spacing.y = GAP;
    scroll(ui, "page", |ui| {
        let column = Column { top: ui.max_rect().top(), height: 0.0 };
        left(ui, state, column);
        right(ui, state, column);
    });
}

/// Draws two columns side by side at any window width, each with its own scroll area. `footer` draws a part below the
/// right column that does not scroll.
pub fn columns<S>(
    ui: &mut Ui,
    state: &mut S,
    fixed: Fixed,
    left: impl FnOnce(&mut Ui, &mut S, Column),
    right: impl FnOnce(&mut Ui, &mut S, Column),
    footer: impl FnOnce(&mut Ui, &mut S),
) {
    let area = ui.available_rect_before_wrap();
    ui.spacing_mut().item_spacing.y = GAP;
    let split = match fixed {
        Fixed::Left(width) => area.left() + width + GAP,
        Fixed::Right(width) => area.right() - width,
    };
    let left_rect = Rect::from_min_max(area.min, egui::pos2(split - GAP, area.bottom()));
    let right_rect = Rect::from_min_max(egui::pos2(split, area.top()), area.max);
    let column = |ui: &Ui| Column { top: ui.max_rect().top(), height: ui.available_height() };
    ui.scope_builder(UiBuilder::new().max_rect(left_rect), |ui| {
        let column = column(ui);
        scroll(ui, "left", |ui| left(ui, state, column.scrolled(ui)));
    });
    ui.scope_builder(UiBuilder::new().max_rect(right_rect), |ui| {
        footer(ui, state);
        let column = column(ui);
        scroll(ui, "right", |ui| right(ui, state, column.scrolled(ui)));
    });
}

/// Draws each item in a column that is at least `min_width` wide, with as many columns in a row as fit.
pub fn in_columns<T>(ui: &mut Ui, items: &[T], min_width: f32, mut add: impl FnMut(&mut Ui, &T)) {
    let columns = ((ui.available_width() / min_width) as usize).clamp(1, items.len().max(1));
    let width = (ui.available_width() - GAP * (columns as f32 - 1.0)) / columns as f32;
    for row in items.chunks(columns) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            row.iter().for_each(|item| part(ui, width, |ui| add(ui, item)));
        });
    }
}

/// Draws a part at the bottom of the remaining space that does not scroll.
pub fn footer<R>(ui: &mut Ui, name: &'static str, add: impl FnOnce(&mut Ui) -> R) -> R {
    let response = Panel::bottom(name)
        .frame(Frame::new().inner_margin(Margin { top: GAP as i8, ..Margin::ZERO }))
        .resizable(false)
        .show_separator_line(false)
        .show(ui, add);
    response.inner
}

/// Draws a vertical scroll area that fills the available space.
pub fn scroll<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui) -> R) -> R {
    ScrollArea::vertical().id_salt(name).auto_shrink([false, false]).show(ui, add).inner
}

/// Draws a grid with this spacing. The last of `columns` fills the row, if their number is given.
pub fn grid<R>(
    ui: &mut Ui,
    id: &str,
    columns: impl Into<Option<usize>>,
    spacing: [f32; 2],
    add: impl FnOnce(&mut Ui) -> R,
) -> R {
    let grid = Grid::new(id).spacing(spacing);
    let grid = match columns.into() {
        Some(columns) => grid.num_columns(columns),
        None => grid,
    };
    grid.show(ui, add).inner
}

/// Draws a part of a row with this width. Its content is laid out from top to bottom.
pub fn part<R>(ui: &mut Ui, width: f32, add: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = Layout::top_down(Align::Min);
    ui.allocate_ui_with_layout(Vec2::new(width, 0.0), layout, |ui| {
        ui.set_width(width);
        add(ui)
    })
    .inner
}
