//! Terms explained on hover and click in both languages, and the
//! glossary at the bottom of Learn.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::{recorded_window, save_screenshot, wait_until_idle};

const ACCUMULATION: &str = "θ_off ← α · θ_off + (1 − α) · θ_on";

fn open_page(page: Page, theme: ThemeChoice) -> Harness<'static, StudioApp> {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 1400.0], theme, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().page = page;
    wait_until_idle(&mut window);
    window
}

#[test]
fn term_in_lesson_opens_explanation_on_click() {
    let mut window = open_page(Page::Learn, ThemeChoice::Dark);
    window.get_by_label("Open: Inside LAE").click();
    wait_until_idle(&mut window);
    assert!(window.query_by_label(ACCUMULATION).is_none());
    // The description for screen readers.
    let label = tr!("glossary-term-meaning", term = "offline");
    let term = window.get_by_label(&label);
    let description = term.accesskit_node().description().unwrap_or_default();
    assert!(description.contains("Gao et al., ICCV 2023, §4.2, Eq. 13"), "{description}");
    term.click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "glossary-term");
    window.get_by_label("Gao et al., ICCV 2023, §4.2, Eq. 13");
    window.key_press(Key::Escape);
    wait_until_idle(&mut window);
    let explanation = window.query_by_label("Gao et al., ICCV 2023, §4.2, Eq. 13");
    assert!(explanation.is_none());
}

#[test]
fn hovered_term_is_explained_in_selected_language() {
    let mut window = open_page(Page::Experiment, ThemeChoice::Light);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::SetLanguage(Language::German));
    wait_until_idle(&mut window);
    window.get_by_label("Backbone (Grundnetz): was es bedeutet").hover();
    for _ in 0..6 {
        window.run_steps(4);
        std::thread::sleep(std::time::Duration::from_millis(120));
    }
    save_screenshot(&mut window, "glossary-hover");
    window.get_by_label("Backbone (Grundnetz)");
}

#[test]
fn palette_opens_glossary_and_search_filters_terms() {
    let mut window = open_page(Page::Experiment, ThemeChoice::Light);
    window.key_press_modifiers(Modifiers::COMMAND, Key::K);
    wait_until_idle(&mut window);
    window.event(egui::Event::Text("glossary".into()));
    wait_until_idle(&mut window);
    window.key_press(Key::Enter);
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Learn);
    window.event(egui::Event::Text("moving average".into()));
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "glossary-found");
    let entry_rect = window.get_by_label("α (decay of the moving average)").rect();
    assert!(window.ctx.viewport_rect().contains_rect(entry_rect), "{entry_rect}");
    window.get_by_label(ACCUMULATION);
    assert_absent!(window, "experiment-backbone");
    window.event(egui::Event::Text(" xyz".into()));
    wait_until_idle(&mut window);
    window.get_by_label(tr!("glossary-no-match"));
}
