//! The field of a setting, created from its specification: title, values, range and tooltip.

use egui::{ComboBox, DragValue, Id, Response, Ui, Vec2};

use super::{number, value_lists, wide_number};
use crate::run::config::{RunConfig, RunSetting, Setting, SettingKind, SettingSpec, setting};
use crate::session::window_terms::replace_option_names;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::CONTROL_HEIGHT;
use crate::ui::widgets::{self, enabled_unless, faint, field, numbers};

/// Width of a field for text or a decimal number.
const FIELD_WIDTH: f32 = 76.0;
/// Width of a field for a number with a unit.
const UNIT_FIELD_WIDTH: f32 = 84.0;

/// Returns the tooltip of a setting: its description and its range.
fn hint(spec: &SettingSpec) -> String {
    match spec.kind {
        SettingKind::Flag(_) => replace_option_names(spec.meaning()),
        kind => format!("{}: {}", replace_option_names(spec.meaning()), kind.range().translated()),
    }
}

/// Draws the field of a common setting below its title. If the setting has no effect, the field is disabled and shows
/// the reason.
pub(super) fn show_run_setting(ui: &mut Ui, cx: &mut Cx<'_>, setting: &RunSetting) {
    if value_lists::show_below_title(ui, cx, &setting.spec) {
        return;
    }
    let draft = &cx.session.experiment.draft;
    let previous = (setting.get)(draft);
    let mut value = previous.clone();
    let reason = cx.session.experiment.why_idle(setting.spec.key);
    let (max, reason) = (upper_limit(&setting.spec, draft), reason.as_deref());
    let field = titled_input(ui, &setting.spec, &mut value, max, reason);
    offer_and_set(cx, setting.spec.key, &field, &previous, value);
}

/// Offers several values for a setting, and sets its value if the user changed it.
fn offer_and_set(
    cx: &mut Cx<'_>,
    key: &'static str,
    field: &Response,
    previous: &Option<Setting>,
    value: Option<Setting>,
) {
    value_lists::add_context_menu(field, cx, key);
    if value != *previous {
        cx.set(key, value);
    }
}

/// Draws the title and the field of the common setting with this key within a row.
pub(super) fn show_in_row(ui: &mut Ui, cx: &mut Cx<'_>, key: &'static str) {
    let Some(setting) = setting(key) else { return };
    let previous = (setting.get)(&cx.session.experiment.draft);
    let mut value = previous.clone();
    let label = faint(ui, setting.spec.title());
    if value_lists::show_in_place(ui, cx, key) {
        return;
    }
    let field = input(ui, &setting.spec, &mut value, i64::MAX)
        .labelled_by(label.id)
        .on_hover_text(hint(&setting.spec));
    offer_and_set(cx, key, &field, &previous, value);
}

/// Draws the field of the common text setting with this key. The caller draws its title.
pub(super) fn text_field(ui: &mut Ui, cx: &mut Cx<'_>, key: &'static str, label: Id, width: f32) {
    let Some(setting) = setting(key) else { return };
    if value_lists::show_in_place(ui, cx, key) {
        return;
    }
    let mut typed = setting_text((setting.get)(&cx.session.experiment.draft).as_ref());
    // A constant id keeps the cursor in the field when widgets above it appear or disappear.
    let edit = widgets::line_edit(&mut typed, width)
        .id(Id::unique(setting.spec.key))
        .min_size(Vec2::new(width, CONTROL_HEIGHT));
    let reason = cx.session.experiment.why_idle(key);
    let response = enabled_unless(ui, reason.as_deref(), |ui| ui.add(edit)).labelled_by(label);
    let response = response.on_hover_text(hint(&setting.spec));
    value_lists::add_context_menu(&response, cx, key);
    if response.changed() {
        // An empty text removes the value if the setting is optional.
        let is_unset = typed.is_empty() && setting.spec.kind.default().is_none();
        let value = (!is_unset).then(|| Setting::Text(typed.into()));
        cx.set(key, value);
    }
}

