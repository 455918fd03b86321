//! The tree of an expression.

use std::fmt;
use std::ops::Range;

/// A node of a tree. Nodes with the same meaning are equal, whatever their position.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind and its children.
    pub kind: NodeKind,
    /// Byte range in the text, including surrounding parentheses.
    pub span: Range<usize>,
    /// The byte that error messages point to: that of the binary operator, otherwise the start.
    pub at: usize,
}

/// The kind of a node with its children.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number; never negative.
    Number(f64),
    /// A name.
    Name(String),
    /// The negation of a value.
    Minus(Box<Expr>),
    /// A binary operator with its two operands.
    Binary(BinaryOperator, Box<[Expr; 2]>),
    /// A function call with at least one argument.
    Call(String, Vec<Expr>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
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

impl BinaryOperator {
    /// Returns the text of the operator.
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

    /// Returns the precedence, from 1 (loosest). `@` has the precedence of `*`, as in Python.
    pub fn rank(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Less | Self::AtMost | Self::More | Self::AtLeast => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Product => 5,
        }
    }

    /// Returns whether it is a logical operator.
    pub fn joins(self) -> bool {
        self.rank() <= 2
    }

    /// Returns whether it is a comparison.
    pub fn compares(self) -> bool {
        self.rank() == 3
    }
}

impl Expr {
    /// Creates a node whose messages point to its start.
    pub fn new(kind: NodeKind, span: Range<usize>) -> Self {
        let at = span.start;
        Self { kind, span, at }
    }

    /// Returns the child nodes from left to right.
    pub fn parts(&self) -> &[Self] {
        match &self.kind {
            NodeKind::Number(_) | NodeKind::Name(_) => &[],
            NodeKind::Minus(inner) => std::slice::from_ref(inner),
            NodeKind::Binary(_, both) => both.as_slice(),
            NodeKind::Call(_, arguments) => arguments,
        }
    }

    /// Returns the byte range that error messages point to: the binary operator, otherwise the whole node.
    pub fn pointed(&self) -> Range<usize> {
        match self.kind {
            NodeKind::Binary(sign, _) => self.at..self.at + sign.text().len(),
            _ => self.span.clone(),
        }
    }

    /// Returns the precedence of the node: that of its operator, or the highest for a single value.
    fn rank(&self) -> u8 {
        match self.kind {
            NodeKind::Binary(sign, _) => sign.rank(),
            _ => u8::MAX,
        }
    }
}

impl fmt::Display for Expr {
    /// Writes the expression on one line, with as few parentheses as possible.
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
            NodeKind::Binary(sign, both) => {
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
