//! The confusion card: after any task, for any expert, over classes or tasks; a click on a cell
//! shows the images behind it.

use std::sync::Arc;

use egui::{Role, Sense, Ui, Vec2, WidgetInfo};

use crate::metrics::Expert;
use crate::run::event::TaskReport;
use crate::session::run_view::RunView;
use crate::ui::app::Cx;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::experiment::covering;
use crate::ui::theme::tokens;
use crate::ui::widgets::matrix::Confusion;
use crate::ui::widgets::{self, card_of, faint, link, segmented};

/// Images shown behind one cell.
const IMAGES: usize = 24;

/// What the prepared picture belongs to: run, reports, task, expert, granularity, theme.
type Key = (String, usize, usize, Expert, bool, bool);
/// The prepared picture.
pub type Cache = Option<(Key, Arc<Confusion>)>;

/// Draws the card.
pub fn card(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, height: f32) {
    card_of(ui, height, |ui| {
        let count = run.reports.len();
        if count == 0 {
            widgets::title(ui, "Confusion");
            faint(
                ui,
                "Comes with the first task: which classes are taken for which.",
            );
            return;
        }
        let task = cx
            .pages
            .train
            .task
            .map_or(count - 1, |task| task.min(count - 1));
        let top = ui.cursor().top();
        controls(ui, cx, run, (count, task));
        let matrix = prepared(ui, cx, run, task);
        let used = ui.cursor().top() - top;
        let room = if height > 0.0 {
            height - 68.0 - used
        } else {
            300.0
        };
        body(ui, cx, run, task, &matrix, room);
    });
}

fn controls(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, (count, task): (usize, usize)) {
    let state = &mut cx.pages.train;
    state.expert = run.history.nearest(state.expert);
    ui.horizontal_wrapped(|ui| {
        widgets::title(ui, "Confusion after task");
        let mut chosen = task;
        if count <= 6 {
            let names: Vec<String> = (1..=count).map(|i| i.to_string()).collect();
            let options: Vec<(usize, &str)> = (0..).zip(names.iter().map(String::as_str)).collect();
            segmented(ui, "after task", &options, &mut chosen);
        } else {
            let mut number = chosen + 1;
            let drag = egui::DragValue::new(&mut number)
                .range(1..=count)
                .speed(0.05);
            ui.add(drag).accessible_name("Confusion after task");
            chosen = number - 1;
        }
        if chosen != task {
            state.task = (chosen + 1 < count).then_some(chosen);
            state.cell = None;
        }
        let experts: Vec<_> = run.history.experts().map(|e| (e, e.title())).collect();
        if experts.len() > 1 && segmented(ui, "expert", &experts, &mut state.expert) {
            state.cell = None;
        }
        let kinds = [(false, "Classes"), (true, "Tasks")];
        if segmented(ui, "granularity", &kinds, &mut state.by_task) {
            state.cell = None;
        }
    });
}

/// The matrix as a picture, made anew only when it shows something else.
fn prepared(ui: &Ui, cx: &mut Cx<'_>, run: &RunView, task: usize) -> Arc<Confusion> {
    let state = &mut cx.pages.train;
    let dark = ui.visuals().dark_mode;
    let name = run.name().to_string();
    let key: Key = (
        name,
        run.reports.len(),
        task,
        state.expert,
        state.by_task,
        dark,
    );
    if let Some((known, matrix)) = &state.cache
        && *known == key
    {
        return matrix.clone();
    }
    let matrix = Arc::new(prepare(ui, run, task, state.expert, state.by_task));
    state.cache = Some((key, matrix.clone()));
    matrix
}

fn prepare(ui: &Ui, run: &RunView, task: usize, expert: Expert, by_task: bool) -> Confusion {
    let (tasks, order) = run
        .header
        .as_ref()
        .map_or((&[][..], &[][..]), |h| (&h.tasks[..], &h.class_order[..]));
    let answers = &run.reports[task].answers;
    if by_task {
        let counts = answers.task_confusion(expert, tasks);
        let names = (1..=tasks.len()).map(|i| format!("task {i}")).collect();
        return Confusion::new(ui, counts, names, Vec::new(), task + 1);
    }
    let counts = answers.confusion(expert, order.len());
    let taught = tasks.get(task).map_or(0, |range| range.end);
    Confusion::new(ui, counts, order.to_vec(), tasks.to_vec(), taught)
}