/// Draws the field of one of the method's own settings.
pub(super) fn show_method_setting(ui: &mut Ui, cx: &mut Cx<'_>, spec: &SettingSpec) {
    if value_lists::show_below_title(ui, cx, spec) {
        return;
    }
    let current = cx.session.experiment.draft.settings.get(spec.key);
    let default = spec.kind.default();
    // A value out of range is shown unchanged, because the plan reports it.
    let has_default_type = |value: &&Setting| {
        default.as_ref().map(std::mem::discriminant) == Some(std::mem::discriminant(*value))
    };
    let unchanged = current.filter(has_default_type).cloned();
    let previous = current.and_then(|value| spec.kind.convert(value));
    let previous = previous.or(unchanged).or(default);
    let mut value = previous.clone();
    let field = match spec.kind {
        SettingKind::Flag(_) => framed_checkbox(ui, spec, &mut value),
        _ => {
            let reason = cx.session.experiment.why_idle(spec.key);
            titled_input(ui, spec, &mut value, i64::MAX, reason.as_deref())
        }
    };
    offer_and_set(cx, spec.key, &field, &previous, value);
}

/// Returns the maximum of a setting, which can depend on another setting.
fn upper_limit(spec: &SettingSpec, draft: &RunConfig) -> i64 {
    let other = spec.within.and_then(setting);
    match other.and_then(|other| (other.get)(draft)) {
        Some(Setting::Whole(max)) => max,
        _ => i64::MAX,
    }
}

/// Draws a checkbox in a frame.
fn framed_checkbox(ui: &mut Ui, spec: &SettingSpec, value: &mut Option<Setting>) -> Response {
    let t = crate::ui::theme::tokens(ui);
    let frame = egui::Frame::new()
        .stroke(egui::Stroke::new(1.0, t.line))
        .corner_radius(crate::ui::theme::RADIUS)
        .inner_margin(egui::Margin::symmetric(10, 1));
    widgets::keep_together(ui, spec.title(), |ui| {
        frame
            .show(ui, |ui| {
                ui.set_min_height(CONTROL_HEIGHT - 4.0);
                input(ui, spec, value, i64::MAX).on_hover_text(hint(spec))
            })
            .inner
    })
}

fn titled_input(
    ui: &mut Ui,
    spec: &SettingSpec,
    value: &mut Option<Setting>,
    max: i64,
    reason: Option<&str>,
) -> Response {
    match (spec.kind, value) {
        (SettingKind::Flag(_), value) => widgets::keep_together(ui, spec.title(), |ui| {
            ui.vertical(|ui| {
                // Aligns the checkbox with neighbouring fields, which have titles above them.
                ui.add_space(20.0);
                enabled_unless(ui, reason, |ui| input(ui, spec, value, max))
                    .on_hover_text(hint(spec))
            })
            .inner
        }),
        (SettingKind::Shares(_), Some(Setting::Pair(pair))) => {
            let titles = pair.iter_mut().zip(spec.titles());
            let fields = titles.map(|(share, title)| {
                let drag = numbers::number(share, f32::MIN_POSITIVE..=1.0).speed(0.005);
                field(ui, title, |ui| enabled_unless(ui, reason, |ui| number(ui, drag)))
                    .on_hover_text(hint(spec))
            });
            let response = fields.reduce(|first, second| first | second);
            response.unwrap_or_else(|| ui.label(""))
        }
        (_, value) => field(ui, &spec.heading(), |ui| {
            enabled_unless(ui, reason, |ui| input(ui, spec, value, max))
        })
        .on_hover_text(hint(spec)),
    }
}

