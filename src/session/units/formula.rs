//! Formulas over the results of runs, such as `forgetting(baseline) > forgetting(lae)`. They use the syntax of PET
//! equations with other functions. They are checked when they are parsed and evaluated with the available results.

use std::ops::RangeInclusive;

use super::figures::{Figures, NoValue, Outcome, RunFigures};
use crate::expression::BinaryOperator::{self, *};
use crate::expression::{Diagnostic, Expr, Language, NodeKind, parse};
use crate::message;
use crate::method::METHODS;
use crate::metrics::{Expert, History, mean, std_dev};
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
        run.at_end(expert, History::last)
    }),
    ("average(run)", 0..=0, true, |run, _, expert| {
        run.at_end(expert, History::average)
    }),
    ("forgetting(run)", 0..=0, true, |run, _, expert| {
        run.at_end(expert, History::forgetting)
    }),
    ("given(run)", 0..=0, false, |run, _, _| run.task_given()),
    ("old(run)", 0..=0, true, |run, _, expert| run.on_old(expert)),
    ("seen(run, i)", 1..=1, true, |run, at, expert| {
        run.after(expert, at[0])
    }),
    ("cell(run, i, j)", 2..=2, true, |run, at, expert| {
        run.cell(expert, at[0], at[1])
    }),
    ("drop(run, j)", 1..=1, true, |run, at, expert| {
        run.at_end(expert, |h| h.drops().get(at[0] - 1).copied())
    }),
    ("apart(run, task, epoch)", 0..=2, false, |run, at, _| {
        run.distance(at)
    }),
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
    RUN_FUNCTIONS
        .iter()
        .find(|(usage, ..)| function_name(usage) == name)
}

fn number_function(name: &str) -> Option<&'static NumberFunction> {
    NUMBER_FUNCTIONS.iter().find(|(known, _)| *known == name)
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
    pub fn read(text: &str, runs: &[String], condition: bool) -> Result<Self> {
        let text = text.trim();
        let checked = parse(&LANGUAGE, text).and_then(|tree| {
            check(&tree, runs)?;
            let wrong = |what: Message| Err(Diagnostic::new(0..0, what));
            match (is_condition(&tree), condition) {
                (true, false) => wrong(message!("formula-number-expected")),
                (false, true) => wrong(message!("formula-condition-expected")),
                _ => Ok(tree),
            }
        });
        match checked {
            Ok(tree) => Ok(Self {
                text: text.to_owned(),
                tree,
            }),
            Err(wrong) => Err(problem(text, &wrong)),
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
            let names: Vec<&str> = function_names().collect();
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
            if let Some(function) = run_function(name) {
                let (run, ..) = call_arguments(function, node, arguments)?;
                return match runs.iter().any(|known| known == run) {
                    true => Ok(()),
                    false => Err(unknown_run(run, &arguments[0], runs)),
                };
            }
            if number_function(name).is_none() {
                let what = message!("formula-unknown-function", name = name.as_str());
                let span = node.span.start..node.span.start + name.len();
                return Err(Diagnostic::new(span, what).meant(name, function_names()));
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

fn unknown_run(name: &str, argument: &Expr, runs: &[String]) -> Diagnostic {
    let advice = match runs.is_empty() {
        true => message!("formula-no-runs-defined-advice"),
        false => message!("formula-unknown-run-advice", names = some_of(runs, 20)),
    };
    let what = message!("formula-unknown-run", name);
    Diagnostic::new(argument.span.clone(), what).because(advice)
}

/// Returns the arguments of a call such as `seen(run, 2, offline)`, or an error if the function does not accept them.
fn call_arguments<'t>(
    (usage, accepted, by_expert, _): &RunFunction,
    node: &Expr,
    arguments: &'t [Expr],
) -> Result<CallArguments<'t>, Diagnostic> {
    let (mut run, mut numbers, mut expert) = (None, Vec::new(), None);
    let known = |name: &str| {
        let mut experts = METHODS.iter().flat_map(|method| method.experts);
        experts.find(|known| known.name() == name).copied()
    };
    for (at, argument) in arguments.iter().enumerate() {
        match &argument.kind {
            NodeKind::Name(name) if at == 0 => run = Some(name.as_str()),
            NodeKind::Number(number)
                if at > 0 && number.fract() == 0.0 && (1.0..1e15).contains(number) =>
            {
                numbers.push(*number as usize);
            }
            NodeKind::Name(name)
                if at > 0 && *by_expert && expert.is_none() && known(name).is_some() =>
            {
                expert = known(name);
            }
            _ => {
                let argued = argument.to_string();
                let what = message!("formula-argument-invalid", argument = argued, like = *usage);
                return Err(Diagnostic::new(argument.span.clone(), what));
            }
        }
    }
    match run {
        Some(run) if accepted.contains(&numbers.len()) => Ok((run, numbers, expert)),
        _ => {
            let name = function_name(usage);
            let what = message!("formula-wrong-arguments", name, like = *usage);
            Err(Diagnostic::new(node.span.clone(), what))
        }
    }
}

fn evaluate(node: &Expr, results: &Results<'_>) -> Outcome<Vec<f64>> {
    match &node.kind {
        NodeKind::Number(number) => Ok(vec![*number]),
        NodeKind::Minus(inner) => Ok(evaluate(inner, results)?.iter().map(|v| -v).collect()),
        NodeKind::Binary(sign, both) => combine(
            *sign,
            &evaluate(&both[0], results)?,
            &evaluate(&both[1], results)?,
        ),
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
            let lack = || NoValue::Never(message!("formula-needs-more-values", name = *name));
            Ok(vec![value(&values).ok_or_else(lack)?])
        }
        // The check rejects a bare name, so this case does not occur.
        NodeKind::Name(_) => Err(NoValue::NotYet),
    }
}

