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
enum Part {
    Number(f64),
    /// A tensor with its axes; the numbers of rows and columns of a matrix are known.
    Tensor(Value, Axes),
}

/// The axes of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axes {
    Matrix([usize; 2]),
    /// Three or four axes.
    More(usize),
}

/// Translates an equation.
struct Writer<'a> {
    graph: &'a mut Graph,
    known: BTreeMap<String, Part>,
}

/// Returns the result of a site's equation for its inputs; `network` distinguishes the parameters of several networks.
///
/// # Errors
/// Returns a Problem for a function that ONNX cannot express, or if the device failed.
pub fn written(
    graph: &mut Graph,
    network: &str,
    pet: &BlockPet<'_>,
    site: &SitePet<'_>,
    inputs: &[&Value],
) -> Result<Value> {
    let mut known = BTreeMap::new();
    for ((name, meaning), binding) in site.program.variables().iter().zip(site.bindings) {
        let part = match (meaning, binding) {
            // Its rows and columns are those of the value it is added to.
            (Meaning::Input(2), _) if site.site.is_linear() => {
                Part::Tensor(input(inputs, 2)?, Axes::Matrix([0, 0]))
            }
            (Meaning::Input(at), _) => {
                let axes = if site.site.inputs().len() == 3 && !site.site.is_linear() {
                    4
                } else {
                    3
                };
                Part::Tensor(input(inputs, *at)?, Axes::More(axes))
            }
            (_, Binding::Number(number)) => Part::Number(*number),
            (_, Binding::Parameter(at)) => {
                let parameter = pet.parameters.get(*at).ok_or_else(|| unknown(name))?;
                let stored = HostTensor::read(parameter.tensor)?;
                let of = parameter.site.map_or("", |site| site.name());
                let name = format!("{network} {} {of} {}", pet.block, parameter.name);
                let [rows, columns] = parameter.tensor.dims();
                let value = graph.weight(&name, &[rows, columns], || stored.values);
                Part::Tensor(value, Axes::Matrix([rows, columns]))
            }
            _ => continue,
        };
        known.insert(name.clone(), part);
    }
    let mut writer = Writer { graph, known };
    let mut last = Part::Number(0.0);
    for step in site.program.steps() {
        last = writer.part(&step.tree)?;
        writer.known.insert(step.text.name.clone(), last.clone());
    }
    match last {
        Part::Tensor(value, _) => Ok(value),
        Part::Number(number) => Ok(writer.graph.number(number)),
    }
}

fn input(inputs: &[&Value], at: usize) -> Result<Value> {
    inputs
        .get(at)
        .map(|value| (*value).clone())
        .ok_or_else(|| unknown("an input"))
}

fn unknown(name: &str) -> Problem {
    Problem::new(format!(
        "`{name}` is not known where the equation is written"
    ))
}

