//! Tests that every game crate has the same names at its root, so that people who know one game know them all.

use agon_core::{Bot, Client, Contest, Dialogue, Game, Setup};

/// Compiles only if the nine names of a crate are the types that its contract uses.
macro_rules! same_names {
    ($($test:ident: $game:ident),+ $(,)?) => {$(
        #[test]
        fn $test() {
            use $game::{BotClient, Event, Map, Order, Position, Refusal, RefereeDialogue, Rules, View};

            fn contract<G>()
            where
                G: Contest + Setup<Rules = Rules, Map = Map> + Game<Order = Order, Event = Event, Refusal = Refusal>,
                RefereeDialogue: Dialogue<G>,
                BotClient: Client<G>,
            {
            }
            contract::<Position>();
            // A view borrows in some games and is a copy in others.
            let _: fn(&Position, agon_core::Seat) -> View = Position::view;
            let _: fn(&str, agon_core::Seed) -> Option<Box<dyn Bot<Position>>> = Position::bot;
        }
    )+};
}

agon_games::for_each_game!(same_names);
same_names!(toy: agon_toy);
