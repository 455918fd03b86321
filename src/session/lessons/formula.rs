//! Formulas over the results of runs, such as `forgetting(baseline) > forgetting(lae)`. They use the syntax of PET
//! equations with other functions. They are checked when they are parsed and evaluated with the available results.

use std::ops::RangeInclusive;

use super::figures::{Figures, NoValue, Outcome, RunFigures};
use crate::expression::BinaryOperator::{self, *};
use crate::expression::{Diagnostic, Expr, Language, NodeKind, parse};
use crate::message;
use crate::method::METHODS;
use crate::metrics::{Expert, History, mean, std_dev};
use crate::names::truncated_name;
use crate::problem::{Problem, Result, list_value};
use crate::texts::Message;

const LANGUAGE: Language = Language {
    definite_name: "the formula",
    indefinite_name: "a formula",
    operators: &[
        Or,
        And,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        Add,
        Subtract,
        Multiply,
        Divide,
    ],
    max_chars: 400,
    max_tokens: 400,
    shorten_advice: "write it in several pieces",
    content_advice: "",
};

/// A function of a run: its usage, how many numbers follow the run, whether an expert can be given, and its value.
type RunFunction = (
    &'static str,
    RangeInclusive<usize>,
    bool,
    fn(&RunFigures, &[usize], Option<Expert>) -> Outcome<f64>,
);

/// The functions of a run. Accuracies and forgetting are in percent.
static RUN_FUNCTIONS: [RunFunction; 9] = [
    ("accuracy(run)", 0..=0, true, |run, _, expert| {
        run.final_value(expert, History::last_accuracy)
    }),
    ("average(run)", 0..=0, true, |run, _, expert| {
        run.final_value(expert, History::average_accuracy)
    }),
    ("forgetting(run)", 0..=0, true, |run, _, expert| run.final_value(expert, History::forgetting)),
    ("given(run)", 0..=0, false, |run, _, _| run.task_given_accuracy()),
    ("old(run)", 0..=0, true, |run, _, expert| run.old_task_accuracy(expert)),
    ("seen(run, i)", 1..=1, true, |run, at, expert| run.accuracy_after(expert, at[0])),
    ("cell(run, i, j)", 2..=2, true, |run, at, expert| run.cell(expert, at[0], at[1])),
    ("drop(run, j)", 1..=1, true, |run, at, expert| {
        run.final_value(expert, |h| h.drops().get(at[0] - 1).copied())
    }),
    ("apart(run, task, epoch)", 0..=2, false, |run, at, _| run.distance(at)),
];

/// A function of numbers: its name and its value.
type NumberFunction = (&'static str, fn(&[f64]) -> Option<f64>);

static NUMBER_FUNCTIONS: [NumberFunction; 5] = [
    ("mean", mean),
    ("spread", std_dev),
    ("least", |values| values.iter().copied().reduce(f64::min)),
    ("most", |values| values.iter().copied().reduce(f64::max)),
    ("abs", |values| values.first().map(|value| value.abs())),
];

/// Returns the name of a function from its usage.
fn function_name(usage: &str) -> &str {
    usage.split_once('(').map_or(usage, |(name, _)| name)
}

fn run_function(name: &str) -> Option<&'static RunFunction> {
    RUN_FUNCTIONS.iter().find(|(usage, ..)| function_name(usage) == name)
}

fn number_function(name: &str) -> Option<&'static NumberFunction> {
    NUMBER_FUNCTIONS.iter().find(|(other, _)| *other == name)
}

/// Returns the names of all functions.
fn function_names() -> impl Iterator<Item = &'static str> {
    let of_runs = RUN_FUNCTIONS.iter().map(|(usage, ..)| function_name(usage));
    of_runs.chain(NUMBER_FUNCTIONS.iter().map(|(name, _)| *name))
}

/// Finds the results of a run by its name.
type Results<'a> = dyn Fn(&str) -> Option<&'a [RunFigures]> + 'a;

/// A parsed and checked formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The source text.
    pub text: String,
    tree: Expr,
}

/// The arguments of a function of a run: the run, the numbers after it, such as tasks (from 1), and the expert.
type CallArguments<'t> = (&'t str, Vec<usize>, Option<Expert>);

impl Formula {
    /// Parses and checks a formula over these runs, which must be a condition, or must be a number.
    ///
    /// # Errors
    /// Returns a Problem that explains what cannot be parsed, which run or function does not exist, or that the formula
    /// has the other type.
    pub fn parse(text: &str, runs: &[String], condition: bool) -> Result<Self> {
        let text = text.trim();
        let checked = parse(&LANGUAGE, text).and_then(|tree| {
            check(&tree, runs)?;
            let fail = |message: Message| Err(Diagnostic::new(0..0, message));
            match (is_condition(&tree), condition) {
                (true, false) => fail(message!("formula-number-expected")),
                (false, true) => fail(message!("formula-condition-expected")),
                _ => Ok(tree),
            }
        });
        match checked {
            Ok(tree) => Ok(Self { text: text.to_owned(), tree }),
            Err(diagnostic) => Err(problem(text, &diagnostic)),
        }
    }

