//! Training images that look like another class than their label. The user requests the search; the results are listed.

use egui::Ui;

use super::{at_hand, list, pictures};
use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::session::label_noise::{DoubtView, doubtful};
use crate::session::run_view::RunView;
use crate::tr;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, button, faint};

/// Draws the state of the search and the images that it found.
pub(super) fn training(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    run: &RunView,
    header: &RunHeader,
    task: usize,
) {
    let task = cx.pages.train.worst.task(header, task);
    let awaited = cx.pages.train.worst.awaited.take();
    let (ticket, answers) = match cx.session.doubts(&header.folder, task) {
        Some((ticket, DoubtView::Done(answers))) => (ticket, answers),
        Some((ticket, DoubtView::Working(done, of))) => {
            cx.pages.train.worst.awaited = Some(ticket);
            under_way(ui, cx, header, task, (done, of));
            return;
        }
        Some((_, DoubtView::Failed(problem))) => {
            widgets::problem(ui, &problem);
            offer(ui, cx, run, header, task);
            return;
        }
        None => {
            offer(ui, cx, run, header, task);
            return;
        }
    };
    // Scrolls to the result that the user was waiting for.
    cx.pages.train.worst.scroll |= awaited == Some(ticket);
    let key = (task, Expert::ANSWER, ticket);
    let (list, of) = list(cx, run, (header, &answers), key, |_, class| {
        doubtful(&answers, class)
    });
    let class = cx.pages.train.worst.class;
    let class = class.and_then(|class| header.class_order.get(class));
    let labelled = class.map_or_else(String::new, |name| {
        format!(" {}", tr!("train-labelled-class", class = name.as_str()))
    });
    if list.is_empty() {
        faint(ui, tr!("train-doubts-no-images", labelled = labelled));
        return;
    }
    let n = list.len();
    faint(
        ui,
        tr!(
            "train-doubts-images-found",
            n = n,
            of = of,
            labelled = labelled
        ),
    );
    pictures(ui, cx, run, (header, &answers), &list);
}

fn under_way(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    header: &RunHeader,
    task: usize,
    (done, of): (usize, usize),
) {
    ui.horizontal_wrapped(|ui| {
        ui.spinner();
        let words = match of {
            0 => tr!("train-doubts-loading").to_string(),
            of if done == of => tr!("train-doubts-comparing").to_string(),
            of => tr!("train-doubts-progress", n = done, of = of),
        };
        faint(ui, words);
        if button(ui, tr!("train-stop-run")).clicked() {
            let folder = header.folder.clone();
            cx.change(move |session| session.stop_doubts(&folder, task));
        }
    });
}

/// Draws the button that starts the search.
fn offer(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    faint(ui, tr!("train-doubts-about"));
    if at_hand(ui, cx, run, header).is_some()
        && button(ui, tr!("train-find-doubtful-labels")).clicked()
    {
        let folder = header.folder.clone();
        cx.change(move |session| session.request_label_check(&folder, task));
    }
}
