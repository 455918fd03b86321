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
    typed: String,
    /// Whether another page requested the glossary with all groups open.
    pub wanted: bool,
}

/// Draws the glossary.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = &mut cx.pages.learn.glossary;
    let wanted = std::mem::take(&mut state.wanted);
    widgets::title_row(ui, tr!("glossary-title"), |ui| {
        let field = TextEdit::singleline(&mut state.typed)
            .hint_text(tr!("glossary-find-term"))
            .desired_width(180.0)
            .char_limit(60);
        let field = ui.add(field).accessible_name(tr!("glossary-find-term"));
        if wanted {
            field.request_focus();
            field.scroll_to_me(Some(egui::Align::TOP));
        }
    });
    faint(ui, tr!("glossary-about"));
    let typed = state.typed.trim().to_lowercase();
    let found = |term: &&Term| term.told().to_lowercase().contains(&typed);
    let all: Vec<&Term> = Language::spoken().terms().iter().filter(found).collect();
    if all.is_empty() {
        faint(ui, tr!("glossary-no-match"));
    }
    for group in all.chunk_by(|a, b| a.group == b.group) {
        let Some(first) = group.first() else { continue };
        let strong = tokens(ui).strong;
        let title = RichText::new(&first.group).font(semibold(14.0));
        // While a search is active, groups with matches are open; otherwise the user's choice is kept.
        let open = (!typed.is_empty()).then_some(true);
        CollapsingHeader::new(title.color(strong))
            .id_salt((&first.group, typed.is_empty()))
            .open(open)
            .show(ui, |ui| {
                group.iter().for_each(|term| entry(ui, term));
            });
    }
}

fn entry(ui: &mut Ui, term: &Term) {
    card(ui, |ui| {
        let t = tokens(ui);
        ui.spacing_mut().item_spacing.y = 5.0;
        let name = RichText::new(&term.name).font(semibold(14.0));
        ui.label(name.color(t.strong));
        let look = TextFormat::simple(regular(14.0), t.text);
        terms::told_by(ui, term, &look);
        terms::formula(ui, term);
    });
}
