//! The pieces pages are made of: cards, segmented choices, chips, fields, bars. All of them take
//! their colours from the theme, have an accessible name and can be reached by keyboard.

pub mod bars;
pub mod canvas;
pub mod curves;
pub mod icons;
pub mod matrix;
pub mod sparkline;
pub mod stops;
pub mod textures;

use egui::{
    Align, Align2, Button, CornerRadius, Frame, Label, Layout, Margin, Rect, Response, RichText,
    Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2, WidgetInfo, WidgetText,
};

use super::theme::{self, CARD_RADIUS, CONTROL, GAP, RADIUS, regular, semibold, tokens};
use crate::problem::Problem;
use icons::Icon;

/// A card across the available width, at least `height` high.
pub fn card_of<R>(ui: &mut Ui, height: f32, add: impl FnOnce(&mut Ui) -> R) -> R {
    let t = tokens(ui);
    Frame::new()
        .fill(t.card)
        .stroke(Stroke::new(1.0, t.line))
        .corner_radius(CornerRadius::same(CARD_RADIUS))
        .inner_margin(Margin::symmetric(14, 12))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.set_min_height((height - 26.0).max(0.0));
            ui.spacing_mut().item_spacing = Vec2::splat(8.0);
            add(ui)
        })
        .inner
}

/// A card across the available width.
pub fn card<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    card_of(ui, 0.0, add)
}

/// A card's title.
pub fn title(ui: &mut Ui, text: impl Into<String>) -> Response {
    let strong = tokens(ui).strong;
    ui.label(RichText::new(text).font(semibold(13.0)).color(strong))
}

/// A label in the background of attention.
pub fn faint(ui: &mut Ui, text: impl Into<String>) -> Response {
    let colour = tokens(ui).subdued;
    ui.label(RichText::new(text).font(regular(12.0)).color(colour))
}

/// A sentence.
pub fn sentence(ui: &mut Ui, text: impl Into<String>) -> Response {
    let colour = tokens(ui).text;
    ui.add(Label::new(RichText::new(text).color(colour)).wrap())
}

/// A row with something at its left and something at its right end.
pub fn ends(ui: &mut Ui, left: impl FnOnce(&mut Ui), right: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        left(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
}

/// The one filled button of a page.
pub fn primary(ui: &mut Ui, text: &str, enabled: bool) -> Response {
    let t = tokens(ui);
    let text = RichText::new(text).font(semibold(13.0)).color(t.on_accent);
    let size = Vec2::new(ui.available_width(), 36.0);
    let fill = if enabled { t.accent } else { t.subdued };
    let button = Button::new(text)
        .fill(fill)
        .stroke(Stroke::NONE)
        .corner_radius(CornerRadius::same(RADIUS))
        .min_size(size);
    ui.add_enabled_ui(enabled, |ui| ui.add_sized(size, button))
        .inner
}

/// An ordinary button.
pub fn button(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    let text: WidgetText = text.into();
    ui.add(Button::new(text).min_size(Vec2::new(0.0, CONTROL)))
}

/// A button with a painted icon in front of its text; the text alone is its name.
pub fn icon_text_button(ui: &mut Ui, icon: Icon, text: &str) -> Response {
    let t = tokens(ui);
    let font = semibold(13.0);
    let galley = ui
        .painter()
        .layout_no_wrap(text.to_string(), font, t.strong);
    let size = Vec2::new(galley.size().x + 46.0, CONTROL);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    frame_of(ui, rect, &response);
    let centre = rect.left_center() + Vec2::new(18.0, 0.0);
    icons::paint(ui.painter(), icon, centre, 11.0, t.strong);
    let at = rect.left_center() + Vec2::new(32.0, -galley.size().y / 2.0);
    ui.painter().galley(at, galley, t.strong);
    response
}

/// A small square button that shows only an icon.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, size: f32) -> Response {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let lit = response.hovered() || response.has_focus();
    if lit {
        ui.painter()
            .rect_filled(rect, CornerRadius::same(RADIUS), t.raised);
    }
    let colour = if !ui.is_enabled() {
        t.subdued
    } else if lit {
        t.strong
    } else {
        t.text
    };
    icons::paint(ui.painter(), icon, rect.center(), size * 0.42, colour);
    response.on_hover_text(name)
}

