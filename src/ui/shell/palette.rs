//! The command palette, which finds commands by some typed letters.

use egui::accesskit::Node;
use egui::{Align2, Context, Id, Key, Modal, Modifiers, Response, RichText, TextEdit, Ui, Vec2};

use super::OverlayContext;
use crate::tr;
use crate::ui::keys;
use crate::ui::palette_entries::{PaletteEntry, matching_entries};
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::dismissible_modal;

/// Maximum number of visible entries.
const MAX_VISIBLE: usize = 12;
/// Height of an entry.
const ENTRY_HEIGHT: f32 = 27.0;

/// The state of the palette that is kept between frames.
#[derive(Default)]
pub struct Palette {
    open: bool,
    typed: String,
    chosen: usize,
    /// The entries that match the typed text; `None` if they must be computed again.
    entries: Option<Vec<PaletteEntry>>,
}

impl Palette {
    /// Opens or closes the palette.
    pub fn toggle(&mut self) {
        self.open = !self.open;
        self.typed.clear();
        self.chosen = 0;
        self.invalidate();
    }

    /// Marks the entries as outdated.
    pub fn invalidate(&mut self) {
        self.entries = None;
    }

    /// Draws the palette if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let (ctx, session) = (cx.ctx, cx.session);
        if !self.open {
            return;
        }
        let entries = self.entries.take();
        let mut entries = entries.unwrap_or_else(|| matching_entries(session, &self.typed));
        self.handle_keys(ctx, entries.len());
        let enter = ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
        let id = Id::unique("palette");
        // Position and height are constant, so that nothing moves while the user types.
        let available = ctx.content_rect().size();
        let fitting = ((available.y - 150.0) / ENTRY_HEIGHT) as usize;
        let visible = MAX_VISIBLE.min(fitting.max(2));
        let area = Modal::default_area(id).anchor(Align2::CENTER_TOP, Vec2::new(0.0, 56.0));
        let mut changed = false;
        let modal = Modal::new(id).area(area);
        let modal = dismissible_modal(ctx, modal, |ui| {
            ui.set_width(460.0f32.min(available.x - 60.0));
            ui.set_height(ENTRY_HEIGHT * visible as f32 + 66.0);
            ui.spacing_mut().item_spacing.y = 0.0;
            let field = self.field(ui);
            changed = field.changed();
            ui.add_space(6.0);
            let mut picked = None;
            let first = (self.chosen + 1).saturating_sub(visible);
            for (i, entry) in entries.iter().enumerate().skip(first).take(visible) {
                let chosen = i == self.chosen;
                let response = entry_button(ui, entry, chosen);
                if chosen {
                    // The field keeps the focus; a screen reader is notified of the selected entry.
                    let active = response.id.accesskit_id();
                    let set_active = |node: &mut Node| node.set_active_descendant(active);
                    ui.ctx().accesskit_node_builder(field.id, set_active);
                }
                if response.clicked() {
                    picked = Some(i);
                }
            }
            let more = entries.len().saturating_sub(first + visible);
            let t = tokens(ui);
            if more > 0 {
                let text = RichText::new(tr!("palette-more", n = more));
                ui.add_space(4.0);
                ui.horizontal(|ui| {
                    ui.add_space(ui.spacing().button_padding.x);
                    ui.label(text.font(regular(12.0)).color(t.subdued));
                });
            } else if entries.is_empty() {
                ui.label(RichText::new(tr!("palette-no-match")).color(t.subdued));
            }
            picked
        });
        if enter && changed && modal.inner.is_none() {
            // In a slow frame, Enter may have been pressed after more was typed.
            entries = matching_entries(session, &self.typed);
        }
        let picked = modal.inner.or(enter.then_some(self.chosen));
        if let Some(i) = picked.filter(|i| entries.get(*i).is_some_and(|entry| entry.enabled)) {
            cx.commands.push(entries.swap_remove(i).command);
            self.open = false;
        }
        if modal.should_close() {
            self.open = false;
        }
        self.entries = (!changed).then_some(entries);
    }

    fn handle_keys(&mut self, ctx: &Context, count: usize) {
        ctx.input_mut(|i| {
            if i.consume_key(Modifiers::NONE, Key::ArrowDown) {
                self.chosen += 1;
            }
            if i.consume_key(Modifiers::NONE, Key::ArrowUp) {
                self.chosen = self.chosen.saturating_sub(1);
            }
        });
        self.chosen = self.chosen.min(count.saturating_sub(1));
    }

    fn field(&mut self, ui: &mut Ui) -> Response {
        let edit = TextEdit::singleline(&mut self.typed)
            .hint_text(tr!("palette-hint"))
            .desired_width(f32::INFINITY)
            .margin(egui::Margin::symmetric(10, 7));
        let response = ui.add(edit).accessible_name(tr!("palette-command"));
        response.request_focus();
        if response.changed() {
            self.chosen = 0;
        }
        response
    }
}

fn entry_button(ui: &mut Ui, entry: &PaletteEntry, chosen: bool) -> Response {
    ui.add_enabled_ui(entry.enabled, |ui| {
        let width = ui.available_width();
        let keys = entry.shortcut.map(|keys| keys::format_shortcut(ui.ctx(), &keys));
        let keys = match (keys, entry.page) {
            (Some(keys), Some(page)) => {
                tr!("palette-keys-on-page", keys, page = page.title())
            }
            (keys, _) => keys.unwrap_or_default(),
        };
        let button = egui::Button::selectable(chosen, entry.title.as_str())
            .right_text(RichText::new(keys).font(regular(12.0)))
            .truncate()
            .min_size(Vec2::new(width, ENTRY_HEIGHT));
        ui.add(button)
    })
    .inner
}
