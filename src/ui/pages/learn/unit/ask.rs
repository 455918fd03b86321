//! The guesses and questions of a lesson.

use egui::{Color32, Label, RichText, Stroke, Ui};

use super::text;
use crate::session::units::{AnswerKind, Ask, Feedback, Figures, Formula, GivenAnswer, Paragraph};
use crate::texts::Language;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, button, card, subscripts};

/// Draws a question and the feedback on the user's answer.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, ask: &Ask, figures: &Figures, language: Language) {
    let told = (figures, language);
    let before = cx.session.learn.units.given(&ask.name);
    let mut given = before.clone();
    card(ui, |ui| {
        text::words(ui, &ask.text, figures, language);
        // A guess cannot be changed because its result is shown next.
        let open = !ask.guess || !ask.is_answered(&given);
        match &ask.question {
            AnswerKind::Choice(choices) => choose(ui, open, choices, &mut given),
            AnswerKind::Number { unit, .. } => {
                ui.add_enabled_ui(open, |ui| type_in(ui, unit, &mut given));
            }
        }
        // The height of the longest feedback is reserved, so that an answer does not move anything.
        let space = space_of(ui, ask, told);
        ui.vertical(|ui| {
            ui.set_min_height(space);
            say(ui, ask, &ask.judge(&given, figures), told);
        });
    });
    if given != before {
        let name = ask.name.clone();
        cx.change(move |session| session.learn.units.answer(&name, given));
    }
}

fn choose(ui: &mut Ui, open: bool, choices: &[(String, Formula)], given: &mut GivenAnswer) {
    let t = tokens(ui);
    ui.spacing_mut().icon_spacing = 10.0;
    // Makes the ring of an unselected button visible.
    ui.visuals_mut().widgets.inactive.bg_stroke = Stroke::new(1.5, t.subdued);
    for (i, (choice, _)) in choices.iter().enumerate() {
        let chosen = given.choice == Some(i);
        let colour = if open || chosen { t.strong } else { t.subdued };
        let words = subscripts::job(choice, regular(14.0), colour);
        if ui.radio(chosen, words).clicked() && open {
            given.choice = Some(i);
        }
    }
}

fn type_in(ui: &mut Ui, unit: &str, given: &mut GivenAnswer) {
    ui.horizontal(|ui| {
        let name = tr!("learn-your-number");
        let label = ui.label(RichText::new(name).font(regular(14.0)));
        let field = widgets::line_edit(&mut given.typed, 90.0).char_limit(20);
        let field = ui.add(field).labelled_by(label.id);
        if field.changed() {
            given.checked = false;
        }
        ui.label(RichText::new(unit).font(regular(14.0)));
        let entered = widgets::entered(ui, &field);
        let pressed = button(ui, tr!("learn-check-answer")).clicked();
        if (pressed || entered) && !given.typed.trim().is_empty() {
            given.checked = true;
        }
    });
}

/// Returns the height of the longest feedback.
fn space_of(ui: &Ui, ask: &Ask, told: (&Figures, Language)) -> f32 {
    let slips = match &ask.question {
        AnswerKind::Number { slips, .. } => &slips[..],
        AnswerKind::Choice(_) => &[],
    };
    let slips = slips.iter().map(|(_, text)| text);
    let texts = slips.chain([&ask.if_right, &ask.if_wrong]);
    let longest = texts.map(|text| text::height(ui, text, told));
    let head = ui
        .ctx()
        .fonts_mut(|fonts| fonts.row_height(&semibold(14.0)));
    longest.fold(0.0, f32::max) + head
}

fn say(ui: &mut Ui, ask: &Ask, feedback: &Feedback<'_>, (figures, language): (&Figures, Language)) {
    let t = tokens(ui);
    let none: &[Paragraph] = &[];
    let (head, colour, more): (String, Color32, &[Paragraph]) = match feedback {
        Feedback::Open => return,
        Feedback::Kept => (tr!("learn-guess-saved").into(), t.accent, none),
        Feedback::NoNumber => (tr!("learn-enter-number").into(), t.warning, none),
        Feedback::Never(why) => (
            tr!("learn-answer-unavailable", why = why.said()),
            t.warning,
            none,
        ),
        Feedback::Right(more) => {
            let key = if ask.guess {
                "learn-guess-right"
            } else {
                "learn-answer-right"
            };
            (tr!(key).into(), t.good, more)
        }
        Feedback::Wrong(more) => {
            let answer = ask.answer(figures, language).filter(|_| ask.guess);
            let words = match answer {
                Some(answer) => tr!("learn-guess-wrong", answer),
                None => tr!("learn-answer-wrong").into(),
            };
            (words, t.warning, more)
        }
    };
    let head = subscripts::job(&head, semibold(14.0), colour);
    ui.add(Label::new(head).wrap());
    for paragraph in more.iter().filter(|text| !text.waits(figures)) {
        text::words(ui, std::slice::from_ref(paragraph), figures, language);
    }
}
