//! Statements of C and C++ outside of all braces: what they define.

use crate::sources::token::Token;

/// The words that begin a type, whose braces are no body of a function.
pub(super) const TYPES: &[&str] = &["struct", "class", "union", "enum"];

/// Words with something in parentheses behind them that says nothing about names.
const ATTRIBUTES: &[&str] = &[
    "__attribute__",
    "__attribute",
    "__declspec",
    "__asm__",
    "asm",
    "alignas",
    "_Alignas",
    "decltype",
    "typeof",
    "noexcept",
    "explicit",
    "requires",
];

/// Returns where the parenthesis closes that opens at `open`.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns a statement without `__attribute__((…))`, `alignas(…)`, `[[…]]` and their like, and whether one of them makes the
/// loader call the function.
pub(super) fn without_attributes<'t>(statement: &[Token<'t>]) -> (Vec<Token<'t>>, bool) {
    let (mut kept, mut constructs, mut at) = (Vec::with_capacity(statement.len()), false, 0);
    while let Some(token) = statement.get(at) {
        let next = statement.get(at + 1);
        let end = match token {
            Token::Word(word) if ATTRIBUTES.contains(word) && next == Some(&Token::Sign('(')) => {
                closing(statement, at + 1)
            }
            Token::Sign('[') if next == Some(&Token::Sign('[')) => {
                let two = [Token::Sign(']'), Token::Sign(']')];
                statement[at..].windows(2).position(|tokens| tokens == two).map(|length| at + length + 1)
            }
            _ => {
                kept.push(*token);
                at += 1;
                continue;
            }
        };
        // One that never ends is no attribute, and what follows need not be searched again.
        let Some(end) = end else {
            kept.extend_from_slice(&statement[at..]);
            break;
        };
        constructs |=
            statement[at..end].iter().any(|token| matches!(token, Token::Word("constructor" | "__constructor__")));
        at = end + 1;
    }
    (kept, constructs)
}

/// Returns a statement without a macro before it, which needs no `;`: `REGISTER(greedy)` before `int play() {`.
pub(super) fn split_macro<'a, 't>(statement: &'a [Token<'t>]) -> Option<(&'a [Token<'t>], &'a [Token<'t>])> {
    let [Token::Word(name), Token::Sign('('), ..] = statement else { return None };
    let end = closing(statement, 1)? + 1;
    let is_macro = !name.contains(|c: char| c.is_lowercase()) && matches!(statement.get(end), Some(Token::Word(_)));
    is_macro.then(|| statement.split_at(end))
}

/// Returns whether the name and parameters of a function, which begin at `open`, are followed by the types of its parameters, as
/// in old C: `int main(argc, argv) char **argv; {`.
pub(super) fn is_old_function(statement: &[Token<'_>], open: usize) -> bool {
    const QUALIFIERS: &[&str] = &["const", "noexcept", "override", "final", "volatile", "throw", "asm", "try"];
    let Some(end) = closing(statement, open) else { return false };
    matches!(&statement[end + 1..], [Token::Word(first), _, ..] if !QUALIFIERS.contains(first) && !first.starts_with('_'))
}

/// Returns what a statement with an operator belongs to: the class of a method, or else the types of the parameters.
pub(super) fn operands<'t>(statement: &[Token<'t>], operator: usize) -> Vec<&'t str> {
    const COMMON: &[&str] = &[
        "const", "std", "ostream", "istream", "string", "auto", "int", "long", "unsigned", "bool", "char", "float",
        "double", "void", "size_t", "struct", "typename",
    ];
    if let [.., Token::Word(class), Token::Sign(':'), Token::Sign(':')] = &statement[..operator] {
        return vec![class];
    }
    let types = statement[operator..].windows(2).filter_map(|two| match two {
        [Token::Word(word), Token::Sign('&' | '*') | Token::Word(_)] => Some(*word),
        _ => None,
    });
    types.filter(|word| *word != "operator" && !COMMON.contains(word)).collect()
}

/// Returns the names of the variables in a statement, which are the last words before a `,`, a `[`, a `=` and its end.
pub(super) fn variables<'t>(statement: &[Token<'t>]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let (mut depth, mut angle, mut is_value) = (0_usize, 0_usize, false);
    for (at, token) in statement.iter().chain([&Token::Sign(';')]).enumerate() {
        if depth == 0
            && angle == 0
            && !is_value
            && matches!(token, Token::Sign(',' | '[' | '=' | ';'))
            && let [.., before, Token::Word(name)] = &statement[..at]
            && !matches!(before, Token::Word(word) if TYPES.contains(word))
        {
            found.push(*name);
        }
        match token {
            Token::Sign('(' | '[') => depth += 1,
            Token::Sign(')' | ']') => depth = depth.saturating_sub(1),
            // The types of a template: `map<int, int> owner;`.
            Token::Sign('<') if !is_value => angle += 1,
            Token::Sign('>') if !is_value => angle = angle.saturating_sub(1),
            Token::Sign('=') => is_value = true,
            Token::Sign(',') if depth == 0 && angle == 0 => is_value = false,
            _ => {}
        }
    }
    found
}
