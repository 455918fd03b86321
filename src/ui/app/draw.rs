//! Draws the bars, the current page, and everything above it. Each part has its own fence.

use std::sync::atomic::Ordering;

use egui::{CentralPanel, Context, Frame, Margin, Panel, Ui, ViewportCommand};

use super::StudioApp;
use crate::fence::catch_panic;
use crate::ui::command::{Page, UiCommand};
use crate::ui::fence::Pressed;
use crate::ui::pages::{self, Cx};
use crate::ui::shell::{self, Collect, OverlayContext, Overlays, Question};
use crate::ui::theme;
use crate::ui::widgets::figure;

impl StudioApp {
    /// Draws the whole window and executes the commands.
    pub fn draw(&mut self, ui: &mut Ui) {
        self.times.begin();
        self.settings.language.speak();
        let ctx = ui.ctx().clone();
        let ended = catch_panic(|| self.take_keys(&ctx));
        self.fences.record_action(ended);
        let mut commands = Vec::new();
        self.bars(ui, &mut commands);
        let frame = Frame::new()
            .fill(theme::tokens(ui).background)
            .inner_margin(Margin {
                bottom: 0,
                ..Margin::same(12)
            });
        CentralPanel::default().frame(frame).show(ui, |ui| {
            if self.pages.present.on {
                self.presenter(ui, &mut commands);
            } else {
                self.page(ui, &mut commands);
            }
        });
        self.above(&ctx, &mut commands);
        let wishes = figure::take(&ctx).into_iter();
        commands
            .extend(wishes.map(|(wish, figure)| UiCommand::ExportFigure(wish, Box::new(figure))));
        if !commands.is_empty() {
            // Another frame shows the effect of the commands immediately.
            ctx.request_repaint();
        }
        for command in commands {
            let ended = catch_panic(|| self.act(&ctx, command));
            self.fences.record_action(ended);
        }
        self.report_failed_parts();
        if self.full_screen != self.pages.present.on {
            self.full_screen = self.pages.present.on;
            ctx.send_viewport_cmd(ViewportCommand::Fullscreen(self.full_screen));
        }
        self.times.end();
    }

    /// Draws the bars along the edges.
    fn bars(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let mut pressed = Vec::new();
        if !self.pages.present.on {
            let shown = (self.page, &self.settings);
            let (shell, session) = (&mut self.shell, &self.session);
            let place = Panel::top("in place of the top bar");
            pressed.push(self.fences.bar("part-top-bar", ui, place, |ui| {
                shell::top_bar(ui, shown, shell, session, commands);
            }));
        }
        if self.shell.frame_times {
            let place = Panel::bottom("in place of the frame times");
            let times = &self.times;
            pressed.push(self.fences.bar("part-frame-times", ui, place, |ui| {
                shell::frame_line(ui, times);
            }));
        }
        let (shell, session) = (&mut self.shell, &self.session);
        let place = Panel::bottom("in place of the newest notice");
        pressed.push(self.fences.bar("part-newest-notice", ui, place, |ui| {
            shell.news.strip(ui, session, commands);
        }));
        if pressed.contains(&Pressed::Report) {
            commands.push(UiCommand::ReportProblem);
        }
    }

    fn page(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let page = self.page;
        if page == Page::Experiment {
            let now = self.noted.as_ref();
            self.pages.experiment.can_undo = now.is_some_and(|now| self.history.has_undo(now));
        }
        let mut cx = Cx {
            session: &self.session,
            pages: &mut self.pages,
            textures: &mut self.textures,
            commands,
        };
        let pressed = self.fences.page(page.id(), ui, |ui| {
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
            Pressed::Nothing => {}
            Pressed::Reset => self.pages.forget(page),
            Pressed::Report => commands.push(UiCommand::ReportProblem),
        }
    }

    /// Draws the presenter view. It covers the whole window; if it panics, the pages are shown instead.
    fn presenter(&mut self, ui: &mut Ui, commands: &mut Vec<UiCommand>) {
        let page = self.page;
        let mut cx = Cx {
            session: &self.session,
            pages: &mut self.pages,
            textures: &mut self.textures,
            commands,
        };
        let ctx = ui.ctx().clone();
        let drawn = self.fences.above("part-presenter-view", &ctx, || {
            ui.push_id("presenter", |ui| pages::present::show(ui, &mut cx, page));
        });
        if !drawn {
            self.pages.present = Default::default();
        }
    }

    /// Draws dialogs and other parts above the page.
    fn above(&mut self, ctx: &Context, commands: &mut Vec<UiCommand>) {
        self.shell.page = self.page;
        let cx = OverlayContext {
            ctx,
            session: &self.session,
            level: self.settings.log,
            textures: &mut self.textures,
            commands,
        };
        let closing = matches!(self.shell.question, Some(Question::Close));
        let fences = &mut self.fences;
        let mut overlays = Overlays { fences, cx };
        let answered = self.shell.overlays(&mut overlays);
        if closing && overlays.fences.has_failed("part-question") {
            // If the question cannot be shown, the window may be closed without it, because closing saves the run.
            self.leaving.store(true, Ordering::Relaxed);
        }
        let collect = &mut self.shell.collect;
        overlays.draw("part-collecting-images", collect, Collect::show);
        if let Some(question) = answered {
            let ended = catch_panic(|| self.answer(ctx, question));
            self.fences.record_action(ended);
        }
    }
}
