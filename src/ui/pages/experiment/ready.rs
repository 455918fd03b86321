//! The right column: what the run will cost and the button that starts it, everything that stands
//! in the way, remarks, presets.

use egui::{RichText, Ui};

use crate::method::{Lone, lae};
use crate::problem::Problem;
use crate::run::config::{RunConfig, Setting};
use crate::session::estimate::{Estimate, estimate};
use crate::session::presets;
use crate::session::story::counted;
use crate::session::views::DataView;
use crate::session::words::{bytes_text, count_text, duration_text};
use crate::ui::app::Cx;
use crate::ui::command::UiCommand;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, Column, button, card, card_of, faint, link, primary, sentence};

/// Draws cost and start button.
pub fn ready(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        let plan = &cx.session.plan;
        let fine = plan.problems.is_empty() && cx.session.data.ready().is_some();
        let draft = cx.session.draft.clone();
        widgets::title(ui, if fine { "Ready" } else { "Not ready yet" });
        if !plan.tasks.is_empty() {
            let images = plan.images_shown(&draft);
            sentence(
                ui,
                format!(
                    "{} × {}, {} pictures",
                    counted(plan.tasks.len(), "task"),
                    counted(draft.epochs, "epoch"),
                    count_text(images)
                ),
            );
        }
        let rows = cx
            .session
            .runs
            .ready()
            .map_or(&[][..], |rows| rows.as_slice());
        if let Some(cost) = estimate(&draft, plan, rows) {
            ui.scope(|ui| cost_lines(ui, cost));
        }
        let downloading = cx.session.is_downloading_weights();
        let can_start = cx.session.can_start();
        let start = primary(ui, "Start training", can_start);
        let wait = if downloading {
            "The weights are still on their way"
        } else {
            "Something is to be fixed first, see below"
        };
        if start.on_disabled_hover_text(wait).clicked() {
            cx.act(UiCommand::Start);
        }
        ui.horizontal_wrapped(|ui| {
            if draft.method != lae::BASELINE.key {
                let also = ui
                    .add_enabled_ui(can_start, |ui| button(ui, "Also run Baseline"))
                    .inner;
                let hint = "Trains these settings, then the same without LAE";
                if also.on_hover_text(hint).clicked() {
                    let both = vec![draft.clone(), presets::baseline(&draft)];
                    cx.act(UiCommand::Train(both));
                }
            }
            let classes = cx.session.data.ready().map_or(0, |view| view.classes.len());
            let three = ui.add_enabled_ui(can_start, |ui| button(ui, "Run 3 class orders")).inner;
            let hint = "Trains these settings three times, with the paper's class orders where they are known; Compare shows mean ± std";
            if three.on_hover_text(hint).clicked() {
                let paper = presets::paper_of(&draft, classes);
                cx.act(UiCommand::Train(presets::over_orders(&draft, paper, 3)));
            }
            let copy = button(ui, "Copy as command");
            if copy.on_hover_text(draft.as_command()).clicked() {
                cx.act(UiCommand::CopyCommand);
            }
        });
        if cx.session.is_training() {
            faint(ui, "A run is at work; a new one waits in line behind it.");
        }
    });
}

fn cost_lines(ui: &mut Ui, cost: Estimate) {
    let t = tokens(ui);
    // Lines of text, not rows of inputs.
    ui.spacing_mut().interact_size.y = 0.0;
    let line = |ui: &mut Ui, value: String, rest: &str| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(4.0, 0.0);
            ui.label(RichText::new("about").color(t.text));
            ui.label(RichText::new(value).font(semibold(13.0)).color(t.strong));
            ui.label(RichText::new(rest).color(t.text));
        });
    };
    let source = if cost.measured {
        "(as your last run went)"
    } else {
        "(a rough guess)"
    };
    line(ui, duration_text(cost.seconds.max(1.0)), source);
    if let Some(bytes) = cost.bytes {
        line(ui, bytes_text(bytes), "of memory, pictures apart");
    }
}

