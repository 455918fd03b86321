//! Translates equations of a plugin into operations of an ONNX graph.

use std::collections::BTreeMap;

use crate::expression::{BinaryOperator, Expr, NodeKind};
use crate::message;
use crate::onnx::{Graph, Value};
use crate::pet::equation::{Binding, Meaning};
use crate::pet::{BlockPet, SitePet};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// The value of a subexpression.
#[derive(Clone, Debug)]
enum Operand {
    Number(f64),
    /// A tensor with its axes; the numbers of rows and columns of a matrix are known.
    Tensor(Value, Axes),
}

/// The axes of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axes {
    Matrix([usize; 2]),
    /// Three or four axes.
    HigherRank(usize),
}

/// Translates an equation.
struct GraphWriter<'a> {
    graph: &'a mut Graph,
    variables: BTreeMap<String, Operand>,
}

/// Returns the result of a site's equation for its inputs; `network` distinguishes the parameters of several networks,
/// `channels` are those of e and h.
///
/// # Errors
/// Returns a Problem for a function that ONNX cannot express, or if the device failed.
pub fn write_equation(
    graph: &mut Graph,
    network: &str,
    pet: &BlockPet<'_>,
    site: &SitePet<'_>,
    inputs: &[&Value],
    (inner, outer): (usize, usize),
) -> Result<Value> {
    let mut variables = BTreeMap::new();
    for ((name, meaning), binding) in site.program.variables().iter().zip(site.bindings) {
        let part = match (meaning, binding) {
            // The frozen weight.
            (Meaning::Input(2), _) if site.site.is_linear() => {
                Operand::Tensor(input(inputs, 2)?, Axes::Matrix([inner, outer]))
            }
            (Meaning::Input(at), _) => {
                let axes =
                    if site.site.inputs().len() == 3 && !site.site.is_linear() { 4 } else { 3 };
                Operand::Tensor(input(inputs, *at)?, Axes::HigherRank(axes))
            }
            (_, Binding::Number(number)) => Operand::Number(*number),
            (_, Binding::Parameter(at)) => {
                let parameter =
                    pet.parameters.get(*at).ok_or_else(|| unknown_name_problem(name))?;
                let host_tensor = HostTensor::read(parameter.tensor)?;
                let site_name = parameter.site.map_or("", |site| site.name());
                let name = format!("{network} {} {site_name} {}", pet.block, parameter.name);
                let [rows, columns] = parameter.tensor.dims();
                let value = graph.weight(&name, &[rows, columns], || host_tensor.values);
                Operand::Tensor(value, Axes::Matrix([rows, columns]))
            }
            _ => continue,
        };
        variables.insert(name.clone(), part);
    }
    let mut writer = GraphWriter { graph, variables };
    let mut last = Operand::Number(0.0);
    for step in site.program.steps() {
        last = writer.translate(&step.tree)?;
        writer.variables.insert(step.text.name.clone(), last.clone());
    }
    match last {
        Operand::Tensor(value, _) => Ok(value),
        Operand::Number(number) => Ok(writer.graph.scalar(number)),
    }
}

fn input(inputs: &[&Value], at: usize) -> Result<Value> {
    inputs.get(at).map(|value| (*value).clone()).ok_or_else(|| unknown_name_problem("an input"))
}

fn unknown_name_problem(name: &str) -> Problem {
    Problem::new(format!("`{name}` is not known where the equation is written"))
}

