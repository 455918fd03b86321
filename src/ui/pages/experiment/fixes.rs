//! Everything that stands in the way of a run, each with its remedy, and what is worth knowing.

use egui::{RichText, Ui};

use crate::counts::counted;
use crate::data::named;
use crate::method::{AllFrozen, Lone, frozen_of};
use crate::problem::Problem;
use crate::run::config::{RunConfig, Setting};
use crate::session::views::DataView;
use crate::session::words::count_text;
use crate::ui::pages::Cx;
use crate::ui::scripts;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, button, card, link, sentence};

/// Everything that stands in the way.
pub fn in_the_way(cx: &Cx<'_>) -> Vec<Problem> {
    let of_data = cx.session.data.problem().into_iter();
    let mut list: Vec<Problem> = of_data.chain(&cx.session.plan.problems).cloned().collect();
    if let (Some(_), Some(first)) = (named::published(&cx.session.draft.data), list.first_mut())
        && cx.session.data.problem().is_some()
    {
        first.remedy = "download it on the data card".into();
    }
    list
}

/// Draws everything that stands in the way, all at once.
pub fn problems(ui: &mut Ui, cx: &mut Cx<'_>) {
    let list = in_the_way(cx);
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
            format!("Use {}", counted(base.epochs, "epoch"))
        }
        "--freeze-epochs" => {
            let fewer = frozen_of(draft.epochs);
            freeze(&mut fixed, fewer);
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
        "--micro-batch" => {
            fixed.micro_batch = None;
            "Take the whole batch at once".into()
        }
        "--card-variant" => {
            fixed.card_variant = None;
            "Use the automatic way".into()
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

fn freeze(config: &mut RunConfig, epochs: usize) {
    let value = Setting::Whole(epochs as i64);
    config.settings.insert("freeze_epochs".into(), value);
}

/// Draws what is worth knowing about the data and its cut into tasks.
pub fn remarks(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(view) = cx.session.data.ready().cloned() else {
        return;
    };
    let (lone, frozen) = (
        cx.session.plan.lone.clone(),
        cx.session.plan.all_frozen.clone(),
    );
    let lines = view.assumed.clone();
    let more = [
        !view.skipped.is_empty(),
        !view.duplicates.is_empty(),
        !view.two_labels.is_empty(),
        lone.is_some(),
        frozen.is_some(),
    ];
    let fonts = unreadable(ui, cx, &view);
    let count = lines.len() + fonts.len() + more.iter().filter(|there| **there).count();
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
        if let Some(AllFrozen { problem, usual }) = frozen {
            widgets::problem(ui, &problem);
            if button(ui, format!("Freeze {usual}")).clicked() {
                freeze(&mut cx.session.draft, usual);
            }
        }
        for line in lines.into_iter().chain(fonts) {
            sentence(
                ui,
                crate::session::plain::plain(&crate::session::story::sentence(&line)),
            );
        }
        data_lists(ui, cx, &view);
    });
}

/// Fonts that the class names need; looked for once for each data set.
fn unreadable(ui: &Ui, cx: &mut Cx<'_>, view: &DataView) -> Vec<String> {
    let known = &mut cx.pages.experiment.fonts;
    if known.as_ref().is_none_or(|(key, _)| *key != view.key) {
        *known = Some((view.key.clone(), scripts::missing(ui.ctx(), &view.classes)));
    }
    known
        .as_ref()
        .map(|(_, told)| told.clone())
        .unwrap_or_default()
}

/// Files that were left out, and images that stand in both splits or under two labels.
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
    if let Some(words) = &view.two_labels_told {
        sentence(ui, words.clone());
        opened(
            ui,
            &mut state.two_labels,
            "pictures under two labels",
            &view.two_labels,
        );
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
