//! The result of checking the open text: errors, equations, and the plugin's use on the current backbone.

use egui::{RichText, Ui};

use super::{about, block, folded, parameters, trying};
use crate::experiment::pet_costs::PICTURES;
use crate::expression::Diagnostic;
use crate::pet::gradients::{Gradient, Learns};
use crate::session::editor::OpenPlugin;
use crate::session::editor::meaning::{OnBackbone, PluginMeasurements};
use crate::session::story::sentence as as_sentence;
use crate::session::words::number;
use crate::tr;
use crate::ui::pages::{Cx, experiment};
use crate::ui::theme::{mono, regular, semibold, tokens};
use crate::ui::widgets::{self, Column, button, card, coloured, faint, sentence, truncated};

/// Maximum number of errors shown.
const MOST: usize = 8;

/// Draws the right column.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, _: Column) {
    let session = cx.session;
    let Some(open) = &session.editor.open else {
        return;
    };
    mistakes(ui, cx, open);
    let Some(good) = &open.good else {
        return;
    };
    if !open.mistakes.is_empty() {
        faint(ui, tr!("editor-last-valid-version"));
    }
    card(ui, |ui| {
        widgets::title(ui, good.plugin.title());
        experiment::equations(ui, &good.plugin);
        folded(ui, &good.plugin);
        about(ui, &good.plugin);
    });
    match &good.on {
        Ok(on) => {
            let folded = good.plugin.folded();
            on_backbone(ui, on, good.plugin.starts_as_identity, folded.as_deref());
        }
        Err(problem) => {
            card(ui, |ui| widgets::problem(ui, problem));
        }
    }
    parameters(ui, &good.plugin);
    measured(ui, open);
    trying::show(ui, cx, open);
}

fn mistakes(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    card(ui, |ui| {
        let t = tokens(ui);
        let (words, colour) = match open.mistakes.len() {
            _ if open.checked == 0 => (tr!("editor-checking").to_string(), t.subdued),
            0 => (tr!("editor-no-errors").to_string(), t.good),
            count => (tr!("editor-errors", n = count), t.bad),
        };
        ui.label(RichText::new(words).font(semibold(14.0)).color(colour));
        for (place, wrong) in open.mistakes.iter().take(MOST) {
            mistake(ui, cx, open, *place, wrong);
        }
        if open.mistakes.len() > MOST {
            let more = open.mistakes.len() - MOST;
            faint(ui, tr!("count-more", n = more));
        }
    });
}

fn mistake(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    open: &OpenPlugin,
    (line, column): (usize, usize),
    wrong: &Diagnostic,
) {
    let t = tokens(ui);
    ui.separator();
    let place = tr!("editor-error-place", line, column);
    if ui.link(place).clicked() {
        cx.pages.plugins.editor.code.go_to = Some(wrong.span.clone());
    }
    let what = as_sentence(&wrong.what);
    widgets::selectable(ui, what, regular(13.0), t.strong);
    if !wrong.why.is_empty() {
        sentence(ui, as_sentence(&wrong.why));
    }
    let current = open.checked == open.version;
    if let Some(fix) = &wrong.fix
        && button(ui, tr!("editor-error-fix", text = fix)).clicked()
        && current
        && open.text.get(wrong.span.clone()).is_some()
    {
        let mut text = open.text.clone();
        text.replace_range(wrong.span.clone(), fix);
        cx.change(move |session| session.edit_plugin(text));
    }
}

fn on_backbone(ui: &mut Ui, on: &OnBackbone, is_identity: bool, folded: Option<&str>) {
    card(ui, |ui| {
        let t = tokens(ui);
        widgets::title(ui, tr!("editor-on-backbone", backbone = &on.title));
        block::show(ui, on);
        let (carry, all) = on.blocks;
        let mut said = vec![tr!(
            "editor-on-trainable-parameters",
            n = on.on.trained,
            carry,
            all,
            kilobytes = (on.on.trained * 4).div_ceil(1000)
        )];
        if on.on.values > on.on.trained {
            let fixed = on.on.values - on.on.trained;
            said.push(tr!("editor-on-fixed-parameters", n = fixed));
        }
        let megabytes = on.step_bytes.div_ceil(1_000_000);
        said.push(tr!("editor-on-memory", megabytes));
        let begins = match is_identity {
            true => tr!("editor-on-starts-identity"),
            false => tr!("editor-on-starts-not-identity"),
        };
        said.push(begins.into());
        said.extend(folded.map(Into::into));
        for words in said {
            sentence(ui, words);
        }
        faint(ui, tr!("editor-on-token-shapes", n = on.tokens));
        widgets::grid(ui, "shapes-of-parts", 2, [14.0, 3.0], |ui| {
            for part in &on.on.parts {
                let shape = RichText::new(&part.shape).font(mono(11.5)).color(t.strong);
                ui.label(shape);
                let place = match part.step.as_str() {
                    "" => part.site.name().to_string(),
                    step => format!("{}, {step}", part.site.name()),
                };
                truncated(ui, &part.text, mono(11.5), t.text).on_hover_text(place);
                ui.end_row();
            }
        });
    });
}

fn measured(ui: &mut Ui, open: &OpenPlugin) {
    card(ui, |ui| {
        widgets::title(ui, tr!("editor-measurements"));
        match (open.measured.ready(), open.measured.problem()) {
            (_, Some(problem)) => widgets::problem(ui, problem),
            (Some(found), _) => found_out(ui, found),
            _ => drop(faint(ui, tr!("editor-measurements-waiting"))),
        }
        if open.measuring && open.measured.ready().is_some() {
            faint(ui, tr!("editor-measuring-again"));
        }
    });
}

fn found_out(ui: &mut Ui, found: &PluginMeasurements) {
    let t = tokens(ui);
    let costs = &found.costs;
    let [plain, with] = costs.prediction;
    let [_, step] = costs.step;
    let note = tr!(
        "editor-measured-times",
        n = PICTURES,
        with = number(with, 1),
        plain = number(plain, 1),
        step = number(step, 1)
    );
    sentence(ui, note);
    widgets::grid(ui, "gradients", 2, [14.0, 3.0], |ui| {
        for one in &found.gradients {
            ui.label(RichText::new(&one.name).font(mono(11.5)).color(t.strong));
            let (words, bad) = learning(one);
            let colour = if bad { t.bad } else { t.text };
            coloured(ui, words, |_| colour);
            ui.end_row();
        }
    });
}

/// Returns in words how a parameter learns, and whether that is a problem.
fn learning(one: &Gradient) -> (&'static str, bool) {
    match one.learns {
        Learns::Fixed => (tr!("editor-parameter-fixed"), false),
        Learns::Never => (tr!("editor-parameter-without-gradient"), true),
        Learns::AtOnce => (tr!("editor-parameter-learns-first-step"), false),
        Learns::Later => (tr!("editor-parameter-learns-second-step"), false),
    }
}