impl GraphWriter<'_> {
    fn translate(&mut self, tree: &Expr) -> Result<Operand> {
        Ok(match &tree.kind {
            NodeKind::Number(number) => Operand::Number(*number),
            NodeKind::Name(name) => {
                self.variables.get(name).cloned().ok_or_else(|| unknown_name_problem(name))?
            }
            NodeKind::Negate(inner) => match self.translate(inner)? {
                Operand::Number(number) => Operand::Number(-number),
                Operand::Tensor(x, axes) => Operand::Tensor(self.graph.op("Neg", &[&x], &[]), axes),
            },
            NodeKind::Binary(sign, operands) => {
                let (left, right) = (self.translate(&operands[0])?, self.translate(&operands[1])?);
                self.pair(*sign, left, right)
            }
            NodeKind::Call(name, arguments) => {
                let parts = arguments
                    .iter()
                    .map(|argument| self.translate(argument))
                    .collect::<Result<Vec<_>>>()?;
                self.call(name, &parts)?
            }
        })
    }

    fn pair(&mut self, sign: BinaryOperator, left: Operand, right: Operand) -> Operand {
        let operator = match sign {
            BinaryOperator::Add => "Add",
            BinaryOperator::Subtract => "Sub",
            BinaryOperator::Multiply => "Mul",
            BinaryOperator::MatMul => "MatMul",
            _ => "Div",
        };
        if let (Operand::Number(a), Operand::Number(b)) = (&left, &right) {
            return Operand::Number(sign.calculate(*a, *b));
        }
        let axes = match (left.axes(), right.axes()) {
            (Some(Axes::Matrix([a, b])), Some(Axes::Matrix([c, d]))) => Axes::Matrix(match sign {
                BinaryOperator::MatMul => [a, d],
                _ => [a.max(c), b.max(d)],
            }),
            (Some(Axes::HigherRank(n)), _) | (_, Some(Axes::HigherRank(n))) => Axes::HigherRank(n),
            (Some(axes), None) | (None, Some(axes)) => axes,
            (None, None) => Axes::HigherRank(3),
        };
        let (left, right) = (self.value(left), self.value(right));
        Operand::Tensor(self.graph.binary(operator, &left, &right), axes)
    }

    fn value(&mut self, part: Operand) -> Value {
        match part {
            Operand::Number(number) => self.graph.scalar(number),
            Operand::Tensor(value, _) => value,
        }
    }

    fn call(&mut self, name: &str, parts: &[Operand]) -> Result<Operand> {
        let second = match parts.get(1) {
            Some(Operand::Number(number)) => *number as i64,
            _ => 0,
        };
        let (x, axes) = match parts.first() {
            Some(Operand::Tensor(x, axes)) => (x, *axes),
            Some(Operand::Number(number)) => {
                return Ok(Operand::Number(match name {
                    "sqrt" => number.sqrt(),
                    "exp" => number.exp(),
                    "tanh" => number.tanh(),
                    _ => return Err(unsupported_function_problem(name)),
                }));
            }
            None => return Err(unsupported_function_problem(name)),
        };
        let columns = |count: usize| match axes {
            Axes::Matrix([rows, _]) => Axes::Matrix([rows, count]),
            more => more,
        };
        let rows = |count: usize| match axes {
            Axes::Matrix([_, columns]) => Axes::Matrix([count, columns]),
            more => more,
        };
        let [all_rows, all_columns] = match axes {
            Axes::Matrix(lengths) => lengths,
            Axes::HigherRank(_) => [0; 2],
        };
        let n = second.max(0) as usize;
        let graph = &mut *self.graph;
        let same = |value: Value| Ok(Operand::Tensor(value, axes));
        match name {
            "gelu" => same(graph.gelu(x)),
            "relu" => same(graph.op("Relu", &[x], &[])),
            "tanh" => same(graph.op("Tanh", &[x], &[])),
            "sigmoid" => same(graph.op("Sigmoid", &[x], &[])),
            "exp" => same(graph.op("Exp", &[x], &[])),
            "sqrt" => same(graph.op("Sqrt", &[x], &[])),
            "softmax" => same(graph.softmax(x)),
            "dropout" | "detach" => same(x.clone()),
            "silu" => {
                let share = graph.op("Sigmoid", &[x], &[]);
                same(graph.binary("Mul", x, &share))
            }
            "mean" => Ok(Operand::Tensor(graph.mean(x, -1), columns(1))),
            "sum" => Ok(Operand::Tensor(graph.sum(x, -1), columns(1))),
            "column_norms" => {
                let squares = graph.binary("Mul", x, x);
                let sums = graph.sum(&squares, -2);
                Ok(Operand::Tensor(graph.op("Sqrt", &[&sums], &[]), rows(1)))
            }
            "first_columns" => {
                Ok(Operand::Tensor(graph.slice(x, -1, 0, second), columns(n.min(all_columns))))
            }
            "rest_columns" => {
                let rest = graph.slice(x, -1, second, i64::MAX);
                Ok(Operand::Tensor(rest, columns(all_columns.saturating_sub(n))))
            }
            "first_rows" => {
                Ok(Operand::Tensor(graph.slice(x, -2, 0, second), rows(n.min(all_rows))))
            }
            "rest_rows" => {
                let rest = graph.slice(x, -2, second, i64::MAX);
                Ok(Operand::Tensor(rest, rows(all_rows.saturating_sub(n))))
            }
            "transpose" => Ok(match axes {
                Axes::Matrix([a, b]) => {
                    Operand::Tensor(graph.permute(x, &[1, 0]), Axes::Matrix([b, a]))
                }
                Axes::HigherRank(3) => Operand::Tensor(graph.permute(x, &[0, 2, 1]), axes),
                Axes::HigherRank(_) => Operand::Tensor(graph.permute(x, &[0, 1, 3, 2]), axes),
            }),
            "split_heads" => Ok(split_heads(graph, x, axes, second)),
            "join_tokens" => match parts.get(1) {
                Some(Operand::Tensor(y, other)) => Ok(join_tokens(graph, (x, axes), (y, *other))),
                _ => Err(unsupported_function_problem(name)),
            },
            "kron" => match (axes, parts.get(1)) {
                (Axes::Matrix([a, b]), Some(Operand::Tensor(y, Axes::Matrix([c, d])))) => {
                    let [a, b, c, d] = [a, b, *c, *d].map(|n| n as i64);
                    let x = graph.reshape(x, &[a, 1, b, 1]);
                    let y = graph.reshape(y, &[1, c, 1, d]);
                    let product = graph.binary("Mul", &x, &y);
                    let flat = graph.reshape(&product, &[a * c, b * d]);
                    Ok(Operand::Tensor(flat, Axes::Matrix([(a * c) as usize, (b * d) as usize])))
                }
                _ => Err(unsupported_function_problem(name)),
            },
            _ => Err(unsupported_function_problem(name)),
        }
    }
}

