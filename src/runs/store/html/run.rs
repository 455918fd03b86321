//! The section of the report about one run: figures, matrices, data, settings and provenance.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maud::{Markup, html};

use super::SampleImage;
use crate::metrics::{Expert, Histories};
use crate::run::config::{RunConfig, SETTINGS};
use crate::run::event::{RunHeader, TaskReport};
use crate::store::figure::Heatmap;
use crate::store::json::EXPERT_FIGURES;
use crate::store::load::load_plugin;
use crate::store::pack::redaction;
use crate::store::spread_text;
use crate::store::summary::RunSummary;
use crate::store::table::FigureSpec;
use crate::tr;

/// Returns the section about one run. If its latest report cannot be read, the section says why.
pub(super) fn section(run: &RunSummary, samples: &[SampleImage]) -> Markup {
    let header = &run.header;
    let history = run.histories();
    let plugin = load_plugin(&header.folder, header).unwrap_or_default();
    html! {
        h2 { (header.name_or_title()) }
        p { (tr!("report-run-started", run = header.run.as_str(), time = header.started.as_str())) }
        @if !header.about.note.is_empty() { p { (header.about.note) } }
        (experts(run, &history))
        h3 { (tr!("report-accuracy-per-task")) }
        (heatmap(&Heatmap::accuracy(&history.for_expert(header.answering_expert()).matrix)))
        @match run.latest_report() {
            Ok(last) => (confusion(header, &last)),
            Err(problem) => p { (tr!("report-predictions-unreadable", why = problem.what)) },
        }
        (classes(run))
        (data(header, samples))
        (provenance_table(run))
        (settings(&redaction::redact_settings(header)))
        @if !plugin.is_empty() {
            details { summary { (tr!("report-pet-source")) } pre { (plugin) } }
        }
    }
}

/// Returns a table with the final accuracy, average accuracy and forgetting of each expert.
fn experts(run: &RunSummary, history: &Histories) -> Markup {
    let figures = run.figures(history);
    let format_value = |value: Option<f64>| spread_text(value, None, "");
    html! {
        table {
            tr {
                th { (tr!("report-predictions-of")) }
                @for figure in EXPERT_FIGURES.iter().filter_map(|key| FigureSpec::from_name(key)) {
                    th.n { (figure.title()) }
                }
            }
            @for expert in &run.header.method.experts { tr {
                td { @if *expert == Expert::ANSWER { (tr!("report-run")) } @else { (expert.key()) } }
                @for figure in figures.expert_figures(*expert) { td.n { (format_value(figure)) } }
            } }
        }
    }
}

fn classes(run: &RunSummary) -> Markup {
    let Some(latest) = &run.latest else {
        return html! {};
    };
    let accuracies = run.header.class_order.iter().zip(latest.classes.accuracies());
    html! {
        details {
            summary { (tr!("report-accuracy-by-class")) }
            table {
                tr { th { (tr!("figure-table-class")) } th.n { (tr!("report-test-images")) } th.n { (tr!("report-accuracy")) } }
                @for ((class, accuracy), images) in accuracies.zip(&latest.classes.images) { tr {
                    td { (class) } td.n { (images) }
                    td.n { (spread_text(accuracy.map(|a| a * 100.0), None, "")) }
                } }
            }
        }
    }
}

fn data(header: &RunHeader, samples: &[SampleImage]) -> Markup {
    let (train, test) = (&header.train_images, &header.test_images);
    html! {
        h3 { (tr!("report-data")) }
        p {
            (redaction::redact_settings(header).data) ": "
            (tr!(
                "report-dataset-counts",
                classes = header.class_order.len(),
                tasks = header.tasks.len(),
                train = train.iter().sum::<usize>(),
                test = test.iter().sum::<usize>()
            ))
        }
        @if !samples.is_empty() { div.pictures { @for picture in samples { figure {
            img alt=(picture.class) src={ "data:image/png;base64," (BASE64.encode(&picture.png)) };
            figcaption title=(picture.class) { (picture.class) }
        } } } }
        details {
            summary { (tr!("report-tasks")) }
            div.scroll { table {
                tr {
                    th.n { (tr!("report-task")) } th.n { (tr!("report-training-images")) }
                    th.n { (tr!("report-test-images")) } th { (tr!("report-task-classes")) }
                }
                @for (task, range) in header.tasks.iter().enumerate() { tr {
                    td.n { (task + 1) }
                    td.n { (train.get(task).copied().unwrap_or(0)) }
                    td.n { (test.get(task).copied().unwrap_or(0)) }
                    td { (header.class_order.get(range.clone()).unwrap_or_default().join(", ")) }
                } }
            } }
        }
    }
}

