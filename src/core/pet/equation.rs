//! Equations over tensors: compiled once, evaluated in a sandbox, errors with their place.
//!
//! The text is scanned first (`scan.rs`), every name is looked up, and only then it is handed to the
//! rhai engine, rewritten on one line with numbered variables and floating-point numbers. The engine
//! is a raw one: it knows the functions of `functions.rs` and nothing else. An equation is one
//! expression; named steps run in order; so every evaluation ends.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

use burn::tensor::Tensor;
use rhai::{AST, Dynamic, Engine, EvalAltResult, OptimizationLevel, Scope};

use super::functions::{self, FUNCTIONS, function};
use super::scan::{self, Kind, Slip, Token};
use super::source::{Source, meant};
use super::{budget::start_budget, value::Value};
use crate::problem::{Problem, Result};

/// Most named steps of one equation.
pub const MOST_STEPS: usize = 32;
/// Most letters of one step.
const MOST_LETTERS: usize = 2000;
/// Far above what the longest allowed equation needs.
const MOST_OPERATIONS: u64 = 10_000;
/// `@` binds as tightly as `*`.
const PRODUCT_PRECEDENCE: u8 = 180;

/// What a name in an equation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What the site hands over, by position (e, h or q, k, v).
    Input(usize),
    /// A parameter of the plugin, by position.
    Parameter(usize),
    /// A number (a size of the block or the plugin), by position.
    Number(usize),
    /// The result of an earlier step.
    Step(usize),
}

/// The names an equation may use.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// What the site hands over.
    pub inputs: Vec<String>,
    /// The plugin's parameters.
    pub parameters: Vec<String>,
    /// Sizes.
    pub numbers: Vec<String>,
}

/// The text of one step: its name, the expression, and where the value stands in the file.
#[derive(Clone, Debug)]
pub struct StepText {
    /// Name; later steps may use it.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Bytes of the quoted value in the file.
    pub span: Range<usize>,
}

/// What a name is bound to when a program runs.
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

/// A compiled equation: steps in order, the last one is the result.
#[derive(Clone, Debug)]
pub struct Program {
    source: Source,
    steps: Vec<Step>,
    variables: Vec<Meaning>,
}

#[derive(Clone, Debug)]
struct Step {
    text: StepText,
    tokens: Vec<Token>,
    /// Column of each token in the rewritten line, from 1.
    columns: Vec<usize>,
    ast: AST,
    /// Variables of the program that this step reads.
    reads: Vec<usize>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = Engine::new_raw();
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_max_operations(MOST_OPERATIONS)
        .set_max_expr_depths(0, 0)
        .set_max_call_levels(0)
        .set_max_functions(0)
        .set_allow_looping(false);
    // `@` is free in the language, so this cannot fail; equations would not compile if it did.
    let _ = engine.register_custom_operator("@", PRODUCT_PRECEDENCE);
    functions::register(&mut engine);
    engine
});

impl Program {
    /// Compiles the steps of one equation.
    ///
    /// # Errors
    /// A Problem with line and column: stray letters, unknown names, wrong numbers of arguments.
    pub fn compile(source: &Source, texts: Vec<StepText>, known: &Vocabulary) -> Result<Self> {
        let mut program = Self {
            source: source.clone(),
            steps: Vec::with_capacity(texts.len()),
            variables: Vec::new(),
        };
        if texts.len() > MOST_STEPS {
            let place = texts[MOST_STEPS].span.start;
            let what = format!("an equation has at most {MOST_STEPS} steps");
            return Err(source.problem(place, what));
        }
        for text in texts {
            let step = program
                .compile_step(&text, known)
                .map_err(|slip| program.slip(&text, slip, known))?;
            program.steps.push(step);
        }
        Ok(program)
    }

