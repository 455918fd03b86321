//! The question whether the classes of a user's own folder are learned in tasks or all at once.

use egui::Ui;

use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::{faint, segmented};

/// Draws the choice. Until the user answers, all classes are learned at once.
pub(super) fn line(ui: &mut Ui, cx: &mut Cx<'_>) {
    if !cx.session.can_split_into_tasks() {
        return;
    }
    let before = cx.session.all_at_once_answer().unwrap_or(true);
    let mut at_once = before;
    ui.horizontal_wrapped(|ui| {
        faint(ui, tr!("data-class-arrival")).on_hover_text(tr!("data-class-arrival-explained"));
        let options = [
            (true, tr!("data-class-arrival-at-once")),
            (false, tr!("data-class-arrival-stages")),
        ];
        segmented(ui, "arrival", &options, &mut at_once);
    });
    if at_once != before {
        cx.change(move |session| session.set_all_at_once(at_once));
    }
}
