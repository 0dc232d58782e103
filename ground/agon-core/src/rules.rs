//! Rule sets: named ways to play a contest's specification, and the single points in which they differ.

use crate::Flaw;
use alloc::{format, string::String, vec::Vec};
use core::fmt::Debug;

/// How the contest's specification is played where it leaves a choice.
///
/// Written `SET[,POINT=VALUE]…`, as `spec` or `original,keys=one`; see [`parse`] and [`print`].
pub trait RuleSet: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The names of the sets, the default (`spec`) first.
    const SETS: &'static [&'static str];

    /// The points in which the sets differ.
    const POINTS: &'static [RulePoint];

    /// The set of this name; `None` if the game has none such.
    fn named(set: &str) -> Option<Self>;

    /// The value of a point; `point` is one of [`Self::POINTS`].
    fn get(&self, point: &str) -> &'static str;

    /// Sets a point to one of its values; both were looked up in [`Self::POINTS`].
    fn set(&mut self, point: &str, value: &str);

    /// Why a set that users may ask for does not exist, if the game can say so (`original` of triangles).
    fn why_not(_set: &str) -> Option<&'static str> {
        None
    }
}

/// One point in which rule sets differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RulePoint {
    /// As written on the command line.
    pub name: &'static str,
    /// What it decides, a short sentence.
    pub about: &'static str,
    /// The values it may have.
    pub values: &'static [&'static str],
}

/// The values of a point: each has a name on the command line. [`rule_value!`](crate::rule_value) makes such a type;
/// `bool` is one with the names `no` and `yes`.
pub trait RuleValue: Copy + PartialEq + Debug {
    /// The names of the values.
    const NAMES: &'static [&'static str];

    /// The name of this value.
    fn name(self) -> &'static str;

    /// The value of this name; `None` if there is none.
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

/// Declares the values of a point: an enum whose variants have names, with its [`RuleValue`].
///
/// ```
/// use agon_core::{RuleValue, rule_value};
///
/// rule_value! {
///     /// What the last stone does.
///     pub enum LastStone {
///         /// Who takes it wins.
///         Wins = "wins",
///         /// Who takes it loses.
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

/// Declares the rule sets of a game: a struct with a field for each point, a constant for each set, and its [`RuleSet`].
///
/// Each point stands once: its field and type, its name, its value in each set in the order of the sets, and what it
/// decides. The first set is the default. A set that users may ask for although it does not exist is told with the reason.
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
///         "playgame" = "nobody has it any more",
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

            /// The set with this place in the list of sets.
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

/// The index of a name in a list, while compiling.
///
/// # Panics
/// If it is not in the list.
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
    panic!("no such name")
}

/// Reads `SET[,POINT=VALUE]…`. An empty text is the default set.
///
/// # Errors
/// An unknown set, point or value, with what there is as a hint.
pub fn parse<R: RuleSet>(text: &str) -> Result<R, Flaw> {
    let mut parts = text.split(',').map(str::trim);
    let set = match parts.next() {
        None | Some("") => R::SETS[0],
        Some(set) => set,
    };
    let mut rules = R::named(set).ok_or_else(|| match R::why_not(set) {
        Some(why) => Flaw::new(format!("there is no rule set `{set}`: {why}")),
        None => Flaw::new(format!("unknown rule set `{set}`")).hint(format!("there are: {}", R::SETS.join(", "))),
    })?;
    for part in parts {
        let Some((name, value)) = part.split_once('=') else {
            return Err(Flaw::new(format!("`{part}` is not POINT=VALUE")).hint(known_points::<R>()));
        };
        let Some(point) = R::POINTS.iter().find(|p| p.name == name) else {
            return Err(Flaw::new(format!("unknown point `{name}` of the rules")).hint(known_points::<R>()));
        };
        if !point.values.contains(&value) {
            return Err(Flaw::new(format!("point `{name}` cannot be `{value}`"))
                .hint(format!("its values are: {}", point.values.join(", "))));
        }
        rules.set(name, value);
    }
    Ok(rules)
}

/// Writes a rule set so that [`parse`] gives it back: the set with the fewest differing points, then these.
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

fn known_points<R: RuleSet>() -> String {
    let names: Vec<_> = R::POINTS.iter().map(|p| format!("{}={}", p.name, p.values.join("|"))).collect();
    format!("the points are: {}", names.join(", "))
}
