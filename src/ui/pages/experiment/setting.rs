//! The field of a setting, made from its entry in the list: title, values, range, and what is told under the pointer.

use egui::{ComboBox, DragValue, Response, Ui, Vec2};

use super::{number, wide_number};
use crate::run::config::{Kind, RunConfig, RunSetting, Setting, SettingSpec, setting};
use crate::session::plain::plain;
use crate::ui::theme::CONTROL;
use crate::ui::widgets::{self, faint, field, numbers, unless};

/// Width of a field for a text or a number with a point.
const WIDE: f32 = 76.0;
/// Width of a field for a number with its unit.
const WITH_UNIT: f32 = 84.0;

/// What is told under the pointer over the setting of every run under this key.
pub(super) fn hint_of(key: &str) -> String {
    setting(key).map_or_else(String::new, |setting| hint(&setting.spec))
}

/// What a setting does and which values it takes.
fn hint(spec: &SettingSpec) -> String {
    match spec.kind {
        Kind::Flag(_) => plain(spec.meaning),
        kind => format!("{}: {}", plain(spec.meaning), kind.range()),
    }
}

/// The field of a setting of every run below its title; greyed out with the reason, where it has no effect.
pub(super) fn of_run(ui: &mut Ui, draft: &mut RunConfig, setting: &RunSetting, why: Option<&str>) {
    let mut value = (setting.get)(draft);
    let was = value.clone();
    titled(ui, &setting.spec, &mut value, why);
    put(draft, setting, was, value);
}

/// The field of the setting of every run under this key behind its title, in a row of such fields.
pub(super) fn in_row(ui: &mut Ui, draft: &mut RunConfig, key: &str) {
    let Some(setting) = setting(key) else { return };
    let mut value = (setting.get)(draft);
    let was = value.clone();
    let label = faint(ui, setting.spec.title);
    input(ui, &setting.spec, &mut value)
        .labelled_by(label.id)
        .on_hover_text(hint(&setting.spec));
    put(draft, setting, was, value);
}

/// Keeps a value that was changed; what is left out is as without another word.
fn put(draft: &mut RunConfig, setting: &RunSetting, was: Option<Setting>, value: Option<Setting>) {
    match value {
        value if value == was => {}
        Some(value) => {
            (setting.set)(draft, value);
        }
        None => (setting.copy)(draft, &RunConfig::default()),
    }
}

/// The field of a setting of the method's own; the usual value needs no word in the settings.
pub(super) fn own(ui: &mut Ui, draft: &mut RunConfig, spec: &SettingSpec, why: Option<&str>) {
    let known = draft.settings.get(spec.key);
    let mut value = known.and_then(|value| spec.kind.admit(value));
    value = value.or_else(|| spec.kind.default());
    let was = value.clone();
    match spec.kind {
        Kind::Flag(_) => boxed(ui, spec, &mut value),
        _ => titled(ui, spec, &mut value, why),
    }
    match value {
        value if value == was => {}
        Some(value) if Some(&value) != spec.kind.default().as_ref() => {
            draft.settings.insert(spec.key.into(), value);
        }
        _ => {
            draft.settings.remove(spec.key);
        }
    }
}

/// A switch in a frame of its own.
fn boxed(ui: &mut Ui, spec: &SettingSpec, value: &mut Option<Setting>) {
    let t = crate::ui::theme::tokens(ui);
    let frame = egui::Frame::new()
        .stroke(egui::Stroke::new(1.0, t.line))
        .corner_radius(crate::ui::theme::RADIUS)
        .inner_margin(egui::Margin::symmetric(10, 1));
    widgets::whole(ui, spec.title, |ui| {
        frame.show(ui, |ui| {
            ui.set_min_height(CONTROL - 4.0);
            input(ui, spec, value).on_hover_text(hint(spec));
        });
    });
}

fn titled(ui: &mut Ui, spec: &SettingSpec, value: &mut Option<Setting>, why: Option<&str>) {
    match (spec.kind, value) {
        (Kind::Flag(_), value) => widgets::whole(ui, spec.title, |ui| {
            ui.vertical(|ui| {
                // In line with the fields beside it, whose titles stand above them.
                ui.add_space(20.0);
                unless(ui, why, |ui| input(ui, spec, value)).on_hover_text(hint(spec));
            });
        }),
        (Kind::Shares(_), Some(Setting::Pair(both))) => {
            for (share, title) in both.iter_mut().zip(spec.title.split(" and ")) {
                let drag = numbers::number(share, f32::MIN_POSITIVE..=1.0).speed(0.005);
                field(ui, title, |ui| unless(ui, why, |ui| number(ui, drag)))
                    .on_hover_text(hint(spec));
            }
        }
        (_, value) => {
            field(ui, &spec.heading(), |ui| {
                unless(ui, why, |ui| input(ui, spec, value))
            })
            .on_hover_text(hint(spec));
        }
    }
}

