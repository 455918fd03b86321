//! The dialog for a bug report. It shows every line of the report before it is saved.

use egui::{Label, RichText, ScrollArea, TextEdit, TextStyle, Ui};

use super::OverlayContext;
use super::settings::log_levels;
use crate::logging::Level;
use crate::session::Session;
use crate::session::bug_report::BugReport;
use crate::session::file_dialog::{DialogPurpose, typed_path};
use crate::session::formatting::format_bytes;
use crate::session::views::Fetch;
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
    selected: usize,
    /// The path to save the report to; `None` until the user chooses it or the default is known.
    pub save_path: Option<String>,
}

impl ReportDialog {
    /// Opens the dialog.
    pub fn open(&mut self) {
        *self = Self { open: true, ..Self::default() };
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let (session, level) = (cx.session, cx.level);
        // The dialog closes after the report was saved.
        self.open &= session.saving_report.ready().is_none();
        if !self.open {
            return;
        }
        if let (None, Some(report)) = (&self.save_path, session.bug_report.ready()) {
            self.save_path = Some(report.default_path.display().to_string());
        }
        let modal = dialog(cx.ctx, "report", 720.0, |ui| {
            headline(ui, tr!("shell-report-title"));
            sentence(ui, tr!("shell-report-about"));
            match &session.bug_report {
                Fetch::Ready(report) => {
                    ui.scope(|ui| self.contents(ui, report));
                }
                Fetch::Failed(error) => problem(ui, error),
                Fetch::Nothing | Fetch::Busy => drop(faint(ui, tr!("shell-report-collecting"))),
            }
            ui.add_space(4.0);
            level_menu(ui, level, cx.commands);
            if let Some(error) = session.saving_report.problem() {
                problem(ui, error);
            }
            self.draw_footer(ui, session, cx.commands)
        });
        self.open &= !(modal.inner || modal.should_close());
    }

    /// Draws the list of files and the lines of the selected file.
    fn contents(&mut self, ui: &mut Ui, report: &BugReport) {
        ui.horizontal_wrapped(|ui| {
            for (i, part) in report.parts.iter().enumerate() {
                let size = format_bytes(part.text.len() as u64);
                let name = format!("{} · {size}", part.name);
                let label = ui.selectable_label(self.selected == i, name);
                if label.on_hover_text(part.about).clicked() {
                    self.selected = i;
                }
            }
        });
        let Some(part) = report.parts.get(self.selected) else {
            return;
        };
        let lines: Vec<&str> = part.text.lines().collect();
        ui.spacing_mut().item_spacing.y = 2.0;
        let area = ScrollArea::both().id_salt(self.selected).auto_shrink(false);
        let area = area.max_height(280.0);
        area.show_rows(ui, LINE_HEIGHT, lines.len(), |ui, range| {
            for line in &lines[range] {
                let text = RichText::new(*line).text_style(TextStyle::Monospace);
                ui.add(Label::new(text.color(tokens(ui).text)).extend());
            }
        });
    }

    /// Draws the field for the path and the buttons. Returns whether to close the dialog.
    fn draw_footer(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        commands: &mut Vec<UiCommand>,
    ) -> bool {
        ui.horizontal(|ui| {
            let width = ui.available_width() - 100.0;
            let has_path = self.save_path.is_some();
            let path = self.save_path.get_or_insert_default();
            let edit = TextEdit::singleline(path).desired_width(width);
            ui.add_enabled(has_path, edit).accessible_name(tr!("shell-report-save-as"));
            self.save_path.take_if(|_| !has_path);
            if button(ui, tr!("shell-choose")).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::BugReport));
            }
        });
        ui.horizontal(|ui| {
            let typed = self.save_path.as_deref().unwrap_or_default().trim();
            let ready = session.bug_report.ready().is_some() && !typed.is_empty();
            let can_save = ready && !session.saving_report.is_busy();
            let save = button_if(ui, can_save, tr!("shell-report-save"));
            if save.clicked() {
                let path = typed_path(typed);
                commands.push(UiCommand::change(|session| session.save_bug_report(path)));
            }
            button(ui, tr!("shell-close")).clicked()
        })
        .inner
    }
}

/// Draws the menu of log levels.
fn level_menu(ui: &mut Ui, level: Level, commands: &mut Vec<UiCommand>) {
    ui.horizontal(|ui| {
        faint(ui, tr!("settings-log-level"));
        let level_name = Level::ALL.iter().find(|(candidate, _, _)| *candidate == level);
        let level_name = level_name.map_or("", |(_, _, id)| tr!(*id));
        let list = egui::ComboBox::from_id_salt("log level").selected_text(level_name);
        let response = list.show_ui(ui, |ui| log_levels(ui, level, commands));
        response.response.accessible_name(tr!("settings-log-level-name"));
    });
}
