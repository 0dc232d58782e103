//! What a position has beyond its map: the round, the players, the lighthouses with their connections, and the energy of
//! the cells.
//!
//! | item | what it is |
//! | --- | --- |
//! | `round` | the round, counted from 1; after the end one more than the limit |
//! | `to_move` | the seat that acts now; if its bot is out, the next one that is not. Nobody acts after the end |
//! | `out` | the seats whose bots have broken down |
//! | `players[SEAT]` | `at` (the cell), `energy`, `score`, `keys` (the lighthouses whose keys it has) |
//! | `lighthouses[CELL]` | `owner`, `energy`; a lighthouse that is left out is neutral |
//! | `connections` | pairs of lighthouses, such as `"1,1 5,3"` |
//! | `cells[CELL]` | the free energy of a cell; a cell that is left out has all that has grown since the start. Without `cells`, those under players are empty |

use crate::{
    board::{CELL_CAP, members},
    contest::MAX_ROUNDS,
    map::{MAX_PLAYERS, Map},
    position::{Light, NEVER, NOBODY, Position, owner},
    rules::{DECAY, Keys, Rules},
    turn,
};
use agon_core::{Flaw, Game, Seat, Setup, State, StateItem, Terms, geometry::Point};
use alloc::{format, string::ToString};

/// The most energy that a player or a lighthouse can have: all that one cell gives each player in the longest match.
const MOST_ENERGY: i64 = CELL_CAP as i64 * MAX_ROUNDS as i64 * MAX_PLAYERS as i64;

/// The most points of a player. No match leads near it.
const MOST_POINTS: i64 = 1_000_000_000_000_000;

/// Describes what a position has beyond its map.
pub(crate) fn of(position: &Position) -> State {
    let lights = position.board.lights();
    let mut state = State::default();
    state.push("round", position.round + 1);
    if let Some(seat) = position.awaiting().iter().next() {
        state.push("to_move", seat);
    }
    state.push("out", State::list(position.gone.iter()));
    let mut players = State::default();
    for (i, player) in position.players.iter().enumerate() {
        let mut items = State::default();
        items.push("at", State::place(position.board.point(player.cell as usize)));
        items.push("energy", player.energy);
        items.push("score", player.score);
        items.push("keys", State::list(members(player.keys).map(|light| State::place(lights[light]))));
        players.push(Seat::new(i).to_string(), items);
    }
    state.push("players", players);
    let (mut lighthouses, mut connections) = (State::default(), State::list::<State>([]));
    for (i, light) in position.lights.iter().enumerate() {
        if let Some(owner) = owner(light) {
            let mut items = State::default();
            items.push("owner", owner);
            items.push("energy", position.light_energy(i));
            lighthouses.push(State::place(lights[i]), items);
        }
        if let State::List(list) = &mut connections {
            let others = members(light.links).filter(|other| *other > i);
            list.extend(
                others.map(|other| format!("{} {}", State::place(lights[i]), State::place(lights[other])).into()),
            );
        }
    }
    state.push("lighthouses", lighthouses);
    state.push("connections", connections);
    let mut cells = State::default();
    for (cell, site) in position.board.sites().iter().enumerate().filter(|(_, site)| site.growth > 0) {
        let energy = position.free_energy(cell);
        if energy != (u32::from(site.growth) * position.growths()).min(CELL_CAP) {
            cells.push(State::place(position.board.point(cell)), energy);
        }
    }
    // Without cells the players would stand on empty ones, as at the start.
    state.name("cells", cells);
    state
}

