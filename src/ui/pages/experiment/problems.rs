//! All problems that prevent a run, each with its remedy, and remarks about the data.

use egui::{RichText, Ui};

use crate::data::published;
use crate::method::{SingleClassTasks, find_method};
use crate::problem::Problem;
use crate::run::config::{FixTo, RunConfig, SETTINGS, Setting};
use crate::session::Session;
use crate::session::views::DataView;
use crate::texts::Words;
use crate::tr;
use crate::ui::cached::Shared;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::scripts;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, button, card, sentence, toggle_link, truncated};

/// Returns all problems of the data and the plan.
pub fn blocking_problems(cx: &Cx<'_>) -> Vec<Problem> {
    let data_problems = cx.session.experiment.data.problem().into_iter();
    let mut list: Vec<Problem> =
        data_problems.chain(&cx.session.experiment.plan.problems).cloned().collect();
    if let (Some(_), Some(first)) =
        (published::find_published(&cx.session.experiment.draft.data), list.first_mut())
        && cx.session.experiment.data.problem().is_some()
    {
        first.remedy = tr!("data-download-advice").into();
    }
    list
}

/// Draws all problems.
pub fn problem_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    let list = blocking_problems(cx);
    if list.is_empty() {
        return;
    }
    let images = cx.session.experiment.plan.train_images.iter();
    let smallest_task = images.copied().min();
    let t = tokens(ui);
    card(ui, |ui| {
        let title = tr!("experiment-problems-to-fix", n = list.len());
        ui.label(RichText::new(title).font(semibold(13.0)).color(t.bad));
        for problem in &list {
            widgets::problem(ui, problem);
            if let Some((label, change)) = fix(problem, &cx.session.experiment.draft, smallest_task)
                && button(ui, label).clicked()
            {
                cx.dispatch(change);
            }
        }
    });
}

/// Returns a change of the settings that fixes the problem with one click, and the label of its button.
fn fix(
    problem: &Problem,
    draft: &RunConfig,
    smallest_task: Option<usize>,
) -> Option<(String, UiCommand)> {
    // The place can contain the name of a file after the option.
    let option = problem.place.split(':').next().unwrap_or_default();
    let method_specs = find_method(&draft.method).ok()?.settings.iter();
    let mut specs = method_specs.chain(SETTINGS.iter().map(|setting| &setting.spec));
    let spec = specs.find(|spec| spec.cli_usage() == option)?;
    let default = spec.kind.default();
    let images = smallest_task.and_then(|images| i64::try_from(images).ok());
    let value = match (spec.fix_to, default, images) {
        (FixTo::SmallestTask, Some(Setting::Whole(default)), Some(images)) => {
            Some(Setting::Whole(images.clamp(1, default)))
        }
        (_, default, _) => spec.default_for_epochs(draft.epochs).or(default),
    };
    let label = spec.fix_label(value.as_ref())?;
    let (key, fix_with) = (spec.key, spec.fix_with);
    let change = move |session: &mut Session| {
        session.set(key, value);
        fix_with.iter().for_each(|key| session.set(key, None));
    };
    Some((label, UiCommand::change(change)))
}

/// Draws remarks about the data and its tasks.
pub fn remarks(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(view) = cx.session.experiment.data.ready().cloned() else {
        return;
    };
    let single = cx.session.experiment.plan.single_class.clone();
    let one_task = cx.session.suggested_task_sizes();
    let lines: Vec<String> = view.assumed.iter().map(Words::translated).collect();
    let more = [
        !view.skipped.is_empty(),
        !view.duplicates.is_empty(),
        !view.two_labels.is_empty(),
        single.is_some(),
        one_task.is_some(),
    ];
    let fonts = missing_fonts(ui, cx, &view);
    let count = lines.len() + fonts.len() + more.iter().filter(|shown| **shown).count();
    if count == 0 {
        return;
    }
    let t = tokens(ui);
    card(ui, |ui| {
        let title = tr!("experiment-remarks", n = count);
        ui.label(RichText::new(title).font(semibold(13.0)).color(t.warning));
        if let Some(SingleClassTasks { problem, sizes }) = single {
            widgets::problem(ui, &problem);
            use_sizes(ui, cx, sizes);
        }
        if let Some(sizes) = one_task {
            sentence(ui, tr!("experiment-one-task", n = view.classes.len()));
            use_sizes(ui, cx, sizes);
        }
        for remark in lines.into_iter().chain(fonts) {
            let remark = crate::session::explanation::sentence(&remark);
            sentence(ui, crate::session::window_terms::replace_option_names(&remark));
        }
        if let Some(depth) = view.better_depth
            && button(ui, tr!("data-use-bit-depth", n = depth)).clicked()
        {
            cx.set("bit_depth", Some(Setting::Whole(depth as i64)));
        }
        data_lists(ui, cx, &view);
    });
}

/// Draws a button that sets these task sizes.
fn use_sizes(ui: &mut Ui, cx: &mut Cx<'_>, sizes: String) {
    if button(ui, tr!("experiment-use-sizes", sizes = sizes.as_str())).clicked() {
        cx.set("classes_per_task", Some(Setting::Text(sizes.into())));
    }
}

/// Returns the fonts that the class names need but that are missing. They are searched once for each dataset.
fn missing_fonts(ui: &Ui, cx: &mut Cx<'_>, view: &DataView) -> Vec<String> {
    let missing = || scripts::missing_fonts(ui.ctx(), &view.classes);
    cx.pages.experiment.fonts.get(Shared(view.dataset.clone()), missing)
}

/// Draws lists of skipped files, of images that are in both splits, and of images with two labels.
fn data_lists(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let state = &mut cx.pages.experiment;
    if !view.skipped.is_empty() {
        sentence(ui, tr!("data-skipped-files", n = view.skipped.len()));
        let labels = [tr!("data-skipped-show"), tr!("data-skipped-hide")];
        toggle_list(ui, &mut state.show_skipped, "skipped", labels, &view.skipped);
    }
    if !view.duplicates.is_empty() {
        sentence(ui, tr!("data-in-both-splits", n = view.duplicates.len()));
        let labels = [tr!("data-in-both-splits-show"), tr!("data-in-both-splits-hide")];
        toggle_list(ui, &mut state.show_duplicates, "both", labels, &view.duplicates);
    }
    if let Some(summary) = &view.two_labels_note {
        sentence(ui, summary.translated());
        let labels = [tr!("data-two-labels-show"), tr!("data-two-labels-hide")];
        toggle_list(ui, &mut state.show_two_labels, "two", labels, &view.two_labels);
    }
}

/// Draws a list that can be opened. Its link has the label `show` while closed and `hide` while open.
fn toggle_list(
    ui: &mut Ui,
    open: &mut bool,
    id: &str,
    [show, hide]: [&str; 2],
    rows: &[(String, Words)],
) {
    toggle_link(ui, open, show, hide);
    if !*open {
        return;
    }
    let t = tokens(ui);
    egui::ScrollArea::vertical().id_salt(id).max_height(180.0).show_rows(
        ui,
        32.0,
        rows.len(),
        |ui, range| {
            for (upper, lower) in &rows[range] {
                let lower = lower.translated();
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    truncated(ui, upper, regular(12.0), t.text).on_hover_text(upper);
                    truncated(ui, &lower, regular(11.0), t.subdued).on_hover_text(lower);
                });
            }
        },
    );
}
