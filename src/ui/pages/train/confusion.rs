//! The confusion card: after any task, for any expert, by classes or by tasks. A click on a cell shows its images.

use std::ops::Range;
use std::sync::Arc;

use egui::{Role, Sense, Ui, Vec2, WidgetInfo};

use super::image_tile::{Tile, in_rows};
use crate::metrics::{Expert, Predictions, tasks_by_class};
use crate::run::event::RunHeader;
use crate::session::formatting::format_count;
use crate::session::run_view::RunView;
use crate::session::views::{DataView, Split};
use crate::texts::Language;
use crate::tr;
use crate::ui::cached::Cached;
use crate::ui::pages::{Cx, open_dataset_button};
use crate::ui::theme::tokens;
use crate::ui::widgets::confusion::{Cell, ConfusionMatrix};
use crate::ui::widgets::curves::task_labels;
use crate::ui::widgets::{self, card_with_height, faint, segmented, terms};

/// Maximum number of images shown for a cell.
const MAX_IMAGES: usize = 24;

/// The inputs of a cached matrix: run, number of reports, task, expert, whether it is by tasks, and theme and language.
type Key = (String, usize, usize, Expert, bool, (bool, Language));
/// Cached data: the matrix, and the indices of the predictions in the selected cell.
#[derive(Default)]
pub struct Cache {
    matrix: Cached<Key, Arc<ConfusionMatrix>>,
    cell_predictions: Cached<(Key, Cell), Arc<Vec<usize>>>,
}

/// Draws the card.
pub fn card(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, height: f32) {
    card_with_height(ui, height, |ui| {
        let count = run.reports.len();
        if count == 0 {
            terms::term_title(ui, tr!("figure-confusion-title"), "confusion");
            faint(ui, tr!("train-confusion-none"));
            return;
        }
        let task = cx.pages.train.task.unwrap_or(count - 1).min(count - 1);
        let top = ui.cursor().top();
        controls(ui, cx, count, task);
        let key = cache_key(ui, cx, run, task);
        let cache = &mut cx.pages.train.cache.matrix;
        let matrix = cache.get(key.clone(), || Arc::new(build_matrix(ui, run, &key)));
        let used_height = ui.cursor().top() - top;
        let available_height = if height > 0.0 { height - 68.0 - used_height } else { 300.0 };
        body(ui, cx, run, &key, &matrix, available_height);
    });
}

fn controls(ui: &mut Ui, cx: &mut Cx<'_>, count: usize, task: usize) {
    let state = &mut cx.pages.train;
    ui.horizontal_wrapped(|ui| {
        terms::term_title(ui, tr!("train-confusion-after"), "confusion");
        let mut chosen = task;
        if count <= 6 {
            let names: Vec<String> = (1..=count).map(|i| i.to_string()).collect();
            let options: Vec<(usize, &str)> = (0..).zip(names.iter().map(String::as_str)).collect();
            segmented(ui, tr!("figure-table-after-task"), &options, &mut chosen);
        } else {
            let mut number = chosen + 1;
            let drag = egui::DragValue::new(&mut number).range(1..=count).speed(0.05);
            ui.add(drag).accessible_name(tr!("train-confusion-after"));
            chosen = number - 1;
        }
        if chosen != task {
            state.task = (chosen + 1 < count).then_some(chosen);
            state.cell = None;
        }
        let kinds =
            [(false, tr!("train-confusion-by-classes")), (true, tr!("train-confusion-by-tasks"))];
        let name = tr!("train-confusion-granularity");
        if segmented(ui, name, &kinds, &mut state.by_task) {
            state.cell = None;
        }
    });
}

fn cache_key(ui: &Ui, cx: &Cx<'_>, run: &RunView, task: usize) -> Key {
    let state = &cx.pages.train;
    (
        run.name().to_string(),
        run.reports.len(),
        task,
        run.history.expert_or_answer(state.expert),
        state.by_task,
        (ui.visuals().dark_mode, Language::spoken()),
    )
}

fn build_matrix(ui: &Ui, run: &RunView, key: &Key) -> ConfusionMatrix {
    let &(_, _, task, expert, by_task, _) = key;
    let (tasks, order) =
        run.header.as_ref().map_or((&[][..], &[][..]), |h| (&h.tasks[..], &h.class_order[..]));
    let answers = &run.reports[task].answers;
    if by_task {
        let counts = answers.task_confusion(expert, tasks);
        let names = task_labels(tasks.len());
        return ConfusionMatrix::new(ui, counts, names, Vec::new(), task + 1);
    }
    let counts = answers.confusion(expert, order.len());
    let class_count = tasks.get(task).map_or(0, |range| range.end);
    ConfusionMatrix::new(ui, counts, order.to_vec(), tasks.to_vec(), class_count)
}

fn body(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    key: &Key,
    matrix: &ConfusionMatrix,
    available_height: f32,
) {
    let side = available_height.min(ui.available_width() * 0.56).clamp(150.0, 520.0);
    ui.horizontal_top(|ui| {
        let state = &mut cx.pages.train;
        if let Some(clicked) = matrix.show(ui, side, state.cell.as_ref()) {
            let is_same = state.cell.as_ref() == Some(&clicked);
            state.cell = (!is_same).then_some(clicked);
        }
        ui.add_space(10.0);
        ui.vertical(|ui| match cx.pages.train.cell.clone() {
            Some(cell) => images(ui, cx, run, key, &cell, matrix),
            None => most_confused(ui, cx, matrix),
        });
    });
}

