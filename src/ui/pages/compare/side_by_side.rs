//! The selected runs as curves, numbers, accuracy matrices, costs and differing settings.

use egui::{RichText, ScrollArea, Ui};

use super::{FIGURES, cached_differences, cached_pairs};
use crate::method::epochs_for_task;
use crate::metrics::Expert;
use crate::palette::RunStyle;
use crate::problem::join_some;
use crate::run::event::RunHeader;
use crate::session::comparable::comparison_obstacles;
use crate::session::first_task::{FirstTaskResult, first_task_sentences};
use crate::session::formatting::{
    format_bytes, format_count, format_duration, format_epoch_range, format_number, format_percent,
};
use crate::session::views::{Rows, RunRow};
use crate::session::window_terms::title_of;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, dot, run_name, task_labels};
use crate::ui::widgets::{
    self, Column, card, card_with_height, faint, grid, matrix, segmented, sentence, terms,
};

pub(super) fn side_by_side(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let compared = cx.pages.compare.compared(rows);
    let shown = compared.iter().map(|(shade, index)| (*shade, &*rows[*index]));
    let shown: Vec<(RunStyle, &RunRow)> = shown.collect();
    if shown.is_empty() {
        let height = column.remaining_height(ui, 200.0);
        card_with_height(ui, height, |ui| {
            faint(ui, tr!("compare-select-runs"));
        });
        return;
    }
    let (shown, others) = split_comparable(&shown);
    incomparable_runs(ui, cx, &shown, &others);
    first_task_card(ui, &shown);
    curves(ui, cx, &shown);
    let expert = cx.pages.compare.expert;
    table_card(ui, "numbers", |ui| number_table(ui, &shown, expert));
    let is_shown = |index: &usize| shown.iter().any(|(_, row)| std::ptr::eq(*row, &*rows[*index]));
    let indices: Vec<usize> = compared.iter().map(|(_, index)| *index).filter(is_shown).collect();
    paired(ui, &cached_pairs(&mut cx.pages.compare, rows, &indices));
    matrices(ui, cx, &shown);
    table_card(ui, "costs", |ui| cost_table(ui, &shown));
    let differences = cached_differences(&mut cx.pages.compare, rows, &indices);
    differences_card(ui, &shown, &differences);
}

/// A selected run that is not comparable with the first one, and the reasons.
type IncomparableRun<'a> = (RunStyle, &'a RunRow, Vec<String>);

/// Splits the runs into those that are comparable with the first run and the others. Results of different tasks are not
/// comparable.
fn split_comparable<'a>(
    shown: &[(RunStyle, &'a RunRow)],
) -> (Vec<(RunStyle, &'a RunRow)>, Vec<IncomparableRun<'a>>) {
    let first = shown.iter().find_map(|(_, row)| row.header.as_ref());
    let (mut comparable, mut others) = (Vec::new(), Vec::new());
    for (shade, row) in shown {
        let pair = first.zip(row.header.as_ref());
        let reasons =
            pair.map_or_else(Vec::new, |(first, header)| comparison_obstacles(first, header));
        match reasons.is_empty() {
            true => comparable.push((*shade, *row)),
            false => others.push((*shade, *row, reasons)),
        }
    }
    (comparable, others)
}

/// Draws which selected runs are not compared and why. A click on a run selects it with the runs that are comparable
/// with it.
fn incomparable_runs(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    shown: &[(RunStyle, &RunRow)],
    others: &[IncomparableRun<'_>],
) {
    if others.is_empty() {
        return;
    }
    card(ui, |ui| {
        let title = shown.first().map_or_else(String::new, |(_, row)| row.title());
        widgets::title(ui, tr!("compare-not-comparable"));
        sentence(ui, tr!("compare-not-comparable-about", name = title));
        for (shade, row, reasons) in others {
            ui.horizontal_wrapped(|ui| {
                dot(ui, *shade);
                sentence(ui, format!("{}: {}", row.title(), reasons.join(", ")));
                if ui.link(tr!("compare-show-instead")).clicked() {
                    let header = row.header.as_ref();
                    let comparable = others.iter().filter(|(_, other, _)| {
                        let pair = header.zip(other.header.as_ref());
                        pair.is_some_and(|(first, other)| {
                            comparison_obstacles(first, other).is_empty()
                        })
                    });
                    let folders = comparable.map(|(_, row, _)| row.folder.clone()).collect();
                    cx.pages.compare.select(folders);
                }
            });
        }
    });
}

fn curves(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(RunStyle, &RunRow)]) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| terms::term_title(ui, tr!("train-accuracy-curves"), "accuracy"),
            |ui| {
                let experts = [
                    (Expert::ONLINE, Expert::ONLINE.title()),
                    (Expert::OFFLINE, Expert::OFFLINE.title()),
                    (Expert::ENSEMBLE, Expert::ANSWER.title()),
                ];
                let expert = &mut cx.pages.compare.expert;
                segmented(ui, tr!("train-expert"), &experts, expert);
            },
        );
        let expert = cx.pages.compare.expert;
        let tasks = shown.iter().map(|(_, row)| row.header.as_ref().map_or(0, |h| h.tasks.len()));
        let labels = task_labels(tasks.max().unwrap_or(0));
        let series = shown
            .iter()
            .map(|(shade, row)| {
                let history = row.expert_history(row.history.expert_or_answer(expert));
                let points = (0..).zip(&history.accuracy);
                let points = points.map(|(task, a)| [f64::from(task), a * 100.0]);
                Series::from_run(t, *shade, row.title(), points)
            })
            .collect();
        Curves {
            id: "compare",
            name: tr!("compare-curves-name"),
            height: 300.0,
            tasks: &labels,
            series,
            current_task: None,
        }
        .show(ui);
    });
}

