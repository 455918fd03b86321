//! Equations over tensors. They are parsed into trees and checked once, then evaluated on tensors, or on shapes only.
//! An equation is one expression or a sequence of named steps, so every evaluation terminates.

use std::ops::Range;

use burn::tensor::Tensor;

use super::budget::start_budget;
use super::findings::MOST_FINDINGS;
use super::functions::{function, wrong_call};
use super::operand::Operand;
use super::shape::Shape;
use super::source::PluginText;
use super::value::Value;
use crate::expression::{BinaryOperator, Diagnostic, Expr, Language, NodeKind, parse};
use crate::message;

/// Largest number of named steps of an equation.
pub const MOST_STEPS: usize = 32;

/// The syntax and limits of equations; typical equations have fewer than forty tokens.
pub(super) const LANGUAGE: Language = Language {
    called: "the equation",
    any: "an equation",
    operators: &[
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Product,
    ],
    most_letters: 2000,
    most_tokens: 256,
    shorter: "split it into named steps",
    made_of: "an equation is made of names, numbers, + - * / @, parentheses and commas",
};

/// The meaning of a name in an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An input of the site, by position (e, h or q, k, v).
    Input(usize),
    /// A parameter of the plugin, by index.
    Parameter(usize),
    /// A number: a size of the block or of the plugin.
    Number,
    /// The result of an earlier step, by index.
    Step(usize),
}

/// A name and its meaning.
pub type Variable = (String, Meaning);

/// The value of a variable during an evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binding {
    /// An input of the site, by position.
    Input(usize),
    /// An entry of the parameter list passed to the evaluation.
    Parameter(usize),
    /// A number.
    Number(f64),
    /// The result of an earlier step, by index.
    Step(usize),
}

/// The text of a step and its position in the file.
#[derive(Clone, Debug)]
pub struct StepText {
    /// The name; later steps can use it.
    pub name: String,
    /// The expression.
    pub text: String,
    /// The bytes of the quoted value in the file.
    pub span: Range<usize>,
    /// The byte offset of the expression in the file; `None` if the file contains escapes, so that positions differ.
    pub start: Option<usize>,
}

/// A checked equation. The steps run in order, and the last one is the result.
#[derive(Clone, Debug)]
pub struct Program {
    steps: Vec<EquationStep>,
    variables: Vec<Variable>,
}

/// One step of an equation.
#[derive(Clone, Debug)]
pub struct EquationStep {
    /// The text and its position.
    pub text: StepText,
    /// The parsed expression; its spans are bytes of the expression ([`StepText::in_file`]).
    pub tree: Expr,
}

/// The result of evaluating an equation on shapes only.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// The shape of the result; `None` if it is a number or unknown.
    pub result: Option<Shape>,
    /// All errors found.
    pub wrong: Vec<Diagnostic>,
    /// The shape of each computed part, in order: index of the step, bytes within the step, shape.
    pub parts: Vec<(usize, Range<usize>, Shape)>,
}

impl StepText {
    /// Creates the text of a step from a plugin file.
    pub fn new(name: &str, text: &str, span: Range<usize>, source: &PluginText) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            start: source.content_start(&span, text),
            span,
        }
    }

    /// Converts bytes of the expression to bytes of the file; returns the whole value if its start is unknown.
    pub fn in_file(&self, span: &Range<usize>) -> Range<usize> {
        match self.start {
            Some(start) => start + span.start..start + span.end,
            None => self.span.clone(),
        }
    }

    fn with_file_span(&self, mut wrong: Diagnostic) -> Diagnostic {
        if self.start.is_none() {
            // The fix replaces a part only, but the span now covers the whole value.
            let remedy = wrong.remedy();
            wrong = wrong.because(remedy);
            wrong.fix = None;
        }
        wrong.span = self.in_file(&wrong.span);
        wrong
    }
}

