//! `--param NAME=LOW..HIGH@START[:STEP]`, and the commands that follow from values.

use crate::{clean::clean, error::Error};
use agon_tourney::Parameter;

/// Parses a parameter. Without a point in its numbers, only whole numbers are tried.
pub fn parse(text: &str) -> Result<Parameter, String> {
    let wrong =
        || "write it as `NAME=LOW..HIGH@START`, such as `aggr=0.1..2.0@0.5`, or with `:STEP` behind it".to_owned();
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if !is_name(name) {
        return Err(format!("`{}` is not a name: use letters, digits, `-` and `_`", clean(name)));
    }
    let (range, rest) = rest.split_once('@').ok_or_else(wrong)?;
    let (low, high) = range.split_once("..").ok_or_else(wrong)?;
    let (start, step) = match rest.split_once(':') {
        Some((start, step)) => (start, Some(step)),
        None => (rest, None),
    };
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(wrong);
    let is_whole = |text: &str| text.parse::<i32>().is_ok();
    Ok(Parameter {
        name: name.to_owned(),
        low: number(low)?,
        high: number(high)?,
        start: number(start)?,
        step: step.map(number).transpose()?,
        whole: [low, high, start].into_iter().all(is_whole),
    })
}

/// A command with the names of parameters in braces.
#[derive(Clone, Debug)]
pub struct Template {
    words: String,
    parameters: Vec<Parameter>,
}

impl Template {
    /// # Errors
    /// The command does not contain a parameter.
    pub fn new(words: &str, parameters: &[Parameter]) -> Result<Self, Error> {
        for Parameter { name, .. } in parameters {
            if !words.contains(&format!("{{{name}}}")) {
                return Err(Error::user(format!("the command does not contain `{{{}}}`", clean(name)))
                    .hint("write each parameter in braces where its value belongs: 'python3 bot.py --aggr {aggr}'"));
            }
        }
        Ok(Self { words: words.to_owned(), parameters: parameters.to_vec() })
    }

    pub fn words(&self) -> &str {
        &self.words
    }

    /// Returns the command with these values.
    pub fn with(&self, values: &[f64]) -> String {
        self.parameters.iter().zip(values).fold(self.words.clone(), |words, (parameter, value)| {
            words.replace(&format!("{{{}}}", parameter.name), &print(parameter, *value))
        })
    }
}

/// Returns a value as a bot is told it: with as many digits as matter for the range.
pub fn print(parameter: &Parameter, value: f64) -> String {
    let digits = match parameter.whole {
        true => 0,
        false => (4.0 - (parameter.high - parameter.low).log10().floor()).clamp(0.0, 12.0) as usize,
    };
    let text = format!("{value:.digits$}");
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_parameters() {
        let parameter = parse("aggr=0.1..2.0@0.5").expect("a parameter");
        assert_eq!((parameter.low, parameter.high, parameter.start, parameter.whole), (0.1, 2.0, 0.5, false));
        let depth = parse("max-depth=-3..12@4:2").expect("a parameter");
        assert_eq!((depth.low, depth.step, depth.whole), (-3.0, Some(2.0), true));
        for wrong in
            ["", "a", "a=1", "a=1..2", "a=1@2", "=1..2@1", "a b=1..2@1", "a=x..2@1", "a=1..inf@1", "a=1..2@1:y"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_command_is_told_values() {
        let parameters = [parse("a=0.1..2.0@0.5"), parse("b=0..100@5")].map(|one| one.expect("a parameter"));
        let template = Template::new("bot --a {a} --b={b} {a}", &parameters).expect("both are there");
        assert_eq!(template.with(&[1.25, 7.0]), "bot --a 1.25 --b=7 1.25");
        assert_eq!(template.with(&[1.0 / 3.0, 100.0]), "bot --a 0.3333 --b=100 0.3333");
        assert!(Template::new("bot {a}", &parameters).is_err());
        let tiny = parse("t=0.0..0.001@0.0005").expect("a parameter");
        assert_eq!([print(&tiny, 0.000_123_4), print(&tiny, -1e-12)], ["0.0001234", "0"]);
        let both = parse("b=-10..10@0").expect("a parameter");
        assert_eq!([-0.4, -0.0, 0.4, -0.6].map(|value| print(&both, value)), ["0", "0", "0", "-1"]);
        let wide = parse("w=-100000.0..100000.0@0.5").expect("a parameter");
        assert_eq!([-0.4, -100_000.0].map(|value| print(&wide, value)), ["0", "-100000"]);
    }
}
