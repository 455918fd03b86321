//! The selected runs as curves, numbers, accuracy matrices, costs and differing settings.

use egui::{RichText, ScrollArea, Ui};

use super::{FIGURES, different};
use crate::method::epochs_of;
use crate::metrics::Expert;
use crate::palette::Shade;
use crate::problem::listed;
use crate::run::event::RunHeader;
use crate::session::comparable::unlike;
use crate::session::first_task::{FirstTaskResult, first_task_sentences};
use crate::session::paired;
use crate::session::plain::title_of;
use crate::session::views::{Rows, RunRow};
use crate::session::words::{bytes_text, count_text, duration_text, epochs_span, number, percent};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::curves::{Curves, Series, dot, run_name, task_labels};
use crate::ui::widgets::{
    self, Column, card, card_of, faint, grid, matrix, segmented, sentence, terms,
};

pub(super) fn side_by_side(ui: &mut Ui, cx: &mut Cx<'_>, rows: &Rows, column: Column) {
    let laid = cx.pages.compare.laid(rows);
    let shown = laid.iter().map(|(shade, at)| (*shade, &*rows[*at]));
    let shown: Vec<(Shade, &RunRow)> = shown.collect();
    if shown.is_empty() {
        let height = column.rest(ui, 200.0);
        card_of(ui, height, |ui| {
            faint(ui, tr!("compare-select-runs"));
        });
        return;
    }
    let (shown, others) = alike(&shown);
    unequal(ui, cx, &shown, &others);
    became(ui, &shown);
    curves(ui, cx, &shown);
    let expert = cx.pages.compare.expert;
    table_card(ui, "numbers", |ui| number_table(ui, &shown, expert));
    paired(ui, &shown, expert);
    matrices(ui, cx, &shown);
    table_card(ui, "costs", |ui| cost_table(ui, &shown));
    let is_shown = |at: &usize| shown.iter().any(|(_, row)| std::ptr::eq(*row, &*rows[*at]));
    let places: Vec<usize> = laid.iter().map(|(_, at)| *at).filter(is_shown).collect();
    let different = different(&mut cx.pages.compare, rows, &places);
    differ(ui, &shown, &different);
}

/// A selected run that is not comparable with the first one, and the reasons.
type Other<'a> = (Shade, &'a RunRow, Vec<String>);

