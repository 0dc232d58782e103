//! Rule sets: named readings of a contest's specification, and the points in which they differ.

use crate::Flaw;
use alloc::{format, string::String, vec::Vec};
use core::fmt::Debug;

/// A rule set decides every point in which the contest's specification leaves a choice.
///
/// The text form is `SET[,POINT=VALUE]…`, for example `spec` or `original,keys=one`. See [`parse`] and [`print`].
pub trait RuleSet: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The names of the sets. The default (`spec`) comes first.
    const SETS: &'static [&'static str];

    /// The points in which the sets differ.
    const POINTS: &'static [RulePoint];

    /// Returns the set of this name, or `None` if the game has no such set.
    fn named(set: &str) -> Option<Self>;

    /// Returns the value of a point. `point` must be one of [`Self::POINTS`].
    fn get(&self, point: &str) -> &'static str;

    /// Sets a point to one of its values. [`Self::POINTS`] must list both.
    fn set(&mut self, point: &str, value: &str);

    /// Returns why a set that users may ask for does not exist, or `None` if the game has no explanation. For example,
    /// Triangles explains why it has no `original`.
    fn why_not(_set: &str) -> Option<&'static str> {
        None
    }
}

/// One point in which rule sets differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RulePoint {
    /// The name on the command line.
    pub name: &'static str,
    /// A short sentence that says what the point decides.
    pub about: &'static str,
    /// The values that the point may have.
    pub values: &'static [&'static str],
}

/// A type whose values are the values of a point. Each value has a name on the command line.
///
/// [`rule_value!`](crate::rule_value) declares such a type. `bool` is one, too: its names are `no` and `yes`.
pub trait RuleValue: Copy + PartialEq + Debug {
    /// The names of all values.
    const NAMES: &'static [&'static str];

    /// Returns the name of this value.
    fn name(self) -> &'static str;

    /// Returns the value of this name, or `None` if no value has it.
    fn from_name(name: &str) -> Option<Self>;
}

impl RuleValue for bool {
    const NAMES: &'static [&'static str] = &["no", "yes"];

    fn name(self) -> &'static str {
        if self { "yes" } else { "no" }
    }

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "no" => Some(false),
            "yes" => Some(true),
            _ => None,
        }
    }
}

/// Declares the values of a point: an enum whose variants have names, and its [`RuleValue`].
///
/// ```
/// use agon_core::{RuleValue, rule_value};
///
/// rule_value! {
///     /// The effect of taking the last stone.
///     pub enum LastStone {
///         /// The seat that takes it wins.
///         Wins = "wins",
///         /// The seat that takes it loses.
///         Loses = "loses",
///     }
/// }
///
/// assert_eq!(LastStone::NAMES, ["wins", "loses"]);
/// assert_eq!(LastStone::from_name("loses"), Some(LastStone::Loses));
/// ```
#[macro_export]
macro_rules! rule_value {
    ($(#[$about:meta])* pub enum $type:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $type { $($(#[$doc])* $value,)+ }

        impl $crate::RuleValue for $type {
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)+ }
            }

            fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$value),)+ _ => None }
            }
        }
    };
}

/// Declares the rule sets of a game: a struct with a field for each point, a constant for each set, and its
/// [`RuleSet`].
///
/// Each point has one line: its field and type, its name, its value in each set (in the order of the sets), and what it
/// decides. The first set is the default. `missing` lists the sets that users may ask for but that do not exist, each
/// with the reason.
///
/// ```
/// use agon_core::{RuleSet, rule_set, rules};
///
/// rule_set! {
///     /// The rule sets of a toy.
///     pub struct Rules;
///     sets {
///         /// The words of the specification.
///         SPEC = "spec",
///         /// What the contest's engine did.
///         ORIGINAL = "original",
///     }
///     points {
///         chat: bool = "chat", [false, true], "whether bots may talk";
///     }
///     missing {
///         "playgame" = "no copy of its engine survives",
///     }
/// }
///
/// assert!(Rules::ORIGINAL.chat);
/// assert_eq!(rules::print(&Rules { chat: true }), "original");
/// assert_eq!(rules::parse("spec,chat=yes"), Ok(Rules::ORIGINAL));
/// ```
#[macro_export]
macro_rules! rule_set {
    (
        $(#[$about:meta])* pub struct $type:ident;
        sets { $($(#[$set_doc:meta])* $set:ident = $set_name:literal,)+ }
        points { $($field:ident: $value:ty = $name:literal, [$($in_set:expr),+], $decides:literal;)+ }
        $(missing { $($missing:literal = $why:literal,)+ })?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $type {
            $(#[doc = concat!("Point `", $name, "`: ", $decides, ".")] pub $field: $value,)+
        }

        impl $type {
            $($(#[$set_doc])* pub const $set: Self = Self::numbered($crate::rules::index_of(
                $set_name,
                <$type as $crate::RuleSet>::SETS,
            ));)+

            /// Returns the set with this index in the list of sets.
            const fn numbered(set: usize) -> Self {
                const SETS: usize = <$type as $crate::RuleSet>::SETS.len();
                Self { $($field: { const IN_SETS: [$value; SETS] = [$($in_set),+]; IN_SETS[set] },)+ }
            }
        }

        impl Default for $type {
            fn default() -> Self {
                Self::numbered(0)
            }
        }

        impl $crate::RuleSet for $type {
            const SETS: &'static [&'static str] = &[$($set_name),+];

            const POINTS: &'static [$crate::RulePoint] = &[
                $($crate::RulePoint { name: $name, about: $decides, values: <$value as $crate::RuleValue>::NAMES },)+
            ];

            fn named(set: &str) -> Option<Self> {
                match set { $($set_name => Some(Self::$set),)+ _ => None }
            }

            fn get(&self, point: &str) -> &'static str {
                match point { $($name => $crate::RuleValue::name(self.$field),)+ _ => "" }
            }

            fn set(&mut self, point: &str, value: &str) {
                match point {
                    $($name => self.$field = $crate::RuleValue::from_name(value).unwrap_or(self.$field),)+
                    _ => {}
                }
            }

            $(fn why_not(set: &str) -> Option<&'static str> {
                match set { $($missing => Some($why),)+ _ => None }
            })?
        }
    };
}