/// Sets a position up.
pub(crate) fn begin(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Position, Flaw> {
    let mut position = Position::from_map(map, terms).map_err(|flawed| flawed.flaw)?;
    let items = state.read();
    items.only(&["round", "to_move", "out", "players", "lighthouses", "connections", "cells"])?;
    if let Some(round) = items.field("round") {
        position.round = round.number(1..=i64::from(position.limit) + 1)? as u32 - 1;
    }
    position.gone = items.seats("out", terms.seats)?;
    if let Some(players) = items.field("players") {
        for (seat, player) in players.by_seat(terms.seats)? {
            read_player(&mut position, seat, &player)?;
        }
    }
    read_lights(&mut position, &items)?;
    read_cells(&mut position, &items)?;
    let to_move = items.field("to_move").map_or(Ok(Seat::new(0)), |to_move| to_move.seat(terms.seats))?;
    // Accept `to_move` even where nobody can move, so that other items can be edited first. Who is out is passed over.
    let passed_over = |seat: u8| position.over() || position.gone.contains(Seat::new(usize::from(seat)));
    let (first, players) = (to_move.index() as u8, position.players.len() as u8);
    position.turn = (first..players).chain(0..first).find(|seat| !passed_over(*seat)).unwrap_or(players);
    Ok(position)
}

fn read_player(position: &mut Position, seat: Seat, items: &StateItem<'_>) -> Result<(), Flaw> {
    items.only(&["at", "energy", "score", "keys"])?;
    let mut player = position.players[seat.index()];
    if let Some(at) = items.field("at") {
        let cell = position.board.cell_at(at.place()?).filter(|cell| position.board.site(*cell).land);
        let off = || at.flaw("the cell is not on the island").hint("x and y count from 0 at the lower left");
        player.cell = cell.ok_or_else(off)? as u32;
    }
    if let Some(energy) = items.field("energy") {
        player.energy = energy.number(0..=MOST_ENERGY)?;
    }
    if let Some(score) = items.field("score") {
        player.score = score.number(0..=MOST_POINTS)?;
    }
    if let Some(keys) = items.field("keys") {
        player.keys = 0;
        for key in keys.list()? {
            if position.rules.keys == Keys::One && player.keys != 0 {
                return Err(key.flaw("a player holds at most one key").hint("the rule `keys=many` allows more"));
            }
            player.keys |= 1 << light_at(position, key.place()?, &key)?;
        }
    }
    position.players[seat.index()] = player;
    Ok(())
}

fn read_lights(position: &mut Position, items: &StateItem<'_>) -> Result<(), Flaw> {
    let now = DECAY * i64::from(position.round_of_decay());
    if let Some(lighthouses) = items.field("lighthouses") {
        for (place, item) in lighthouses.by_place()? {
            item.only(&["owner", "energy"])?;
            let light = light_at(position, place, &item)?;
            let owner = item.need("owner")?.seat(position.players.len())?.index() as u8;
            let level = now + item.need("energy")?.number(1..=MOST_ENERGY)?;
            position.lights[light] = Light { level, links: 0, owner };
        }
    }
    for light in position.lights.iter().filter(|light| light.owner != NOBODY) {
        position.players[usize::from(light.owner)].rate += turn::POINTS;
    }
    position.next_fall =
        position.lights.iter().filter(|light| light.owner != NOBODY).map(Light::falls).min().unwrap_or(NEVER);
    let Some(connections) = items.field("connections") else { return Ok(()) };
    for item in connections.list()? {
        let (one, other) = item.link()?;
        let (a, b) = (light_at(position, one, &item)?, light_at(position, other, &item)?);
        let owners = [a, b].map(|light| position.lights[light].owner);
        if owners[0] == NOBODY || owners[0] != owners[1] {
            let hint = "leave the connection out, or set both owners in `lighthouses` first";
            return Err(item.flaw("both lighthouses must have the same owner").hint(hint));
        }
        turn::joinable(position, a, b).map_err(|why| item.flaw(why.to_string()))?;
        turn::join(position, a, b);
    }
    Ok(())
}

fn read_cells(position: &mut Position, items: &StateItem<'_>) -> Result<(), Flaw> {
    let growths = position.growths();
    let Some(cells) = items.field("cells") else {
        // Players have collected what their cells had.
        for player in &position.players {
            position.visited[player.cell as usize] = growths;
        }
        return Ok(());
    };
    position.visited.fill(0);
    for (place, item) in cells.by_place()? {
        let cell = position.board.cell_at(place);
        let growing =
            cell.map(|cell| (cell, u32::from(position.board.site(cell).growth))).filter(|(_, growth)| *growth > 0);
        let barren = || item.flaw("nothing grows on this cell").hint("energy grows within 4 cells of a lighthouse");
        let (cell, growth) = growing.ok_or_else(barren)?;
        let energy = item.number(0..=i64::from(CELL_CAP))? as u32;
        if energy != CELL_CAP && !energy.is_multiple_of(growth) {
            let flaw = item.flaw(format!("the cell gains {growth} in a round, so it never has {energy}"));
            let below = energy / growth * growth;
            return Err(flaw.hint(format!("it has {below} or {}", (below + growth).min(CELL_CAP))));
        }
        // The cell is as if it had been emptied as long ago, even before the start.
        position.visited[cell] = growths.wrapping_sub(energy.div_ceil(growth));
    }
    Ok(())
}

fn light_at(position: &Position, place: Point, item: &StateItem<'_>) -> Result<usize, Flaw> {
    position.board.light_at(place).ok_or_else(|| {
        item.flaw(format!("no lighthouse stands at {},{}", place.x, place.y))
            .hint("x and y count from 0 at the lower left")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lighthouses at 1,1, 5,1 and 1,5; the cell 3,1 is between the first two.
    const MAP: &str = "#######\n#!   1#\n#     #\n#     #\n#     #\n#!0  !#\n#######\n";

    fn set_up(rules: &str, state: &str) -> Result<Position, Flaw> {
        let map = Map::read(MAP.as_bytes())?;
        let terms = Terms { rules: agon_core::rules::parse(rules)?, seats: 2, limit: Some(50) };
        let mut tree = State::default();
        for line in state.lines() {
            let (path, value) = line.split_once(" = ").expect("a path and a value");
            let list = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let one = |text: &str| text.parse::<i64>().map_or_else(|_| State::from(text), State::from);
            tree.put(path, list.map_or_else(|| one(value), |list| State::list(list.split("; ").map(one))))?;
        }
        begin(map, &terms, &tree)
    }

    #[test]
    fn a_position_is_set_up_item_by_item() {
        let state = "round = 20\nto_move = 2\nplayers[1].at = 3,3\nplayers[1].keys = [1,1; 5,1]\nplayers[2].score = 77\n\
                     lighthouses[1,1].owner = 1\nlighthouses[1,1].energy = 300\nlighthouses[5,1].owner = 1\n\
                     lighthouses[5,1].energy = 5\nlighthouses[1,5].owner = 1\nlighthouses[1,5].energy = 9\n\
                     connections = [1,1 5,1; 5,1 1,5; 1,5 1,1]\ncells[3,3] = 42";
        let position = set_up("original", state).unwrap();
        let (one, two) = (Seat::new(0), Seat::new(1));
        assert_eq!((Game::round(&position), position.awaiting()), (Some(20), agon_core::Seats::one(two)));
        assert_eq!((position.place(one), position.score(two)), ((3, 3).into(), 77));
        assert_eq!(members(position.keys(one)).count(), 2);
        assert_eq!(position.triangles().count(), 1);
        let area = i64::from(position.triangles().next().unwrap().1);
        assert_eq!(position.rate(one), 3 * 2 + 3 * 2 + area);
        assert_eq!((position.cell_energy((3, 3).into()), position.light_energy(0)), (42, 300));
        // A cell that is left out has grown since the start, and one cannot have more than it can hold.
        assert_eq!(position.cell_energy((3, 1).into()), 100);
    }

    #[test]
    fn flaws_stand_at_their_item() {
        let lit = "lighthouses[1,1].owner = 1\nlighthouses[1,1].energy = 30\nlighthouses[5,1].owner = 2\nlighthouses[5,1].energy = 9\n";
        for (state, item, what) in [
            ("round = 52", "round", "`52` is not a number from 1 to 51"),
            ("players[3].score = 1", "players[3]", "not one of the seats"),
            ("players[1].at = 0,0", "players[1].at", "not on the island"),
            ("players[2].keys = [1,1; 1,5]", "players[2].keys[2]", "at most one key"),
            ("players[2].keys = [2,2]", "players[2].keys[1]", "no lighthouse stands at 2,2"),
            ("lighthouses[1,1].owner = 1", "lighthouses[1,1]", "`energy` is missing"),
            ("lighthouses[2,1].owner = 1", "lighthouses[2,1]", "no lighthouse stands at 2,1"),
            (&format!("{lit}connections = [1,1 5,1]"), "connections[1]", "the same owner"),
            ("cells[3,3] = 41", "cells[3,3]", "the cell gains 6 in a round, so it never has 41"),
            ("round = 51\nto_move = 3", "to_move", "not one of the seats"),
        ] {
            let flaw = set_up("spec", state).expect_err(state);
            assert_eq!(flaw.item.as_deref(), Some(item), "{flaw}");
            assert!(flaw.what.contains(what), "{flaw}");
        }
    }

    #[test]
    fn whose_turn_it_is_does_not_hold_other_items_back() {
        let set_up = |state: &str| set_up("spec", state).expect(state);
        let over = set_up("round = 51\nto_move = 1");
        assert!(over.over() && over.awaiting().is_empty());
        assert_eq!(over.fingerprint(), set_up("round = 51").fingerprint());
        assert!(set_up("out = [1; 2]\nto_move = 1").awaiting().is_empty());
        for (out, to_move, acts) in [(1, 1, 1), (2, 2, 0), (2, 1, 0), (1, 2, 1)] {
            let position = set_up(&format!("out = [{out}]\nto_move = {to_move}"));
            assert_eq!(position.awaiting(), agon_core::Seats::one(Seat::new(acts)), "{out} {to_move}");
        }
    }
}
