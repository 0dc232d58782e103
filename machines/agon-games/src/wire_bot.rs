//! A built-in bot behind the wire protocol: what `agon bot GAME NAME` runs.

use agon_core::{Asked, Bot, Client, Contest};

/// A bot that reads the referee's bytes and writes its own.
pub trait AnyWireBot: Send {
    /// Takes the bytes since the last call and appends answers to `out`. It keeps an incomplete message for the next
    /// call.
    ///
    /// # Errors
    /// Gives the reason if the referee's bytes break the protocol.
    fn hear(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<Attending, String>;
}

/// Whether a bot expects more messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attending {
    /// The bot waits for the next message.
    Yes,
    /// The match is over for the bot.
    No,
}

/// A built-in bot of one game and its client, with their types.
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
