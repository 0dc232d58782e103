//! The expression behind `#if`: names and numbers with `!`, `&&`, `||` and parentheses. It is read in a loop, because a bot may nest
//! them as deeply as it likes.

use super::condition::Truth;
use crate::sources::token::Token;
use std::mem;

/// What stands between two of `&&`, `||` and parentheses.
enum Operand {
    Missing,
    Known(Truth),
    /// More than one word, such as a comparison.
    Unread,
}

/// What was read inside of one pair of parentheses.
struct Level {
    /// Whether one of the operands of `||` before this one holds.
    any: Truth,
    /// Whether all operands of `&&` since then hold.
    all: Truth,
    operand: Operand,
    /// Whether an odd number of `!` is before the operand.
    is_negated: bool,
    /// Whether it has a sign that binds less than `||`.
    is_unread: bool,
}

impl Level {
    const START: Self =
        Self { any: Truth::Never, all: Truth::Always, operand: Operand::Missing, is_negated: false, is_unread: false };

    fn add(&mut self, truth: Truth) {
        self.operand = match self.operand {
            Operand::Missing => Operand::Known(if self.is_negated { truth.not() } else { truth }),
            _ => Operand::Unread,
        };
    }

    /// Ends an operand of `&&`.
    fn and(&mut self) {
        let truth = match mem::replace(&mut self.operand, Operand::Missing) {
            Operand::Known(truth) => truth,
            Operand::Missing | Operand::Unread => Truth::Perhaps,
        };
        self.all = self.all.min(truth);
        self.is_negated = false;
    }

    /// Ends an operand of `||`.
    fn or(&mut self) {
        self.and();
        self.any = self.any.max(mem::replace(&mut self.all, Truth::Always));
    }

    fn end(mut self) -> Truth {
        self.or();
        if self.is_unread { Truth::Perhaps } else { self.any }
    }
}

/// Returns whether an expression holds. `is_defined` tells whether a macro is defined.
pub(super) fn truth(mut rest: &[Token<'_>], is_defined: &dyn Fn(&str) -> Truth) -> Truth {
    let (mut around, mut level) = (Vec::new(), Level::START);
    loop {
        rest = match rest {
            [] if around.is_empty() => return level.end(),
            [] => return Truth::Perhaps,
            // The line goes on behind its end.
            [Token::Sign('\\') | Token::Line, rest @ ..] => rest,
            [Token::Sign('!'), rest @ ..] if matches!(level.operand, Operand::Missing) => {
                level.is_negated = !level.is_negated;
                rest
            }
            [Token::Sign('('), rest @ ..] => {
                around.push(mem::replace(&mut level, Level::START));
                rest
            }
            [Token::Sign(')'), rest @ ..] => {
                let Some(outer) = around.pop() else { return Truth::Perhaps };
                let inner = mem::replace(&mut level, outer).end();
                level.add(inner);
                rest
            }
            [Token::Sign('&'), Token::Sign('&'), rest @ ..] => {
                level.and();
                rest
            }
            [Token::Sign('|'), Token::Sign('|'), rest @ ..] => {
                level.or();
                rest
            }
            [Token::Word("defined"), Token::Sign('('), Token::Word(name), Token::Sign(')'), rest @ ..]
            | [Token::Word("defined"), Token::Word(name), rest @ ..] => {
                level.add(is_defined(name));
                rest
            }
            [Token::Word(word), rest @ ..] => {
                level.add(value(word, is_defined));
                rest
            }
            [other, rest @ ..] => {
                level.is_unread |= matches!(other, Token::Sign('?' | ','));
                level.operand = Operand::Unread;
                rest
            }
        }
    }
}

/// Returns whether a number or a name counts as true.
fn value(word: &str, is_defined: &dyn Fn(&str) -> Truth) -> Truth {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return match word.trim_end_matches(['u', 'U', 'l', 'L']).parse::<u64>() {
            Ok(0) => Truth::Never,
            Ok(_) => Truth::Always,
            Err(_) => Truth::Perhaps,
        };
    }
    // A name without a value counts as 0, but for `true` in C++, and the value of one with a value is not known here.
    if word != "true" && is_defined(word) == Truth::Never { Truth::Never } else { Truth::Perhaps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, sources::token::tokens};

    #[test]
    fn an_expression_holds_as_far_as_its_words_tell() {
        for (expression, expected) in [
            ("!NO && !OTHER", Truth::Always),
            ("!defined(NO) && !defined NO", Truth::Always),
            ("NO && MAYBE", Truth::Never),
            ("MAYBE && NO", Truth::Never),
            ("NO || defined(YES)", Truth::Always),
            ("NO || NO && defined(YES)", Truth::Never),
            ("defined(YES) || NO && NO", Truth::Always),
            ("(defined(YES) || NO) && NO", Truth::Never),
            ("!(NO || (NO && MAYBE)) && (1)", Truth::Always),
            ("!!NO", Truth::Never),
            ("!NO > 3", Truth::Perhaps),
            ("NO > 3 || 1", Truth::Always),
            ("NO != 3 && 0L", Truth::Never),
            ("defined(NO) && \\\n defined(YES)", Truth::Never),
            ("NO ? 0 : NO", Truth::Perhaps),
            ("__has_include(<a.h>) && NO", Truth::Never),
            ("YES", Truth::Perhaps),
            ("true", Truth::Perhaps),
            ("2", Truth::Always),
            ("0x0", Truth::Perhaps),
            ("-1", Truth::Perhaps),
            ("MAYBE & NO", Truth::Perhaps),
            ("NO NO", Truth::Perhaps),
            ("!NO && ", Truth::Perhaps),
            ("(NO", Truth::Perhaps),
            ("NO)", Truth::Perhaps),
            ("()", Truth::Perhaps),
            ("", Truth::Perhaps),
        ] {
            let is_defined = |name: &str| match name {
                "YES" => Truth::Always,
                "MAYBE" => Truth::Perhaps,
                name if name.starts_with('_') => Truth::Perhaps,
                _ => Truth::Never,
            };
            assert_eq!(truth(&tokens(expression, Language::Cpp), &is_defined), expected, "{expression}");
        }
        for deep in ["!".repeat(200_000), "(".repeat(200_000), "!(".repeat(100_000) + "NO" + &")".repeat(100_000)] {
            let expected = if deep.contains("NO") { Truth::Never } else { Truth::Perhaps };
            assert_eq!(truth(&tokens(&deep, Language::Cpp), &|_| Truth::Never), expected);
        }
    }
}
