//! The card of the worst images, the most confident errors first: misclassified test images, or training images that look
//! like another class than their label.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Align, ComboBox, Ui, Vec2};

use super::pictures::{Tile, in_rows};
use crate::metrics::{Answers, Expert, Misclassification};
use crate::run::doubt::DoubtState;
use crate::run::event::RunHeader;
use crate::session::Session;
use crate::session::label_noise::doubtful;
use crate::session::run_view::RunView;
use crate::session::views::{DataView, Split};
use crate::session::words::{by_number, percent};
use crate::tr;
use crate::ui::cached::Cached;
use crate::ui::pages::{Cx, ask_to_open};
use crate::ui::widgets::{self, button, card, faint, segmented};

/// Number of images per page.
const SHOWN: usize = 24;
/// Size of an image, in points.
const SIDE: f32 = 104.0;

/// The inputs of a cached list.
#[derive(PartialEq)]
struct Key {
    run: PathBuf,
    reports: usize,
    split: Split,
    task: usize,
    expert: Expert,
    class: Option<usize>,
    /// Number of images that were predicted again, or the ticket of the search.
    found: u64,
}

/// The state of the card that is kept between frames.
pub struct State {
    /// The split whose images are shown.
    split: Split,
    /// The true class whose images are shown, as a position in the class order; `None` for all classes.
    class: Option<usize>,
    shown: usize,
    /// Whether to scroll to the card in the next frame.
    scroll: bool,
    /// The ticket of the search that the user is waiting for.
    awaited: Option<u64>,
    /// A cache of the images, and the number of images that were checked.
    list: Cached<Key, (Arc<Vec<Misclassification>>, usize)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            split: Split::Test,
            class: None,
            shown: SHOWN,
            scroll: false,
            awaited: None,
            list: Cached::default(),
        }
    }
}

impl State {
    /// Shows the misclassified test images and scrolls to them.
    pub fn show_mistakes(&mut self) {
        (self.split, self.scroll) = (Split::Test, true);
    }

    /// Shows the misclassified test images of a class (by its position) and scrolls to them.
    pub fn see_mistakes_of(&mut self, class: usize) {
        self.show_mistakes();
        (self.class, self.shown) = (Some(class), SHOWN);
    }

    /// Shows the training images that look like another class and scrolls to them.
    pub fn show_doubtful(&mut self) {
        (self.split, self.class, self.shown) = (Split::Train, None, SHOWN);
        self.scroll = true;
    }

    /// Returns the task up to which images are shown. The search for training images does not include added tasks.
    fn task(&self, header: &RunHeader, task: usize) -> usize {
        match self.split {
            Split::Train => task.min(header.own_tasks().saturating_sub(1)),
            Split::Test => task,
        }
    }
}

/// Draws the card if at least one task was tested.
pub fn card_of_worst(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let (Some(header), Some(last)) = (&run.header, run.reports.len().checked_sub(1)) else {
        return;
    };
    let state = &cx.pages.train;
    let task = state.task.map_or(last, |task| task.min(last));
    let expert = run.history.nearest(state.expert);
    let top = ui.cursor().min;
    card(ui, |ui| {
        head(ui, cx, header, run, (task, expert));
        match cx.pages.train.worst.split {
            Split::Test => tests(ui, cx, run, header, (task, expert)),
            Split::Train => doubtful_images(ui, cx, run, header, task),
        }
    });
    if std::mem::take(&mut cx.pages.train.worst.scroll) {
        let rect = egui::Rect::from_min_max(top, ui.cursor().min);
        ui.scroll_to_rect(rect, Some(Align::TOP));
    }
}

/// Draws the misclassified test images.
fn tests(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
    (task, expert): (usize, Expert),
) {
    let looked = cx.session.errors_predicted(&header.folder, task) as u64;
    let answers = &run.reports[task].answers;
    let of = (task, expert, looked);
    let (list, _) = list(cx, run, (header, answers), of, |session, class| {
        session.worst(run, task, expert, class)
    });
    if list.is_empty() {
        faint(ui, tr!("train-mistakes-none"));
        return;
    }
    if !answers.has_certainty(expert) {
        unsure(ui, cx, run, header, task);
    }
    pictures(ui, cx, run, (header, answers), &list);
}

