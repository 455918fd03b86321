//! Training pictures that look like another class than their label: looked for when asked, then listed.

use egui::Ui;

use super::{at_hand, list, pictures};
use crate::counts::things;
use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::session::doubts::{DoubtView, doubtful};
use crate::session::run_view::RunView;
use crate::session::words::count_text;
use crate::ui::command::UiCommand;
use crate::ui::page_commands::TrainCommand;
use crate::ui::pages::Cx;
use crate::ui::widgets::{self, button, faint};

/// Training pictures that look like another class.
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
    // What was waited for comes into sight.
    cx.pages.train.worst.scroll |= awaited == Some(ticket);
    let key = (task, Expert::ANSWER, ticket);
    let (list, of) = list(cx, run, (header, &answers), key, |_, class| {
        doubtful(&answers, class)
    });
    let class = cx.pages.train.worst.class;
    let class = class.and_then(|class| header.class_order.get(class));
    let labelled = class.map_or_else(String::new, |name| format!(" labelled {name}"));
    if list.is_empty() {
        faint(
            ui,
            format!("No training picture{labelled} looks like another class."),
        );
        return;
    }
    faint(
        ui,
        format!(
            "{} of {} {}{labelled} {} like another class to the others. Most of a long list are labelled rightly: look at the first ones.",
            count_text(list.len()),
            count_text(of),
            things(of, "training picture"),
            if list.len() == 1 { "looks" } else { "look" }
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
            0 => "The training pictures are being gathered.".to_string(),
            of if done == of => "They are being held against one another.".to_string(),
            of => format!(
                "{} of {} {} were looked at",
                count_text(done),
                count_text(of),
                things(of, "training picture")
            ),
        };
        faint(ui, words);
        if button(ui, "Stop").clicked() {
            let command = TrainCommand::StopDoubts(header.folder.clone(), task);
            cx.act(UiCommand::OnTrain(command));
        }
    });
}

/// The way to have them looked at.
fn offer(ui: &mut Ui, cx: &mut Cx<'_>, run: &RunView, header: &RunHeader, task: usize) {
    faint(
        ui,
        "Each picture is answered by the others, on features of the frozen backbone: neither it nor a copy of it has a part in that.",
    );
    if at_hand(ui, cx, run, header).is_some() && button(ui, "Look for doubtful labels").clicked() {
        let command = TrainCommand::LookForDoubts(header.folder.clone(), task);
        cx.act(UiCommand::OnTrain(command));
    }
}
