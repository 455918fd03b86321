//! Ready-made set-ups: the two demos, and the paper's experiments.

use crate::run::config::{MethodName, RunConfig};

/// A ready-made set-up.
#[derive(Clone, Debug)]
pub struct Preset {
    /// What it is called.
    pub title: &'static str,
    /// A word about it.
    pub hint: &'static str,
    /// The runs it stands for, in order.
    pub runs: Vec<RunConfig>,
    /// Whether it begins at once.
    pub starts: bool,
}

/// All presets, in the order they are offered.
pub fn presets() -> Vec<Preset> {
    let digits = RunConfig::default();
    let letters = RunConfig {
        data: "letters".into(),
        classes_per_task: "6,5,5,5,5".into(),
        ..RunConfig::default()
    };
    let preset = |title, hint, runs, starts| Preset {
        title,
        hint,
        runs,
        starts,
    };
    vec![
        preset(
            "Quick demo: Digits",
            "a minute, offline",
            vec![digits.clone()],
            false,
        ),
        preset("Letters", "26 classes in 5 tasks", vec![letters], false),
        preset(
            "See forgetting",
            "LAE, then Baseline beside it",
            vec![digits.clone(), baseline(&digits)],
            true,
        ),
        preset(
            "Paper: CIFAR-100, 10 tasks",
            "needs data",
            vec![paper("10", 5, 3, 0.03)],
            false,
        ),
        preset(
            "Paper: ImageNet-R, 10 tasks",
            "needs data",
            vec![paper("20", 50, 30, 0.005)],
            false,
        ),
    ]
}

/// The same settings with nothing of LAE at work.
pub fn baseline(config: &RunConfig) -> RunConfig {
    RunConfig {
        method: MethodName::Baseline,
        ..config.clone()
    }
}

/// The paper's settings; the data is for the person to point at.
fn paper(classes_per_task: &str, epochs: usize, freeze_epochs: usize, base_lr: f64) -> RunConfig {
    RunConfig {
        data: String::new(),
        backbone: "vit_base_patch16_224.augreg_in21k".into(),
        classes_per_task: classes_per_task.into(),
        epochs,
        freeze_epochs,
        base_lr,
        ema: 0.9999,
        crop_scale: [0.08, 1.0],
        flip: true,
        ..RunConfig::default()
    }
}

/// Whether settings are those of a preset, wherever the data lies and whatever device works.
pub fn matches(preset: &RunConfig, config: &RunConfig) -> bool {
    let mut same = config.clone();
    same.device.clone_from(&preset.device);
    if preset.data.is_empty() {
        same.data.clear();
    }
    same == *preset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_sound_and_recognised() {
        let all = presets();
        for preset in &all {
            for run in &preset.runs {
                let problems = run.validate();
                let only_data = problems.iter().all(|p| p.place == "--data");
                assert!(only_data, "{}: {problems:?}", preset.title);
            }
        }
        let mut config = all[3].runs[0].clone();
        config.data = "cifar".into();
        assert!(matches(&all[3].runs[0], &config));
        assert!(!matches(&all[0].runs[0], &config));
    }
}
