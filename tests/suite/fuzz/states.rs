//! Snapshots and checkpoints as each method reads them: a stopped run resumes from a mutated
//! checkpoint, and a mutated snapshot classifies an image.

use std::path::Path;
use std::sync::OnceLock;

use lae_studio::experiment::predict::Predictor;
use lae_studio::experiment::{self, Outcome, ResourceCache};
use lae_studio::method::METHODS;
use lae_studio::run::config::Setting;
use lae_studio::run::event::{Control, ControlRequest, Event, NamedImage, Phase, Sink};

use super::bytes::Dice;
use super::headers::{join_header, split_header, vary_header};
use super::{Case, Target, fuzz, read_case};
use crate::data::DatasetFixture;

/// Stops a run in the second task.
struct StopInSecond(Control);

impl Sink for StopInSecond {
    fn event(&mut self, event: Event) {
        if let Event::Phase { phase, .. } = event
            && matches!(phase, Phase::Training { task: 1, .. } | Phase::Measuring { task: 1 })
        {
            self.0.set(ControlRequest::Stop);
        }
    }
}

struct States {
    /// Four classes of a few drawings.
    data: DatasetFixture,
    cache: ResourceCache,
    /// A stopped run of each method, created on first use.
    runs: [OnceLock<Option<Case>>; METHODS.len()],
}

impl States {
    /// The folder of a stopped run of this method; `None` if the method has a single task.
    fn stopped_run(&self, method: usize) -> Option<&Case> {
        let make = || {
            let mut config = crate::methods::quick_config(METHODS[method]);
            config.data = self.data.path().to_str().unwrap().into();
            config.classes_per_task = "2".into();
            (config.epochs, config.train_limit, config.test_limit) = (1, Some(2), Some(1));
            if let Some(frozen) = config.settings.get_mut("freeze_epochs") {
                *frozen = Setting::Whole(0);
            }
            let root = tempfile::tempdir().unwrap();
            let control = Control::default();
            let mut sink = StopInSecond(control.clone());
            let outcome = experiment::train(&config, root.path(), &self.cache, &mut sink, &control);
            let Ok(Outcome::Stopped(header)) = outcome else {
                return None;
            };
            Some(read_case(&header.folder))
        };
        self.runs[method].get_or_init(make).as_ref()
    }
}

const SNAPSHOT: &str = "task_1.safetensors";
const CHECKPOINT: &str = "resume/checkpoint.safetensors";

impl Target for States {
    const NAME: &'static str = "states";

    fn valid_cases(&self) -> Vec<Case> {
        vec![self.stopped_run(0).unwrap().clone()]
    }

    fn generate(&self, _: &[Case], dice: &mut Dice) -> Case {
        let mut case = loop {
            if let Some(case) = self.stopped_run(dice.below(METHODS.len())) {
                break case.clone();
            }
        };
        let name = *dice.choose(&[SNAPSHOT, CHECKPOINT]);
        let bytes = &case[name];
        let varied = match dice.one_in(4) {
            true => mutate_values(bytes, dice),
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
        let picture = NamedImage { name: "grey".into(), width: 8, height: 8, rgb: vec![99; 192] };
        let prediction = Predictor::open(folder, 0, Some("cpu"), &self.cache, false)
            .and_then(|predictor| predictor.predict(&picture));
        let control = Control::default();
        let resumed = experiment::resume(folder, &self.cache, &mut Vec::new(), &control);
        prediction.is_ok() && resumed.is_ok()
    }

    fn allowed_leftovers(&self) -> &'static [&'static str] {
        &["lock", "state.safetensors", "task_2", "prompts", "confusion", "metrics", "resume"]
    }
}

/// Other numbers behind the same header, infinite ones among them.
fn mutate_values(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let (header, mut data) = split_header(bytes);
    for _ in 0..1 + dice.below(64) {
        let at = dice.below(data.len() / 4) * 4;
        let value =
            [f32::NAN, f32::INFINITY, -f32::MAX, f32::MIN_POSITIVE, 1e20, 0.0][dice.below(6)];
        if let Some(field) = data.get_mut(at..at + 4) {
            field.copy_from_slice(&value.to_le_bytes());
        }
    }
    join_header(&header, data)
}

#[test]
fn fuzz_states() {
    let data = crate::teach::letters("ABCD", 4);
    fuzz(States { data, cache: ResourceCache::default(), runs: Default::default() });
}