/// Splits the runs into those that are comparable with the first run and the others. Results of different tasks are not
/// comparable.
fn alike<'a>(shown: &[(Shade, &'a RunRow)]) -> (Vec<(Shade, &'a RunRow)>, Vec<Other<'a>>) {
    let first = shown.iter().find_map(|(_, row)| row.header.as_ref());
    let (mut alike, mut others) = (Vec::new(), Vec::new());
    for (shade, row) in shown {
        let pair = first.zip(row.header.as_ref());
        let differs = pair.map_or_else(Vec::new, |(first, header)| unlike(first, header));
        match differs.is_empty() {
            true => alike.push((*shade, *row)),
            false => others.push((*shade, *row, differs)),
        }
    }
    (alike, others)
}

/// Draws which selected runs are not compared and why. A click on a run selects it with the runs that are comparable
/// with it.
fn unequal(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(Shade, &RunRow)], others: &[Other<'_>]) {
    if others.is_empty() {
        return;
    }
    card(ui, |ui| {
        let title = shown
            .first()
            .map_or_else(String::new, |(_, row)| row.title());
        widgets::title(ui, tr!("compare-not-comparable"));
        sentence(ui, tr!("compare-not-comparable-about", name = title));
        for (shade, row, differs) in others {
            ui.horizontal_wrapped(|ui| {
                dot(ui, *shade);
                sentence(ui, format!("{}: {}", row.title(), differs.join(", ")));
                if ui.link(tr!("compare-show-instead")).clicked() {
                    let header = row.header.as_ref();
                    let like = others.iter().filter(|(_, other, _)| {
                        let pair = header.zip(other.header.as_ref());
                        pair.is_some_and(|(one, other)| unlike(one, other).is_empty())
                    });
                    let folders = like.map(|(_, row, _)| row.folder.clone()).collect();
                    cx.pages.compare.choose(folders);
                }
            });
        }
    });
}

fn curves(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(Shade, &RunRow)]) {
    let t = tokens(ui);
    card(ui, |ui| {
        widgets::ends(
            ui,
            |ui| terms::title_of(ui, tr!("train-accuracy-curves"), "accuracy"),
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
        let tasks = shown
            .iter()
            .map(|(_, row)| row.header.as_ref().map_or(0, |h| h.tasks.len()));
        let labels = task_labels(tasks.max().unwrap_or(0));
        let series = shown
            .iter()
            .map(|(shade, row)| {
                let history = row.of(row.history.nearest(expert));
                let points = (0..).zip(&history.accuracy);
                let points = points.map(|(task, a)| [f64::from(task), a * 100.0]);
                Series::of_run(t, *shade, row.title(), points)
            })
            .collect();
        Curves {
            id: "compare",
            name: tr!("compare-curves-name"),
            height: 300.0,
            tasks: &labels,
            series,
            now: None,
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
fn run_cell(ui: &mut Ui, shade: Shade, row: &RunRow) {
    dot(ui, shade);
    let title = RichText::new(row.title()).color(tokens(ui).text);
    ui.label(title).on_hover_text(&row.name);
}

/// Draws A_N, Ā_N and F_N of each selected run for the selected expert.
fn number_table(ui: &mut Ui, shown: &[(Shade, &RunRow)], expert: Expert) {
    widgets::grid(ui, "numbers", 8, [22.0, 7.0], |ui| {
        faint(ui, tr!("compare-run"));
        for (head, term) in FIGURES {
            terms::faint(ui, tr!(head), term);
        }
        ui.end_row();
        for (shade, row) in shown {
            ui.horizontal(|ui| {
                run_cell(ui, *shade, row);
                let (done, all) = (row.answers().accuracy.len(), row.tasks());
                if done < all {
                    faint(ui, tr!("compare-after", done, n = all));
                }
            });
            let expert = row.history.nearest(expert);
            let history = row.of(expert);
            for value in [history.last(), history.average(), row.forgotten_by(expert)] {
                figure(ui, value, true);
            }
            trust(ui, row, expert);
            for (value, strong) in [
                (row.of(Expert::ONLINE).last(), false),
                (row.of(Expert::OFFLINE).last(), false),
                (row.history.task_given.last().copied().flatten(), false),
            ] {
                figure(ui, value, strong);
            }
            ui.end_row();
        }
    });
}

/// Draws the confidence interval of A_N of a run.
fn trust(ui: &mut Ui, row: &RunRow, expert: Expert) {
    let words = match row.quality_of(expert) {
        Some(quality) if quality.is_guessing() => tr!("train-no-better-than-guessing").to_string(),
        Some(quality) => quality.words(),
        None => "–".to_string(),
    };
    faint(ui, words);
}

fn figure(ui: &mut Ui, value: Option<f64>, strong: bool) {
    let t = tokens(ui);
    let text = value.map_or_else(|| "–".to_string(), |v| number(v * 100.0, 1));
    let (font, colour) = if strong {
        (semibold(13.0), t.strong)
    } else {
        (regular(13.0), t.text)
    };
    ui.label(RichText::new(text).font(font).color(colour));
}

/// Draws the settings in which the selected runs differ.
fn differ(ui: &mut Ui, shown: &[(Shade, &RunRow)], different: &[(String, Vec<String>)]) {
    let shown = shown.iter().filter(|(_, row)| row.header.is_some());
    if shown.clone().count() < 2 {
        return;
    }
    card(ui, |ui| {
        widgets::title(ui, tr!("compare-differences"));
        if different.is_empty() {
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
                for (key, values) in different {
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
const WIDTH: f32 = 230.0;

/// Minimum size of a whole matrix, unless its cells would become larger than `LARGEST`.
const SMALLEST: f32 = 100.0;
/// Maximum size of a cell, so that cells do not grow further for one or two tasks.
const LARGEST: f32 = 40.0;

fn matrices(ui: &mut Ui, cx: &mut Cx<'_>, shown: &[(Shade, &RunRow)]) {
    let expert = cx.pages.compare.expert;
    card(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            terms::title_of(ui, tr!("figure-accuracy-matrix"), "accuracy_matrix");
            faint(ui, tr!("train-matrix-hint"));
        });
        widgets::in_columns(ui, shown, WIDTH, |ui, (shade, row)| {
            one_matrix(ui, cx, (*shade, row), expert);
        });
    });
}

fn one_matrix(ui: &mut Ui, cx: &mut Cx<'_>, (shade, row): (Shade, &RunRow), expert: Expert) {
    let expert = row.history.nearest(expert);
    run_name(ui, shade, &row.title(), &row.name);
    let history = row.of(expert);
    let forgotten = match row.forgotten_by(expert) {
        Some(points) if history.matrix.len() > 1 => {
            let points = number(points * 100.0, 1);
            tr!("compare-points-forgotten", expert = expert.name(), points)
        }
        _ => expert.name().to_string(),
    };
    faint(ui, forgotten);
    let tasks = row.tasks().max(1);
    let room = (ui.available_width() - 88.0).max(SMALLEST);
    let side = (room / tasks as f32).min(LARGEST);
    let known_by = row.header.as_ref().map(RunHeader::known_by);
    let name = format!("{} {}", known_by.unwrap_or_default(), expert.name());
    let picture = cx.pages.compare.matrices.entry(row.folder.clone());
    let rows = (name.as_str(), &history.matrix[..]);
    matrix::accuracy(ui, rows, tasks, side, picture.or_default());
}

/// Title and description of each column, as message ids.
const COLUMNS: [(&str, &str); 7] = [
    ("compare-images-shown", "compare-images-shown-hint"),
    ("compare-epochs", "compare-epochs-hint"),
    (
        "compare-trainable-parameters",
        "compare-trainable-parameters-hint",
    ),
    (
        "compare-stored-parameters",
        "compare-stored-parameters-hint",
    ),
    ("compare-learning-memory", "compare-learning-memory-hint"),
    ("compare-training-time", "compare-training-time-hint"),
    ("compare-time-per-image", "compare-time-per-image-hint"),
];

fn cost_table(ui: &mut Ui, shown: &[(Shade, &RunRow)]) {
    let t = tokens(ui);
    grid(ui, "costs", 1 + COLUMNS.len(), [22.0, 7.0], |ui| {
        faint(ui, tr!("compare-cost"));
        for (title, meaning) in COLUMNS {
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
    let all: Vec<usize> = tasks.map(|task| epochs_of(header, task)).collect();
    epochs_span(&all)
}

/// Returns the cells of a run. A value that an older version did not measure is a dash.
fn cost_texts(row: &RunRow) -> [String; 7] {
    let (costs, header) = (&row.costs, row.header.as_ref());
    let known = |known: bool, text: String| if known { text } else { "–".to_string() };
    let milliseconds = costs.prediction_seconds * 1000.0;
    let trained = header.map(|header| count_text(header.trained_parameters));
    let stored = count_text(costs.stored_parameters);
    let time = duration_text(costs.training_seconds);
    let time_per_image = format!("{} ms", number(milliseconds, 1));
    [
        known(costs.images_seen > 0, count_text(costs.images_seen)),
        header.map_or_else(|| "–".to_string(), epochs_of_tasks),
        trained.unwrap_or_else(|| "–".to_string()),
        known(costs.stored_parameters > 0, stored),
        known(costs.kept_bytes > 0, bytes_text(costs.kept_bytes)),
        known(costs.training_seconds > 0.0, time),
        known(milliseconds > 0.0, time_per_image),
    ]
}

/// Draws the card if at least two tested runs are selected.
fn paired(ui: &mut Ui, shown: &[(Shade, &RunRow)], expert: Expert) {
    let tested = shown.iter().map(|(_, row)| *row);
    let mut tested = tested.filter(|row| row.is_measured());
    let Some(first) = tested.next() else { return };
    let others: Vec<&RunRow> = tested.collect();
    if others.is_empty() {
        return;
    }
    let nearest = |row: &RunRow| row.history.nearest(expert);
    card(ui, |ui| {
        terms::title_of(ui, tr!("compare-image-by-image"), "paired");
        for other in &others {
            let words = paired::words((first, nearest(first)), (*other, nearest(other)));
            sentence(ui, words);
        }
        let chance = match others.len() {
            1 => tr!("compare-mcnemar"),
            _ => tr!("compare-mcnemar-many-comparisons"),
        };
        faint(ui, chance);
    });
}

/// The results of a run on its first task.
struct FirstTaskCurve<'a> {
    shade: Shade,
    row: &'a RunRow,
    result: FirstTaskResult<'a>,
}

/// Draws the card if a selected run has learned a second task.
fn became(ui: &mut Ui, shown: &[(Shade, &RunRow)]) {
    let shown: Vec<FirstTaskCurve<'_>> = shown
        .iter()
        .filter_map(|&(shade, row)| {
            let result = FirstTaskResult::from_row(row)?;
            Some(FirstTaskCurve { shade, row, result })
        })
        .collect();
    let Some(first) = shown.first() else { return };
    card(ui, |ui| {
        terms::title_of(ui, tr!("compare-first-task-over-time"), "catastrophic");
        let same = shown
            .windows(2)
            .all(|pair| pair[0].result.first() == pair[1].result.first());
        if same {
            images_of_first_task(ui, &first.result);
        }
        widgets::in_columns(ui, &shown, 190.0, |ui, shown| one_run(ui, shown, same));
        let results: Vec<FirstTaskResult<'_>> = shown.iter().map(|shown| shown.result).collect();
        for words in first_task_sentences(&results) {
            sentence(ui, words);
        }
    });
}

/// Draws one run. The classes of its first task are included if the runs differ in them.
fn one_run(ui: &mut Ui, shown: &FirstTaskCurve<'_>, same: bool) {
    let FirstTaskCurve { shade, row, result } = shown;
    ui.spacing_mut().item_spacing.y = 2.0;
    let tip = format!("{}\n{}", row.title(), row.name);
    run_name(ui, *shade, result.header.short(), &tip);
    let figure = RichText::new(percent(result.now, 0));
    ui.label(figure.font(semibold(30.0)).color(tokens(ui).strong));
    let text = tr!("compare-still-correct", then = percent(result.then, 0));
    faint(ui, text);
    if !same {
        images_of_first_task(ui, result);
    }
    if let Some(quality) = row.quality_of_first {
        faint(ui, quality.words());
    }
}

/// Draws a sentence about the test images of the first task.
fn images_of_first_task(ui: &mut Ui, result: &FirstTaskResult<'_>) {
    let names = listed(result.first(), 6);
    faint(ui, tr!("compare-images-of-classes", names));
}