/// Returns the images to show, and the number of images that were checked. The images are sorted again only if an input
/// has changed.
fn list(
    cx: &mut Cx<'_>,
    run: &RunView,
    (header, answers): (&RunHeader, &Answers),
    (task, expert, found): (usize, Expert, u64),
    of: impl FnOnce(&Session, Option<usize>) -> Vec<Misclassification>,
) -> (Arc<Vec<Misclassification>>, usize) {
    let State { class, split, .. } = cx.pages.train.worst;
    let key = Key {
        run: header.folder.clone(),
        reports: run.reports.len(),
        split,
        task,
        expert,
        class,
        found,
    };
    let session = cx.session;
    cx.pages.train.worst.list.get(key, || {
        let list = Arc::new(of(session, class));
        let wanted = |label: &&usize| class.is_none_or(|class| class == **label);
        (list, answers.labels.iter().filter(wanted).count())
    })
}

fn head(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &RunHeader,
    run: &RunView,
    (task, expert): (usize, Expert),
) {
    ui.horizontal_wrapped(|ui| {
        let state = &mut cx.pages.train.worst;
        let title = match state.split {
            Split::Test => tr!("train-confident-mistakes"),
            Split::Train => tr!("train-doubtful-labels"),
        };
        widgets::title(ui, title);
        let sides = [
            (Split::Test, tr!("train-test-images")),
            (Split::Train, tr!("train-training-images")),
        ];
        if segmented(ui, tr!("train-mistakes-split"), &sides, &mut state.split) {
            (state.shown, state.scroll) = (SHOWN, true);
        }
        let whose = match (state.split, run.history.experts().count()) {
            (Split::Train, _) => format!(" · {}", tr!("train-backbone-only")),
            (Split::Test, 0 | 1) => String::new(),
            (Split::Test, _) => format!(" · {}", expert.name()),
        };
        let task = state.task(header, task);
        let after = tr!("figure-after-task", task = task + 1);
        faint(ui, format!("{after}{whose}"));
        let name = state.class.and_then(|class| header.class_order.get(class));
        let combo = ComboBox::from_id_salt("class of the worst")
            .selected_text(name.map_or(tr!("train-all-classes"), String::as_str));
        let shown = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut state.class, None, tr!("train-all-classes"));
            let taught = header.tasks.get(task).map_or(0, |task| task.end);
            let names = header.class_order.iter().take(taught).enumerate();
            let mut names: Vec<(usize, &String)> = names.collect();
            names.sort_by(|a, b| by_number(a.1, b.1));
            for (class, name) in names {
                ui.selectable_value(&mut state.class, Some(class), name);
            }
        });
        shown.response.accessible_name(match state.split {
            Split::Test => tr!("train-mistakes-class"),
            Split::Train => tr!("train-doubtful-labels-class"),
        });
    });
    let hint = match cx.pages.train.worst.split {
        Split::Train => tr!("train-doubtful-labels-hint"),
        Split::Test => tr!("train-mistakes-hint"),
    };
    faint(ui, hint);
}

/// Draws a note for runs of older versions, which did not record certainties, with a button that computes them.
fn unsure(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    if let Some(problem) = cx.session.error_prediction_problem(&header.folder, task) {
        widgets::problem(ui, problem);
    }
    ui.horizontal_wrapped(|ui| {
        if let Some((done, all)) = cx.session.error_prediction_progress(&header.folder, task) {
            ui.spinner();
            faint(ui, tr!("train-predicted-again", n = done, of = all));
            return;
        }
        let done = cx.session.errors_predicted(&header.folder, task);
        let words = match done {
            0 => tr!("train-certainty-not-stored-hint").to_string(),
            n => tr!("train-certainty-predicted-again", n),
        };
        faint(ui, words);
        let tested = cx.session.tested_on(run, Split::Test);
        let at_hand = matches!(cx.look_up(tested), Some(Ok(_)));
        let wrong = run.reports[task].answers.wrong(header.answering(), None);
        if at_hand
            && done < wrong.len()
            && button(ui, tr!("train-predict-mistakes-again")).clicked()
        {
            let folder = header.folder.clone();
            cx.change(move |session| session.predict_errors_again(&folder, task));
        }
    });
}

/// Returns the run's dataset; if it is missing, draws the reason.
fn at_hand(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
) -> Option<Arc<DataView>> {
    let split = cx.pages.train.worst.split;
    // An open cell of the confusion matrix already shows why there are no images.
    let told = cx.pages.train.cell.is_some();
    let tested = cx.session.tested_on(run, split);
    match cx.look_up(tested) {
        None if told => {}
        Some(Err(_)) if told && split == Split::Test => {}
        None if cx.session.asks_before_opening(&header.config) => {
            ask_to_open(ui, cx, &header.config);
        }
        None => drop(faint(ui, tr!("train-opening-dataset"))),
        Some(Err(problem)) => widgets::problem(ui, &problem),
        Some(Ok(data)) => return Some(data),
    }
    None
}

