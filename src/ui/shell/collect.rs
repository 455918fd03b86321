//! The dialog that collects images class by class. Named classes are on the left and a canvas is on the right. Dropped
//! and pasted images are added to the selected class.

use egui::{Context, Key, KeyboardShortcut, Modifiers, Role, ScrollArea, Sense, Stroke, Ui, Vec2};

use super::OverlayContext;
use crate::names::look_alike;
use crate::run::event::RunHeader;
use crate::session::Session;
use crate::session::chooser::{DataExportKind, DialogPurpose};
use crate::session::collection::{CollectedClass, Collection, Purpose};
use crate::session::drawing::Drawing;
use crate::session::views::Fetch;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::shell::export::export;
use crate::ui::theme::tokens;
use crate::ui::widgets::canvas::canvas;
use crate::ui::widgets::input::{Pasted, pasted};
use crate::ui::widgets::textures::Textures;
use crate::ui::widgets::{
    self, allocate_named, button, button_if, dialog, faint, headline, paint_border, primary_button,
};

/// Size of the thumbnail of a collected image, in points.
const THUMB: f32 = 34.0;

/// The state of the dialog that is kept between frames.
#[derive(Default)]
pub struct Collect {
    purpose: Option<Purpose>,
    drawing: Drawing,
    /// Whether the images are being saved to be used.
    saving: bool,
}

/// The style of drawings: whether light on dark, and the share of the image that the drawing fills.
#[derive(Clone, Copy, Default)]
struct DrawingStyle {
    light: bool,
    share: Option<f32>,
}

impl Collect {
    /// Opens the dialog.
    pub fn open(&mut self, purpose: Purpose) {
        self.purpose = Some(purpose);
        self.drawing.clear();
        self.saving = false;
    }

    /// Returns whether the dialog is open.
    pub fn is_open(&self) -> bool {
        self.purpose.is_some()
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let OverlayContext {
            ctx,
            session,
            textures,
            commands,
            ..
        } = cx;
        let Some(purpose) = self.purpose.clone() else {
            return;
        };
        if self.saving && session.saving_collection.ready().is_some() {
            (self.purpose, self.saving) = (None, false);
            return;
        }
        let look = drawing_style(session, &purpose, commands);
        take_pasted(ctx, commands);
        let room = ctx.content_rect().size();
        let made = &session.collection;
        let known = match &purpose {
            Purpose::Data => &[][..],
            Purpose::AddedTask(run) => session.classes_of_run(run),
        };
        let modal = dialog(ctx, "collect", 760.0, |ui| {
            head(ui, session, &purpose);
            let side = (room.y - 330.0).clamp(120.0, 260.0);
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 16.0;
                let boxes = (ui.available_width() - side - 16.0).max(140.0);
                widgets::part(ui, boxes, |ui| {
                    groups(ui, (made, known), (textures, commands), side + 70.0);
                });
                widgets::part(ui, side, |ui| {
                    self.pen(ui, made, (look, side), commands);
                });
            });
            ui.add_space(6.0);
            self.foot(ui, session, &purpose, commands)
        });
        if modal.inner || modal.should_close() {
            self.purpose = None;
            // Cancels saving: the result is ignored.
            commands.push(UiCommand::change(|session| {
                session.saving_collection = Fetch::Nothing;
            }));
        }
    }

    /// Draws the canvas, and the other ways to add images to the selected class.
    fn pen(
        &mut self,
        ui: &mut Ui,
        made: &Collection,
        (look, side): (DrawingStyle, f32),
        commands: &mut Vec<UiCommand>,
    ) {
        canvas(ui, side, &mut self.drawing, look.light);
        let typing = ui.ctx().text_edit_focused();
        // Keys belong to a dialog above this one, if there is one.
        let on_top = ui.memory(|m| m.top_modal_layer() == Some(ui.layer_id()));
        let pressed =
            |keys: KeyboardShortcut| on_top && ui.input_mut(|i| i.consume_shortcut(&keys));
        let undo = !typing && pressed(keys::UNDO);
        let focused = ui.memory(|m| m.focused().is_some());
        let enter = !focused && pressed(KeyboardShortcut::new(Modifiers::NONE, Key::Enter));
        if undo && !self.drawing.undo() && made.can_undo_removal() {
            change(commands, Collection::undo_removal);
        }
        let drawn = !self.drawing.is_empty();
        ui.horizontal_wrapped(|ui| {
            let add = primary_button(ui, tr!("shell-collect-add-drawing"), drawn)
                .on_hover_text(tr!("shell-collect-enter"));
            if drawn && (add.clicked() || enter) {
                let picture = self.drawing.picture(look.light, look.share).into();
                commands.push(UiCommand::change(move |session| session.collect(picture)));
                self.drawing.reset();
            }
            let clear = button_if(ui, drawn, tr!("shell-clear"));
            if clear.clicked() {
                self.drawing.clear();
            }
        });
        ui.horizontal_wrapped(|ui| {
            if button(ui, tr!("shell-collect-files")).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::Piece));
            }
            if button(ui, tr!("shell-collect-paste")).clicked() {
                commands.push(UiCommand::Paste);
            }
        });
    }

    /// Draws the name of the collection, what is missing or has failed, and the buttons. Returns whether to close the
    /// dialog.
    fn foot(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        purpose: &Purpose,
        commands: &mut Vec<UiCommand>,
    ) -> bool {
        let made = &session.collection;
        let saving = &session.saving_collection;
        let lacks = made.lacks(purpose);
        name(ui, made, commands);
        match (saving.problem().filter(|_| self.saving), &lacks) {
            (Some(problem), _) => widgets::problem(ui, problem),
            (None, Some(lacks)) if !made.is_empty() => drop(widgets::sentence(ui, lacks)),
            _ => drop(faint(ui, tr!("shell-collect-where-saved"))),
        }
        ui.add_space(4.0);
        let mut close = false;
        ui.horizontal_wrapped(|ui| {
            let yes = match purpose {
                Purpose::Data => tr!("shell-collect-use-as-dataset"),
                Purpose::AddedTask(_) => tr!("shell-collect-teach"),
            };
            let ready = lacks.is_none() && !saving.is_busy();
            if primary_button(ui, yes, ready).clicked() {
                commands.push(UiCommand::SaveCollection(purpose.clone()));
                self.saving = true;
            }
            if saving.is_busy() {
                ui.spinner();
            }
            export(ui, DataExportKind::Collection, lacks.as_deref(), commands);
            let words = tr!("shell-collect-kept-until-close");
            close |= button(ui, tr!("shell-cancel"))
                .on_hover_text(words)
                .clicked();
        });
        close
    }
}

