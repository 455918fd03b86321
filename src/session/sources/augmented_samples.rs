//! Training images as the network receives them, with exactly the crops and flips that a run with these settings draws.

use std::sync::Arc;

use super::Disk;
use crate::backbone::library::BackboneLibrary;
use crate::data::loader::{augmented_input, inference_inputs};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::transform::CropBox;
use crate::data::{ProgressReporter, Sample};
use crate::experiment::{augmentation, open_options};
use crate::method::ConfiguredMethod;
use crate::problem::{Problem, Result};
use crate::run::event::NamedImage;
use crate::session::augmented_samples::{NetworkInput, NetworkInputs, NetworkInputsRequest};
use crate::tr;

/// Number of images shown.
const MAX_IMAGES: usize = 8;

impl Disk {
    /// Prepares one image from each of several classes, which are spread over the tasks.
    pub fn network_inputs(&self, request: &NetworkInputsRequest) -> Result<NetworkInputs> {
        let config = &request.config;
        let data = self.scans.dataset(
            &config.data,
            &open_options(config),
            false,
            &ProgressReporter::silent(),
        )?;
        let scenario = Scenario::new(
            &data.classes,
            &ClassOrder::parse(&config.order)?,
            &TaskSizes::parse(&config.classes_per_task)?,
        )?;
        let chosen = ConfiguredMethod::from_config(config)?;
        let train: Vec<usize> = (0..scenario.tasks.len())
            .map(|task| scenario.train_samples(&data, task).len())
            .collect();
        let input = BackboneLibrary::with_default_locations()
            .describe(config.backbone_choice())?
            .entry
            .input_spec();
        let augment = augmentation(config).checked()?;
        let count = MAX_IMAGES.min(data.classes.len());
        let to_image = |sample: &Sample, rgb: Vec<u8>| {
            Arc::new(NamedImage { name: sample.name(), width: input.size, height: input.size, rgb })
        };
        let mut inputs = Vec::new();
        let mut unreadable = None;
        let mut task_samples: Option<(usize, Vec<(Sample, i64)>)> = None;
        for position in (0..count).map(|i| i * data.classes.len() / count) {
            let Some(task) = scenario.task_at(position) else {
                continue;
            };
            if chosen.epochs(task, &train) <= request.epoch {
                // A task with more images needs fewer epochs for the same number of steps, so it may not have this
                // epoch.
                continue;
            }
            let samples = match task_samples.take() {
                Some((cached_task, samples)) if cached_task == task => samples,
                _ => scenario.train_samples(&data, task),
            };
            // The augmentation depends on an image's index within its task.
            let candidates: Vec<usize> =
                (0..samples.len()).filter(|&index| samples[index].1 == position as i64).collect();
            let index = candidates.get(request.shift % candidates.len().max(1)).copied();
            if let Some(index) = index {
                let sample = &samples[index].0;
                let first_epoch = (0..task).map(|task| chosen.epochs(task, &train));
                let first_epoch = first_epoch.fold(0, usize::saturating_add);
                let epoch = first_epoch.saturating_add(request.epoch) as u64;
                let test_input = inference_inputs(std::slice::from_ref(sample), input).pop();
                match (
                    augmented_input(sample, index, input, augment, config.seed, epoch),
                    test_input,
                ) {
                    (Ok((rgb, crop)), Some(Ok(test_input))) => inputs.push(NetworkInput {
                        class: data.classes[scenario.class_order[position]].clone(),
                        task,
                        training_view: to_image(sample, rgb),
                        words: describe_crop(crop),
                        test_view: to_image(sample, test_input),
                    }),
                    (Err(problem), _) | (_, Some(Err(problem))) => unreadable = Some(problem),
                    (Ok(_), None) => {}
                }
            }
            task_samples = Some((task, samples));
        }
        if inputs.is_empty() {
            return Err(unreadable.unwrap_or_else(|| Problem::new(tr!("data-input-no-image"))));
        }
        Ok(NetworkInputs { input_size: input.size, epoch: request.epoch, images: inputs })
    }
}

/// Describes a crop in words.
fn describe_crop(crop: CropBox) -> String {
    let id = match crop.flip {
        true => "data-input-crop-mirrored",
        false => "data-input-crop",
    };
    tr!(id, width = crop.width, height = crop.height, left = crop.left, top = crop.top)
}
