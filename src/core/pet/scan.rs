//! Reads an equation's text: names, numbers, `+ - * / @`, parentheses and commas, nothing else.
//!
//! The grammar is checked here, so a mistake is reported in the words of equations, and statements,
//! loops, functions, strings and fields never reach the evaluator.

use std::ops::Range;

use super::functions::function;
use super::source::{is_long, too_long};
use crate::counts::counted;

/// An equation has at most this many tokens; real ones have fewer than forty.
const MOST_TOKENS: usize = 256;
/// Parentheses nest at most this deep.
const DEEPEST: usize = 24;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A variable.
    Name,
    /// A function about to be called.
    Call,
    /// A number.
    Number(f64),
    /// One of `+ - * / @` between two values.
    Operator(char),
    /// A minus sign before a value.
    Minus,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
}

/// A token and its place in the equation (bytes).
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Bytes of the equation.
    pub range: Range<usize>,
}

/// A mistake at a byte of the equation.
#[derive(Debug)]
pub struct Slip {
    /// Byte offset.
    pub at: usize,
    /// One sentence.
    pub what: String,
    /// What to try; may be empty.
    pub remedy: String,
}

impl Slip {
    /// A mistake without advice.
    pub fn new(at: usize, what: impl Into<String>) -> Self {
        Self {
            at,
            what: what.into(),
            remedy: String::new(),
        }
    }
}

/// Splits an equation into tokens and checks that they form an expression.
pub fn scan(text: &str) -> Result<Vec<Token>, Slip> {
    let tokens = split(text)?;
    check(text, &tokens)?;
    Ok(tokens)
}

fn split(text: &str) -> Result<Vec<Token>, Slip> {
    let mut tokens: Vec<Token> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let start = at;
        at += letter.len_utf8();
        let take = |mut end: usize, keep: fn(&u8) -> bool| {
            while bytes.get(end).is_some_and(keep) {
                end += 1;
            }
            end
        };
        let after_value = tokens
            .last()
            .is_some_and(|token| matches!(token.kind, Kind::Name | Kind::Number(_) | Kind::Close));
        let kind = match letter {
            ' ' | '\t' | '\n' | '\r' => continue,
            'a'..='z' | 'A'..='Z' | '_' => {
                at = take(at, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                if is_long(&text[start..at]) {
                    return Err(Slip::new(start, too_long(&text[start..at])));
                }
                match text[at..].trim_start().starts_with('(') {
                    true => Kind::Call,
                    false => Kind::Name,
                }
            }
            '.' if !bytes.get(at).is_some_and(u8::is_ascii_digit) => return Err(stray(start, '.')),
            '0'..='9' | '.' => {
                at = take(at, |byte| byte.is_ascii_digit() || *byte == b'.');
                if matches!(bytes.get(at), Some(b'e' | b'E')) {
                    let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
                    if bytes.get(at + 1 + sign).is_some_and(u8::is_ascii_digit) {
                        at = take(at + 1 + sign, u8::is_ascii_digit);
                    }
                }
                let number = text[start..at]
                    .parse::<f64>()
                    .ok()
                    .filter(|x| x.is_finite());
                Kind::Number(number.ok_or_else(|| {
                    Slip::new(start, format!("`{}` is not a number", &text[start..at]))
                })?)
            }
            '-' if !after_value => Kind::Minus,
            '+' | '-' | '*' | '/' | '@' => Kind::Operator(letter),
            '(' => Kind::Open,
            ')' => Kind::Close,
            ',' => Kind::Comma,
            other => return Err(stray(start, other)),
        };
        tokens.push(Token {
            kind,
            range: start..at,
        });
        if tokens.len() > MOST_TOKENS {
            let what = format!("the equation has more than {MOST_TOKENS} names and signs");
            let remedy = "split it into named steps".to_owned();
            return Err(Slip {
                at: start,
                what,
                remedy,
            });
        }
    }
    Ok(tokens)
}

/// A letter that means nothing in an equation.
fn stray(at: usize, letter: char) -> Slip {
    let remedy = match letter {
        '·' | '×' | '∗' => "write * for element by element, @ for the matrix product",
        '−' | '–' => "write the minus sign as -",
        '^' => "write x * x for a square, sqrt(x) for a root",
        _ => "an equation is made of names, numbers, + - * / @, parentheses and commas",
    };
    Slip {
        at,
        what: format!("`{letter}` has no meaning in an equation"),
        remedy: remedy.to_owned(),
    }
}

/// An open parenthesis: where, and the function it belongs to with the arguments so far.
struct Opened<'t> {
    at: usize,
    call: Option<(&'t str, usize)>,
}