/// Draws everything that stands in the way, all at once.
pub fn problems(ui: &mut Ui, cx: &mut Cx<'_>) {
    let of_data = cx.session.data.problem().into_iter();
    let list: Vec<Problem> = of_data.chain(&cx.session.plan.problems).cloned().collect();
    if list.is_empty() {
        return;
    }
    let least = cx.session.plan.train_images.iter().copied().min();
    let t = tokens(ui);
    let classes = cx.session.data.ready().map_or(0, |view| view.classes.len());
    card(ui, |ui| {
        let words = format!("{} to fix", counted(list.len(), "thing"));
        ui.label(RichText::new(words).font(semibold(13.0)).color(t.bad));
        for problem in &list {
            widgets::problem(ui, problem);
            if let Some((label, fixed)) = fix(problem, &cx.session.draft, classes, least)
                && button(ui, label).clicked()
            {
                cx.session.draft = fixed;
            }
        }
    });
}

/// A one-click remedy: the named option back to a value that works.
fn fix(
    problem: &Problem,
    draft: &RunConfig,
    classes: usize,
    least: Option<usize>,
) -> Option<(String, RunConfig)> {
    let base = RunConfig::default();
    let mut fixed = draft.clone();
    // A place may name a file after the option.
    let place = problem.place.split(':').next().unwrap_or_default();
    let label = match place {
        "--epochs" => {
            fixed.epochs = base.epochs;
            format!("Use {} epochs", base.epochs)
        }
        "--freeze-epochs" => {
            let fewer = draft.epochs.saturating_sub(2);
            let fewer = fewer.max(usize::from(draft.epochs > 1));
            let value = Setting::Whole(fewer as i64);
            fixed.settings.insert("freeze_epochs".into(), value);
            format!("Freeze {fewer}")
        }
        "--ema" => {
            fixed.settings.remove("ema");
            "Use the usual α".into()
        }
        "--base-lr" => {
            fixed.base_lr = base.base_lr;
            format!("Use {}", base.base_lr)
        }
        "--batch" => {
            fixed.batch = least.unwrap_or(base.batch).clamp(1, base.batch);
            format!("Use {}", fixed.batch)
        }
        "--pet-size" => {
            fixed.pet_size = base.pet_size;
            format!("Use {}", base.pet_size)
        }
        "--pet" => {
            fixed.pet = base.pet;
            fixed.pet_size = base.pet_size;
            fixed.pet_variant = None;
            format!("Use {}", fixed.pet)
        }
        "--blocks" => {
            fixed.blocks = base.blocks;
            format!("Use the first {}", fixed.blocks)
        }
        "--order" => {
            fixed.order = base.order;
            "Use the natural order".into()
        }
        "--crop-scale" => {
            fixed.crop_scale = base.crop_scale;
            "Use 0.5 to 1".into()
        }
        "--data" => {
            fixed.data = base.data;
            fixed.classes_per_task = base.classes_per_task;
            "Use the digits".into()
        }
        "--backbone" => {
            fixed.backbone = base.backbone;
            format!("Use {}", fixed.backbone)
        }
        "--classes-per-task" => {
            let each = classes.div_ceil(5).max(1);
            fixed.classes_per_task = each.to_string();
            format!("Use {each} per task")
        }
        "--validation-share" => {
            fixed.validation_share = base.validation_share;
            "Measure on the test images".into()
        }
        "--test-share" => {
            fixed.test_share = base.test_share;
            format!("Use {}", base.test_share)
        }
        _ => return None,
    };
    Some((label, fixed))
}

/// Draws what is worth knowing about the data and its cut into tasks.
pub fn remarks(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(view) = cx.session.data.ready().cloned() else {
        return;
    };
    let lone = cx.session.plan.lone.clone();
    let lines = view.assumed.clone();
    let more = [
        !view.skipped.is_empty(),
        !view.duplicates.is_empty(),
        lone.is_some(),
    ];
    let count = lines.len() + more.iter().filter(|there| **there).count();
    if count == 0 {
        return;
    }
    let t = tokens(ui);
    card(ui, |ui| {
        let words = if count == 1 {
            "One remark".to_string()
        } else {
            format!("{count} remarks")
        };
        ui.label(RichText::new(words).font(semibold(13.0)).color(t.warning));
        if let Some(Lone { problem, sizes }) = lone {
            widgets::problem(ui, &problem);
            if button(ui, format!("Use {sizes}")).clicked() {
                cx.session.draft.classes_per_task = sizes;
            }
        }
        for line in lines {
            sentence(ui, crate::session::story::sentence(&line));
        }
        data_lists(ui, cx, &view);
    });
}

