//! A report of runs as a self-contained HTML file: tables, curves and matrices with their numbers, sample images,
//! settings, hashes and versions. It can be read offline, in light and dark mode, and printed.

mod run;

use std::collections::HashSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figure::{Figure, Lines, RenderTarget};
use super::groups::{Group, groups, none_measured};
use super::json::mean_and_spread;
use super::summary::RunSummary;
use super::table::{Align, BesidePublished, FIGURES, FigureSpec, PLUS_MINUS, figure_text};
use crate::palette::{Rgb, Shade, hex};
use crate::problem::Result;
use crate::texts::Language;
use crate::tr;

/// Maximum number of runs with a section of their own; more would make the report too large.
const MOST_SECTIONS: usize = 24;

/// A sample image of a dataset.
#[derive(Clone, Debug)]
pub struct SamplePicture {
    /// The name of its class.
    pub class: String,
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
}

/// Returns the HTML report of these runs. `pictures` returns some training images of a run, or none if its dataset is
/// not available.
///
/// # Errors
/// Returns a Problem if no run has a finished task.
pub fn report(
    runs: &[RunSummary],
    pictures: &dyn Fn(&RunSummary) -> Vec<SamplePicture>,
) -> Result<String> {
    let groups = groups(runs);
    let Some(first) = groups.first() else {
        return Err(none_measured());
    };
    let measured: Vec<&RunSummary> = runs.iter().filter(|run| run.saved() > 0).collect();
    let title = match measured[..] {
        [only] => only.header.title(),
        _ => match groups.len() {
            1 => format!("{} · {}", first.header.config.data_name(), first.label),
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
                style { (PreEscaped(colours())) (PreEscaped(include_str!("style.css"))) }
            }
            body {
                h1 { (title) }
                p { (tr!("report-about", n = runs.len(), version = env!("CARGO_PKG_VERSION"))) }
                (results(&groups))
                (published(&groups))
                h3 { (tr!("figure-accuracy")) }
                (curves(&groups))
                @for section in sections(&measured, pictures) { (section) }
                @if measured.len() > MOST_SECTIONS {
                    p { (tr!("report-more-runs", n = measured.len() - MOST_SECTIONS)) }
                }
            }
        }
    };
    Ok(page.into_string())
}

/// Returns the colours of methods as CSS variables, for light, dark and print.
fn colours() -> String {
    let named = |of: fn(Shade) -> Rgb| -> String {
        let each = Shade::all().map(|shade| format!("--{}:{};", shade.name(), hex(of(shade))));
        each.collect()
    };
    let (light, dark) = (named(Shade::on_light), named(Shade::on_dark));
    format!(":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")
}

/// Number of metrics in the first table; the others are collapsed.
const FIRST: usize = 4;

/// Returns the final metrics of each group.
fn results(groups: &[Group]) -> Markup {
    let (first, more) = FIGURES.split_at(FIRST);
    html! {
        (figures(groups, first))
        details {
            summary { (tr!("report-more-figures")) }
            (figures(groups, more))
            table { @for figure in &FIGURES {
                tr { td { (figure.title()) } td { (figure.meaning())
                    @if figure.less_is_better { "; " (tr!("report-lower-is-better")) }
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
    let figure = Figure::lines(tr!("figure-accuracy"), Lines::of_groups(groups));
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
    let table = figure.table();
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
    let beside = |group: &Group| {
        let runs = &group.orders.runs;
        let orders = runs.iter().map(|run| &run.class_order);
        let measured = runs.first()?.tasks.len();
        let final_accuracy = group.orders.mean.final_accuracy()?;
        let beside =
            BesidePublished::new((&group.header, measured), orders, final_accuracy).ok()?;
        Some((group.label.clone(), beside))
    };
    let rows: Vec<_> = groups.iter().filter_map(beside).collect();
    let published = |figure| {
        let title = FigureSpec::named(figure).map_or("", FigureSpec::title);
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
    pictures: &dyn Fn(&RunSummary) -> Vec<SamplePicture>,
) -> Vec<Markup> {
    let mut shown = HashSet::new();
    let section = |run: &&RunSummary| {
        // Equal datasets are shown once.
        let images = run.header.images.as_ref();
        let is_new = images
            .is_none_or(|images| images.train.is_empty() || shown.insert(images.train.clone()));
        let pictures = if is_new { pictures(run) } else { Vec::new() };
        run::section(run, &pictures)
    };
    runs.iter().take(MOST_SECTIONS).map(section).collect()
}