impl Writer<'_> {
    fn part(&mut self, tree: &Expr) -> Result<Part> {
        Ok(match &tree.kind {
            NodeKind::Number(number) => Part::Number(*number),
            NodeKind::Name(name) => self.known.get(name).cloned().ok_or_else(|| unknown(name))?,
            NodeKind::Minus(inner) => match self.part(inner)? {
                Part::Number(number) => Part::Number(-number),
                Part::Tensor(x, axes) => Part::Tensor(self.graph.op("Neg", &[&x], &[]), axes),
            },
            NodeKind::Binary(sign, both) => {
                let (left, right) = (self.part(&both[0])?, self.part(&both[1])?);
                self.pair(*sign, left, right)
            }
            NodeKind::Call(name, arguments) => {
                let parts = arguments
                    .iter()
                    .map(|part| self.part(part))
                    .collect::<Result<Vec<_>>>()?;
                self.call(name, &parts)?
            }
        })
    }

    fn pair(&mut self, sign: BinaryOperator, left: Part, right: Part) -> Part {
        let operator = match sign {
            BinaryOperator::Add => "Add",
            BinaryOperator::Subtract => "Sub",
            BinaryOperator::Multiply => "Mul",
            BinaryOperator::Product => "MatMul",
            _ => "Div",
        };
        if let (Part::Number(a), Part::Number(b)) = (&left, &right) {
            return Part::Number(match sign {
                BinaryOperator::Add => a + b,
                BinaryOperator::Subtract => a - b,
                BinaryOperator::Multiply => a * b,
                _ => a / b,
            });
        }
        let axes = match (left.axes(), right.axes()) {
            (Some(Axes::Matrix([a, b])), Some(Axes::Matrix([c, d]))) => Axes::Matrix(match sign {
                BinaryOperator::Product => [a, d],
                _ => [a.max(c), b.max(d)],
            }),
            (Some(Axes::More(n)), _) | (_, Some(Axes::More(n))) => Axes::More(n),
            (Some(own), None) | (None, Some(own)) => own,
            (None, None) => Axes::More(3),
        };
        let (left, right) = (self.value(left), self.value(right));
        Part::Tensor(self.graph.pair(operator, &left, &right), axes)
    }

    fn value(&mut self, part: Part) -> Value {
        match part {
            Part::Number(number) => self.graph.number(number),
            Part::Tensor(value, _) => value,
        }
    }

    fn call(&mut self, name: &str, parts: &[Part]) -> Result<Part> {
        let second = match parts.get(1) {
            Some(Part::Number(number)) => *number as i64,
            _ => 0,
        };
        let (x, axes) = match parts.first() {
            Some(Part::Tensor(x, axes)) => (x, *axes),
            Some(Part::Number(number)) => {
                return Ok(Part::Number(match name {
                    "sqrt" => number.sqrt(),
                    "exp" => number.exp(),
                    "tanh" => number.tanh(),
                    _ => return Err(no_form(name)),
                }));
            }
            None => return Err(no_form(name)),
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
            Axes::Matrix(both) => both,
            Axes::More(_) => [0; 2],
        };
        let n = second.max(0) as usize;
        let graph = &mut *self.graph;
        let same = |value: Value| Ok(Part::Tensor(value, axes));
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
                same(graph.pair("Mul", x, &share))
            }
            "mean" => Ok(Part::Tensor(graph.mean(x, -1), columns(1))),
            "sum" => Ok(Part::Tensor(graph.sum(x, -1), columns(1))),
            "column_norms" => {
                let squares = graph.pair("Mul", x, x);
                let sums = graph.sum(&squares, -2);
                Ok(Part::Tensor(graph.op("Sqrt", &[&sums], &[]), rows(1)))
            }
            "first_columns" => Ok(Part::Tensor(
                graph.slice(x, -1, 0, second),
                columns(n.min(all_columns)),
            )),
            "rest_columns" => {
                let rest = graph.slice(x, -1, second, i64::MAX);
                Ok(Part::Tensor(rest, columns(all_columns.saturating_sub(n))))
            }
            "first_rows" => Ok(Part::Tensor(
                graph.slice(x, -2, 0, second),
                rows(n.min(all_rows)),
            )),
            "rest_rows" => {
                let rest = graph.slice(x, -2, second, i64::MAX);
                Ok(Part::Tensor(rest, rows(all_rows.saturating_sub(n))))
            }
            "transpose" => Ok(match axes {
                Axes::Matrix([a, b]) => {
                    Part::Tensor(graph.permute(x, &[1, 0]), Axes::Matrix([b, a]))
                }
                Axes::More(3) => Part::Tensor(graph.permute(x, &[0, 2, 1]), axes),
                Axes::More(_) => Part::Tensor(graph.permute(x, &[0, 1, 3, 2]), axes),
            }),
            "split_heads" => Ok(split(graph, x, axes, second)),
            "join_tokens" => match parts.get(1) {
                Some(Part::Tensor(y, other)) => Ok(joined(graph, (x, axes), (y, *other))),
                _ => Err(no_form(name)),
            },
            "kron" => match (axes, parts.get(1)) {
                (Axes::Matrix([a, b]), Some(Part::Tensor(y, Axes::Matrix([c, d])))) => {
                    let [a, b, c, d] = [a, b, *c, *d].map(|n| n as i64);
                    let x = graph.reshape(x, &[a, 1, b, 1]);
                    let y = graph.reshape(y, &[1, c, 1, d]);
                    let product = graph.pair("Mul", &x, &y);
                    let flat = graph.reshape(&product, &[a * c, b * d]);
                    Ok(Part::Tensor(
                        flat,
                        Axes::Matrix([(a * c) as usize, (b * d) as usize]),
                    ))
                }
                _ => Err(no_form(name)),
            },
            _ => Err(no_form(name)),
        }
    }
}

