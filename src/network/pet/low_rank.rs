//! Recognises PETs that are LoRA: their equation at a linear layer is h + scale * (e @ A @ B), where the scale may be
//! missing and B may be a product.

use burn::tensor::Tensor;

use super::equation::Binding;
use super::export_view::{BlockPet, SitePet};
use crate::expression::{BinaryOperator, Expr, NodeKind};
use crate::problem::Result;
use crate::tensors::HostTensor;

/// The indices of the parameters of a block, by their role in the equation.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// A, d_in × rank.
    pub a: usize,
    /// The matrices whose product is B, rank × d_out.
    pub b: Vec<usize>,
    /// The factor of the product.
    pub scale: f64,
}

/// The change e @ A @ B of a layer.
#[derive(Clone, Debug)]
pub struct LowRankUpdate {
    /// d_in × rank.
    pub a: Tensor<2>,
    /// rank × d_out, with the scale.
    pub b: Tensor<2>,
}

/// Returns which parameters are A and B at a site; `None` if the equation has another form.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn factors(block: &BlockPet<'_>, site: &SitePet<'_>) -> Result<Option<Factors>> {
    let [step] = site.program.steps() else {
        return Ok(None);
    };
    let Some((scale, names)) = parse_form(&step.tree).filter(|_| site.site.is_linear()) else {
        return Ok(None);
    };
    let binding = |name: &str| {
        let index = site.program.variables().iter().position(|(variable, _)| variable == name);
        site.bindings.get(index?)
    };
    let mut parameters = Vec::new();
    for name in names {
        match binding(name) {
            Some(Binding::Parameter(index)) => parameters.push(*index),
            _ => return Ok(None),
        }
    }
    let scale = match scale.map(binding) {
        None => 1.0,
        Some(Some(Binding::Number(value))) => *value,
        Some(Some(Binding::Parameter(index))) => {
            let tensor = HostTensor::read(block.parameters[*index].tensor)?;
            match tensor.values[..] {
                [value] => f64::from(value),
                _ => return Ok(None),
            }
        }
        Some(_) => return Ok(None),
    };
    Ok(match parameters.as_slice() {
        [a, b @ ..] if !b.is_empty() => Some(Factors { a: *a, b: b.to_vec(), scale }),
        _ => None,
    })
}

/// Returns the change of a site; `None` as for [`factors`].
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn low_rank_update(block: &BlockPet<'_>, site: &SitePet<'_>) -> Result<Option<LowRankUpdate>> {
    let update = |found: Factors| {
        let tensor = |index: usize| block.parameters[index].tensor.clone();
        let b = found.b.iter().map(|at| tensor(*at));
        Some(LowRankUpdate { a: tensor(found.a), b: b.reduce(Tensor::matmul)? * found.scale })
    };
    Ok(factors(block, site)?.and_then(update))
}

/// Returns the name of the scale, and the names of the matrices after e.
fn parse_form(tree: &Expr) -> Option<(Option<&str>, Vec<&str>)> {
    let NodeKind::Binary(BinaryOperator::Add, sum) = &tree.kind else {
        return None;
    };
    let [NodeKind::Name(h), change] = [&sum[0].kind, &sum[1].kind] else {
        return None;
    };
    let (scale, product) = match change {
        NodeKind::Binary(BinaryOperator::Multiply, operands) => match &operands[0].kind {
            NodeKind::Name(scale) => (Some(scale.as_str()), &operands[1]),
            _ => return None,
        },
        _ => (None, &sum[1]),
    };
    (h == "h").then_some((scale, matrices(product)?))
}

/// Returns the matrices of e @ A @ B …; `dropout` is ignored, since it acts only in training.
fn matrices(tree: &Expr) -> Option<Vec<&str>> {
    match &tree.kind {
        NodeKind::Name(name) if name == "e" => Some(Vec::new()),
        NodeKind::Call(name, arguments) if name == "dropout" => matrices(arguments.first()?),
        NodeKind::Binary(BinaryOperator::MatMul, operands) => {
            let mut names = matrices(&operands[0])?;
            let NodeKind::Name(name) = &operands[1].kind else {
                return None;
            };
            names.push(name);
            Some(names)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::super::library::PluginLibrary;
    use super::super::{BlockKind, Hooks, Init, PetSettings, PetStack};
    use super::*;

    /// Returns a PET with random values in all parameters, so that it changes the output.
    fn stack(plugin: &str) -> PetStack {
        let spec = PluginLibrary::standard().get(plugin).unwrap();
        let shapes = [BlockKind::VIT.shape()];
        let settings = PetSettings::default();
        let stack = PetStack::init(&spec, &settings, &shapes, &[0], 1, &Device::flex()).unwrap();
        stack.map_tensors(|name, tensor, _| drawn(tensor.dims(), name.len() as u64))
    }

    fn drawn<const D: usize>(shape: [usize; D], seed: u64) -> Tensor<D> {
        let values = Init::Normal(0.3).draw([shape.iter().product(), 1], seed, 0);
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    /// The factors must give the same change as the equation.
    #[test]
    fn low_rank_factors_match_equation() {
        for plugin in ["lora", "lora all", "fact"] {
            let stack = stack(plugin);
            let block = &stack.exported_blocks()[0];
            for site in &block.sites {
                let update = low_rank_update(block, site).unwrap().unwrap();
                let (inputs, outputs) = site.site.channels(&BlockKind::VIT.shape());
                let (e, h) = (drawn([1, 2, inputs], 3), drawn([1, 2, outputs], 4));
                let found = stack.apply(0, site.site, &e, h.clone()).unwrap() - h;
                let sum = e.squeeze_dim::<2>(0).matmul(update.a).matmul(update.b);
                let [found, sum] =
                    [found.squeeze_dim(0), sum].map(|t| HostTensor::read(&t).unwrap());
                assert!(found.relative_error(&sum) < 1e-4, "{plugin}");
            }
        }
    }

    /// Returns the names of A and B at the first site.
    fn factor_names(stack: &PetStack) -> Option<(&str, Vec<&str>)> {
        let block = &stack.exported_blocks()[0];
        let found = factors(block, &block.sites[0]).unwrap()?;
        let name = |at: &usize| block.parameters[*at].name;
        Some((name(&found.a), found.b.iter().map(name).collect()))
    }

    #[test]
    fn factors_are_identified_by_position_in_equation() {
        for (plugin, a, b) in [
            ("lora", "a_k", &["b_k"][..]),
            ("lora all", "a", &["b"]),
            ("fact", "left", &["sigma", "right"]),
        ] {
            assert_eq!(factor_names(&stack(plugin)), Some((a, b.to_vec())));
        }
        for plugin in ["adapter", "dora", "vera", "ssf", "prefix", "pfeiffer"] {
            assert_eq!(factor_names(&stack(plugin)), None, "{plugin}");
        }
    }
}
