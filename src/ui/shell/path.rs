//! The dialog for typing or pasting a path, for desktops without a file dialog.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use egui::{Align2, Area, Context, Frame, Id, Key, Modifiers, Order, Ui, Vec2};

use super::OverlayContext;
use crate::session::Session;
use crate::session::file_dialog::{DialogPurpose, typed_path};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{self, button, dialog, faint, headline, primary_button};

/// Time after which the window offers to type a path while a file dialog is open or does not open.
const TYPE_OFFER_DELAY: Duration = Duration::from_millis(800);
/// Time after which the dialog shows that a path is still being checked.
const CHECKING_DELAY: Duration = Duration::from_millis(300);
/// Returns a text that explains why the user must type a path if no file dialog opened.
pub fn no_dialog_reason() -> &'static str {
    match cfg!(any(windows, target_os = "macos")) {
        true => tr!("shell-path-no-dialog"),
        false => tr!("shell-path-no-portal"),
    }
}

/// The state of the dialog that is kept between frames.
#[derive(Default)]
pub struct PathDialog {
    purpose: Option<DialogPurpose>,
    typed: String,
    /// The text above the field before a path is checked.
    message: String,
    /// What is wrong with the path that was checked last; it replaces `message` until the path is changed.
    check_message: Option<String>,
    /// Whether the field has been focused since the dialog was opened or a path was found missing.
    focused: bool,
    /// The path that is being checked, and when the check started.
    pending_check: Option<(PathBuf, Instant)>,
    /// Whether the user was warned that the file already exists.
    overwrite_warned: bool,
}

impl PathDialog {
    /// Opens the dialog with this folder, or with a default file name in the home folder, in the field.
    pub fn open(&mut self, purpose: DialogPurpose, location: PathBuf, reason: &str) {
        let name = purpose.default_file_name();
        let typed = match (&name, std::env::home_dir()) {
            (Some(name), Some(home)) => home.join(name),
            _ => location,
        };
        *self = Self {
            purpose: Some(purpose),
            typed: typed.display().to_string(),
            message: format!("{reason} {}", tr!("shell-path-type")).trim().to_owned(),
            ..Self::default()
        };
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let OverlayContext { ctx, session, commands, .. } = cx;
        if let Some((purpose, since)) = session.open_dialog() {
            offer_typing(ctx, purpose, since, commands);
        }
        let Some(purpose) = self.purpose else { return };
        if let Some(path) = self.checked_path(session, purpose) {
            commands.push(UiCommand::UsePath(purpose, path));
            self.purpose = None;
            return;
        }
        let enter = widgets::enter_without_focus(ctx);
        let modal = dialog(ctx, "path", 560.0, |ui| self.draw_field(ui, purpose, enter));
        let (confirmed, cancelled) = modal.inner;
        if confirmed && self.pending_check.is_none() && !self.typed.trim().is_empty() {
            let typed = typed_path(&self.typed);
            self.pending_check = Some((typed.clone(), Instant::now()));
            commands.push(UiCommand::change(move |session| {
                session.check_path(purpose, typed);
            }));
        }
        if cancelled || modal.backdrop_response.clicked() {
            commands.push(UiCommand::CancelPath);
            self.purpose = None;
        }
    }

    /// Draws the field. Returns whether the user confirmed the path and whether the user cancelled.
    fn draw_field(&mut self, ui: &mut Ui, purpose: DialogPurpose, enter: bool) -> (bool, bool) {
        headline(ui, purpose.title());
        faint(ui, self.check_message.as_ref().unwrap_or(&self.message));
        let edit =
            widgets::line_edit(&mut self.typed, f32::INFINITY).hint_text(tr!("shell-path-hint"));
        let field = ui.add(edit).accessible_name(tr!("shell-path"));
        if !std::mem::replace(&mut self.focused, true) {
            field.request_focus();
        }
        if field.changed() {
            (self.overwrite_warned, self.pending_check) = (false, None);
            self.check_message = None;
        }
        let mut confirmed = enter || widgets::is_submitted(ui, &field);
        let mut cancelled = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let elapsed = self.pending_check.as_ref().map(|(_, started)| started.elapsed());
            if let Some(elapsed) = elapsed {
                ui.request_repaint_after(CHECKING_DELAY.saturating_sub(elapsed));
            }
            let label = match purpose.default_file_name() {
                _ if elapsed.is_some_and(|elapsed| elapsed > CHECKING_DELAY) => {
                    tr!("shell-path-checking")
                }
                Some(_) if self.overwrite_warned => tr!("shell-path-replace"),
                Some(_) => tr!("shell-path-save-here"),
                None if purpose.is_folder() => tr!("shell-path-choose-folder"),
                None => tr!("shell-path-open"),
            };
            let ready = elapsed.is_none() && !self.typed.trim().is_empty();
            confirmed |= primary_button(ui, label, ready).clicked();
            cancelled |= button(ui, tr!("shell-cancel")).clicked();
        });
        (confirmed, cancelled)
    }

    /// Returns the path after it was checked; `None` if it is still being checked or the user must be warned first.
    fn checked_path(&mut self, session: &Session, purpose: DialogPurpose) -> Option<PathBuf> {
        let (typed, _) = self.pending_check.as_ref()?;
        let found = session.file_selection.checked_path.as_ref();
        let found = found.filter(|found| found.typed == *typed)?;
        self.pending_check = None;
        match (purpose.default_file_name(), found.exists) {
            (None, false) => {
                let path = found.path.display().to_string();
                self.check_message = Some(tr!("shell-path-missing", path));
                self.focused = false;
                None
            }
            (Some(_), true) if !self.overwrite_warned => {
                self.overwrite_warned = true;
                self.check_message = Some(tr!("shell-path-file-exists").to_owned());
                None
            }
            _ => Some(found.path.clone()),
        }
    }
}

/// Draws the offer to type a path if the file dialog has been open for some time or does not open.
fn offer_typing(
    ctx: &Context,
    purpose: DialogPurpose,
    since: Duration,
    commands: &mut Vec<UiCommand>,
) {
    if since < TYPE_OFFER_DELAY {
        ctx.request_repaint_after(TYPE_OFFER_DELAY - since);
        return;
    }
    Area::new(Id::unique("dialog elsewhere"))
        .anchor(Align2::CENTER_BOTTOM, Vec2::new(0.0, -18.0))
        .order(Order::Foreground)
        .show(ctx, |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.label(tr!("shell-path-dialog-open"));
                    if button(ui, tr!("shell-path-type-instead")).clicked() {
                        commands.push(UiCommand::TypePath(purpose));
                    }
                });
            });
        });
}
