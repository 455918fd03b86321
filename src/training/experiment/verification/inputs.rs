//! Opens what a run is checked with: its backbone on a device, and its dataset.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::backbone::library::{self, Availability, BackboneLibrary, OpenedBackbone};
use crate::data::scenario::Scenario;
use crate::data::{ClassFingerprints, Dataset, Fingerprints, Split};
use crate::device::{self, ReadyDevice};
use crate::experiment::plan::{build_scenario, matches_run, parse_tasks};
use crate::experiment::provenance::{backbone_facts, describe_machine};
use crate::experiment::run_device::prediction_weight_type;
use crate::fetch::sha256_of_file;
use crate::files::names::{is_path, is_remote};
use crate::message;
use crate::method::ConfiguredMethod;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::store::{BackboneFacts, Machine, Provenance, StoredRun, load_image_prints};

use super::{Checker, Difference, Part};

/// The reason why a path in a packed run, which may come from someone else, is not opened.
const PATH_NOT_OPENED: &str = "paths in a packed run are not opened automatically";

/// What is available to check a run.
pub(super) struct VerificationInputs {
    /// The run's settings, with paths that are available here.
    pub config: RunConfig,
    pub data: Arc<Dataset>,
    /// `None` if the data has other classes or tasks.
    pub scenario: Option<Scenario>,
    pub machine: Machine,
    /// Keeps the backbone in the cache while predictions are recomputed.
    _backbone: Arc<OpenedBackbone>,
}

impl VerificationInputs {
    /// Opens dataset and backbone, and compares them with the records of the run. Returns `None` if one of them is
    /// not available, which the report then states.
    pub fn open(
        checker: &mut Checker<'_>,
        stored_run: &StoredRun,
        provenance: &Provenance,
    ) -> Result<Option<Self>> {
        let request = checker.request;
        let mut config = stored_run.header.config.clone();
        let absolute = |path: &str| match std::path::absolute(path) {
            Ok(absolute_path) if absolute_path.exists() => {
                absolute_path.to_string_lossy().into_owned()
            }
            _ => path.to_string(),
        };
        config.data = request.data.map_or(config.data, absolute);
        // A backbone of the table keeps its name, whichever file contains its weights.
        let table = BackboneLibrary::with_default_locations();
        if let Some(file) = request.weights.filter(|_| table.entry(&config.backbone).is_none()) {
            config.backbone = absolute(file);
        }
        let device_name = request.device.unwrap_or(&config.device);
        let trusted = match (device::choose_tested(device_name), request.device) {
            (Err(_), None) => device::choose_tested("auto")?,
            (trusted, _) => trusted?,
        };
        config.device = trusted.info.selector();
        if trusted.info.is_cpu() {
            config.device = "cpu".into();
        }
        let ready = trusted.open()?;
        let backbone = checker.open_backbone(&config, &stored_run.header, (&ready, provenance))?;
        let data = checker.open_data(&config)?;
        if backbone.is_none() || data.is_none() {
            checker.report.unchecked.push(match request.train {
                true => "the answers, and training again".into(),
                false => "the answers".into(),
            });
        }
        let scenario = match &data {
            Some(data) => checker.compare_images(&config, &stored_run.header, data)?,
            None => None,
        };
        Ok(backbone.zip(data).map(|(backbone, data)| Self {
            machine: describe_machine(&ready.info, 0),
            config,
            data,
            scenario,
            _backbone: backbone,
        }))
    }
}

