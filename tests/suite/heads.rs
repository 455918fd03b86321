//! Heads of methods can be changed by a wrapper after each task, without a change of the method.

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use lae_studio::backbone::architecture::Architecture;
use lae_studio::backbone::vit;
use lae_studio::method::{
    self, Answer, Batch, CancelToken, ConfiguredMethod, Features, Heads, METHODS, Method, Pass,
    PetPlan, Setup, State, Task,
};
use lae_studio::pet::library::PluginLibrary;
use lae_studio::pet::{Init, PetSettings};
use lae_studio::problem::Result;

const SIDE: usize = 16;
const TASKS: [Range<usize>; 2] = [0..2, 2..4];

/// Wraps a method and normalises its heads when a task ends (weight aligning).
struct Aligned(Box<dyn Method>);

impl Method for Aligned {
    fn trained_parameters(&self) -> usize {
        self.0.trained_parameters()
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.0.begin_task(task)
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        self.0.learn(batch, pass)
    }

    fn end_pass(&mut self, pass: usize, cancel: &mut CancelToken<'_>) -> Result<()> {
        self.0.end_pass(pass, cancel)
    }

    fn end_task(&mut self, cancel: &mut CancelToken<'_>) -> Result<()> {
        self.0.end_task(cancel)?;
        if let Some(heads) = self.0.heads_mut() {
            for head in &mut heads.0 {
                let norm = head.weight.clone().powi_scalar(2).sum().sqrt();
                head.weight = head.weight.clone() / norm.unsqueeze::<2>();
            }
        }
        Ok(())
    }

    fn features(&self, images: Tensor<4>) -> Result<Features> {
        self.0.features(images)
    }

    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        self.0.classify(features)
    }

    fn heads_mut(&mut self) -> Option<&mut Heads> {
        self.0.heads_mut()
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        self.0.sync_state(state)
    }
}

fn build_method(key: &str) -> Box<dyn Method> {
    let spec = METHODS.iter().find(|spec| spec.key == key).unwrap();
    let config = crate::methods::quick_config(spec);
    let trains_pet = ConfiguredMethod::from_config(&config).unwrap().trains_pet().unwrap();
    let pet = trains_pet.then(|| {
        PetPlan::with_settings(
            PluginLibrary::with_folders(Vec::new()).get("adapter").unwrap(),
            PetSettings::with_size(2),
            vec![0, 1],
        )
    });
    let network = Architecture::new(vit::Config::new(SIDE, 8, 16, 6, 2));
    let setup = Setup {
        config: &config,
        backbone: network.build_random(3, &Device::flex()).unwrap(),
        pet: pet.as_ref(),
        tasks: &TASKS,
        planned_tasks: TASKS.len(),
        own_tasks: TASKS.len(),
        repeated_classes: &[],
    };
    method::build(setup).unwrap()
}

fn images(stream: u64) -> Tensor<4> {
    let values = Init::Normal(1.0).draw([4, 3 * SIDE * SIDE], 9, stream);
    Tensor::from_data(TensorData::new(values, [4, 3, SIDE, SIDE]), &Device::flex())
}

/// Learns both tasks with one batch each.
fn learn(method: &mut dyn Method) {
    for (index, classes) in TASKS.into_iter().enumerate() {
        let labels: Vec<usize> = (0..4).map(|i| classes.start + i % 2).collect();
        method.begin_task(&Task { index, classes }).unwrap();
        let batch = Batch {
            images: images(index as u64),
            labels: &labels,
            samples: &[0, 1, 2, 3],
            pass: 0,
            epochs: 5,
            step: 0,
            steps: 1,
        };
        method.learn(&batch, &Pass::learning(false)).unwrap();
        method.end_pass(0, &mut CancelToken::never()).unwrap();
        method.end_task(&mut CancelToken::never()).unwrap();
    }
}

#[test]
fn wrapper_can_change_heads_of_every_method() {
    let keys = METHODS.iter().map(|spec| spec.key);
    let with_heads = keys.filter(|key| build_method(key).heads_mut().is_some());
    let with_heads: Vec<&str> = with_heads.filter(|key| *key != "joint-ft").collect();
    let expected = ["lae", "baseline", "seq-ft", "l2p", "dualprompt", "coda-prompt", "ewc"];
    assert_eq!(with_heads, expected);
    for key in with_heads {
        let (mut plain, mut aligned) = (build_method(key), Aligned(build_method(key)));
        learn(&mut *plain);
        learn(&mut aligned);
        let features = plain.features(images(7)).unwrap();
        let plain_answers = plain.classify(&features).unwrap();
        assert_eq!(plain_answers, plain.predict(images(7)).unwrap(), "{key}");
        let aligned_answers = aligned.predict(images(7)).unwrap();
        assert_ne!(plain_answers, aligned_answers, "{key}");
        // Snapshots contain the changed heads, too.
        let mut restored = build_method(key);
        restored.restore(&aligned.snapshot().unwrap(), &TASKS).unwrap();
        assert_eq!(restored.predict(images(7)).unwrap(), aligned_answers, "{key}");
    }
}
