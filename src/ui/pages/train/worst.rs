//! The worst pictures: what was answered wrongly, the surest mistakes first.

use std::sync::Arc;

use egui::{Align, ComboBox, Ui, Vec2};

use super::pictures::{Tile, in_rows};
use crate::metrics::{Answers, Expert, Wrong};
use crate::run::event::RunHeader;
use crate::session::run_view::RunView;
use crate::session::views::DataView;
use crate::session::words::{by_number, count_text, percent};
use crate::ui::app::Cx;
use crate::ui::pages::ask_to_open;
use crate::ui::widgets::{self, button, card, faint, link};

/// Pictures shown at first, and added by a click.
const SHOWN: usize = 24;
/// Side of a picture, in points.
const SIDE: f32 = 84.0;

/// What the list belongs to: run, reports, task, expert, class, pictures asked once more.
type Key = (String, usize, usize, Expert, Option<usize>, usize);

/// What the card remembers.
pub struct State {
    /// The true class whose pictures are shown, by position; none for all.
    class: Option<usize>,
    shown: usize,
    /// Whether the card is to come into sight.
    pub scroll: bool,
    list: Option<(Key, Arc<Vec<Wrong>>)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            class: None,
            shown: SHOWN,
            scroll: false,
            list: None,
        }
    }
}

/// Draws the card; nothing before the first task.
pub fn card_of_worst(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let (Some(header), Some(last)) = (&run.header, run.reports.len().checked_sub(1)) else {
        return;
    };
    let state = &cx.pages.train;
    let task = state.task.map_or(last, |task| task.min(last));
    let expert = run.history.nearest(state.expert);
    let top = ui.cursor().min;
    card(ui, |ui| {
        let list = list(cx, run, header, task, expert);
        head(ui, cx, header, run, (task, expert));
        if list.is_empty() {
            faint(ui, "No picture was answered wrongly.");
            return;
        }
        let answers = &run.reports[task].answers;
        if !answers.has_certainty(expert) {
            unsure(ui, cx, run, header, task);
        }
        pictures(ui, cx, run, (header, answers), &list);
    });
    if std::mem::take(&mut cx.pages.train.worst.scroll) {
        let rect = egui::Rect::from_min_max(top, ui.cursor().min);
        ui.scroll_to_rect(rect, Some(Align::TOP));
    }
}

/// The mistakes, sorted anew only when they are others.
fn list(
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
    task: usize,
    expert: Expert,
) -> Arc<Vec<Wrong>> {
    let class = cx.pages.train.worst.class;
    let looked = cx.session.looked_again(&header.folder, task);
    let key = (
        header.run.clone(),
        run.reports.len(),
        task,
        expert,
        class,
        looked,
    );
    if let Some((known, list)) = &cx.pages.train.worst.list
        && *known == key
    {
        return list.clone();
    }
    let list = Arc::new(cx.session.worst(run, task, expert, class));
    cx.pages.train.worst.list = Some((key, list.clone()));
    list
}

fn head(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &RunHeader,
    run: &RunView,
    (task, expert): (usize, Expert),
) {
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, "The surest mistakes");
        let whose = match run.history.experts().count() {
            0 | 1 => String::new(),
            _ => format!(" · {}", expert.name()),
        };
        faint(ui, format!("after task {}{whose}", task + 1));
        let state = &mut cx.pages.train.worst;
        let name = state.class.and_then(|class| header.class_order.get(class));
        let combo = ComboBox::from_id_salt("class of the worst")
            .selected_text(name.map_or("all classes", String::as_str));
        let shown = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut state.class, None, "all classes");
            let taught = header.tasks.get(task).map_or(0, |task| task.end);
            let names = header.class_order.iter().take(taught).enumerate();
            let mut names: Vec<(usize, &String)> = names.collect();
            names.sort_by(|a, b| by_number(a.1, b.1));
            for (class, name) in names {
                ui.selectable_value(&mut state.class, Some(class), name);
            }
        });
        shown.response.accessible_name("True class of the mistakes");
    });
    faint(
        ui,
        "Truth → answer, and how certain it was. Click a picture to ask Predict about it. If its label is wrong, say what it really is.",
    );
}

/// A run of an older version did not note how certain it was.
fn unsure(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    if let Some(problem) = cx.session.look_again_problem(&header.folder, task).cloned() {
        widgets::problem(ui, &problem);
    }
    ui.horizontal_wrapped(|ui| {
        if let Some((done, all)) = cx.session.looking_again(&header.folder, task) {
            ui.spinner();
            faint(ui, format!("{done} of {all} are asked once more"));
            return;
        }
        let done = cx.session.looked_again(&header.folder, task);
        let words = match done {
            0 => "This run did not note how certain it was of its answers.".to_string(),
            n => format!("This run did not note how certain it was; {n} were asked once more."),
        };
        faint(ui, words);
        let at_hand = matches!(cx.session.tested_on(run), Some(Ok(_)));
        let wrong = run.reports[task].answers.wrong(header.answering(), None);
        if at_hand && done < wrong.len() && button(ui, "Ask about its mistakes once more").clicked()
        {
            cx.session.look_again(run, task);
        }
    });
}

fn pictures(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    (header, answers): (&RunHeader, &Answers),
    list: &[Wrong],
) {
    // Where a cell of the confusion matrix is looked at, it is said there why there are no pictures.
    let told = cx.pages.train.cell.is_some();
    let data = match cx.session.tested_on(run) {
        None | Some(Err(_)) if told => return,
        None if cx.session.asks_before_opening(&header.config) => {
            ask_to_open(ui, cx, &header.config);
            return;
        }
        None => {
            faint(ui, "The data set is being opened.");
            return;
        }
        Some(Err(problem)) => {
            widgets::problem(ui, &problem);
            return;
        }
        Some(Ok(data)) => data,
    };
    cx.session.need_mended(&header.config.data);
    let shown = cx.pages.train.worst.shown;
    in_rows(ui, |ui| {
        ui.spacing_mut().item_spacing = Vec2::new(8.0, 10.0);
        for wrong in list.iter().take(shown) {
            one(ui, cx, (header, &data), answers, wrong);
        }
    });
    if list.len() > shown {
        let more = count_text(list.len() - shown);
        if link(ui, &format!("Show more ({more})")).clicked() {
            cx.pages.train.worst.shown += SHOWN;
        }
    }
}

fn one(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (header, data): (&RunHeader, &Arc<DataView>),
    answers: &Answers,
    wrong: &Wrong,
) {
    let name = |class: usize| header.class_order.get(class).map_or("?", String::as_str);
    let source = answers.source(wrong.at);
    let sure = wrong.certainty.map_or_else(
        || "not noted".to_string(),
        |certainty| percent(f64::from(certainty), 1),
    );
    let tile = Tile {
        header,
        data: (source == 0).then_some(data),
        place: (source, answers.samples.get(wrong.at).copied().unwrap_or(0)),
        truth: wrong.label,
        given: Some(wrong.given),
        side: SIDE,
        words: Some([
            format!("{} → {}", name(wrong.label), name(wrong.given)),
            sure,
        ]),
    };
    tile.show(ui, cx);
}
