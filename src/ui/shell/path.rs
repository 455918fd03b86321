//! The dialog for typing or pasting a path, for desktops without a file dialog.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use egui::{Align2, Area, Context, Frame, Id, Key, Modifiers, Order, Ui, Vec2};

use super::OverlayContext;
use crate::session::Session;
use crate::session::chooser::{DialogPurpose, typed_path};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::widgets::{self, button, dialog, faint, headline, primary_button};

/// Time after which the window offers to type a path while a file dialog is open or does not open.
const PATIENCE: Duration = Duration::from_millis(800);
/// Time after which the dialog shows that a path is still being checked.
const SOON: Duration = Duration::from_millis(300);
/// Returns a text that explains why the user must type a path if no file dialog opened.
pub fn no_dialog() -> &'static str {
    match cfg!(any(windows, target_os = "macos")) {
        true => tr!("shell-path-no-dialog"),
        false => tr!("shell-path-no-portal"),
    }
}

/// The state of the dialog that is kept between frames.
#[derive(Default)]
pub struct PathDialog {
    wanted: Option<DialogPurpose>,
    typed: String,
    /// The text above the field.
    told: String,
    /// Whether the field has been focused.
    focused: bool,
    /// The path that is being checked, and when the check started.
    looking: Option<(PathBuf, Instant)>,
    /// Whether the user was warned that the file already exists.
    replaces: bool,
}

impl PathDialog {
    /// Opens the dialog with this folder, or with a default file name in the home folder, in the field.
    pub fn open(&mut self, wanted: DialogPurpose, place: PathBuf, why: &str) {
        let name = wanted.to_write();
        let typed = match (&name, std::env::home_dir()) {
            (Some(name), Some(home)) => home.join(name),
            _ => place,
        };
        *self = Self {
            wanted: Some(wanted),
            typed: typed.display().to_string(),
            told: format!("{why} {}", tr!("shell-path-type"))
                .trim()
                .to_owned(),
            ..Self::default()
        };
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let OverlayContext {
            ctx,
            session,
            commands,
            ..
        } = cx;
        if let Some((wanted, since)) = session.picking() {
            elsewhere(ctx, wanted, since, commands);
        }
        let Some(wanted) = self.wanted else { return };
        if let Some(path) = self.found(session, wanted) {
            commands.push(UiCommand::Picked(wanted, path));
            self.wanted = None;
            return;
        }
        let enter = widgets::enter_alone(ctx);
        let modal = dialog(ctx, "path", 560.0, |ui| self.ask(ui, wanted, enter));
        let (agreed, cancelled) = modal.inner;
        if agreed && self.looking.is_none() && !self.typed.trim().is_empty() {
            let typed = typed_path(&self.typed);
            self.looking = Some((typed.clone(), Instant::now()));
            commands.push(UiCommand::change(move |session| {
                session.look_at(wanted, typed);
            }));
        }
        if cancelled || modal.backdrop_response.clicked() {
            commands.push(UiCommand::CancelPath);
            self.wanted = None;
        }
    }

    /// Draws the field. Returns whether the user confirmed the path and whether the user cancelled.
    fn ask(&mut self, ui: &mut Ui, wanted: DialogPurpose, enter: bool) -> (bool, bool) {
        headline(ui, wanted.title());
        faint(ui, &self.told);
        let edit =
            widgets::line_edit(&mut self.typed, f32::INFINITY).hint_text(tr!("shell-path-hint"));
        let field = ui.add(edit).accessible_name(tr!("shell-path"));
        if !std::mem::replace(&mut self.focused, true) {
            field.request_focus();
        }
        if field.changed() {
            (self.replaces, self.looking) = (false, None);
        }
        let mut agreed = enter || widgets::entered(ui, &field);
        let mut cancelled = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let since = self.looking.as_ref().map(|(_, since)| since.elapsed());
            if let Some(since) = since {
                ui.request_repaint_after(SOON.saturating_sub(since));
            }
            let words = match wanted.to_write() {
                _ if since.is_some_and(|since| since > SOON) => tr!("shell-path-checking"),
                Some(_) if self.replaces => tr!("shell-path-replace"),
                Some(_) => tr!("shell-path-save-here"),
                None if wanted.is_folder() => tr!("shell-path-choose-folder"),
                None => tr!("shell-path-open"),
            };
            let ready = since.is_none() && !self.typed.trim().is_empty();
            agreed |= primary_button(ui, words, ready).clicked();
            cancelled |= button(ui, tr!("shell-cancel")).clicked();
        });
        (agreed, cancelled)
    }

    /// Returns the path after it was checked; `None` if it is still being checked or the user must be warned first.
    fn found(&mut self, session: &Session, wanted: DialogPurpose) -> Option<PathBuf> {
        let (typed, _) = self.looking.as_ref()?;
        let found = session.choosing.found.as_ref();
        let found = found.filter(|found| found.typed == *typed)?;
        self.looking = None;
        match (wanted.to_write(), found.exists) {
            (None, false) => {
                let path = found.path.display().to_string();
                self.told = tr!("shell-path-missing", path);
                None
            }
            (Some(_), true) if !self.replaces => {
                self.replaces = true;
                self.told = tr!("shell-path-file-exists").to_owned();
                None
            }
            _ => Some(found.path.clone()),
        }
    }
}

/// Draws the offer to type a path if the file dialog has been open for some time or does not open.
fn elsewhere(ctx: &Context, wanted: DialogPurpose, since: Duration, commands: &mut Vec<UiCommand>) {
    if since < PATIENCE {
        ctx.request_repaint_after(PATIENCE - since);
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
                        commands.push(UiCommand::TypePath(wanted));
                    }
                });
            });
        });
}
