//! Training images as the network receives them, with exactly the crops and flips that a run with these settings draws.

use std::sync::Arc;

use super::Disk;
use crate::backbone::library::BackboneLibrary;
use crate::data::loader::{augmented, inputs_of};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::transform::CropBox;
use crate::data::{Sample, Watch};
use crate::experiment::{augment_of, open_options};
use crate::method::Chosen;
use crate::problem::{Problem, Result};
use crate::run::event::Picture;
use crate::session::augmented_samples::{NetworkInput, NetworkInputs, NetworkInputsRequest};
use crate::tr;

/// Number of images shown.
const SHOWN: usize = 8;

impl Disk {
    /// Prepares one image from each of several classes, which are spread over the tasks.
    pub fn network_inputs(&self, ask: &NetworkInputsRequest) -> Result<NetworkInputs> {
        let config = &ask.config;
        let data =
            self.scans
                .dataset(&config.data, &open_options(config), false, &Watch::none())?;
        let scenario = Scenario::new(
            &data.classes,
            &ClassOrder::parse(&config.order)?,
            &TaskSizes::parse(&config.classes_per_task)?,
        )?;
        let chosen = Chosen::of(config)?;
        let train: Vec<usize> = (0..scenario.tasks.len())
            .map(|task| scenario.train_of(&data, task).len())
            .collect();
        let input = BackboneLibrary::usual()
            .describe(config.chosen_backbone())?
            .entry
            .input();
        let augment = augment_of(config).checked()?;
        let shown = SHOWN.min(data.classes.len());
        let picture = |sample: &Sample, rgb: Vec<u8>| {
            Arc::new(Picture {
                name: sample.name(),
                width: input.size,
                height: input.size,
                rgb,
            })
        };
        let mut seen = Vec::new();
        let mut unreadable = None;
        let mut of_task: Option<(usize, Vec<(Sample, i64)>)> = None;
        for position in (0..shown).map(|i| i * data.classes.len() / shown) {
            let Some(task) = scenario.task_of(position) else {
                continue;
            };
            if chosen.epochs(task, &train) <= ask.epoch {
                // A task with more images needs fewer epochs for the same number of steps, so it may not have this
                // epoch.
                continue;
            }
            let samples = match of_task.take() {
                Some((known, samples)) if known == task => samples,
                _ => scenario.train_of(&data, task),
            };
            // The augmentation depends on an image's index within its task.
            let places: Vec<usize> = (0..samples.len())
                .filter(|&place| samples[place].1 == position as i64)
                .collect();
            let place = places.get(ask.shift % places.len().max(1)).copied();
            if let Some(place) = place {
                let sample = &samples[place].0;
                let first = (0..task).map(|task| chosen.epochs(task, &train));
                let first = first.fold(0, usize::saturating_add);
                let epoch = first.saturating_add(ask.epoch) as u64;
                let tested = inputs_of(std::slice::from_ref(sample), input).pop();
                match (
                    augmented(sample, place, input, augment, config.seed, epoch),
                    tested,
                ) {
                    (Ok((rgb, crop)), Some(Ok(tested))) => seen.push(NetworkInput {
                        class: data.classes[scenario.class_order[position]].clone(),
                        task,
                        training_view: picture(sample, rgb),
                        words: cut_out(crop),
                        test_view: picture(sample, tested),
                    }),
                    (Err(problem), _) | (_, Some(Err(problem))) => unreadable = Some(problem),
                    (Ok(_), None) => {}
                }
            }
            of_task = Some((task, samples));
        }
        if seen.is_empty() {
            return Err(unreadable.unwrap_or_else(|| Problem::new(tr!("data-input-no-image"))));
        }
        Ok(NetworkInputs {
            input_size: input.size,
            epoch: ask.epoch,
            images: seen,
        })
    }
}

/// Describes a crop in words.
fn cut_out(crop: CropBox) -> String {
    let id = match crop.flip {
        true => "data-input-crop-mirrored",
        false => "data-input-crop",
    };
    tr!(
        id,
        width = crop.width,
        height = crop.height,
        left = crop.left,
        top = crop.top
    )
}
