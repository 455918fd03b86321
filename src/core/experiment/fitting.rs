//! On which device a run computes, and in which of the ways that device knows.
//!
//! A card is prepared when a run first uses it with a family of backbones; the fastest right
//! variant is taken then and noted in the run, which keeps it to its end. The CPU device has one
//! way. So has a card that nothing is known of: the plain one.

use crate::backbone::families;
use crate::device::{self, AdapterKind, DeviceInfo, Prepared, Ready, Trusted};
use crate::message;
use crate::nn::{self, ComputeVariant, WeightType};
use crate::problem::{Problem, Result};
use crate::run::config::{Precision, RunConfig};
use crate::run::event::RunHeader;
use crate::texts::Message;

/// A device that is open, and the way a network is computed there.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The device.
    pub ready: Ready,
    /// The way.
    pub variant: ComputeVariant,
    /// What is not as it was asked for.
    pub remarks: Vec<Problem>,
}

/// What is wanted of a device.
pub struct DeviceRequest<'a> {
    /// The settings of the run.
    pub config: &'a RunConfig,
    /// The family of its backbone.
    pub family: &'a str,
    /// Whether the backbone's own weights are trained, which takes f32.
    pub trains_weights: bool,
    /// The way a run began with that goes on.
    pub kept: Option<ComputeVariant>,
}

impl DeviceRequest<'_> {
    /// Finds the way and opens the device; `tell` hears what is done and stops it by returning
    /// false.
    ///
    /// # Errors
    /// A Problem when the device cannot be opened, has no bf16 where that is asked for, or `tell` stopped it.
    pub fn fit(&self, trusted: Trusted, tell: &mut dyn FnMut(Message) -> bool) -> Result<Fitted> {
        let mut remarks: Vec<Problem> = trusted.remark.iter().cloned().collect();
        let (trusted, variant) = match trusted.info.is_cpu() {
            true => (trusted, ComputeVariant::PLAIN),
            false => self.on_card(trusted, &mut remarks, tell)?,
        };
        let ready = trusted.open()?;
        // What stood in for a card that does not even open is news; the rest is known.
        let news = ready.remark.clone();
        let news = news.filter(|problem| !remarks.contains(problem));
        remarks.extend(news);
        let wanted = match ready.info.is_cpu() {
            true => self.weights_named(),
            false => Some(variant.weights),
        };
        let (weights, remark) = held(wanted.unwrap_or_default(), &ready)?;
        remarks.extend(remark);
        Ok(Fitted {
            ready,
            variant: variant.with_weights(weights),
            remarks,
        })
    }

    /// The type of weights that was asked for in so many words.
    fn weights_named(&self) -> Option<WeightType> {
        match self.config.precision {
            Precision::Auto if self.trains_weights => Some(WeightType::F32),
            precision => precision.named(),
        }
    }

    /// The way on a card, or the CPU in its place where it has none.
    fn on_card(
        &self,
        trusted: Trusted,
        remarks: &mut Vec<Problem>,
        tell: &mut dyn FnMut(Message) -> bool,
    ) -> Result<(Trusted, ComputeVariant)> {
        if let Some(kept) = self.kept {
            return Ok((trusted, kept));
        }
        let plain = ComputeVariant::from(self.weights_named().unwrap_or_default());
        let found = match self.known(&trusted, tell) {
            Ok(found) => found,
            Err(problem) if !tell(message!("doing-opening-device")) => return Err(problem),
            Err(problem) => {
                remarks.push(problem);
                None
            }
        };
        let Some(found) = found else {
            return Ok((trusted, self.config.card_variant.unwrap_or(plain)));
        };
        if found.best().is_none() {
            let problem = unusable(&trusted, self.family, &found);
            let cpu = Trusted::cpu_instead(problem)?;
            remarks.extend(cpu.remark.clone());
            return Ok((cpu, ComputeVariant::PLAIN));
        }
        let best = self.best_of(&found).unwrap_or(plain);
        let Some(wanted) = self.config.card_variant else {
            return Ok((trusted, best));
        };
        match found.of(wanted).and_then(|tried| tried.refused.as_ref()) {
            None => Ok((trusted, wanted)),
            Some(why) => {
                let what = message!(
                    "problem-is-not-used-on",
                    wanted = wanted.to_string(),
                    name = trusted.info.name.to_string(),
                    why = why.to_string()
                );
                let remedy = message!(
                    "try-leave-card-variant-out-is-used",
                    best = best.to_string()
                );
                remarks.push(Problem::new(what).at("--card-variant").advise(remedy));
                Ok((trusted, best))
            }
        }
    }

    /// The best of those that fit these settings.
    fn best_of(&self, found: &Prepared) -> Option<ComputeVariant> {
        match self.weights_named() {
            Some(weights) => found.best_with(weights),
            None => found.best(),
        }
    }

    /// What is known of the card, which is prepared now where it never was. An imitated card is
    /// prepared only when somebody asks for it.
    fn known(
        &self,
        trusted: &Trusted,
        tell: &mut dyn FnMut(Message) -> bool,
    ) -> Result<Option<Prepared>> {
        let info = &trusted.info;
        if let Some(found) = device::prepared(info).remove(self.family) {
            return Ok(Some(found));
        }
        if !device::can_prepare(info) || info.kind == AdapterKind::SoftwareGpu {
            return Ok(None);
        }
        let variants = families::named(self.family)?.variants();
        let found = device::prepare(info, self.family, &variants, &mut |done, of| {
            let name = info.name.as_str();
            tell(message!(
                "doing-preparing-card",
                card = name,
                done = done + 1,
                of = of
            ))
        })?;
        // What cannot be kept is found again next time.
        if let Err(problem) = device::keep_prepared(info, self.family, &found) {
            tracing::warn!("{problem}");
        }
        Ok(Some(found))
    }
}

