//! Advice for runs with a poor backbone, and figures for every expert.

use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::{Event, NEAREST_MEAN, RunHeader};
use lae_studio::store::RunFolder;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{RUN, events, header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// Stores a run whose backbone alone has this accuracy.
fn store_run(root: &std::path::Path, share: f64) -> RunHeader {
    let mut header = header();
    let folder = RunFolder::create(root, &mut header, "").unwrap();
    for task in 0..5 {
        let mut report = report(task);
        if task == 4 {
            report.measurements.insert(NEAREST_MEAN.into(), share);
        }
        folder.save_task(&report, &Default::default()).unwrap();
    }
    folder.finish(false).unwrap();
    header
}

#[test]
fn poor_backbone_is_reported_with_better_alternative() {
    for (share, is_reported) in [(0.41, true), (0.8, false)] {
        let runs = tempfile::tempdir().unwrap();
        let header = store_run(runs.path(), share);
        let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
        wait_until_idle(&mut window);
        let session = &mut window.state_mut().session;
        session.open_run(header.folder.clone());
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
        wait_until_idle(&mut window);
        assert_eq!(shows!(window, "session-backbone-separates-poorly"), is_reported);
        if !is_reported {
            assert!(window.query_by_label("Use ViT-B/16").is_none());
            continue;
        }
        assert!(shows!(window, "session-backbone-separates-poorly", share = "41\u{a0}%"));
        save_screenshot(&mut window, "advice");
        window.get_by_label("Use ViT-B/16").click();
        wait_until_idle(&mut window);
        let draft = &window.state().session.experiment.draft;
        assert_eq!(
            (draft.backbone.as_str(), draft.data.as_str()),
            ("vit_base_patch16_224.orig_in21k", "digits")
        );
    }
}

#[test]
fn figures_are_available_for_every_expert() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    for event in events(4) {
        backend.push(event);
    }
    wait_until_idle(&mut window);
    let live = window.state().session.train.live.clone().unwrap();
    let points = |expert| live.expert_history(expert).forgetting().unwrap() * 100.0;
    use lae_studio::metrics::Expert;
    window.get_by_label(&format!(
        "online {:.1}, offline {:.1}",
        points(Expert::ONLINE),
        points(Expert::OFFLINE)
    ));
    window.get_by_label(tr!("figure-losses"));
    save_screenshot(&mut window, "experts-ensemble");
    window.get_by_label(tr!("train-smooth")).click();
    let choice = window.get_by_role_and_label(egui::Role::Button, tr!("compare-offline"));
    choice.click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "experts-offline");
    let selected = window.get_by_role_and_label(egui::Role::Button, tr!("compare-offline"));
    assert_eq!(selected.accesskit_node().toggled(), Some(egui::accesskit::Toggled::True));
    backend.push(Event::Stopped { run: RUN.into() });
}

#[test]
fn run_opens_with_expert_of_its_predictions() {
    use lae_studio::metrics::Expert;
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    // A Baseline run has only the online expert.
    let mut baseline = header();
    (baseline.run, baseline.folder) = ("first".into(), "/nowhere/first".into());
    baseline.method.experts = vec![Expert::ONLINE];
    let mut online_report = report(0);
    for expert in [Expert::OFFLINE, Expert::ENSEMBLE] {
        online_report.answers.given.remove(&expert);
    }
    backend.push(Event::Started(Box::new(baseline)));
    let (run, report) = ("first".to_string(), Box::new(online_report));
    backend.push(Event::TaskEvaluated { run, report });
    let run = "first".into();
    backend.push(Event::Finished { run });
    wait_until_idle(&mut window);
    events(4).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    let is_selected = |expert: Expert| {
        let choice = window.get_by_role_and_label(egui::Role::Button, expert.key());
        choice.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True)
    };
    let experts = [Expert::ONLINE, Expert::OFFLINE, Expert::ENSEMBLE];
    assert_eq!(experts.map(is_selected), [false, false, true]);
}