impl Program {
    /// Parses and checks the steps of an equation. `known` are the names it may use; `all` is whether they are
    /// complete, so that other names are errors.
    ///
    /// # Errors
    /// Returns all errors found, up to a limit.
    pub(super) fn compile(
        texts: &[StepText],
        known: &[Variable],
        all: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut program = Self {
            steps: Vec::with_capacity(texts.len()),
            variables: Vec::new(),
        };
        let mut wrong = Vec::new();
        if let Some(more) = texts.get(MOST_STEPS) {
            let what = message!(
                "problem-equation-too-many-steps",
                most_steps = MOST_STEPS.to_string()
            );
            wrong.push(Diagnostic::new(more.span.clone(), what));
        }
        let mut known = known.to_vec();
        for (index, text) in texts.iter().take(MOST_STEPS).enumerate() {
            if wrong.len() >= MOST_FINDINGS {
                break;
            }
            if known.iter().any(|(name, _)| *name == text.name) {
                let what = message!("problem-step-name-taken", name = &text.name);
                wrong.push(Diagnostic::new(text.span.clone(), what));
            }
            let mut found = Vec::new();
            match parse(&LANGUAGE, &text.text) {
                Ok(tree) => {
                    program.check(&tree, &known, all, &mut found);
                    let text = text.clone();
                    program.steps.push(EquationStep { text, tree });
                }
                Err(slip) => found.push(slip),
            }
            wrong.extend(found.into_iter().map(|slip| text.with_file_span(slip)));
            known.push((text.name.clone(), Meaning::Step(index)));
        }
        if wrong.is_empty()
            && let Some(idle) = program.idle_step()
        {
            let what = message!("problem-step-unused", name = &idle.name);
            wrong.push(Diagnostic::new(idle.span.clone(), what));
        }
        match wrong.is_empty() {
            true => Ok(program),
            false => Err(wrong),
        }
    }

    /// Resolves all names and functions below a node, and records the variables in use.
    fn check(&mut self, node: &Expr, known: &[Variable], all: bool, wrong: &mut Vec<Diagnostic>) {
        if wrong.len() >= MOST_FINDINGS {
            return;
        }
        match &node.kind {
            NodeKind::Name(name) => match known.iter().find(|(own, _)| own == name) {
                Some(found) if self.variables.contains(found) => {}
                Some(found) => self.variables.push(found.clone()),
                None if all => wrong.push(unknown_name(name, node, known)),
                None => {}
            },
            NodeKind::Call(name, arguments) => {
                wrong.extend(wrong_call(name, arguments.len(), node));
            }
            _ => {}
        }
        for part in node.parts() {
            self.check(part, known, all, wrong);
        }
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[EquationStep] {
        &self.steps
    }

    /// Returns the names that the equation reads; bindings have the same order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the position of the last step in the file, for errors that concern the result.
    pub fn result_span(&self) -> Range<usize> {
        self.steps
            .last()
            .map_or(0..0, |step| step.text.span.clone())
    }

    /// Returns whether any step uses the parameter with this index.
    pub fn uses_parameter(&self, parameter: usize) -> bool {
        let wanted = Meaning::Parameter(parameter);
        self.variables.iter().any(|(_, meaning)| *meaning == wanted)
    }

    /// Returns the first step that no other step reads, except for the last.
    fn idle_step(&self) -> Option<&StepText> {
        let last = self.steps.len().saturating_sub(1);
        let read = |at| {
            self.variables
                .iter()
                .any(|(_, meaning)| *meaning == Meaning::Step(at))
        };
        let idle = (0..last).find(|&at| !read(at))?;
        Some(&self.steps[idle].text)
    }

    /// Evaluates all steps and returns the result of the last. `bindings` have the order of [`Program::variables`];
    /// `Binding::Parameter(i)` reads `parameters[i]`.
    ///
    /// # Errors
    /// Returns the part of the equation that cannot be computed.
    pub fn evaluate(
        &self,
        inputs: &[Value],
        bindings: &[Binding],
        parameters: &[Tensor<2>],
    ) -> Result<Value, Diagnostic> {
        let inputs: Vec<Operand> = inputs.iter().map(|x| x.clone().into()).collect();
        let parameters = parameters.iter().map(|x| Value::from(x.clone()).into());
        let (result, run) = self.run(bindings, &inputs, &parameters.collect::<Vec<_>>());
        match (result, run.wrong.into_iter().next()) {
            (_, Some(wrong)) => Err(wrong),
            (Some(Operand::Tensor(_, Some(value))), None) => Ok(value),
            _ => Err(Diagnostic::new(
                self.result_span(),
                message!("problem-equation-without-result"),
            )),
        }
    }

    /// Evaluates the equation on shapes only; returns the shape of the result and all errors.
    pub fn shapes(&self, inputs: &[Shape], bindings: &[Binding], parameters: &[Shape]) -> Shapes {
        let [inputs, parameters] = [inputs, parameters].map(|shapes| {
            let operand = |shape: &Shape| Operand::Tensor(shape.clone(), None);
            shapes.iter().map(operand).collect::<Vec<_>>()
        });
        let (result, run) = self.run(bindings, &inputs, &parameters);
        let result = match result {
            Some(Operand::Tensor(shape, _)) => Some(shape),
            _ => None,
        };
        Shapes {
            result,
            wrong: run.wrong,
            parts: run.parts,
        }
    }

    /// Runs the steps.
    fn run(
        &self,
        bindings: &[Binding],
        inputs: &[Operand],
        parameters: &[Operand],
    ) -> (Option<Operand>, Run<'_>) {
        let size = |operand: &Operand| match operand {
            Operand::Tensor(shape, _) => shape.iter().product::<usize>(),
            Operand::Number(_) => 0,
        };
        start_budget(inputs.iter().chain(parameters).map(size).sum());
        // In the order of the variables; those of steps are filled in later.
        let operand = |binding: &Binding| match *binding {
            Binding::Input(at) => inputs.get(at).cloned(),
            Binding::Parameter(at) => parameters.get(at).cloned(),
            Binding::Number(number) => Some(Operand::Number(number)),
            Binding::Step(_) => None,
        };
        let mut run = Run {
            at: 0,
            parts: Vec::new(),
            variables: &self.variables,
            operands: bindings.iter().map(operand).collect(),
            wrong: Vec::new(),
        };
        let mut result = None;
        for (at, EquationStep { text, tree }) in self.steps.iter().enumerate() {
            run.at = at;
            result = run.value(text, tree);
            let of_step = |(_, meaning): &Variable| *meaning == Meaning::Step(at);
            if let Some(index) = self.variables.iter().position(of_step) {
                run.operands[index].clone_from(&result);
            }
        }
        if matches!(result, Some(Operand::Number(_))) {
            let what = message!("problem-equation-returns-number");
            run.wrong.push(Diagnostic::new(self.result_span(), what));
        }
        (result, run)
    }
}

/// The state of an evaluation.
struct Run<'p> {
    variables: &'p [Variable],
    operands: Vec<Option<Operand>>,
    wrong: Vec<Diagnostic>,
    /// The index of the current step.
    at: usize,
    parts: Vec<(usize, Range<usize>, Shape)>,
}

