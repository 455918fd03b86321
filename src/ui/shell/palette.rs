//! The command palette, which finds commands by some typed letters.

use egui::accesskit::Node;
use egui::{Align2, Context, Id, Key, Modal, Modifiers, Response, RichText, TextEdit, Ui, Vec2};

use super::OverlayContext;
use crate::tr;
use crate::ui::entries::{PaletteEntry, found};
use crate::ui::keys;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::shown_long_enough;

/// Maximum number of visible entries.
const MOST: usize = 12;
/// Height of an entry.
const LINE: f32 = 27.0;

/// The state of the palette that is kept between frames.
#[derive(Default)]
pub struct Palette {
    open: bool,
    typed: String,
    chosen: usize,
    /// The entries that match the typed text; `None` if they must be computed again.
    lines: Option<Vec<PaletteEntry>>,
}

impl Palette {
    /// Opens or closes the palette.
    pub fn toggle(&mut self) {
        self.open = !self.open;
        self.typed.clear();
        self.chosen = 0;
        self.renew();
    }

    /// Marks the entries as outdated.
    pub fn renew(&mut self) {
        self.lines = None;
    }

    /// Draws the palette if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        let (ctx, session) = (cx.ctx, cx.session);
        if !self.open {
            return;
        }
        let lines = self.lines.take();
        let mut lines = lines.unwrap_or_else(|| found(session, &self.typed));
        self.keys(ctx, lines.len());
        let enter = ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
        let id = Id::unique("palette");
        // Position and height are constant, so that nothing moves while the user types.
        let room = ctx.content_rect().size();
        let fit = ((room.y - 150.0) / LINE) as usize;
        let most = MOST.min(fit.max(2));
        let place = Modal::default_area(id).anchor(Align2::CENTER_TOP, Vec2::new(0.0, 56.0));
        let mut changed = false;
        let modal = Modal::new(id).area(place);
        let modal = shown_long_enough(ctx, modal, |ui| {
            ui.set_width(460.0f32.min(room.x - 60.0));
            ui.set_height(LINE * most as f32 + 66.0);
            ui.spacing_mut().item_spacing.y = 0.0;
            let field = self.field(ui);
            changed = field.changed();
            ui.add_space(6.0);
            let mut picked = None;
            let first = (self.chosen + 1).saturating_sub(most);
            for (i, entry) in lines.iter().enumerate().skip(first).take(most) {
                let chosen = i == self.chosen;
                let line = line(ui, entry, chosen);
                if chosen {
                    // The field keeps the focus; a screen reader is notified of the selected entry.
                    let line = line.id.accesskit_id();
                    let tell = |node: &mut Node| node.set_active_descendant(line);
                    ui.ctx().accesskit_node_builder(field.id, tell);
                }
                if line.clicked() {
                    picked = Some(i);
                }
            }
            let more = lines.len().saturating_sub(first + most);
            let t = tokens(ui);
            if more > 0 {
                let text = RichText::new(tr!("palette-more", n = more));
                ui.add_space(4.0);
                ui.horizontal(|ui| {
                    ui.add_space(ui.spacing().button_padding.x);
                    ui.label(text.font(regular(12.0)).color(t.subdued));
                });
            } else if lines.is_empty() {
                ui.label(RichText::new(tr!("palette-no-match")).color(t.subdued));
            }
            picked
        });
        let picked = modal.inner.or(enter.then_some(self.chosen));
        if let Some(i) = picked.filter(|i| lines.get(*i).is_some_and(|entry| entry.enabled)) {
            cx.commands.push(lines.swap_remove(i).command);
            self.open = false;
        }
        if modal.should_close() {
            self.open = false;
        }
        self.lines = (!changed).then_some(lines);
    }

    fn keys(&mut self, ctx: &Context, count: usize) {
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

fn line(ui: &mut Ui, entry: &PaletteEntry, chosen: bool) -> Response {
    ui.add_enabled_ui(entry.enabled, |ui| {
        let width = ui.available_width();
        let keys = entry.shortcut.map(|keys| keys::named(ui.ctx(), &keys));
        let keys = match (keys, entry.on) {
            (Some(keys), Some(page)) => {
                tr!("palette-keys-on-page", keys, page = page.title())
            }
            (keys, _) => keys.unwrap_or_default(),
        };
        let button = egui::Button::selectable(chosen, entry.title.as_str())
            .right_text(RichText::new(keys).font(regular(12.0)))
            .truncate()
            .min_size(Vec2::new(width, LINE));
        ui.add(button)
    })
    .inner
}