fn most_confused(ui: &mut Ui, cx: &mut Cx<'_>, matrix: &ConfusionMatrix) {
    let t = tokens(ui);
    let title = match matrix.most_confused.is_empty() {
        true => tr!("train-no-confusions"),
        false => tr!("train-most-confused-classes"),
    };
    faint(ui, title);
    for &(row, column, count) in &matrix.most_confused {
        let cell = Cell::new(row, column);
        let total = matrix.counts.total(&cell.rows);
        let (name, answer) = (matrix.name(&cell.rows), matrix.name(&cell.columns));
        let mut job = egui::text::LayoutJob::default();
        let plain = egui::TextFormat::simple(crate::ui::theme::regular(13.0), t.text);
        let strong = egui::TextFormat::simple(crate::ui::theme::semibold(13.0), t.strong);
        let pair = tr!("train-confused-with", name, answer);
        job.append(&pair, 0.0, plain.clone());
        job.append(&format!("  {} ", format_count(count as usize)), 0.0, strong);
        job.append(&tr!("train-of-count", n = total), 0.0, plain);
        job.wrap.max_width = ui.available_width();
        let label = ui.add(egui::Label::new(job).sense(Sense::click()));
        label.widget_info(|| WidgetInfo::labeled(Role::Button, true, &pair));
        let label = label.on_hover_cursor(egui::CursorIcon::PointingHand);
        if label.on_hover_text(tr!("train-show-cell-images")).clicked() {
            cx.pages.train.cell = Some(cell);
        }
    }
    ui.add_space(6.0);
    faint(ui, tr!("train-click-cell-hint"));
    if !matrix.most_confused.is_empty() && ui.link(tr!("train-show-mistakes")).clicked() {
        cx.pages.train.mistakes.show_mistakes();
    }
}

/// Returns the indices of the predictions in a cell. They are computed again only if the cell has changed.
fn predictions_in_cell(cx: &mut Cx<'_>, run: &RunView, key: &Key, cell: &Cell) -> Arc<Vec<usize>> {
    let cache = &mut cx.pages.train.cache.cell_predictions;
    cache.get((key.clone(), cell.clone()), || {
        let &(_, _, task, expert, by_task, _) = key;
        let table = match &run.header {
            Some(header) if by_task => tasks_by_class(&header.tasks),
            _ => Vec::new(),
        };
        let group_of = |class: usize| match by_task {
            true => table.get(class).copied().flatten(),
            false => Some(class),
        };
        let is_in_range = |range: &Range<usize>, class| {
            group_of(class).is_some_and(|group| range.contains(&group))
        };
        let answers = &run.reports[task].answers;
        let pairs = answers.labels.iter().zip(answers.for_expert(expert)).enumerate();
        let matching = pairs.filter(|(_, (label, answer))| {
            is_in_range(&cell.rows, **label) && is_in_range(&cell.columns, **answer)
        });
        Arc::new(matching.map(|(i, _)| i).collect())
    })
}

/// Draws the test images of a cell. A click on an image predicts it.
fn images(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    key: &Key,
    cell: &Cell,
    matrix: &ConfusionMatrix,
) {
    let Some(header) = &run.header else { return };
    let answers = &run.reports[key.2].answers;
    let predictions = predictions_in_cell(cx, run, key, cell);
    let (name, answer) = (matrix.name(&cell.rows), matrix.name(&cell.columns));
    // By tasks, a prediction in the right task can be a wrong class.
    let by_task = key.4;
    let text = if cell.rows == cell.columns && cell.rows.len() == 1 && !by_task {
        tr!("train-cell-correct", name, n = predictions.len())
    } else {
        tr!("train-cell-confused", name, answer, n = predictions.len())
    };
    faint(ui, text);
    let needs_permission = cx.session.needs_permission(&header.config);
    // Images of added tasks are in the run's folder, so they are shown without the dataset.
    let (original, added): (Vec<usize>, Vec<usize>) =
        predictions.iter().partition(|index| answers.source(**index) == 0);
    if !original.is_empty() || added.is_empty() {
        let tested = cx.session.unchanged_dataset(run, Split::Test);
        match cx.look_up(tested) {
            None if needs_permission => open_dataset_button(ui, cx, &header.config),
            Some(Ok(data)) => {
                cx.request_corrected_labels(&data.location);
                thumbnails(ui, cx, (header, Some(&data)), (answers, key.3), &original);
            }
            Some(Err(problem)) => widgets::problem(ui, &problem),
            None => drop(faint(ui, tr!("train-opening-dataset"))),
        }
    }
    thumbnails(ui, cx, (header, None), (answers, key.3), &added);
    if predictions.len() > MAX_IMAGES {
        faint(ui, tr!("count-more", n = predictions.len() - MAX_IMAGES));
    }
    if ui.link(tr!("present-back")).clicked() {
        cx.pages.train.cell = None;
    }
}

fn thumbnails(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (header, data): (&RunHeader, Option<&Arc<DataView>>),
    (answers, expert): (&Predictions, Expert),
    predictions: &[usize],
) {
    in_rows(ui, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(4.0);
        for &index in predictions.iter().take(MAX_IMAGES) {
            let tile = Tile {
                split: Split::Test,
                header,
                data,
                location: (answers.source(index), answers.samples[index]),
                truth: answers.labels[index],
                predicted: answers.for_expert(expert).get(index).copied(),
                side: 44.0,
                caption: None,
            };
            tile.show(ui, cx);
        }
    });
}
