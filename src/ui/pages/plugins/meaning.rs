//! The result of checking the open text: errors, equations, and the plugin's use on the current backbone.

use egui::{RichText, Ui};

use super::{block, description, linear_layers_note, parameters, trial};
use crate::experiment::pet_costs::BATCH_SIZE;
use crate::expression::Diagnostic;
use crate::pet::gradients::{Gradient, Learns};
use crate::session::editor::OpenPlugin;
use crate::session::editor::meaning::{BackboneUsage, PluginMeasurements};
use crate::session::explanation::sentence as as_sentence;
use crate::session::formatting::format_number;
use crate::tr;
use crate::ui::pages::{Cx, experiment};
use crate::ui::theme::{mono, regular, semibold, tokens};
use crate::ui::widgets::{self, Column, button, card, coloured, faint, sentence, truncated};

/// Maximum number of errors shown.
const MAX_ERRORS: usize = 8;

/// Draws the right column.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, _: Column) {
    let session = cx.session;
    let Some(open) = &session.editor.open else {
        return;
    };
    show_errors(ui, cx, open);
    let Some(valid) = &open.last_valid else {
        return;
    };
    if !open.errors.is_empty() {
        faint(ui, tr!("editor-last-valid-version"));
    }
    card(ui, |ui| {
        widgets::title(ui, valid.plugin.title());
        experiment::equations(ui, &valid.plugin);
        linear_layers_note(ui, &valid.plugin);
        description(ui, &valid.plugin);
    });
    match &valid.backbone_usage {
        Ok(backbone) => {
            let folded = valid.plugin.folded();
            backbone_card(ui, backbone, valid.plugin.starts_as_identity, folded.as_deref());
        }
        Err(problem) => {
            card(ui, |ui| widgets::problem(ui, problem));
        }
    }
    parameters(ui, &valid.plugin);
    measurements_card(ui, open);
    trial::show(ui, cx, open);
}

fn show_errors(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    card(ui, |ui| {
        let t = tokens(ui);
        let (text, colour) = match open.errors.len() {
            _ if open.checked_version == 0 => (tr!("editor-checking").to_string(), t.subdued),
            0 => (tr!("editor-no-errors").to_string(), t.good),
            count => (tr!("editor-errors", n = count), t.bad),
        };
        ui.label(RichText::new(text).font(semibold(14.0)).color(colour));
        for (position, error) in open.errors.iter().take(MAX_ERRORS) {
            show_error(ui, cx, open, *position, error);
        }
        if open.errors.len() > MAX_ERRORS {
            let more = open.errors.len() - MAX_ERRORS;
            faint(ui, tr!("count-more", n = more));
        }
    });
}

fn show_error(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    open: &OpenPlugin,
    (line, column): (usize, usize),
    error: &Diagnostic,
) {
    let t = tokens(ui);
    ui.separator();
    let place = tr!("editor-error-place", line, column);
    if ui.link(place).clicked() {
        cx.pages.plugins.editor.code.go_to = Some(error.span.clone());
    }
    let what = as_sentence(&error.what);
    widgets::selectable(ui, what, regular(13.0), t.strong);
    if !error.why.is_empty() {
        sentence(ui, as_sentence(&error.why));
    }
    let is_current = open.checked_version == open.version;
    if let Some(fix) = &error.fix
        && button(ui, tr!("editor-error-fix", text = fix)).clicked()
        && is_current
        && open.text.get(error.span.clone()).is_some()
    {
        let mut text = open.text.clone();
        text.replace_range(error.span.clone(), fix);
        cx.change(move |session| session.edit_plugin(text));
    }
}

fn backbone_card(ui: &mut Ui, backbone: &BackboneUsage, is_identity: bool, folded: Option<&str>) {
    card(ui, |ui| {
        let t = tokens(ui);
        widgets::title(ui, tr!("editor-on-backbone", backbone = &backbone.title));
        block::show(ui, backbone);
        let (carry, all) = backbone.blocks;
        let mut sentences = vec![tr!(
            "editor-on-trainable-parameters",
            n = backbone.block_usage.trained_count,
            carry,
            all,
            kilobytes = (backbone.block_usage.trained_count * 4).div_ceil(1000)
        )];
        if backbone.block_usage.value_count > backbone.block_usage.trained_count {
            let fixed = backbone.block_usage.value_count - backbone.block_usage.trained_count;
            sentences.push(tr!("editor-on-fixed-parameters", n = fixed));
        }
        let megabytes = backbone.step_bytes.div_ceil(1_000_000);
        sentences.push(tr!("editor-on-memory", megabytes));
        let identity_note = match is_identity {
            true => tr!("editor-on-starts-identity"),
            false => tr!("editor-on-starts-not-identity"),
        };
        sentences.push(identity_note.into());
        sentences.extend(folded.map(Into::into));
        for text in sentences {
            sentence(ui, text);
        }
        faint(ui, tr!("editor-on-token-shapes", n = backbone.tokens));
        widgets::grid(ui, "shapes-of-parts", 2, [14.0, 3.0], |ui| {
            for part in &backbone.block_usage.parts {
                let shape = RichText::new(&part.shape).font(mono(11.5)).color(t.strong);
                ui.label(shape);
                let site = match part.step.as_str() {
                    "" => part.site.name().to_string(),
                    step => format!("{}, {step}", part.site.name()),
                };
                truncated(ui, &part.text, mono(11.5), t.text).on_hover_text(site);
                ui.end_row();
            }
        });
    });
}

fn measurements_card(ui: &mut Ui, open: &OpenPlugin) {
    card(ui, |ui| {
        widgets::title(ui, tr!("editor-measurements"));
        match (open.measurements.ready(), open.measurements.problem()) {
            (_, Some(problem)) => widgets::problem(ui, problem),
            (Some(measurements), _) => show_measurements(ui, measurements),
            _ => drop(faint(ui, tr!("editor-measurements-waiting"))),
        }
        if open.is_measuring && open.measurements.ready().is_some() {
            faint(ui, tr!("editor-measuring-again"));
        }
    });
}

fn show_measurements(ui: &mut Ui, measurements: &PluginMeasurements) {
    let t = tokens(ui);
    let costs = &measurements.costs;
    let [plain, with] = costs.prediction;
    let [_, step] = costs.step;
    let note = tr!(
        "editor-measured-times",
        n = BATCH_SIZE,
        with = format_number(with, 1),
        plain = format_number(plain, 1),
        step = format_number(step, 1)
    );
    sentence(ui, note);
    widgets::grid(ui, "gradients", 2, [14.0, 3.0], |ui| {
        for gradient in &measurements.gradients {
            ui.label(RichText::new(&gradient.name).font(mono(11.5)).color(t.strong));
            let (text, is_problem) = learning_text(gradient);
            let colour = if is_problem { t.bad } else { t.text };
            coloured(ui, text, |_| colour);
            ui.end_row();
        }
    });
}

/// Returns in words how a parameter learns, and whether that is a problem.
fn learning_text(gradient: &Gradient) -> (&'static str, bool) {
    match gradient.learns {
        Learns::Fixed => (tr!("editor-parameter-fixed"), false),
        Learns::Never => (tr!("editor-parameter-without-gradient"), true),
        Learns::Immediately => (tr!("editor-parameter-learns-first-step"), false),
        Learns::Later => (tr!("editor-parameter-learns-second-step"), false),
    }
}
