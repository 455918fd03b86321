//! A trial of a new plugin on small CPU tensors, for each backbone family that it fits, each variant, and the
//! smallest sizes. It finds shapes that do not fit, non-finite values and results of the wrong shape before training.

use std::sync::Arc;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};

use super::budget::{with_element_limit, with_multiplication_limit};
use super::errors::MAX_FINDINGS;
use super::init::Init;
use super::parse;
use super::site::{BlockKind, BlockShape, Site};
use super::source::PluginText;
use super::spec::{PetSettings, PetSpec};
use super::stack::{PetStack, result_shape_error};
use super::value::Value;
use crate::expression::Diagnostic;
use crate::message;
use crate::problem;

pub(super) const BATCH: usize = 2;
/// Largest number of elements of all parameters in all trials together, because plugins are tried whenever they are
/// listed. A typical plugin has some thousands.
const MAX_PARAMETER_ELEMENTS: usize = 1 << 23;
/// Largest number of elements of all intermediate results of an equation.
pub(super) const MAX_RESULT_ELEMENTS: usize = 1 << 22;
/// Largest number of multiplications in all trials together, shape inference included; half a second at most. A
/// typical plugin needs some millions.
const MAX_WORK: u64 = 1 << 30;

impl PetSpec {
    /// Parses and checks a plugin. `origin` is the file's path, or "built in".
    ///
    /// # Errors
    /// Returns a Problem with all errors that [`PetSpec::parse_checked`] finds.
    pub fn parse(text: &str, origin: &str) -> problem::Result<Arc<Self>> {
        let source = PluginText::new(text, origin);
        Self::parse_checked(&source).map_err(|diagnostics| source.to_problems(&diagnostics))
    }

    /// Parses and checks a plugin; returns each error separately, in the order of the file.
    ///
    /// # Errors
    /// Returns the errors in header, names and equations, or else those found by trying the plugin on small blocks of
    /// each backbone family that it fits. At most 32 are reported.
    pub fn parse_checked(source: &PluginText) -> Result<Arc<Self>, Vec<Diagnostic>> {
        try_plugin(parse::parse_spec(source)?).map(Arc::new)
    }
}

/// Tries the plugin and sets `starts_as_identity`.
///
/// # Errors
/// Returns all shape errors, or else the first error of the computation.
fn try_plugin(spec: PetSpec) -> Result<PetSpec, Vec<Diagnostic>> {
    with_multiplication_limit(MAX_WORK, || try_within_limit(spec))
}

fn try_within_limit(mut spec: PetSpec) -> Result<PetSpec, Vec<Diagnostic>> {
    let is_supported = |kind: &BlockKind| spec.matching_sites(&[kind.shape()], &[0]).is_ok();
    let kinds: Vec<BlockKind> = BlockKind::ALL.into_iter().filter(is_supported).collect();
    if kinds.is_empty() {
        return Err(vec![no_family_error(&spec)]);
    }
    let all_settings = trial_settings(&spec);
    let pair_with = |kind| all_settings.iter().map(move |settings| (kind, settings));
    let pairs: Vec<(&BlockKind, &PetSettings)> = kinds.iter().flat_map(pair_with).collect();
    let mut errors: Vec<Diagnostic> = Vec::new();
    for &(kind, settings) in &pairs {
        for error in shape_errors(&spec, kind, settings) {
            // The same error occurs in several variants and families with other numbers, so only the first is reported.
            if errors.len() < MAX_FINDINGS && errors.iter().all(|known| known.span != error.span) {
                errors.push(with_block_context(kind, error));
            }
        }
        if errors.len() == MAX_FINDINGS {
            break;
        }
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span.start);
        return Err(errors);
    }
    let fresh = Arc::new(spec.clone());
    let mut identity = true;
    let mut remaining = MAX_PARAMETER_ELEMENTS;
    for (kind, settings) in pairs {
        let shape = kind.shape();
        // Layouts that fail were reported above.
        let layout = fresh.layout(settings, std::slice::from_ref(&shape), &[0]);
        let drawn = layout.map_or(0, |layout| layout.elements());
        remaining = match remaining.checked_sub(drawn) {
            Some(remaining) => remaining,
            None => return Err(vec![too_large_error(&fresh, &shape)]),
        };
        let is_identity =
            with_element_limit(MAX_RESULT_ELEMENTS, || try_settings(&fresh, settings, kind));
        let same = is_identity.map_err(|error| vec![with_block_context(kind, error)])?;
        identity &= same || *settings != PetSettings::default();
    }
    spec.starts_as_identity = identity;
    Ok(spec)
}

/// Adds to an error the block with which it was found.
fn with_block_context(kind: &BlockKind, diagnostic: Diagnostic) -> Diagnostic {
    let (name, width) = (kind.name, kind.shape().width.to_string());
    match diagnostic.why.is_empty() {
        true => diagnostic.explain(message!("advice-tested-with-blocks", name, width)),
        false => diagnostic,
    }
}

/// Returns the error of a plugin that fits no family.
fn no_family_error(spec: &PetSpec) -> Diagnostic {
    let joined = |set: &Vec<Site>| {
        let names: Vec<&str> = set.iter().map(|site| site.name()).collect();
        names.join(" + ")
    };
    let sets: Vec<String> = spec.sites.iter().map(joined).collect();
    Diagnostic::new(0..0, message!("problem-sites-not-offered-together"))
        .explain(message!("advice-listed-sites", sets = sets.join(", or ")))
}