/// Returns a table of the facts that decide whether another run is a repetition: version, device, hashes, key,
/// parameters.
fn provenance_table(run: &RunSummary) -> Markup {
    let header = &run.header;
    let images = header.images.as_ref();
    let facts = [
        (tr!("report-program"), header.version.clone()),
        (tr!("report-device"), header.device_label()),
        (tr!("compare-weights-hash"), header.weights_sha256.clone()),
        (tr!("report-pet-hash"), run.plugin_sha256.clone()),
        (tr!("report-training-images"), images.map_or_else(String::new, |i| i.train.clone())),
        (tr!("report-test-images"), images.map_or_else(String::new, |i| i.test.clone())),
        (tr!("report-key"), run.key.experiment.clone()),
        (tr!("report-trainable-parameters"), header.trained_parameters.to_string()),
        (tr!("report-frozen-parameters"), header.frozen_parameters.to_string()),
    ];
    html! {
        details {
            summary { (tr!("report-source")) }
            div.scroll { table { @for (name, value) in facts { @if !value.is_empty() {
                tr { td { (name) } td { code { (value) } } }
            } } } }
        }
    }
}

fn settings(config: &RunConfig) -> Markup {
    let common = SETTINGS.iter().filter_map(|setting| {
        let value = (setting.get)(config)?.to_string();
        Some((setting.spec.key, value))
    });
    let method_settings =
        config.settings.iter().map(|(key, value)| (key.as_str(), value.to_string()));
    html! {
        details {
            summary { (tr!("report-all-settings")) }
            table { @for (key, value) in common.chain(method_settings) {
                tr { td { code { (key) } } td { code { (value) } } }
            } }
        }
    }
}

/// Maximum number of confused class pairs that are listed.
const MAX_PAIRS: usize = 10;

/// Returns a matrix as an HTML table; the diagonal is marked.
fn heatmap(cells: &Heatmap) -> Markup {
    html! {
        div.scroll { table.heat {
            tr {
                th { (cells.row_label) " → " (cells.column_label) }
                @for column in &cells.columns { th { (column) } }
            }
            @for (row, name) in cells.rows.iter().enumerate() { tr {
                th { (name) }
                @for (column, share) in cells.row(row).iter().enumerate() { (cell(*share, row == column)) }
            } }
        } }
    }
}

fn cell(share: Option<f64>, is_diagonal: bool) -> Markup {
    html! {
        @match share.filter(|share| share.is_finite()) {
            None => td {},
            Some(share) => td.h.r[is_diagonal] style={ "--v:" (format!("{:.2}", share.clamp(0.0, 1.0) * 0.75)) } {
                (format!("{:.0}", share * 100.0))
            },
        }
    }
}

/// Returns the confusion matrix of the test images after the last saved task, and the most frequently confused pairs.
fn confusion(header: &RunHeader, last: &TaskReport) -> Markup {
    let class_count = header.tasks.get(last.task).map_or(0, |task| task.end);
    let classes = last.answers.confusion(header.answering_expert(), class_count);
    let class = |index: usize| header.class_order.get(index).cloned().unwrap_or_default();
    let confused_pairs = classes.most_confused(MAX_PAIRS);
    html! {
        h3 { (tr!("report-confusion", n = last.task + 1)) }
        (heatmap(&Heatmap::confusion(&classes, &class)))
        @if !confused_pairs.is_empty() {
            h3 { (tr!("report-most-frequent-confusions")) }
            table {
                tr { th { (tr!("figure-table-class")) } th { (tr!("report-predicted-as")) } th.n { (tr!("report-images")) } }
                @for (of, given, count) in confused_pairs {
                    tr { td { (class(of)) } td { (class(given)) } td.n { (count) } }
                }
            }
        }
    }
}
