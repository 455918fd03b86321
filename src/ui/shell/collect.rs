//! The dialog that collects images class by class. Named classes are on the left and a canvas is on the right. Dropped
//! and pasted images are added to the selected class.

use egui::{Context, Key, KeyboardShortcut, Modifiers, Role, ScrollArea, Sense, Stroke, Ui, Vec2};

use super::OverlayContext;
use crate::names::is_same_name;
use crate::run::event::RunHeader;
use crate::session::Session;
use crate::session::collection::{CollectedClass, Collection, Purpose};
use crate::session::drawing::Drawing;
use crate::session::file_dialog::DialogPurpose;
use crate::session::views::Fetch;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::keys;
use crate::ui::shell::export::collection_menu;
use crate::ui::theme::tokens;
use crate::ui::widgets::canvas::canvas;
use crate::ui::widgets::input::{Pasted, pasted_items};
use crate::ui::widgets::textures::Textures;
use crate::ui::widgets::{
    self, allocate_named, button, button_if, dialog, faint, headline, paint_border, primary_button,
};

/// Size of the thumbnail of a collected image, in points.
const THUMBNAIL_SIZE: f32 = 34.0;

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
        let OverlayContext { ctx, session, textures, commands, .. } = cx;
        let Some(purpose) = self.purpose.clone() else {
            return;
        };
        if self.saving && session.saving_collection.ready().is_some() {
            (self.purpose, self.saving) = (None, false);
            return;
        }
        let style = drawing_style(session, &purpose, commands);
        take_pasted(ctx, commands);
        let available = ctx.content_rect().size();
        let collection = &session.collection;
        let known_classes = match &purpose {
            Purpose::Data => &[][..],
            Purpose::AddedTask(run) => session.classes_of_run(run),
        };
        let modal = dialog(ctx, "collect", 760.0, |ui| {
            draw_header(ui, session, &purpose);
            let side = (available.y - 330.0).clamp(120.0, 260.0);
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 16.0;
                let list_width = (ui.available_width() - side - 16.0).max(140.0);
                widgets::part(ui, list_width, |ui| {
                    draw_classes(
                        ui,
                        (collection, known_classes),
                        (textures, commands),
                        side + 70.0,
                    );
                });
                widgets::part(ui, side, |ui| {
                    self.draw_canvas_panel(ui, collection, (style, side), commands);
                });
            });
            ui.add_space(6.0);
            self.draw_footer(ui, session, &purpose, commands)
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
    fn draw_canvas_panel(
        &mut self,
        ui: &mut Ui,
        collection: &Collection,
        (style, side): (DrawingStyle, f32),
        commands: &mut Vec<UiCommand>,
    ) {
        canvas(ui, side, &mut self.drawing, style.light);
        let typing = ui.ctx().text_edit_focused();
        // Keys belong to a dialog above this one, if there is one.
        let on_top = ui.memory(|m| m.top_modal_layer() == Some(ui.layer_id()));
        let pressed =
            |keys: KeyboardShortcut| on_top && ui.input_mut(|i| i.consume_shortcut(&keys));
        let undo = !typing && on_top && ui.input_mut(keys::consume_undo);
        let focused = ui.memory(|m| m.focused().is_some());
        let enter = !focused && pressed(KeyboardShortcut::new(Modifiers::NONE, Key::Enter));
        if undo && !self.drawing.undo() && collection.can_undo_removal() {
            change_collection(commands, Collection::undo_removal);
        }
        let drawn = !self.drawing.is_empty();
        ui.horizontal_wrapped(|ui| {
            let add = primary_button(ui, tr!("shell-collect-add-drawing"), drawn)
                .on_hover_text(tr!("shell-collect-enter"));
            if drawn && (add.clicked() || enter) {
                let picture = self.drawing.render(style.light, style.share).into();
                commands.push(UiCommand::change(move |session| {
                    session.collect_image(picture);
                }));
                self.drawing.reset();
            }
            let clear = button_if(ui, drawn, tr!("shell-clear"));
            if clear.clicked() {
                self.drawing.clear();
            }
        });
        ui.horizontal_wrapped(|ui| {
            if button(ui, tr!("shell-collect-files")).clicked() {
                commands.push(UiCommand::pick(DialogPurpose::CollectedImage));
            }
            if button(ui, tr!("shell-collect-paste")).clicked() {
                commands.push(UiCommand::Paste);
            }
        });
    }

    /// Draws the name of the collection, what is missing or has failed, and the buttons. Returns whether to close the
    /// dialog.
    fn draw_footer(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        purpose: &Purpose,
        commands: &mut Vec<UiCommand>,
    ) -> bool {
        let collection = &session.collection;
        let saving = &session.saving_collection;
        let missing = collection.missing_requirement(purpose);
        name_field(ui, collection, commands);
        match (saving.problem().filter(|_| self.saving), &missing) {
            (Some(problem), _) => widgets::problem(ui, problem),
            (None, Some(missing)) if !collection.is_empty() => drop(widgets::sentence(ui, missing)),
            _ => drop(faint(ui, tr!("shell-collect-where-saved"))),
        }
        ui.add_space(4.0);
        let mut close = false;
        ui.horizontal_wrapped(|ui| {
            let label = match purpose {
                Purpose::Data => tr!("shell-collect-use-as-dataset"),
                Purpose::AddedTask(_) => tr!("shell-collect-teach"),
            };
            let ready = missing.is_none() && !saving.is_busy();
            if primary_button(ui, label, ready).clicked() {
                commands.push(UiCommand::SaveCollection(purpose.clone()));
                self.saving = true;
            }
            if saving.is_busy() {
                ui.spinner();
            }
            collection_menu(ui, missing.as_deref(), commands);
            let hint = tr!("shell-collect-images-kept");
            close |= button(ui, tr!("shell-cancel")).on_hover_text(hint).clicked();
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
        data.or_request(|load| commands.push(UiCommand::Load(load)))
    });
    data.map_or_else(DrawingStyle::default, |data| DrawingStyle {
        light: data.image_kind.light_on_dark,
        share: data.image_kind.glyph_share,
    })
}