impl Operand {
    fn axes(&self) -> Option<Axes> {
        match self {
            Self::Number(_) => None,
            Self::Tensor(_, axes) => Some(*axes),
        }
    }
}

/// Reshapes tokens × channels to heads × tokens × channels per head.
fn split_heads(graph: &mut Graph, x: &Value, axes: Axes, heads: i64) -> Operand {
    let by_head = match axes {
        Axes::Matrix([rows, columns]) => {
            let (rows, columns) = (rows as i64, columns as i64);
            graph.reshape(x, &[1, rows, heads, columns / heads.max(1)])
        }
        Axes::HigherRank(_) => graph.reshape(x, &[0, 0, heads, -1]),
    };
    Operand::Tensor(graph.permute(&by_head, &[0, 2, 1, 3]), Axes::HigherRank(4))
}

/// Concatenates the tokens of x and y; leading axes of length 1 are broadcast.
fn join_tokens(
    graph: &mut Graph,
    (x, axes_x): (&Value, Axes),
    (y, axes_y): (&Value, Axes),
) -> Operand {
    if let (Axes::Matrix([a, c]), Axes::Matrix([b, _])) = (axes_x, axes_y) {
        return Operand::Tensor(graph.concat(&[x, y], 0), Axes::Matrix([a + b, c]));
    }
    // Axes of length 1 are expanded to the length of the other tensor.
    let (long_x, long_y) = (graph.expand_like(x, y), graph.expand_like(y, x));
    let axes = match axes_x {
        Axes::HigherRank(_) => axes_x,
        Axes::Matrix(_) => axes_y,
    };
    Operand::Tensor(graph.concat(&[&long_x, &long_y], -2), axes)
}

