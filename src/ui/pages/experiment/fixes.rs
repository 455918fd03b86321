//! Everything that stands in the way of a run, each with its remedy, and what is worth knowing.

use egui::{RichText, Ui};

use crate::counts::counted;
use crate::data::named;
use crate::method::{AllFrozen, SingleClassTasks, named_method};
use crate::problem::Problem;
use crate::run::config::{RunConfig, SETTINGS, SettingGroup, SettingSpec};
use crate::session::views::DataView;
use crate::session::words::count_text;
use crate::ui::pages::Cx;
use crate::ui::scripts;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, button, card, link, sentence};

/// Everything that stands in the way.
pub fn in_the_way(cx: &Cx<'_>) -> Vec<Problem> {
    let of_data = cx.session.experiment.data.problem().into_iter();
    let mut list: Vec<Problem> = of_data
        .chain(&cx.session.experiment.plan.problems)
        .cloned()
        .collect();
    if let (Some(_), Some(first)) = (
        named::published(&cx.session.experiment.draft.data),
        list.first_mut(),
    ) && cx.session.experiment.data.problem().is_some()
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
    let least = cx
        .session
        .experiment
        .plan
        .train_images
        .iter()
        .copied()
        .min();
    let t = tokens(ui);
    let classes = cx
        .session
        .experiment
        .data
        .ready()
        .map_or(0, |view| view.classes.len());
    card(ui, |ui| {
        let words = format!("{} to fix", counted(list.len(), "thing"));
        ui.label(RichText::new(words).font(semibold(13.0)).color(t.bad));
        for problem in &list {
            widgets::problem(ui, problem);
            if let Some((label, fixed)) = fix(problem, &cx.session.experiment.draft, classes, least)
                && button(ui, label).clicked()
            {
                cx.session.experiment.draft = fixed;
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
    // A place may name a file after the option.
    let place = problem.place.split(':').next().unwrap_or_default();
    let mut own = named_method(&draft.method).ok()?.settings.iter();
    if let Some(spec) = own.find(|spec| spec.place() == place) {
        return fix_own(spec, draft);
    }
    let setting = SETTINGS.iter().find(|s| s.spec.place() == place)?;
    let (usual, mut fixed) = (RunConfig::default(), draft.clone());
    (setting.copy)(&mut fixed, &usual);
    match setting.spec.key {
        "batch" => fixed.batch = least.unwrap_or(usual.batch).clamp(1, usual.batch),
        "classes_per_task" => fixed.classes_per_task = classes.div_ceil(5).max(1).to_string(),
        // What was chosen for the other plugin and the other data.
        "pet" => fixed.copy(&usual, |spec| {
            spec.group == SettingGroup::Pet && spec.key != "blocks"
        }),
        "data" => fixed.classes_per_task = usual.classes_per_task,
        _ => {}
    }
    let label = setting.spec.fix((setting.get)(&fixed).as_ref())?;
    Some((label, fixed))
}

/// The same of a setting of the method's own: its share of the epochs, or the default.
fn fix_own(spec: &SettingSpec, draft: &RunConfig) -> Option<(String, RunConfig)> {
    let mut fixed = draft.clone();
    let share = spec.usual_of(draft.epochs);
    fixed.settings.remove(spec.key);
    let label = spec.fix(share.as_ref().or(spec.kind.default().as_ref()))?;
    let share = share.map(|share| (spec.key.to_string(), share));
    fixed.settings.extend(share);
    Some((label, fixed))
}

/// Draws what is worth knowing about the data and its cut into tasks.
pub fn remarks(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(view) = cx.session.experiment.data.ready().cloned() else {
        return;
    };
    let (single, frozen) = (
        cx.session.experiment.plan.single_class.clone(),
        cx.session.experiment.plan.all_frozen.clone(),
    );
    let lines = view.assumed.clone();
    let more = [
        !view.skipped.is_empty(),
        !view.duplicates.is_empty(),
        !view.two_labels.is_empty(),
        single.is_some(),
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
        if let Some(SingleClassTasks { problem, sizes }) = single {
            widgets::problem(ui, &problem);
            if button(ui, format!("Use {sizes}")).clicked() {
                cx.session.experiment.draft.classes_per_task = sizes;
            }
        }
        if let Some(AllFrozen {
            problem,
            setting,
            usual,
        }) = frozen
        {
            widgets::problem(ui, &problem);
            let label = setting.fix(Some(&usual));
            if label.is_some_and(|label| button(ui, label).clicked()) {
                let own = &mut cx.session.experiment.draft.settings;
                own.insert(setting.key.into(), usual);
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
