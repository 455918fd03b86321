//! A path typed or pasted, for desktops that have no dialog of files to show.

use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::{Align2, Area, Context, Frame, Id, Key, Modifiers, Order, RichText, Ui, Vec2};

use crate::session::Session;
use crate::session::chooser::Wanted;
use crate::ui::command::UiCommand;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, dialog, faint, primary_button};

/// A dialog of the desktop may take so long to come up before the window offers a field for the path.
const PATIENCE: Duration = Duration::from_millis(800);
/// Why the path is asked for, where no dialog came up.
pub const NO_DIALOG: &str =
    "No dialog of files opens on this desktop: no portal answers, and there is no zenity.";

/// What the dialog for a path remembers between frames.
#[derive(Default)]
pub struct PathDialog {
    wanted: Option<Wanted>,
    typed: String,
    /// What is said above the field.
    told: String,
    /// Whether the field has had the focus.
    focused: bool,
    /// Whether the person was told that the file is there already.
    replaces: bool,
}

impl PathDialog {
    /// Opens it with this folder in the field.
    pub fn open(&mut self, wanted: Wanted, place: PathBuf, why: &str) {
        let name = wanted.to_write();
        let typed = match (&name, std::env::home_dir()) {
            (Some(name), Some(home)) => home.join(name),
            _ => place,
        };
        *self = Self {
            wanted: Some(wanted),
            typed: typed.display().to_string(),
            told: format!("{why} Type or paste the path.").trim().to_owned(),
            ..Self::default()
        };
    }

    /// Draws it while it is open.
    pub fn show(&mut self, ctx: &Context, session: &Session, commands: &mut Vec<UiCommand>) {
        if let Some((wanted, since)) = session.picking() {
            elsewhere(ctx, wanted, since, commands);
        }
        let Some(wanted) = self.wanted else { return };
        let enter = widgets::enter_alone(ctx);
        let modal = dialog(ctx, "path", 560.0, |ui| self.ask(ui, wanted, enter));
        let (path, cancelled) = modal.inner;
        if let Some(path) = path {
            commands.push(UiCommand::Picked(wanted, path));
            self.wanted = None;
        } else if cancelled || modal.backdrop_response.clicked() {
            commands.push(UiCommand::ChosenNothing);
            self.wanted = None;
        }
    }

    /// The path that was agreed to, and whether the person wants none.
    fn ask(&mut self, ui: &mut Ui, wanted: Wanted, enter: bool) -> (Option<PathBuf>, bool) {
        let strong = tokens(ui).strong;
        let title = RichText::new(wanted.title()).font(semibold(16.0));
        ui.label(title.color(strong));
        faint(ui, &self.told);
        let edit = widgets::line_edit(&mut self.typed, f32::INFINITY).hint_text("Path, then Enter");
        let field = ui.add(edit).accessible_name("Path");
        if !std::mem::replace(&mut self.focused, true) {
            field.request_focus();
        }
        self.replaces &= !field.changed();
        let mut agreed = enter || widgets::entered(ui, &field);
        let mut cancelled = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let words = match wanted.to_write() {
                Some(_) if self.replaces => "Replace",
                Some(_) => "Save here",
                None if wanted.is_folder() => "Choose this folder",
                None => "Open",
            };
            agreed |= primary_button(ui, words, !self.typed.trim().is_empty()).clicked();
            cancelled |= button(ui, "Cancel").clicked();
        });
        (agreed.then(|| self.agreed(wanted)).flatten(), cancelled)
    }

    /// The whole path, unless the person has to be told something of it first.
    fn agreed(&mut self, wanted: Wanted) -> Option<PathBuf> {
        let typed = Path::new(self.typed.trim());
        let path = match (typed.strip_prefix("~"), std::env::home_dir()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => std::path::absolute(typed).ok()?,
        };
        let there = |path: &Path| path.exists();
        let Some(name) = wanted.to_write() else {
            self.told = format!("There is nothing at {}.", path.display());
            return there(&path).then_some(path);
        };
        // A folder takes the file under its usual name.
        let path = match path.is_dir() {
            true => path.join(name),
            false => path,
        };
        // An ending that was left out is added when the file is written.
        let added = |ending: &&str| there(&path.with_added_extension(ending));
        if !self.replaces && (there(&path) || wanted.files().1.iter().any(added)) {
            self.replaces = true;
            self.told = "There is such a file already.".to_owned();
            return None;
        }
        Some(path)
    }
}

/// While a dialog of the desktop is open, or will not come up: the way to do without.
fn elsewhere(ctx: &Context, wanted: Wanted, since: Duration, commands: &mut Vec<UiCommand>) {
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
                    ui.label("A dialog of your desktop is open.");
                    if button(ui, "Type the path instead").clicked() {
                        commands.push(UiCommand::TypePath(wanted));
                    }
                });
            });
        });
}