fn unsupported_function_problem(name: &str) -> Problem {
    Problem::new(message!("problem-export-not-onnx", name))
        .advise(message!("advice-use-torch-format"))
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::onnx::Dimension;
    use crate::pet::functions::FUNCTIONS;
    use crate::pet::library::PluginLibrary;
    use crate::pet::{BlockKind, PetSettings, PetSpec, PetStack, Site};

    #[test]
    fn every_equation_function_converts_to_onnx() {
        let mut graph = Graph::default();
        let x = graph.input("x", &[Dimension::Fixed(4), Dimension::Fixed(4)]);
        let matrix = Operand::Tensor(x, Axes::Matrix([4, 4]));
        let mut writer = GraphWriter { graph: &mut graph, variables: BTreeMap::new() };
        for function in FUNCTIONS {
            let second = match function.name {
                "kron" | "join_tokens" => matrix.clone(),
                _ => Operand::Number(2.0),
            };
            let parts = [matrix.clone(), second];
            let result = writer.call(function.name, &parts[..function.arguments()]);
            assert!(result.is_ok(), "{}: {result:?}", function.name);
        }
    }

    #[test]
    fn every_built_in_pet_exports_at_its_sites() {
        for entry in PluginLibrary::standard().entries() {
            let spec = entry.spec.clone().unwrap();
            let shapes = [BlockKind::VIT.shape()];
            let settings = PetSettings::default();
            let stack = PetStack::init(&spec, &settings, &shapes, &[0], 1, &Device::flex());
            let stack = stack.unwrap();
            let block = &stack.exported_blocks()[0];
            for site in &block.sites {
                let mut graph = Graph::default();
                let inputs: Vec<Value> = site
                    .site
                    .inputs()
                    .iter()
                    .map(|name| graph.input(name, &[Dimension::Named("N")]))
                    .collect();
                let inputs: Vec<&Value> = inputs.iter().collect();
                let channels = site.site.channels(&shapes[0]);
                let result = write_equation(&mut graph, "online", block, site, &inputs, channels);
                assert!(result.is_ok(), "{}: {result:?}", entry.name);
            }
        }
    }

    #[test]
    fn functions_of_frozen_weight_know_its_shape() {
        let text = "name = \"Kronecker\"\nsites = [\"query\"]\n[parameters]\n\
                    s = { shape = [1, 1], init = \"zeros\" }\n[equations]\nquery = \"h + e @ kron(w, s)\"\n";
        let spec = PetSpec::parse(text, "mine.toml").unwrap();
        let shapes = [BlockKind::VIT.shape()];
        let settings = PetSettings::default();
        let stack = PetStack::init(&spec, &settings, &shapes, &[0], 1, &Device::flex()).unwrap();
        let block = &stack.exported_blocks()[0];
        let mut graph = Graph::default();
        let inputs = ["e", "h", "w"].map(|name| graph.input(name, &[Dimension::Named("N")]));
        let inputs: Vec<&Value> = inputs.iter().collect();
        let channels = Site::Query.channels(&shapes[0]);
        write_equation(&mut graph, "online", block, &block.sites[0], &inputs, channels).unwrap();
        let width = shapes[0].width as i64;
        let shape: Vec<u8> = [width, 1, width, 1].into_iter().flat_map(i64::to_le_bytes).collect();
        let bytes = graph.into_bytes("", "");
        assert!(bytes.windows(shape.len()).any(|window| window == shape));
    }
}