/// Draws a card with a table that scrolls horizontally.
fn table_card(ui: &mut Ui, id: &str, add: impl FnOnce(&mut Ui)) {
    card(ui, |ui| {
        ScrollArea::horizontal().id_salt(id).show(ui, add);
    });
}

/// Draws the colour and the title of a run, for the first cell of its row in a table.
fn run_cell(ui: &mut Ui, shade: RunStyle, row: &RunRow) {
    dot(ui, shade);
    let title = RichText::new(row.title()).color(tokens(ui).text);
    ui.label(title).on_hover_text(&row.name);
}

/// Draws A_N, Ā_N and F_N of each selected run for the selected expert.
fn number_table(ui: &mut Ui, shown: &[(RunStyle, &RunRow)], expert: Expert) {
    widgets::grid(ui, "numbers", 8, [22.0, 7.0], |ui| {
        faint(ui, tr!("compare-run"));
        for (title, term) in FIGURES {
            terms::faint(ui, tr!(title), term);
        }
        ui.end_row();
        for (shade, row) in shown {
            ui.horizontal(|ui| {
                run_cell(ui, *shade, row);
                let (done, total) = (row.answer_history().accuracy.len(), row.tasks());
                if done < total {
                    faint(ui, tr!("compare-after", done, n = total));
                }
            });
            let expert = row.history.expert_or_answer(expert);
            let history = row.expert_history(expert);
            for value in
                [history.last_accuracy(), history.average_accuracy(), row.expert_forgetting(expert)]
            {
                figure_cell(ui, value, true);
            }
            interval_cell(ui, row, expert);
            for (value, strong) in [
                (row.expert_history(Expert::ONLINE).last_accuracy(), false),
                (row.expert_history(Expert::OFFLINE).last_accuracy(), false),
                (row.history.task_given.last().copied().flatten(), false),
            ] {
                figure_cell(ui, value, strong);
            }
            ui.end_row();
        }
    });
}

/// Draws the confidence interval of A_N of a run.
fn interval_cell(ui: &mut Ui, row: &RunRow, expert: Expert) {
    let text = match row.expert_tally(expert) {
        Some(quality) => quality.chance_note().map_or_else(|| quality.summary(), String::from),
        None => "–".to_string(),
    };
    faint(ui, text);
}

fn figure_cell(ui: &mut Ui, value: Option<f64>, strong: bool) {
    let t = tokens(ui);
    let text = value.map_or_else(|| "–".to_string(), |v| format_number(v * 100.0, 1));
    let (font, colour) = if strong { (semibold(13.0), t.strong) } else { (regular(13.0), t.text) };
    ui.label(RichText::new(text).font(font).color(colour));
}

