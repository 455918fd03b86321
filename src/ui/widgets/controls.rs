//! Things to press and choose with.

use egui::{
    Button, Context, CornerRadius, Key, Margin, Rect, Response, RichText, Role, Sense, Stroke,
    StrokeKind, TextEdit, Ui, Vec2, WidgetInfo, WidgetText,
};

use super::icons::{self, Icon};
use super::{faint, whole};
use crate::ui::theme::{CONTROL, RADIUS, regular, semibold, tokens};

/// The one filled button of a page.
pub fn primary(ui: &mut Ui, text: &str, enabled: bool, width: f32) -> Response {
    let t = tokens(ui);
    let text = RichText::new(text).font(semibold(13.0)).color(t.on_accent);
    let size = Vec2::new(width, 36.0);
    let fill = if enabled { t.accent } else { t.subdued };
    let button = Button::new(text)
        .fill(fill)
        .stroke(Stroke::NONE)
        .corner_radius(CornerRadius::same(RADIUS))
        .min_size(size);
    ui.add_enabled_ui(enabled, |ui| ui.add_sized(size, button))
        .inner
}

/// The filled button of a row: what a dialog or an empty page is there for.
pub fn primary_button(ui: &mut Ui, text: &str, enabled: bool) -> Response {
    let t = tokens(ui);
    let text = RichText::new(text).font(semibold(13.0)).color(t.on_accent);
    let button = Button::new(text)
        .fill(t.accent)
        .stroke(Stroke::NONE)
        .corner_radius(CornerRadius::same(RADIUS))
        .min_size(Vec2::new(0.0, CONTROL));
    ui.add_enabled(enabled, button)
}

/// An ordinary button.
pub fn button(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    button_if(ui, true, text)
}

/// An ordinary button that can be pressed at times only. Added by itself, not in a scope of its own,
/// which would not go to the next line of a row that is full.
pub fn button_if(ui: &mut Ui, enabled: bool, text: impl Into<WidgetText>) -> Response {
    let text: WidgetText = text.into();
    ui.add_enabled(enabled, Button::new(text).min_size(Vec2::new(0.0, CONTROL)))
}

/// A field for one line of text, as high as a button and of this width.
pub fn line_edit(text: &mut String, width: f32) -> TextEdit<'_> {
    TextEdit::singleline(text)
        .desired_width(width)
        .min_size(Vec2::new(0.0, CONTROL))
        .margin(Margin::symmetric(9, 6))
}

/// Whether Enter ended what was typed into this field.
pub fn entered(ui: &Ui, field: &Response) -> bool {
    field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter))
}

/// Whether a text that was typed in place of `before` counts from now on: its field was left. Escape puts `before` back.
pub fn committed(ui: &Ui, field: &Response, text: &mut String, before: &str) -> bool {
    // A field is told to be left for two frames, the key that left it for one.
    let left = field.lost_focus();
    if left && ui.input(|i| i.key_pressed(Key::Escape)) {
        before.clone_into(text);
    }
    left && text.trim() != before
}

/// Whether Enter was pressed while nothing had the focus: it answers a dialog. To be asked before the dialog is drawn,
/// for Enter takes the focus off a field.
pub fn enter_alone(ctx: &Context) -> bool {
    ctx.memory(|memory| memory.focused().is_none()) && ctx.input(|i| i.key_pressed(Key::Enter))
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

/// A line around what the keyboard has reached; nothing else is marked.
pub fn focus_ring(ui: &Ui, rect: Rect, radius: u8, response: &Response) {
    if response.has_focus() {
        let line = Stroke::new(2.0, tokens(ui).accent);
        let radius = CornerRadius::same(radius);
        ui.painter()
            .rect_stroke(rect, radius, line, StrokeKind::Inside);
    }
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
    for (at, ((option, text), galley)) in options.iter().zip(galleys).enumerate() {
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
        let response = ui.interact(part, ui.scope_id().with((name, at)), sense);
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
    whole(ui, label, |ui| {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            let label = faint(ui, label);
            // In a row a number stands in the middle of its field.
            ui.horizontal(add).inner.labelled_by(label.id)
        })
        .inner
    })
}

/// An input that is greyed out, with the reason under the pointer, where there is one.
pub fn unless(ui: &mut Ui, why: Option<&str>, add: impl FnOnce(&mut Ui) -> Response) -> Response {
    let Some(why) = why else { return add(ui) };
    let response = ui.add_enabled_ui(false, add).inner;
    response.on_disabled_hover_text(why)
}

/// Text that acts when clicked.
pub fn link(ui: &mut Ui, text: &str) -> Response {
    ui.link(text)
}
