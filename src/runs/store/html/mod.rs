//! A report of runs as a self-contained HTML file: tables, curves and matrices with their numbers, sample images,
//! settings, hashes and versions. It can be read offline, in light and dark mode, and printed.

mod run;

use std::collections::HashSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figure::{Figure, LineChart, RenderTarget};
use super::groups::{Group, groups, no_finished_task_problem};
use super::json::mean_and_spread;
use super::summary::RunSummary;
use super::table::{Align, FIGURES, FigureSpec, PLUS_MINUS, PublishedComparison, figure_text};
use crate::palette::{Rgb, RunStyle, hex};
use crate::problem::Result;
use crate::texts::Language;
use crate::tr;

/// Maximum number of runs with a section of their own; more would make the report too large.
const MAX_SECTIONS: usize = 24;

/// A sample image of a dataset.
#[derive(Clone, Debug)]
pub struct SampleImage {
    /// The name of its class.
    pub class: String,
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
}

/// Returns the HTML report of these runs. `sample_images` returns training images of a run, or none if its dataset is
/// not available.
///
/// # Errors
/// Returns a Problem if no run has a finished task.
pub fn render_report(
    runs: &[RunSummary],
    sample_images: &dyn Fn(&RunSummary) -> Vec<SampleImage>,
) -> Result<String> {
    let groups = groups(runs);
    let Some(first) = groups.first() else {
        return Err(no_finished_task_problem());
    };
    let measured: Vec<&RunSummary> = runs.iter().filter(|run| run.saved_tasks() > 0).collect();
    let title = match measured[..] {
        [only] => only.header.title(),
        _ => match groups.len() {
            1 => format!("{} · {}", first.header.config.dataset_name(), first.label),
            n => tr!("report-compared", n),
        },
    };
    let page = html! {
        (DOCTYPE)
        html lang=(Language::spoken().code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(colour_variables())) (PreEscaped(include_str!("style.css"))) }
            }
            body {
                h1 { (title) }
                p { (tr!("report-about", n = runs.len(), version = env!("CARGO_PKG_VERSION"))) }
                (results(&groups))
                (published(&groups))
                h3 { (tr!("figure-accuracy")) }
                (curves(&groups))
                @for section in sections(&measured, sample_images) { (section) }
                @if measured.len() > MAX_SECTIONS {
                    p { (tr!("report-more-runs", n = measured.len() - MAX_SECTIONS)) }
                }
            }
        }
    };
    Ok(page.into_string())
}

/// Returns the colours of methods as CSS variables, for light, dark and print.
fn colour_variables() -> String {
    let variables = |colour: fn(RunStyle) -> Rgb| -> String {
        let declarations =
            RunStyle::all().map(|shade| format!("--{}:{};", shade.name(), hex(colour(shade))));
        declarations.collect()
    };
    let (light, dark) = (variables(RunStyle::on_light), variables(RunStyle::on_dark));
    format!(":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")
}

/// Number of metrics in the first table; the others are collapsed.
const MAIN_METRICS: usize = 4;

/// Returns the final metrics of each group.
fn results(groups: &[Group]) -> Markup {
    let (first, more) = FIGURES.split_at(MAIN_METRICS);
    html! {
        (figures(groups, first))
        details {
            summary { (tr!("report-more-figures")) }
            (figures(groups, more))
            table { @for figure in &FIGURES {
                tr { td { (figure.title()) } td { (figure.meaning())
                    @if figure.lower_is_better { "; " (tr!("report-lower-is-better")) }
                } }
            } }
            p { (tr!("report-several-runs")) }
        }
    }
}

fn figures(groups: &[Group], figures: &[FigureSpec]) -> Markup {
    html! {
        div.scroll { table {
            tr {
                th { (tr!("report-experiment")) } th.n { (tr!("report-runs")) }
                @for figure in figures { th.n title=(figure.meaning()) { (figure.title()) } }
            }
            @for group in groups { tr {
                td { (group.label) }
                td.n { (group.orders.runs.len()) }
                @for figure in figures {
                    td.n { (mean_and_spread(&group.orders, |of| of.get(figure.key), PLUS_MINUS)) }
                }
            } }
        } }
    }
}

/// Returns the curves, and their numbers as a table.
fn curves(groups: &[Group]) -> Markup {
    let figure = Figure::line_chart(tr!("figure-accuracy"), LineChart::from_groups(groups));
    html! {
        (figure.draw(RenderTarget::Report))
        details {
            summary { (tr!("report-numbers")) }
            div.scroll { (numbers(&figure)) }
        }
    }
}

/// Returns the numbers of a figure.
fn numbers(figure: &Figure) -> Markup {
    let table = figure.to_table();
    html! {
        table {
            tr { @for (title, align) in table.titles() { th.n[align == Align::Right] { (title) } } }
            @for row in table.rows() { tr {
                @for ((_, align), cell) in table.titles().zip(row) { td.n[align == Align::Right] { (cell) } }
            } }
        }
    }
}

/// Returns the published results of the same experiments.
fn published(groups: &[Group]) -> Markup {
    let compare = |group: &Group| {
        let runs = &group.orders.runs;
        let orders = runs.iter().map(|run| &run.class_order);
        let measured = runs.first()?.tasks.len();
        let final_accuracy = group.orders.mean.final_accuracy()?;
        let comparison =
            PublishedComparison::new((&group.header, measured), orders, final_accuracy).ok()?;
        Some((group.label.clone(), comparison))
    };
    let rows: Vec<_> = groups.iter().filter_map(compare).collect();
    let published = |figure| {
        let title = FigureSpec::from_name(figure).map_or("", FigureSpec::title);
        tr!("report-published-figure", figure = title)
    };
    html! { @if !rows.is_empty() {
        h3 { (tr!("report-published")) }
        div.scroll { table {
            tr {
                th { (tr!("report-experiment")) } th { (tr!("report-published-as")) }
                th.n { (published("final")) } th.n { (tr!("report-minus-published")) }
                th.n { (published("average")) } th.n { (published("f")) }
                th { (tr!("report-differences")) }
            }
            @for (label, beside) in &rows { tr {
                td { (label) }
                td { (beside.row) ", " (tr!("report-table-number", table = beside.table)) ", " (beside.source) }
                td.n { (figure_text(Some(beside.final_accuracy))) }
                td.n { (beside.difference_text()) }
                td.n { (figure_text(beside.average_accuracy)) }
                td.n { (figure_text(beside.forgetting)) }
                td { (beside.differs.join(", ")) }
            } }
        } }
    } }
}

fn sections(
    runs: &[&RunSummary],
    sample_images: &dyn Fn(&RunSummary) -> Vec<SampleImage>,
) -> Vec<Markup> {
    let mut shown_datasets = HashSet::new();
    let section = |run: &&RunSummary| {
        // Equal datasets are shown once.
        let images = run.header.images.as_ref();
        let is_new = images.is_none_or(|images| {
            images.train.is_empty() || shown_datasets.insert(images.train.clone())
        });
        let samples = if is_new { sample_images(run) } else { Vec::new() };
        run::section(run, &samples)
    };
    runs.iter().take(MAX_SECTIONS).map(section).collect()
}