fn pictures(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    (header, answers): (&RunHeader, &Answers),
    list: &[Misclassification],
) {
    let Some(data) = at_hand(ui, cx, run, header) else {
        return;
    };
    cx.need_corrected(&header.config.data);
    let shown = cx.pages.train.worst.shown;
    in_rows(ui, |ui| {
        ui.spacing_mut().item_spacing = Vec2::new(8.0, 10.0);
        for wrong in list.iter().take(shown) {
            one(ui, cx, (header, &data), answers, wrong);
        }
    });
    if list.len() > shown {
        let more = tr!("train-show-more", n = list.len() - shown);
        if ui.link(more).clicked() {
            cx.pages.train.worst.shown += SHOWN;
        }
    }
}

fn one(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (header, data): (&RunHeader, &Arc<DataView>),
    answers: &Answers,
    wrong: &Misclassification,
) {
    let name = |class: usize| header.class_order.get(class).map_or("?", String::as_str);
    let source = answers.source(wrong.at);
    let sure = wrong.certainty.map_or_else(
        || tr!("train-certainty-not-stored").to_string(),
        |certainty| percent(f64::from(certainty), 1),
    );
    let tile = Tile {
        split: cx.pages.train.worst.split,
        header,
        data: (source == 0).then_some(data),
        place: (source, answers.samples.get(wrong.at).copied().unwrap_or(0)),
        truth: wrong.label,
        given: Some(wrong.given),
        side: SIDE,
        words: Some([
            name(wrong.label).to_string(),
            format!("→ {}", name(wrong.given)),
            sure,
        ]),
    };
    tile.show(ui, cx);
}

/// Draws the state of the search and the images that it found.
fn doubtful_images(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    let task = cx.pages.train.worst.task(header, task);
    let awaited = cx.pages.train.worst.awaited.take();
    let session = cx.session;
    let (ticket, answers) = match session.doubts(&header.folder, task) {
        Some((ticket, DoubtState::Done(answers))) => (*ticket, answers),
        Some(&(ticket, DoubtState::Working((done, of)))) => {
            cx.pages.train.worst.awaited = Some(ticket);
            under_way(ui, cx, header, task, (done, of));
            return;
        }
        Some((_, DoubtState::Failed(problem))) => {
            widgets::problem(ui, problem);
            offer_search(ui, cx, run, header, task);
            return;
        }
        Some((_, DoubtState::Stopped)) | None => {
            offer_search(ui, cx, run, header, task);
            return;
        }
    };
    // Scrolls to the result that the user was waiting for.
    cx.pages.train.worst.scroll |= awaited == Some(ticket);
    let key = (task, Expert::ANSWER, ticket);
    let (list, of) = list(cx, run, (header, answers), key, |_, class| {
        doubtful(answers, class)
    });
    let class = cx.pages.train.worst.class;
    let class = class.and_then(|class| header.class_order.get(class));
    let labelled = class.map_or_else(String::new, |name| {
        format!(" {}", tr!("train-labelled-class", class = name.as_str()))
    });
    if list.is_empty() {
        faint(ui, tr!("train-doubts-no-images", labelled));
        return;
    }
    let n = list.len();
    let words = tr!("train-doubts-images-found", n, of, labelled);
    faint(ui, words);
    pictures(ui, cx, run, (header, answers), &list);
}

fn under_way(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &RunHeader,
    task: usize,
    (done, of): (usize, usize),
) {
    ui.horizontal_wrapped(|ui| {
        ui.spinner();
        let words = match of {
            0 => tr!("train-doubts-loading").to_string(),
            of if done == of => tr!("train-doubts-comparing").to_string(),
            of => tr!("train-doubts-progress", n = done, of),
        };
        faint(ui, words);
        if button(ui, tr!("train-stop-run")).clicked() {
            let folder = header.folder.clone();
            cx.change(move |session| session.stop_doubts(&folder, task));
        }
    });
}

/// Draws the button that starts the search.
fn offer_search(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    faint(ui, tr!("train-doubts-about"));
    if at_hand(ui, cx, run, header).is_some()
        && button(ui, tr!("train-find-doubtful-labels")).clicked()
    {
        let folder = header.folder.clone();
        cx.change(move |session| session.request_label_check(&folder, task));
    }
}
