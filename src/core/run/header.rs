//! What a run is, known before its first batch.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::about::{About, MadeOf};
use super::config::{Precision, RunConfig};
use super::lesson::Lesson;
use crate::counts::counted;
use crate::data::Fingerprints;
use crate::metrics::Expert;
use crate::nn::{Variant, WeightType};
use crate::pet::Drawing;

/// What a run's method says of itself, kept with the run so that any reader can show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodFacts {
    /// The name people read.
    pub title: String,
    /// How its settings differ from the usual ones, in words: "no Learning".
    pub variant: Vec<String>,
    /// Who answers, in the order they are shown; the last one's answer is the run's.
    pub experts: Vec<Expert>,
    /// Whether a PET plugin is part of it.
    pub uses_pet: bool,
    /// Whether that plugin has a size; none for runs of versions that did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pet_sized: Option<bool>,
}

impl MethodFacts {
    /// Whose answer is the run's.
    pub fn answering(&self) -> Expert {
        self.experts.last().copied().unwrap_or(Expert::ANSWER)
    }

    /// The PET with its size, where it has one: "adapter 5", "ssf"; none where none is trained.
    pub fn pet(&self, config: &RunConfig) -> Option<String> {
        let size = config.pet_size;
        let named = match self.pet_sized {
            Some(false) => config.pet.clone(),
            Some(true) | None => format!("{} {size}", config.pet),
        };
        self.uses_pet.then_some(named)
    }

    /// A short name for lists: "digits · LAE · adapter 5".
    pub fn run_title(&self, config: &RunConfig) -> String {
        let mut title = format!("{} · {}", config.data_name(), self.title);
        if let Some(pet) = self.pet(config) {
            title += &format!(" · {pet}");
        }
        if config.measured_on() != "test" {
            title += " · on validation images";
        }
        title
    }
}

/// The constant facts of a run, known once data and backbone are open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Name of the run (its folder's name).
    pub run: String,
    /// What people say of it.
    #[serde(default)]
    pub about: About,
    /// The run's folder.
    pub folder: PathBuf,
    /// The settings.
    pub config: RunConfig,
    /// What the run's method says of itself.
    pub method: MethodFacts,
    /// Class names in the order they are taught, those of lessons last; a class is its position
    /// here.
    pub class_order: Vec<String>,
    /// The classes of each task, as positions.
    pub tasks: Vec<Range<usize>>,
    /// Training images of each task.
    pub train_images: Vec<usize>,
    /// Test images of each task.
    pub test_images: Vec<usize>,
    /// The device's name.
    pub device: String,
    /// The way a card computes it; none on the CPU, and for runs of versions that did not note it.
    #[serde(default)]
    pub card_variant: Option<Variant>,
    /// What the random draws of its PET are kept apart by.
    #[serde(default = "Drawing::of_older_runs")]
    pub drawing: Drawing,
    /// Side of the square that the network sees, in pixels.
    pub input_size: usize,
    /// Numbers that are trained, heads not counted (LAE: in the PETs of one expert).
    pub trained_parameters: usize,
    /// Frozen numbers of the backbone.
    pub frozen_parameters: usize,
    /// SHA-256 of the weight file, in hex.
    pub weights_sha256: String,
    /// The images it learns from and is tested on; none for runs of versions that did not note it.
    pub images: Option<Fingerprints>,
    /// What it was taught after its training, one more task each.
    #[serde(default)]
    pub lessons: Vec<Lesson>,
    /// RFC 3339 time at which the run began.
    pub started: String,
    /// Version of the program that began it.
    pub version: String,
}

impl RunHeader {
    /// A short name for lists: "digits · LAE · adapter 5".
    pub fn title(&self) -> String {
        let title = self.method.run_title(&self.config);
        match self.lessons.len() {
            0 => title,
            n => format!("{title} · {}", counted(n, "lesson")),
        }
    }

    /// What it is called where there is little room: as people do, else by its method.
    pub fn short(&self) -> &str {
        match self.about.name.as_str() {
            "" => &self.method.title,
            name => name,
        }
    }

    /// What it is made of, for a search: method and data in words, and all settings as their options.
    pub fn made_of(&self) -> MadeOf {
        let (config, title) = (&self.config, self.title());
        let words = format!("{title} {} {} {}", self.run, config.method, config.data);
        MadeOf::of(&words, config.as_options(&[]))
    }

    /// The device, with the way a card computes where that is not the plain one:
    /// "GeForce (f16-fused-bytes)".
    pub fn computed_on(&self) -> String {
        match self.card_variant.filter(|way| *way != Variant::PLAIN) {
            Some(way) => format!("{} ({way})", self.device),
            None => self.device.clone(),
        }
    }

    /// The type of number that its frozen weights were kept as. The CPU notes none, nor did older
    /// versions, whose cards kept them as they were asked to.
    pub fn kept_as(&self) -> WeightType {
        match (self.card_variant, self.config.precision) {
            (Some(variant), _) => variant.weights,
            (None, Precision::F16) => WeightType::F16,
            (None, Precision::Auto | Precision::F32) => WeightType::F32,
        }
    }

    /// Whose answer is the run's.
    pub fn answering(&self) -> Expert {
        self.method.answering()
    }
}
