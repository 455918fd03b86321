//! Opens what a run is checked with: its backbone on a device, and its dataset.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::backbone::library::{self, BackboneLibrary, Opened, State};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::{ClassPrints, Dataset, Fingerprints, Split};
use crate::device::{self, Ready};
use crate::experiment::fitting::answering_weights;
use crate::experiment::plan::scenario;
use crate::experiment::provenance::{facts_of, machine};
use crate::fetch::sha256_of_file;
use crate::files::names::{is_elsewhere, is_path};
use crate::message;
use crate::method::Chosen;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{ControlRequest, RunHeader};
use crate::store::{BackboneFacts, Machine, Provenance, StoredRun, image_prints};

use super::{Checker, Difference, Part};

/// The reason why a place in a packed run, which may come from someone else, is not opened.
const UNASKED: &str = "paths in a packed run are not opened automatically";

/// What is available to check a run.
pub(super) struct ProofInputs {
    /// The run's settings, with places that are available here.
    pub config: RunConfig,
    pub data: Arc<Dataset>,
    /// `None` if the data has other classes or tasks.
    pub scenario: Option<Scenario>,
    pub machine: Machine,
    /// Keeps the backbone in the cache while predictions are recomputed.
    _backbone: Arc<Opened>,
}

impl ProofInputs {
    /// Opens dataset and backbone, and compares them with the records of the run. Returns `None` if one of them is
    /// not available, which the report then states.
    pub fn open(
        checker: &mut Checker<'_>,
        stored: &StoredRun,
        made_of: &Provenance,
    ) -> Result<Option<Self>> {
        let asked = checker.asked;
        let mut config = stored.header.config.clone();
        let absolute = |path: &str| match std::path::absolute(path) {
            Ok(whole) if whole.exists() => whole.to_string_lossy().into_owned(),
            _ => path.to_string(),
        };
        config.data = asked.data.map_or(config.data, absolute);
        // A backbone of the table keeps its name, whichever file contains its weights.
        let table = BackboneLibrary::usual();
        if let Some(file) = asked
            .weights
            .filter(|_| table.entry(&config.backbone).is_none())
        {
            config.backbone = absolute(file);
        }
        let wanted = asked.device.unwrap_or(&config.device);
        let trusted = match (device::trusted(wanted), asked.device) {
            (Err(_), None) => device::trusted("auto")?,
            (trusted, _) => trusted?,
        };
        config.device = trusted.info.selector();
        if trusted.info.is_cpu() {
            config.device = "cpu".into();
        }
        let ready = trusted.open()?;
        let backbone = checker.backbone(&config, &stored.header, (&ready, made_of))?;
        let data = checker.data(&config)?;
        if backbone.is_none() || data.is_none() {
            checker.report.unchecked.push(match asked.train {
                true => "the answers, and training again".into(),
                false => "the answers".into(),
            });
        }
        let scenario = match &data {
            Some(data) => checker.pictures(&config, &stored.header, data)?,
            None => None,
        };
        Ok(backbone.zip(data).map(|(backbone, data)| Self {
            machine: machine(&ready.info, 0),
            config,
            data,
            scenario,
            _backbone: backbone,
        }))
    }
}

