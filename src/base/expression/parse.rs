//! Parses tokens to a tree by operator precedence (V. Pratt, Top Down Operator Precedence, POPL 1973).

use std::ops::Range;

use super::scan::{Token, scan};
use super::{Diagnostic, Expr, Language, MAX_DEPTH, NodeKind};
use crate::message;
use crate::texts::Message;

/// Parses a text to an expression tree.
///
/// # Errors
/// Returns a Diagnostic at the first position that is not part of an expression.
pub fn parse(language: &Language, text: &str) -> Result<Expr, Diagnostic> {
    if text.chars().count() > language.max_chars {
        let what = message!(
            "problem-equation-too-long",
            called = language.definite_name_message(),
            most_letters = language.max_chars.to_string()
        );
        return Err(Diagnostic::new(0..text.len(), what).explain(language.shorten_advice));
    }
    let mut parser =
        Parser { language, text, tokens: &scan(language, text)?, position: 0, open: Vec::new() };
    let expression = parser.expression(0)?;
    match parser.peek() {
        None => Ok(expression),
        Some((Token::Close, _)) => {
            Err(parser.error_at_next(|_| message!("problem-parenthesis-unmatched")))
        }
        Some(_) => Err(parser.missing_operator()),
    }
}

struct Parser<'t> {
    language: &'t Language,
    text: &'t str,
    tokens: &'t [(Token, Range<usize>)],
    position: usize,
    /// Byte positions of the open parentheses.
    open: Vec<usize>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<(Token, Range<usize>)> {
        self.tokens.get(self.position).cloned()
    }

    /// Consumes the next token if it equals this one, and returns its span.
    fn eat(&mut self, token: Token) -> Option<Range<usize>> {
        let (next, span) = self.peek()?;
        self.position += usize::from(next == token);
        (next == token).then_some(span)
    }

    /// Parses a chain of values with operators of at least this precedence.
    fn expression(&mut self, min_precedence: u8) -> Result<Expr, Diagnostic> {
        let mut left = self.operand()?;
        while let Some((Token::Operator(sign), operator_span)) = self.peek()
            && sign.precedence() >= min_precedence
        {
            self.position += 1;
            let right = self.expression(sign.precedence() + 1)?;
            let span = left.span.start..right.span.end;
            left = Expr {
                kind: NodeKind::Binary(sign, Box::new([left, right])),
                span,
                anchor: operator_span.start,
            };
        }
        Ok(left)
    }

    /// Parses a value with the minus signs before it.
    fn operand(&mut self) -> Result<Expr, Diagnostic> {
        let first_minus = self.position;
        while self.eat(Token::Minus).is_some() {}
        let minuses = &self.tokens[first_minus..self.position];
        let value = self.value()?;
        Ok(minuses.iter().rev().fold(value, |inner, (_, minus)| {
            let span = minus.start..inner.span.end;
            Expr::new(NodeKind::Negate(Box::new(inner)), span)
        }))
    }

    fn value(&mut self) -> Result<Expr, Diagnostic> {
        let Some((token, span)) = self.peek() else {
            return Err(self.unexpected_end());
        };
        let name = || self.text[span.clone()].to_owned();
        let kind = match token {
            Token::Name => NodeKind::Name(name()),
            Token::Number(number) => NodeKind::Number(number),
            Token::Function => {
                let name = name();
                self.position += 1;
                return self.call(name, span.start);
            }
            Token::Open => {
                let mut inner = self.parenthesized(false)?;
                let Some(inner) = inner.pop() else {
                    return Err(self.missing_value());
                };
                let span = span.start..self.tokens[self.position - 1].1.end;
                return Ok(Expr { span, ..inner });
            }
            Token::Operator(_) | Token::Comma | Token::Close | Token::Minus => {
                return Err(self.missing_value());
            }
        };
        self.position += 1;
        Ok(Expr::new(kind, span))
    }

    fn call(&mut self, name: String, start: usize) -> Result<Expr, Diagnostic> {
        let arguments = self.parenthesized(true)?;
        let span = start..self.tokens[self.position - 1].1.end;
        Ok(Expr::new(NodeKind::Call(name, arguments), span))
    }

    /// Parses the content of the parentheses that open here: one expression, or several separated by commas.
    fn parenthesized(&mut self, allow_several: bool) -> Result<Vec<Expr>, Diagnostic> {
        let Some(open) = self.eat(Token::Open) else {
            return Err(self.missing_value());
        };
        self.open.push(open.start);
        if self.open.len() > MAX_DEPTH {
            let what = message!("problem-parentheses-too-deep", deepest = MAX_DEPTH.to_string());
            return Err(Diagnostic::new(open, what).explain(self.language.shorten_advice));
        }
        let mut expressions = vec![self.expression(0)?];
        while allow_several && self.eat(Token::Comma).is_some() {
            expressions.push(self.expression(0)?);
        }
        if self.eat(Token::Close).is_some() {
            self.open.pop();
            return Ok(expressions);
        }
        Err(match self.peek() {
            Some(_) => self.missing_operator(),
            None => self.unexpected_end(),
        })
    }

    /// Returns a mistake at the next token; `what` gets its text.
    fn error_at_next(&self, what: impl FnOnce(&str) -> Message) -> Diagnostic {
        let end = self.text.len();
        let span = self.peek().map_or(end..end, |(_, span)| span);
        Diagnostic::new(span.clone(), what(&self.text[span]))
    }

    fn missing_value(&self) -> Diagnostic {
        self.error_at_next(|shown| message!("problem-value-missing-before", shown))
    }

    /// Returns the mistake that the next token cannot follow a value.
    fn missing_operator(&self) -> Diagnostic {
        self.error_at_next(|shown| match shown {
            "," => message!("problem-comma-not-allowed"),
            _ => message!("problem-operator-missing-before", shown),
        })
    }

    /// Returns the mistake that the text ends too early.
    fn unexpected_end(&self) -> Diagnostic {
        if let Some(&open) = self.open.last() {
            return Diagnostic::new(open..open + 1, message!("problem-parenthesis-never-closed"));
        }
        match self.tokens.last() {
            Some((_, last)) => {
                let what = message!(
                    "problem-equation-ends-early",
                    called = self.language.definite_name_message(),
                    shown = &self.text[last.clone()]
                );
                Diagnostic::new(last.clone(), what)
            }
            None => Diagnostic::new(
                0..0,
                message!("problem-equation-empty", called = self.language.definite_name_message()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::BinaryOperator::*;
    use super::*;

    const ALL: Language = Language {
        definite_name: "the text",
        indefinite_name: "a text",
        operators: &[
            Or,
            And,
            Less,
            LessOrEqual,
            Greater,
            GreaterOrEqual,
            Add,
            Subtract,
            Multiply,
            Divide,
            MatMul,
        ],
        max_chars: 20_000,
        max_tokens: 5_000,
        shorten_advice: "split it",
        content_advice: "names and numbers",
    };

    fn name() -> impl Strategy<Value = String> {
        "[a-z_][a-zA-Z0-9_]{0,5}"
            .prop_filter("operators are not names", |name| name != "or" && name != "and")
    }

    fn trees() -> impl Strategy<Value = Expr> {
        let new = |kind| Expr::new(kind, 0..0);
        let positive = any::<f64>().prop_map(f64::abs);
        let number = positive.prop_filter("finite number", |number| number.is_finite());
        let small = (0..100u32).prop_map(|n| NodeKind::Number(f64::from(n) / 4.0));
        let leaf =
            prop_oneof![small, number.prop_map(NodeKind::Number), name().prop_map(NodeKind::Name)];
        leaf.prop_map(new).prop_recursive(6, 60, 3, move |inner| {
            let pair = (0..ALL.operators.len(), inner.clone(), inner.clone());
            let arguments = prop::collection::vec(inner.clone(), 1..4);
            prop_oneof![
                pair.prop_map(|(sign, a, b)| NodeKind::Binary(
                    ALL.operators[sign],
                    Box::new([a, b])
                )),
                inner.prop_map(|inner| NodeKind::Negate(Box::new(inner))),
                (name(), arguments).prop_map(|(name, inner)| NodeKind::Call(name, inner)),
            ]
            .prop_map(new)
        })
    }

    fn check_spans(node: &Expr, text: &str) {
        assert!(node.span.contains(&node.anchor) && text.get(node.error_span()).is_some());
        let reparsed = parse(&ALL, &text[node.span.clone()]).unwrap();
        assert_eq!(&reparsed, node, "{text}");
        for child in node.children() {
            assert!(node.span.start <= child.span.start && child.span.end <= node.span.end);
            check_spans(child, text);
        }
    }

    proptest! {
        #[test]
        fn printed_expressions_parse_to_same_tree(tree in trees()) {
            let text = tree.to_string();
            let read = parse(&ALL, &text).unwrap();
            prop_assert_eq!(&read, &tree, "{}", text);
            check_spans(&read, &text);
        }

        #[test]
        fn parse_errors_have_valid_spans(
            text in "([a-c] ?|[0-9.eE]|[-+*/@<>=(),;] ?|and |\\PC|[\\x00-\\x1f]){0,40}",
        ) {
            if let Err(error) = parse(&ALL, &text) {
                prop_assert!(text.get(error.span).is_some() && !error.what.is_empty());
            }
        }
    }

    #[test]
    fn operators_follow_precedence_and_left_associativity() {
        for (text, same) in [
            ("a + b * c", "a + (b * c)"),
            ("a - b - c", "(a - b) - c"),
            ("a @ b * c / d", "((a @ b) * c) / d"),
            ("-a @ b", "(-a) @ b"),
            ("a - -b", "a - (-b)"),
            ("a + 1 < b and c <= d or e > 2", "(((a + 1) < b) and (c <= d)) or (e > 2)"),
            ("1e3 + .5", "1000 + 0.5"),
        ] {
            assert_eq!(parse(&ALL, text).unwrap(), parse(&ALL, same).unwrap(), "{text}");
        }
        let sum = parse(&ALL, " (a) +\tf(b, 2) ").unwrap();
        assert_eq!((sum.span.clone(), sum.anchor), (1..14, 5));
        assert_eq!(sum.to_string(), "a + f(b, 2)");
        assert_eq!(sum.children()[0].span, 1..4);
    }

    #[test]
    fn parse_errors_point_at_offending_token() {
        for (text, id, shown, span) in [
            ("", "problem-equation-empty", "", 0..0),
            ("a +", "problem-equation-ends-early", "+", 2..3),
            ("-", "problem-equation-ends-early", "-", 0..1),
            ("a b", "problem-operator-missing-before", "b", 2..3),
            ("2 (b)", "problem-operator-missing-before", "(", 2..3),
            ("f()", "problem-value-missing-before", ")", 2..3),
            ("f(a", "problem-parenthesis-never-closed", "(", 1..2),
            ("(a, b)", "problem-comma-not-allowed", "", 2..3),
            ("a)", "problem-parenthesis-unmatched", ")", 1..2),
            ("a = b", "problem-character-not-allowed", "=", 2..3),
            ("a \u{7}", "problem-character-not-allowed", "\u{7}", 2..3),
            ("a × b", "problem-character-not-allowed", "×", 2..4),
            ("1.2.3", "problem-not-a-number", "1.2.3", 0..5),
            ("1e999", "problem-not-a-number", "1e999", 0..5),
            ("2e", "problem-operator-missing-before", "e", 1..2),
        ] {
            let error = parse(&ALL, text).unwrap_err();
            assert!(error.messages.is(0, id), "{error:?}");
            let shown = format!("`{shown}`");
            assert!(shown == "``" || error.what.contains(&shown), "{error:?}");
            assert_eq!(error.span, span, "{text}");
        }
    }

    #[test]
    fn pathological_inputs_fail_with_short_message() {
        let repeat = |piece: &str, times| piece.repeat(times);
        for text in [
            repeat("(", 4000),
            repeat("f(", 2000),
            repeat("((a+", 1000),
            repeat("a+", 9000),
            repeat("-", 4999),
            repeat("9", 5000),
            repeat("n", 15_000),
            repeat("é", 15_000),
            repeat("\u{202e}\u{0}", 100),
            repeat(",", 4000),
            repeat("1e", 4000),
        ] {
            let error = parse(&ALL, &text).unwrap_err();
            assert!(error.what.len() < 300 && text.get(error.span).is_some());
        }
        let deep = format!("{}a", repeat("-", 4000));
        assert_eq!(parse(&ALL, &deep).unwrap().to_string(), deep);
        let wide = format!("{}a", repeat("a+", 2000));
        assert!(parse(&ALL, &wide).is_ok());
    }
}
