//! The top bar: the program's name, page tabs, the state of the run, the device, notices and the command palette.

use egui::{Frame, Margin, Panel, Popup, Role, Sense, Ui, Vec2, WidgetInfo};

use super::Shell;
use super::settings::settings_menu;
use crate::session::Session;
use crate::session::formatting::format_percent;
use crate::session::run_view::{RunView, Stage};
use crate::session::views::DeviceView;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::keys;
use crate::ui::settings::Settings;
use crate::ui::theme::{RADIUS, TOP_BAR_HEIGHT, regular, semibold, tokens};
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{at_end, button, chip, faint, icon_button, layout_line, paint_border};

/// Minimum width in points at which everything except the program's name fits.
const MIN_FULL_WIDTH: f32 = 900.0;
/// Minimum width in points at which the program's name fits too.
const MIN_NAME_WIDTH: f32 = 1080.0;
/// Width reserved for a run in progress next to the tabs.
const RUN_WIDTH: f32 = 280.0;
/// Width of the help button or of the settings button, including the gap.
const BUTTON_WIDTH: f32 = 38.0;
/// Font size of a chip.
const CHIP_FONT_SIZE: f32 = 12.0;
/// Padding of a tab in points.
const TAB_PADDING: f32 = 24.0;

/// Draws the top bar while this page is shown.
pub fn top_bar(
    ui: &mut Ui,
    (page, settings): (Page, &Settings),
    shell: &mut Shell,
    session: &Session,
    commands: &mut Vec<UiCommand>,
) {
    let t = tokens(ui);
    let frame = Frame::new().fill(t.panel).inner_margin(Margin::symmetric(14, 0));
    Panel::top("top bar").exact_size(TOP_BAR_HEIGHT).frame(frame).show_separator_line(true).show(
        ui,
        |ui| {
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                let bar_width = ui.available_width();
                if bar_width > MIN_NAME_WIDTH {
                    let name = egui::RichText::new("LAE Studio");
                    ui.label(name.font(semibold(13.0)).color(t.strong));
                    ui.add_space(12.0);
                }
                let widths = Page::ALL.map(|(page, ..)| width(ui, page.title(), 13.0));
                let tabs: f32 =
                    widths.iter().map(|text_width| text_width + TAB_PADDING + 4.0).sum();
                if bar_width > tabs + RUN_WIDTH {
                    for (tab, ..) in Page::ALL {
                        if page_tab(ui, tab, tab == page) {
                            commands.push(UiCommand::Show(tab));
                        }
                    }
                } else {
                    page_menu(ui, page, commands);
                }
                let available = ui.available_width();
                at_end(ui, |ui| {
                    ui.spacing_mut().item_spacing.x = 10.0;
                    right_end(ui, (shell, settings), session, commands, (bar_width, available));
                });
            });
        },
    );
}

/// Draws the right end of the bar as far as it fits. `bar_width` is the width of the bar and `available` what the tabs
/// leave. What is omitted is available in the command palette.
fn right_end(
    ui: &mut Ui,
    (shell, settings): (&mut Shell, &Settings),
    session: &Session,
    commands: &mut Vec<UiCommand>,
    (bar_width, available): (f32, f32),
) {
    let live = session.train.running();
    let has_menu = available > 300.0;
    // Width of everything except the run's text, including gaps. A run in progress adds two buttons.
    let buttons_width = if live.is_some() { 338.0 } else { 262.0 };
    let buttons_width = buttons_width - if has_menu { 0.0 } else { 2.0 * BUTTON_WIDTH };
    // If the space is too small, these are omitted in this order: the text of the device, the device, most of the run's
    // text, and the button of the palette, which also has a shortcut.
    let (text, shortest) = match live {
        Some(run) => {
            let text = chip_text(run, session.waiting().count(), 0) + &remote_runs_text(session);
            (text, progress_text(run))
        }
        None => (idle_text(session), idle_text(session)),
    };
    let palette = keys::format_shortcut(ui.ctx(), &keys::PALETTE);
    let has_palette =
        !has_menu || available >= buttons_width + width(ui, &shortest, CHIP_FONT_SIZE);
    let buttons_width = match has_palette {
        true => buttons_width,
        false => buttons_width - width(ui, &palette, CHIP_FONT_SIZE) - BUTTON_WIDTH,
    };
    let min_width = buttons_width + width(ui, &text, CHIP_FONT_SIZE);
    let fits = |wide: &bool| {
        available > 400.0 && available >= min_width + device_width(ui, session, *wide)
    };
    let device = [bar_width > MIN_FULL_WIDTH, false].into_iter().find(fits);
    let device_space = device.map_or(0.0, |wide| device_width(ui, session, wide));
    run_chip(ui, session, commands, available - buttons_width - device_space);
    if let Some(wide) = device {
        device_chip(ui, session, commands, wide);
    }
    if has_menu {
        settings_menu(ui, settings, commands);
    }
    if has_menu
        && chip(ui, None, "?", tr!("shell-help")).on_hover_text(tr!("shell-help-hint")).clicked()
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

fn page_tab(ui: &mut Ui, page: Page, selected: bool) -> bool {
    let (t, title) = (tokens(ui), page.title());
    let colour = if selected { t.strong } else { t.subdued };
    let galley = layout_line(ui, title, regular(13.0), colour);
    let size = Vec2::new(galley.size().x + TAB_PADDING, 28.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, selected, title));
    if selected {
        let fill = if t.is_dark { t.card } else { t.raised };
        ui.painter().rect_filled(rect, RADIUS, fill);
    }
    let focused = response.has_focus();
    if response.hovered() || focused {
        let border = if focused { t.accent } else { t.line };
        paint_border(ui, rect, RADIUS, border);
    }
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, colour);
    let keys = keys::format_shortcut(ui.ctx(), &page.shortcut());
    response.on_hover_text(keys).clicked()
}

