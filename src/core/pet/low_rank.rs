//! Which equations are LoRA: h and what matrices make of e, h + Σ s·(e @ A @ B …), with the values of
//! A and B. Found in the tree, so that no plugin has to say of itself what it is.

use std::collections::BTreeMap;

use super::equation::{Binding, Meaning};
use super::written::{BlockPet, SitePet};
use crate::expression::{Expr, NodeKind, Sign};
use crate::problem::Result;
use crate::tensors::HostTensor;

/// s·(e @ A @ B).
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// d_in × rank.
    pub a: Matrix,
    /// rank × d_out, s taken in.
    pub b: Matrix,
}

/// Rows, columns, and the values row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Row by row.
    pub values: Vec<f64>,
    /// Whose it is as it stands: a parameter of the block.
    parameter: Option<usize>,
}

/// Which parameters of a block are A and B in h + scale·(e @ A @ B).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roles {
    /// d_in × rank.
    pub a: usize,
    /// rank × d_out.
    pub b: usize,
    /// What the product is multiplied with.
    pub scale: f64,
}

/// What a part of the equation is, as far as LoRA has it.
#[derive(Clone, Debug)]
enum Part {
    Number(f64),
    Matrix(Matrix),
    /// h so many times, and what matrices make of e.
    Sum(f64, Vec<Term>),
}

/// s·(e @ M @ …).
#[derive(Clone, Debug)]
struct Term {
    scale: f64,
    matrices: Vec<Matrix>,
}

/// The changes that a site's equation makes; none where it is no LoRA.
///
/// # Errors
/// A Problem when the device failed.
pub fn changes(pet: &BlockPet<'_>, site: &SitePet<'_>) -> Result<Option<Vec<Change>>> {
    let terms = terms(pet, site)?;
    Ok(terms.and_then(|terms| terms.into_iter().map(Term::change).collect()))
}

/// Which parameters are A and B; none where the equation is not h + scale·(e @ A @ B) with two of them.
///
/// # Errors
/// A Problem when the device failed.
pub fn roles(pet: &BlockPet<'_>, site: &SitePet<'_>) -> Result<Option<Roles>> {
    let terms = terms(pet, site)?.unwrap_or_default();
    Ok(match terms.as_slice() {
        [Term { scale, matrices }] => match matrices.as_slice() {
            [a, b] => a.parameter.zip(b.parameter).map(|(a, b)| Roles {
                a,
                b,
                scale: *scale,
            }),
            _ => None,
        },
        _ => None,
    })
}

/// The sum that a site's equation adds to h; none where it does something else.
fn terms(pet: &BlockPet<'_>, site: &SitePet<'_>) -> Result<Option<Vec<Term>>> {
    if !site.site.is_linear() {
        return Ok(None);
    }
    let mut known = BTreeMap::new();
    for ((name, meaning), binding) in site.program.variables().iter().zip(site.bindings) {
        let part = match (meaning, binding) {
            (Meaning::Input(0), _) => Part::Sum(
                0.0,
                vec![Term {
                    scale: 1.0,
                    matrices: Vec::new(),
                }],
            ),
            (Meaning::Input(1), _) => Part::Sum(1.0, Vec::new()),
            (_, Binding::Number(value)) => Part::Number(*value),
            (_, Binding::Parameter(at)) => match pet.parameters.get(*at) {
                Some(parameter) => of_tensor(&HostTensor::read(parameter.tensor)?, *at),
                None => return Ok(None),
            },
            _ => continue,
        };
        known.insert(name.as_str(), part);
    }
    let mut last = None;
    for step in site.program.steps() {
        last = part(&step.tree, &known);
        let Some(value) = &last else { return Ok(None) };
        known.insert(&step.text.name, value.clone());
    }
    Ok(match last {
        Some(Part::Sum(1.0, terms)) => Some(terms),
        _ => None,
    })
}

