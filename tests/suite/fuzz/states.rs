//! Snapshots and checkpoints as each method reads them: a stopped run resumes from a mutated
//! checkpoint, and a mutated snapshot classifies an image.

use std::path::Path;
use std::sync::OnceLock;

use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::method::METHODS;
use lae_studio::run::config::Setting;
use lae_studio::run::event::{Control, ControlRequest, Event, Phase, Picture, Sink};

use super::bytes::Dice;
use super::headers::{joined, split, vary_header};
use super::{Case, Target, case_of, fuzz};
use crate::data::Made;

/// Stops a run in the second task.
struct StopInSecond(Control);

impl Sink for StopInSecond {
    fn event(&mut self, event: Event) {
        if let Event::Phase { phase, .. } = event
            && matches!(
                phase,
                Phase::Training { task: 1, .. } | Phase::Measuring { task: 1 }
            )
        {
            self.0.set(ControlRequest::Stop);
        }
    }
}

struct States {
    /// Four classes of a few drawings.
    data: Made,
    cache: ResourceCache,
    /// A stopped run of each method, made when it is first wanted.
    made: [OnceLock<Option<Case>>; METHODS.len()],
}

impl States {
    /// The folder of a stopped run of this method; `None` if the method has a single task.
    fn stopped(&self, method: usize) -> Option<&Case> {
        let make = || {
            let mut config = crate::methods::config_of(METHODS[method]);
            config.data = self.data.path().to_str().unwrap().into();
            config.classes_per_task = "2".into();
            (config.epochs, config.train_limit, config.test_limit) = (1, Some(2), Some(1));
            if let Some(frozen) = config.settings.get_mut("freeze_epochs") {
                *frozen = Setting::Whole(0);
            }
            let root = tempfile::tempdir().unwrap();
            let control = Control::default();
            let mut sink = StopInSecond(control.clone());
            let ended = experiment::train(&config, root.path(), &self.cache, &mut sink, &control);
            let Ok(Outcome::Stopped(header)) = ended else {
                return None;
            };
            Some(case_of(&header.folder))
        };
        self.made[method].get_or_init(make).as_ref()
    }
}

const SNAPSHOT: &str = "task_1.safetensors";
const CHECKPOINT: &str = "resume/checkpoint.safetensors";

impl Target for States {
    const NAME: &'static str = "states";

    fn valid(&self) -> Vec<Case> {
        vec![self.stopped(0).unwrap().clone()]
    }

    fn vary(&self, _: &[Case], dice: &mut Dice) -> Case {
        let mut case = loop {
            if let Some(case) = self.stopped(dice.below(METHODS.len())) {
                break case.clone();
            }
        };
        let name = *dice.one_of(&[SNAPSHOT, CHECKPOINT]);
        let bytes = &case[name];
        let varied = match dice.one_in(4) {
            true => numbers(bytes, dice),
            false => vary_header(
                bytes,
                dice,
                &[
                    b"online.",
                    b"offline.",
                    b"head",
                    b"epochs_done\":\"",
                    b"task\":\"",
                    b"counter.",
                    b"moment",
                    b"step",
                ],
            ),
        };
        case.insert(name.into(), varied);
        case
    }

    fn read(&self, folder: &Path) -> bool {
        let picture = Picture {
            name: "grey".into(),
            width: 8,
            height: 8,
            rgb: vec![99; 192],
        };
        let asked = Predictor::open(folder, 0, Some("cpu"), &self.cache, false)
            .and_then(|predictor| predictor.predict(&picture));
        let control = Control::default();
        let ended = experiment::resume(folder, &self.cache, &mut Vec::new(), &control);
        asked.is_ok() && ended.is_ok()
    }

    fn leaves(&self) -> &'static [&'static str] {
        &[
            "lock",
            "state.safetensors",
            "task_2",
            "prompts",
            "confusion",
            "metrics",
            "resume",
        ]
    }
}

/// Other numbers behind the same header, infinite ones among them.
fn numbers(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let (header, mut data) = split(bytes);
    for _ in 0..1 + dice.below(64) {
        let at = dice.below(data.len() / 4) * 4;
        let odd = [
            f32::NAN,
            f32::INFINITY,
            -f32::MAX,
            f32::MIN_POSITIVE,
            1e20,
            0.0,
        ][dice.below(6)];
        if let Some(field) = data.get_mut(at..at + 4) {
            field.copy_from_slice(&odd.to_le_bytes());
        }
    }
    joined(&header, data)
}

#[test]
fn fuzz_states() {
    let data = crate::teach::letters("ABCD", 4);
    fuzz(States {
        data,
        cache: ResourceCache::default(),
        made: Default::default(),
    });
}
