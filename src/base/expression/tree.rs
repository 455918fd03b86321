//! The tree of an expression.

use std::fmt;
use std::ops::Range;

/// One node of a tree. Two with the same meaning are equal, wherever they are.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: NodeKind,
    /// Bytes of the text, parentheses around it included.
    pub span: Range<usize>,
    /// The byte that a message about it points to: the sign between two values, else where it begins.
    pub at: usize,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number; never negative.
    Number(f64),
    /// Something with a name.
    Name(String),
    /// A minus sign before a value.
    Minus(Box<Expr>),
    /// Two values with a sign between them.
    Pair(Sign, Box<[Expr; 2]>),
    /// A function of values; at least one.
    Call(String, Vec<Expr>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `or`
    Or,
    /// `and`
    And,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `@`: the matrix product.
    Product,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Sign {
    /// As written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Product => "@",
        }
    }

    /// How tightly it binds, from 1. `@` binds like `*`, as in Python.
    pub fn rank(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Less | Self::AtMost | Self::More | Self::AtLeast => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Product => 5,
        }
    }

    /// Whether it joins conditions.
    pub fn joins(self) -> bool {
        self.rank() <= 2
    }

    /// Whether it compares numbers, so its result is a condition.
    pub fn compares(self) -> bool {
        self.rank() == 3
    }
}

impl Expr {
    /// A node whose messages point to its beginning.
    pub fn new(kind: NodeKind, span: Range<usize>) -> Self {
        let at = span.start;
        Self { kind, span, at }
    }

    /// The nodes right below this one, from left to right.
    pub fn parts(&self) -> &[Self] {
        match &self.kind {
            NodeKind::Number(_) | NodeKind::Name(_) => &[],
            NodeKind::Minus(inner) => std::slice::from_ref(inner),
            NodeKind::Pair(_, both) => both.as_slice(),
            NodeKind::Call(_, arguments) => arguments,
        }
    }

    /// What a message about it points to: the sign between two values, else the whole.
    pub fn pointed(&self) -> Range<usize> {
        match self.kind {
            NodeKind::Pair(sign, _) => self.at..self.at + sign.text().len(),
            _ => self.span.clone(),
        }
    }

    /// How tightly what it is made of holds together; a value by itself more tightly than any sign.
    fn rank(&self) -> u8 {
        match self.kind {
            NodeKind::Pair(sign, _) => sign.rank(),
            _ => u8::MAX,
        }
    }
}

impl fmt::Display for Expr {
    /// The expression on one line, with no more parentheses than it needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let within = |f: &mut fmt::Formatter<'_>, part: &Self, least: u8| match part.rank() < least
        {
            true => write!(f, "({part})"),
            false => write!(f, "{part}"),
        };
        match &self.kind {
            NodeKind::Number(number) => match number.to_string() {
                short if short.len() <= 17 => f.write_str(&short),
                _ => write!(f, "{number:e}"),
            },
            NodeKind::Name(name) => f.write_str(name),
            NodeKind::Minus(inner) => {
                f.write_str("-")?;
                within(f, inner, u8::MAX)
            }
            NodeKind::Pair(sign, both) => {
                within(f, &both[0], sign.rank())?;
                write!(f, " {} ", sign.text())?;
                within(f, &both[1], sign.rank() + 1)
            }
            NodeKind::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (at, argument) in arguments.iter().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    write!(f, "{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}