/// A parameter; one of a single number is that number.
fn of_tensor(tensor: &HostTensor, at: usize) -> Part {
    let values: Vec<f64> = tensor.values.iter().map(|v| f64::from(*v)).collect();
    match (tensor.shape.as_slice(), values.as_slice()) {
        ([1, 1], [only]) => Part::Number(*only),
        (shape, _) => Part::Matrix(Matrix {
            rows: shape[0],
            columns: shape[1],
            values,
            parameter: Some(at),
        }),
    }
}

fn part(tree: &Expr, known: &BTreeMap<&str, Part>) -> Option<Part> {
    match &tree.kind {
        NodeKind::Number(value) => Some(Part::Number(*value)),
        NodeKind::Name(name) => known.get(name.as_str()).cloned(),
        NodeKind::Minus(inner) => Some(part(inner, known)?.times(-1.0)),
        NodeKind::Pair(sign, both) => {
            let (left, right) = (part(&both[0], known)?, part(&both[1], known)?);
            pair(*sign, left, right)
        }
        // What drops acts in training alone.
        NodeKind::Call(name, arguments) if name == "dropout" || name == "detach" => {
            part(arguments.first()?, known)
        }
        NodeKind::Call(..) => None,
    }
}

fn pair(sign: Sign, left: Part, right: Part) -> Option<Part> {
    Some(match (sign, left, right) {
        (Sign::Subtract, left, right) => return pair(Sign::Add, left, right.times(-1.0)),
        (Sign::Add, Part::Number(a), Part::Number(b)) => Part::Number(a + b),
        (Sign::Add, Part::Sum(a, mut terms), Part::Sum(b, more)) => {
            terms.extend(more);
            Part::Sum(a + b, terms)
        }
        (Sign::Multiply, Part::Number(number), other)
        | (Sign::Multiply, other, Part::Number(number)) => other.times(number),
        (Sign::Divide, other, Part::Number(number)) => other.times(1.0 / number),
        (Sign::Product, Part::Matrix(a), Part::Matrix(b)) => Part::Matrix(a.product(&b)?),
        (Sign::Product, Part::Sum(0.0, mut terms), Part::Matrix(matrix)) => {
            terms
                .iter_mut()
                .for_each(|term| term.matrices.push(matrix.clone()));
            Part::Sum(0.0, terms)
        }
        _ => return None,
    })
}

impl Part {
    fn times(self, number: f64) -> Self {
        match self {
            Self::Number(value) => Self::Number(value * number),
            Self::Matrix(matrix) => Self::Matrix(matrix.times(number)),
            Self::Sum(h, mut terms) => {
                terms.iter_mut().for_each(|term| term.scale *= number);
                Self::Sum(h * number, terms)
            }
        }
    }
}

impl Term {
    /// Two matrices: the first, and the product of the others. None for e alone.
    fn change(self) -> Option<Change> {
        let mut matrices = self.matrices.into_iter();
        let a = matrices.next()?;
        let rest = matrices.try_fold(None, |all: Option<Matrix>, next| match all {
            Some(all) => all.product(&next).map(Some),
            None => Some(Some(next)),
        })?;
        let b = rest.unwrap_or_else(|| Matrix::one(a.columns));
        Some(Change {
            a,
            b: b.times(self.scale),
        })
    }
}

impl Matrix {
    fn one(side: usize) -> Self {
        let value = |at: usize| f64::from(u8::from(at / side == at % side));
        Self {
            rows: side,
            columns: side,
            values: (0..side * side).map(value).collect(),
            parameter: None,
        }
    }

