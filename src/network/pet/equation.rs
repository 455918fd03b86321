//! Equations over tensors: read into trees once, checked, and worked out over tensors or over shapes
//! alone. An equation is one expression, or named steps that run in order; so every evaluation ends.

use std::ops::Range;

use burn::tensor::Tensor;

use super::budget::start_budget;
use super::findings::MOST_FINDINGS;
use super::functions::{function, wrong_call};
use super::operand::Operand;
use super::shape::Shape;
use super::source::PluginText;
use super::value::Value;
use crate::expression::{Diagnostic, Expr, Language, NodeKind, Sign, parse};
use crate::message;

/// Most named steps of one equation.
pub const MOST_STEPS: usize = 32;

/// What an equation is made of; real ones have fewer than forty names and signs.
pub(super) const LANGUAGE: Language = Language {
    called: "the equation",
    any: "an equation",
    signs: &[
        Sign::Add,
        Sign::Subtract,
        Sign::Multiply,
        Sign::Divide,
        Sign::Product,
    ],
    most_letters: 2000,
    most_tokens: 256,
    shorter: "split it into named steps",
    made_of: "an equation is made of names, numbers, + - * / @, parentheses and commas",
};

/// What a name in an equation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What the site hands over, by position (e, h or q, k, v).
    Input(usize),
    /// A parameter of the plugin, by position.
    Parameter(usize),
    /// A number: a size of the block or the plugin.
    Number,
    /// The result of an earlier step.
    Step(usize),
}

/// A name and what it stands for.
pub type Variable = (String, Meaning);

/// What a variable is bound to when a program runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binding {
    /// What the site hands over.
    Input(usize),
    /// An entry of the parameter list given at evaluation.
    Parameter(usize),
    /// A number.
    Number(f64),
    /// An earlier step.
    Step(usize),
}

/// The text of one step and its place in the file.
#[derive(Clone, Debug)]
pub struct StepText {
    /// Name; later steps may use it.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Bytes of the quoted value in the file.
    pub span: Range<usize>,
    /// Where the expression itself begins, if the file shows it letter by letter.
    pub start: Option<usize>,
}

/// A checked equation: steps in order, the last one is the result.
#[derive(Clone, Debug)]
pub struct Program {
    steps: Vec<EquationStep>,
    variables: Vec<Variable>,
}

/// One step of an equation.
#[derive(Clone, Debug)]
pub struct EquationStep {
    /// What the file says.
    pub text: StepText,
    /// The tree; spans are bytes of the expression ([`StepText::in_file`]).
    pub tree: Expr,
}

/// What an equation comes to over shapes alone.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// Of the result; none if it is a number or unknown.
    pub result: Option<Shape>,
    /// What does not fit.
    pub wrong: Vec<Diagnostic>,
    /// What each part that is computed comes to, in their order: its step by its place, its bytes there, its shape.
    pub parts: Vec<(usize, Range<usize>, Shape)>,
}

impl StepText {
    /// A step's text from a plugin file.
    pub fn new(name: &str, text: &str, span: Range<usize>, source: &PluginText) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            start: source.content_start(&span, text),
            span,
        }
    }

    /// Bytes of the file for bytes of the expression: the whole value where its letters are not shown.
    pub fn in_file(&self, span: &Range<usize>) -> Range<usize> {
        match self.start {
            Some(start) => start + span.start..start + span.end,
            None => self.span.clone(),
        }
    }

    fn told_in_file(&self, mut wrong: Diagnostic) -> Diagnostic {
        if self.start.is_none() {
            // What could be put in place of a part cannot be put in place of the whole.
            let remedy = wrong.remedy();
            wrong = wrong.because(remedy);
            wrong.fix = None;
        }
        wrong.span = self.in_file(&wrong.span);
        wrong
    }
}

