//! Notices. The newest notice is shown for some seconds in a strip at the bottom of the window. The bell opens a list
//! of all notices.

use egui::{
    Align2, Context, Frame, Label, Margin, Panel, RichText, Role, ScrollArea, Sense, Ui, Vec2,
    WidgetInfo, Window,
};

use super::OverlayContext;
use crate::session::notices::{Notice, NoticeUndo};
use crate::session::plain::in_window;
use crate::session::{Session, story};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::theme::{self, regular, tokens};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::input::is_below_dialog;
use crate::ui::widgets::{allocate_named, coloured, faint, problem, truncated};

/// Seconds for which a notice is shown.
const SECONDS: f64 = 8.0;
/// Seconds for which an error, or a notice with an undo, is shown.
const LONG_SECONDS: f64 = 30.0;
/// Height of the strip at the bottom, in points.
const STRIP: f32 = 26.0;
/// Window height below which notices are shown only by the bell.
const LOW: f32 = 420.0;

/// The state of notices: whether the list is open, and which notices were read and shown.
#[derive(Default)]
pub struct News {
    open: bool,
    read: usize,
    seen: usize,
    until: f64,
}

impl News {
    /// Opens or closes the list. Opening it marks all notices as read.
    pub fn toggle(&mut self, count: usize) {
        self.open = !self.open;
        self.read = count;
    }

    /// Closes the list.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Returns the number of unread notices.
    pub fn unread(&self, count: usize) -> usize {
        count.saturating_sub(self.read)
    }

    /// Draws the list of notices if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        if self.open {
            self.read = cx.session.notices.total;
            self.list(cx.ctx, &cx.session.notices.list, cx.commands);
        }
    }

    /// Draws the newest notice in a strip at the bottom of the window, which covers nothing.
    pub fn strip(&mut self, ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>) {
        let notices = &session.notices.list;
        let now = ui.input(|i| i.time);
        if session.notices.total > self.seen {
            self.seen = session.notices.total;
            let long = |notice: &Notice| notice.bad || notice.undo.is_some();
            let long = notices.last().is_some_and(long);
            self.until = now + if long { LONG_SECONDS } else { SECONDS };
        }
        let low = ui.ctx().content_rect().height() < LOW;
        let height = if low { 12.0 } else { STRIP };
        let frame = Frame::new()
            .fill(tokens(ui).background)
            .inner_margin(Margin::symmetric(26, 0));
        Panel::bottom("newest notice")
            .exact_size(height)
            .frame(frame)
            .show_separator_line(false)
            .show(ui, |ui| {
                if let Some(notice) = notices.last()
                    && !(low || self.open)
                    && now < self.until
                {
                    let left = (self.until - now).max(0.05);
                    ui.ctx().request_repaint_after_secs(left as f32);
                    if newest(ui, notice, commands) {
                        self.toggle(session.notices.total);
                    }
                }
            });
    }

    fn list(&mut self, ctx: &Context, notices: &[Notice], commands: &mut Vec<UiCommand>) {
        let mut open = self.open;
        let shown = Window::new(tr!("shell-notices"))
            .id(egui::Id::unique("notices"))
            .open(&mut open)
            .anchor(Align2::RIGHT_TOP, Vec2::new(-12.0, theme::TOP_BAR + 8.0))
            .collapsible(false)
            .resizable(false)
            .default_width(380.0)
            .show(ctx, |ui| {
                ui.set_width(380.0);
                if notices.is_empty() {
                    faint(ui, tr!("shell-notices-none"));
                }
                ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                    for notice in notices.iter().rev() {
                        faint(ui, &notice.time);
                        line(ui, notice);
                        undo(ui, notice, commands);
                        ui.add_space(6.0);
                    }
                });
                ui.separator();
                let report = ui.link(tr!("shell-report-problem"));
                if report.clicked() {
                    commands.push(UiCommand::ReportProblem);
                }
                report.clicked()
            });
        // A click on the bell must not close the list here, because the bell toggles the list itself.
        let below = |place: egui::Pos2| place.y > theme::TOP_BAR;
        let left = shown
            .as_ref()
            .is_some_and(|window| window.response.clicked_elsewhere())
            && ctx.input(|i| i.pointer.interact_pos().is_some_and(below));
        let left = left || shown.is_some_and(|window| window.inner == Some(true));
        let escape = !is_below_dialog(ctx) && ctx.input(|i| i.key_pressed(egui::Key::Escape));
        self.open = open && !left && !escape;
    }
}

fn line(ui: &mut Ui, notice: &Notice) {
    if notice.bad {
        problem(ui, &notice.problem);
        return;
    }
    let (t, told) = (tokens(ui), notice.problem.said());
    ui.horizontal_top(|ui| {
        sign(ui, notice);
        ui.vertical(|ui| {
            coloured(ui, story::sentence(&told.what), |t| t.strong);
            if !told.remedy.is_empty() {
                let text = RichText::new(story::sentence(&told.remedy));
                ui.label(text.font(regular(12.0)).color(t.subdued));
            }
        });
    });
}

/// Draws the link that undoes what a notice reports.
fn undo(ui: &mut Ui, notice: &Notice, commands: &mut Vec<UiCommand>) {
    if let Some(undo) = &notice.undo
        && ui.link(tr!("shell-undo")).clicked()
    {
        commands.push(match undo.clone() {
            NoticeUndo::Deleted(places) => {
                UiCommand::change(move |session| session.restore(places))
            }
            NoticeUndo::Label(place, before) => {
                UiCommand::change(move |session| session.set_corrected_label(place, before))
            }
        });
    }
}

/// Draws the newest notice in one line. Returns whether it was clicked.
fn newest(ui: &mut Ui, notice: &Notice, commands: &mut Vec<UiCommand>) -> bool {
    let t = tokens(ui);
    let told = in_window(&notice.problem);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        sign(ui, notice);
        let text = RichText::new(story::sentence(&told.what)).color(t.strong);
        let line = ui.add(Label::new(text).truncate().sense(Sense::click()));
        let what = story::sentence(&told.what);
        line.widget_info(|| WidgetInfo::labeled(Role::Button, true, &what));
        undo(ui, notice, commands);
        if !told.remedy.is_empty() && ui.available_width() > 120.0 {
            truncated(ui, story::sentence(&told.remedy), regular(13.0), t.subdued);
        }
        let line = line.on_hover_cursor(egui::CursorIcon::PointingHand);
        line.on_hover_text(tr!("shell-notices-all")).clicked()
    })
    .inner
}

/// Draws the icon for the kind of notice: a tick for good news, another icon for errors and neutral notices.
fn sign(ui: &mut Ui, notice: &Notice) {
    let t = tokens(ui);
    let (icon, colour, word) = match (notice.bad, notice.good) {
        (true, _) => (Icon::Alert, t.bad, tr!("shell-notice-error")),
        (false, true) => (Icon::Tick, t.good, tr!("shell-notice-success")),
        (false, false) => (Icon::Dots, t.warning, tr!("shell-notice-note")),
    };
    let (rect, _) = allocate_named(ui, Vec2::new(14.0, 17.0), Role::Image, word);
    icons::paint(ui.painter(), icon, rect.center(), 10.0, colour);
}
