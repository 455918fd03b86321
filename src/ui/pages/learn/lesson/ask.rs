//! The guesses and questions of a lesson.

use egui::{Color32, Label, RichText, Stroke, Ui};

use super::text;
use crate::session::lessons::{
    AnswerKind, Feedback, Figures, Formula, GivenAnswer, LessonQuestion, Paragraph,
};
use crate::texts::Language;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, button, card, subscripts};

/// Draws a question and the feedback on the user's answer.
pub(super) fn show(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    ask: &LessonQuestion,
    figures: &Figures,
    language: Language,
) {
    let context = (figures, language);
    let previous = cx.session.learn.lessons.user_answer(&ask.name);
    let mut given = previous.clone();
    card(ui, |ui| {
        text::show_paragraphs(ui, &ask.text, figures, language);
        // A guess cannot be changed because its result is shown next.
        let can_answer = !ask.guess || !ask.is_answered(&given);
        match &ask.kind {
            AnswerKind::Choice(choices) => choice_list(ui, can_answer, choices, &mut given),
            AnswerKind::Number { unit, .. } => {
                ui.add_enabled_ui(can_answer, |ui| number_field(ui, unit, &mut given));
            }
        }
        // The height of the longest feedback is reserved, so that an answer does not move anything.
        let height = feedback_height(ui, ask, context);
        ui.vertical(|ui| {
            ui.set_min_height(height);
            show_feedback(ui, ask, &ask.feedback(&given, figures), context);
        });
    });
    if given != previous {
        let name = ask.name.clone();
        cx.change(move |session| session.learn.lessons.set_answer(&name, given));
    }
}

fn choice_list(ui: &mut Ui, enabled: bool, choices: &[(String, Formula)], given: &mut GivenAnswer) {
    let t = tokens(ui);
    ui.spacing_mut().icon_spacing = 10.0;
    // Makes the ring of an unselected button visible.
    ui.visuals_mut().widgets.inactive.bg_stroke = Stroke::new(1.5, t.subdued);
    for (i, (choice, _)) in choices.iter().enumerate() {
        let chosen = given.choice == Some(i);
        let colour = if enabled || chosen { t.strong } else { t.subdued };
        let label = subscripts::layout_job(choice, regular(14.0), colour);
        if ui.radio(chosen, label).clicked() && enabled {
            given.choice = Some(i);
        }
    }
}

fn number_field(ui: &mut Ui, unit: &str, given: &mut GivenAnswer) {
    ui.horizontal(|ui| {
        let name = tr!("learn-your-number");
        let label = ui.label(RichText::new(name).font(regular(14.0)));
        let field = widgets::line_edit(&mut given.typed, 90.0).char_limit(20);
        let field = ui.add(field).labelled_by(label.id);
        if field.changed() {
            given.checked = false;
        }
        ui.label(RichText::new(unit).font(regular(14.0)));
        let entered = widgets::is_submitted(ui, &field);
        let pressed = button(ui, tr!("learn-check-answer")).clicked();
        if (pressed || entered) && !given.typed.trim().is_empty() {
            given.checked = true;
        }
    });
}

/// Returns the height of the longest feedback.
fn feedback_height(ui: &Ui, ask: &LessonQuestion, context: (&Figures, Language)) -> f32 {
    let slips = match &ask.kind {
        AnswerKind::Number { slips, .. } => &slips[..],
        AnswerKind::Choice(_) => &[],
    };
    let slips = slips.iter().map(|(_, text)| text);
    let texts = slips.chain([&ask.if_right, &ask.if_wrong]);
    let longest = texts.map(|text| text::height(ui, text, context));
    let heading_height = ui.ctx().fonts_mut(|fonts| fonts.row_height(&semibold(14.0)));
    longest.fold(0.0, f32::max) + heading_height
}

fn show_feedback(
    ui: &mut Ui,
    ask: &LessonQuestion,
    feedback: &Feedback<'_>,
    (figures, language): (&Figures, Language),
) {
    let t = tokens(ui);
    let no_text: &[Paragraph] = &[];
    let (heading, colour, more): (String, Color32, &[Paragraph]) = match feedback {
        Feedback::Open => return,
        Feedback::Pending => (tr!("learn-guess-saved").into(), t.accent, no_text),
        Feedback::NoNumber => (tr!("learn-enter-number").into(), t.warning, no_text),
        Feedback::Never(reason) => {
            (tr!("learn-answer-unavailable", why = reason.translated()), t.warning, no_text)
        }
        Feedback::Right(more) => {
            let key = if ask.guess { "learn-guess-right" } else { "learn-answer-right" };
            (tr!(key).into(), t.good, more)
        }
        Feedback::Wrong(more) => {
            let answer = ask.answer(figures, language).filter(|_| ask.guess);
            let message = match answer {
                Some(answer) => tr!("learn-guess-wrong", answer),
                None => tr!("learn-answer-wrong").into(),
            };
            (message, t.warning, more)
        }
    };
    let heading = subscripts::layout_job(&heading, semibold(14.0), colour);
    ui.add(Label::new(heading).wrap());
    for paragraph in more.iter().filter(|text| !text.is_pending(figures)) {
        text::show_paragraphs(ui, std::slice::from_ref(paragraph), figures, language);
    }
}
