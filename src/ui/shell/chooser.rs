//! The window's own chooser of files and folders, for desktops that have no dialog to show: a path
//! to type, places to begin at, what lies in a folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::{
    Align2, Area, Button, Context, Frame, Id, Key, Modifiers, Order, RichText, ScrollArea, Ui, Vec2,
};

use crate::session::Session;
use crate::session::chooser::{Listing, Wanted};
use crate::session::views::Fetch;
use crate::session::words::count_text;
use crate::ui::command::UiCommand;
use crate::ui::theme::{semibold, tokens};
use crate::ui::widgets::{self, button, dialog, faint, primary_button};

/// A dialog of the desktop may take so long to come up before the window offers its own.
const PATIENCE: Duration = Duration::from_millis(800);

/// What the chooser remembers between frames.
#[derive(Default)]
pub struct Chooser {
    wanted: Option<Wanted>,
    typed: String,
    /// The folder and file that were on show when `typed` was filled in.
    shown: Option<(PathBuf, Option<PathBuf>)>,
    /// Name of the chosen file, or of the file to be written.
    file: Option<String>,
}

impl Chooser {
    /// Opens it; what lies in the first folder is asked for by the caller.
    pub fn open(&mut self, wanted: Wanted) {
        *self = Self {
            wanted: Some(wanted),
            file: wanted.to_write(),
            ..Self::default()
        };
    }

    /// Draws it while it is open.
    pub fn show(&mut self, ctx: &Context, session: &Session, commands: &mut Vec<UiCommand>) {
        if let Some((wanted, since)) = session.picking() {
            elsewhere(ctx, wanted, since, commands);
        }
        let Some(wanted) = self.wanted else { return };
        let listing = session.listing();
        self.follow(wanted, listing);
        let enter = widgets::enter_alone(ctx);
        let room = ctx.content_rect().size();
        let modal = dialog(ctx, "chooser", 640.0, |ui| {
            let t = tokens(ui);
            ui.label(
                RichText::new(wanted.title())
                    .font(semibold(16.0))
                    .color(t.strong),
            );
            self.path(ui, wanted, commands);
            let around = if wanted.to_write().is_some() {
                270.0
            } else {
                230.0
            };
            let height = (room.y - around).clamp(60.0, 340.0);
            let mut agreed = enter;
            match listing {
                Fetch::Ready(listing) => {
                    self.folder(ui, (wanted, listing), height, commands);
                    agreed |= wanted.to_write().is_some() && self.name(ui);
                }
                Fetch::Failed(problem) => widgets::problem(ui, problem),
                Fetch::Nothing | Fetch::Busy => {
                    faint(ui, "Looking …");
                }
            }
            ui.add_space(4.0);
            self.end(ui, (wanted, listing.ready()), agreed, commands)
        });
        if modal.inner || modal.should_close() {
            self.wanted = None;
            commands.push(UiCommand::ChosenNothing);
        }
    }

    /// Another folder than before: its path stands in the field, its file is chosen.
    fn follow(&mut self, wanted: Wanted, listing: &Fetch<Listing>) {
        let Some(listing) = listing.ready() else {
            return;
        };
        let now = (listing.folder.clone(), listing.file.clone());
        if self.shown.as_ref() != Some(&now) {
            self.typed = listing.folder.display().to_string();
            let name = listing.file.as_deref().and_then(Path::file_name);
            let name = name.map(|name| name.to_string_lossy().into_owned());
            if name.is_some() || wanted.to_write().is_none() {
                self.file = name;
            }
            self.shown = Some(now);
        }
    }

    fn path(&mut self, ui: &mut Ui, wanted: Wanted, commands: &mut Vec<UiCommand>) {
        let edit = widgets::line_edit(&mut self.typed, f32::INFINITY).hint_text("Path, then Enter");
        let field = ui.add(edit).accessible_name("Path");
        if widgets::entered(ui, &field) {
            let path = PathBuf::from(self.typed.trim());
            commands.push(UiCommand::LookInto(wanted, path));
        }
    }

