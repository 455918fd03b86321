//! A dry run of a fresh plugin on small CPU tensors, once per backbone family it fits, variant and
//! end of its size range: shapes that do not fit, numbers that are not finite and results of the
//! wrong shape are found before anything is trained.

use std::sync::Arc;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::budget::{allowed, capped};
use super::hooks::Hooks;
use super::init::Init;
use super::site::{BlockShape, Site};
use super::spec::{PetSettings, PetSpec};
use super::stack::PetStack;
use crate::problem::{Problem, Result};

/// The families with the sizes of a small member: name, block, tokens of one image.
const FAMILIES: &[(&str, BlockShape, usize)] = &[
    (
        "ViT",
        BlockShape {
            width: 192,
            hidden: 768,
            heads: 3,
            sites: Site::OF_VIT,
        },
        17,
    ),
    (
        "Swin",
        BlockShape {
            width: 96,
            hidden: 384,
            heads: 3,
            sites: Site::OF_SWIN,
        },
        16,
    ),
    (
        "ConvNeXt",
        BlockShape {
            width: 80,
            hidden: 320,
            heads: 0,
            sites: Site::OF_CONVNEXT,
        },
        9,
    ),
];

const BATCH: usize = 2;
/// Most elements of all parameters of all forms together. Plugins are tried whenever they are
/// listed, and a usual one has some thousands here.
const MOST_DRAWN: usize = 1 << 23;
/// Most elements of all intermediate results of one equation.
const MOST_PRODUCED: usize = 1 << 22;
/// Most multiplications of all forms together, half a second at most; a usual plugin takes some
/// millions.
const MOST_WORK: u64 = 1 << 30;

/// Tries the plugin and notes whether it starts as identity.
///
/// # Errors
/// What failed, and for which family.
pub(super) fn tried(spec: PetSpec) -> Result<PetSpec> {
    allowed(MOST_WORK, || tried_within(spec))
}

fn tried_within(mut spec: PetSpec) -> Result<PetSpec> {
    let device = Device::flex();
    let mut identity = true;
    let mut fitted = false;
    let mut left = MOST_DRAWN;
    for (family, shape, tokens) in FAMILIES {
        let shapes = std::slice::from_ref(shape);
        if spec.fits(shapes, &[0]).is_err() {
            continue;
        }
        fitted = true;
        for settings in ways(&spec) {
            let fresh = Arc::new(spec.clone());
            let default = settings == PetSettings::default();
            // A layout that fails is told where it is used.
            let layout = fresh.layout(&settings, shapes, &[0]);
            let drawn = layout.map_or(0, |layout| layout.elements());
            left = left
                .checked_sub(drawn)
                .ok_or_else(|| too_many(&fresh, shape))?;
            let one = || try_one(&fresh, &settings, shape, *tokens, &device);
            let same = capped(MOST_PRODUCED, one).map_err(|problem| {
                let tried = format!("tried with {family} blocks of {} channels", shape.width);
                match problem.remedy.is_empty() {
                    true => problem.advise(tried),
                    false => problem,
                }
            })?;
            identity &= same || !default;
        }
    }
    if !fitted {
        let sets: Vec<String> = spec
            .sites
            .iter()
            .map(|set| {
                let names: Vec<&str> = set.iter().map(|site| site.name()).collect();
                names.join(" + ")
            })
            .collect();
        return Err(
            Problem::new("no backbone family offers these sites together")
                .at(&spec.source.origin)
                .advise(format!("named are {}", sets.join(", or "))),
        );
    }
    spec.starts_as_identity = identity;
    Ok(spec)
}

/// A plugin whose forms are too large to be tried.
fn too_many(spec: &PetSpec, shape: &BlockShape) -> Problem {
    Problem::new(format!(
        "the plugin's forms have far too many parameters: more than {} million on a block of {} channels",
        MOST_DRAWN >> 20,
        shape.width
    ))
    .at(&spec.source.origin)
    .advise("use smaller sizes, or fewer variants")
}

/// The default form at default sizes first, then the other variants and the smallest sizes.
fn ways(spec: &PetSpec) -> Vec<PetSettings> {
    let smallest = spec.sizes.iter().map(|size| (size.name.clone(), size.min));
    let mut ways = vec![PetSettings::default()];
    ways.extend(spec.variants.iter().skip(1).map(|variant| PetSettings {
        variant: Some(variant.name.clone()),
        ..PetSettings::default()
    }));
    ways.push(PetSettings {
        sizes: smallest.collect(),
        ..PetSettings::default()
    });
    ways
}

/// Runs every site once; true if a fresh PET changes nothing.
fn try_one(
    spec: &Arc<PetSpec>,
    settings: &PetSettings,
    shape: &BlockShape,
    tokens: usize,
    device: &Device,
) -> Result<bool> {
    let shapes = std::slice::from_ref(shape);
    let stack = PetStack::init(spec, settings, shapes, &[0], 0, device)?;
    let mut same = true;
    for &site in spec.fits(shapes, &[0])? {
        let (result, before) = match site {
            Site::Attend => {
                let [q, k, v] = [1, 2, 3].map(|stream| {
                    let split = [BATCH, shape.heads, tokens, shape.width / shape.heads.max(1)];
                    random(BATCH * tokens * shape.width, stream, device).reshape(split)
                });
                let scale = ((shape.width / shape.heads.max(1)) as f64).powf(-0.5);
                let scores = (q.clone() * scale).matmul(k.clone().transpose());
                let plain = softmax(scores, 3).matmul(v.clone());
                let result = stack.attend(0, q, k, v)?;
                (flat(result), flat(plain))
            }
            site => {
                let (input, output) = site.channels(shape);
                let e = random(BATCH * tokens * input, 1, device).reshape([BATCH, tokens, input]);
                let h = random(BATCH * tokens * output, 2, device).reshape([BATCH, tokens, output]);
                let result = stack.around(0, site, &e, h.clone())?;
                (flat(result), flat(h))
            }
        };
        if result.iter().any(|value| !value.is_finite()) {
            let place = spec.variants[0].equations.get(&site);
            let what = format!(
                "the equation for `{}` gives numbers that are not finite",
                site.name()
            );
            return Err(Problem::new(what)
                .at(place.map_or(String::new(), super::equation::Program::result_place))
                .advise(
                    "look for divisions by 0, roots of negative numbers and exp of large ones",
                ));
        }
        same &= result.len() == before.len()
            && result
                .iter()
                .zip(&before)
                .all(|(a, b)| (a - b).abs() <= 1e-5);
    }
    Ok(same)
}

/// Normal values from the host.
fn random(count: usize, stream: u64, device: &Device) -> Tensor<1> {
    let values = Init::Normal(1.0).draw([1, count], 0, stream);
    Tensor::from_data(TensorData::new(values, [count]), device)
}

/// All values of a CPU tensor; empty, hence "not the same", if it cannot be read.
fn flat<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor
        .try_into_data()
        .ok()
        .and_then(|data| data.try_to_vec::<f32>().ok())
        .unwrap_or_default()
}
