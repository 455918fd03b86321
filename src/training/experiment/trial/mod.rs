//! Which method suits a dataset: the chosen one and a few others, each with the settings proposed for it, are trained
//! on a part of the training images and evaluated on the held-out rest. Test images are not used.
//!
//! A trial takes about as long as a user waits. The speed of the network is measured first; if everything would take
//! too long, all methods get fewer images, then fewer epochs, and the result says so. The resulting number of steps is
//! trained however long it takes. The runs are in a temporary folder.

mod costs;

use std::time::{Duration, Instant};

use super::overrides::{fill_pet_defaults, set_method};
use super::plan::TrainingPlan;
use super::progress_sink::ProgressSink;
use super::suggested_settings::{apply_usual_epoch_shares, choose_backbone};
use super::{Outcome, ResourceCache, footprint, join_problems, none_if_stopped, train};
use crate::message;
use crate::method::{TRIAL_METHODS, find_method, problems};
use crate::pet::PetSpec;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, ControlRequest, Sink};
use crate::run::job::JobAttachments;
use crate::run::trial_result::{Trial, TriedMethod};
use crate::store::{self, RunSummary};

use costs::{Bounds, TrialCosts};

/// Share of each class's training images that is held out, if the settings give none.
pub const VALIDATION_SHARE: f64 = 0.2;
/// Largest planned time of all methods together, in seconds.
const PLANNED_SECONDS: f64 = 40.0;
/// Largest planned time of both PETs together, in seconds.
const PLANNED_PET_SECONDS: f64 = 16.0;
/// The dataset of the trial of a PET, and the PET to compare with.
const PET_TRIAL: [&str; 2] = ["digits", "adapter"];
/// The method that compares backbones; it trains nothing.
const CLASS_MEANS: &str = TRIAL_METHODS[0].0.key;

/// Returns the settings to compare: the chosen ones, and the standard methods with the settings proposed for each.
///
/// # Errors
/// Returns a Problem for settings out of range.
pub fn candidate_settings(chosen: &RunConfig, cache: &ResourceCache) -> Result<Vec<RunConfig>> {
    join_problems(problems(chosen))?;
    let mut candidates = vec![chosen.clone()];
    for (spec, settings) in TRIAL_METHODS {
        if spec.key == chosen.method {
            continue;
        }
        let mut config = chosen.clone();
        set_method(&mut config, spec.key, false)?;
        apply_usual_epoch_shares(&mut config);
        for (key, value) in *settings {
            config.settings.insert((*key).into(), value.clone());
        }
        let description = cache.describe(config.backbone_choice()).ok();
        let size = cache.plugin(&config.pet).ok().and_then(|pet| pet.default_size());
        fill_pet_defaults(chosen, &mut config, description.as_ref(), size, |_| false);
        candidates.push(config);
    }
    Ok(candidates)
}

/// Tries the chosen settings and the other methods. If the user stops it, the finished methods have their results;
/// `None` if there are none.
///
/// # Errors
/// Returns a Problem for invalid settings, data or weights, and for a device that fails. A method that cannot be
/// trained has the reason in its row.
pub fn try_methods(
    chosen: &RunConfig,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    let candidate = |config: RunConfig| -> Result<_> {
        Ok(TrialCandidate { title: find_method(&config.method)?.title.into(), config, cache })
    };
    let candidates = candidate_settings(chosen, cache)?.into_iter().map(candidate);
    let candidates: Vec<_> = candidates.collect::<Result<_>>()?;
    compare(&candidates, 0, PLANNED_SECONDS, false, sink, control)
}