fn body(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, task: usize, matrix: &Confusion, room: f32) {
    let side = room.min(ui.available_width() * 0.56).clamp(150.0, 520.0);
    ui.horizontal_top(|ui| {
        let cell = cx.pages.train.cell;
        if let Some(clicked) = matrix.show(ui, side, cell) {
            let same = cell == Some(clicked);
            cx.pages.train.cell = (!same).then_some(clicked);
        }
        ui.add_space(10.0);
        ui.vertical(|ui| match cx.pages.train.cell {
            Some(cell) => images(ui, cx, run, &run.reports[task], cell, matrix),
            None => most_confused(ui, cx, matrix),
        });
    });
}

fn most_confused(ui: &mut Ui, cx: &mut Cx<'_>, matrix: &Confusion) {
    let t = tokens(ui);
    let mut wrong: Vec<(u32, usize, usize)> = Vec::new();
    for (row, line) in matrix.counts.iter().enumerate() {
        for (column, &count) in line.iter().enumerate() {
            if row != column && count > 0 {
                wrong.push((count, row, column));
            }
        }
    }
    wrong.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    faint(
        ui,
        if wrong.is_empty() {
            "Nothing is confused"
        } else {
            "Most confused"
        },
    );
    for (count, row, column) in wrong.into_iter().take(6) {
        let all: u32 = matrix.counts[row].iter().sum();
        let names = (matrix.names.get(row), matrix.names.get(column));
        let (Some(name), Some(answer)) = names else {
            return;
        };
        let mut job = egui::text::LayoutJob::default();
        let plain = egui::TextFormat::simple(crate::ui::theme::regular(13.0), t.text);
        let strong = egui::TextFormat::simple(crate::ui::theme::semibold(13.0), t.strong);
        job.append(&format!("{name} taken for {answer}  "), 0.0, plain.clone());
        job.append(&count.to_string(), 0.0, strong);
        job.append(&format!(" of {all}"), 0.0, plain);
        job.wrap.max_width = ui.available_width();
        let line = ui.add(egui::Label::new(job).sense(Sense::click()));
        let line = line.on_hover_cursor(egui::CursorIcon::PointingHand);
        if line.on_hover_text("Show the images").clicked() {
            cx.pages.train.cell = Some((row, column));
        }
    }
    ui.add_space(6.0);
    faint(ui, "Click a cell to see the images.");
}

/// The test images of one cell. A click on one asks Predict about it.
fn images(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    report: &TaskReport,
    (row, column): (usize, usize),
    matrix: &Confusion,
) {
    let Some(header) = &run.header else { return };
    let expert = cx.pages.train.expert;
    let by_task = cx.pages.train.by_task;
    let place = |class: usize| {
        if by_task {
            header.tasks.iter().position(|range| range.contains(&class))
        } else {
            Some(class)
        }
    };
    let answers = report.answers.of(expert);
    let inside: Vec<usize> = (0..answers.len())
        .filter(|&i| {
            place(report.answers.labels[i]) == Some(row) && place(answers[i]) == Some(column)
        })
        .collect();
    let (name, answer) = (&matrix.names[row], &matrix.names[column]);
    let words = if row == column {
        format!("{name}, answered rightly: {}", inside.len())
    } else {
        format!("{name} taken for {answer}: {}", inside.len())
    };
    faint(ui, words);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(4.0);
        for &i in inside.iter().take(IMAGES) {
            let truth = header.class_order.get(report.answers.labels[i]).cloned();
            thumbnail(ui, cx, header, report.answers.samples[i], truth);
        }
    });
    if inside.len() > IMAGES {
        faint(ui, format!("and {} more", inside.len() - IMAGES));
    }
    if link(ui, "Back").clicked() {
        cx.pages.train.cell = None;
    }
}

fn thumbnail(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &crate::run::event::RunHeader,
    index: usize,
    truth: Option<String>,
) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(40.0), Sense::click());
    let name = format!("{} image {index}", header.config.measured_on());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    match cx.session.need_picture(&header.config, index) {
        Some(Ok(picture)) => {
            let picture = picture.clone();
            let texture = cx.textures.of(ui.ctx(), &picture);
            egui::Image::new((texture, rect.size()))
                .uv(covering(picture.width, picture.height))
                .corner_radius(4)
                .paint_at(ui, rect);
            let tip = format!("{}\nClick to ask Predict about it", picture.name);
            if response.on_hover_text(tip).clicked() {
                cx.act(UiCommand::PredictWith(header.folder.clone()));
                cx.act(UiCommand::PredictPicture(picture, truth));
                cx.act(UiCommand::Show(Page::Predict));
            }
        }
        Some(Err(problem)) => {
            let what = problem.what.clone();
            ui.painter().rect_filled(rect, 4.0, t.background);
            response.on_hover_text(what);
        }
        None => {
            ui.painter().rect_filled(rect, 4.0, t.background);
        }
    }
}
