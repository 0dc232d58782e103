//! What a bot may order: capture a tile or, if the rule set has chat, send a message.

use agon_core::Seat;
use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One order, lawful or not, in 8 bytes. It is small because simulations play millions of games, and chat is rare.
///
/// In JSON a capture is `[x, y]` and a piece of chat is a string: `[[3, 4], "hello ", "there\n"]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// `C x y`: capture the tile in column `x` and row `y`, both counted from 0 at the top left. A number above
    /// `u16::MAX` becomes `u16::MAX`, which is outside every map; it never wraps around.
    Capture {
        /// The column, from the left.
        x: u16,
        /// The row, from the top.
        y: u16,
    },
    /// A piece of a chat message of this turn, `S text`. The text of a message is cut into consecutive pieces; the
    /// last piece ends in a line feed.
    Say(Piece),
}

impl Order {
    /// Makes a capture order from coordinates of any size.
    #[must_use]
    pub fn capture(x: u64, y: u64) -> Self {
        let narrow = |n: u64| u16::try_from(n).unwrap_or(u16::MAX);
        Self::Capture { x: narrow(x), y: narrow(y) }
    }

    /// The orders that send `text` as one message. `text` must not contain a line feed.
    pub fn say(text: &str) -> impl Iterator<Item = Self> + '_ {
        let mut rest = Some(text);
        core::iter::from_fn(move || {
            let text = rest?;
            let (piece, left) = Piece::cut(text);
            rest = left;
            Some(Self::Say(piece))
        })
    }
}

/// Up to six bytes of UTF-8; a line feed can only be its last byte and ends the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    length: u8,
    bytes: [u8; Piece::CAPACITY],
}

impl Piece {
    /// The largest number of bytes of one piece.
    pub const CAPACITY: usize = 6;

    /// The text of the piece, with the line feed if the message ends here.
    #[must_use]
    pub fn text(&self) -> &str {
        // Both ways to make a piece cut the text between characters, so it is valid UTF-8.
        core::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// Whether this piece ends the message.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.text().ends_with('\n')
    }

    /// The first piece of a message, and the rest of the text. The rest may be empty; then only the line feed is left.
    fn cut(text: &str) -> (Self, Option<&str>) {
        if text.len() < Self::CAPACITY {
            let mut piece = Self::of(text);
            piece.bytes[text.len()] = b'\n';
            piece.length += 1;
            return (piece, None);
        }
        let mut end = Self::CAPACITY;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (Self::of(&text[..end]), Some(&text[end..]))
    }

    /// Makes a piece of `text`, which has at most [`Piece::CAPACITY`] bytes.
    fn of(text: &str) -> Self {
        let mut bytes = [0; Self::CAPACITY];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self { length: text.len() as u8, bytes }
    }
}

impl TryFrom<&str> for Piece {
    type Error = &'static str;

    /// # Errors
    /// If the text is empty or too long, or has a line feed before its end.
    fn try_from(text: &str) -> Result<Self, Self::Error> {
        if text.is_empty() || text.len() > Self::CAPACITY {
            return Err("a piece of chat must have 1 to 6 bytes");
        }
        if text[..text.len() - text.ends_with('\n') as usize].contains('\n') {
            return Err("a piece of chat may have a line feed only at its end");
        }
        Ok(Self::of(text))
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.text(), f)
    }
}

impl Serialize for Order {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Capture { x, y } => (x, y).serialize(serializer),
            Self::Say(piece) => serializer.serialize_str(piece.text()),
        }
    }
}

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> de::Visitor<'de> for Either {
            type Value = Order;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("[x, y] or a piece of chat")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Order, E> {
                Piece::try_from(text).map(Order::Say).map_err(E::custom)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut numbers: A) -> Result<Order, A::Error> {
                let x = numbers.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                let y = numbers.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
                if numbers.next_element::<de::IgnoredAny>()?.is_some() {
                    return Err(de::Error::invalid_length(3, &self));
                }
                Ok(Order::Capture { x, y })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// One line of a bot's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// An order `C x y`.
    Capture {
        /// The column, from the left.
        x: u16,
        /// The row, from the top.
        y: u16,
    },
    /// A message `S text`, joined from its pieces.
    Say(String),
}

