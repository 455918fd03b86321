//! The method card: LAE with its three switches or a compared method, and the settings of training.

use egui::{DragValue, Ui, Vec2};

use super::{number, standing};
use crate::run::config::{MethodName, RunConfig};
use crate::session::presets;
use crate::ui::app::Cx;
use crate::ui::theme::CONTROL;
use crate::ui::widgets::{self, card, faint, field, link, segmented};

/// Draws the method card.
pub fn method(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        let places = [
            "--epochs",
            "--freeze-epochs",
            "--ema",
            "--base-lr",
            "--batch",
            "--crop-scale",
        ];
        let stand = standing(cx, &places);
        let preset = preset_name(&cx.session.draft);
        widgets::ends(
            ui,
            |ui| {
                widgets::standing(ui, stand);
                widgets::title(ui, "Method");
            },
            |ui| {
                faint(ui, preset);
            },
        );
        switches(ui, &mut cx.session.draft);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            settings(ui, &mut cx.session.draft);
        });
        let more = &mut cx.pages.experiment.more;
        if link(
            ui,
            if *more {
                "Fewer settings"
            } else {
                "More settings"
            },
        )
        .clicked()
        {
            *more = !*more;
        }
        if *more {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = 12.0;
                rarer(ui, &mut cx.session.draft);
            });
        }
    });
}

fn preset_name(draft: &RunConfig) -> String {
    presets::presets()
        .iter()
        .find(|preset| presets::matches(preset, draft))
        .map_or_else(String::new, |preset| format!("Preset: {}", preset.title))
}

fn switches(ui: &mut Ui, draft: &mut RunConfig) {
    ui.horizontal_wrapped(|ui| {
        let options = MethodName::ALL.map(|method| (method, method.title()));
        segmented(ui, "method", &options, &mut draft.method);
        ui.add_space(4.0);
        let lae = draft.method == MethodName::Lae;
        ui.add_enabled_ui(lae, |ui| {
            boxed(
                ui,
                &mut draft.learning,
                "Learning",
                "New classes settle while the PET is frozen, so that old knowledge is not overrun",
            );
            boxed(
                ui,
                &mut draft.accumulation,
                "Accumulation",
                "The offline PET follows the online one slowly and keeps what it learned",
            );
            boxed(
                ui,
                &mut draft.ensemble,
                "Ensemble",
                "Both experts answer; the more certain one wins",
            );
        });
    });
}

fn boxed(ui: &mut Ui, on: &mut bool, text: &str, hint: &str) {
    let t = crate::ui::theme::tokens(ui);
    egui::Frame::new()
        .stroke(egui::Stroke::new(1.0, t.line))
        .corner_radius(crate::ui::theme::RADIUS)
        .inner_margin(egui::Margin::symmetric(10, 1))
        .show(ui, |ui| {
            ui.set_min_height(CONTROL - 4.0);
            ui.checkbox(on, text).on_hover_text(hint);
        });
}

fn settings(ui: &mut Ui, draft: &mut RunConfig) {
    field(ui, "Epochs", |ui| {
        number(
            ui,
            DragValue::new(&mut draft.epochs).range(1..=1000).speed(0.1),
        )
    });
    ui.add_enabled_ui(draft.switches().learning, |ui| {
        field(ui, "of them frozen", |ui| {
            number(
                ui,
                DragValue::new(&mut draft.freeze_epochs)
                    .range(0..=1000)
                    .speed(0.1),
            )
        })
        .on_hover_text("From the second task on the PET stands still for so many epochs");
    });
    ui.add_enabled_ui(draft.switches().accumulation, |ui| {
        field(ui, "Accumulation α", |ui| {
            let value = DragValue::new(&mut draft.ema)
                .range(0.0..=1.0)
                .speed(0.0001)
                .custom_formatter(|value, _| shown(value));
            ui.add_sized(Vec2::new(76.0, CONTROL), value)
        })
        .on_hover_text("The closer to 1, the more slowly the offline PET follows");
    });
    field(ui, "Base learning rate", |ui| {
        let value = DragValue::new(&mut draft.base_lr)
            .range(1e-6..=10.0)
            .speed(0.0005)
            .custom_formatter(|value, _| shown(value));
        ui.add_sized(Vec2::new(76.0, CONTROL), value)
    })
    .on_hover_text("At batch 256; the rate used is this × batch / 256");
    field(ui, "Batch", |ui| {
        number(
            ui,
            DragValue::new(&mut draft.batch).range(1..=4096).speed(0.2),
        )
    });
    field(ui, "Seed", |ui| {
        let seed = DragValue::new(&mut draft.seed)
            .range(0..=u64::from(u32::MAX))
            .speed(0.1);
        ui.add_sized(Vec2::new(100.0, CONTROL), seed)
    });
}

/// Six decimals at most, without the zeros at the end.
fn shown(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn rarer(ui: &mut Ui, draft: &mut RunConfig) {
    for (i, name) in ["Smallest crop", "Largest crop"].into_iter().enumerate() {
        field(ui, name, |ui| {
            let value = DragValue::new(&mut draft.crop_scale[i])
                .range(0.01..=1.0)
                .speed(0.005);
            number(ui, value)
        })
        .on_hover_text("Share of an image's area that a training crop covers");
    }
    limit(ui, "Training images per class", &mut draft.train_limit);
    limit(ui, "Test images per class", &mut draft.test_limit);
    field(ui, "Seed of splits", |ui| {
        number(
            ui,
            DragValue::new(&mut draft.split_seed)
                .range(0..=u64::from(u32::MAX))
                .speed(0.1),
        )
    })
    .on_hover_text("Draws the test and validation images, where they are drawn");
    ui.vertical(|ui| {
        ui.add_space(20.0);
        ui.checkbox(&mut draft.flip, "Mirror images at random");
    });
}

/// A limit where 0 means none.
fn limit(ui: &mut Ui, name: &str, value: &mut Option<usize>) {
    let mut number_of = value.unwrap_or(0);
    field(ui, name, |ui| {
        let drag = DragValue::new(&mut number_of)
            .range(0..=100_000)
            .speed(0.2)
            .custom_formatter(|n, _| {
                if n == 0.0 {
                    "all".into()
                } else {
                    format!("{n:.0}")
                }
            })
            .custom_parser(|text| {
                if text.trim() == "all" {
                    Some(0.0)
                } else {
                    text.parse().ok()
                }
            });
        number(ui, drag)
    });
    *value = (number_of > 0).then_some(number_of);
}
