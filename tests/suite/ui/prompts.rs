//! The study of DualPrompt's prompts on Train: shown only if the run has one.

use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Expert, SlotCounts};
use lae_studio::run::event::{Event, MethodFacts, RunHeader, TaskReport};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded, settle, shot};

/// The report after a task: half of the images choose their slot, and 30 of 90 are correct.
fn report_with_slots(task: usize) -> TaskReport {
    let slots = (0..=task).map(|of| {
        let mut counts = SlotCounts::none(task + 1);
        counts.images = 90;
        counts.chosen[of] = 45;
        counts.right = vec![30; task + 1];
        counts
    });
    let mut report = report(task);
    let given = report.answers.given.remove(&Expert::ENSEMBLE).unwrap();
    report.answers.given = [(Expert::ANSWER, given)].into();
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
        let (mut window, backend) = recorded(size, ThemeChoice::Dark, runs.path());
        settle(&mut window);
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
        settle(&mut window);
        let told = window.query_by_label(tr!("train-prompts-name")).is_some();
        assert_eq!(told, with_study);
        if with_study {
            // Five slots: all tasks, their mean, and five tasks.
            assert_eq!(window.get_all_by_label("33.3").count(), 5 * 7);
            shot(&mut window, "prompts");
        }
    }
}
