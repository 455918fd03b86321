//! Buttons, fields and choices.

use egui::{
    Button, Color32, Context, IntoAtoms, Key, Margin, Rect, Response, RichText, Role, Sense,
    Stroke, StrokeKind, TextEdit, Ui, Vec2, WidgetInfo, WidgetText,
};

use super::icons::{self, Icon};
use super::{faint, keep_together, layout_line, paint_border, paint_box};
use crate::ui::theme::{CONTROL_HEIGHT, RADIUS, regular, semibold, tokens};

/// Draws the main button of a page, which is filled.
pub fn primary(ui: &mut Ui, text: &str, enabled: bool, width: f32) -> Response {
    let t = tokens(ui);
    let size = Vec2::new(width, 36.0);
    let fill = if enabled { t.accent } else { t.subdued };
    let button = filled(ui, text, fill).min_size(size);
    ui.add_enabled_ui(enabled, |ui| ui.add_sized(size, button)).inner
}

fn filled<'a>(ui: &Ui, text: &str, fill: Color32) -> Button<'a> {
    let colour = tokens(ui).on_accent;
    let text = RichText::new(text).font(semibold(13.0)).color(colour);
    Button::new(text).fill(fill).stroke(Stroke::NONE).corner_radius(RADIUS)
}

/// Draws the main button of a dialog, a row or an empty page, which is filled.
pub fn primary_button(ui: &mut Ui, text: &str, enabled: bool) -> Response {
    let button = filled(ui, text, tokens(ui).accent);
    ui.add_enabled(enabled, button.min_size(Vec2::new(0.0, CONTROL_HEIGHT)))
}

/// Draws an ordinary button.
pub fn button(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    button_if(ui, true, text)
}

/// Draws an ordinary button that can be disabled. The button is added directly, because a scope would not wrap to the
/// next line of a full row.
pub fn button_if(ui: &mut Ui, enabled: bool, text: impl Into<WidgetText>) -> Response {
    let text: WidgetText = text.into();
    ui.add_enabled(enabled, Button::new(text).min_size(Vec2::new(0.0, CONTROL_HEIGHT)))
}

/// Draws a checkbox whose outline is visible while it is not checked.
pub fn checkbox<'a>(ui: &mut Ui, on: &'a mut bool, text: impl IntoAtoms<'a>) -> Response {
    outlined(ui, |ui| ui.checkbox(on, text))
}

/// Draws a checkbox or radio button with a visible outline; those of buttons and fields are fainter, and menus have
/// none. The style is changed directly, because a scope would not wrap to the next line of a full row.
pub fn outlined<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    let colour = tokens(ui).subdued;
    let previous_stroke = ui.visuals().widgets.inactive.bg_stroke;
    ui.visuals_mut().widgets.inactive.bg_stroke = Stroke::new(1.0, colour);
    let result = add(ui);
    ui.visuals_mut().widgets.inactive.bg_stroke = previous_stroke;
    result
}

/// Returns a field for a line of text with this width and the height of a button.
pub fn line_edit(text: &mut String, width: f32) -> TextEdit<'_> {
    TextEdit::singleline(text)
        .desired_width(width)
        .min_size(Vec2::new(0.0, CONTROL_HEIGHT))
        .margin(Margin::symmetric(9, 6))
}

/// Returns whether the user ended the input of this field with Enter.
pub fn is_submitted(ui: &Ui, field: &Response) -> bool {
    field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter))
}

/// Returns whether a changed text is committed because its field lost the focus. `before` is the previous text, which
/// Escape restores.
pub fn committed(ui: &Ui, field: &Response, text: &mut String, before: &str) -> bool {
    // A field reports the lost focus for two frames, but the key is reported for one.
    let lost_focus = field.lost_focus();
    if lost_focus && ui.input(|i| i.key_pressed(Key::Escape)) {
        before.clone_into(text);
    }
    lost_focus && text.trim() != before
}

