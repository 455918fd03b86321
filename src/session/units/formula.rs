//! Formulas over the figures of runs, such as `forgetting(baseline) > forgetting(lae)`: read and
//! checked here, worked out in `value`.

use super::value::{FUNCTIONS, Function};
use crate::metrics::Expert;
use crate::problem::{Problem, Result, listed};

/// Longest formula, in characters: what nests in it nests no deeper.
const LONGEST: usize = 400;
/// Deepest nesting.
const DEEPEST: usize = 24;

/// A formula that was read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// As it was written.
    pub text: String,
    pub(super) node: Node,
}

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Number(f64),
    /// A figure of a run.
    Figure(Box<Asked>),
    /// A figure of numbers.
    Over(Box<(&'static Function, Vec<Node>)>),
    Negative(Box<Node>),
    Pair(Sign, Box<(Node, Node)>),
}

/// What a formula asks of a run; apart from the node, which is small because there are many.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub function: &'static Function,
    pub run: String,
    /// From 1.
    pub numbers: Vec<usize>,
    /// Whose answer counts.
    pub expert: Option<Expert>,
}

/// What stands between two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    AtMost,
    More,
    AtLeast,
    And,
    Or,
}

impl Sign {
    /// Those of one rank, the loosest first.
    const RANKS: [&'static [(&'static str, Self)]; 5] = [
        &[("or", Self::Or)],
        &[("and", Self::And)],
        &[
            ("<=", Self::AtMost),
            (">=", Self::AtLeast),
            ("<", Self::Less),
            (">", Self::More),
        ],
        &[("+", Self::Add), ("-", Self::Subtract)],
        &[("*", Self::Multiply), ("/", Self::Divide)],
    ];

    /// Whether it compares, so that a condition comes of it.
    fn compares(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::More | Self::AtLeast)
    }

    /// Whether it joins conditions.
    fn joins(self) -> bool {
        matches!(self, Self::And | Self::Or)
    }
}

impl Formula {
    /// Reads a formula over these runs.
    ///
    /// # Errors
    /// A Problem that says what cannot be read, or which run or function there is none of.
    pub fn read(text: &str, runs: &[String]) -> Result<Self> {
        let text = text.trim();
        if text.chars().count() > LONGEST {
            return Err(
                Problem::new(format!("a formula has more than {LONGEST} characters"))
                    .advise("write it in several pieces"),
            );
        }
        let mut reader = Reader {
            words: words(text)?,
            at: 0,
            deep: 0,
            runs,
        };
        let node = reader.rank(0)?;
        match reader.peek() {
            None => Ok(Self {
                text: text.to_string(),
                node,
            }),
            Some(word) => Err(wrong(format!("\"{word}\" is one too many in \"{text}\""))),
        }
    }

    /// Whether it is a condition rather than a number.
    pub fn is_condition(&self) -> bool {
        is_condition(&self.node)
    }

    /// Reads a formula that must be a condition, or must be a number.
    ///
    /// # Errors
    /// As [`Formula::read`], or it is the other one.
    pub fn read_as(text: &str, runs: &[String], condition: bool) -> Result<Self> {
        let formula = Self::read(text, runs)?;
        match (formula.is_condition(), condition) {
            (true, false) => Err(wrong(format!(
                "\"{text}\" is a condition where a number is wanted"
            ))),
            (false, true) => Err(wrong(format!(
                "\"{text}\" is a number where a condition is wanted"
            ))),
            _ => Ok(formula),
        }
    }
}

fn is_condition(node: &Node) -> bool {
    matches!(node, Node::Pair(sign, _) if sign.compares() || sign.joins())
}

fn wrong(what: String) -> Problem {
    let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    let remedy = format!(
        "write like forgetting(a) > 2 * forgetting(b); there are {}",
        listed(&names, 40)
    );
    Problem::new(what).advise(remedy)
}

/// A formula's words: names, numbers and signs.
fn words(text: &str) -> Result<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut word = letter.to_string();
        let long = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '.';
        match letter {
            ' ' => continue,
            c if long(&c) => {
                while let Some(more) = letters.next_if(long) {
                    word.push(more);
                }
            }
            '<' | '>' => word.extend(letters.next_if_eq(&'=')),
            '+' | '-' | '*' | '/' | '(' | ')' | ',' => {}
            other => {
                return Err(wrong(format!(
                    "\"{other}\" means nothing in the formula \"{text}\""
                )));
            }
        }
        words.push(word);
    }
    Ok(words)
}

/// Reads words from left to right.
struct Reader<'a> {
    words: Vec<String>,
    at: usize,
    deep: usize,
    runs: &'a [String],
}