fn check(text: &str, tokens: &[Token]) -> Result<(), Slip> {
    let mut opened: Vec<Opened> = Vec::new();
    let mut value_next = true;
    let mut called = None;
    for token in tokens {
        let (at, shown) = (token.range.start, &text[token.range.clone()]);
        match token.kind {
            Kind::Name | Kind::Number(_) | Kind::Call | Kind::Minus if !value_next => {
                return Err(Slip::new(
                    at,
                    format!("an operator is missing before `{shown}`"),
                ));
            }
            Kind::Name | Kind::Number(_) => value_next = false,
            Kind::Call => called = Some(shown),
            Kind::Minus => {}
            Kind::Open if !value_next => {
                return Err(Slip::new(at, "an operator is missing before `(`"));
            }
            Kind::Open => {
                opened.push(Opened {
                    at,
                    call: called.take().map(|name| (name, 1)),
                });
                if opened.len() > DEEPEST {
                    let what = format!("parentheses nest more than {DEEPEST} deep");
                    let remedy = "split the equation into named steps".to_owned();
                    return Err(Slip { at, what, remedy });
                }
            }
            Kind::Operator(_) | Kind::Comma | Kind::Close if value_next => {
                return Err(Slip::new(
                    at,
                    format!("a name or a number is missing before `{shown}`"),
                ));
            }
            Kind::Operator(_) => value_next = true,
            Kind::Comma => {
                match opened.last_mut() {
                    Some(Opened {
                        call: Some((_, arguments)),
                        ..
                    }) => *arguments += 1,
                    _ => return Err(Slip::new(at, "a comma belongs between arguments")),
                }
                value_next = true;
            }
            Kind::Close => {
                let closed = opened
                    .pop()
                    .ok_or_else(|| Slip::new(at, "this `)` closes nothing"))?;
                if let Some((name, given)) = closed.call {
                    arity(name, given, closed.at)?;
                }
            }
        }
    }
    if let Some(open) = opened.last() {
        return Err(Slip::new(open.at, "this `(` is never closed"));
    }
    match (value_next, tokens.last()) {
        (false, _) => Ok(()),
        (true, Some(last)) => Err(Slip::new(
            last.range.start,
            format!("the equation ends after `{}`", &text[last.range.clone()]),
        )),
        (true, None) => Err(Slip::new(0, "the equation is empty")),
    }
}

/// Compares the number of arguments; unknown functions are reported elsewhere.
fn arity(name: &str, given: usize, at: usize) -> Result<(), Slip> {
    match function(name) {
        Some(known) if known.arguments() != given => Err(Slip {
            at,
            what: format!(
                "`{name}` takes {} and got {given}",
                counted(known.arguments(), "argument")
            ),
            remedy: format!("write {}", known.usage),
        }),
        _ => Ok(()),
    }
}

/// The bytes of the smallest expression that the operator or call beginning at `at` belongs to, for
/// messages such as "`e @ down`: …".
pub fn expression_at(tokens: &[Token], at: usize) -> Option<Range<usize>> {
    let index = tokens.iter().position(|token| token.range.start == at)?;
    match tokens[index].kind {
        Kind::Operator(sign) => {
            let left = left_operand(tokens, index, precedence(sign))?;
            let right = right_operand(tokens, index + 1, precedence(sign))?;
            Some(tokens[left].range.start..tokens[right].range.end)
        }
        _ => {
            let end = primary_end(tokens, index)?;
            Some(tokens[index].range.start..tokens[end].range.end)
        }
    }
}

/// `@` binds like `*` and `/`, as in Python.
fn precedence(sign: char) -> u8 {
    match sign {
        '+' | '-' => 1,
        _ => 2,
    }
}

/// First token of the left operand of the operator at `index`.
fn left_operand(tokens: &[Token], index: usize, level: u8) -> Option<usize> {
    let mut start = primary_start(tokens, index.checked_sub(1)?)?;
    while let Some(before) = start.checked_sub(1) {
        match tokens[before].kind {
            Kind::Operator(sign) if precedence(sign) >= level => {
                start = primary_start(tokens, before.checked_sub(1)?)?;
            }
            _ => break,
        }
    }
    Some(start)
}

/// Last token of the right operand that begins at `index`.
fn right_operand(tokens: &[Token], index: usize, level: u8) -> Option<usize> {
    let mut end = primary_end(tokens, index)?;
    while let Some(next) = tokens.get(end + 1) {
        match next.kind {
            Kind::Operator(sign) if precedence(sign) > level => {
                end = primary_end(tokens, end + 2)?;
            }
            _ => break,
        }
    }
    Some(end)
}

/// First token of the name, number, call or group that ends at `end`, minus signs included.
fn primary_start(tokens: &[Token], end: usize) -> Option<usize> {
    let mut start = end;
    if tokens.get(end)?.kind == Kind::Close {
        let mut depth = 0usize;
        start = tokens[..=end].iter().rposition(|token| {
            match token.kind {
                Kind::Close => depth += 1,
                Kind::Open => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        if start > 0 && tokens[start - 1].kind == Kind::Call {
            start -= 1;
        }
    }
    while start > 0 && tokens[start - 1].kind == Kind::Minus {
        start -= 1;
    }
    Some(start)
}

/// Last token of the name, number, call or group that begins at `start`.
fn primary_end(tokens: &[Token], start: usize) -> Option<usize> {
    match tokens.get(start)?.kind {
        Kind::Minus | Kind::Call => primary_end(tokens, start + 1),
        Kind::Open => {
            let mut depth = 0usize;
            let length = tokens[start..].iter().position(|token| {
                match token.kind {
                    Kind::Open => depth += 1,
                    Kind::Close => depth -= 1,
                    _ => {}
                }
                depth == 0
            })?;
            Some(start + length)
        }
        _ => Some(start),
    }
}
