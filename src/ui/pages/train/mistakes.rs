//! The card of the worst images, the most confident errors first: misclassified test images, or training images that look
//! like another class than their label.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Align, ComboBox, Ui, Vec2};

use super::image_tile::{Tile, in_rows};
use crate::metrics::{Expert, Misclassification, Predictions};
use crate::run::event::RunHeader;
use crate::run::label_noise::LabelCheckState;
use crate::session::Session;
use crate::session::formatting::{compare_natural, format_percent};
use crate::session::label_noise::suspicious_labels;
use crate::session::run_view::RunView;
use crate::session::views::{DataView, Split};
use crate::tr;
use crate::ui::cached::Cached;
use crate::ui::pages::{Cx, open_dataset_button};
use crate::ui::widgets::{self, button, card, faint, segmented};

/// Number of images per page.
const PAGE_SIZE: usize = 24;
/// Size of an image, in points.
const IMAGE_SIZE: f32 = 104.0;

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
    revision: u64,
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
            shown: PAGE_SIZE,
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
    pub fn show_mistakes_of_class(&mut self, class: usize) {
        self.show_mistakes();
        (self.class, self.shown) = (Some(class), PAGE_SIZE);
    }

    /// Shows the training images that look like another class and scrolls to them.
    pub fn show_doubtful(&mut self) {
        (self.split, self.class, self.shown) = (Split::Train, None, PAGE_SIZE);
        self.scroll = true;
    }

    /// Returns the task up to which images are shown. The search for training images does not include added tasks.
    fn task(&self, header: &RunHeader, task: usize) -> usize {
        match self.split {
            Split::Train => task.min(header.original_task_count().saturating_sub(1)),
            Split::Test => task,
        }
    }
}

/// Draws the card if at least one task was tested.
pub fn mistakes_card(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView) {
    let (Some(header), Some(last)) = (&run.header, run.reports.len().checked_sub(1)) else {
        return;
    };
    let state = &cx.pages.train;
    let task = state.task.map_or(last, |task| task.min(last));
    let expert = run.history.expert_or_answer(state.expert);
    let top = ui.cursor().min;
    card(ui, |ui| {
        show_header(ui, cx, header, run, (task, expert));
        match cx.pages.train.mistakes.split {
            Split::Test => test_mistakes(ui, cx, run, header, (task, expert)),
            Split::Train => doubtful_images(ui, cx, run, header, task),
        }
    });
    if std::mem::take(&mut cx.pages.train.mistakes.scroll) {
        let rect = egui::Rect::from_min_max(top, ui.cursor().min);
        ui.scroll_to_rect(rect, Some(Align::TOP));
    }
}

/// Draws the misclassified test images.
fn test_mistakes(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
    (task, expert): (usize, Expert),
) {
    let predicted = cx.session.errors_predicted(&header.folder, task) as u64;
    let answers = &run.reports[task].answers;
    let inputs = (task, expert, predicted);
    let (list, _) = cached_list(cx, run, (header, answers), inputs, |session, class| {
        session.most_confident_errors(run, task, expert, class)
    });
    if list.is_empty() {
        faint(ui, tr!("train-mistakes-none"));
        return;
    }
    if !answers.has_certainty(expert) {
        missing_certainty_note(ui, cx, run, header, task);
    }
    image_tiles(ui, cx, run, (header, answers), &list);
}

/// Returns the images to show, and the number of images that were checked. The images are sorted again only if an input
/// has changed.
fn cached_list(
    cx: &mut Cx<'_>,
    run: &RunView,
    (header, answers): (&RunHeader, &Predictions),
    (task, expert, revision): (usize, Expert, u64),
    load: impl FnOnce(&Session, Option<usize>) -> Vec<Misclassification>,
) -> (Arc<Vec<Misclassification>>, usize) {
    let State { class, split, .. } = cx.pages.train.mistakes;
    let key = Key {
        run: header.folder.clone(),
        reports: run.reports.len(),
        split,
        task,
        expert,
        class,
        revision,
    };
    let session = cx.session;
    cx.pages.train.mistakes.list.get(key, || {
        let list = Arc::new(load(session, class));
        let is_selected = |label: &&usize| class.is_none_or(|class| class == **label);
        (list, answers.labels.iter().filter(is_selected).count())
    })
}