/// Compares backbones by SimpleCIL, which trains nothing: the images are classified by the class means of the features.
/// The chosen backbone is the first candidate. The results contain the chosen method with each backbone.
///
/// # Errors
/// See [`try_methods`]. Also returns a Problem for a backbone that does not exist.
pub fn try_backbones(
    chosen: &RunConfig,
    backbones: &[String],
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    join_problems(problems(chosen))?;
    let (mut candidates, mut configs): (Vec<TrialCandidate<'_>>, Vec<RunConfig>) =
        Default::default();
    let mut largest = (0, 0);
    for name in std::iter::once(&chosen.backbone).chain(backbones) {
        if configs.iter().any(|config| config.backbone == *name) {
            continue;
        }
        let mut config = RunConfig { backbone: name.clone(), ..chosen.clone() };
        let description = cache.describe(config.backbone_choice())?;
        if *name != chosen.backbone {
            choose_backbone(&mut config, &description.entry);
        }
        largest = largest.max((description.parameters, candidates.len()));
        configs.push(config.clone());
        set_method(&mut config, CLASS_MEANS, false)?;
        candidates.push(TrialCandidate { title: description.entry.title().into(), config, cache });
    }
    let mut trial = compare(&candidates, largest.1, PLANNED_SECONDS, false, sink, control)?;
    let rows = trial.iter_mut().flat_map(|trial| &mut trial.methods);
    for (row, config) in rows.zip(configs) {
        row.memory = footprint::estimate_for_settings(&config, cache);
        row.config = config;
    }
    Ok(trial)
}

/// Tries the PET of these settings in about twenty seconds: trains it and Adapter on the embedded digits, with the usual
/// size of each and otherwise equal settings, and reports the losses of all steps.
///
/// # Errors
/// Returns a Problem if the PET cannot be trained or the device fails. A failure of one contender during training is
/// reported in its row instead.
pub fn try_pet(
    chosen: &RunConfig,
    cache: &ResourceCache,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    let [data, other] = PET_TRIAL;
    let base_cache = cache.with_attachments(&JobAttachments::default());
    let usual = RunConfig::default();
    let candidate = |spec: &PetSpec, cache| TrialCandidate {
        title: spec.name.clone(),
        config: RunConfig {
            data: data.into(),
            device: chosen.device.clone(),
            pet: spec.name.to_lowercase(),
            pet_size: spec.default_size().unwrap_or(usual.pet_size),
            ..usual.clone()
        },
        cache,
    };
    let (spec, other) = (cache.plugin(&chosen.pet)?, base_cache.plugin(other)?);
    let candidates = [candidate(&spec, cache), candidate(&other, &base_cache)];
    // The speed is measured with Adapter, which can always be prepared.
    compare(&candidates, 1, PLANNED_PET_SECONDS, true, sink, control)
}

/// A candidate of a comparison.
struct TrialCandidate<'a> {
    /// Its name.
    title: String,
    config: RunConfig,
    /// The resources to train it with.
    cache: &'a ResourceCache,
}

