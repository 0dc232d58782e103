//! What a position has beyond its map, as a tree of named items.

mod item;
mod path;

pub use item::StateItem;

use crate::{Seat, geometry::Point};
use alloc::{format, string::String, vec::Vec};
use core::fmt;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};

/// What a position has beyond its map, such as the number of the round or the owners of lighthouses.
///
/// It is a tree, in JSON an object of named items. Each game defines the names. An item that is left out is as at the start
/// of a match on the map, so an empty state says that the map is everything. Things with an identity of their own are
/// named by it: seats by their number (`"1"`), cells by their place (`"3,4"`).
///
/// ```
/// use agon_core::State;
/// let mut state = State::default();
/// state.name("round", 12);
/// state.name("out", State::list([2]));
/// assert_eq!(serde_json::to_string(&state).unwrap(), r#"{"round":12,"out":[2]}"#);
/// let round = state.read().field("round").unwrap();
/// assert_eq!(round.number(1..=100), Ok(12));
/// assert_eq!(round.number(1..=9).unwrap_err().to_string(), "`round`: `12` is not a number from 1 to 9");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// A whole number.
    Number(i64),
    /// A text, for example a place.
    Text(String),
    /// A list.
    List(Vec<State>),
    /// Named items, in the order in which they are written.
    Items(Vec<(String, State)>),
}

impl Default for State {
    fn default() -> Self {
        Self::Items(Vec::new())
    }
}

impl State {
    /// Returns whether there is no item, so that the map is everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Items(items) if items.is_empty())
    }

    /// Creates a list.
    pub fn list<T: Into<Self>>(values: impl IntoIterator<Item = T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }

    /// Adds a named item, or replaces it. A value without names becomes one with this name alone.
    pub fn name(&mut self, name: impl Into<String>, value: impl Into<Self>) {
        let name = name.into();
        if !matches!(self, Self::Items(_)) {
            *self = Self::default();
        }
        if let Self::Items(items) = self {
            match items.iter_mut().find(|(known, _)| *known == name) {
                Some((_, item)) => *item = value.into(),
                None => items.push((name, value.into())),
            }
        }
    }

    /// Adds a named item that is not there yet, unless its value is an empty list or has no items. Unlike
    /// [`State::name`] it does not look for the name.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Self>) {
        let value = value.into();
        if let Self::Items(items) = self
            && !matches!(&value, Self::List(list) if list.is_empty())
            && !value.is_empty()
        {
            items.push((name.into(), value));
        }
    }

    /// Writes a place as names and texts of a state have it, such as `3,4`.
    #[must_use]
    pub fn place(point: Point) -> String {
        format!("{},{}", point.x, point.y)
    }

    /// Returns the named items, in order. There are none if this is another value.
    #[must_use]
    pub fn items(&self) -> &[(String, Self)] {
        if let Self::Items(items) = self { items } else { &[] }
    }

    /// Returns the number of values in the tree, this one and the names included.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Number(_) | Self::Text(_) => 1,
            Self::List(list) => 1 + list.iter().map(Self::size).sum::<usize>(),
            Self::Items(items) => 1 + items.iter().map(|(_, value)| 1 + value.size()).sum::<usize>(),
        }
    }

    /// Returns the whole tree for reading.
    #[must_use]
    pub fn read(&self) -> StateItem<'_> {
        StateItem::whole(self)
    }
}

impl From<i64> for State {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for State {
    fn from(number: i32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<u32> for State {
    fn from(number: u32) -> Self {
        Self::Number(i64::from(number))
    }
}

impl From<Seat> for State {
    fn from(seat: Seat) -> Self {
        Self::Number(i64::from(seat.number()))
    }
}

impl From<String> for State {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for State {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => serializer.collect_seq(list),
            Self::Items(items) => {
                let mut map = serializer.serialize_map(Some(items.len()))?;
                for (name, value) in items {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StateVisitor;
        impl<'de> Visitor<'de> for StateVisitor {
            type Value = State;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, a text, a list or named items")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<State, E> {
                Ok(State::Number(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<State, E> {
                i64::try_from(number).map(State::Number).map_err(|_| E::custom("the number is too large"))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<State, E> {
                Ok(text.into())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<State, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = values.next_element()? {
                    list.push(value);
                }
                Ok(State::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<State, A::Error> {
                let mut items: Vec<(String, State)> = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    items.push(entry);
                }
                let mut names: Vec<&str> = items.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                    let name = pair[0].escape_debug();
                    return Err(de::Error::custom(format_args!("duplicate name `{name}`")));
                }
                Ok(State::Items(items))
            }
        }
        deserializer.deserialize_any(StateVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn state(text: &str) -> State {
        serde_json::from_str(text).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn a_state_reads_back_from_json_in_its_order() {
        let text = r#"{"round":3,"players":{"2":{"score":-4,"keys":["1,1","0,7"]},"1":{}},"links":[]}"#;
        assert_eq!(serde_json::to_string(&state(text)).unwrap(), text);
        for odd in
            ["{\"a\":1.5}", "{\"a\":null}", "{\"a\":true}", "{\"a\":9223372036854775808}", "{\"a\":1,\"b\":2,\"a\":1}"]
        {
            assert!(serde_json::from_str::<State>(odd).is_err(), "{odd}");
        }
        assert_eq!(state(text).size(), 17);
    }

    #[test]
    fn flaws_name_their_item() {
        let state = state(r#"{"players":{"1":{"keys":["1,1","x"]},"3":{}},"out":[1,"a"],"links":["1,1 2,2","5,5"]}"#);
        let root = state.read();
        assert_eq!(root.only(&["players", "out"]).unwrap_err().item.as_deref(), Some("links"));
        let players = root.field("players").unwrap();
        let found = players.by_seat(2).unwrap_err();
        assert_eq!(found.item.as_deref(), Some("players[3]"));
        assert_eq!(found.what, "`players[3]`: `3` is not one of the seats 1 to 2");
        let keys = players.field("1").unwrap().field("keys").unwrap().list().unwrap();
        assert_eq!(keys[0].place().map(|p| (p.x, p.y)), Ok((1, 1)));
        assert_eq!(keys[1].place().unwrap_err().item.as_deref(), Some("players[1].keys[2]"));
        assert_eq!(root.seats("out", 2).unwrap_err().item.as_deref(), Some("out[2]"));
        let links = root.field("links").unwrap().list().unwrap();
        assert!(links[0].link().is_ok());
        assert_eq!(links[1].link().unwrap_err().to_string(), "`links[2]`: `5,5` is not a link");
        assert_eq!(root.field("out").unwrap().need("x").unwrap_err().to_string(), "`out`: named items are expected");
    }
}
