//! A built-in bot behind the wire protocol: what `agon bot GAME NAME` runs.

use agon_core::{Asked, Bot, Client, Contest};

/// A bot that reads the referee's bytes and writes its own.
pub trait AnyWireBot: Send {
    /// Takes what has arrived since the last call, keeps what is incomplete, and appends answers to `out`.
    ///
    /// # Errors
    /// Why the referee's bytes are not of the protocol.
    fn hear(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<Attending, String>;
}

/// Whether a bot goes on listening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attending {
    /// It waits for more.
    Yes,
    /// The match is over for it.
    No,
}

/// The typed half.
pub(crate) struct TypedWireBot<C: Contest> {
    client: Box<dyn Client<C>>,
    bot: Box<dyn Bot<C>>,
    unread: Vec<u8>,
    orders: Vec<C::Order>,
}

impl<C: Contest> TypedWireBot<C> {
    pub(crate) fn new(client: Box<dyn Client<C>>, bot: Box<dyn Bot<C>>) -> Self {
        Self { client, bot, unread: Vec::new(), orders: Vec::new() }
    }
}

impl<C: Contest> AnyWireBot for TypedWireBot<C> {
    fn hear(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<Attending, String> {
        self.unread.extend_from_slice(bytes);
        let mut start = 0;
        let attending = loop {
            let (used, asked) = self.client.read(&self.unread[start..], out);
            start += used;
            match asked {
                Asked::More => break Attending::Yes,
                Asked::Noted => {}
                Asked::Decide => {
                    self.orders.clear();
                    self.bot.decide(self.client.view(), &mut self.orders);
                    self.client.write(&self.orders, out);
                }
                Asked::Quit => break Attending::No,
                Asked::Confused(why) => return Err(why),
            }
        };
        self.unread.drain(..start);
        Ok(attending)
    }
}