impl Checker<'_> {
    /// Returns whether a path comes from a packed run, whose author may have chosen it, and was not given by the
    /// user.
    fn is_foreign(&self, path: &str, given_path: Option<&str>) -> bool {
        let packed = self.request.changed.is_some() && is_path(path);
        given_path.is_none() && (packed || is_remote(path))
    }

    /// Returns the backbone, if it is available with the run's weights; downloads nothing.
    fn open_backbone(
        &mut self,
        config: &RunConfig,
        header: &RunHeader,
        (ready, provenance): (&ReadyDevice, &Provenance),
    ) -> Result<Option<Arc<OpenedBackbone>>> {
        self.report_progress(message!("doing-opening-backbone"));
        let weight_file = self.request.weights.map(Path::new);
        let state = match (weight_file, self.is_foreign(&config.backbone, self.request.weights)) {
            (Some(file), _) => Ok(Availability::Present(file.to_path_buf())),
            (None, true) => Err(Problem::new(PATH_NOT_OPENED)),
            (None, false) => {
                library::describe(config.backbone_choice()).map(|description| description.state)
            }
        };
        let missing = match state {
            Ok(Availability::Embedded) => None,
            // A file of other weights may not even fit this network.
            Ok(Availability::Present(path)) => match sha256_of_file(&path)? {
                found if found == header.weights_sha256 => None,
                found => {
                    self.report_other_weights(&path.display().to_string(), &found, header);
                    return Ok(None);
                }
            },
            Ok(Availability::Absent { .. }) => {
                Some(Problem::new("its weights are not on this computer"))
            }
            Err(problem) => Some(problem),
        };
        if let Some(problem) = missing {
            let (name, why) = (&config.backbone, problem.what);
            let what = format!("the weights of {name}: {why} (give them with --weights FILE)");
            self.report.unchecked.push(what);
            return Ok(None);
        }
        let (weights, control) = (prediction_weight_type(header, ready), self.control.clone());
        let mut should_continue = |_| control.should_continue();
        let (table, choice) = (BackboneLibrary::with_default_locations(), config.backbone_choice());
        let read = || match weight_file {
            Some(file) => table.read_from_file(choice, file),
            None => library::read_from(&table, choice, &mut should_continue),
        };
        let opened =
            self.cache.get_or_load_backbone(config.backbone_choice(), weights, ready, read)?;
        if opened.sha256 != header.weights_sha256 {
            self.report_other_weights(&opened.entry.name, &opened.sha256, header);
            return Ok(None);
        }
        self.report.equal.push("the weights".into());
        match &provenance.backbone {
            None => {
                let what = "the backbone's entry in the table at that time";
                self.report.unknown.push(what.into());
            }
            Some(recorded) => match differing_fact(recorded, &backbone_facts(&opened)) {
                Some(description) => {
                    self.add_difference(Difference::new(Part::Backbone, None, description));
                }
                None => self.report.equal.push("the backbone's entry in the table".into()),
            },
        }
        Ok(Some(opened))
    }

    fn report_other_weights(&mut self, path: &str, found: &str, header: &RunHeader) {
        let expected = &header.weights_sha256;
        let description = format!("the weights in {path} have the SHA-256 {found}, not {expected}");
        self.add_difference(Difference::new(Part::Weights, None, description));
    }

    /// Returns the dataset, if it is available.
    fn open_data(&mut self, config: &RunConfig) -> Result<Option<Arc<Dataset>>> {
        self.report_progress(message!("doing-opening-dataset"));
        let control = self.control.clone();
        let should_continue = move || control.should_continue();
        let opened = match self.is_foreign(&config.data, self.request.data) {
            true => Err(Problem::new(PATH_NOT_OPENED)),
            false => self.cache.data(config, &should_continue),
        };
        match opened {
            Ok(data) => Ok(Some(data)),
            Err(problem) if self.request.data.is_some() || !self.is_running() => Err(problem),
            Err(problem) => {
                let what = format!(
                    "the data `{}`: {} (give it with --data PATH)",
                    config.dataset_name(),
                    problem.what
                );
                self.report.unchecked.push(what);
                Ok(None)
            }
        }
    }

    /// Compares the images; returns the scenario if classes and tasks are those of the run.
    fn compare_images(
        &mut self,
        config: &RunConfig,
        header: &RunHeader,
        data: &Dataset,
    ) -> Result<Option<Scenario>> {
        self.report_progress(message!("doing-comparing-images"));
        let (order, sizes) = parse_tasks(config)?;
        let found = build_scenario(&ConfiguredMethod::from_config(config)?, &order, sizes, data);
        let checked = found.and_then(|scenario| match matches_run(&scenario, data, header) {
            true => Ok(scenario),
            false => {
                Err(Problem::new("the classes or tasks of the data differ from those of the run"))
            }
        });
        let scenario = match checked {
            Ok(scenario) => scenario,
            Err(problem) => {
                self.add_difference(Difference::new(Part::Picture, None, problem.what));
                return Ok(None);
            }
        };
        let prints = match load_image_prints(self.folder) {
            Ok(prints) => prints,
            Err(problem) => {
                self.add_difference(Difference::new(Part::File, None, problem.what));
                None
            }
        };
        match &header.images {
            None => self.report.unknown.push("the content of the images".into()),
            Some(recorded) => match first_different_image(recorded, prints.as_deref(), data) {
                Some(difference) => self.add_difference(difference),
                None => {
                    let images = data.train.len() + data.test.len();
                    self.report.equal.push(format!("{images} images and their labels"));
                }
            },
        }
        Ok(Some(scenario))
    }
}

