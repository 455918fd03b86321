//! What the open text means: its mistakes, its equations, and what it comes to on the backbone of the settings.

use egui::{Label, RichText, Ui};

use super::{act, block, parameters, trying};
use crate::counts::{count_text, counted};
use crate::experiment::pet_costs::PICTURES;
use crate::pet::gradients::{Gradient, Learns};
use crate::session::editor::OpenPlugin;
use crate::session::editor::meaning::{Measured, Mistake, OnBackbone};
use crate::session::story::sentence as as_sentence;
use crate::ui::page_commands::PluginCommand;
use crate::ui::pages::{Cx, experiment};
use crate::ui::theme::{mono, semibold, tokens};
use crate::ui::widgets::{self, Column, button, card, faint, link, sentence};

/// So many mistakes are shown.
const MOST: usize = 8;
/// A gradient that is further from the measured difference is told as wrong.
const RIGHT: f64 = 0.02;

/// Draws the right-hand side.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, _: Column) {
    let Some(open) = cx.session.editor.open.clone() else {
        return;
    };
    mistakes(ui, cx, &open);
    let Some(good) = open.good.clone() else {
        return;
    };
    if !open.mistakes.is_empty() {
        faint(ui, "Below is what the last sound text means.");
    }
    card(ui, |ui| {
        widgets::title(ui, good.plugin.title.clone());
        experiment::equations(ui, &good.plugin);
        if !good.plugin.about.is_empty() {
            sentence(ui, &good.plugin.about);
        }
    });
    match &good.on {
        Ok(on) => on_backbone(ui, on, good.starts_as_identity),
        Err(problem) => {
            card(ui, |ui| widgets::problem(ui, problem));
        }
    }
    parameters(ui, &good.plugin);
    measured(ui, &open);
    trying::show(ui, cx, &open);
}

fn mistakes(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin) {
    card(ui, |ui| {
        let t = tokens(ui);
        let (words, colour) = match open.mistakes.len() {
            _ if open.checked == 0 => ("Being checked …".to_string(), t.subdued),
            0 => ("Nothing is wrong with it".to_string(), t.good),
            count => (counted(count, "mistake"), t.bad),
        };
        ui.label(RichText::new(words).font(semibold(14.0)).color(colour));
        for mistake in open.mistakes.iter().take(MOST) {
            one(ui, cx, open, mistake);
        }
        if open.mistakes.len() > MOST {
            faint(ui, format!("and {} more", open.mistakes.len() - MOST));
        }
    });
}

fn one(ui: &mut Ui, cx: &mut Cx<'_>, open: &OpenPlugin, mistake: &Mistake) {
    let t = tokens(ui);
    ui.separator();
    let (line, column) = mistake.place;
    if link(ui, &format!("line {line}, column {column}")).clicked() {
        cx.pages.plugins.editor.code.go_to = Some(mistake.span.clone());
    }
    let what = RichText::new(as_sentence(&mistake.what)).color(t.strong);
    ui.add(Label::new(what).wrap().selectable(true));
    if !mistake.why.is_empty() {
        sentence(ui, as_sentence(&mistake.why));
    }
    let current = open.checked == open.version;
    if let Some(mend) = &mistake.mend
        && button(ui, format!("Write {mend}")).clicked()
        && current
        && open.text.get(mistake.span.clone()).is_some()
    {
        let mut text = open.text.clone();
        text.replace_range(mistake.span.clone(), mend);
        act(cx, PluginCommand::Type(text));
    }
}

fn on_backbone(ui: &mut Ui, on: &OnBackbone, is_identity: bool) {
    card(ui, |ui| {
        let t = tokens(ui);
        widgets::title(ui, format!("On {}", on.title));
        block::show(ui, on);
        let (carry, all) = on.blocks;
        let mut said = vec![format!(
            "{} trained in {carry} of {all} blocks, {} kB.",
            counted(on.on.trained, "value"),
            count_text((on.on.trained * 4).div_ceil(1000))
        )];
        if on.on.values > on.on.trained {
            let fixed = on.on.values - on.on.trained;
            said.push(format!("{} stay as they begin.", counted(fixed, "value")));
        }
        said.push(format!(
            "A training step with the settings on Experiment takes about {} MB more than the network alone.",
            on.step_bytes.div_ceil(1_000_000)
        ));
        said.push(match is_identity {
            true => "It starts as the identity: a fresh one changes nothing.".into(),
            false => {
                "It does not start as the identity: a fresh one changes what the network says."
                    .to_string()
            }
        });
        for words in said {
            sentence(ui, words);
        }
        faint(
            ui,
            format!("Shapes for one picture of {} tokens", on.tokens),
        );
        egui::Grid::new("shapes of the parts")
            .num_columns(2)
            .spacing([14.0, 3.0])
            .show(ui, |ui| {
                for part in &on.on.parts {
                    let shape = RichText::new(&part.shape).font(mono(11.5)).color(t.strong);
                    ui.label(shape);
                    let place = match part.step.as_str() {
                        "" => part.site.name().to_string(),
                        step => format!("{}, {step}", part.site.name()),
                    };
                    let text = RichText::new(&part.text).font(mono(11.5)).color(t.text);
                    ui.add(Label::new(text).truncate()).on_hover_text(place);
                    ui.end_row();
                }
            });
    });
}

fn measured(ui: &mut Ui, open: &OpenPlugin) {
    card(ui, |ui| {
        widgets::title(ui, "Tried out");
        match (open.measured.ready(), open.measured.problem()) {
            (_, Some(problem)) => widgets::problem(ui, problem),
            (Some(found), _) => found_out(ui, found),
            _ => drop(faint(
                ui,
                "It is tried once the text has been still for a moment …",
            )),
        }
        if open.measuring && open.measured.ready().is_some() {
            faint(ui, "being tried anew …");
        }
    });
}

fn found_out(ui: &mut Ui, found: &Measured) {
    let t = tokens(ui);
    let costs = &found.costs;
    let [plain, with] = costs.prediction;
    let [_, step] = costs.step;
    sentence(
        ui,
        format!(
            "On the embedded network and the processor here, {PICTURES} pictures: a prediction takes {with:.1} ms instead of {plain:.1} ms, and finding the gradients of a training step {step:.1} ms. A larger network differs.",
        ),
    );
    egui::Grid::new("gradients")
        .num_columns(2)
        .spacing([14.0, 3.0])
        .show(ui, |ui| {
            for one in &found.gradients {
                ui.label(RichText::new(&one.name).font(mono(11.5)).color(t.strong));
                let (words, bad) = learning(one, found.detaches);
                let colour = if bad { t.bad } else { t.text };
                ui.add(Label::new(RichText::new(words).color(colour)).wrap());
                ui.end_row();
            }
        });
}

/// How a parameter learns, in words, and whether that is bad.
fn learning(one: &Gradient, detaches: bool) -> (String, bool) {
    let words = match one.learns {
        Learns::Fixed => return ("fixed".into(), false),
        Learns::Never => return ("no gradient ever reaches it".into(), true),
        Learns::AtOnce => "learns from the first step on",
        Learns::Later => "learns from the second step on",
    };
    match one.error {
        Some(error) if error > RIGHT && detaches => {
            let cut = format!("{words}; its gradient leaves out what detach cuts off");
            (cut, false)
        }
        Some(error) if error > RIGHT => {
            let off = format!(
                "{words}, but its gradient is {:.0} % off what moving it does",
                error * 100.0
            );
            (off, true)
        }
        Some(_) => (
            format!("{words}; its gradient is what moving it does"),
            false,
        ),
        None => (words.into(), false),
    }
}