/// Trains the candidates one after the other, the chosen settings first, in at most about `planned` seconds, and
/// evaluates them on held-out images. Images are counted and the network is timed with the settings of the candidate
/// `timed_index`. Reports each step's loss with `losses`. Returns `None` if the user stopped it before the first one
/// finished.
///
/// # Errors
/// See [`try_methods`].
fn compare(
    candidates: &[TrialCandidate<'_>],
    timed_index: usize,
    planned: f64,
    losses: bool,
    sink: &mut dyn Sink,
    control: &Control,
) -> Result<Option<Trial>> {
    let start = Instant::now();
    let (chosen, timed) = (&candidates[0].config, &candidates[timed_index]);
    let plan = TrainingPlan::prepare(
        &Bounds::default().reduced_settings(&timed.config),
        None,
        timed.cache,
        &mut ProgressSink::new(sink, None),
        control,
    );
    let Some(plan) = none_if_stopped(plan, control)? else {
        return Ok(None);
    };
    let costs = TrialCosts::new(&plan)?;
    drop(plan);
    let configs: Vec<_> = candidates.iter().map(|candidate| candidate.config.clone()).collect();
    let bounds = costs.bounds(&configs, planned);
    let work = tempfile::tempdir().map_err(|error| {
        Problem::io("create a folder to train in", std::env::temp_dir(), &error)
    })?;
    let (mut methods, mut runs, mut paused) = (Vec::new(), Vec::new(), Duration::ZERO);
    for (number, candidate) in (1..).zip(candidates) {
        let what = message!(
            "doing-trying-method",
            title = &candidate.title,
            number,
            of = candidates.len()
        );
        let mut progress = ProgressSink::new(sink, Some(what));
        progress.user_control = Some(control);
        progress.report(None);
        let (run_control, settings) =
            (progress.run_control.clone(), bounds.reduced_settings(&candidate.config));
        let outcome = match control.request() {
            ControlRequest::Stop => Ok(Outcome::NotStarted),
            _ => train(&settings, work.path(), candidate.cache, &mut progress, &run_control),
        };
        paused += progress.paused;
        if !losses {
            progress.losses.clear();
        }
        let (method, run) = candidate_row(candidate, outcome, &progress);
        methods.push(method);
        runs.push(run);
    }
    if !control.should_continue() && runs.iter().all(Option::is_none) {
        return Ok(None);
    }
    let (train_images, validation_images) = costs.images(&bounds);
    let mut trial = Trial {
        data: chosen.data.clone(),
        train_images: train_images.iter().sum(),
        judged_images: validation_images.iter().sum(),
        bounds: bounds.sentences(&costs, chosen),
        methods,
        seconds: start.elapsed().saturating_sub(paused).as_secs_f64(),
    };
    trial.compare(|best, other| {
        let answers_of = |index: usize| {
            let run: &RunSummary = runs[index].as_ref()?;
            let latest = run.latest.as_ref()?;
            Some((latest.answered.as_ref()?, run.header.answering_expert()))
        };
        let (predictions, expert) = answers_of(best)?;
        predictions.compare(expert, answers_of(other)?)
    });
    Ok(Some(trial))
}

/// Returns the row of a candidate, and the summary of its run if the run finished.
fn candidate_row(
    candidate: &TrialCandidate<'_>,
    outcome: Result<Outcome>,
    progress: &ProgressSink<'_>,
) -> (TriedMethod, Option<RunSummary>) {
    let summary = outcome.and_then(|outcome| match outcome {
        Outcome::Finished(header) => store::summarise(&header.folder),
        _ => {
            let percent = (progress.done * 100.0) as usize;
            Err(Problem::new(message!("problem-trial-stopped", percent)))
        }
    });
    let metrics = summary.as_ref().ok();
    let metrics = metrics.map(|run| run.for_scripts().figures.answer_figures());
    let [accuracy, _, forgetting] = metrics.unwrap_or_default();
    let method = TriedMethod {
        method: candidate.config.method.clone(),
        title: candidate.title.clone(),
        config: candidate.config.clone(),
        right: accuracy,
        forgotten: forgetting,
        p: None,
        seconds: progress.working_time().as_secs_f64(),
        memory: None,
        problem: summary.as_ref().err().cloned(),
        losses: progress.losses.clone(),
    };
    (method, summary.ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::{NANO, PHOTO};
    use crate::run::event::{Event, Phase};

    #[test]
    fn chosen_method_is_first_and_no_method_repeats() {
        let keys = |method: &str| -> Vec<String> {
            let mut config = RunConfig::default();
            set_method(&mut config, method, false).unwrap();
            let candidates = candidate_settings(&config, &ResourceCache::default()).unwrap();
            candidates.into_iter().map(|config| config.method).collect()
        };
        assert_eq!(keys("lae"), ["lae", "simplecil", "ranpac"]);
        assert_eq!(keys("l2p"), ["l2p", "simplecil", "ranpac", "lae"]);
    }

    #[test]
    fn backbone_trial_uses_class_means_and_retains_method() {
        let chosen =
            RunConfig { train_limit: Some(6), device: "cpu".into(), ..RunConfig::default() };
        let others = [PHOTO, NANO].map(String::from);
        let (mut sink, control) = (Vec::new(), Control::default());
        let trial = try_backbones(&chosen, &others, &ResourceCache::default(), &mut sink, &control);
        let trial = trial.unwrap().unwrap();
        let rows: Vec<_> = trial.methods.iter().map(|method| &method.config).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(*rows[0], chosen);
        assert_eq!((rows[1].backbone.as_str(), rows[1].method.as_str()), (PHOTO, "lae"));
        assert!(trial.methods.iter().all(|method| method.right.is_some()));
        let unknown = ["none-such".to_string()];
        let problem =
            try_backbones(&chosen, &unknown, &ResourceCache::default(), &mut sink, &control);
        assert!(problem.unwrap_err().to_string().contains("none-such"));
    }

    /// Stops the trial once RanPAC is tried.
    struct StopAtRanPac(Control);

    impl Sink for StopAtRanPac {
        fn event(&mut self, event: Event) {
            if let Event::Phase { phase: Phase::Preparing(what), .. } = event
                && what.english.contains("RanPAC")
            {
                self.0.set(ControlRequest::Stop);
            }
        }
    }

    #[test]
    fn stopped_trial_has_results_of_finished_methods() {
        let chosen = RunConfig {
            method: "simplecil".into(),
            train_limit: Some(5),
            device: "cpu".into(),
            ..RunConfig::default()
        };
        let control = Control::default();
        let mut sink = StopAtRanPac(control.clone());
        let trial = try_methods(&chosen, &ResourceCache::default(), &mut sink, &control);
        let trial = trial.unwrap().unwrap();
        assert!(trial.methods[0].right.is_some());
        for other in &trial.methods[1..] {
            let problem = other.problem.as_ref().unwrap();
            assert!(problem.is("problem-trial-stopped"), "{problem}");
        }
    }
}