/// The input alone.
fn input(ui: &mut Ui, spec: &SettingSpec, value: &mut Option<Setting>) -> Response {
    match (spec.kind, value) {
        (Kind::Flag(_), Some(Setting::Flag(on))) => ui.checkbox(on, spec.title),
        (
            Kind::Whole {
                default,
                least,
                most,
            },
            Some(Setting::Whole(n)),
        ) => {
            let drag = numbers::number(n, least..=most);
            whole(ui, spec, drag.speed((default as f64 / 100.0).max(0.1)))
        }
        (Kind::Whole { least, most, .. }, Some(Setting::Beyond(n))) => {
            let drag = numbers::number(n, least.unsigned_abs()..=most.unsigned_abs());
            whole(ui, spec, drag.speed(0.1))
        }
        (Kind::Seed, Some(value)) => seed(ui, spec, value),
        (Kind::Limit, value) => limit(ui, value, i64::MAX),
        (Kind::Real { least, most, .. }, Some(Setting::Real(x))) => {
            let speed = if most == f64::MAX { 0.0005 } else { 0.0001 };
            wide_number(ui, numbers::number(x, least..=most).speed(speed), WIDE)
        }
        (Kind::Share(_) | Kind::ShareOrNone, Some(Setting::Real(x))) => {
            number(ui, numbers::percent(x, 0.0..=1.0).speed(0.5))
        }
        (Kind::Choice(names), Some(Setting::Text(chosen))) => {
            ComboBox::from_id_salt(spec.key)
                .selected_text(chosen.to_string())
                .show_ui(ui, |ui| {
                    for name in names {
                        ui.selectable_value(chosen, (*name).into(), *name);
                    }
                })
                .response
        }
        (Kind::Blocks(_) | Kind::Text(_) | Kind::Name(_), value) => text(ui, value),
        (kind, Some(value)) => ui.label(format!("{value} ({})", kind.range())),
        (kind, None) => ui.label(kind.range()),
    }
}

/// A whole number, with its unit where it has one.
fn whole(ui: &mut Ui, spec: &SettingSpec, drag: DragValue<'_>) -> Response {
    match spec.option {
        Some("MB") => wide_number(ui, drag.suffix(" MB"), WITH_UNIT),
        _ => number(ui, drag),
    }
}

fn seed(ui: &mut Ui, spec: &SettingSpec, value: &mut Setting) -> Response {
    let mut number = match value {
        Setting::Whole(number) => number.unsigned_abs(),
        Setting::Beyond(number) => *number,
        _ => 0,
    };
    let was = number;
    let response = numbers::seed(ui, spec.key, &mut number);
    if number != was {
        *value = i64::try_from(number).map_or(Setting::Beyond(number), Setting::Whole);
    }
    response
}

/// A number that may be left out, which is then 0 and told as all.
pub(super) fn limit(ui: &mut Ui, value: &mut Option<Setting>, most: i64) -> Response {
    let now = match value {
        Some(Setting::Whole(number)) => (*number).min(most),
        _ => 0,
    };
    let mut number_of = now;
    let drag = numbers::number(&mut number_of, 0..=most)
        .custom_formatter(move |number, _| match number {
            0.0 => "all".into(),
            n if n == now as f64 => now.to_string(),
            n => format!("{n:.0}"),
        })
        .custom_parser(|text| match text.trim() {
            "all" => Some(0.0),
            text => text.parse().ok(),
        });
    let response = number(ui, drag.speed(0.2));
    if response.changed() {
        *value = (number_of > 0).then_some(Setting::Whole(number_of));
    }
    response
}

fn text(ui: &mut Ui, value: &mut Option<Setting>) -> Response {
    let mut typed = match value {
        Some(Setting::Text(text)) => text.to_string(),
        _ => String::new(),
    };
    let edit = widgets::line_edit(&mut typed, WIDE).min_size(Vec2::new(WIDE, CONTROL));
    let response = ui.add(edit);
    if response.changed() {
        *value = (!typed.is_empty()).then(|| Setting::Text(typed.into()));
    }
    response
}