fn show_header(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &RunHeader,
    run: &RunView,
    (task, expert): (usize, Expert),
) {
    ui.horizontal_wrapped(|ui| {
        let state = &mut cx.pages.train.mistakes;
        let title = match state.split {
            Split::Test => tr!("train-confident-mistakes"),
            Split::Train => tr!("train-doubtful-labels"),
        };
        widgets::title(ui, title);
        let options =
            [(Split::Test, tr!("train-test-images")), (Split::Train, tr!("train-training-images"))];
        if segmented(ui, tr!("train-mistakes-split"), &options, &mut state.split) {
            (state.shown, state.scroll) = (PAGE_SIZE, true);
        }
        let expert_note = match (state.split, run.history.experts().count()) {
            (Split::Train, _) => format!(" · {}", tr!("train-backbone-only")),
            (Split::Test, 0 | 1) => String::new(),
            (Split::Test, _) => format!(" · {}", expert.key()),
        };
        let task = state.task(header, task);
        let class_count = header.tasks.get(task).map_or(0, |task| task.end);
        // A class that is learned later has no images yet.
        state.class = state.class.filter(|class| *class < class_count);
        let after = tr!("figure-after-task", task = task + 1);
        faint(ui, format!("{after}{expert_note}"));
        let name = state.class.and_then(|class| header.class_order.get(class));
        let combo = ComboBox::from_id_salt("class of the worst")
            .selected_text(name.map_or(tr!("train-all-classes"), String::as_str));
        let response = combo.show_ui(ui, |ui| {
            ui.selectable_value(&mut state.class, None, tr!("train-all-classes"));
            let names = header.class_order.iter().take(class_count).enumerate();
            let mut names: Vec<(usize, &String)> = names.collect();
            names.sort_by(|a, b| compare_natural(a.1, b.1));
            for (class, name) in names {
                ui.selectable_value(&mut state.class, Some(class), name);
            }
        });
        response.response.accessible_name(match state.split {
            Split::Test => tr!("train-mistakes-class"),
            Split::Train => tr!("train-doubtful-labels-class"),
        });
    });
    let hint = match cx.pages.train.mistakes.split {
        Split::Train => tr!("train-doubtful-labels-hint"),
        Split::Test => tr!("train-mistakes-hint"),
    };
    faint(ui, hint);
}

/// Draws a note for runs of older versions, which did not record certainties, with a button that computes them.
fn missing_certainty_note(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
    task: usize,
) {
    if let Some(problem) = cx.session.error_prediction_problem(&header.folder, task) {
        widgets::problem(ui, problem);
    }
    ui.horizontal_wrapped(|ui| {
        if let Some((done, total)) = cx.session.error_prediction_progress(&header.folder, task) {
            ui.spinner();
            faint(ui, tr!("train-predicted-again", n = done, of = total));
            return;
        }
        let done = cx.session.errors_predicted(&header.folder, task);
        let text = match done {
            0 => tr!("train-certainty-not-stored-hint").to_string(),
            n => tr!("train-certainty-predicted-again", n),
        };
        faint(ui, text);
        let tested = cx.session.unchanged_dataset(run, Split::Test);
        let is_available = matches!(cx.look_up(tested), Some(Ok(_)));
        let mistakes = run.reports[task].answers.misclassified(header.answering_expert(), None);
        if is_available
            && done < mistakes.len()
            && button(ui, tr!("train-predict-mistakes-again")).clicked()
        {
            let folder = header.folder.clone();
            cx.change(move |session| session.predict_errors_again(&folder, task));
        }
    });
}

/// Returns the run's dataset; if it is missing, draws the reason.
fn available_data(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
) -> Option<Arc<DataView>> {
    let split = cx.pages.train.mistakes.split;
    // An open cell of the confusion matrix already shows why there are no images.
    let is_explained = cx.pages.train.cell.is_some();
    let tested = cx.session.unchanged_dataset(run, split);
    match cx.look_up(tested) {
        None if is_explained => {}
        Some(Err(_)) if is_explained && split == Split::Test => {}
        None if cx.session.needs_permission(&header.config) => {
            open_dataset_button(ui, cx, &header.config);
        }
        None => drop(faint(ui, tr!("train-opening-dataset"))),
        Some(Err(problem)) => widgets::problem(ui, &problem),
        Some(Ok(data)) => return Some(data),
    }
    None
}