/// Files that were left out, and images that stand in both splits.
fn data_lists(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let state = &mut cx.pages.experiment;
    if !view.skipped.is_empty() {
        sentence(ui, format!("{} skipped.", were(view.skipped.len())));
        opened(ui, &mut state.skipped, "skipped files", &view.skipped);
    }
    if !view.duplicates.is_empty() {
        let words = match view.duplicates.len() {
            1 => "1 image stands in both splits.".into(),
            n => format!("{} images stand in both splits.", count_text(n)),
        };
        sentence(ui, words);
        opened(ui, &mut state.duplicates, "these images", &view.duplicates);
    }
}

fn were(files: usize) -> String {
    match files {
        1 => "1 file was".into(),
        n => format!("{} files were", count_text(n)),
    }
}

/// A list of two lines each, behind a link that opens it.
fn opened(ui: &mut Ui, open: &mut bool, what: &str, rows: &[(String, String)]) {
    let words = format!("{} {what}", if *open { "Hide" } else { "Show" });
    if link(ui, &words).clicked() {
        *open = !*open;
    }
    if !*open {
        return;
    }
    let t = tokens(ui);
    egui::ScrollArea::vertical()
        .id_salt(what)
        .max_height(180.0)
        .show_rows(ui, 32.0, rows.len(), |ui, range| {
            for (upper, lower) in &rows[range] {
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    let text = RichText::new(upper).font(regular(12.0)).color(t.text);
                    ui.add(egui::Label::new(text).truncate())
                        .on_hover_text(upper);
                    let text = RichText::new(lower).font(regular(11.0)).color(t.subdued);
                    ui.add(egui::Label::new(text).truncate())
                        .on_hover_text(lower);
                });
            }
        });
}

/// Draws the presets down to the foot of the column.
pub fn presets(ui: &mut Ui, cx: &mut Cx<'_>, column: Column) {
    let height = column.rest(ui, 0.0);
    card_of(ui, height, |ui| {
        let t = tokens(ui);
        widgets::title(ui, "Presets");
        let mut headed = false;
        for preset in presets::presets() {
            if preset.paper.is_some() && !headed {
                faint(ui, "The paper's experiments, each with its six PETs");
                headed = true;
            }
            let text = preset_line(preset.title, preset.hint, t);
            let line = egui::Button::new(text)
                .frame_when_inactive(false)
                .min_size(egui::Vec2::new(ui.available_width(), 26.0));
            let line = ui.add(line).accessible_name(preset.title);
            if preset.paper.is_some() {
                egui::Popup::menu(&line).show(|ui| pets(ui, cx, &preset));
                continue;
            }
            let tip = match preset.then {
                Some(_) => "Starts at once",
                None => "Sets everything up",
            };
            if line.on_hover_text(tip).clicked() {
                cx.pages.experiment.folder = false;
                cx.act(preset.command());
            }
        }
    });
}

/// The PETs of the paper's table, for one of its experiments.
fn pets(ui: &mut Ui, cx: &mut Cx<'_>, preset: &presets::Preset) {
    for (title, pet, size) in presets::PETS {
        if ui.button(title).clicked() {
            cx.pages.experiment.folder = false;
            let run = preset.with_pet(pet, size);
            cx.act(UiCommand::SetUp(Box::new(run)));
        }
    }
}

fn preset_line(title: &str, hint: &str, t: &crate::ui::theme::Tokens) -> egui::text::LayoutJob {
    let mut job = egui::text::LayoutJob::default();
    let format = |font, colour| egui::TextFormat::simple(font, colour);
    job.append(title, 0.0, format(regular(13.0), t.text));
    job.append(&format!(" · {hint}"), 0.0, format(regular(12.0), t.subdued));
    job
}