impl Checker<'_> {
    /// Returns whether a place comes from a packed run, whose author may have chosen it, and was not given by the
    /// user.
    fn is_foreign(&self, place: &str, named: Option<&str>) -> bool {
        let packed = self.asked.changed.is_some() && is_path(place);
        named.is_none() && (packed || is_elsewhere(place))
    }

    /// Returns the backbone, if it is available with the run's weights; downloads nothing.
    fn backbone(
        &mut self,
        config: &RunConfig,
        header: &RunHeader,
        (ready, made_of): (&Ready, &Provenance),
    ) -> Result<Option<Arc<Opened>>> {
        self.tell(message!("doing-opening-backbone"));
        let named = self.asked.weights.map(Path::new);
        let about = match (named, self.is_foreign(&config.backbone, self.asked.weights)) {
            (Some(file), _) => Ok(State::Present(file.to_path_buf())),
            (None, true) => Err(Problem::new(UNASKED)),
            (None, false) => library::describe(config.chosen_backbone()).map(|about| about.state),
        };
        let missing = match about {
            Ok(State::Embedded) => None,
            // A file of other weights may not even fit this network.
            Ok(State::Present(path)) => match sha256_of_file(&path)? {
                found if found == header.weights_sha256 => None,
                found => {
                    self.other_weights(&path.display().to_string(), &found, header);
                    return Ok(None);
                }
            },
            Ok(State::Absent { .. }) => Some(Problem::new("its weights are not on this computer")),
            Err(problem) => Some(problem),
        };
        if let Some(problem) = missing {
            let (name, why) = (&config.backbone, problem.what);
            let what = format!("the weights of {name}: {why} (give them with --weights FILE)");
            self.report.unchecked.push(what);
            return Ok(None);
        }
        let (weights, control) = (answering_weights(header, ready), self.control.clone());
        let mut go_on = |_| control.request() != ControlRequest::Stop;
        let (known, choice) = (BackboneLibrary::usual(), config.chosen_backbone());
        let read = || match named {
            Some(file) => known.read_with(choice, file),
            None => library::read_from(&known, choice, &mut go_on),
        };
        let opened = self
            .cache
            .placed(config.chosen_backbone(), weights, ready, read)?;
        if opened.sha256 != header.weights_sha256 {
            self.other_weights(&opened.entry.name, &opened.sha256, header);
            return Ok(None);
        }
        self.report.equal.push("the weights".into());
        match &made_of.backbone {
            None => {
                let what = "the backbone's entry in the table at that time";
                self.report.unknown.push(what.into());
            }
            Some(then) => match other_fact(then, &facts_of(&opened)) {
                Some(told) => self.differs(Difference::new(Part::Backbone, None, told)),
                None => self
                    .report
                    .equal
                    .push("the backbone's entry in the table".into()),
            },
        }
        Ok(Some(opened))
    }

    fn other_weights(&mut self, place: &str, found: &str, header: &RunHeader) {
        let known = &header.weights_sha256;
        let told = format!("the weights in {place} have the SHA-256 {found}, not {known}");
        self.differs(Difference::new(Part::Weights, None, told));
    }

    /// Returns the dataset, if it is available.
    fn data(&mut self, config: &RunConfig) -> Result<Option<Arc<Dataset>>> {
        self.tell(message!("doing-opening-dataset"));
        let control = self.control.clone();
        let go_on = move || control.request() != ControlRequest::Stop;
        let opened = match self.is_foreign(&config.data, self.asked.data) {
            true => Err(Problem::new(UNASKED)),
            false => self.cache.data(config, &go_on),
        };
        match opened {
            Ok(data) => Ok(Some(data)),
            Err(problem) if self.asked.data.is_some() || !self.is_running() => Err(problem),
            Err(problem) => {
                let what = format!(
                    "the data \"{}\": {} (give it with --data PATH)",
                    config.data_name(),
                    problem.what
                );
                self.report.unchecked.push(what);
                Ok(None)
            }
        }
    }

    /// Compares the images; returns the scenario if classes and tasks are those of the run.
    fn pictures(
        &mut self,
        config: &RunConfig,
        header: &RunHeader,
        data: &Dataset,
    ) -> Result<Option<Scenario>> {
        self.tell(message!("doing-comparing-images"));
        let order = ClassOrder::parse(&config.order)?;
        let sizes = TaskSizes::parse(&config.classes_per_task)?;
        let found = scenario(&Chosen::of(config)?, &order, sizes, data);
        let own = header.own_tasks();
        let classes = header.tasks[..own].last().map_or(0, |task| task.end);
        let fits = found.and_then(|scenario| {
            let names = scenario.names(&data.classes);
            let same = scenario.tasks.get(..own) == Some(&header.tasks[..own])
                && names.get(..classes) == Some(&header.class_order[..classes]);
            same.then_some(scenario).ok_or_else(|| {
                Problem::new("the classes or tasks of the data differ from those of the run")
            })
        });
        let scenario = match fits {
            Ok(scenario) => scenario,
            Err(problem) => {
                self.differs(Difference::new(Part::Picture, None, problem.what));
                return Ok(None);
            }
        };
        let prints = match image_prints(self.folder) {
            Ok(prints) => prints,
            Err(problem) => {
                self.differs(Difference::new(Part::File, None, problem.what));
                None
            }
        };
        match &header.images {
            None => self.report.unknown.push("the content of the images".into()),
            Some(then) => match differs(then, prints.as_deref(), data) {
                Some(difference) => self.differs(difference),
                None => {
                    let images = data.train.len() + data.test.len();
                    self.report
                        .equal
                        .push(format!("{images} images and their labels"));
                }
            },
        }
        Ok(Some(scenario))
    }
}