/// Adds images that were pasted to the selected class.
fn take_pasted(ctx: &Context, commands: &mut Vec<UiCommand>) {
    for pasted in pasted_items(ctx) {
        commands.push(UiCommand::change(|session| match pasted {
            Pasted::Image(picture) => session.collect_image(picture),
            Pasted::File(path) => session.collect_file(path),
        }));
    }
}

fn draw_header(ui: &mut Ui, session: &Session, purpose: &Purpose) {
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

fn draw_classes(
    ui: &mut Ui,
    (collection, known_classes): (&Collection, &[String]),
    (textures, commands): (&mut Textures, &mut Vec<UiCommand>),
    height: f32,
) {
    ScrollArea::vertical().id_salt("boxes").max_height(height).min_scrolled_height(height).show(
        ui,
        |ui| {
            let only = collection.classes.len() == 1;
            for (index, collected) in collection.classes.iter().enumerate() {
                let state = (index == collection.selected, only, known_classes);
                draw_class(ui, (index, collected), state, (textures, commands));
                ui.add_space(6.0);
            }
            ui.horizontal_wrapped(|ui| {
                if button(ui, tr!("shell-collect-add-class")).clicked() {
                    change_collection(commands, Collection::add_class);
                }
                let back = collection.can_undo_removal()
                    && ui.link(tr!("shell-collect-undo-remove")).clicked();
                if back {
                    change_collection(commands, Collection::undo_removal);
                }
            });
        },
    );
}

/// Draws a class with its name and images. The third argument says whether the class is selected and whether it is the
/// only one, and contains the classes that the run knows.
fn draw_class(
    ui: &mut Ui,
    (index, collected): (usize, &CollectedClass),
    (chosen, only, known_classes): (bool, bool, &[String]),
    (textures, commands): (&mut Textures, &mut Vec<UiCommand>),
) {
    let t = tokens(ui);
    let before = commands.len();
    let choose = move |collection: &mut Collection| collection.select(index);
    let border = if chosen { t.accent } else { t.line };
    let frame =
        egui::Frame::new().stroke(Stroke::new(1.0, border)).corner_radius(8).inner_margin(8);
    let shown = frame.show(ui, |ui| {
        ui.push_id(collected.id, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                let radio = widgets::outlined(ui, |ui| ui.radio(chosen, ""));
                let name = match collected.name.trim() {
                    "" => tr!("shell-collect-add-images-to", class = (index + 1).to_string()),
                    class => tr!("shell-collect-add-images-to", class),
                };
                if radio
                    .on_hover_text(tr!("shell-collect-add-images"))
                    .accessible_name(name)
                    .clicked()
                {
                    change_collection(commands, choose);
                }
                let mut name = collected.name.clone();
                let edit = widgets::line_edit(&mut name, (ui.available_width() - 150.0).max(60.0));
                let field = ui.add(edit).accessible_name(tr!("shell-collect-class-name"));
                if field.gained_focus() {
                    change_collection(commands, choose);
                }
                if field.changed() {
                    change_collection(commands, move |collection| collection.rename(index, name));
                }
                faint(ui, tr!("count-images", n = collected.images.len()));
                let label = if only {
                    tr!("shell-collect-remove-images")
                } else {
                    tr!("shell-collect-remove")
                };
                if ui.link(label).clicked() {
                    change_collection(commands, move |collection| collection.remove_class(index));
                }
            });
            let name = collected.name.trim();
            if let Some(class) =
                known_classes.iter().find(|known_class| is_same_name(known_class, name))
            {
                let class = class.as_str();
                widgets::sentence(ui, tr!("shell-collect-class-known", class));
            }
            let removed = class_images(ui, collected, textures);
            if let Some(image) = removed {
                change_collection(commands, move |collection| collection.remove(index, image));
            }
        });
    });
    // A click on the space between the parts also selects the class.
    let id = ui.scope_id().with(collected.id);
    let area = ui.interact(shown.response.rect, id, Sense::hover());
    let untouched = commands.len() == before;
    if untouched && area.hovered() && ui.input(|i| i.pointer.primary_pressed()) {
        change_collection(commands, choose);
    }
}

