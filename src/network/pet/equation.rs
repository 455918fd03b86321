//! Equations over tensors. They are parsed into trees and checked once, then evaluated on tensors, or on shapes only.
//! An equation is one expression or a sequence of named steps, so every evaluation terminates.

use std::ops::Range;

use burn::tensor::Tensor;

use super::budget::start_budget;
use super::errors::MAX_FINDINGS;
use super::functions::{check_call, function};
use super::operand::Operand;
use super::shape::Shape;
use super::source::PluginText;
use super::value::Value;
use crate::expression::{BinaryOperator, Diagnostic, Expr, Language, NodeKind, parse};
use crate::message;

/// Largest number of named steps of an equation.
pub const MAX_STEPS: usize = 32;

/// The syntax and limits of equations; typical equations have fewer than forty tokens.
pub(super) const LANGUAGE: Language = Language {
    definite_name: "the equation",
    indefinite_name: "an equation",
    operators: &[
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::MatMul,
    ],
    max_chars: 2000,
    max_tokens: 256,
    shorten_advice: "split it into named steps",
    content_advice: "an equation is made of names, numbers, + - * / @, parentheses and commas",
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
pub struct InferredShapes {
    /// The shape of the result; `None` if it is a number or unknown.
    pub result: Option<Shape>,
    /// All errors found.
    pub errors: Vec<Diagnostic>,
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

    fn with_file_span(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if self.start.is_none() {
            // The fix replaces a part only, but the span now covers the whole value.
            let remedy = diagnostic.remedy();
            diagnostic = diagnostic.explain(remedy);
            diagnostic.fix = None;
        }
        diagnostic.span = self.in_file(&diagnostic.span);
        diagnostic
    }
}

impl Program {
    /// Parses and checks the steps of an equation. `known` are the names it may use; `is_complete` is whether they are
    /// complete, so that other names are errors.
    ///
    /// # Errors
    /// Returns all errors found, up to a limit.
    pub(super) fn compile(
        texts: &[StepText],
        known: &[Variable],
        is_complete: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut program = Self { steps: Vec::with_capacity(texts.len()), variables: Vec::new() };
        let mut errors = Vec::new();
        if let Some(first_excess) = texts.get(MAX_STEPS) {
            let message =
                message!("problem-equation-too-many-steps", most_steps = MAX_STEPS.to_string());
            errors.push(Diagnostic::new(first_excess.span.clone(), message));
        }
        let mut known = known.to_vec();
        for (index, text) in texts.iter().take(MAX_STEPS).enumerate() {
            if errors.len() >= MAX_FINDINGS {
                break;
            }
            if known.iter().any(|(name, _)| *name == text.name) {
                let message = message!("problem-step-name-taken", name = &text.name);
                errors.push(Diagnostic::new(text.span.clone(), message));
            }
            let mut found = Vec::new();
            match parse(&LANGUAGE, &text.text) {
                Ok(tree) => {
                    program.check(&tree, &known, is_complete, &mut found);
                    let text = text.clone();
                    program.steps.push(EquationStep { text, tree });
                }
                Err(error) => found.push(error),
            }
            errors.extend(found.into_iter().map(|error| text.with_file_span(error)));
            known.push((text.name.clone(), Meaning::Step(index)));
        }
        if errors.is_empty()
            && let Some(unused) = program.unused_step()
        {
            let message = message!("problem-step-unused", name = &unused.name);
            errors.push(Diagnostic::new(unused.span.clone(), message));
        }
        match errors.is_empty() {
            true => Ok(program),
            false => Err(errors),
        }
    }

    /// Resolves all names and functions below a node, and records the variables in use.
    fn check(
        &mut self,
        node: &Expr,
        known: &[Variable],
        is_complete: bool,
        errors: &mut Vec<Diagnostic>,
    ) {
        if errors.len() >= MAX_FINDINGS {
            return;
        }
        match &node.kind {
            NodeKind::Name(name) => match known.iter().find(|(known_name, _)| known_name == name) {
                Some(found) if self.variables.contains(found) => {}
                Some(found) => self.variables.push(found.clone()),
                None if is_complete => errors.push(unknown_name(name, node, known)),
                None => {}
            },
            NodeKind::Call(name, arguments) => {
                errors.extend(check_call(name, arguments.len(), node));
            }
            _ => {}
        }
        for part in node.children() {
            self.check(part, known, is_complete, errors);
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
        self.steps.last().map_or(0..0, |step| step.text.span.clone())
    }

    /// Returns whether any step uses the parameter with this index.
    pub fn uses_parameter(&self, parameter: usize) -> bool {
        let expected = Meaning::Parameter(parameter);
        self.variables.iter().any(|(_, meaning)| *meaning == expected)
    }

    /// Returns the first step that no other step reads, except for the last.
    fn unused_step(&self) -> Option<&StepText> {
        let last = self.steps.len().saturating_sub(1);
        let is_read = |at| self.variables.iter().any(|(_, meaning)| *meaning == Meaning::Step(at));
        let unused = (0..last).find(|&at| !is_read(at))?;
        Some(&self.steps[unused].text)
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
        let (result, evaluation) =
            self.run_steps(bindings, &inputs, &parameters.collect::<Vec<_>>());
        match (result, evaluation.errors.into_iter().next()) {
            (_, Some(wrong)) => Err(wrong),
            (Some(Operand::Tensor(_, Some(value))), None) => Ok(value),
            _ => Err(Diagnostic::new(
                self.result_span(),
                message!("problem-equation-without-result"),
            )),
        }
    }

    /// Evaluates the equation on shapes only; returns the shape of the result and all errors.
    pub fn shapes(
        &self,
        inputs: &[Shape],
        bindings: &[Binding],
        parameters: &[Shape],
    ) -> InferredShapes {
        let [inputs, parameters] = [inputs, parameters].map(|shapes| {
            let operand = |shape: &Shape| Operand::Tensor(shape.clone(), None);
            shapes.iter().map(operand).collect::<Vec<_>>()
        });
        let (result, evaluation) = self.run_steps(bindings, &inputs, &parameters);
        let result = match result {
            Some(Operand::Tensor(shape, _)) => Some(shape),
            _ => None,
        };
        InferredShapes { result, errors: evaluation.errors, parts: evaluation.parts }
    }

    /// Runs the steps.
    fn run_steps(
        &self,
        bindings: &[Binding],
        inputs: &[Operand],
        parameters: &[Operand],
    ) -> (Option<Operand>, Evaluation<'_>) {
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
        let mut evaluation = Evaluation {
            step_index: 0,
            parts: Vec::new(),
            variables: &self.variables,
            operands: bindings.iter().map(operand).collect(),
            errors: Vec::new(),
        };
        let mut result = None;
        for (at, EquationStep { text, tree }) in self.steps.iter().enumerate() {
            evaluation.step_index = at;
            result = evaluation.value(text, tree);
            let is_step = |(_, meaning): &Variable| *meaning == Meaning::Step(at);
            if let Some(index) = self.variables.iter().position(is_step) {
                evaluation.operands[index].clone_from(&result);
            }
        }
        if matches!(result, Some(Operand::Number(_))) {
            let message = message!("problem-equation-returns-number");
            evaluation.errors.push(Diagnostic::new(self.result_span(), message));
        }
        (result, evaluation)
    }
}

/// The state of an evaluation.
struct Evaluation<'p> {
    variables: &'p [Variable],
    operands: Vec<Option<Operand>>,
    errors: Vec<Diagnostic>,
    /// The index of the current step.
    step_index: usize,
    parts: Vec<(usize, Range<usize>, Shape)>,
}

impl Evaluation<'_> {
    /// Evaluates a node; `None` if it or a node below it has an error. Both operands are always evaluated, so that
    /// all errors are found.
    fn value(&mut self, step: &StepText, node: &Expr) -> Option<Operand> {
        let found = match &node.kind {
            NodeKind::Number(number) => Ok(Operand::Number(*number)),
            NodeKind::Name(name) => {
                let index = self.variables.iter().position(|(variable, _)| variable == name)?;
                Ok(self.operands.get(index)?.clone()?)
            }
            NodeKind::Negate(inner) => self.value(step, inner)?.negate(),
            NodeKind::Binary(operator, operands) => {
                let [left, right] = operands.each_ref().map(|part| self.value(step, part));
                Operand::binary(*operator, left?, right?)
            }
            NodeKind::Call(name, arguments) => {
                let values: Vec<_> = arguments.iter().map(|part| self.value(step, part)).collect();
                let values = values.into_iter().collect::<Option<Vec<_>>>()?;
                Operand::call(function(name)?, values)
            }
        };
        match found {
            Ok(operand) => {
                if let (NodeKind::Binary(..) | NodeKind::Call(..), Operand::Tensor(shape, None)) =
                    (&node.kind, &operand)
                {
                    self.parts.push((self.step_index, node.span.clone(), shape.clone()));
                }
                Some(operand)
            }
            Err(why) => {
                let message = message!("problem-equation-part", part = node.to_string(), why);
                let diagnostic = Diagnostic::new(node.error_span(), message);
                self.errors.push(step.with_file_span(diagnostic));
                None
            }
        }
    }
}

fn unknown_name(name: &str, node: &Expr, known: &[Variable]) -> Diagnostic {
    let diagnostic = Diagnostic::new(node.span.clone(), message!("problem-name-unknown", name));
    match function(name) {
        Some(_) => diagnostic.explain(message!("advice-call-function", name)),
        None => diagnostic.suggest_name(name, known.iter().map(|(name, _)| name.as_str())),
    }
}
