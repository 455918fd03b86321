//! An operand during the evaluation of an equation: a number, or a tensor with its shape. A tensor may have a shape
//! but no values; then the same rules return the shapes of all results without computing them.

use super::budget::{charge_elements, charge_multiplications, charge_shape_inference};
use super::functions::{Function, FunctionBody};
use super::shape::{self, Shape, ShapeResult};
use super::value::{Value, each};
use crate::expression::BinaryOperator;
use crate::message;

/// A number, or a tensor with its shape.
// Operands are few and short-lived, so boxing each tensor would cost more than the larger enum.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A number.
    Number(f64),
    /// A tensor; the values are `None` in shape inference.
    Tensor(Shape, Option<Value>),
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Self::Tensor(value.dims(), Some(value))
    }
}

/// Returns a tensor of this shape. Its elements, and `cost_per_element` multiplications each, are subtracted from the
/// budget before it is computed; returns an error if the budget does not suffice.
fn with_budget(
    shape: Shape,
    cost_per_element: usize,
    computed: Option<impl FnOnce() -> Value>,
) -> ShapeResult<Operand> {
    charge_elements(&shape)?;
    let value = match computed {
        Some(compute) => {
            charge_multiplications(&shape, cost_per_element)?;
            Some(compute())
        }
        None => {
            charge_shape_inference(&shape)?;
            None
        }
    };
    Ok(Operand::Tensor(shape, value))
}

impl Operand {
    /// Returns the negated operand.
    pub fn negate(self) -> ShapeResult<Self> {
        match self {
            Self::Number(n) => Ok(Self::Number(-n)),
            Self::Tensor(shape, x) => with_budget(shape, 1, x.map(|x| || each!(x, x => x.neg()))),
        }
    }

    /// Returns `left <sign> right`.
    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> ShapeResult<Self> {
        match (left, right) {
            (Self::Tensor(a, x), Self::Tensor(b, y)) => {
                let values = x.zip(y);
                if operator == BinaryOperator::MatMul {
                    // Each element of the product takes one multiplication per inner index.
                    let cost_per_element = shape::columns(&a).saturating_add(1);
                    let shape = shape::product(&a, &b)?;
                    return with_budget(
                        shape,
                        cost_per_element,
                        values.map(|(x, y)| || x.matmul(y)),
                    );
                }
                let shape = shape::elementwise(operator, &a, &b)?;
                with_budget(shape, 1, values.map(|(x, y)| move || x.combine(operator, y)))
            }
            _ if operator == BinaryOperator::MatMul => {
                Err(message!("problem-product-needs-tensors"))
            }
            (Self::Tensor(shape, x), Self::Number(n)) => {
                with_budget(shape, 1, x.map(|x| move || x.with_number(operator, n)))
            }
            (Self::Number(n), Self::Tensor(shape, x)) => {
                with_budget(shape, 1, x.map(|x| move || x.after_number(n, operator)))
            }
            (Self::Number(a), Self::Number(b)) => Ok(Self::Number(operator.calculate(a, b))),
        }
    }

