//! The top bar: the program's name, page tabs, the state of the run, the device, notices and the command palette.

use egui::{Frame, Margin, Panel, Popup, Role, Sense, Ui, Vec2, WidgetInfo};

use super::Shell;
use super::settings::settings_menu;
use crate::session::Session;
use crate::session::run_view::{RunView, Stage};
use crate::session::views::DeviceView;
use crate::session::words::percent;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::settings::Settings;
use crate::ui::theme::{RADIUS, TOP_BAR, regular, semibold, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{at_end, button, chip, faint, icon_button, layout_line, paint_border};

/// Minimum width in points at which everything except the program's name fits.
const WIDE: f32 = 900.0;
/// Minimum width in points at which the program's name fits too.
const NAMED: f32 = 1080.0;
/// Width reserved for a run in progress next to the tabs.
const RUN: f32 = 280.0;
/// Width of the help button or of the settings button, including the gap.
const SIGN: f32 = 38.0;
/// Font size of a chip.
const CHIP: f32 = 12.0;
/// Padding of a tab in points.
const TAB: f32 = 24.0;

/// Draws the top bar while this page is shown.
pub fn top_bar(
    ui: &mut Ui,
    (page, settings): (Page, &Settings),
    shell: &mut Shell,
    session: &Session,
    commands: &mut Vec<UiCommand>,
) {
    let t = tokens(ui);
    let frame = Frame::new()
        .fill(t.panel)
        .inner_margin(Margin::symmetric(14, 0));
    Panel::top("top bar")
        .exact_size(TOP_BAR)
        .frame(frame)
        .show_separator_line(true)
        .show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                let whole = ui.available_width();
                if whole > NAMED {
                    let name = egui::RichText::new("LAE Studio");
                    ui.label(name.font(semibold(13.0)).color(t.strong));
                    ui.add_space(12.0);
                }
                let words = Page::ALL.map(|(page, ..)| width(ui, page.title(), 13.0));
                let tabs: f32 = words.iter().map(|words| words + TAB + 4.0).sum();
                if whole > tabs + RUN {
                    for (tab, ..) in Page::ALL {
                        if page_tab(ui, tab, tab == page) {
                            commands.push(UiCommand::Show(tab));
                        }
                    }
                } else {
                    page_menu(ui, page, commands);
                }
                let room = ui.available_width();
                at_end(ui, |ui| {
                    ui.spacing_mut().item_spacing.x = 10.0;
                    right_end(ui, (shell, settings), session, commands, (whole, room));
                });
            });
        });
}

/// Draws the right end of the bar as far as it fits. `whole` is the width of the bar and `room` the width that the tabs
/// leave. What is omitted is available in the command palette.
fn right_end(
    ui: &mut Ui,
    (shell, settings): (&mut Shell, &Settings),
    session: &Session,
    commands: &mut Vec<UiCommand>,
    (whole, room): (f32, f32),
) {
    let live = session.train.running();
    let menu = room > 300.0;
    // Width of everything except the run's text, including gaps. A run in progress adds two buttons.
    let signs = if live.is_some() { 338.0 } else { 262.0 };
    let signs = signs - if menu { 0.0 } else { 2.0 * SIGN };
    // If the space is too small, these are omitted in this order: the text of the device, the device, most of the run's
    // text, and the button of the palette, which also has a shortcut.
    let (words, shortest) = match live {
        Some(run) => {
            let words = chip_text(run, session.waiting().count(), 0) + &elsewhere(session);
            (words, done_text(run))
        }
        None => (idle_text(session), idle_text(session)),
    };
    let palette = keys::named(ui.ctx(), &keys::PALETTE);
    let has_palette = !menu || room >= signs + width(ui, &shortest, CHIP);
    let signs = match has_palette {
        true => signs,
        false => signs - width(ui, &palette, CHIP) - SIGN,
    };
    let least = signs + width(ui, &words, CHIP);
    let fits = |wide: &bool| room > 400.0 && room >= least + device_width(ui, session, *wide);
    let device = [whole > WIDE, false].into_iter().find(fits);
    let beside = device.map_or(0.0, |wide| device_width(ui, session, wide));
    run_chip(ui, session, commands, room - signs - beside);
    if let Some(wide) = device {
        device_chip(ui, session, commands, wide);
    }
    if menu {
        settings_menu(ui, settings, commands);
    }
    if menu
        && chip(ui, None, "?", tr!("shell-help"))
            .on_hover_text(tr!("shell-help-hint"))
            .clicked()
    {
        commands.push(UiCommand::Help);
    }
    notices_button(ui, shell, session, commands);
    if has_palette
        && chip(ui, None, &palette, tr!("shell-palette"))
            .on_hover_text(tr!("shell-palette-hint"))
            .clicked()
    {
        commands.push(UiCommand::Palette);
    }
}