/// Draws the settings in which the selected runs differ.
fn differences_card(
    ui: &mut Ui,
    shown: &[(RunStyle, &RunRow)],
    differences: &[(String, Vec<String>)],
) {
    let shown = shown.iter().filter(|(_, row)| row.header.is_some());
    if shown.clone().count() < 2 {
        return;
    }
    card(ui, |ui| {
        widgets::title(ui, tr!("compare-differences"));
        if differences.is_empty() {
            faint(ui, tr!("compare-no-differences"));
            return;
        }
        ScrollArea::horizontal().id_salt("differ").show(ui, |ui| {
            widgets::grid(ui, "differ", None, [22.0, 7.0], |ui| {
                faint(ui, "");
                for (shade, _) in shown {
                    dot(ui, *shade);
                }
                ui.end_row();
                for (key, values) in differences {
                    faint(ui, title_of(key));
                    for value in values {
                        ui.label(RichText::new(value).color(tokens(ui).text));
                    }
                    ui.end_row();
                }
            });
        });
    });
}

/// Minimum width of a matrix with its title, in points.
const MATRIX_WIDTH: f32 = 230.0;

/// Minimum size of a whole matrix, unless its cells would become larger than `MAX_CELL_SIZE`.
const MIN_MATRIX_SIZE: f32 = 100.0;
/// Maximum size of a cell, so that cells do not grow further for one or two tasks.
const MAX_CELL_SIZE: f32 = 40.0;

fn matrices(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(RunStyle, &RunRow)]) {
    let expert = cx.pages.compare.expert;
    card(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            terms::term_title(ui, tr!("figure-accuracy-matrix"), "accuracy_matrix");
            faint(ui, tr!("train-matrix-hint"));
        });
        widgets::in_columns(ui, shown, MATRIX_WIDTH, |ui, (shade, row)| {
            run_matrix(ui, cx, (*shade, row), expert);
        });
    });
}

fn run_matrix(ui: &mut Ui, cx: &mut Cx<'_>, (shade, row): (RunStyle, &RunRow), expert: Expert) {
    let expert = row.history.expert_or_answer(expert);
    run_name(ui, shade, &row.title(), &row.name);
    let history = row.expert_history(expert);
    let forgotten = match row.expert_forgetting(expert) {
        Some(points) if history.matrix.len() > 1 => {
            let points = format_number(points * 100.0, 1);
            tr!("compare-points-forgotten", expert = expert.title(), points)
        }
        _ => expert.title().to_string(),
    };
    faint(ui, forgotten);
    let tasks = row.tasks().max(1);
    let available_width = (ui.available_width() - 88.0).max(MIN_MATRIX_SIZE);
    let side = (available_width / tasks as f32).min(MAX_CELL_SIZE);
    let header_name = row.header.as_ref().map(RunHeader::cache_key);
    let name = format!("{} {}", header_name.unwrap_or_default(), expert.key());
    let entry = cx.pages.compare.matrices.entry(row.folder.clone());
    let rows = (name.as_str(), &history.matrix[..]);
    matrix::accuracy(ui, rows, tasks, side, entry.or_default());
}

/// Title and description of each column, as message ids.
const COST_COLUMNS: [(&str, &str); 7] = [
    ("compare-images-shown", "compare-images-shown-hint"),
    ("compare-epochs", "compare-epochs-hint"),
    ("compare-trainable-parameters", "compare-trainable-parameters-hint"),
    ("compare-stored-parameters", "compare-stored-parameters-hint"),
    ("compare-learning-memory", "compare-learning-memory-hint"),
    ("compare-training-time", "compare-training-time-hint"),
    ("compare-time-per-image", "compare-time-per-image-hint"),
];

fn cost_table(ui: &mut Ui, shown: &[(RunStyle, &RunRow)]) {
    let t = tokens(ui);
    grid(ui, "costs", 1 + COST_COLUMNS.len(), [22.0, 7.0], |ui| {
        faint(ui, tr!("compare-cost"));
        for (title, meaning) in COST_COLUMNS {
            faint(ui, tr!(title)).on_hover_text(tr!(meaning));
        }
        ui.end_row();
        for (shade, row) in shown {
            ui.horizontal(|ui| run_cell(ui, *shade, row));
            for text in cost_texts(row) {
                ui.label(RichText::new(text).color(t.text));
            }
            ui.end_row();
        }
    });
}