fn image_tiles(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    (header, answers): (&RunHeader, &Predictions),
    list: &[Misclassification],
) {
    let Some(data) = available_data(ui, cx, run, header) else {
        return;
    };
    cx.request_corrected_labels(&header.config.data);
    let shown = cx.pages.train.mistakes.shown;
    in_rows(ui, |ui| {
        ui.spacing_mut().item_spacing = Vec2::new(8.0, 10.0);
        for mistake in list.iter().take(shown) {
            image_tile(ui, cx, (header, &data), answers, mistake);
        }
    });
    if list.len() > shown {
        let more = tr!("train-show-more", n = list.len() - shown);
        if ui.link(more).clicked() {
            cx.pages.train.mistakes.shown += PAGE_SIZE;
        }
    }
}

fn image_tile(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (header, data): (&RunHeader, &Arc<DataView>),
    answers: &Predictions,
    mistake: &Misclassification,
) {
    let name = |class: usize| header.class_order.get(class).map_or("?", String::as_str);
    let source = answers.source(mistake.index);
    let certainty_text = mistake.certainty.map_or_else(
        || tr!("train-certainty-not-stored").to_string(),
        |certainty| format_percent(f64::from(certainty), 1),
    );
    let tile = Tile {
        split: cx.pages.train.mistakes.split,
        header,
        data: (source == 0).then_some(data),
        location: (source, answers.samples.get(mistake.index).copied().unwrap_or(0)),
        truth: mistake.label,
        predicted: Some(mistake.predicted),
        side: IMAGE_SIZE,
        caption: Some([
            name(mistake.label).to_string(),
            format!("→ {}", name(mistake.predicted)),
            certainty_text,
        ]),
    };
    tile.show(ui, cx);
}

/// Draws the state of the search and the images that it found.
fn doubtful_images(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    let task = cx.pages.train.mistakes.task(header, task);
    let awaited = cx.pages.train.mistakes.awaited.take();
    let session = cx.session;
    let (ticket, answers) = match session.label_check(&header.folder, task) {
        Some((ticket, LabelCheckState::Done(answers))) => (*ticket, answers),
        Some(&(ticket, LabelCheckState::Working((done, total)))) => {
            cx.pages.train.mistakes.awaited = Some(ticket);
            search_progress(ui, cx, header, task, (done, total));
            return;
        }
        Some((_, LabelCheckState::Failed(problem))) => {
            widgets::problem(ui, problem);
            search_button(ui, cx, run, header, task);
            return;
        }
        Some((_, LabelCheckState::Stopped)) | None => {
            search_button(ui, cx, run, header, task);
            return;
        }
    };
    // Scrolls to the result that the user was waiting for.
    cx.pages.train.mistakes.scroll |= awaited == Some(ticket);
    let key = (task, Expert::ANSWER, ticket);
    let (list, of) =
        cached_list(cx, run, (header, answers), key, |_, class| suspicious_labels(answers, class));
    let class = cx.pages.train.mistakes.class;
    let class = class.and_then(|class| header.class_order.get(class));
    let labelled = class.map_or_else(String::new, |name| {
        format!(" {}", tr!("train-labelled-class", class = name.as_str()))
    });
    if list.is_empty() {
        faint(ui, tr!("train-doubts-no-images", labelled));
        return;
    }
    let n = list.len();
    let text = tr!("train-doubts-images-found", n, of, labelled);
    faint(ui, text);
    image_tiles(ui, cx, run, (header, answers), &list);
}

fn search_progress(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &RunHeader,
    task: usize,
    (done, total): (usize, usize),
) {
    ui.horizontal_wrapped(|ui| {
        ui.spinner();
        let text = match total {
            0 => tr!("train-doubts-loading").to_string(),
            of if done == of => tr!("train-doubts-comparing").to_string(),
            of => tr!("train-doubts-progress", n = done, of),
        };
        faint(ui, text);
        if button(ui, tr!("train-stop-run")).clicked() {
            let folder = header.folder.clone();
            cx.change(move |session| session.stop_label_check(&folder, task));
        }
    });
}

/// Draws the button that starts the search.
fn search_button(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    faint(ui, tr!("train-doubts-about"));
    if available_data(ui, cx, run, header).is_some()
        && button(ui, tr!("train-find-doubtful-labels")).clicked()
    {
        let folder = header.folder.clone();
        cx.change(move |session| session.request_label_check(&folder, task));
    }
}
