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
    pub anchor: usize,
}

/// The kind of a node with its children.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number; never negative.
    Number(f64),
    /// A name.
    Name(String),
    /// The negation of a value.
    Negate(Box<Expr>),
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
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `@`: the matrix product.
    MatMul,
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
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::MatMul => "@",
        }
    }

    /// Returns the precedence, from 1 (loosest). `@` has the precedence of `*`, as in Python.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::MatMul => 5,
        }
    }

    /// Returns the result for two numbers: 1 or 0 for a comparison or a logical operator, for which every number but 0
    /// is true. `@` multiplies.
    pub fn calculate(self, a: f64, b: f64) -> f64 {
        let to_number = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Or => to_number(a != 0.0 || b != 0.0),
            Self::And => to_number(a != 0.0 && b != 0.0),
            Self::Less => to_number(a < b),
            Self::LessOrEqual => to_number(a <= b),
            Self::Greater => to_number(a > b),
            Self::GreaterOrEqual => to_number(a >= b),
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply | Self::MatMul => a * b,
            Self::Divide => a / b,
        }
    }

    /// Returns whether it is a logical operator.
    pub fn is_logical(self) -> bool {
        self.precedence() <= 2
    }

    /// Returns whether it is a comparison.
    pub fn is_comparison(self) -> bool {
        self.precedence() == 3
    }
}

impl Expr {
    /// Creates a node whose messages point to its start.
    pub fn new(kind: NodeKind, span: Range<usize>) -> Self {
        let anchor = span.start;
        Self { kind, span, anchor }
    }

    /// Returns the child nodes from left to right.
    pub fn children(&self) -> &[Self] {
        match &self.kind {
            NodeKind::Number(_) | NodeKind::Name(_) => &[],
            NodeKind::Negate(inner) => std::slice::from_ref(inner),
            NodeKind::Binary(_, operands) => operands.as_slice(),
            NodeKind::Call(_, arguments) => arguments,
        }
    }

    /// Returns the byte range that error messages point to: the binary operator, otherwise the whole node.
    pub fn error_span(&self) -> Range<usize> {
        match self.kind {
            NodeKind::Binary(sign, _) => self.anchor..self.anchor + sign.text().len(),
            _ => self.span.clone(),
        }
    }

    /// Returns the precedence of the node: that of its operator, or the highest for a single value.
    fn precedence(&self) -> u8 {
        match self.kind {
            NodeKind::Binary(sign, _) => sign.precedence(),
            _ => u8::MAX,
        }
    }
}

impl fmt::Display for Expr {
    /// Writes the expression on one line, with as few parentheses as possible.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write_child = |f: &mut fmt::Formatter<'_>, child: &Self, min_precedence: u8| match child
            .precedence()
            < min_precedence
        {
            true => write!(f, "({child})"),
            false => write!(f, "{child}"),
        };
        match &self.kind {
            NodeKind::Number(number) => match number.to_string() {
                short if short.len() <= 17 => f.write_str(&short),
                _ => write!(f, "{number:e}"),
            },
            NodeKind::Name(name) => f.write_str(name),
            NodeKind::Negate(inner) => {
                f.write_str("-")?;
                write_child(f, inner, u8::MAX)
            }
            NodeKind::Binary(sign, operands) => {
                write_child(f, &operands[0], sign.precedence())?;
                write!(f, " {} ", sign.text())?;
                write_child(f, &operands[1], sign.precedence() + 1)
            }
            NodeKind::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (index, argument) in arguments.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    write!(f, "{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}