    /// Returns the result of a function; the number of arguments must be correct.
    pub fn call(function: &Function, arguments: Vec<Self>) -> ShapeResult<Self> {
        let mut arguments = arguments.into_iter();
        match (function.body, arguments.next(), arguments.next()) {
            (FunctionBody::Tensor(rule, apply), Some(Self::Tensor(shape, x)), _) => {
                with_budget(rule(&shape), 1, x.map(|x| move || apply(x)))
            }
            (FunctionBody::Either(apply, _), Some(Self::Tensor(shape, x)), _) => {
                with_budget(shape, 1, x.map(|x| move || apply(x)))
            }
            (FunctionBody::Either(_, apply), Some(Self::Number(n)), _) => {
                Ok(Self::Number(apply(n)))
            }
            (
                FunctionBody::WithNumber(rule, apply),
                Some(Self::Tensor(shape, x)),
                Some(Self::Number(n)),
            ) => with_budget(rule(&shape, n)?, 1, x.map(|x| move || apply(x, n))),
            (
                FunctionBody::Pair(rule, apply),
                Some(Self::Tensor(a, x)),
                Some(Self::Tensor(b, y)),
            ) => {
                let values = x.zip(y);
                with_budget(rule(&a, &b)?, 1, values.map(|(x, y)| move || apply(x, y)))
            }
            (FunctionBody::WithNumber(..), Some(Self::Tensor(..)), _) => {
                let usage = function.usage;
                Err(message!("problem-function-needs-number", usage))
            }
            _ => {
                let usage = function.usage;
                Err(message!("problem-function-needs-tensor", usage))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Tensor};

    use super::super::budget::start_budget;
    use super::super::functions::FUNCTIONS;
    use super::*;

    const SHAPES: &[&[usize]] = &[
        &[1, 1],
        &[3, 4],
        &[4, 3],
        &[1, 4],
        &[2, 3, 4],
        &[1, 3, 4],
        &[2, 4, 1],
        &[2, 2, 3, 4],
        &[1, 2, 4, 3],
        &[2, 1, 1, 4],
    ];

    /// Returns numbers, and tensors of all shapes; each tensor both with and without values.
    fn operands() -> Vec<[Operand; 2]> {
        let tensor = |shape: &[usize]| -> Value {
            let flat = Tensor::<1>::ones([shape.iter().product::<usize>()], &Device::flex());
            match *shape {
                [a, b, c, d] => flat.reshape([a, b, c, d]).into(),
                [a, b, c] => flat.reshape([a, b, c]).into(),
                _ => flat.reshape([shape[0], shape[1]]).into(),
            }
        };
        let shaped = |shape: &&[usize]| Operand::Tensor(shape.to_vec(), None);
        let tensors = SHAPES.iter().map(|shape| [tensor(shape).into(), shaped(shape)]);
        let numbers = [0.0, 0.5, 1.0, 2.0, 4.0, -1.0, f64::NAN];
        let numbers = numbers.map(|n| [Operand::Number(n), Operand::Number(n)]);
        tensors.chain(numbers).collect()
    }

    /// Asserts that both results agree, and that the values have the inferred shape.
    fn assert_agree([full, shaped]: [ShapeResult<Operand>; 2], what: &str) {
        match (full, shaped) {
            (Err(a), Err(b)) => assert_eq!(a, b, "{what}"),
            (Ok(Operand::Number(a)), Ok(Operand::Number(b))) => {
                assert!(a == b || a.is_nan() && b.is_nan(), "{what}");
            }
            (Ok(Operand::Tensor(a, Some(value))), Ok(Operand::Tensor(b, None))) => {
                assert_eq!((&a, &b), (&value.dims(), &a), "{what}");
            }
            (a, b) => panic!("{what}: {a:?} and {b:?}"),
        }
    }

    #[test]
    fn inferred_shapes_match_computed_values() {
        let all = operands();
        for a in &all {
            start_budget(1 << 20);
            assert_agree(a.clone().map(Operand::negate), "minus");
            for function in FUNCTIONS.iter().filter(|function| function.arguments() == 1) {
                let called = |a: Operand| Operand::call(function, vec![a]);
                assert_agree(a.clone().map(called), function.name);
            }
            for b in &all {
                start_budget(1 << 20);
                let [[a, shape_a], [b, shape_b]] = [a.clone(), b.clone()];
                let pairs = [(a, b), (shape_a, shape_b)];
                for operator in [
                    BinaryOperator::Add,
                    BinaryOperator::Subtract,
                    BinaryOperator::Multiply,
                    BinaryOperator::Divide,
                    BinaryOperator::MatMul,
                ] {
                    let pair = |(a, b)| Operand::binary(operator, a, b);
                    assert_agree(pairs.clone().map(pair), operator.text());
                }
                for function in FUNCTIONS.iter().filter(|function| function.arguments() == 2) {
                    let called = |(a, b)| Operand::call(function, vec![a, b]);
                    assert_agree(pairs.clone().map(called), function.name);
                }
            }
        }
    }
}