/// Returns the first property of the backbone that differs.
fn other_fact(then: &BackboneFacts, now: &BackboneFacts) -> Option<String> {
    let shown = |facts: &BackboneFacts| {
        [
            ("the input size", facts.input_size.to_string()),
            ("the crop ratio", facts.crop_ratio.to_string()),
            ("the interpolation", facts.interpolation.name().into()),
            ("the mean of the normalisation", format!("{:?}", facts.mean)),
            (
                "the standard deviation of the normalisation",
                format!("{:?}", facts.std),
            ),
            ("the family", facts.family.clone()),
        ]
    };
    let mut pairs = shown(then).into_iter().zip(shown(now));
    let ((what, then), (_, now)) = pairs.find(|(then, now)| then != now)?;
    Some(format!("{what} of the backbone is {now}, not {then}"))
}

/// Returns the first image that differs from those with these fingerprints; `prints` are the short prints of the
/// run's images, if they are known. `None` if all images are equal.
fn differs(
    then: &Fingerprints,
    prints: Option<&[ClassPrints]>,
    data: &Dataset,
) -> Option<Difference> {
    if data.has_images(then) {
        return None;
    }
    let told = prints.and_then(|prints| {
        let (_, found) = data.prints_of(then.kind);
        first(prints, &found, &|of, at| {
            data.picture_name(of.split, &of.class, at)
        })
    });
    Some(told.unwrap_or_else(|| {
        let split = match data.has_images_of(Split::Train, then) {
            true => "test",
            false => "training",
        };
        let told = format!("a {split} image differs; it is unknown which one");
        Difference::new(Part::Picture, None, told)
    }))
}

/// Returns the first image whose short print differs. `name` returns the file name of an image, given its class and
/// index in the class.
pub(super) fn first(
    then: &[ClassPrints],
    found: &[ClassPrints],
    name: &dyn Fn(&ClassPrints, usize) -> Option<String>,
) -> Option<Difference> {
    let (mut told, mut others) = (None, 0);
    let here = found.iter().map(|now| ((now.split, &*now.class), now));
    let here: HashMap<(Split, &str), &ClassPrints> = here.collect();
    for known in then {
        let split = match known.split {
            Split::Train => "training",
            Split::Test => "test",
        };
        let class = &known.class;
        let Some(now) = here.get(&(known.split, &*known.class)) else {
            others += known.images;
            told.get_or_insert_with(|| format!("the class \"{class}\" is missing"));
            continue;
        };
        let Some(at) = known.first_other(now) else {
            continue;
        };
        others += 1;
        told.get_or_insert_with(|| {
            let named = name(now, at).map_or_else(String::new, |name| format!(", {name},"));
            let number = at + 1;
            match known.images == now.images {
                true => format!("{split} image {number} of class \"{class}\"{named} differs"),
                false => format!(
                    "class \"{class}\" has {} {split} images, not {}; they differ from image {number}{named} on",
                    now.images, known.images
                ),
            }
        });
    }
    told.map(|told| Difference::new(Part::Picture, None, told).first_of(others))
}
