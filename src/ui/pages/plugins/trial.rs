//! A trial that compares the open plugin with Adapter on the embedded digits: its results and the losses of both.

use egui::{RichText, Ui};
use egui_plot::LineStyle;

use crate::palette::RunStyle;
use crate::run::trial_result::Trial;
use crate::session::Session;
use crate::session::editor::OpenPlugin;
use crate::session::formatting::format_number;
use crate::session::trials::TrialState;
use crate::store::figure::{ChartLine, Figure, LineChart};
use crate::tr;
use crate::ui::pages::{Cx, experiment};
use crate::ui::theme::tokens;
use crate::ui::widgets::losses::downsample;
use crate::ui::widgets::plots::{self, grid_marks};
use crate::ui::widgets::{self, button_if, card, faint, sentence};

/// Maximum number of points of a loss curve.
const POINTS: usize = 80;
/// Height of the chart.
const HEIGHT: f32 = 150.0;

/// Draws the card of the trial.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    card(ui, |ui| {
        widgets::title(ui, tr!("editor-trial"));
        let state = &cx.session.editor.trial;
        let texts = [tr!("editor-trial-queued"), tr!("editor-trial-stop")];
        if experiment::trial_progress(ui, cx, state, texts) {
            return;
        }
        match state {
            TrialState::Done(trial) => outcome(ui, trial),
            _ => drop(sentence(ui, tr!("editor-trial-about"))),
        }
        if button_if(ui, open.is_valid(), tr!("editor-trial")).clicked() {
            cx.change(Session::try_plugin);
        }
    });
}

fn outcome(ui: &mut Ui, trial: &Trial) {
    let t = tokens(ui);
    widgets::grid(ui, "beside-adapter", 4, [16.0, 5.0], |ui| {
        faint(ui, "");
        for title in ["editor-trial-accuracy", "editor-trial-forgetting", "editor-trial-time"] {
            faint(ui, tr!(title));
        }
        ui.end_row();
        for (method, shade) in trial.methods.iter().zip(shades(trial)) {
            let title = ui.label(RichText::new(&method.title).color(t.run_colour(shade)).strong());
            if let Some(problem) = &method.problem {
                title.on_hover_text(problem.translated_what());
            }
            let format_figure = |value: Option<f64>, suffix: &str| {
                value.map_or_else(|| "–".into(), |value| format_number(value, 1) + suffix)
            };
            for text in [
                format_figure(method.right, "\u{a0}%"),
                format_figure(method.forgotten, ""),
                format!("{}\u{a0}s", format_number(method.seconds, 1)),
            ] {
                ui.label(RichText::new(text).color(t.text));
            }
            ui.end_row();
        }
    });
    curves(ui, trial);
    sentence(ui, tr!("editor-trial-judged", n = trial.judged_images));
    for bound in &trial.bounds {
        faint(ui, bound.translated());
    }
}

/// Returns the shades of the two runs, which have the same method.
fn shades(trial: &Trial) -> Vec<RunStyle> {
    RunStyle::for_runs(trial.methods.iter().map(|method| &*method.config.method))
}

/// Draws the losses of both runs over their steps.
fn curves(ui: &mut Ui, trial: &Trial) {
    let (t, shades) = (tokens(ui), shades(trial));
    let lines = trial.methods.iter().zip(&shades);
    let lines = lines.map(|(method, shade)| {
        ChartLine::new(method.title.as_str(), Some(*shade), means(&method.losses))
    });
    let lines: Vec<ChartLine> = lines.collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let max = points().map(|point| point.y).fold(1e-6, f64::max) * 1.05;
    let end = points().map(|point| point.x).fold(1.0, f64::max);
    let figure = || {
        let lines = LineChart {
            axis_label: tr!("figure-losses-about").into(),
            x_labels: Vec::new(),
            y_range: [0.0, max],
            lines: lines.clone(),
        };
        Figure::line_chart(tr!("figure-losses"), lines)
    };
    let plot = plots::static_plot(ui, "losses-beside-adapter", HEIGHT)
        .x_grid_spacer(move |_| grid_marks(0.0, end, (end / 3.0).ceil().max(1.0)))
        .y_grid_spacer(move |_| grid_marks(0.0, max, max / 3.0))
        .y_axis_formatter(|mark, _| format_number(mark.value, 1));
    let name = tr!("editor-trial-losses");
    plots::show(ui, plot, name, figure, |plot| {
        plot.set_plot_bounds_x(0.0..=end);
        plot.set_plot_bounds_y(0.0..=max);
        let styles = [LineStyle::Solid, LineStyle::Dashed { length: 6.0 }];
        for ((line, shade), style) in lines.iter().zip(shades).zip(styles) {
            let line = plots::line(line).color(t.run_colour(shade));
            plot.line(line.width(1.8).style(style));
        }
    });
}

/// Returns a limited number of points; each is the mean of an interval of steps.
fn means(losses: &[f32]) -> Vec<[f64; 2]> {
    let values: Vec<(usize, f32)> = losses.iter().map(|loss| (0, *loss)).collect();
    let points = downsample(0, &values, POINTS).into_iter();
    points.map(|(_, point)| point).collect()
}