/// Returns the style of the images that the run was trained on. For a new dataset, drawings are dark on light.
fn drawing_style(
    session: &Session,
    purpose: &Purpose,
    commands: &mut Vec<UiCommand>,
) -> DrawingStyle {
    let Purpose::AddedTask(run) = purpose else {
        return DrawingStyle::default();
    };
    let data = session.header_of(run).and_then(|header| {
        let data = session.data_of(&header.config);
        data.or_ask(|load| commands.push(UiCommand::Load(load)))
    });
    data.map_or_else(DrawingStyle::default, |data| DrawingStyle {
        light: data.looks.light_on_dark,
        share: data.looks.glyph_share,
    })
}

/// Adds images that were pasted to the selected class.
fn take_pasted(ctx: &Context, commands: &mut Vec<UiCommand>) {
    for pasted in pasted(ctx) {
        commands.push(UiCommand::change(|session| match pasted {
            Pasted::Picture(picture) => session.collect(picture),
            Pasted::File(path) => session.collect_file(path),
        }));
    }
}

fn head(ui: &mut Ui, session: &Session, purpose: &Purpose) {
    let title = match purpose {
        Purpose::Data => tr!("shell-collect-create-dataset"),
        Purpose::AddedTask(_) => tr!("shell-teach-title"),
    };
    headline(ui, title);
    if let Purpose::AddedTask(run) = purpose
        && let Some(header) = session.header_of(run)
    {
        faint(ui, RunHeader::title(header));
    }
    widgets::sentence(ui, tr!("shell-collect-about"));
    ui.add_space(4.0);
}

fn groups(
    ui: &mut Ui,
    (made, known): (&Collection, &[String]),
    (textures, commands): (&mut Textures, &mut Vec<UiCommand>),
    height: f32,
) {
    ScrollArea::vertical()
        .id_salt("boxes")
        .max_height(height)
        .min_scrolled_height(height)
        .show(ui, |ui| {
            let only = made.groups.len() == 1;
            for (index, group) in made.groups.iter().enumerate() {
                let state = (index == made.chosen, only, known);
                one_group(ui, (index, group), state, (textures, commands));
                ui.add_space(6.0);
            }
            ui.horizontal_wrapped(|ui| {
                if button(ui, tr!("shell-collect-add-class")).clicked() {
                    change(commands, Collection::add_group);
                }
                let back =
                    made.can_undo_removal() && ui.link(tr!("shell-collect-undo-remove")).clicked();
                if back {
                    change(commands, Collection::undo_removal);
                }
            });
        });
}

