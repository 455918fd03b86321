//! The cards for finding a suitable method and a suitable backbone for the images: each has a button and a table of
//! results.

use egui::{RichText, Ui};

use super::start::explain_disabled;
use crate::run::trial_result::{Trial, TriedMethod};
use crate::session::Session;
use crate::session::advice::backbone_after_trial;
use crate::session::formatting::{format_bytes, format_number};
use crate::session::trials::TrialState;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, button_if, card, faint, sentence};

/// Draws the card for methods.
pub fn trial(ui: &mut Ui, cx: &mut Cx<'_>) {
    show(ui, cx, &METHODS);
}

/// Draws the card for backbones.
pub fn backbones(ui: &mut Ui, cx: &mut Cx<'_>) {
    show(ui, cx, &BACKBONES);
}

/// A kind of trial.
struct Kind {
    state: fn(&Session) -> &TrialState,
    start: fn(&mut Session),
    /// Whether the card recommends a better backbone.
    suggests: bool,
    /// The message ids of title, button and hint.
    messages: [&'static str; 3],
}

const METHODS: Kind = Kind {
    state: |session| &session.experiment.trial,
    start: |session| {
        session.try_methods();
    },
    suggests: true,
    messages: ["experiment-trial-title", "experiment-trial-start", "experiment-trial-hint"],
};

const BACKBONES: Kind = Kind {
    state: |session| &session.experiment.backbone_trial,
    start: Session::try_backbones,
    suggests: false,
    messages: [
        "experiment-backbone-trial-title",
        "experiment-backbone-trial-start",
        "experiment-backbone-trial-hint",
    ],
};

fn show(ui: &mut Ui, cx: &mut Cx<'_>, kind: &Kind) {
    if cx.session.experiment.data.ready().is_none() {
        return;
    }
    card(ui, |ui| {
        widgets::title(ui, tr!(kind.messages[0]));
        let trial = cx.session.trial_result((kind.state)(cx.session)).cloned();
        if let Some(trial) = &trial {
            table(ui, cx, trial);
            for message in trial.sentences() {
                sentence(ui, message.translated());
            }
            if kind.suggests {
                backbone(ui, cx, trial);
            }
        }
        show_controls(ui, cx, kind, trial.is_some());
    });
}

/// Recommends a more accurate backbone if no method reaches a good accuracy.
fn backbone(ui: &mut Ui, cx: &mut Cx<'_>, trial: &Trial) {
    let inventory = &cx.session.inventory;
    let tried = &trial.methods[0].config.backbone;
    let Some((better, text)) =
        inventory.backbone(tried).and_then(|view| backbone_after_trial(trial, view.parameters))
    else {
        return;
    };
    // The recommendation is omitted if the user has selected another backbone since the trial.
    if cx.session.experiment.draft.backbone != *tried {
        return;
    }
    let Some(view) = inventory.backbone(better.name) else {
        return;
    };
    sentence(ui, text);
    ui.horizontal_wrapped(|ui| {
        if button(ui, tr!("train-use-setting", name = better.title)).clicked() {
            let name = view.entry.name.clone();
            cx.change(move |session| session.choose_backbone(&name));
        }
        faint(ui, tr!("train-weights-place", place = view.location_summary()));
    });
}

/// Draws the button that starts the trial, or the progress of the trial.
fn show_controls(ui: &mut Ui, cx: &mut Cx<'_>, kind: &Kind, is_done: bool) {
    let texts = [tr!("experiment-trial-queued"), tr!("experiment-trial-stop")];
    let state = (kind.state)(cx.session);
    if progress(ui, cx, state, texts) {
        return;
    }
    let [_, start, hint] = kind.messages;
    let label = match is_done {
        true => tr!("experiment-trial-again"),
        false => tr!(start),
    };
    let can_start = cx.session.can_start() && !cx.session.has_grid();
    let response = explain_disabled(button_if(ui, can_start, label), cx);
    if response.on_hover_text(tr!(hint)).clicked() {
        cx.change(kind.start);
    }
}

/// Draws the progress of a trial and a button that stops it. `queued` is the text of a trial that waits. Returns whether
/// the trial was requested and is not finished.
pub fn progress(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    state: &TrialState,
    [queued, stop]: [&str; 2],
) -> bool {
    let TrialState::Requested(job) = *state else {
        return false;
    };
    let text = match cx.session.trial_step(state) {
        Some(step) => step + " …",
        None => queued.into(),
    };
    ui.horizontal_wrapped(|ui| {
        widgets::truncated_faint(ui, crate::session::explanation::sentence(&text));
        cx.change_button(ui, stop, move |session| session.cancel_job(job));
    });
    true
}

/// Draws the results as one row per method or backbone, the best one in bold.
pub fn table(ui: &mut Ui, cx: &mut Cx<'_>, trial: &Trial) {
    let t = tokens(ui);
    let best = trial.best();
    let has_memory = trial.methods.iter().any(|method| method.memory.is_some());
    egui::Grid::new(("tried", &trial.methods[0].method, &trial.methods[0].title))
        .num_columns(5)
        .spacing([7.0, 6.0])
        .show(ui, |ui| {
            // There is space for three figures. Backbones are compared by class means, which hardly forget, so memory
            // is shown.
            let third = match has_memory {
                true => tr!("experiment-trial-memory"),
                false => tr!("experiment-trial-forgotten"),
            };
            for title in
                ["", tr!("experiment-trial-correct"), third, tr!("experiment-trial-time"), ""]
            {
                faint(ui, title);
            }
            ui.end_row();
            for (index, method) in trial.methods.iter().enumerate() {
                let cell = |text: String| match best == Some(index) {
                    true => RichText::new(text).font(semibold(13.0)).color(t.strong),
                    false => RichText::new(text).color(t.text),
                };
                let title = ui.label(cell(method.title.clone()));
                if let Some(problem) = &method.problem {
                    title.on_hover_text(problem.translated_what());
                }
                for text in figures(method, has_memory) {
                    ui.label(cell(text));
                }
                if ui.link(tr!("experiment-trial-use")).clicked() {
                    let config = method.config.clone();
                    cx.change(|session| session.apply_tried_settings(config));
                }
                ui.end_row();
            }
        });
}

/// Returns accuracy, forgetting (or memory) and seconds of a method. Missing values are dashes.
fn figures(method: &TriedMethod, has_memory: bool) -> [String; 3] {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".into());
    [
        or_dash(method.right.map(|accuracy| format!("{}\u{a0}%", format_number(accuracy, 1)))),
        or_dash(match has_memory {
            true => method.memory.map(format_bytes),
            false => method.forgotten.map(|lost| format_number(lost, 1)),
        }),
        format!("{}\u{a0}s", format_number(method.seconds, 1)),
    ]
}