/// The way a card is going to compute a run of these settings, as far as that is known before it is
/// opened; none on the CPU.
pub fn foreseen(config: &RunConfig, family: &str, trains_weights: bool) -> Option<ComputeVariant> {
    let info = device::choose(&config.device).ok()?;
    if info.is_cpu() {
        return None;
    }
    let wish = DeviceRequest {
        config,
        family,
        trains_weights,
        kept: None,
    };
    let found = device::prepared(&info).remove(family);
    let best = found.and_then(|found| wish.best_of(&found));
    let plain = ComputeVariant::from(wish.weights_named().unwrap_or_default());
    Some(config.card_variant.or(best).unwrap_or(plain))
}

/// What is said of a card on which no variant is right.
fn unusable(trusted: &Trusted, family: &str, found: &Prepared) -> Problem {
    let why = found.tried.first().and_then(|tried| tried.refused.clone());
    let why = why.unwrap_or_else(|| "no variant is right".into());
    let name = &trusted.info.name;
    Problem::new(message!(
        "problem-cannot-compute",
        name = name.to_string(),
        family = family.to_string(),
        why = why.to_string()
    ))
    .at(format!(
        "{} {}",
        trusted.info.api.title(),
        trusted.info.driver
    ))
    .advise(message!("try-update-graphics-driver-then-try-again"))
}

/// Whether a device multiplies numbers of bf16, as a run's training needs them.
///
/// # Errors
/// A Problem where it does not.
pub fn has_bf16(info: &DeviceInfo) -> Result<()> {
    let (why, remedy) = match info.is_cpu() {
        true if nn::multiplies_bf16() => return Ok(()),
        true => (message!("problem-processor-without-bf16"), "try-f32"),
        false => (
            message!("problem-card-without-bf16", name = &info.name),
            "try-f16",
        ),
    };
    Err(Problem::new(why)
        .at("--precision bf16")
        .advise(message!(remedy)))
}

/// What a type of weights comes to on a device, with a remark where that is not what was asked for.
///
/// # Errors
/// See [`has_bf16`].
fn held(wanted: WeightType, ready: &Ready) -> Result<(WeightType, Option<Problem>)> {
    if wanted == WeightType::Bf16 {
        has_bf16(&ready.info)?;
        return Ok((wanted, None));
    }
    if wanted == WeightType::F32 || ready.half {
        return Ok((wanted, None));
    }
    let (why, remedy) = if ready.info.is_cpu() {
        ("problem-f32-on-cpu", "try-a-card-for-half")
    } else {
        ("problem-f32-on-card", "try-another-card-for-half")
    };
    let remark = Problem::new(message!(why))
        .at("--precision")
        .advise(message!(remedy));
    Ok((WeightType::F32, Some(remark)))
}

/// What a precision comes to on a device, with a remark where that is not what was asked for.
///
/// # Errors
/// See [`has_bf16`].
pub fn weight_type(precision: Precision, ready: &Ready) -> Result<(WeightType, Option<Problem>)> {
    held(precision.named().unwrap_or_default(), ready)
}

/// The way a run is answered with on a device: the one it was trained with, or the plain one. Any processor can answer
/// in bf16, though not every one fast enough to train in it.
pub fn variant_of(header: &RunHeader, ready: &Ready) -> ComputeVariant {
    let begun = begun_with(header);
    let weights = begun.weights;
    match (ready.info.is_cpu(), weights) {
        (true, WeightType::Bf16) => ComputeVariant::from(weights),
        (true, _) => ComputeVariant::PLAIN,
        (false, WeightType::F16) if ready.half => begun,
        (false, _) => begun.with_weights(WeightType::F32),
    }
}

/// The way a run began with. Runs of older versions, and those of the CPU, computed the plain way.
pub fn begun_with(header: &RunHeader) -> ComputeVariant {
    let weights = header.config.precision.named().unwrap_or_default();
    header.card_variant.unwrap_or(weights.into())
}
