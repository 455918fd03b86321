//! Notices: the newest one shows for a few seconds at the foot of the window; all of them stay in a
//! list behind the bell.

use egui::{
    Align2, Area, Context, Frame, Id, Margin, Order, RichText, ScrollArea, Ui, Vec2, Window,
};

use crate::session::{Notice, story};
use crate::ui::command::UiCommand;
use crate::ui::theme::{self, regular, tokens};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::{faint, link, problem};

/// Seconds a notice stays at the foot.
const SECONDS: f64 = 6.0;

/// Which notices were read, and which is on show.
#[derive(Default)]
pub struct News {
    open: bool,
    read: usize,
    seen: usize,
    until: f64,
}

impl News {
    /// Opens or closes the list.
    pub fn toggle(&mut self, count: usize) {
        self.open = !self.open;
        self.read = count;
    }

    /// Notices nobody has looked at.
    pub fn unread(&self, count: usize) -> usize {
        count.saturating_sub(self.read)
    }

    /// Draws the newest notice and, when open, the list.
    pub fn show(&mut self, ctx: &Context, notices: &[Notice], commands: &mut Vec<UiCommand>) {
        let now = ctx.input(|i| i.time);
        if notices.len() > self.seen {
            self.seen = notices.len();
            self.until = now + SECONDS;
        }
        if self.open {
            self.read = notices.len();
            self.list(ctx, notices, commands);
        } else if let Some(notice) = notices.last()
            && now < self.until
        {
            let held = toast(ctx, notice);
            if held {
                self.until = now + SECONDS / 2.0;
            }
            let left = (self.until - now).max(0.05);
            ctx.request_repaint_after_secs(left as f32);
        }
    }

    fn list(&mut self, ctx: &Context, notices: &[Notice], commands: &mut Vec<UiCommand>) {
        let mut open = self.open;
        let shown = Window::new("Notices")
            .open(&mut open)
            .anchor(Align2::RIGHT_TOP, Vec2::new(-12.0, theme::TOP_BAR + 8.0))
            .collapsible(false)
            .resizable(false)
            .default_width(380.0)
            .show(ctx, |ui| {
                ui.set_width(380.0);
                if notices.is_empty() {
                    faint(ui, "Nothing to report so far");
                }
                ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                    for notice in notices.iter().rev() {
                        faint(ui, &notice.time);
                        line(ui, notice);
                        ui.add_space(6.0);
                    }
                });
                ui.separator();
                let report = link(ui, "Report a problem…");
                if report.clicked() {
                    commands.push(UiCommand::Report);
                }
                report.clicked()
            });
        // The bell in the top bar opens and closes the list itself.
        let below = |place: egui::Pos2| place.y > theme::TOP_BAR;
        let left = shown
            .as_ref()
            .is_some_and(|window| window.response.clicked_elsewhere())
            && ctx.input(|i| i.pointer.interact_pos().is_some_and(below));
        let left = left || shown.is_some_and(|window| window.inner == Some(true));
        self.open = open && !left && !ctx.input(|i| i.key_pressed(egui::Key::Escape));
    }
}

fn line(ui: &mut Ui, notice: &Notice) {
    if notice.bad {
        problem(ui, &notice.problem);
        return;
    }
    let t = tokens(ui);
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::new(14.0, 17.0), egui::Sense::hover());
        icons::paint(ui.painter(), Icon::Tick, rect.center(), 10.0, t.good);
        ui.vertical(|ui| {
            let text = story::sentence(&notice.problem.what);
            ui.add(egui::Label::new(RichText::new(text).color(t.strong)).wrap());
            if !notice.problem.remedy.is_empty() {
                let text = RichText::new(story::sentence(&notice.problem.remedy));
                ui.label(text.font(regular(12.0)).color(t.subdued));
            }
        });
    });
}

/// Shows one notice at the foot; returns whether the pointer rests on it.
fn toast(ctx: &Context, notice: &Notice) -> bool {
    let shown = Area::new(Id::unique("toast"))
        .anchor(Align2::CENTER_BOTTOM, Vec2::new(0.0, -18.0))
        .order(Order::Foreground)
        .show(ctx, |ui| {
            Frame::popup(ui.style())
                .inner_margin(Margin::symmetric(14, 10))
                .show(ui, |ui| {
                    ui.set_max_width(460.0);
                    line(ui, notice);
                });
        });
    shown.response.contains_pointer()
}
