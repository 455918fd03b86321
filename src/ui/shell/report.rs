//! The dialog for a bug report. It shows every line of the report before it is saved.

use std::path::PathBuf;

use egui::{Label, RichText, ScrollArea, TextEdit, TextStyle, Ui};

use super::OverlayContext;
use super::settings::log_levels;
use crate::logging::Level;
use crate::session::Session;
use crate::session::bug_report::BugReport;
use crate::session::chooser::DialogPurpose;
use crate::session::views::Fetch;
use crate::session::words::bytes_text;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::theme::tokens;
use crate::ui::widgets::{button, button_if, dialog, faint, headline, problem, sentence};

/// Height of a line. It is constant, so that only visible lines are laid out.
const LINE_HEIGHT: f32 = 15.0;

/// The state of the dialog that is kept between frames.
#[derive(Default)]
pub struct ReportDialog {
    open: bool,
    /// The index of the displayed file.
    chosen: usize,
    /// The path to save the report to; `None` until the user chooses it or the default is known.
    pub place: Option<String>,
}

impl ReportDialog {
    /// Opens the dialog.
    pub fn open(&mut self) {
        *self = Self {
            open: true,
            ..Self::default()
        };
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let (session, level) = (cx.session, cx.level);
        // The dialog closes after the report was saved.
        self.open &= session.saving_report.ready().is_none();
        if !self.open {
            return;
        }
        if let (None, Some(report)) = (&self.place, session.bug_report.ready()) {
            self.place = Some(report.place.display().to_string());
        }
        let modal = dialog(cx.ctx, "report", 720.0, |ui| {
            headline(ui, tr!("shell-report-title"));
            sentence(ui, tr!("shell-report-about"));
            match &session.bug_report {
                Fetch::Ready(report) => {
                    ui.scope(|ui| self.contents(ui, report));
                }
                Fetch::Failed(why) => problem(ui, why),
                Fetch::Nothing | Fetch::Busy => drop(faint(ui, tr!("shell-report-collecting"))),
            }
            ui.add_space(4.0);
            level_choice(ui, level, cx.commands);
            if let Some(why) = session.saving_report.problem() {
                problem(ui, why);
            }
            self.foot(ui, session, cx.commands)
        });
        self.open &= !(modal.inner || modal.should_close());
    }

    /// Draws the list of files and the lines of the selected file.
    fn contents(&mut self, ui: &mut Ui, report: &BugReport) {
        ui.horizontal_wrapped(|ui| {
            for (i, part) in report.parts.iter().enumerate() {
                let size = bytes_text(part.text.len() as u64);
                let name = format!("{} · {size}", part.name);
                let line = ui.selectable_label(self.chosen == i, name);
                if line.on_hover_text(part.about).clicked() {
                    self.chosen = i;
                }
            }
        });
        let Some(part) = report.parts.get(self.chosen) else {
            return;
        };
        let lines: Vec<&str> = part.text.lines().collect();
        ui.spacing_mut().item_spacing.y = 2.0;
        let area = ScrollArea::both().id_salt(self.chosen).auto_shrink(false);
        let area = area.max_height(280.0);
        area.show_rows(ui, LINE_HEIGHT, lines.len(), |ui, range| {
            for line in &lines[range] {
                let text = RichText::new(*line).text_style(TextStyle::Monospace);
                ui.add(Label::new(text.color(tokens(ui).text)).extend());
            }
        });
    }

    /// Draws the field for the path and the buttons. Returns whether to close the dialog.
    fn foot(&mut self, ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>) -> bool {
        ui.horizontal(|ui| {
            let width = ui.available_width() - 100.0;
            let known = self.place.is_some();
            let place = self.place.get_or_insert_default();
            let edit = TextEdit::singleline(place).desired_width(width);
            ui.add_enabled(known, edit)
                .accessible_name(tr!("shell-report-save-as"));
            self.place.take_if(|_| !known);
            if button(ui, tr!("shell-choose")).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::BugReport));
            }
        });
        ui.horizontal(|ui| {
            let place = self.place.as_deref().unwrap_or_default().trim();
            let ready = session.bug_report.ready().is_some() && !place.is_empty();
            let can = ready && !session.saving_report.is_busy();
            let save = button_if(ui, can, tr!("shell-report-save"));
            if save.clicked() {
                let path = PathBuf::from(place);
                commands.push(UiCommand::change(|session| session.save_bug_report(path)));
            }
            button(ui, tr!("shell-close")).clicked()
        })
        .inner
    }
}

/// Draws the menu of log levels.
fn level_choice(ui: &mut Ui, level: Level, commands: &mut Vec<UiCommand>) {
    ui.horizontal(|ui| {
        faint(ui, tr!("settings-log-level"));
        let shown = Level::ALL.iter().find(|(known, _, _)| *known == level);
        let shown = shown.map_or("", |(_, _, id)| tr!(*id));
        let list = egui::ComboBox::from_id_salt("log level").selected_text(shown);
        let shown = list.show_ui(ui, |ui| log_levels(ui, level, commands));
        shown
            .response
            .accessible_name(tr!("settings-log-level-name"));
    });
}
