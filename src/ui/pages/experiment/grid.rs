//! A grid on Experiment: what it is, how its runs stand, what the others will cost.

use egui::{Popup, RichText, ScrollArea, Ui};

use crate::counts::{count_text, counted};
use crate::run::grid::{CellStanding, GridLine, GridStanding};
use crate::run::job::SearchBy;
use crate::session::grids::{GridView, line_title};
use crate::session::views::Fetch;
use crate::session::words::{bytes_text, duration_text};
use crate::ui::command::UiCommand;
use crate::ui::page_commands::GridCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, button, card, faint, segmented, sentence};

/// Height of a line of the list.
const LINE: f32 = 20.0;

/// The grid that was opened, as the table of its runs.
pub fn opened(ui: &mut Ui, cx: &mut Cx<'_>, height: f32) {
    let Some(name) = cx.session.experiment.grid.opened.clone() else {
        return;
    };
    card(ui, |ui| {
        let view = cx.session.experiment.grid.view.ready().cloned();
        let title = view.as_ref().map_or(name, |v| v.standing.title.clone());
        widgets::ends(
            ui,
            |ui| {
                widgets::title(ui, title);
            },
            |ui| {
                if button(ui, "Close")
                    .on_hover_text("Back to the settings")
                    .clicked()
                {
                    cx.act(UiCommand::OnGrid(GridCommand::Close));
                }
                let fields = view.as_ref().is_some_and(|view| view.fields.is_some());
                let hint = "Makes it the settings, some of which then have several values";
                if fields && button(ui, "Change it…").on_hover_text(hint).clicked() {
                    cx.act(UiCommand::OnGrid(GridCommand::Edit));
                }
            },
        );
        match (&cx.session.experiment.grid.view, view) {
            (_, Some(view)) => {
                if !view.standing.about.is_empty() {
                    sentence(ui, view.standing.about.clone());
                }
                lines(ui, &view.standing, height);
            }
            (Fetch::Failed(problem), None) => widgets::problem(ui, problem),
            _ => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    faint(ui, "Looking which runs are there");
                });
            }
        }
    });
}

/// The runs, a line each.
pub fn lines(ui: &mut Ui, standing: &GridStanding, height: f32) {
    ScrollArea::vertical()
        .id_salt("runs of the grid")
        .max_height(height)
        .auto_shrink([false, true])
        .show_rows(ui, LINE, standing.lines.len(), |ui, rows| {
            for line in &standing.lines[rows] {
                one(ui, line);
            }
        });
}

fn one(ui: &mut Ui, line: &GridLine) {
    let t = tokens(ui);
    let (words, colour) = match &line.standing {
        CellStanding::Done(_) => ("done".to_string(), t.text),
        CellStanding::Stopped { saved, tasks } => {
            (format!("stopped in task {}/{tasks}", saved + 1), t.warning)
        }
        CellStanding::AtWork => ("at work".into(), t.accent),
        CellStanding::Elsewhere => ("run by another program".into(), t.warning),
        CellStanding::ToDo => (duration_text(line.seconds.max(1.0)), t.subdued),
        CellStanding::Refused(problem) => (problem.what.clone(), t.bad),
    };
    widgets::ends(
        ui,
        |ui| {
            ui.set_min_height(LINE - 4.0);
            widgets::cut(ui, line_title(line));
        },
        |ui| {
            let label = egui::Label::new(RichText::new(&words).color(colour)).truncate();
            ui.add(label).on_hover_text(&words);
        },
    );
}

/// "3 methods × 2 PETs = 36 runs · 12 of them are there · about 1 h 40 · 8 MB · 1.2 GB memory".
pub fn summary(view: &GridView) -> String {
    let standing = &view.standing;
    let runs = counted(standing.lines.len(), "run");
    let mut words = vec![match view.factors.as_str() {
        "" => format!("{} in {}", runs, counted(standing.rows, "row")),
        factors => format!("{factors} = {runs}"),
    }];
    let done = standing.done();
    if done > 0 {
        words.push(format!("{} of them are there", count_text(done)));
    }
    let refused = standing.refused();
    if refused > 0 {
        words.push(format!("{} cannot be run", count_text(refused)));
    }
    if standing.to_do() > 0 {
        let how = if standing.measured { "" } else { " (a guess)" };
        words.push(format!(
            "about {}{how}",
            duration_text(standing.seconds().max(1.0))
        ));
        words.push(bytes_text(standing.disk));
        words.push(format!("{} memory", bytes_text(standing.memory)));
    }
    words.join(" · ")
}

/// What stands above the start button for a grid; the first thing in its way.
pub fn ready(ui: &mut Ui, cx: &mut Cx<'_>) {
    match &cx.session.experiment.grid.view {
        Fetch::Ready(view) => {
            sentence(ui, summary(view));
            if view.standing.rows > 1 {
                search(ui, cx.session.experiment.grid.search, cx.commands);
            }
            if view.standing.to_do() > 0 {
                clusters(ui, cx);
            }
            let refused = view
                .standing
                .lines
                .iter()
                .find_map(|line| match &line.standing {
                    CellStanding::Refused(problem) => Some(problem),
                    _ => None,
                });
            if let Some(problem) = refused {
                widgets::problem(ui, problem);
            }
        }
        Fetch::Failed(problem) => widgets::problem(ui, problem),
        Fetch::Busy | Fetch::Nothing => {
            faint(ui, "Looking which runs are there");
        }
    }
}

/// The way to the clusters there are; without one it says where they would come from.
fn clusters(ui: &mut Ui, cx: &mut Cx<'_>) {
    let clusters = &cx.session.places.clusters;
    if cx.session.grid_search().is_some() {
        return;
    }
    let menu =
        button(ui, "Run on Slurm…").on_hover_text("Submits what is not there yet as a job array");
    Popup::menu(&menu).show(|ui| {
        if clusters.is_empty() {
            faint(
                ui,
                "There is no sbatch on this computer, and places.toml names no cluster",
            );
        }
        for place in clusters {
            let name = match place.name.as_str() {
                "" => "The cluster of this computer",
                name => name,
            };
            if ui.button(name).clicked() {
                let submit = GridCommand::Submit(place.name.clone());
                cx.commands.push(UiCommand::OnGrid(submit));
            }
        }
    });
}

/// The switch that makes a search of it.
fn search(ui: &mut Ui, now: Option<SearchBy>, commands: &mut Vec<UiCommand>) {
    let mut by = now;
    ui.horizontal_wrapped(|ui| {
        let mut on = by.is_some();
        let hint = "Chooses among the rows of each method by pictures held back from training, a fifth unless the settings name \
                    a share, with as many training passes for each method";
        if ui.checkbox(&mut on, "Search for the best").on_hover_text(hint).changed() {
            by = on.then_some(SearchBy::Halving);
        }
        if let Some(mut chosen) = by {
            let ways = [(SearchBy::Halving, "halving"), (SearchBy::All, "all")];
            if segmented(ui, "how it is searched", &ways, &mut chosen) {
                by = Some(chosen);
            }
        }
    });
    if by != now {
        commands.push(UiCommand::OnGrid(GridCommand::Search(by)));
    }
}

/// "Start 24 runs".
pub fn start_words(cx: &Cx<'_>) -> String {
    let view = cx.session.experiment.grid.view.ready();
    if cx.session.grid_search().is_some() {
        return "Start the search".into();
    }
    match view.map_or(0, |view| view.standing.to_do()) {
        0 => "Nothing to start".into(),
        left => format!("Start {}", counted(left, "run")),
    }
}