/// Draws a button with a menu of all pages, if the tabs do not fit.
fn page_menu(ui: &mut Ui, page: Page, commands: &mut Vec<UiCommand>) {
    let menu = button(ui, format!("{} ▾", page.title())).accessible_name(tr!("shell-pages"));
    Popup::menu(&menu).show(|ui| {
        for (tab, ..) in Page::ALL {
            if ui.selectable_label(tab == page, tab.title()).clicked() {
                commands.push(UiCommand::Show(tab));
            }
        }
    });
}

fn page_tab(ui: &mut Ui, page: Page, chosen: bool) -> bool {
    let (t, title) = (tokens(ui), page.title());
    let colour = if chosen { t.strong } else { t.subdued };
    let galley = layout_line(ui, title, regular(13.0), colour);
    let size = Vec2::new(galley.size().x + TAB, 28.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, chosen, title));
    if chosen {
        let fill = if t.is_dark { t.card } else { t.raised };
        ui.painter().rect_filled(rect, RADIUS, fill);
    }
    let focused = response.has_focus();
    if response.hovered() || focused {
        let line = if focused { t.accent } else { t.line };
        paint_border(ui, rect, RADIUS, line);
    }
    ui.painter()
        .galley(rect.center() - galley.size() / 2.0, galley, colour);
    let keys = keys::named(ui.ctx(), &page.shortcut());
    response.on_hover_text(keys).clicked()
}

fn notices_button(ui: &mut Ui, shell: &Shell, session: &Session, commands: &mut Vec<UiCommand>) {
    let unread = shell.news.unread(session.notices.total);
    let name = match unread {
        0 => tr!("shell-notices").to_string(),
        n => tr!("shell-notices-unread", n),
    };
    let response = icon_button(ui, Icon::Bell, &name, 28.0);
    if unread > 0 {
        let at = response.rect.right_top() + Vec2::new(-8.0, 8.0);
        ui.painter().circle_filled(at, 3.5, tokens(ui).warning);
    }
    if response.clicked() {
        commands.push(UiCommand::Notices);
    }
}

fn device_text(session: &Session, wide: bool) -> String {
    if let Some(place) = &session.experiment.place {
        return short(place, 24);
    }
    let wanted = &session.experiment.draft.device;
    let current = session
        .inventory
        .devices
        .iter()
        .find(|device| device.key == *wanted || (wanted == "auto" && device.chosen_by_auto));
    match current {
        Some(device) => {
            let most = if wide { 34 } else { 14 };
            short(&device.title, most)
        }
        None if session.inventory.devices.is_empty() => tr!("shell-device-detecting").to_string(),
        None => short(wanted, 24),
    }
}

fn device_width(ui: &Ui, session: &Session, wide: bool) -> f32 {
    width(ui, &device_text(session, wide), CHIP) + 34.0
}

/// Returns the width of a text in this font size.
fn width(ui: &Ui, text: &str, size: f32) -> f32 {
    let galley = layout_line(ui, text, regular(size), tokens(ui).text);
    galley.size().x
}

fn device_chip(ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>, wide: bool) {
    let chosen = session.experiment.place.as_deref();
    let here = chosen
        .is_none()
        .then_some(session.experiment.draft.device.as_str());
    let text = device_text(session, wide);
    let response =
        chip(ui, None, &text, tr!("shell-device")).on_hover_text(tr!("shell-device-hint"));
    Popup::menu(&response).show(|ui| {
        ui.set_min_width(260.0);
        let auto = ui.selectable_label(here == Some("auto"), tr!("shell-device-auto"));
        if auto.clicked() {
            commands.push(UiCommand::ChooseDevice("auto".into()));
        }
        for device in &session.inventory.devices {
            if ui
                .selectable_label(here == Some(&*device.key), device_line(device))
                .clicked()
            {
                commands.push(UiCommand::ChooseDevice(device.key.clone()));
            }
        }
        place_lines(ui, session, commands);
    });
}

