//! Draws the bars, the current page, and everything above it. Each part has its own error boundary.

use std::sync::atomic::Ordering;

use egui::{CentralPanel, Context, Frame, Margin, Panel, Ui, ViewportCommand};

use super::StudioApp;
use crate::panics::catch_panic;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::{self, Cx};
use crate::ui::panics::PressedButton;
use crate::ui::shell::{self, Collect, OverlayContext, Overlays, Question};
use crate::ui::theme;
use crate::ui::widgets::figure_menu;

impl StudioApp {
    /// Draws the whole window and executes the commands.
    pub fn draw(&mut self, ui: &mut Ui) {
        self.times.begin();
        self.settings.language.speak();
        let ctx = ui.ctx().clone();
        let result = catch_panic(|| self.handle_shortcuts(&ctx));
        self.error_boundaries.record_action(result);
        if std::mem::take(&mut self.paste_requested) {
            ctx.send_viewport_cmd(ViewportCommand::RequestPaste);
        }
        let mut commands = Vec::new();
        self.draw_bars(ui, &mut commands);
        let frame = Frame::new()
            .fill(theme::tokens(ui).background)
            .inner_margin(Margin { bottom: 0, ..Margin::same(12) });
        CentralPanel::default().frame(frame).show(ui, |ui| {
            if self.pages.present.is_open {
                self.draw_presenter(ui, &mut commands);
            } else {
                self.draw_page(ui, &mut commands);
            }
        });
        self.draw_overlays(&ctx, &mut commands);
        let requests = figure_menu::take_requests(&ctx).into_iter();
        commands.extend(
            requests.map(|(action, figure)| UiCommand::ExportFigure(action, Box::new(figure))),
        );
        if !commands.is_empty() {
            // Another frame shows the effect of the commands immediately.
            ctx.request_repaint();
        }
        for command in commands {
            let result = catch_panic(|| self.execute(&ctx, command));
            self.error_boundaries.record_action(result);
        }
        self.report_failed_parts();
        if self.full_screen != self.pages.present.is_open {
            self.full_screen = self.pages.present.is_open;
            ctx.send_viewport_cmd(ViewportCommand::Fullscreen(self.full_screen));
        }
        self.times.end();
    }

    /// Draws the bars along the edges.
    fn draw_bars(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let mut pressed = Vec::new();
        if !self.pages.present.is_open {
            let state = (self.page, &self.settings);
            let (shell, session) = (&mut self.shell, &self.session);
            let panel = Panel::top("in place of the top bar");
            pressed.push(self.error_boundaries.draw_bar("part-top-bar", ui, panel, |ui| {
                shell::top_bar(ui, state, shell, session, commands);
            }));
        }
        if self.shell.frame_times {
            let panel = Panel::bottom("in place of the frame times");
            let times = &self.times;
            pressed.push(self.error_boundaries.draw_bar("part-frame-times", ui, panel, |ui| {
                shell::frame_times_bar(ui, times);
            }));
        }
        let (shell, session) = (&mut self.shell, &self.session);
        let panel = Panel::bottom("in place of the newest notice");
        pressed.push(self.error_boundaries.draw_bar("part-newest-notice", ui, panel, |ui| {
            shell.notices.draw_strip(ui, session, commands);
        }));
        if pressed.contains(&PressedButton::Report) {
            commands.push(UiCommand::ReportProblem);
        }
    }

    fn draw_page(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let page = self.page;
        if page == Page::Experiment {
            let recorded = self.recorded_setup.as_ref();
            self.pages.experiment.can_undo =
                recorded.is_some_and(|setup| self.history.has_undo(setup));
        }
        let mut cx = Cx {
            session: &self.session,
            pages: &mut self.pages,
            textures: &mut self.textures,
            commands,
        };
        let pressed = self.error_boundaries.draw_page(page.id(), ui, |ui| {
            ui.push_id(page as usize, |ui| match page {
                Page::Start => pages::start::show(ui, &mut cx),
                Page::Experiment => pages::experiment::show(ui, &mut cx),
                Page::Train => pages::train::show(ui, &mut cx),
                Page::Compare => pages::compare::show(ui, &mut cx),
                Page::Predict => pages::predict::show(ui, &mut cx),
                Page::Plugins => pages::plugins::show(ui, &mut cx),
                Page::Learn => pages::learn::show(ui, &mut cx),
            });
        });
        match pressed {
            PressedButton::Nothing => {}
            PressedButton::Reset => self.pages.reset(page),
            PressedButton::Report => commands.push(UiCommand::ReportProblem),
        }
    }

    /// Draws the presenter view. It covers the whole window; if it panics, the pages are shown instead.
    fn draw_presenter(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let page = self.page;
        let mut cx = Cx {
            session: &self.session,
            pages: &mut self.pages,
            textures: &mut self.textures,
            commands,
        };
        let ctx = ui.ctx().clone();
        let drawn = self.error_boundaries.draw_overlay("part-presenter-view", &ctx, || {
            ui.push_id("presenter", |ui| pages::present::show(ui, &mut cx, page));
        });
        if !drawn {
            self.pages.present = Default::default();
        }
    }

    /// Draws dialogs and other parts above the page.
    fn draw_overlays(&mut self, ctx: &Context, commands: &mut Vec<UiCommand>) {
        self.shell.page = self.page;
        self.shell.classifies_folders = self.is_classifying() && self.session.model().is_some();
        let cx = OverlayContext {
            ctx,
            session: &self.session,
            level: self.settings.log,
            textures: &mut self.textures,
            commands,
        };
        let closing = matches!(self.shell.question, Some(Question::Close));
        let mut overlays = Overlays { error_boundaries: &mut self.error_boundaries, cx };
        let answer = self.shell.draw_overlays(&mut overlays);
        if closing && overlays.error_boundaries.has_failed("part-question") {
            // If the question cannot be shown, the window may be closed without it, because closing saves the run.
            self.skip_confirmation.store(true, Ordering::Relaxed);
        }
        let collect = &mut self.shell.collect;
        overlays.draw("part-collecting-images", collect, Collect::show);
        if let Some(question) = answer {
            let result = catch_panic(|| self.execute_answer(ctx, question));
            self.error_boundaries.record_action(result);
        }
    }
}
