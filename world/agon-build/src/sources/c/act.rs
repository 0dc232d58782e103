//! What a source does before `main`, although no other file names it: an object that announces itself to a list of bots.

use super::statement::{TYPES, closing, variables};
use crate::sources::token::Token;
use std::collections::BTreeSet;

/// Something that happens when the program starts.
#[derive(Debug)]
pub(super) struct Act<'t> {
    kind: Kind,
    /// The names in it: the type, the function that is called, the arguments.
    words: Vec<&'t str>,
    /// Whether the object or variable has a name that occurs nowhere else in the file, so that it is there for nothing but the
    /// act.
    pub is_unused: bool,
    /// The name of the object or variable.
    pub name: Option<&'t str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A function with `__attribute__((constructor))`.
    Constructor,
    /// A macro in the place of a declaration: `REGISTER(greedy, play);`.
    Macro,
    /// An object with arguments, or a variable with a call in its value.
    Call,
    /// An object without arguments, which may have a constructor that acts.
    Plain,
}

impl<'t> Act<'t> {
    /// Returns the act of a function that the loader calls.
    pub(super) fn constructor() -> Self {
        Self { kind: Kind::Constructor, words: Vec::new(), is_unused: false, name: None }
    }

    /// Reads what a statement outside of all braces does that is no function. `body` tells whether a brace follows it, and `known`
    /// are names of values in this file.
    pub(super) fn of(statement: &[Token<'t>], body: bool, known: &[&BTreeSet<&'t str>]) -> Option<Self> {
        let words: Vec<&str> = words(statement).collect();
        let act = |kind, name| Some(Self { kind, words: words.clone(), is_unused: false, name });
        if let Some(assigned) = statement.iter().position(|token| *token == Token::Sign('=')) {
            let value = &statement[assigned + 1..];
            // `= make(1)`, `= Bot{`, and `= [] {`, which may be called behind its braces.
            let is_made = body && matches!(value, [.., Token::Word(_) | Token::Sign('>')]);
            let name = variables(&statement[..assigned]).first().copied();
            return if calls(value) || is_made { act(Kind::Call, name) } else { None };
        }
        let is_type =
            |token: &Token<'_>| matches!(token, Token::Word(word) if TYPES.contains(word) || *word == "extern");
        match statement.iter().position(|token| *token == Token::Sign('(')) {
            Some(1) if !body && closing(statement, 1) == Some(statement.len() - 1) => act(Kind::Macro, None),
            Some(open) if !body => match &statement[..open] {
                [.., _, Token::Word(name)] if has_value(&statement[open..], known) => act(Kind::Call, Some(name)),
                _ => None,
            },
            Some(_) => None,
            None if statement.iter().any(is_type) => None,
            None => match statement {
                [.., Token::Word(_) | Token::Sign('>'), Token::Word(name)] => {
                    act(if body { Kind::Call } else { Kind::Plain }, Some(name))
                }
                _ => None,
            },
        }
    }

    /// Returns the act of a function without a name that is called behind its body, as the value of the variable `name`.
    pub(super) fn called(name: Option<&'t str>) -> Self {
        Self { kind: Kind::Call, words: Vec::new(), is_unused: false, name }
    }

    /// Returns whether it surely does something. In C only functions and macros do. `is_of_bot` tells which names another file of
    /// the bot declares, and `is_known` which ones any file does.
    pub(super) fn is_sure(
        &self,
        is_cpp: bool,
        is_of_bot: &dyn Fn(&str) -> bool,
        is_known: &dyn Fn(&str) -> bool,
    ) -> bool {
        let names_bot = || self.words.iter().any(|word| Some(*word) != self.name && is_of_bot(word));
        match self.kind {
            Kind::Constructor => true,
            Kind::Macro => self.words.first().is_some_and(|name| is_known(name)),
            // A value that the file goes on to use, such as `acos(-1)`, concerns nobody else.
            Kind::Call => is_cpp && (self.is_unused || names_bot()),
            Kind::Plain => is_cpp && self.is_unused && names_bot(),
        }
    }

    /// Returns the names in it.
    pub(super) fn words(&self) -> impl Iterator<Item = &'t str> {
        self.words.iter().copied()
    }
}

/// Returns the names in a statement. Behind a `.`, `->` or `::` the name before it decides, because many have a `count`.
fn words<'a, 't>(tokens: &'a [Token<'t>]) -> impl Iterator<Item = &'t str> + 'a {
    tokens.iter().enumerate().filter_map(|(at, token)| {
        let is_member = matches!(
            &tokens[..at],
            [.., Token::Sign('.')]
                | [.., Token::Sign('-'), Token::Sign('>')]
                | [.., Token::Word(_) | Token::Sign('>'), Token::Sign(':'), Token::Sign(':')]
        );
        match token {
            Token::Word(word) if !is_member => Some(*word),
            _ => None,
        }
    })
}

/// Returns whether a value has a call in it.
fn calls(value: &[Token<'_>]) -> bool {
    const NO_CALLS: &[&str] = &["sizeof", "alignof", "decltype", "typeof", "defined", "return"];
    value.windows(2).any(|two| match two {
        [Token::Word(word), Token::Sign('(')] => !NO_CALLS.contains(word),
        // `Reg<Bot>("a")`.
        [Token::Sign('>'), Token::Sign('(')] => true,
        _ => false,
    })
}

/// Returns whether there are values in parentheses, as for an object, and not types, as in the declaration of a function.
pub(super) fn has_value<'t>(parentheses: &[Token<'t>], known: &[&BTreeSet<&'t str>]) -> bool {
    const VALUES: &[&str] = &["true", "false", "nullptr", "NULL", "this", "new", "sizeof"];
    let end = closing(parentheses, 0).unwrap_or(parentheses.len());
    let inner = parentheses.get(1..end).unwrap_or_default();
    let is_value = |word: &str| VALUES.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit());
    let mut begins = true;
    for (at, token) in inner.iter().enumerate() {
        let next = inner.get(at + 1);
        let is_one = match token {
            Token::Text(_) | Token::Sign('+' | '/' | '%' | '!') => true,
            Token::Sign('-' | '&' | '~' | '[') => begins,
            // `callback(*f)(int)` takes a function.
            Token::Word(_) if next == Some(&Token::Sign('(')) => inner.get(at + 2) != Some(&Token::Sign('*')),
            Token::Word(word) if begins => {
                let is_alone = matches!(next, None | Some(Token::Sign(',')));
                is_value(word) || (is_alone && known.iter().any(|names| names.contains(word)))
            }
            _ => false,
        };
        if is_one {
            return true;
        }
        begins = *token == Token::Sign(',');
    }
    false
}