    /// The steps as written: name and expression.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.steps
            .iter()
            .map(|step| (step.text.name.as_str(), step.text.text.as_str()))
    }

    /// What each of the program's variables stands for; bindings follow this order.
    pub fn variables(&self) -> &[Meaning] {
        &self.variables
    }

    /// Where the equation begins in its file.
    pub fn start(&self) -> usize {
        self.steps.first().map_or(0, |step| step.text.span.start)
    }

    /// The place of the last step, for problems about the result.
    pub fn result_place(&self) -> String {
        let start = self.steps.last().map_or(0, |step| step.text.span.start);
        self.source.place(start)
    }

    /// Evaluates all steps and returns the last result. `bindings` follow
    /// [`Program::variables`]; `Binding::Parameter(i)` reads `parameters[i]`.
    ///
    /// # Errors
    /// A Problem that quotes the part of the equation whose shapes do not fit.
    pub fn evaluate(
        &self,
        inputs: &[Value],
        bindings: &[Binding],
        parameters: &[Tensor<2>],
    ) -> Result<Value> {
        let sizes = inputs
            .iter()
            .map(|value| value.dims().iter().product::<usize>());
        let own = parameters
            .iter()
            .map(|x| x.dims().iter().product::<usize>());
        start_budget(sizes.chain(own).sum());
        let mut scope = Scope::new();
        for (index, binding) in bindings.iter().enumerate() {
            let value = match *binding {
                Binding::Input(at) => inputs.get(at).cloned().map(Dynamic::from),
                Binding::Parameter(at) => parameters
                    .get(at)
                    .cloned()
                    .map(Value::from)
                    .map(Dynamic::from),
                Binding::Number(number) => Some(Dynamic::from(number)),
                Binding::Step(_) => continue,
            };
            if let Some(value) = value {
                scope.push_dynamic(variable(index), value);
            }
        }
        let last = self.steps.len().saturating_sub(1);
        for (at, step) in self.steps.iter().enumerate() {
            let value = ENGINE
                .eval_ast_with_scope::<Dynamic>(&mut scope, &step.ast)
                .map_err(|error| self.failure(step, &error))?;
            if at == last {
                let place = step.text.span.start;
                return value.try_cast::<Value>().ok_or_else(|| {
                    self.source.problem(
                        place,
                        "the equation gives a number where a tensor is needed",
                    )
                });
            }
            if let Some(index) = self
                .variables
                .iter()
                .position(|meaning| *meaning == Meaning::Step(at))
            {
                scope.push_dynamic(variable(index), value);
            }
        }
        Err(Problem::new("the equation has no steps").at(&self.source.origin))
    }

    fn compile_step(&mut self, text: &StepText, known: &Vocabulary) -> Result<Step, Slip> {
        if text.text.len() > MOST_LETTERS {
            let what = format!("the equation has more than {MOST_LETTERS} letters");
            return Err(Slip::new(0, what));
        }
        let tokens = scan::scan(&text.text)?;
        let mut line = String::new();
        let mut columns = Vec::with_capacity(tokens.len());
        let mut reads = Vec::new();
        for token in &tokens {
            columns.push(line.len() + 1);
            let shown = &text.text[token.range.clone()];
            match token.kind {
                Kind::Name => {
                    let meaning = self.lookup(shown, known).ok_or_else(|| {
                        Slip::new(token.range.start, format!("unknown name `{shown}`"))
                    })?;
                    let index = self.variable_for(meaning);
                    reads.push(index);
                    line.push_str(&variable(index));
                }
                Kind::Call if function(shown).is_none() => {
                    let what = format!("unknown function `{shown}`");
                    return Err(Slip::new(token.range.start, what));
                }
                Kind::Number(number) => line.push_str(&literal(number)),
                _ => line.push_str(shown),
            }
            line.push(' ');
        }
        let ast = ENGINE.compile_expression(&line).map_err(|error| {
            let at = error.position().position().unwrap_or(1);
            Slip::new(
                origin_of(&tokens, &columns, at),
                error.err_type().to_string(),
            )
        })?;
        Ok(Step {
            text: text.clone(),
            tokens,
            columns,
            ast,
            reads,
        })
    }

    fn lookup(&self, name: &str, known: &Vocabulary) -> Option<Meaning> {
        let find = |names: &[String]| names.iter().position(|known| known == name);
        find(&known.inputs)
            .map(Meaning::Input)
            .or_else(|| find(&known.parameters).map(Meaning::Parameter))
            .or_else(|| find(&known.numbers).map(Meaning::Number))
            .or_else(|| {
                self.steps
                    .iter()
                    .position(|step| step.text.name == name)
                    .map(Meaning::Step)
            })
    }

    fn variable_for(&mut self, meaning: Meaning) -> usize {
        match self.variables.iter().position(|known| *known == meaning) {
            Some(index) => index,
            None => {
                self.variables.push(meaning);
                self.variables.len() - 1
            }
        }
    }

    /// A mistake found while compiling, as a person reads it.
    fn slip(&self, text: &StepText, slip: Slip, known: &Vocabulary) -> Problem {
        let unknown = slip
            .what
            .strip_prefix("unknown name `")
            .or_else(|| slip.what.strip_prefix("unknown function `"))
            .map(|name| name.trim_end_matches('`').to_owned());
        let problem = self
            .source
            .problem(self.offset(text, slip.at), slip.what.clone());
        let Some(name) = unknown else {
            return problem.advise(slip.remedy);
        };
        if slip.what.starts_with("unknown function") {
            return meant(problem, &name, FUNCTIONS.iter().map(|known| known.name));
        }
        if function(&name).is_some() {
            return problem.advise(format!("`{name}` is a function: write {name}(…)"));
        }
        let steps = self.steps.iter().map(|step| &step.text.name);
        let names = known
            .inputs
            .iter()
            .chain(&known.parameters)
            .chain(&known.numbers);
        meant(problem, &name, names.chain(steps).map(String::as_str))
    }

    /// A failed evaluation, with the part of the equation it happened in.
    fn failure(&self, step: &Step, error: &EvalAltResult) -> Problem {
        let column = error.position().position().unwrap_or(1);
        let at = origin_of(&step.tokens, &step.columns, column);
        let part = scan::expression_at(&step.tokens, at)
            .and_then(|range| step.text.text.get(range))
            .unwrap_or(&step.text.text);
        let what = match error {
            EvalAltResult::ErrorRuntime(message, _) => format!("`{part}`: {message}"),
            EvalAltResult::ErrorFunctionNotFound(signature, _) => wrong_kind(part, signature),
            other => format!("`{part}`: {other}"),
        };
        self.source.problem(self.offset(&step.text, at), what)
    }

    /// Byte of the file for a byte of the equation.
    fn offset(&self, text: &StepText, at: usize) -> usize {
        self.source
            .content_start(&text.span, &text.text)
            .map_or(text.span.start, |start| start + at)
    }

    /// Whether the parameter at this position is used by any step.
    pub fn uses_parameter(&self, parameter: usize) -> bool {
        let wanted = Meaning::Parameter(parameter);
        self.steps
            .iter()
            .flat_map(|step| &step.reads)
            .any(|&index| self.variables.get(index) == Some(&wanted))
    }

    /// Names of steps that no later step reads.
    pub fn idle_steps(&self) -> Vec<&StepText> {
        let last = self.steps.len().saturating_sub(1);
        (0..last)
            .filter(|&at| !self.variables.contains(&Meaning::Step(at)))
            .map(|at| &self.steps[at].text)
            .collect()
    }
}

/// A call or operator whose arguments are of the wrong kind, for example `gelu(2)`.
fn wrong_kind(part: &str, signature: &str) -> String {
    let name = signature.split(" (").next().unwrap_or(signature);
    match function(name) {
        Some(known) => format!(
            "`{part}`: {} does not work on a {}",
            known.usage,
            match signature.contains("(tensor") {
                true => "tensor in place of a number",
                false => "number",
            }
        ),
        None => format!("`{part}`: `{name}` needs tensors on both sides"),
    }
}

/// Byte of the equation for a column of the rewritten line.
fn origin_of(tokens: &[Token], columns: &[usize], column: usize) -> usize {
    let index = columns.partition_point(|&start| start <= column);
    tokens
        .get(index.saturating_sub(1))
        .map_or(0, |token| token.range.start)
}

/// Name of the program's variable in the rewritten line; no word of any language.
fn variable(index: usize) -> String {
    let mut name = String::from("v");
    // Writing to a String cannot fail.
    let _ = write!(name, "{index}");
    name
}

/// A number the engine reads as floating point.
fn literal(number: f64) -> String {
    let text = number.to_string();
    match text.contains('.') {
        true => text,
        false => text + ".0",
    }
}