fn notices_button(ui: &mut Ui, shell: &Shell, session: &Session, commands: &mut Vec<UiCommand>) {
    let unread = shell.notices.unread(session.notices.total);
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
    if let Some(place) = &session.experiment.machine {
        return truncate(place, 24);
    }
    let wanted = &session.experiment.draft.device;
    let current = session
        .inventory
        .devices
        .iter()
        .find(|device| device.key == *wanted || (wanted == "auto" && device.chosen_by_auto));
    match current {
        Some(device) => {
            let max_chars = if wide { 34 } else { 14 };
            truncate(&device.title, max_chars)
        }
        None if session.inventory.devices.is_empty() => tr!("shell-device-detecting").to_string(),
        None => truncate(wanted, 24),
    }
}

fn device_width(ui: &Ui, session: &Session, wide: bool) -> f32 {
    width(ui, &device_text(session, wide), CHIP_FONT_SIZE) + 34.0
}

/// Returns the width of a text in this font size.
fn width(ui: &Ui, text: &str, size: f32) -> f32 {
    let galley = layout_line(ui, text, regular(size), tokens(ui).text);
    galley.size().x
}

fn device_chip(ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>, wide: bool) {
    let place = session.experiment.machine.as_deref();
    let local_device = place.is_none().then_some(session.experiment.draft.device.as_str());
    let text = device_text(session, wide);
    let name = tr!("entries-device", device = device_text(session, true));
    let response = chip(ui, None, &text, &name).on_hover_text(tr!("shell-device-hint"));
    Popup::menu(&response).show(|ui| {
        ui.set_min_width(260.0);
        let auto = ui.selectable_label(local_device == Some("auto"), tr!("shell-device-auto"));
        if auto.clicked() {
            commands.push(UiCommand::ChooseDevice("auto".into()));
        }
        for device in &session.inventory.devices {
            if ui
                .selectable_label(local_device == Some(&*device.key), device_label(device))
                .clicked()
            {
                commands.push(UiCommand::ChooseDevice(device.key.clone()));
            }
        }
        place_rows(ui, session, commands);
    });
}

/// Draws a menu line for each place with its state.
fn place_rows(ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>) {
    if session.machines.list.is_empty() {
        return;
    }
    if session.machines.need_query() {
        commands.push(UiCommand::Load(Box::new(Session::query_machines)));
    }
    ui.separator();
    for view in &session.machines.list {
        let name = &view.machine.name;
        let chosen = session.experiment.machine.as_ref() == Some(name);
        let response =
            ui.selectable_label(chosen, format!("{name} · {}", truncate(&view.summary(), 70)));
        let response = match view.answers.problem() {
            Some(problem) => response.on_hover_text(problem.translated().to_string()),
            None => response.on_hover_text(tr!("shell-device-place")),
        };
        if response.clicked() {
            let name = name.clone();
            commands.push(UiCommand::change(move |session| {
                session.select_machine(Some(name));
            }));
        }
    }
    faint(ui, tr!("shell-places-note"));
}

fn device_label(device: &DeviceView) -> String {
    if device.kind.is_empty() {
        device.title.clone()
    } else {
        format!("{} · {}", device.title, device.kind)
    }
}

/// Returns the text cut to `max_chars` characters; an ellipsis replaces the end if it is cut.
fn truncate(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_string();
    }
    let start: String = text.chars().take(max_chars - 1).collect();
    format!("{}…", start.trim_end())
}

/// Draws the state of the current run, with as many words as fit in `available`.
fn run_chip(ui: &mut Ui, session: &Session, commands: &mut Vec<UiCommand>, available: f32) {
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
    let remote_runs = remote_runs_text(session);
    let mut texts =
        [30, 18, 0].into_iter().map(|max_chars| chip_text(run, waiting, max_chars) + &remote_runs);
    let fitting = texts.find(|text| width(ui, text, CHIP_FONT_SIZE) <= available);
    let text = fitting.unwrap_or_else(|| progress_text(run));
    let name = tr!("shell-run-progress", told = text.as_str());
    if chip(ui, Some(colour), &text, &name).clicked() {
        commands.push(UiCommand::change_on(Page::Train, Session::close_opened_run));
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
    text + &remote_runs_text(session)
}

/// Returns a text with the number of runs in progress at places; empty if there are none.
fn remote_runs_text(session: &Session) -> String {
    let places = session.train.machines.values();
    match places.filter(|at| at.running().is_some()).count() {
        0 => String::new(),
        runs => format!(" · {}", tr!("shell-runs-elsewhere", n = runs)),
    }
}

/// Returns the progress of the run as text.
fn progress_text(run: &RunView) -> String {
    let share = format_percent(run.finished_share(), 0);
    match run.stage {
        Stage::Running => share,
        Stage::Paused => format!("{} · {share}", tr!("shell-paused")),
        stage => stage.label().to_string(),
    }
}

/// Returns title, task and share of the run, and the number of waiting runs. The title is cut to `max_chars`.
fn chip_text(run: &RunView, waiting: usize, max_chars: usize) -> String {
    let mut text = match max_chars {
        0 => String::new(),
        max_chars => format!("{} · ", truncate(&run.title, max_chars)),
    };
    if let (Some(task), Stage::Running) = (run.current_task(), run.stage) {
        text += &tr!("shell-task-of-tasks", task = task + 1, tasks = run.tasks());
        text += " · ";
    }
    text.push_str(&progress_text(run));
    if waiting > 0 {
        text += &format!(" · {}", tr!("shell-runs-waiting", n = waiting));
    }
    text
}
