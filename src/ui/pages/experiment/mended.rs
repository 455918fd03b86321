//! The labels of the data set that were mended, and the way to take any back.

use egui::{RichText, ScrollArea, Ui};

use crate::data::{Mend, MendCount};
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{faint, link, segmented};

/// Draws the line; nothing where no label was mended.
pub fn line(ui: &mut Ui, cx: &mut Cx<'_>) {
    let place = cx.session.experiment.draft.data.clone();
    let (list, used) = (
        cx.session.mended_labels(&place),
        &cx.session.experiment.draft.mended,
    );
    if list.is_empty() && used.is_empty() {
        return;
    }
    let (count, own) = (list.len(), MendCount::of(used).words());
    let (words, used, same) = (MendCount::of(list).words(), !used.is_empty(), list == used);
    ui.horizontal_wrapped(|ui| {
        let t = tokens(ui);
        let words = match count {
            0 => "The list of mended labels is empty".to_string(),
            _ => words,
        };
        let words = RichText::new(words).font(regular(13.0));
        ui.label(words.color(t.text));
        let mut on = used;
        let ways = [(true, "Use them"), (false, "Labels as in the data")];
        if segmented(ui, "mended labels", &ways, &mut on) {
            cx.session.use_mended(on);
        }
        if used && !same {
            faint(ui, format!("these settings have a run's own list: {own}"));
            if link(ui, "Use the list as it is now").clicked() {
                cx.session.use_mended(true);
            }
        }
        let open = cx.pages.experiment.mended;
        let title = if open {
            "Hide the list"
        } else {
            "Show the list"
        };
        if count > 0 && link(ui, title).clicked() {
            cx.pages.experiment.mended = !open;
        }
    });
    if cx.pages.experiment.mended {
        let rows = ScrollArea::vertical().id_salt("mended").max_height(150.0);
        rows.show_rows(ui, 20.0, count, |ui, range| {
            let list = cx.session.mended_labels(&place);
            let shown = list.get(range).unwrap_or_default().to_vec();
            for mend in shown {
                row(ui, cx, &place, &mend);
            }
        });
    }
}

fn row(ui: &mut Ui, cx: &mut Cx<'_>, place: &str, mend: &Mend) {
    ui.horizontal(|ui| {
        let now = match &mend.class {
            Some(class) => format!("{class} instead of {}", mend.was),
            None => format!("left out, stands in {}", mend.was),
        };
        faint(ui, format!("{}: {now}", mend.picture));
        let back = link(ui, "Take back");
        let back = back.accessible_name(format!("Take back {}", mend.picture));
        if back.clicked() {
            cx.session.unmend(place, mend);
        }
    });
}