impl Program {
    /// Reads and checks the steps of one equation over known names, of which `all` are known or some
    /// were refused.
    ///
    /// # Errors
    /// All mistakes, as far as they are looked for.
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
                let what = message!("problem-step-name-taken", name = text.name.to_string());
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
            wrong.extend(found.into_iter().map(|slip| text.told_in_file(slip)));
            known.push((text.name.clone(), Meaning::Step(index)));
        }
        if wrong.is_empty()
            && let Some(idle) = program.idle_step()
        {
            let what = message!("problem-step-unused", name = idle.name.to_string());
            wrong.push(Diagnostic::new(idle.span.clone(), what));
        }
        match wrong.is_empty() {
            true => Ok(program),
            false => Err(wrong),
        }
    }

    /// Looks every name and function up, and notes what the equation reads.
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

    /// The steps in order.
    pub fn steps(&self) -> &[EquationStep] {
        &self.steps
    }

    /// The names that the equation reads; bindings follow this order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The place of the last step in the file, for errors of the result.
    pub fn result_span(&self) -> Range<usize> {
        self.steps
            .last()
            .map_or(0..0, |step| step.text.span.clone())
    }

    /// Whether the parameter at this position is used by any step.
    pub fn uses_parameter(&self, parameter: usize) -> bool {
        let wanted = Meaning::Parameter(parameter);
        self.variables.iter().any(|(_, meaning)| *meaning == wanted)
    }

    /// The first step that no later step reads.
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

    /// Works out all steps and returns the last result. `bindings` follow
    /// [`Program::variables`]; `Binding::Parameter(i)` reads `parameters[i]`.
    ///
    /// # Errors
    /// The part of the equation that cannot be computed.
    pub fn evaluate(
        &self,
        inputs: &[Value],
        bindings: &[Binding],
        parameters: &[Tensor<2>],
    ) -> Result<Value, Diagnostic> {
        let sizes = inputs.iter().map(|x| x.dims().iter().product::<usize>());
        let own = parameters
            .iter()
            .map(|x| x.dims().iter().product::<usize>());
        start_budget(sizes.chain(own).sum());
        let operands = bound(
            bindings,
            |at| Some(inputs.get(at)?.clone().into()),
            |at| Some(Value::from(parameters.get(at)?.clone()).into()),
        );
        let (result, run) = self.run(operands);
        match (result, run.wrong.into_iter().next()) {
            (_, Some(wrong)) => Err(wrong),
            (Some(Operand::Tensor(_, Some(value))), None) => Ok(value),
            _ => Err(Diagnostic::new(
                self.result_span(),
                message!("problem-equation-without-result"),
            )),
        }
    }

    /// The same over shapes: what it comes to, and everything that does not fit.
    pub fn shapes(&self, inputs: &[Shape], bindings: &[Binding], parameters: &[Shape]) -> Shapes {
        let sizes = inputs.iter().chain(parameters);
        start_budget(sizes.map(|shape| shape.iter().product::<usize>()).sum());
        let operand =
            |shapes: &[Shape], at: usize| Some(Operand::Tensor(shapes.get(at)?.clone(), None));
        let operands = bound(
            bindings,
            |at| operand(inputs, at),
            |at| operand(parameters, at),
        );
        let (result, run) = self.run(operands);
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

    /// Runs the steps over operands that follow the variables; those of steps are filled in.
    fn run(&self, operands: Vec<Option<Operand>>) -> (Option<Operand>, Run<'_>) {
        let mut run = Run {
            at: 0,
            parts: Vec::new(),
            variables: &self.variables,
            operands,
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

/// What the variables are before the first step.
fn bound(
    bindings: &[Binding],
    input: impl Fn(usize) -> Option<Operand>,
    parameter: impl Fn(usize) -> Option<Operand>,
) -> Vec<Option<Operand>> {
    let operand = |binding: &Binding| match *binding {
        Binding::Input(at) => input(at),
        Binding::Parameter(at) => parameter(at),
        Binding::Number(number) => Some(Operand::Number(number)),
        Binding::Step(_) => None,
    };
    bindings.iter().map(operand).collect()
}

/// An equation that is being worked out.
struct Run<'p> {
    variables: &'p [Variable],
    operands: Vec<Option<Operand>>,
    wrong: Vec<Diagnostic>,
    /// The step, by its place.
    at: usize,
    parts: Vec<(usize, Range<usize>, Shape)>,
}

impl Run<'_> {
    /// What a node comes to; none once something below it is wrong. Both sides of a sign are worked
    /// out even then, so that all that is wrong is found.
    fn value(&mut self, step: &StepText, node: &Expr) -> Option<Operand> {
        let found = match &node.kind {
            NodeKind::Number(number) => Ok(Operand::Number(*number)),
            NodeKind::Name(name) => {
                let index = self.variables.iter().position(|(own, _)| own == name)?;
                Ok(self.operands.get(index)?.clone()?)
            }
            NodeKind::Minus(inner) => self.value(step, inner)?.negative(),
            NodeKind::Pair(sign, both) => {
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
                if let (NodeKind::Pair(..) | NodeKind::Call(..), Operand::Tensor(shape, None)) =
                    (&node.kind, &operand)
                {
                    self.parts.push((self.at, node.span.clone(), shape.clone()));
                }
                Some(operand)
            }
            Err(why) => {
                let wrong = Diagnostic::new(node.pointed(), format!("`{node}`: {why}"));
                self.wrong.push(step.told_in_file(wrong));
                None
            }
        }
    }
}

fn unknown_name(name: &str, node: &Expr, known: &[Variable]) -> Diagnostic {
    let wrong = Diagnostic::new(
        node.span.clone(),
        message!("problem-name-unknown", name = name.to_string()),
    );
    match function(name) {
        Some(_) => wrong.because(message!("advice-call-function", name = name.to_string())),
        None => wrong.meant(name, known.iter().map(|(name, _)| name.as_str())),
    }
}
