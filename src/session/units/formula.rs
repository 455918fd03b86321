//! Formulas over the results of runs, such as `forgetting(baseline) > forgetting(lae)`. They use the syntax of PET
//! equations with other functions. They are checked here and evaluated in `value`.

use super::functions::{FUNCTIONS, Function, FunctionBody, function};
use crate::expression::BinaryOperator::*;
use crate::expression::{Diagnostic, Expr, Language, NodeKind, parse};
use crate::message;
use crate::method::METHODS;
use crate::metrics::Expert;
use crate::names::shortened;
use crate::problem::{Problem, Result, some_of};
use crate::texts::Message;

const LANGUAGE: Language = Language {
    called: "the formula",
    any: "a formula",
    operators: &[
        Or, And, Less, AtMost, More, AtLeast, Add, Subtract, Multiply, Divide,
    ],
    most_letters: 400,
    most_tokens: 400,
    shorter: "write it in several pieces",
    made_of: "",
};

/// A parsed and checked formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The source text.
    pub text: String,
    pub(super) tree: Expr,
}

/// The arguments of a function call.
pub(super) struct CallArguments<'t> {
    pub run: &'t str,
    /// The node with the name of the run.
    place: &'t Expr,
    /// The numbers after the run, such as tasks, from 1.
    pub numbers: Vec<usize>,
    /// The expert.
    pub expert: Option<Expert>,
}

impl Formula {
    /// Parses and checks a formula over these runs.
    ///
    /// # Errors
    /// Returns a Problem that explains what cannot be parsed, or which run or function does not exist.
    pub fn read(text: &str, runs: &[String]) -> Result<Self> {
        let text = text.trim();
        let checked = parse(&LANGUAGE, text).and_then(|tree| {
            check(&tree, runs)?;
            Ok(tree)
        });
        match checked {
            Ok(tree) => Ok(Self {
                text: text.to_owned(),
                tree,
            }),
            Err(wrong) => Err(problem(text, &wrong)),
        }
    }

    /// Returns whether the formula is a condition; otherwise it is a number.
    pub fn is_condition(&self) -> bool {
        is_condition(&self.tree)
    }

    /// Parses a formula that must be a condition, or must be a number.
    ///
    /// # Errors
    /// Returns a Problem as [`Formula::read`], or if the formula has the other type.
    pub fn read_as(text: &str, runs: &[String], condition: bool) -> Result<Self> {
        let formula = Self::read(text, runs)?;
        let wrong = |what: Message| Err(problem(&formula.text, &Diagnostic::new(0..0, what)));
        match (formula.is_condition(), condition) {
            (true, false) => wrong(message!("formula-number-expected")),
            (false, true) => wrong(message!("formula-condition-expected")),
            _ => Ok(formula),
        }
    }
}

/// Converts an error of the parser to a Problem.
fn problem(text: &str, wrong: &Diagnostic) -> Problem {
    let what = match text {
        "" => wrong.words(),
        text => message!(
            "formula-problem-in-text",
            what = wrong.words(),
            text = shortened(text)
        )
        .into(),
    };
    let remedy = wrong.remedy();
    Problem::new(what).advise(match remedy.english.is_empty() {
        false => remedy,
        true => {
            let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            message!("formula-example-advice", names = names.join(", ")).into()
        }
    })
}

fn is_condition(node: &Expr) -> bool {
    matches!(node.kind, NodeKind::Binary(sign, _) if sign.compares() || sign.joins())
}

/// Checks a node and its children and returns the first error.
fn check(node: &Expr, runs: &[String]) -> Result<(), Diagnostic> {
    let wrong = |what: Message| Err(Diagnostic::new(node.pointed(), what));
    match &node.kind {
        NodeKind::Number(_) => return Ok(()),
        NodeKind::Name(name) => {
            let what = message!("formula-name-not-number", name = name.as_str());
            let wrong = Diagnostic::new(node.span.clone(), what);
            return Err(match runs.contains(name) {
                true => wrong.because(message!(
                    "formula-name-not-number-advice",
                    name = name.as_str()
                )),
                false => wrong,
            });
        }
        NodeKind::Call(name, arguments) => {
            let Some(function) = function(name) else {
                let what = message!("formula-unknown-function", name = name.as_str());
                let span = node.span.start..node.span.start + name.len();
                let known = FUNCTIONS.iter().map(|function| function.name);
                return Err(Diagnostic::new(span, what).meant(name, known));
            };
            if matches!(function.of, FunctionBody::Run(_)) {
                return asked(function, node, arguments).and_then(|asked| asked.of_any(runs));
            }
            if arguments.iter().any(is_condition) {
                return wrong(message!("formula-takes-numbers", name = name.as_str()));
            }
        }
        NodeKind::Minus(inner) if is_condition(inner) => {
            return wrong(message!("formula-signed-condition"));
        }
        NodeKind::Minus(_) => {}
        NodeKind::Binary(sign, both) => {
            if both.iter().any(|side| is_condition(side) != sign.joins()) {
                return wrong(match sign.joins() {
                    true => message!("formula-and-joins-conditions"),
                    false => message!("formula-condition-in-arithmetic"),
                });
            }
        }
    }
    node.parts().iter().try_for_each(|part| check(part, runs))
}