    fn times(mut self, number: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value *= number);
        self.parameter = None;
        self
    }

    /// None where they do not fit.
    fn product(&self, other: &Self) -> Option<Self> {
        if self.columns != other.rows {
            return None;
        }
        let mut values = vec![0.0; self.rows * other.columns];
        for (row, out) in values.chunks_exact_mut(other.columns.max(1)).enumerate() {
            for inner in 0..self.columns {
                let factor = self.values[row * self.columns + inner];
                let line = &other.values[inner * other.columns..][..other.columns];
                out.iter_mut()
                    .zip(line)
                    .for_each(|(sum, value)| *sum += factor * value);
            }
        }
        Some(Self {
            rows: self.rows,
            columns: other.columns,
            values,
            parameter: None,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use burn::tensor::{Device, Tensor, TensorData};

    use super::super::library::PluginLibrary;
    use super::super::{BlockKind, Hooks, Init, PetSettings, PetStack, Site};
    use super::*;

    /// A PET whose every number is drawn, so that it does something.
    fn stack(plugin: &str) -> PetStack {
        let spec = PluginLibrary::standard().get(plugin).unwrap();
        let shapes = [BlockKind::VIT.shape()];
        let settings = PetSettings::default();
        let stack = PetStack::init(&spec, &settings, &shapes, &[0], 1, &Device::flex()).unwrap();
        stack.with(|name, tensor, _| drawn(tensor.dims(), name.len() as u64))
    }

    fn drawn<const D: usize>(shape: [usize; D], seed: u64) -> Tensor<D> {
        let values = Init::Normal(0.3).draw([shape.iter().product(), 1], seed, 0);
        Tensor::from_data(TensorData::new(values, shape), &Device::flex())
    }

    /// What the matrices add is what the equation adds.
    #[test]
    fn the_matrices_of_a_lora_are_what_its_equation_adds() {
        for plugin in ["lora", "lora all", "fact"] {
            let stack = stack(plugin);
            let block = &stack.written()[0];
            for site in &block.sites {
                let changes = changes(block, site).unwrap().unwrap();
                let (inputs, outputs) = site.site.channels(&BlockKind::VIT.shape());
                let (e, h) = (drawn([1, 2, inputs], 3), drawn([1, 2, outputs], 4));
                let found = stack.around(0, site.site, &e, h.clone()).unwrap() - h;
                let found = HostTensor::read(&found).unwrap().values;
                let e = HostTensor::read(&e).unwrap().values;
                let e = Matrix {
                    rows: 2,
                    columns: inputs,
                    values: e.iter().map(|v| f64::from(*v)).collect(),
                    parameter: None,
                };
                let mut sum = vec![0.0; found.len()];
                for change in changes {
                    let added = e.product(&change.a).unwrap().product(&change.b).unwrap();
                    sum.iter_mut()
                        .zip(added.values)
                        .for_each(|(sum, v)| *sum += v);
                }
                let largest = sum.iter().fold(0f64, |most, v| most.max(v.abs()));
                for (a, b) in found.iter().zip(sum) {
                    assert!((f64::from(*a) - b).abs() < 1e-4 * largest, "{plugin}");
                }
            }
        }
    }

    #[test]
    fn what_does_more_than_add_matrices_of_e_is_no_lora() {
        for plugin in ["adapter", "dora", "vera", "ssf", "prefix", "pfeiffer"] {
            let stack = stack(plugin);
            let block = &stack.written()[0];
            let is_lora = block
                .sites
                .iter()
                .any(|site| changes(block, site).unwrap().is_some());
            assert!(!is_lora, "{plugin}");
        }
    }

    #[test]
    fn a_and_b_are_known_by_their_places_in_the_equation() {
        for (plugin, named) in [("lora", ["a_k", "b_k"]), ("lora all", ["a", "b"])] {
            let stack = stack(plugin);
            let block = &stack.written()[0];
            let key = block.sites.iter().find(|site| site.site == Site::Key);
            let roles = roles(block, key.unwrap()).unwrap().unwrap();
            assert_eq!(
                [roles.a, roles.b].map(|at| block.parameters[at].name),
                named
            );
            assert!(roles.scale != 0.0);
        }
        let stack = stack("fact");
        let block = &stack.written()[0];
        assert_eq!(roles(block, &block.sites[0]).unwrap(), None);
    }
}
