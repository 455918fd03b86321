//! Notices. The newest notice is shown for some seconds in a strip at the bottom of the window. The bell opens a list
//! of all notices.

use egui::{
    Align2, Context, Frame, Label, Margin, Panel, RichText, Role, ScrollArea, Sense, Ui, Vec2,
    WidgetInfo, Window,
};

use super::OverlayContext;
use crate::session::notices::{Notice, NoticeUndo};
use crate::session::window_terms::in_window_terms;
use crate::session::{Session, explanation};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::theme::{self, regular, tokens};
use crate::ui::widgets::icons::{self, Icon};
use crate::ui::widgets::input::is_dialog_open;
use crate::ui::widgets::{allocate_named, coloured, faint, problem, selectable, truncated};

/// Seconds for which a notice is shown.
const NOTICE_SECONDS: f64 = 8.0;
/// Seconds for which an error, or a notice with an undo, is shown.
const LONG_SECONDS: f64 = 30.0;
/// Height of the strip at the bottom, in points.
const STRIP_HEIGHT: f32 = 26.0;
/// Window height below which notices are shown only by the bell.
const LOW_WINDOW_HEIGHT: f32 = 420.0;

/// The state of notices: whether the list is open, and which notices were read and shown.
#[derive(Default)]
pub struct NoticesPanel {
    open: bool,
    read_count: usize,
    shown_count: usize,
    visible_until: f64,
}

impl NoticesPanel {
    /// Opens or closes the list. Opening it marks all notices as read.
    pub fn toggle(&mut self, count: usize) {
        self.open = !self.open;
        self.read_count = count;
    }

    /// Closes the list.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Returns the number of unread notices.
    pub fn unread(&self, count: usize) -> usize {
        count.saturating_sub(self.read_count)
    }

    /// Draws the list of notices if it is open.
    pub fn show(&mut self, cx: &mut OverlayContext<'_>) {
        if self.open {
            self.read_count = cx.session.notices.total;
            self.list(cx.ctx, &cx.session.notices.list, cx.commands);
        }
    }

    /// Draws the newest notice in a strip at the bottom of the window, which covers nothing.
    pub fn draw_strip(&mut self, ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>) {
        let notices = &session.notices.list;
        let now = ui.input(|i| i.time);
        if session.notices.total > self.shown_count {
            self.shown_count = session.notices.total;
            let stays_long = |notice: &Notice| notice.is_error || notice.undo.is_some();
            let is_long = notices.last().is_some_and(stays_long);
            self.visible_until = now + if is_long { LONG_SECONDS } else { NOTICE_SECONDS };
        }
        let is_low = ui.ctx().content_rect().height() < LOW_WINDOW_HEIGHT;
        let height = if is_low { 12.0 } else { STRIP_HEIGHT };
        let frame = Frame::new().fill(tokens(ui).background).inner_margin(Margin::symmetric(26, 0));
        Panel::bottom("newest notice")
            .exact_size(height)
            .frame(frame)
            .show_separator_line(false)
            .show(ui, |ui| {
                if let Some(notice) = notices.last()
                    && !(is_low || self.open)
                    && now < self.visible_until
                {
                    let remaining = (self.visible_until - now).max(0.05);
                    ui.ctx().request_repaint_after_secs(remaining as f32);
                    if newest_notice(ui, notice, commands) {
                        self.toggle(session.notices.total);
                    }
                }
            });
    }

    fn list(&mut self, ctx: &Context, notices: &[Notice], commands: &mut Vec<UiCommand>) {
        let mut open = self.open;
        let window_response = Window::new(tr!("shell-notices"))
            .id(egui::Id::unique("notices"))
            .open(&mut open)
            .anchor(Align2::RIGHT_TOP, Vec2::new(-12.0, theme::TOP_BAR_HEIGHT + 8.0))
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
                        notice_row(ui, notice);
                        undo_link(ui, notice, commands);
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
        let is_below_bar = |position: egui::Pos2| position.y > theme::TOP_BAR_HEIGHT;
        let closed =
            window_response.as_ref().is_some_and(|window| window.response.clicked_elsewhere())
                && ctx.input(|i| i.pointer.interact_pos().is_some_and(is_below_bar));
        let closed = closed || window_response.is_some_and(|window| window.inner == Some(true));
        let escape = !is_dialog_open(ctx) && ctx.input(|i| i.key_pressed(egui::Key::Escape));
        self.open = open && !closed && !escape;
    }
}

fn notice_row(ui: &mut Ui, notice: &Notice) {
    if notice.is_error {
        problem(ui, &notice.problem);
        return;
    }
    let (t, message) = (tokens(ui), in_window_terms(&notice.problem));
    ui.horizontal_top(|ui| {
        notice_icon(ui, notice);
        ui.vertical(|ui| {
            coloured(ui, explanation::sentence(&message.what), |t| t.strong);
            if !message.place.is_empty() {
                selectable(ui, &message.place, theme::mono(11.5), t.subdued);
            }
            if !message.remedy.is_empty() {
                let text = RichText::new(explanation::sentence(&message.remedy));
                ui.label(text.font(regular(12.0)).color(t.subdued));
            }
        });
    });
}

/// Draws the link that undoes what a notice reports.
fn undo_link(ui: &mut Ui, notice: &Notice, commands: &mut Vec<UiCommand>) {
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
fn newest_notice(ui: &mut Ui, notice: &Notice, commands: &mut Vec<UiCommand>) -> bool {
    let t = tokens(ui);
    let message = in_window_terms(&notice.problem);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        notice_icon(ui, notice);
        let text = RichText::new(explanation::sentence(&message.what)).color(t.strong);
        let response = ui.add(Label::new(text).truncate().sense(Sense::click()));
        let what = explanation::sentence(&message.what);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &what));
        undo_link(ui, notice, commands);
        if !message.remedy.is_empty() && ui.available_width() > 120.0 {
            truncated(ui, explanation::sentence(&message.remedy), regular(13.0), t.subdued);
        }
        let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
        response.on_hover_text(tr!("shell-notices-all")).clicked()
    })
    .inner
}

/// Draws the icon for the kind of notice: a tick for good news, another icon for errors and neutral notices.
fn notice_icon(ui: &mut Ui, notice: &Notice) {
    let t = tokens(ui);
    let (icon, colour, name) = match (notice.is_error, notice.is_success) {
        (true, _) => (Icon::Alert, t.bad, tr!("shell-notice-error")),
        (false, true) => (Icon::Tick, t.good, tr!("shell-notice-success")),
        (false, false) => (Icon::Dots, t.warning, tr!("shell-notice-note")),
    };
    let (rect, _) = allocate_named(ui, Vec2::new(14.0, 17.0), Role::Image, name);
    icons::paint(ui.painter(), icon, rect.center(), 10.0, colour);
}