impl Part {
    fn axes(&self) -> Option<Axes> {
        match self {
            Self::Number(_) => None,
            Self::Tensor(_, axes) => Some(*axes),
        }
    }
}

/// Reshapes tokens × channels to heads × tokens × channels per head.
fn split(graph: &mut Graph, x: &Value, axes: Axes, heads: i64) -> Part {
    let by_head = match axes {
        Axes::Matrix([rows, columns]) => {
            let (rows, columns) = (rows as i64, columns as i64);
            graph.reshape(x, &[1, rows, heads, columns / heads.max(1)])
        }
        Axes::More(_) => graph.reshape(x, &[0, 0, heads, -1]),
    };
    Part::Tensor(graph.permute(&by_head, &[0, 2, 1, 3]), Axes::More(4))
}

/// Concatenates the tokens of x and y; leading axes of length 1 are broadcast.
fn joined(graph: &mut Graph, (x, of_x): (&Value, Axes), (y, of_y): (&Value, Axes)) -> Part {
    if let (Axes::Matrix([a, c]), Axes::Matrix([b, _])) = (of_x, of_y) {
        return Part::Tensor(graph.join(&[x, y], 0), Axes::Matrix([a + b, c]));
    }
    // Axes of length 1 are expanded to the length of the other tensor.
    let (long_x, long_y) = (graph.grown(x, y), graph.grown(y, x));
    let axes = match of_x {
        Axes::More(_) => of_x,
        Axes::Matrix(_) => of_y,
    };
    Part::Tensor(graph.join(&[&long_x, &long_y], -2), axes)
}

fn no_form(name: &str) -> Problem {
    Problem::new(message!("problem-export-not-onnx", name))
        .advise(message!("advice-use-torch-format"))
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::onnx::Length;
    use crate::pet::functions::FUNCTIONS;
    use crate::pet::library::PluginLibrary;
    use crate::pet::{BlockKind, PetSettings, PetStack};

    #[test]
    fn every_function_of_the_language_has_a_form_in_a_graph() {
        let mut graph = Graph::default();
        let x = graph.input("x", &[Length::Is(4), Length::Is(4)]);
        let matrix = Part::Tensor(x, Axes::Matrix([4, 4]));
        let mut writer = Writer {
            graph: &mut graph,
            known: BTreeMap::new(),
        };
        for known in FUNCTIONS {
            let second = match known.name {
                "kron" | "join_tokens" => matrix.clone(),
                _ => Part::Number(2.0),
            };
            let parts = [matrix.clone(), second];
            let written = writer.call(known.name, &parts[..known.arguments()]);
            assert!(written.is_ok(), "{}: {written:?}", known.name);
        }
    }

    #[test]
    fn every_shipped_pet_can_be_written_at_its_sites() {
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
                    .map(|name| graph.input(name, &[Length::Any("N")]))
                    .collect();
                let inputs: Vec<&Value> = inputs.iter().collect();
                let found = written(&mut graph, "online", block, site, &inputs);
                assert!(found.is_ok(), "{}: {found:?}", entry.name);
            }
        }
    }
}