/// Draws the images of a class. Returns the index of an image to remove.
fn class_images(ui: &mut Ui, collected: &CollectedClass, textures: &mut Textures) -> Option<usize> {
    if collected.images.is_empty() {
        faint(ui, tr!("shell-collect-no-images"));
        return None;
    }
    let mut removed = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(4.0);
        for (index, image) in collected.images.iter().enumerate() {
            let (n, class) = (index + 1, collected.name.as_str());
            let name = tr!("shell-collect-image-of", n, class);
            let (rect, response) =
                allocate_named(ui, Vec2::splat(THUMBNAIL_SIZE), Role::Button, &name);
            textures.paint_square(ui, &image.image, rect, 4);
            let t = tokens(ui);
            let is_highlighted = response.hovered() || response.has_focus();
            paint_border(ui, rect, 4, if is_highlighted { t.bad } else { t.line });
            if response.on_hover_text(tr!("shell-collect-remove-image")).clicked() {
                removed = Some(index);
            }
        }
    });
    removed
}

fn name_field(ui: &mut Ui, collection: &Collection, commands: &mut Vec<UiCommand>) {
    ui.horizontal(|ui| {
        faint(ui, tr!("shell-collect-folder-name"));
        let mut name = collection.name.clone();
        let edit = widgets::line_edit(&mut name, 200.0);
        let field = ui.add(edit).accessible_name(tr!("shell-collect-folder-name"));
        if field.changed() {
            change_collection(commands, move |collection| collection.name = name);
        }
    });
}

/// Adds a command that changes the collection after this frame.
fn change_collection(
    commands: &mut Vec<UiCommand>,
    change: impl FnOnce(&mut Collection) + 'static,
) {
    commands.push(UiCommand::change(|session| {
        change(&mut session.collection);
    }));
}