/// Ground and border of a control, by its state.
pub fn frame_of(ui: &Ui, rect: Rect, response: &Response) {
    let t = tokens(ui);
    let (fill, line) = if response.has_focus() {
        (t.card, t.accent)
    } else if response.hovered() {
        (t.raised, t.subdued)
    } else {
        (t.card, t.line)
    };
    let radius = CornerRadius::same(RADIUS);
    ui.painter().rect(
        rect,
        radius,
        fill,
        Stroke::new(1.0, line),
        StrokeKind::Inside,
    );
}

/// A choice among a few, side by side. Returns whether it changed.
pub fn segmented<T: PartialEq + Clone>(
    ui: &mut Ui,
    name: &str,
    options: &[(T, &str)],
    value: &mut T,
) -> bool {
    segmented_where(ui, name, options, value, |_| None)
}

/// As [`segmented`]; options for which `reason` says why they cannot be chosen are greyed out and
/// say so under the pointer.
pub fn segmented_where<T: PartialEq + Clone>(
    ui: &mut Ui,
    name: &str,
    options: &[(T, &str)],
    value: &mut T,
    reason: impl Fn(&T) -> Option<String>,
) -> bool {
    let t = tokens(ui);
    let galleys: Vec<_> = options
        .iter()
        .map(|(option, text)| {
            let colour = match option {
                option if reason(option).is_some() => t.subdued.gamma_multiply(0.45),
                option if option == value => t.strong,
                _ => t.subdued,
            };
            ui.painter()
                .layout_no_wrap((*text).to_string(), regular(13.0), colour)
        })
        .collect();
    let width: f32 = galleys.iter().map(|g| g.size().x + 26.0).sum();
    let (rect, _) = ui.allocate_exact_size(Vec2::new(width, CONTROL), Sense::hover());
    let radius = CornerRadius::same(RADIUS);
    ui.painter().rect(
        rect,
        radius,
        t.card,
        Stroke::new(1.0, t.line),
        StrokeKind::Inside,
    );
    let mut changed = false;
    let mut left = rect.left();
    for ((option, text), galley) in options.iter().zip(galleys) {
        let part = Rect::from_min_size(
            egui::pos2(left, rect.top()),
            Vec2::new(galley.size().x + 26.0, CONTROL),
        );
        left = part.right();
        let chosen = option == value;
        let why = reason(option);
        let sense = match why {
            None => Sense::click(),
            Some(_) => Sense::hover(),
        };
        let response = ui.interact(part, ui.scope_id().with((name, *text)), sense);
        let enabled = ui.is_enabled() && why.is_none();
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, enabled, chosen, *text));
        let response = match why {
            Some(why) => response.on_hover_text(why),
            None => response,
        };
        let inner = part.shrink(1.0);
        if chosen {
            ui.painter().rect_filled(inner, radius, t.raised);
        }
        if response.has_focus() || (response.hovered() && !chosen && enabled) {
            let line = Stroke::new(
                1.0,
                if response.has_focus() {
                    t.accent
                } else {
                    t.line
                },
            );
            ui.painter()
                .rect_stroke(inner, radius, line, StrokeKind::Inside);
        }
        let at = part.center() - galley.size() / 2.0;
        ui.painter().galley(at, galley, t.text);
        if response.clicked() && !chosen {
            *value = option.clone();
            changed = true;
        }
    }
    changed
}

/// A rounded chip with text; clickable where `sense` says so.
pub fn chip(ui: &mut Ui, dot: Option<egui::Color32>, text: &str, name: &str) -> Response {
    let t = tokens(ui);
    let galley = ui
        .painter()
        .layout_no_wrap(text.to_string(), regular(12.0), t.text);
    let lead = if dot.is_some() { 16.0 } else { 0.0 };
    let size = Vec2::new(galley.size().x + 24.0 + lead, 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let line = if response.has_focus() {
        t.accent
    } else if response.hovered() {
        t.subdued
    } else {
        t.line
    };
    ui.painter().rect(
        rect,
        CornerRadius::same(13),
        t.card,
        Stroke::new(1.0, line),
        StrokeKind::Inside,
    );
    if let Some(colour) = dot {
        let at = rect.left_center() + Vec2::new(16.0, 0.0);
        ui.painter().circle_filled(at, 4.5, colour);
    }
    let at = rect.left_center() + Vec2::new(12.0 + lead, -galley.size().y / 2.0);
    ui.painter().galley(at, galley, t.text);
    response
}

/// A label above an input that it names.
pub fn field(ui: &mut Ui, label: &str, add: impl FnOnce(&mut Ui) -> Response) -> Response {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let label = faint(ui, label);
        add(ui).labelled_by(label.id)
    })
    .inner
}