/// Returns whether Enter was pressed while no widget had the focus, which confirms a dialog. Must be called before the
/// dialog is drawn, because Enter removes the focus of a field.
pub fn enter_without_focus(ctx: &Context) -> bool {
    ctx.memory(|memory| memory.focused().is_none()) && ctx.input(|i| i.key_pressed(Key::Enter))
}

/// Draws a button with an icon before its text. The accessible name is the text.
pub fn icon_text_button(ui: &mut Ui, icon: Icon, text: &str) -> Response {
    let t = tokens(ui);
    let font = semibold(13.0);
    let galley = layout_line(ui, text, font, t.strong);
    let size = Vec2::new(galley.size().x + 46.0, CONTROL_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    paint_frame(ui, rect, &response);
    let centre = rect.left_center() + Vec2::new(18.0, 0.0);
    icons::paint(ui.painter(), icon, centre, 11.0, t.strong);
    let at = rect.left_center() + Vec2::new(32.0, -galley.size().y / 2.0);
    ui.painter().galley(at, galley, t.strong);
    response
}

/// Draws a small square button with only an icon and an accessible name.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, size: f32) -> Response {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let highlighted = response.hovered() || response.has_focus();
    if highlighted {
        ui.painter().rect_filled(rect, RADIUS, t.raised);
    }
    let colour = if !ui.is_enabled() {
        t.subdued
    } else if highlighted {
        t.strong
    } else {
        t.text
    };
    icons::paint(ui.painter(), icon, rect.center(), size * 0.42, colour);
    response.on_hover_text(name)
}

/// Paints the background and the border of a control, depending on its state.
pub fn paint_frame(ui: &Ui, rect: Rect, response: &Response) {
    let t = tokens(ui);
    let (fill, border) = if response.has_focus() {
        (t.card, t.accent)
    } else if response.hovered() {
        (t.raised, t.subdued)
    } else {
        (t.card, t.line)
    };
    paint_box(ui, rect, RADIUS, fill, border);
}

/// Paints a ring around a control if it has the focus.
pub fn focus_ring(ui: &Ui, rect: Rect, radius: u8, response: &Response) {
    if response.has_focus() {
        let stroke = Stroke::new(2.0, tokens(ui).accent);
        ui.painter().rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    }
}

/// Draws a choice among some options side by side. Returns whether the choice has changed.
pub fn segmented<T: PartialEq + Clone>(
    ui: &mut Ui,
    name: &str,
    options: &[(T, &str)],
    value: &mut T,
) -> bool {
    segmented_with_disabled(ui, name, options, value, |_| None)
}

/// Draws a choice as [`segmented`] does. Options for which `reason` returns a text are disabled, with the text as a
/// tooltip.
pub fn segmented_with_disabled<T: PartialEq + Clone>(
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
            layout_line(ui, text, regular(13.0), colour)
        })
        .collect();
    let width: f32 = galleys.iter().map(|g| g.size().x + 26.0).sum();
    let (rect, _) = ui.allocate_exact_size(Vec2::new(width, CONTROL_HEIGHT), Sense::hover());
    paint_box(ui, rect, RADIUS, t.card, t.line);
    let mut changed = false;
    let mut left = rect.left();
    for (index, ((option, text), galley)) in options.iter().zip(galleys).enumerate() {
        let size = Vec2::new(galley.size().x + 26.0, CONTROL_HEIGHT);
        let segment = Rect::from_min_size(egui::pos2(left, rect.top()), size);
        left = segment.right();
        let selected = option == value;
        let disabled_reason = reason(option);
        let sense = match disabled_reason {
            None => Sense::click(),
            Some(_) => Sense::hover(),
        };
        let response = ui.interact(segment, ui.scope_id().with((name, index)), sense);
        let enabled = ui.is_enabled() && disabled_reason.is_none();
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, enabled, selected, *text));
        let response = match disabled_reason {
            Some(disabled_reason) => response.on_hover_text(disabled_reason),
            None => response,
        };
        let inner = segment.shrink(1.0);
        if selected {
            ui.painter().rect_filled(inner, RADIUS, t.raised);
        }
        let focused = response.has_focus();
        if focused || (response.hovered() && !selected && enabled) {
            paint_border(ui, inner, RADIUS, if focused { t.accent } else { t.line });
        }
        let at = segment.center() - galley.size() / 2.0;
        ui.painter().galley(at, galley, t.text);
        if response.clicked() && !selected {
            *value = option.clone();
            changed = true;
        }
    }
    changed
}