    fn folder(
        &mut self,
        ui: &mut Ui,
        (wanted, listing): (Wanted, &Listing),
        height: f32,
        commands: &mut Vec<UiCommand>,
    ) {
        let mut go = |path: PathBuf| commands.push(UiCommand::LookInto(wanted, path));
        ui.horizontal_wrapped(|ui| {
            if let Some(above) = listing.folder.parent()
                && button(ui, "Up").clicked()
            {
                go(above.to_path_buf());
            }
            for (name, place) in &listing.places {
                if button(ui, name).clicked() {
                    go(place.clone());
                }
            }
        });
        let mut chosen = None;
        ScrollArea::vertical()
            .max_height(height)
            .min_scrolled_height(height)
            .auto_shrink([false, false])
            .show_rows(
                ui,
                24.0,
                listing.folders.len() + listing.files.len(),
                |ui, rows| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    for row in rows {
                        let size = Vec2::new(ui.available_width(), 24.0);
                        if let Some(name) = listing.folders.get(row) {
                            let line = Button::selectable(false, format!("{name}/")).min_size(size);
                            if ui.add(line).clicked() {
                                go(listing.folder.join(name));
                            }
                        } else if let Some(name) = listing.files.get(row - listing.folders.len()) {
                            let here = self.file.as_ref() == Some(name);
                            let line = Button::selectable(here, name).min_size(size);
                            let line = ui.add(line);
                            // What is there is replaced by the button alone, which says so.
                            if line.double_clicked() && wanted.to_write().is_none() {
                                chosen = Some(listing.folder.join(name));
                            }
                            if line.clicked() {
                                self.file = Some(name.clone());
                            }
                        }
                    }
                },
            );
        if listing.more > 0 {
            faint(
                ui,
                format!("and {} more; type the path", count_text(listing.more)),
            );
        } else if listing.folders.is_empty() && listing.files.is_empty() {
            faint(ui, "Nothing to choose in this folder.");
        }
        if let Some(path) = chosen {
            commands.push(UiCommand::Picked(wanted, path));
            self.wanted = None;
        }
    }

    /// What the file to be written is called; true when Enter ended the name.
    fn name(&mut self, ui: &mut Ui) -> bool {
        let name = self.file.get_or_insert_default();
        let edit = widgets::line_edit(name, f32::INFINITY).hint_text("Name of the file");
        let field = ui.add(edit).accessible_name("Name of the file");
        widgets::entered(ui, &field)
    }

    /// The last row, where `agreed` is as good as a click; true when the chooser is done with.
    fn end(
        &self,
        ui: &mut Ui,
        (wanted, listing): (Wanted, Option<&Listing>),
        agreed: bool,
        commands: &mut Vec<UiCommand>,
    ) -> bool {
        let name = self.file.as_deref().map(str::trim);
        let name = name.filter(|name| !name.is_empty());
        let file = listing
            .zip(name)
            .map(|(listing, name)| listing.folder.join(name));
        // An ending that was left out is added when the file is written.
        let whole = |name: &str, file: &String| {
            let ending = file
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('.'));
            file == name || ending.is_some_and(|ending| wanted.files().1.contains(&ending))
        };
        let there = listing
            .zip(name)
            .is_some_and(|(listing, name)| listing.files.iter().any(|file| whole(name, file)));
        let (words, path) = match file {
            file if wanted.to_write().is_some() => {
                (if there { "Replace" } else { "Save here" }, file)
            }
            None if wanted.is_folder() => (
                "Choose this folder",
                listing.map(|listing| listing.folder.clone()),
            ),
            file => ("Open", file),
        };
        let mut done = false;
        ui.horizontal(|ui| {
            let choose = primary_button(ui, words, path.is_some());
            if let (true, Some(path)) = (choose.clicked() || agreed, path) {
                commands.push(UiCommand::Picked(wanted, path));
                done = true;
            }
            done |= button(ui, "Cancel").clicked();
        });
        done || ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape))
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
                    if button(ui, "Choose in this window instead").clicked() {
                        commands.push(UiCommand::ChooseHere(wanted));
                    }
                });
            });
        });
}