fn epochs_of_tasks(header: &RunHeader) -> String {
    let tasks = 0..header.tasks.len();
    let epochs: Vec<usize> = tasks.map(|task| epochs_for_task(header, task)).collect();
    format_epoch_range(&epochs)
}

/// Returns the cells of a run. A value that an older version did not measure is a dash.
fn cost_texts(row: &RunRow) -> [String; 7] {
    let (costs, header) = (&row.costs, row.header.as_ref());
    let text_or_dash =
        |is_known: bool, text: String| if is_known { text } else { "–".to_string() };
    let milliseconds = costs.prediction_seconds * 1000.0;
    let trains = header.is_some_and(RunHeader::trains_weights);
    let trained = header.map(|header| format_count(header.trained_parameters));
    let stored = format_count(costs.stored_parameters);
    let time = format_duration(costs.training_seconds);
    let time_per_image = format!("{} ms", format_number(milliseconds, 1));
    [
        text_or_dash(costs.images_seen > 0, format_count(costs.images_seen)),
        text_or_dash(trains, header.map_or_else(String::new, epochs_of_tasks)),
        trained.unwrap_or_else(|| "–".to_string()),
        text_or_dash(costs.stored_parameters > 0, stored),
        text_or_dash(costs.kept_bytes > 0, format_bytes(costs.kept_bytes)),
        text_or_dash(costs.training_seconds > 0.0, time),
        text_or_dash(milliseconds > 0.0, time_per_image),
    ]
}

/// Draws the card with these sentences about pairs of runs, if there are any.
fn paired(ui: &mut Ui, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    card(ui, |ui| {
        terms::term_title(ui, tr!("compare-image-by-image"), "paired");
        for text in sentences {
            sentence(ui, text.as_str());
        }
        let note = match sentences.len() {
            1 => tr!("compare-mcnemar"),
            _ => tr!("compare-mcnemar-many-comparisons"),
        };
        faint(ui, note);
    });
}

/// The results of a run on its first task.
struct FirstTaskCurve<'a> {
    shade: RunStyle,
    row: &'a RunRow,
    result: FirstTaskResult<'a>,
}

/// Draws the card if a selected run has learned a second task.
fn first_task_card(ui: &mut Ui, shown: &[(RunStyle, &RunRow)]) {
    let shown: Vec<FirstTaskCurve<'_>> = shown
        .iter()
        .filter_map(|&(shade, row)| {
            let result = FirstTaskResult::from_row(row)?;
            Some(FirstTaskCurve { shade, row, result })
        })
        .collect();
    let Some(first) = shown.first() else { return };
    card(ui, |ui| {
        terms::term_title(ui, tr!("compare-first-task-over-time"), "catastrophic");
        let has_same_first_task = shown
            .windows(2)
            .all(|pair| pair[0].result.first_classes() == pair[1].result.first_classes());
        if has_same_first_task {
            images_of_first_task(ui, &first.result);
        }
        widgets::in_columns(ui, &shown, 190.0, |ui, shown| {
            first_task_cell(ui, shown, has_same_first_task);
        });
        let results: Vec<FirstTaskResult<'_>> = shown.iter().map(|shown| shown.result).collect();
        for text in first_task_sentences(&results) {
            sentence(ui, text);
        }
    });
}

/// Draws one run. The classes of its first task are included if the runs differ in them.
fn first_task_cell(ui: &mut Ui, shown: &FirstTaskCurve<'_>, has_same_first_task: bool) {
    let FirstTaskCurve { shade, row, result } = shown;
    ui.spacing_mut().item_spacing.y = 2.0;
    let tip = format!("{}\n{}", row.title(), row.name);
    run_name(ui, *shade, result.header.short_name(), &tip);
    let figure = RichText::new(format_percent(result.current_accuracy, 0));
    ui.label(figure.font(semibold(30.0)).color(tokens(ui).strong));
    let text = tr!("compare-still-correct", then = format_percent(result.initial_accuracy, 0));
    faint(ui, text);
    if !has_same_first_task {
        images_of_first_task(ui, result);
    }
    if let Some(quality) = row.first_task_tally {
        faint(ui, quality.summary());
    }
}

/// Draws a sentence about the test images of the first task.
fn images_of_first_task(ui: &mut Ui, result: &FirstTaskResult<'_>) {
    let names = join_some(result.first_classes(), 6);
    faint(ui, tr!("compare-images-of-classes", names));
}