/// Draws a class with its name and images. The third argument says whether the class is selected and whether it is the
/// only one, and contains the classes that the run knows.
fn one_group(
    ui: &mut Ui,
    (index, group): (usize, &CollectedClass),
    (chosen, only, known): (bool, bool, &[String]),
    (textures, commands): (&mut Textures, &mut Vec<UiCommand>),
) {
    let t = tokens(ui);
    let before = commands.len();
    let choose = move |made: &mut Collection| made.choose(index);
    let line = if chosen { t.accent } else { t.line };
    let frame = egui::Frame::new()
        .stroke(Stroke::new(1.0, line))
        .corner_radius(8)
        .inner_margin(8);
    let shown = frame.show(ui, |ui| {
        ui.push_id(group.id, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                let radio = widgets::outlined(ui, |ui| ui.radio(chosen, ""));
                let name = match group.name.trim() {
                    "" => tr!(
                        "shell-collect-add-images-to",
                        class = (index + 1).to_string()
                    ),
                    class => tr!("shell-collect-add-images-to", class),
                };
                if radio
                    .on_hover_text(tr!("shell-collect-add-images"))
                    .accessible_name(name)
                    .clicked()
                {
                    change(commands, choose);
                }
                let mut name = group.name.clone();
                let edit = widgets::line_edit(&mut name, (ui.available_width() - 150.0).max(60.0));
                let field = ui
                    .add(edit)
                    .accessible_name(tr!("shell-collect-class-name"));
                if field.gained_focus() {
                    change(commands, choose);
                }
                if field.changed() {
                    change(commands, move |made| made.rename(index, name));
                }
                faint(ui, tr!("count-images", n = group.pieces.len()));
                let end = if only {
                    tr!("shell-collect-remove-images")
                } else {
                    tr!("shell-collect-remove")
                };
                if ui.link(end).clicked() {
                    change(commands, move |made| made.remove_group(index));
                }
            });
            let name = group.name.trim();
            if let Some(class) = known.iter().find(|known| look_alike(known, name)) {
                let class = class.as_str();
                widgets::sentence(ui, tr!("shell-collect-class-known", class));
            }
            let gone = pieces(ui, group, textures);
            if let Some(piece) = gone {
                change(commands, move |made| made.remove(index, piece));
            }
        });
    });
    // A click on the space between the parts also selects the class.
    let id = ui.scope_id().with(group.id);
    let area = ui.interact(shown.response.rect, id, Sense::hover());
    let untouched = commands.len() == before;
    if untouched && area.hovered() && ui.input(|i| i.pointer.primary_pressed()) {
        change(commands, choose);
    }
}

/// Draws the images of a class. Returns the index of an image to remove.
fn pieces(ui: &mut Ui, group: &CollectedClass, textures: &mut Textures) -> Option<usize> {
    if group.pieces.is_empty() {
        faint(ui, tr!("shell-collect-no-images"));
        return None;
    }
    let mut gone = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(4.0);
        for (index, piece) in group.pieces.iter().enumerate() {
            let (n, class) = (index + 1, group.name.as_str());
            let name = tr!("shell-collect-image-of", n, class);
            let (rect, response) = allocate_named(ui, Vec2::splat(THUMB), Role::Button, &name);
            textures.paint_square(ui, &piece.picture, rect, 4);
            let t = tokens(ui);
            let busy = response.hovered() || response.has_focus();
            paint_border(ui, rect, 4, if busy { t.bad } else { t.line });
            if response
                .on_hover_text(tr!("shell-collect-remove-image"))
                .clicked()
            {
                gone = Some(index);
            }
        }
    });
    gone
}

fn name(ui: &mut Ui, made: &Collection, commands: &mut Vec<UiCommand>) {
    ui.horizontal(|ui| {
        faint(ui, tr!("shell-collect-folder-name"));
        let mut name = made.name.clone();
        let edit = widgets::line_edit(&mut name, 200.0);
        let field = ui
            .add(edit)
            .accessible_name(tr!("shell-collect-folder-name"));
        if field.changed() {
            change(commands, move |made| made.name = name);
        }
    });
}

/// Adds a command that changes the collection after this frame.
fn change(commands: &mut Vec<UiCommand>, change: impl FnOnce(&mut Collection) + 'static) {
    commands.push(UiCommand::change(|session| {
        change(&mut session.collection);
    }));
}