/// Combines two lists element by element. A single value is combined with each element of the other list.
fn combine(sign: BinaryOperator, left: &[f64], right: &[f64]) -> Outcome<Vec<f64>> {
    let most = left.len().max(right.len());
    if [left.len(), right.len()]
        .iter()
        .any(|n| *n != 1 && *n != most)
    {
        return Err(NoValue::Never(message!("formula-repetitions-differ")));
    }
    let at = |values: &[f64], i: usize| values.get(i).or(values.first()).copied();
    let pairs = (0..most).filter_map(|i| Some((at(left, i)?, at(right, i)?)));
    Ok(pairs.map(|(a, b)| calculate(sign, a, b)).collect())
}

fn calculate(sign: BinaryOperator, a: f64, b: f64) -> f64 {
    let truth = |holds: bool| f64::from(u8::from(holds));
    match sign {
        Add => a + b,
        Subtract => a - b,
        Multiply | Product => a * b,
        Divide => a / b,
        Less => truth(a < b),
        AtMost => truth(a <= b),
        More => truth(a > b),
        AtLeast => truth(a >= b),
        And => truth(a != 0.0 && b != 0.0),
        Or => truth(a != 0.0 || b != 0.0),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::figures::tests::run;
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
            let problem = Formula::read(text, &runs, false).unwrap_err();
            assert!(problem.mentions(id), "{text}: {problem:?}");
            assert!(!problem.remedy.is_empty());
        }
        let meant = Formula::read("acuracy(a)", &runs, false).unwrap_err();
        assert_eq!(meant.remedy, tr!("advice-did-you-mean", name = "accuracy"));
        let deep = "(".repeat(200);
        assert!(Formula::read(&deep, &runs, false).is_err());
        assert!(Formula::read(&"1+".repeat(300), &runs, false).is_err());
        assert!(Formula::read("accuracy(a)", &runs, true).is_err());
        assert!(Formula::read("accuracy(a) > 1", &runs, false).is_err());
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
        Formula::read(text, &names, false)
            .unwrap()
            .value(&figures())
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
                    let formula = Formula::read(text, &names, true).unwrap();
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
