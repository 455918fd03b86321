//! A trial of a new plugin on small CPU tensors, for each backbone family that it fits, each variant, and the
//! smallest sizes. It finds shapes that do not fit, non-finite values and results of the wrong shape before training.

use std::sync::Arc;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::budget::{allowed, capped};
use super::findings::MOST_FINDINGS;
use super::init::Init;
use super::parse;
use super::site::{BlockKind, BlockShape, Site};
use super::source::PluginText;
use super::spec::{PetSettings, PetSpec};
use super::stack::{PetStack, misshapen};
use super::value::Value;
use crate::expression::Diagnostic;
use crate::message;
use crate::problem;

pub(super) const BATCH: usize = 2;
/// Largest number of elements of all parameters in all trials together, because plugins are tried whenever they are
/// listed. A typical plugin has some thousands.
const MOST_DRAWN: usize = 1 << 23;
/// Largest number of elements of all intermediate results of an equation.
pub(super) const MOST_PRODUCED: usize = 1 << 22;
/// Largest number of multiplications in all trials together, shape inference included; half a second at most. A
/// typical plugin needs some millions.
const MOST_WORK: u64 = 1 << 30;

impl PetSpec {
    /// Parses and checks a plugin. `origin` is the file's path, or "built in".
    ///
    /// # Errors
    /// Returns a Problem with all errors that [`PetSpec::checked`] finds.
    pub fn parse(text: &str, origin: &str) -> problem::Result<Arc<Self>> {
        let source = PluginText::new(text, origin);
        Self::checked(&source).map_err(|wrong| source.problems(&wrong))
    }

    /// Parses and checks a plugin; returns each error separately, in the order of the file.
    ///
    /// # Errors
    /// Returns the errors in header, names and equations, or else those found by trying the plugin on small blocks of
    /// each backbone family that it fits. At most 32 are reported.
    pub fn checked(source: &PluginText) -> Result<Arc<Self>, Vec<Diagnostic>> {
        tried(parse::read(source)?).map(Arc::new)
    }
}

/// Tries the plugin and sets `starts_as_identity`.
///
/// # Errors
/// Returns all shape errors, or else the first error of the computation.
fn tried(spec: PetSpec) -> Result<PetSpec, Vec<Diagnostic>> {
    allowed(MOST_WORK, || tried_within(spec))
}

fn tried_within(mut spec: PetSpec) -> Result<PetSpec, Vec<Diagnostic>> {
    let fits = |kind: &BlockKind| spec.fits(&[kind.shape()], &[0]).is_ok();
    let kinds: Vec<BlockKind> = BlockKind::ALL.into_iter().filter(fits).collect();
    if kinds.is_empty() {
        return Err(vec![fits_none(&spec)]);
    }
    let ways = ways(&spec);
    let with = |kind| ways.iter().map(move |way| (kind, way));
    let pairs: Vec<(&BlockKind, &PetSettings)> = kinds.iter().flat_map(with).collect();
    let mut wrong: Vec<Diagnostic> = Vec::new();
    for &(kind, way) in &pairs {
        for new in misfits(&spec, kind, way) {
            // The same error occurs in several variants and families with other numbers, so only the first is reported.
            if wrong.len() < MOST_FINDINGS && wrong.iter().all(|known| known.span != new.span) {
                wrong.push(found_on(kind, new));
            }
        }
        if wrong.len() == MOST_FINDINGS {
            break;
        }
    }
    if !wrong.is_empty() {
        wrong.sort_by_key(|wrong| wrong.span.start);
        return Err(wrong);
    }
    let fresh = Arc::new(spec.clone());
    let mut identity = true;
    let mut left = MOST_DRAWN;
    for (kind, way) in pairs {
        let shape = kind.shape();
        // Layouts that fail were reported above.
        let layout = fresh.layout(way, std::slice::from_ref(&shape), &[0]);
        let drawn = layout.map_or(0, |layout| layout.elements());
        left = match left.checked_sub(drawn) {
            Some(left) => left,
            None => return Err(vec![too_many(&fresh, &shape)]),
        };
        let same = capped(MOST_PRODUCED, || try_one(&fresh, way, kind));
        let same = same.map_err(|wrong| vec![found_on(kind, wrong)])?;
        identity &= same || *way != PetSettings::default();
    }
    spec.starts_as_identity = identity;
    Ok(spec)
}

/// Adds to an error the block with which it was found.
fn found_on(kind: &BlockKind, wrong: Diagnostic) -> Diagnostic {
    let (name, width) = (kind.name, kind.shape().width.to_string());
    match wrong.why.is_empty() {
        true => wrong.because(message!("advice-tested-with-blocks", name, width)),
        false => wrong,
    }
}

/// Returns the error of a plugin that fits no family.
fn fits_none(spec: &PetSpec) -> Diagnostic {
    let joined = |set: &Vec<Site>| {
        let names: Vec<&str> = set.iter().map(|site| site.name()).collect();
        names.join(" + ")
    };
    let sets: Vec<String> = spec.sites.iter().map(joined).collect();
    Diagnostic::new(0..0, message!("problem-sites-not-offered-together"))
        .because(message!("advice-listed-sites", sets = sets.join(", or ")))
}