/// Draws a rounded chip with text that can be clicked.
pub fn chip(ui: &mut Ui, dot: Option<egui::Color32>, text: &str, name: &str) -> Response {
    let t = tokens(ui);
    let galley = layout_line(ui, text, regular(12.0), t.text);
    let indent = if dot.is_some() { 16.0 } else { 0.0 };
    let size = Vec2::new(galley.size().x + 24.0 + indent, 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let border = if response.has_focus() {
        t.accent
    } else if response.hovered() {
        t.subdued
    } else {
        t.line
    };
    paint_box(ui, rect, 13, t.card, border);
    if let Some(colour) = dot {
        let at = rect.left_center() + Vec2::new(16.0, 0.0);
        ui.painter().circle_filled(at, 4.5, colour);
    }
    let at = rect.left_center() + Vec2::new(12.0 + indent, -galley.size().y / 2.0);
    ui.painter().galley(at, galley, t.text);
    response
}

/// Draws a label above an input, which it names.
pub fn field(ui: &mut Ui, label: &str, add: impl FnOnce(&mut Ui) -> Response) -> Response {
    keep_together(ui, label, |ui| {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            let label = faint(ui, label);
            // In a horizontal row, a number is vertically centred in its field.
            ui.horizontal(add).inner.labelled_by(label.id)
        })
        .inner
    })
}

/// Draws an input. If there is a `reason`, the input is disabled and the reason is its tooltip.
pub fn enabled_unless(
    ui: &mut Ui,
    reason: Option<&str>,
    add: impl FnOnce(&mut Ui) -> Response,
) -> Response {
    let Some(reason) = reason else { return add(ui) };
    let response = ui.add_enabled_ui(false, add).inner;
    response.on_disabled_hover_text(reason)
}

/// Draws a link that opens or closes a part. Its label is `show` while the part is closed and `hide` while it is open.
pub fn toggle_link(ui: &mut Ui, open: &mut bool, show: &str, hide: &str) {
    if ui.link(if *open { hide } else { show }).clicked() {
        *open = !*open;
    }
}

#[cfg(test)]
mod tests {
    use egui::epaint::Shape;
    use egui::{RawInput, Theme};

    use super::*;
    use crate::ui::theme::colour_vision::contrast;
    use crate::ui::theme::{context_tokens, install};

    #[test]
    fn empty_checkbox_is_visible_in_both_themes() {
        for theme in [Theme::Dark, Theme::Light] {
            let ctx = Context::default();
            install(&ctx);
            ctx.set_theme(theme);
            let mut output = None;
            for _ in 0..2 {
                output = Some(ctx.run_ui(RawInput::default(), |ui| {
                    checkbox(ui, &mut false, "");
                    assert_eq!(ui.visuals().widgets.inactive.bg_stroke.color, tokens(ui).line);
                }));
            }
            let shapes = output.into_iter().flat_map(|output| output.shapes);
            let boxes = shapes.filter_map(|clipped| match clipped.shape {
                Shape::Rect(rect) if rect.stroke.width > 0.0 => Some(rect),
                _ => None,
            });
            let boxes: Vec<_> = boxes.collect();
            let [outline] = &boxes[..] else {
                panic!("one box: {boxes:?}");
            };
            let t = context_tokens(&ctx);
            for background in [t.card, t.background, t.raised, outline.fill] {
                let contrast = contrast(outline.stroke.color, background);
                assert!(contrast >= 3.0, "{theme:?}: {contrast} on {background:?}");
            }
        }
    }
}