/// Returns the first property of the backbone that differs.
fn differing_fact(recorded: &BackboneFacts, current: &BackboneFacts) -> Option<String> {
    let describe = |facts: &BackboneFacts| {
        [
            ("the input size", facts.input_size.to_string()),
            ("the crop ratio", facts.crop_ratio.to_string()),
            ("the interpolation", facts.interpolation.name().into()),
            ("the mean of the normalisation", format!("{:?}", facts.mean)),
            ("the standard deviation of the normalisation", format!("{:?}", facts.std)),
            ("the family", facts.family.clone()),
        ]
    };
    let mut pairs = describe(recorded).into_iter().zip(describe(current));
    let ((what, expected), (_, actual)) = pairs.find(|(a, b)| a != b)?;
    Some(format!("{what} of the backbone is {actual}, not {expected}"))
}

/// Returns the first image that differs from those with these fingerprints; `prints` are the short prints of the
/// run's images, if they are known. `None` if all images are equal.
fn first_different_image(
    recorded: &Fingerprints,
    prints: Option<&[ClassFingerprints]>,
    data: &Dataset,
) -> Option<Difference> {
    if data.matches_fingerprints(recorded) {
        return None;
    }
    let difference = prints.and_then(|prints| {
        let (_, found) = data.detailed_fingerprints_of_kind(recorded.kind);
        first_different_print(prints, &found, &|class, at| {
            data.image_name(class.split, &class.class, at)
        })
    });
    Some(difference.unwrap_or_else(|| {
        let split = match data.split_matches_fingerprints(Split::Train, recorded) {
            true => "test",
            false => "training",
        };
        let description = format!("a {split} image differs; it is unknown which one");
        Difference::new(Part::Picture, None, description)
    }))
}

/// Returns the first image whose short print differs. `name` returns the file name of an image, given its class and
/// index in the class.
pub(super) fn first_different_print(
    recorded: &[ClassFingerprints],
    found: &[ClassFingerprints],
    name: &dyn Fn(&ClassFingerprints, usize) -> Option<String>,
) -> Option<Difference> {
    let (mut description, mut count) = (None, 0);
    let current = found.iter().map(|prints| ((prints.split, &*prints.class), prints));
    let current: HashMap<(Split, &str), &ClassFingerprints> = current.collect();
    for expected in recorded {
        let split = match expected.split {
            Split::Train => "training",
            Split::Test => "test",
        };
        let class = &expected.class;
        let Some(actual) = current.get(&(expected.split, &*expected.class)) else {
            count += expected.images;
            description.get_or_insert_with(|| format!("the class `{class}` is missing"));
            continue;
        };
        let Some(at) = expected.first_difference(actual) else {
            continue;
        };
        count += 1;
        description.get_or_insert_with(|| {
            let suffix = name(actual, at).map_or_else(String::new, |name| format!(", {name},"));
            let number = at + 1;
            match expected.images == actual.images {
                true => format!("{split} image {number} of class `{class}`{suffix} differs"),
                false => format!(
                    "class `{class}` has {} {split} images, not {}; they differ from image {number}{suffix} on",
                    actual.images, expected.images
                ),
            }
        });
    }
    description
        .map(|description| Difference::new(Part::Picture, None, description).with_count(count))
}
