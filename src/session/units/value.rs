//! Evaluates formulas with the available results.

use std::collections::BTreeMap;

use super::figures::{NoValue, Outcome, RunFigures};
use super::formula::{Formula, asked};
use super::functions::{Function, FunctionBody, function};
use crate::expression::{BinaryOperator, Expr, NodeKind};
use crate::message;

/// The results of the runs of a unit by name. A repeated run has several.
pub type Figures = BTreeMap<String, Vec<RunFigures>>;

impl Formula {
    /// Returns all values of the formula: one, or one for each repetition of a run.
    ///
    /// # Errors
    /// Returns why the formula has no value.
    pub fn values(&self, figures: &Figures) -> Outcome<Vec<f64>> {
        work_out(&self.tree, figures)
    }

    /// Returns the single value of the formula.
    ///
    /// # Errors
    /// Returns why the formula has no single value.
    pub fn value(&self, figures: &Figures) -> Outcome<f64> {
        match self.values(figures)?.as_slice() {
            [one] => Ok(*one),
            several => Err(NoValue::Never(message!(
                "formula-several-values",
                text = self.text.as_str(),
                n = several.len()
            ))),
        }
    }

    /// Returns whether the condition is true, for every repetition if runs are repeated.
    ///
    /// # Errors
    /// Returns why this cannot be decided yet.
    pub fn holds(&self, figures: &Figures) -> Outcome<bool> {
        Ok(self.values(figures)?.iter().all(|value| *value != 0.0))
    }
}

fn work_out(node: &Expr, figures: &Figures) -> Outcome<Vec<f64>> {
    match &node.kind {
        NodeKind::Number(number) => Ok(vec![*number]),
        NodeKind::Minus(inner) => Ok(work_out(inner, figures)?.iter().map(|v| -v).collect()),
        NodeKind::Binary(sign, both) => pair(
            *sign,
            &work_out(&both[0], figures)?,
            &work_out(&both[1], figures)?,
        ),
        NodeKind::Call(name, arguments) => match function(name) {
            Some(function) => call(function, node, arguments, figures),
            None => Err(NoValue::NotYet),
        },
        // The check rejects a bare name, so this case does not occur.
        NodeKind::Name(_) => Err(NoValue::NotYet),
    }
}

fn call(
    function: &Function,
    node: &Expr,
    arguments: &[Expr],
    figures: &Figures,
) -> Outcome<Vec<f64>> {
    match function.of {
        FunctionBody::Run(of) => {
            let asked = asked(function, node, arguments).map_err(|_| NoValue::NotYet)?;
            let runs = figures.get(asked.run).filter(|runs| !runs.is_empty());
            let runs = runs.ok_or(NoValue::NotYet)?;
            let of_run = |run| of(run, &asked.numbers, asked.expert);
            runs.iter().map(of_run).collect()
        }
        FunctionBody::Numbers(of) => {
            let mut values = Vec::new();
            for argument in arguments {
                values.extend(work_out(argument, figures)?);
            }
            let lack =
                || NoValue::Never(message!("formula-needs-more-values", name = function.name));
            Ok(vec![of(&values).ok_or_else(lack)?])
        }
    }
}

/// Combines two lists element by element. A single value is combined with each element of the other list.
fn pair(sign: BinaryOperator, left: &[f64], right: &[f64]) -> Outcome<Vec<f64>> {
    let most = left.len().max(right.len());
    if [left.len(), right.len()]
        .iter()
        .any(|n| *n != 1 && *n != most)
    {
        return Err(NoValue::Never(message!("formula-repetitions-differ")));
    }
    let at = |values: &[f64], i: usize| values.get(i).or(values.first()).copied();
    let pairs = (0..most).filter_map(|i| Some((at(left, i)?, at(right, i)?)));
    Ok(pairs.map(|(a, b)| of_two(sign, a, b)).collect())
}

fn of_two(sign: BinaryOperator, a: f64, b: f64) -> f64 {
    let truth = |holds: bool| f64::from(u8::from(holds));
    match sign {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply | BinaryOperator::Product => a * b,
        BinaryOperator::Divide => a / b,
        BinaryOperator::Less => truth(a < b),
        BinaryOperator::AtMost => truth(a <= b),
        BinaryOperator::More => truth(a > b),
        BinaryOperator::AtLeast => truth(a >= b),
        BinaryOperator::And => truth(a != 0.0 && b != 0.0),
        BinaryOperator::Or => truth(a != 0.0 || b != 0.0),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::figures::tests::run;
    use super::*;

    fn figures() -> Figures {
        let matrix = vec![vec![0.9], vec![0.95, 0.8], vec![0.7, 0.6, 1.0]];
        let other = vec![vec![1.0], vec![0.8, 1.0], vec![0.6, 0.5, 1.0]];
        Figures::from([
            ("a".into(), vec![run(matrix.clone(), 3)]),
            ("b".into(), vec![run(matrix.clone(), 3), run(other, 3)]),
            ("half".into(), vec![run(matrix[..2].to_vec(), 3)]),
        ])
    }

    fn value(text: &str) -> Outcome<f64> {
        let names: Vec<String> = figures().keys().cloned().collect();
        Formula::read(text, &names).unwrap().value(&figures())
    }

    #[test]
    fn figures_are_those_of_the_matrix() {
        for (text, wanted) in [
            ("cell(a, 2, 1)", 95.0),
            ("drop(a, 1)", 25.0),
            ("forgetting(a)", 22.5),
            ("(drop(a, 1) + drop(a, 2)) / 2", 22.5),
            ("-2 + 3 * 4 - 6 / 2", 7.0),
            ("old(a)", 65.0),
            ("mean(forgetting(b))", 33.75),
            ("most(cell(b, 3, 1)) - least(cell(b, 3, 1))", 10.0),
            ("forgetting(b) > 20 and 1 < 2", 1.0),
            ("cell(half, 2, 2)", 80.0),
        ] {
            let got = match text.contains(" and ") {
                true => {
                    let names: Vec<String> = figures().keys().cloned().collect();
                    let formula = Formula::read_as(text, &names, true).unwrap();
                    f64::from(u8::from(formula.holds(&figures()).unwrap()))
                }
                false => value(text).unwrap(),
            };
            assert!((got - wanted).abs() < 1e-9, "{text}: {got}");
        }
        assert!((value("spread(forgetting(b))").unwrap() - 15.909_902_576).abs() < 1e-6);
    }

    #[test]
    fn what_is_not_there_is_told_apart_from_what_never_will_be() {
        assert_eq!(value("accuracy(half)"), Err(NoValue::NotYet));
        assert_eq!(value("cell(half, 3, 1)"), Err(NoValue::NotYet));
        assert_eq!(value("apart(half)"), Err(NoValue::NotYet));
        for never in [
            "cell(a, 4, 1)",
            "cell(a, 1, 2)",
            "accuracy(a, offline)",
            "apart(a)",
            "forgetting(b)",
        ] {
            assert!(matches!(value(never), Err(NoValue::Never(_))), "{never}");
        }
    }
}
