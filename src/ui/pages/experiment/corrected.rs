//! The line with the corrected labels of the dataset, each with an undo.

use egui::{RichText, ScrollArea, Ui};

use crate::data::{Correction, CorrectionCount};
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, link, segmented, toggle_link};

/// Draws the line if at least one label was corrected.
pub fn line(ui: &mut Ui, cx: &mut Cx<'_>) {
    let place = cx.session.experiment.draft.data.clone();
    let (list, used) = (
        cx.session.corrected_labels(&place),
        &cx.session.experiment.draft.corrected,
    );
    if list.is_empty() && used.is_empty() {
        return;
    }
    let told = |list| {
        let words = CorrectionCount::of(list).words();
        words.map_or_else(String::new, |words| words.said())
    };
    let (count, own) = (list.len(), told(used));
    let (words, used, same) = (told(list), !used.is_empty(), list == used);
    ui.horizontal_wrapped(|ui| {
        let t = tokens(ui);
        let words = match count {
            0 => tr!("data-corrected-empty").to_string(),
            _ => words,
        };
        let words = RichText::new(words).font(regular(13.0));
        ui.label(words.color(t.text));
        let mut on = used;
        let ways = [
            (true, tr!("data-corrected-use")),
            (false, tr!("data-corrected-original-labels")),
        ];
        if segmented(ui, "corrected-labels", &ways, &mut on) {
            use_corrected(cx, on);
        }
        if used && !same {
            faint(ui, tr!("data-corrected-run-list", own = own));
            if link(ui, tr!("data-corrected-use-current")).clicked() {
                use_corrected(cx, true);
            }
        }
        if count > 0 {
            let (show, hide) = (tr!("data-corrected-show"), tr!("data-corrected-hide"));
            toggle_link(ui, &mut cx.pages.experiment.corrected, show, hide);
        }
    });
    if cx.pages.experiment.corrected {
        let rows = ScrollArea::vertical()
            .id_salt("corrected")
            .max_height(150.0);
        rows.show_rows(ui, 20.0, count, |ui, range| {
            let list = cx.session.corrected_labels(&place);
            for correction in list.get(range).unwrap_or_default() {
                row(ui, cx, &place, correction);
            }
        });
    }
}

fn use_corrected(cx: &mut Cx<'_>, on: bool) {
    cx.change(move |session| session.use_corrected(on));
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, place: &str, correction: &Correction) {
    ui.horizontal(|ui| {
        let (picture, was) = (correction.picture.as_str(), correction.was.as_str());
        let now = match correction.class.as_deref() {
            Some(class) => {
                tr!(
                    "data-corrected-row",
                    picture = picture,
                    class = class,
                    was = was
                )
            }
            None => tr!("data-corrected-excluded", picture = picture, was = was),
        };
        faint(ui, now);
        let back = link(ui, tr!("data-corrected-revert"));
        let back = back.accessible_name(tr!("data-corrected-revert-image", picture = picture));
        if back.clicked() {
            let back = correction.taken_back();
            let place = place.to_string();
            cx.change(move |session| session.set_corrected_label(place, back));
        }
    });
}