/// Returns the index of a name in a list. Rule sets call it at compile time.
///
/// # Panics
/// Panics if the name is not in the list.
#[must_use]
#[doc(hidden)]
pub const fn index_of(name: &str, names: &[&str]) -> usize {
    let mut index = 0;
    while index < names.len() {
        let (name, other) = (name.as_bytes(), names[index].as_bytes());
        let mut same = 0;
        while same < name.len() && same < other.len() && name[same] == other[same] {
            same += 1;
        }
        if same == name.len() && same == other.len() {
            return index;
        }
        index += 1;
    }
    panic!("the name is not in the list")
}

/// Reads the text form `SET[,POINT=VALUE]…`. An empty text means the default set.
///
/// # Errors
/// Fails if a set, a point or a value is unknown. The hint lists the known ones.
pub fn parse<R: RuleSet>(text: &str) -> Result<R, Flaw> {
    let mut parts = text.split(',').map(str::trim);
    let set = match parts.next() {
        None | Some("") => R::SETS[0],
        Some(set) => set,
    };
    let mut rules = R::named(set).ok_or_else(|| unknown_set(set, R::why_not(set), R::SETS))?;
    for part in parts {
        let (name, value) = read_point(part, R::POINTS)?;
        rules.set(name, value);
    }
    Ok(rules)
}

fn unknown_set(set: &str, why_not: Option<&str>, sets: &[&str]) -> Flaw {
    match why_not {
        Some(why) => Flaw::new(format!("there is no rule set `{set}`: {why}")),
        None => Flaw::new(format!("unknown rule set `{set}`")).hint(format!("the sets are: {}", sets.join(", "))),
    }
}

/// Reads a point and its value, which must be among those of `points`.
fn read_point<'a>(part: &'a str, points: &[RulePoint]) -> Result<(&'a str, &'a str), Flaw> {
    let Some((name, value)) = part.split_once('=') else {
        return Err(Flaw::new(format!("`{part}` is not POINT=VALUE")).hint(known_points(points)));
    };
    let Some(point) = points.iter().find(|p| p.name == name) else {
        return Err(Flaw::new(format!("unknown point `{name}` of the rules")).hint(known_points(points)));
    };
    if !point.values.contains(&value) {
        return Err(Flaw::new(format!("point `{name}` cannot be `{value}`"))
            .hint(format!("its values are: {}", point.values.join(", "))));
    }
    Ok((name, value))
}

/// Writes the text form of a rule set. [`parse`] reads it back.
///
/// The text names the set with the fewest differing points, and then these points.
#[must_use]
pub fn print<R: RuleSet>(rules: &R) -> String {
    let mut best: Option<(usize, String)> = None;
    for set in R::SETS {
        let Some(base) = R::named(set) else { continue };
        let differing: Vec<_> = R::POINTS.iter().filter(|p| base.get(p.name) != rules.get(p.name)).collect();
        if best.as_ref().is_none_or(|(n, _)| differing.len() < *n) {
            let mut text = String::from(*set);
            for p in &differing {
                text.push_str(&format!(",{}={}", p.name, rules.get(p.name)));
            }
            best = Some((differing.len(), text));
        }
    }
    best.map(|(_, text)| text).unwrap_or_default()
}

fn known_points(points: &[RulePoint]) -> String {
    let names: Vec<_> = points.iter().map(|p| format!("{}={}", p.name, p.values.join("|"))).collect();
    format!("the points are: {}", names.join(", "))
}