impl Reader<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn take(&mut self, word: &str) -> bool {
        let here = self.peek() == Some(word);
        self.at += usize::from(here);
        here
    }

    fn must(&mut self, word: &str) -> Result<()> {
        match self.take(word) {
            true => Ok(()),
            false => Err(wrong(match self.peek() {
                Some(other) => format!("\"{word}\" is missing before \"{other}\""),
                None => format!("the formula ends before \"{word}\""),
            })),
        }
    }

    fn next(&mut self) -> Result<String> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word.ok_or_else(|| wrong("a formula ends too early".into()))
    }

    /// A chain of the signs of this rank; of comparisons only one may stand in a chain.
    fn rank(&mut self, rank: usize) -> Result<Node> {
        let Some(signs) = Sign::RANKS.get(rank) else {
            return self.single();
        };
        let mut left = self.rank(rank + 1)?;
        while let Some((_, sign)) = signs.iter().find(|(word, _)| self.peek() == Some(*word)) {
            self.at += 1;
            let right = self.rank(rank + 1)?;
            for side in [&left, &right] {
                if is_condition(side) != sign.joins() {
                    return Err(wrong(match sign.joins() {
                        true => "\"and\" and \"or\" join conditions, not numbers".into(),
                        false => "a condition cannot be calculated with or compared".into(),
                    }));
                }
            }
            left = Node::Pair(*sign, Box::new((left, right)));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Node> {
        self.deep += 1;
        if self.deep > DEEPEST {
            return Err(wrong("a formula nests too deeply".into()));
        }
        let node = self.one()?;
        self.deep -= 1;
        Ok(node)
    }

    fn one(&mut self) -> Result<Node> {
        let word = self.next()?;
        match word.as_str() {
            "(" => {
                let inner = self.rank(0)?;
                self.must(")")?;
                return Ok(inner);
            }
            "-" => {
                let inner = self.single()?;
                if is_condition(&inner) {
                    return Err(wrong("a condition has no sign".into()));
                }
                return Ok(Node::Negative(Box::new(inner)));
            }
            _ => {}
        }
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let number = word.parse().ok().filter(|n: &f64| n.is_finite());
            return number
                .map(Node::Number)
                .ok_or_else(|| wrong(format!("\"{word}\" is no number")));
        }
        let function = FUNCTIONS.iter().find(|function| function.name == word);
        let function =
            function.ok_or_else(|| wrong(format!("there is no function named \"{word}\"")))?;
        self.must("(")?;
        let node = match function.of_run {
            true => self.figure(function)?,
            false => self.over(function)?,
        };
        self.must(")")?;
        Ok(node)
    }

    /// The rest of `accuracy(run, 2, offline`.
    fn figure(&mut self, function: &'static Function) -> Result<Node> {
        let run = self.next()?;
        if !self.runs.contains(&run) {
            let there = match self.runs.is_empty() {
                true => "no block above names one".to_string(),
                false => format!("there are {}", listed(self.runs, 20)),
            };
            return Err(Problem::new(format!(
                "the formula names a run \"{run}\" that is not here"
            ))
            .advise(format!("name a run of this lesson: {there}")));
        }
        let (mut numbers, mut expert) = (Vec::new(), None);
        while self.take(",") {
            let word = self.next()?;
            let known = Expert::ALL.into_iter().find(|known| known.name() == word);
            match (known, word.parse::<usize>()) {
                (Some(known), _) if function.by_expert && expert.is_none() => expert = Some(known),
                (None, Ok(number)) if number > 0 => numbers.push(number),
                _ => {
                    return Err(wrong(format!(
                        "\"{word}\" means nothing in {}: {}",
                        function.name, function.about
                    )));
                }
            }
        }
        match function.numbers.contains(&numbers.len()) {
            true => Ok(Node::Figure(Box::new(Asked {
                function,
                run,
                numbers,
                expert,
            }))),
            false => Err(wrong(format!(
                "{} has not the numbers it takes: {}",
                function.name, function.about
            ))),
        }
    }

    /// The rest of `mean(…, …`.
    fn over(&mut self, function: &'static Function) -> Result<Node> {
        let mut inner = Vec::new();
        loop {
            let node = self.rank(0)?;
            if is_condition(&node) {
                return Err(wrong(format!("{} takes numbers", function.name)));
            }
            inner.push(node);
            if !self.take(",") {
                return Ok(Node::Over(Box::new((function, inner))));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_told_in_one_sentence() {
        let runs = ["a".to_string()];
        for (text, told) in [
            ("accuracy(b)", "a run \"b\""),
            ("acuracy(a)", "no function named \"acuracy\""),
            ("accuracy(a) >", "too early"),
            ("accuracy(a) 3", "one too many"),
            ("cell(a, 1)", "has not the numbers"),
            ("cell(a, 0, 1)", "means nothing"),
            ("given(a, offline)", "means nothing"),
            ("accuracy(a", "ends before \")\""),
            ("(1 < 2) + 3", "cannot be calculated"),
            ("1 and 2", "join conditions"),
            ("1 % 2", "means nothing"),
            ("1.2.3", "is no number"),
            ("", "too early"),
        ] {
            let problem = Formula::read(text, &runs).unwrap_err();
            assert!(problem.what.contains(told), "{text}: {}", problem.what);
            assert!(!problem.remedy.is_empty());
        }
        let deep = "(".repeat(200);
        assert!(Formula::read(&deep, &runs).is_err());
        assert!(Formula::read(&"1+".repeat(300), &runs).is_err());
        assert!(Formula::read_as("accuracy(a)", &runs, true).is_err());
        assert!(Formula::read_as("accuracy(a) > 1", &runs, false).is_err());
    }
}