/// Draws the input of a setting without its title. The value of a limit is at most `max`.
fn input(ui: &mut Ui, spec: &SettingSpec, value: &mut Option<Setting>, max: i64) -> Response {
    match (spec.kind, value) {
        (SettingKind::Flag(_), Some(Setting::Flag(on))) => widgets::checkbox(ui, on, spec.title()),
        (SettingKind::Whole { default, min: least, max: most }, Some(Setting::Whole(n))) => {
            let drag = numbers::number(n, least..=most);
            integer(ui, spec, drag.speed((default as f64 / 100.0).max(0.1)))
        }
        (SettingKind::Whole { min: least, max: most, .. }, Some(Setting::Beyond(n))) => {
            let drag = numbers::number(n, least.unsigned_abs()..=most.unsigned_abs());
            integer(ui, spec, drag.speed(0.1))
        }
        (SettingKind::Seed, Some(value)) => seed(ui, spec, value),
        (SettingKind::Limit, value) => limit(ui, value, max),
        (SettingKind::Real { min: least, max: most, .. }, Some(Setting::Real(x))) => {
            let speed = if most == f64::MAX { 0.0005 } else { 0.0001 };
            wide_number(ui, numbers::number(x, least..=most).speed(speed), FIELD_WIDTH)
        }
        (SettingKind::Share(_) | SettingKind::ShareOrNone, Some(Setting::Real(x))) => {
            number(ui, numbers::percent(x, 0.0..=1.0).speed(0.5))
        }
        (SettingKind::Choice(names), Some(Setting::Text(chosen))) => {
            ComboBox::from_id_salt(spec.key)
                .selected_text(chosen.to_string())
                .show_ui(ui, |ui| {
                    for name in names {
                        ui.selectable_value(chosen, (*name).into(), *name);
                    }
                })
                .response
        }
        (SettingKind::Blocks(_) | SettingKind::Text(_) | SettingKind::Name(_), value) => {
            short_text(ui, value)
        }
        (kind, Some(value)) => ui.label(format!("{value} ({})", kind.range().translated())),
        (kind, None) => ui.label(kind.range().translated()),
    }
}

/// Draws an integer with its unit, if it has one.
fn integer(ui: &mut Ui, spec: &SettingSpec, drag: DragValue<'_>) -> Response {
    match spec.option {
        Some("MB") => wide_number(ui, drag.suffix(" MB"), UNIT_FIELD_WIDTH),
        _ => number(ui, drag),
    }
}

fn seed(ui: &mut Ui, spec: &SettingSpec, value: &mut Setting) -> Response {
    let mut number = match value {
        Setting::Whole(number) => number.unsigned_abs(),
        Setting::Beyond(number) => *number,
        _ => 0,
    };
    let previous = number;
    let response = numbers::seed(ui, spec.key, &mut number);
    if number != previous {
        *value = i64::try_from(number).map_or(Setting::Beyond(number), Setting::Whole);
    }
    response
}

/// Draws an optional number. A missing value is 0 and shown as "all".
fn limit(ui: &mut Ui, value: &mut Option<Setting>, max: i64) -> Response {
    let current = match value {
        Some(Setting::Whole(number)) => (*number).min(max),
        _ => 0,
    };
    let mut chosen = current;
    let all = tr!("experiment-all-images");
    let drag = numbers::number(&mut chosen, 0..=max)
        .custom_formatter(move |number, _| match number {
            0.0 => all.into(),
            n if n == current as f64 => current.to_string(),
            n => format!("{n:.0}"),
        })
        .custom_parser(move |text| match text.trim() {
            text if text == all => Some(0.0),
            text => text.parse().ok(),
        });
    let response = number(ui, drag.speed(0.2));
    if response.changed() {
        *value = (chosen > 0).then_some(Setting::Whole(chosen));
    }
    response
}

fn short_text(ui: &mut Ui, value: &mut Option<Setting>) -> Response {
    let mut typed = setting_text(value.as_ref());
    let edit = widgets::line_edit(&mut typed, FIELD_WIDTH)
        .min_size(Vec2::new(FIELD_WIDTH, CONTROL_HEIGHT));
    let response = ui.add(edit);
    if response.changed() {
        *value = (!typed.is_empty()).then(|| Setting::Text(typed.into()));
    }
    response
}

/// Returns the text of a setting; empty if the setting has no value.
fn setting_text(value: Option<&Setting>) -> String {
    match value {
        Some(Setting::Text(text)) => text.to_string(),
        _ => String::new(),
    }
}