/// Returns the shape errors of a plugin with these settings on a block; nothing is computed.
fn misfits(spec: &PetSpec, kind: &BlockKind, way: &PetSettings) -> Vec<Diagnostic> {
    let shapes = &[kind.shape()];
    let (Ok(variant), Ok(numbers), Ok(sites)) = (
        spec.variant_index(way.variant.as_deref()),
        spec.numbers(way),
        spec.fits(shapes, &[0]),
    ) else {
        return Vec::new();
    };
    let layout = match spec.layout_at((variant, way.drawing), &numbers, sites, shapes, &[0]) {
        Ok(layout) => layout,
        Err(wrong) => return vec![wrong],
    };
    if layout.elements() > MOST_DRAWN {
        return vec![too_many(spec, &shapes[0])];
    }
    let mut wrong = Vec::new();
    for one in spec.site_shapes(&layout, (0, &shapes[0]), [BATCH, kind.tokens]) {
        wrong.extend(one.computed.wrong);
        let result = one.computed.result;
        wrong
            .extend(result.and_then(|found| misshapen(one.program, one.site, &found, &one.inputs)));
    }
    wrong
}

/// Returns the error of a plugin whose parameters are too large to be tried.
fn too_many(spec: &PetSpec, shape: &BlockShape) -> Diagnostic {
    let what = message!(
        "problem-plugin-parameters-too-large",
        value = (MOST_DRAWN >> 20).to_string(),
        width = shape.width.to_string()
    );
    let first = spec
        .parameters
        .first()
        .map_or(0..0, |first| first.span.clone());
    Diagnostic::new(first, what).because(message!("advice-use-smaller-sizes"))
}

/// Returns the settings to try: the defaults, each other variant, and the smallest sizes.
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

/// Evaluates every site once; returns whether a new PET leaves all outputs unchanged.
fn try_one(
    spec: &Arc<PetSpec>,
    settings: &PetSettings,
    kind: &BlockKind,
) -> Result<bool, Diagnostic> {
    let (shapes, device) = (&[kind.shape()], &Device::flex());
    // Neither fails, because the shapes were checked before.
    let stack = PetStack::init(spec, settings, shapes, &[0], 0, device);
    let variant = spec.variant_index(settings.variant.as_deref());
    let (Ok(stack), Ok(variant), Ok(sites)) = (stack, variant, spec.fits(shapes, &[0])) else {
        return Ok(false);
    };
    let (mut same, mut inside) = (true, kind.tokens);
    for site in Site::in_order(sites.iter().copied()) {
        let inputs: Vec<Value> = (1..)
            .zip(site.input_shapes(&shapes[0], BATCH, [kind.tokens, inside]))
            .map(|(stream, shape)| random(&shape, stream, device))
            .collect();
        let before = match inputs.as_slice() {
            [Value::Four(q), Value::Four(k), Value::Four(v)] => {
                let scale = (q.dims()[3] as f64).powf(-0.5);
                let scores = (q.clone() * scale).matmul(k.clone().transpose());
                Value::Four(softmax(scores, 3).matmul(v.clone()))
            }
            others => others[site.result_shape_input()].clone(),
        };
        let Some(result) = stack.evaluated(0, site, &inputs) else {
            continue;
        };
        let result = result?;
        if site == Site::Input {
            inside = result.dims()[1];
        }
        let (result, before) = (flat(result), flat(before));
        if result.iter().any(|value| !value.is_finite()) {
            let place = spec.variants[variant].equations.get(&site);
            let what = message!("problem-equation-not-finite", name = site.name());
            let why = message!("advice-check-division-roots-exp");
            let span = place.map_or(0..0, |program| program.result_span());
            return Err(Diagnostic::new(span, what).because(why));
        }
        same &= result.len() == before.len()
            && result
                .iter()
                .zip(&before)
                .all(|(a, b)| (a - b).abs() <= 1e-5);
    }
    Ok(same)
}

/// Returns normal values drawn on the host, as a tensor of rank 2, 3 or 4.
pub(super) fn random(shape: &[usize], stream: u64, device: &Device) -> Value {
    let count = shape.iter().product();
    let values = Init::Normal(1.0).draw([1, count], 0, stream);
    let flat = Tensor::<1>::from_data(TensorData::new(values, [count]), device);
    match *shape {
        [a, b, c, d] => flat.reshape([a, b, c, d]).into(),
        [first, b, c] => flat.reshape([first, b, c]).into(),
        [rows, columns] => flat.reshape([rows, columns]).into(),
        _ => flat.reshape([1, 1, count]).into(),
    }
}

/// Returns all values of a CPU tensor; empty if it cannot be read.
pub(super) fn flat(value: Value) -> Vec<f32> {
    let data = match value {
        Value::Two(x) => x.try_into_data(),
        Value::Three(x) => x.try_into_data(),
        Value::Four(x) => x.try_into_data(),
    };
    data.ok()
        .and_then(|data| data.try_to_vec::<f32>().ok())
        .unwrap_or_default()
}
