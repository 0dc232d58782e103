//! The bot's half of the wire protocol.

use crate::{
    Order, Position, View,
    dialogue::{number, put_number},
};
use agon_core::{Asked, Client};
use alloc::{string::String, vec::Vec};

/// Reads the referee's lines and writes the bot's answers.
#[derive(Debug, Default)]
pub struct BotClient {
    view: View,
}

impl Client<Position> for BotClient {
    fn read(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Asked) {
        let Some(end) = input.iter().position(|b| *b == b'\n') else { return (0, Asked::More) };
        let asked = match &input[..end] {
            b"toy wins" | b"toy loses" => {
                self.view.last_wins = input.starts_with(b"toy wins");
                out.extend_from_slice(b"ok\n");
                Asked::Noted
            }
            b"yes" | b"no" => Asked::Noted,
            b"end" => Asked::Quit,
            line => match heap(line) {
                Some((stones, most)) => {
                    (self.view.stones, self.view.most) = (stones, most);
                    Asked::Decide
                }
                None => Asked::Confused(String::from("not a line of the toy protocol")),
            },
        };
        (end + 1, asked)
    }

    fn view(&self) -> View {
        self.view
    }

    fn write(&mut self, orders: &[Order], out: &mut Vec<u8>) {
        for Order(stones) in orders {
            out.extend_from_slice(b"take ");
            put_number(*stones, out);
            out.push(b'\n');
        }
    }
}

/// Reads a prompt such as `heap 21 3`: the stones that are left, and the most that may be taken.
fn heap(line: &[u8]) -> Option<(u32, u32)> {
    let rest = line.strip_prefix(b"heap ")?;
    let space = rest.iter().position(|b| *b == b' ')?;
    Some((number(&rest[..space])?, number(&rest[space + 1..])?))
}