/// Draws a menu line for each place with its state.
fn place_lines(ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>) {
    if session.places.list.is_empty() {
        return;
    }
    if session.places.are_due() {
        commands.push(UiCommand::Load(Box::new(Session::request_places)));
    }
    ui.separator();
    for view in &session.places.list {
        let name = &view.place.name;
        let chosen = session.experiment.place.as_ref() == Some(name);
        let line = ui.selectable_label(chosen, format!("{name} · {}", short(&view.line(), 70)));
        let line = match view.answers.problem() {
            Some(problem) => line.on_hover_text(problem.said().to_string()),
            None => line.on_hover_text(tr!("shell-device-place")),
        };
        if line.clicked() {
            let name = name.clone();
            commands.push(UiCommand::change(move |session| {
                session.choose_place(Some(name));
            }));
        }
    }
    faint(ui, tr!("shell-places-note"));
}

fn device_line(device: &DeviceView) -> String {
    if device.kind.is_empty() {
        device.title.clone()
    } else {
        format!("{} · {}", device.title, device.kind)
    }
}

/// Returns the text cut to `most` characters; an ellipsis replaces the end if it is cut.
fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Draws the state of the current run, with as many words as fit in `room`.
fn run_chip(ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>, room: f32) {
    let t = tokens(ui);
    let Some(run) = session.train.live.as_ref() else {
        let text = idle_text(session);
        if chip(ui, Some(t.subdued), &text, tr!("shell-run-idle")).clicked() {
            commands.push(UiCommand::Show(Page::Train));
        }
        return;
    };
    let colour = match run.stage {
        Stage::Running | Stage::Finished => t.good,
        Stage::Paused | Stage::Stopped => t.warning,
        Stage::Failed => t.bad,
    };
    let waiting = session.waiting().count();
    let away = elsewhere(session);
    let mut texts = [30, 18, 0]
        .into_iter()
        .map(|most| chip_text(run, waiting, most) + &away);
    let fitting = texts.find(|text| width(ui, text, CHIP) <= room);
    let text = fitting.unwrap_or_else(|| done_text(run));
    let name = tr!("shell-run-progress", told = text.as_str());
    if chip(ui, Some(colour), &text, &name).clicked() {
        commands.push(UiCommand::change_on(Page::Train, Session::close_opened));
    }
    if run.stage.is_live() {
        let (icon, name) = if run.stage == Stage::Paused {
            (Icon::Play, tr!("shell-resume-run"))
        } else {
            (Icon::Pause, tr!("shell-pause-run"))
        };
        if icon_button(ui, icon, name, 24.0).clicked() {
            commands.push(UiCommand::PauseOrResume);
        }
        if icon_button(ui, Icon::Stop, tr!("shell-stop-run"), 24.0).clicked() {
            commands.push(UiCommand::Stop);
        }
    }
}

/// Returns a text that says that no run is in progress, with the number of waiting runs and of runs at places.
fn idle_text(session: &Session) -> String {
    let text = match session.waiting().count() {
        0 => tr!("shell-idle").to_string(),
        waiting => tr!("shell-idle-runs-waiting", n = waiting),
    };
    text + &elsewhere(session)
}

/// Returns a text with the number of runs in progress at places; empty if there are none.
fn elsewhere(session: &Session) -> String {
    let places = session.train.places.values();
    match places.filter(|at| at.running().is_some()).count() {
        0 => String::new(),
        runs => format!(" · {}", tr!("shell-runs-elsewhere", n = runs)),
    }
}

/// Returns the progress of the run as text.
fn done_text(run: &RunView) -> String {
    let share = percent(run.done(), 0);
    match run.stage {
        Stage::Running => share,
        Stage::Paused => format!("{} · {share}", tr!("shell-paused")),
        stage => stage.word().to_string(),
    }
}

/// Returns title, task and share of the run, and the number of waiting runs. The title has at most `most` characters.
fn chip_text(run: &RunView, waiting: usize, most: usize) -> String {
    let mut text = match most {
        0 => String::new(),
        most => format!("{} · ", short(&run.title, most)),
    };
    if let (Some(task), Stage::Running) = (run.task_now(), run.stage) {
        text += &tr!("shell-task-of-tasks", task = task + 1, tasks = run.tasks());
        text += " · ";
    }
    text.push_str(&done_text(run));
    if waiting > 0 {
        text += &format!(" · {}", tr!("shell-runs-waiting", n = waiting));
    }
    text
}