impl Run<'_> {
    /// Evaluates a node; `None` if it or a node below it has an error. Both operands are always evaluated, so that
    /// all errors are found.
    fn value(&mut self, step: &StepText, node: &Expr) -> Option<Operand> {
        let found = match &node.kind {
            NodeKind::Number(number) => Ok(Operand::Number(*number)),
            NodeKind::Name(name) => {
                let index = self.variables.iter().position(|(own, _)| own == name)?;
                Ok(self.operands.get(index)?.clone()?)
            }
            NodeKind::Minus(inner) => self.value(step, inner)?.negative(),
            NodeKind::Binary(sign, both) => {
                let [left, right] = both.each_ref().map(|part| self.value(step, part));
                Operand::pair(*sign, left?, right?)
            }
            NodeKind::Call(name, arguments) => {
                let values: Vec<_> = arguments
                    .iter()
                    .map(|part| self.value(step, part))
                    .collect();
                let values = values.into_iter().collect::<Option<Vec<_>>>()?;
                Operand::call(function(name)?, values)
            }
        };
        match found {
            Ok(operand) => {
                if let (NodeKind::Binary(..) | NodeKind::Call(..), Operand::Tensor(shape, None)) =
                    (&node.kind, &operand)
                {
                    self.parts.push((self.at, node.span.clone(), shape.clone()));
                }
                Some(operand)
            }
            Err(why) => {
                let what = message!("problem-equation-part", part = node.to_string(), why);
                let wrong = Diagnostic::new(node.pointed(), what);
                self.wrong.push(step.with_file_span(wrong));
                None
            }
        }
    }
}

fn unknown_name(name: &str, node: &Expr, known: &[Variable]) -> Diagnostic {
    let wrong = Diagnostic::new(node.span.clone(), message!("problem-name-unknown", name));
    match function(name) {
        Some(_) => wrong.because(message!("advice-call-function", name)),
        None => wrong.meant(name, known.iter().map(|(name, _)| name.as_str())),
    }
}