    /// Returns all values of the formula: one, or one for each repetition of a run.
    ///
    /// # Errors
    /// Returns why the formula has no value.
    pub fn values(&self, figures: &Figures) -> Outcome<Vec<f64>> {
        self.values_with(&|name| figures.get(name).map(Vec::as_slice))
    }

    /// Returns all values of the formula with the results that `results` finds by the name of a run.
    pub(super) fn values_with(&self, results: &Results<'_>) -> Outcome<Vec<f64>> {
        evaluate(&self.tree, results)
    }

    /// Returns the single value of the formula.
    ///
    /// # Errors
    /// Returns why the formula has no single value.
    pub fn value(&self, figures: &Figures) -> Outcome<f64> {
        match self.values(figures)?.as_slice() {
            [value] => Ok(*value),
            values => Err(NoValue::Never(message!(
                "formula-several-values",
                text = self.text.as_str(),
                n = values.len()
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

/// Converts an error of the parser to a Problem.
fn problem(text: &str, diagnostic: &Diagnostic) -> Problem {
    let message = match text {
        "" => diagnostic.what_text(),
        text => message!(
            "formula-problem-in-text",
            what = diagnostic.what_text(),
            text = truncated_name(text)
        )
        .into(),
    };
    let remedy = diagnostic.remedy();
    Problem::new(message).advise(match remedy.english.is_empty() {
        false => remedy,
        true => {
            let names: Vec<&str> = function_names().collect();
            message!("formula-example-advice", names = names.join(", ")).into()
        }
    })
}

fn is_condition(node: &Expr) -> bool {
    matches!(node.kind, NodeKind::Binary(sign, _) if sign.is_comparison() || sign.is_logical())
}

/// Checks a node and its children and returns the first error.
fn check(node: &Expr, runs: &[String]) -> Result<(), Diagnostic> {
    let fail = |message: Message| Err(Diagnostic::new(node.error_span(), message));
    match &node.kind {
        NodeKind::Number(_) => return Ok(()),
        NodeKind::Name(name) => {
            let message = message!("formula-name-not-number", name = name.as_str());
            let diagnostic = Diagnostic::new(node.span.clone(), message);
            return Err(match runs.contains(name) {
                true => diagnostic
                    .explain(message!("formula-name-not-number-advice", name = name.as_str())),
                false => diagnostic,
            });
        }
        NodeKind::Call(name, arguments) => {
            if let Some(function) = run_function(name) {
                let (run, ..) = call_arguments(function, node, arguments)?;
                return match runs.iter().any(|other| other == run) {
                    true => Ok(()),
                    false => Err(unknown_run(run, &arguments[0], runs)),
                };
            }
            if number_function(name).is_none() {
                let message = message!("formula-unknown-function", name = name.as_str());
                let span = node.span.start..node.span.start + name.len();
                return Err(Diagnostic::new(span, message).suggest_name(name, function_names()));
            }
            if arguments.iter().any(is_condition) {
                return fail(message!("formula-takes-numbers", name = name.as_str()));
            }
        }
        NodeKind::Negate(inner) if is_condition(inner) => {
            return fail(message!("formula-signed-condition"));
        }
        NodeKind::Negate(_) => {}
        NodeKind::Binary(sign, operands) => {
            if operands.iter().any(|side| is_condition(side) != sign.is_logical()) {
                return fail(match sign.is_logical() {
                    true => message!("formula-and-joins-conditions"),
                    false => message!("formula-condition-in-arithmetic"),
                });
            }
        }
    }
    node.children().iter().try_for_each(|part| check(part, runs))
}

fn unknown_run(name: &str, argument: &Expr, runs: &[String]) -> Diagnostic {
    let advice = match runs.is_empty() {
        true => message!("formula-no-runs-defined-advice"),
        false => message!("formula-unknown-run-advice", names = list_value(runs, 20)),
    };
    let message = message!("formula-unknown-run", name);
    Diagnostic::new(argument.span.clone(), message).explain(advice)
}

/// Returns the arguments of a call such as `seen(run, 2, offline)`, or an error if the function does not accept them.
fn call_arguments<'t>(
    (usage, accepted, accepts_expert, _): &RunFunction,
    node: &Expr,
    arguments: &'t [Expr],
) -> Result<CallArguments<'t>, Diagnostic> {
    let (mut run, mut numbers, mut expert) = (None, Vec::new(), None);
    let find_expert = |name: &str| {
        let mut experts = METHODS.iter().flat_map(|method| method.experts);
        experts.find(|candidate| candidate.key() == name).copied()
    };
    for (index, argument) in arguments.iter().enumerate() {
        match &argument.kind {
            NodeKind::Name(name) if index == 0 => run = Some(name.as_str()),
            NodeKind::Number(number)
                if index > 0 && number.fract() == 0.0 && (1.0..1e15).contains(number) =>
            {
                numbers.push(*number as usize);
            }
            NodeKind::Name(name)
                if index > 0
                    && *accepts_expert
                    && expert.is_none()
                    && find_expert(name).is_some() =>
            {
                expert = find_expert(name);
            }
            _ => {
                let text = argument.to_string();
                let message = message!("formula-argument-invalid", argument = text, like = *usage);
                return Err(Diagnostic::new(argument.span.clone(), message));
            }
        }
    }
    match run {
        Some(run) if accepted.contains(&numbers.len()) => Ok((run, numbers, expert)),
        _ => {
            let name = function_name(usage);
            let message = message!("formula-wrong-arguments", name, like = *usage);
            Err(Diagnostic::new(node.span.clone(), message))
        }
    }
}

fn evaluate(node: &Expr, results: &Results<'_>) -> Outcome<Vec<f64>> {
    match &node.kind {
        NodeKind::Number(number) => Ok(vec![*number]),
        NodeKind::Negate(inner) => Ok(evaluate(inner, results)?.iter().map(|v| -v).collect()),
        NodeKind::Binary(sign, operands) => {
            combine(*sign, &evaluate(&operands[0], results)?, &evaluate(&operands[1], results)?)
        }
        NodeKind::Call(name, arguments) => {
            if let Some(function) = run_function(name) {
                let (run, numbers, expert) =
                    call_arguments(function, node, arguments).map_err(|_| NoValue::NotYet)?;
                let runs = results(run).filter(|runs| !runs.is_empty());
                let runs = runs.ok_or(NoValue::NotYet)?.iter();
                let value = |run| function.3(run, &numbers, expert);
                return runs.map(value).collect();
            }
            let (name, value) = number_function(name).ok_or(NoValue::NotYet)?;
            let mut values = Vec::new();
            for argument in arguments {
                values.extend(evaluate(argument, results)?);
            }
            let missing = || NoValue::Never(message!("formula-needs-more-values", name = *name));
            Ok(vec![value(&values).ok_or_else(missing)?])
        }
        // The check rejects a bare name, so this case does not occur.
        NodeKind::Name(_) => Err(NoValue::NotYet),
    }
}

/// Combines two lists element by element. A single value is combined with each element of the other list.
fn combine(sign: BinaryOperator, left: &[f64], right: &[f64]) -> Outcome<Vec<f64>> {
    let length = left.len().max(right.len());
    if [left.len(), right.len()].iter().any(|n| *n != 1 && *n != length) {
        return Err(NoValue::Never(message!("formula-repetitions-differ")));
    }
    let value_at = |values: &[f64], i: usize| values.get(i).or(values.first()).copied();
    let pairs = (0..length).filter_map(|i| Some((value_at(left, i)?, value_at(right, i)?)));
    Ok(pairs.map(|(a, b)| sign.calculate(a, b)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::run;
    use super::*;
    use crate::tr;

    #[test]
    fn reports_invalid_formulas() {
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
            let problem = Formula::parse(text, &runs, false).unwrap_err();
            assert!(problem.mentions(id), "{text}: {problem:?}");
            assert!(!problem.remedy.is_empty());
        }
        let problem = Formula::parse("acuracy(a)", &runs, false).unwrap_err();
        assert_eq!(problem.remedy, tr!("advice-did-you-mean", name = "accuracy"));
        let deep = "(".repeat(200);
        assert!(Formula::parse(&deep, &runs, false).is_err());
        assert!(Formula::parse(&"1+".repeat(300), &runs, false).is_err());
        assert!(Formula::parse("accuracy(a)", &runs, true).is_err());
        assert!(Formula::parse("accuracy(a) > 1", &runs, false).is_err());
    }

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
        Formula::parse(text, &names, false).unwrap().value(&figures())
    }

    #[test]
    fn evaluates_formulas_on_accuracy_matrix() {
        for (text, expected) in [
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
            let actual = match text.contains(" and ") {
                true => {
                    let names: Vec<String> = figures().keys().cloned().collect();
                    let formula = Formula::parse(text, &names, true).unwrap();
                    f64::from(u8::from(formula.holds(&figures()).unwrap()))
                }
                false => value(text).unwrap(),
            };
            assert!((actual - expected).abs() < 1e-9, "{text}: {actual}");
        }
        assert!((value("spread(forgetting(b))").unwrap() - 15.909_902_576).abs() < 1e-6);
    }

    #[test]
    fn distinguishes_missing_from_impossible_values() {
        assert_eq!(value("accuracy(half)"), Err(NoValue::NotYet));
        assert_eq!(value("cell(half, 3, 1)"), Err(NoValue::NotYet));
        assert_eq!(value("apart(half)"), Err(NoValue::NotYet));
        for never in
            ["cell(a, 4, 1)", "cell(a, 1, 2)", "accuracy(a, offline)", "apart(a)", "forgetting(b)"]
        {
            assert!(matches!(value(never), Err(NoValue::Never(_))), "{never}");
        }
    }
}