/// Returns the shape errors of a plugin with these settings on a block; nothing is computed.
fn shape_errors(spec: &PetSpec, kind: &BlockKind, settings: &PetSettings) -> Vec<Diagnostic> {
    let shapes = &[kind.shape()];
    let (Ok(variant), Ok(numbers), Ok(sites)) = (
        spec.variant_index(settings.variant.as_deref()),
        spec.resolve_numbers(settings),
        spec.matching_sites(shapes, &[0]),
    ) else {
        return Vec::new();
    };
    let layout = match spec.layout_at((variant, settings.drawing), &numbers, sites, shapes, &[0]) {
        Ok(layout) => layout,
        Err(diagnostic) => return vec![diagnostic],
    };
    if layout.elements() > MAX_PARAMETER_ELEMENTS {
        return vec![too_large_error(spec, &shapes[0])];
    }
    let mut errors = Vec::new();
    for site_shapes in spec.site_shapes(&layout, (0, &shapes[0]), [BATCH, kind.tokens]) {
        errors.extend(site_shapes.shapes.errors);
        let result = site_shapes.shapes.result;
        errors.extend(result.and_then(|found| {
            result_shape_error(site_shapes.program, site_shapes.site, &found, &site_shapes.inputs)
        }));
    }
    errors
}

/// Returns the error of a plugin whose parameters are too large to be tried.
fn too_large_error(spec: &PetSpec, shape: &BlockShape) -> Diagnostic {
    let message = message!(
        "problem-plugin-parameters-too-large",
        value = (MAX_PARAMETER_ELEMENTS >> 20).to_string(),
        width = shape.width.to_string()
    );
    let first = spec.parameters.first().map_or(0..0, |first| first.span.clone());
    Diagnostic::new(first, message).explain(message!("advice-use-smaller-sizes"))
}

/// Returns the settings to try: the defaults, each other variant, and the smallest sizes.
fn trial_settings(spec: &PetSpec) -> Vec<PetSettings> {
    let smallest = spec.sizes.iter().map(|size| (size.name.clone(), size.min));
    let mut all_settings = vec![PetSettings::default()];
    all_settings.extend(spec.variants.iter().skip(1).map(|variant| PetSettings {
        variant: Some(variant.name.clone()),
        ..PetSettings::default()
    }));
    all_settings.push(PetSettings { sizes: smallest.collect(), ..PetSettings::default() });
    all_settings
}

/// Evaluates every site once; returns whether a new PET leaves all outputs unchanged.
fn try_settings(
    spec: &Arc<PetSpec>,
    settings: &PetSettings,
    kind: &BlockKind,
) -> Result<bool, Diagnostic> {
    let (shapes, device) = (&[kind.shape()], &Device::flex());
    // Neither fails, because the shapes were checked before.
    let stack = PetStack::init(spec, settings, shapes, &[0], 0, device);
    let variant = spec.variant_index(settings.variant.as_deref());
    let (Ok(stack), Ok(variant), Ok(sites)) = (stack, variant, spec.matching_sites(shapes, &[0]))
    else {
        return Ok(false);
    };
    let (mut is_identity, mut inner_tokens) = (true, kind.tokens);
    for site in Site::sorted(sites.iter().copied()) {
        let inputs: Vec<Value> = (1..)
            .zip(site.input_shapes(&shapes[0], BATCH, [kind.tokens, inner_tokens]))
            .map(|(stream, shape)| random(&shape, stream, device))
            .collect();
        let reference = match inputs.as_slice() {
            [Value::Four(q), Value::Four(k), Value::Four(v)] => {
                let scale = (q.dims()[3] as f64).powf(-0.5);
                let scores = (q.clone() * scale).matmul(k.clone().transpose());
                Value::Four(softmax(scores, 3).matmul(v.clone()))
            }
            others => others[site.result_shape_input()].clone(),
        };
        let Some(result) = stack.try_evaluate(0, site, &inputs) else {
            continue;
        };
        let result = result?;
        if site == Site::Input {
            inner_tokens = result.dims()[1];
        }
        let (result, before) = (to_flat_values(result), to_flat_values(reference));
        if result.iter().any(|value| !value.is_finite()) {
            let program = spec.variants[variant].equations.get(&site);
            let message = message!("problem-equation-not-finite", name = site.name());
            let advice = message!("advice-check-division-roots-exp");
            let span = program.map_or(0..0, |program| program.result_span());
            return Err(Diagnostic::new(span, message).explain(advice));
        }
        is_identity &= result.len() == before.len()
            && result.iter().zip(&before).all(|(a, b)| (a - b).abs() <= 1e-5);
    }
    Ok(is_identity)
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
pub(super) fn to_flat_values(value: Value) -> Vec<f32> {
    let data = match value {
        Value::Two(x) => x.try_into_data(),
        Value::Three(x) => x.try_into_data(),
        Value::Four(x) => x.try_into_data(),
    };
    data.ok().and_then(|data| data.try_to_vec::<f32>().ok()).unwrap_or_default()
}
