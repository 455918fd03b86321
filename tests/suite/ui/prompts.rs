//! The study of DualPrompt's prompts on Train: shown only if the run has one.

use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Expert, SlotCounts};
use lae_studio::run::event::{Event, MethodFacts, RunHeader, TaskReport};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// The report after a task: half of the images choose their slot, and 30 of 90 are correct.
fn report_with_slots(task: usize) -> TaskReport {
    let slots = (0..=task).map(|slot| {
        let mut counts = SlotCounts::zeros(task + 1);
        counts.images = 90;
        counts.chosen[slot] = 45;
        counts.right = vec![30; task + 1];
        counts
    });
    let mut report = report(task);
    let predictions = report.answers.given.remove(&Expert::ENSEMBLE).unwrap();
    report.answers.given = [(Expert::ANSWER, predictions)].into();
    report.slots = slots.collect();
    report
}

fn dualprompt_header() -> RunHeader {
    RunHeader {
        method: MethodFacts {
            title: "DualPrompt".into(),
            variant: Vec::new(),
            experts: vec![Expert::ANSWER],
            uses_pet: false,
            pet_sized: Some(true),
            seeded: Some(true),
            scores: None,
        },
        ..header()
    }
}

#[test]
fn prompt_study_needs_slots_of_every_task() {
    let runs = tempfile::tempdir().unwrap();
    for with_study in [true, false] {
        let size = [1280.0, 1900.0];
        let (mut window, backend) = recorded_window(size, ThemeChoice::Dark, runs.path());
        wait_until_idle(&mut window);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
        let header = dualprompt_header();
        let run = header.run.clone();
        backend.push(Event::Started(Box::new(header)));
        for task in 0..5 {
            let mut report = report_with_slots(task);
            if !with_study && task == 2 {
                report.slots.clear();
            }
            let (run, report) = (run.clone(), Box::new(report));
            backend.push(Event::TaskEvaluated { run, report });
        }
        wait_until_idle(&mut window);
        let is_shown = window.query_by_label(tr!("train-prompts-name")).is_some();
        assert_eq!(is_shown, with_study);
        if with_study {
            // Five slots: all tasks, their mean, and five tasks.
            assert_eq!(window.get_all_by_label("33.3").count(), 5 * 7);
            save_screenshot(&mut window, "prompts");
        }
    }
}
