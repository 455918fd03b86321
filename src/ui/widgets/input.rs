//! Keyboard and clipboard input that several pages use.

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Context, Event, EventFilter, Id, Key, LayerId, Modifiers, Order, Popup, Ui};

use crate::run::event::NamedImage;
use crate::session::file_dialog::typed_path;
use crate::tr;

/// An item that the user pasted.
pub enum Pasted {
    /// An image.
    Image(Arc<NamedImage>),
    /// The path of a file.
    File(PathBuf),
}

/// Returns the items that were pasted since the last frame. While a text field has the focus, it receives pasted text.
pub fn pasted_items(ctx: &Context) -> Vec<Pasted> {
    let typing = ctx.text_edit_focused();
    let to_items = |event: &Event| match event {
        Event::PasteImage(image) => {
            let pixels = image.pixels.iter();
            let rgb = pixels.flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]);
            vec![Pasted::Image(Arc::new(NamedImage {
                name: tr!("shell-pasted-image").into(),
                width: image.width(),
                height: image.height(),
                rgb: rgb.collect(),
            }))]
        }
        // File managers copy one line per file.
        Event::Paste(text) if !typing => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.map(|line| Pasted::File(typed_path(line))).collect()
        }
        _ => Vec::new(),
    };
    ctx.input(|i| i.events.iter().flat_map(to_items).collect())
}

/// Returns whether a dialog is open above the pages and receives the keys.
pub fn is_dialog_open(ctx: &Context) -> bool {
    ctx.memory(|m| m.top_modal_layer().is_some())
}

/// Returns whether a dialog or a menu is open above the pages.
pub fn is_covered(ctx: &Context) -> bool {
    is_dialog_open(ctx) || Popup::is_any_open(ctx)
}

/// Returns whether the Escape key closes something above the pages: a dialog, a menu or the list of notices. It counts if
/// it was open in the last frame, because a menu of the top bar closes before the page is drawn.
pub fn is_escape_used(ctx: &Context) -> bool {
    let is_above = |layer: &LayerId| matches!(layer.order, Order::Middle | Order::Foreground);
    ctx.memory(|m| m.areas().visible_layer_ids().iter().any(is_above))
}

/// Keeps the focus on this widget when arrow keys are pressed.
pub fn lock_arrows(ui: &Ui, id: Id) {
    let filter =
        EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|m| m.set_focus_lock_filter(id, filter));
}

/// Returns how often the left and the right arrow key were pressed, whichever widget has the focus. The focus does not
/// move.
pub fn arrow_presses(ui: &Ui) -> (usize, usize) {
    let ctx = ui.ctx();
    if let Some(focused) = ctx.memory(egui::Memory::focused) {
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ctx.memory_mut(|m| m.set_focus_lock_filter(focused, filter));
    }
    let press_count = |key| ui.input_mut(|i| i.count_and_consume_key(Modifiers::NONE, key));
    (press_count(Key::ArrowLeft), press_count(Key::ArrowRight))
}
