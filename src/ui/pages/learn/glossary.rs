//! The glossary at the bottom of Learn: all terms by group, with a search.

use egui::text::TextFormat;
use egui::{CollapsingHeader, RichText, TextEdit, Ui};

use crate::texts::{Language, Term};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, semibold, tokens};
use crate::ui::widgets::{self, card, faint, terms};

/// The state that is kept between frames.
#[derive(Default)]
pub struct State {
    query: String,
    /// Whether another page requested the glossary with all groups open.
    pub requested: bool,
}

/// Draws the glossary.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = &mut cx.pages.learn.glossary;
    let requested = std::mem::take(&mut state.requested);
    widgets::title_row(ui, tr!("glossary-title"), |ui| {
        let field = TextEdit::singleline(&mut state.query)
            .hint_text(tr!("glossary-find-term"))
            .desired_width(180.0)
            .char_limit(60);
        let field = ui.add(field).accessible_name(tr!("glossary-find-term"));
        if requested {
            field.request_focus();
            field.scroll_to_me(Some(egui::Align::TOP));
        }
    });
    faint(ui, tr!("glossary-about"));
    let query = state.query.trim().to_lowercase();
    let matches = |term: &&Term| term.full_text().to_lowercase().contains(&query);
    let matching: Vec<&Term> = Language::spoken().terms().iter().filter(matches).collect();
    if matching.is_empty() {
        faint(ui, tr!("glossary-no-match"));
    }
    for group in matching.chunk_by(|a, b| a.group == b.group) {
        let Some(first) = group.first() else { continue };
        let strong = tokens(ui).strong;
        let title = RichText::new(&first.group).font(semibold(14.0));
        // While a search is active, groups with matches are open; otherwise the user's choice is kept.
        let open = (!query.is_empty()).then_some(true);
        CollapsingHeader::new(title.color(strong))
            .id_salt((&first.group, query.is_empty()))
            .open(open)
            .show(ui, |ui| {
                group.iter().for_each(|term| term_card(ui, term));
            });
    }
}

fn term_card(ui: &mut Ui, term: &Term) {
    card(ui, |ui| {
        let t = tokens(ui);
        ui.spacing_mut().item_spacing.y = 5.0;
        let name = RichText::new(&term.name).font(semibold(14.0));
        ui.label(name.color(t.strong));
        let format = TextFormat::simple(regular(14.0), t.text);
        terms::term_text(ui, term, &format);
        terms::formula(ui, term);
    });
}