/// Returns the arguments of a call such as `seen(run, 2, offline)`, or an error if the function does not accept them.
pub(super) fn asked<'t>(
    function: &Function,
    node: &Expr,
    arguments: &'t [Expr],
) -> Result<CallArguments<'t>, Diagnostic> {
    let like = function.about.split(':').next().unwrap_or_default();
    let (mut run, mut numbers, mut expert) = (None, Vec::new(), None);
    for (at, argument) in arguments.iter().enumerate() {
        let known = |name: &str| {
            let mut experts = METHODS.iter().flat_map(|method| method.experts);
            experts.find(|known| known.name() == name).copied()
        };
        match &argument.kind {
            NodeKind::Name(name) if at == 0 => run = Some((name.as_str(), argument)),
            NodeKind::Number(number)
                if at > 0 && number.fract() == 0.0 && (1.0..1e15).contains(number) =>
            {
                numbers.push(*number as usize);
            }
            NodeKind::Name(name)
                if at > 0 && function.by_expert && expert.is_none() && known(name).is_some() =>
            {
                expert = known(name);
            }
            _ => {
                let argued = argument.to_string();
                let what = message!("formula-argument-invalid", argument = argued, like = like);
                return Err(Diagnostic::new(argument.span.clone(), what));
            }
        }
    }
    match run {
        Some((run, place)) if function.numbers.contains(&numbers.len()) => Ok(CallArguments {
            run,
            place,
            numbers,
            expert,
        }),
        _ => {
            let what = message!("formula-wrong-arguments", name = function.name, like = like);
            Err(Diagnostic::new(node.span.clone(), what))
        }
    }
}

impl CallArguments<'_> {
    /// Checks that the call refers to one of these runs.
    fn of_any(&self, runs: &[String]) -> Result<(), Diagnostic> {
        if runs.iter().any(|known| known == self.run) {
            return Ok(());
        }
        let there = match runs.is_empty() {
            true => message!("formula-no-runs-defined-advice"),
            false => message!("formula-unknown-run-advice", names = some_of(runs, 20)),
        };
        let what = message!("formula-unknown-run", name = self.run);
        Err(Diagnostic::new(self.place.span.clone(), what).because(there))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tr;

    #[test]
    fn what_cannot_be_read_is_told_in_one_sentence() {
        let runs = ["a".to_string()];
        for (text, id) in [
            ("accuracy(b)", "formula-unknown-run"),
            ("acuracy(a)", "formula-unknown-function"),
            ("accuracy(a) >", "problem-equation-ends-early"),
            ("accuracy(a) 3", "problem-operator-missing-before"),
            ("cell(a, 1)", "formula-wrong-arguments"),
            ("cell(a, 0, 1)", "formula-argument-invalid"),
            ("cell(a, 1.5, 1)", "formula-argument-invalid"),
            ("cell(a, 1e30, 1)", "formula-argument-invalid"),
            ("given(a, offline)", "formula-argument-invalid"),
            ("accuracy(a, offline, online)", "formula-argument-invalid"),
            ("accuracy(1)", "formula-argument-invalid"),
            ("accuracy(a", "problem-parenthesis-never-closed"),
            ("a + 1", "formula-name-not-number"),
            ("mean(1 < 2)", "formula-takes-numbers"),
            ("-(1 < 2)", "formula-signed-condition"),
            ("(1 < 2) + 3", "formula-condition-in-arithmetic"),
            ("1 < 2 < 3", "formula-condition-in-arithmetic"),
            ("1 and 2", "formula-and-joins-conditions"),
            ("1 % 2", "problem-character-not-allowed"),
            ("1 @ 2", "problem-character-not-allowed"),
            ("1.2.3", "problem-not-a-number"),
            ("", "problem-equation-empty"),
        ] {
            let problem = Formula::read(text, &runs).unwrap_err();
            assert!(problem.mentions(id), "{text}: {problem:?}");
            assert!(!problem.remedy.is_empty());
        }
        let meant = Formula::read("acuracy(a)", &runs).unwrap_err();
        assert_eq!(meant.remedy, tr!("advice-did-you-mean", name = "accuracy"));
        let deep = "(".repeat(200);
        assert!(Formula::read(&deep, &runs).is_err());
        assert!(Formula::read(&"1+".repeat(300), &runs).is_err());
        assert!(Formula::read_as("accuracy(a)", &runs, true).is_err());
        assert!(Formula::read_as("accuracy(a) > 1", &runs, false).is_err());
    }
}