/// Text that acts when clicked.
pub fn link(ui: &mut Ui, text: &str) -> Response {
    ui.link(text)
}

/// A filled share of a track.
pub fn progress(ui: &mut Ui, share: f64, name: &str) {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 6.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(share * 100.0);
        info
    });
    let radius = CornerRadius::same(3);
    ui.painter().rect_filled(rect, radius, t.line);
    let mut filled = rect;
    filled.set_width(rect.width() * share.clamp(0.0, 1.0) as f32);
    ui.painter().rect_filled(filled, radius, t.accent);
}

/// How a step of the set-up stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All is well.
    Good,
    /// Being looked at.
    Busy,
    /// Something is to be fixed.
    Wrong,
}

/// A round sign in front of a step's title: tick, dots or exclamation mark.
pub fn standing(ui: &mut Ui, standing: Standing) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(20.0), Sense::hover());
    let (colour, icon, word) = match standing {
        Standing::Good => (t.good, Icon::Tick, "ready"),
        Standing::Busy => (t.subdued, Icon::Dots, "working"),
        Standing::Wrong => (t.warning, Icon::Alert, "needs attention"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, word));
    ui.painter().circle_filled(rect.center(), 10.0, colour);
    let ink = t.ink_on(colour);
    icons::paint(ui.painter(), icon, rect.center(), 9.0, ink);
    response.on_hover_text(word);
}

/// A problem as a person should read it: what, where, what to try.
pub fn problem(ui: &mut Ui, problem: &Problem) {
    let t = tokens(ui);
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::new(14.0, 17.0), Sense::hover());
        icons::paint(ui.painter(), Icon::Alert, rect.center(), 11.0, t.bad);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 3.0;
            let what = crate::session::story::sentence(&problem.what);
            let text = RichText::new(what).color(t.strong);
            ui.add(Label::new(text).wrap().selectable(true));
            if !problem.place.is_empty() {
                let text = RichText::new(&problem.place)
                    .font(theme::mono(11.5))
                    .color(t.subdued);
                ui.add(Label::new(text).wrap().selectable(true));
            }
            if !problem.remedy.is_empty() {
                sentence(ui, crate::session::story::sentence(&problem.remedy));
            }
        });
    });
}

/// What a page says while it has nothing to show: one sentence and what to do next.
pub fn empty(ui: &mut Ui, headline: &str, text: &str, add: impl FnOnce(&mut Ui)) {
    let t = tokens(ui);
    let height = ui.available_height().clamp(220.0, 2000.0);
    card_of(ui, height, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space((height * 0.28).min(180.0));
            ui.label(RichText::new(headline).font(semibold(18.0)).color(t.strong));
            ui.add_space(2.0);
            ui.label(RichText::new(text).color(t.subdued));
            ui.add_space(10.0);
            add(ui);
        });
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

/// A label that is cut where the row ends; the whole text shows on hover.
pub fn cut(ui: &mut Ui, text: impl Into<String>) -> Response {
    let colour = tokens(ui).subdued;
    let text: String = text.into();
    let label = RichText::new(&text).font(regular(12.0)).color(colour);
    ui.add(Label::new(label).truncate())
}

/// Text cut at this width with an ellipsis, painted.
pub fn painted_text(
    ui: &Ui,
    at: egui::Pos2,
    align: Align2,
    text: &str,
    font: egui::FontId,
    colour: egui::Color32,
    width: f32,
) {
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_string(), font, colour);
    job.wrap.max_width = width;
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    let galley = ui.painter().layout_job(job);
    let rect = align.anchor_size(at, galley.size());
    ui.painter().galley(rect.min, galley, colour);
}