/// Joins the pieces of each message and yields the lines of these orders. A message without an end is a line too.
pub fn lines(orders: &[Order]) -> impl Iterator<Item = Line> + '_ {
    let mut rest = orders.iter();
    core::iter::from_fn(move || match rest.next()? {
        Order::Capture { x, y } => Some(Line::Capture { x: *x, y: *y }),
        Order::Say(first) => {
            let mut text = String::from(first.text());
            while !text.ends_with('\n') {
                let Some(Order::Say(piece)) = rest.as_slice().first() else { return Some(Line::Say(text)) };
                text.push_str(piece.text());
                rest.next();
            }
            text.pop();
            Some(Line::Say(text))
        }
    })
}

/// Why an order is unlawful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The tile is outside the map.
    OutOfMap {
        /// The column of the order.
        x: u16,
        /// The row of the order.
        y: u16,
        /// The number of columns of the map.
        width: u16,
        /// The number of rows of the map.
        height: u16,
    },
    /// The player owns no side-neighbour of the tile (specification "Order format").
    Unreachable {
        /// The column of the order.
        x: u16,
        /// The row of the order.
        y: u16,
    },
    /// The player ordered more captures than its energy allows.
    OverBudget {
        /// The number of captures that were ordered.
        captures: u32,
        /// The number of captures that the energy of this turn allows.
        energy: u32,
    },
    /// The order is chat, and the rule set has no chat.
    ChatUnknown,
    /// A chat message is empty or has no end.
    ChatIncomplete,
    /// A chat message is longer than [`MOST_CHARACTERS`].
    ChatTooLong {
        /// The number of characters of the message.
        characters: u32,
    },
}

/// The largest number of characters of one chat message.
pub const MOST_CHARACTERS: u32 = 78;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfMap { x, y, width, height } => {
                write!(f, "tile ({x}, {y}) is outside the {width}x{height} map")
            }
            Self::Unreachable { x, y } => write!(f, "tile ({x}, {y}) has no side-neighbour of this player"),
            Self::OverBudget { captures, energy } => write!(f, "{captures} captures with an energy of {energy}"),
            Self::ChatUnknown => f.write_str("this rule set has no chat"),
            Self::ChatIncomplete => f.write_str("a message of chat is empty or has no end"),
            Self::ChatTooLong { characters } => {
                write!(f, "a message of {characters} characters, at most {MOST_CHARACTERS} are allowed")
            }
        }
    }
}

/// What a turn did to a tile or to a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A player lost a tile because none of its eight neighbours was empty.
    Suffocated {
        /// The player that owned it.
        seat: Seat,
        /// The tile's column, from the left.
        x: u16,
        /// The tile's row, from the top.
        y: u16,
    },
    /// A player captured a tile.
    Captured {
        /// The player that owns it now.
        seat: Seat,
        /// The tile's column, from the left.
        x: u16,
        /// The tile's row, from the top.
        y: u16,
    },
    /// Both players ordered the tile, so neither captured it.
    Contested {
        /// The tile's column, from the left.
        x: u16,
        /// The tile's row, from the top.
        y: u16,
    },
    /// A player no longer owns any tile.
    Eliminated {
        /// The player without tiles.
        seat: Seat,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, vec::Vec};

    #[test]
    fn an_order_has_eight_bytes() {
        assert_eq!(size_of::<Order>(), 8);
    }

    #[test]
    fn messages_survive_being_cut() {
        for text in ["x", "hello", "hello!", "hello there", "здравствуй, мир", "🦀🦀🦀", "a🦀b🦀c", ""]
        {
            let orders: Vec<_> = Order::say(text).collect();
            assert_eq!(lines(&orders).collect::<Vec<_>>(), [Line::Say(text.into())], "{orders:?}");
        }
    }

    #[test]
    fn captures_split_messages_and_ends_are_kept_apart() {
        let mut orders: Vec<_> = Order::say("one").chain(Order::say("twotwotwo")).collect();
        orders.push(Order::capture(1, u64::MAX));
        let lines: Vec<_> = lines(&orders).collect();
        assert_eq!(
            lines,
            [Line::Say("one".into()), Line::Say("twotwotwo".into()), Line::Capture { x: 1, y: u16::MAX }]
        );
    }

    #[test]
    fn pieces_from_outside_are_checked() {
        for bad in ["", "1234567", "a\nb", "\n\n"] {
            assert!(Piece::try_from(bad).is_err(), "{bad:?}");
        }
        assert!(Piece::try_from("12345\n").is_ok_and(|p| p.is_last()));
        assert_eq!(format!("{:?}", Piece::try_from("a").unwrap()), "\"a\"");
    }
}
