//! What a position has beyond its map: whose turn it is, what each player has, and the owners, shields and links of the
//! portals.
//!
//! | item | what it is |
//! | --- | --- |
//! | `round` | the round, counted from 1; after the end one more than the number of rounds |
//! | `to_move` | the seat whose turn it is, also if its champion is dead. It is nobody's turn after the end |
//! | `out` | the seats whose champions are dead |
//! | `agents[SEAT]` | `score`, and what the last turn left: `action_points`, `move_points` (all come back when the next turn begins) |
//! | `portals[CELL]` | `owner`, `shields`; a portal that is left out is neutral |
//! | `links` | pairs of portals, such as `"3,4 0,7"`; fields follow from them |
//! | `history[SEAT]` | what the player did in its last turn: `captured`, `neutralised`, `linked`, `shielded` |

use crate::{
    ACTION_POINTS, MAX_SHIELDS, MOVE_POINTS, Map, Position, Rules, TURBO_COST,
    chart::PortalId,
    history::{MOST_CAPTURED, MOST_LINKED, MOST_NEUTRALISED, MOST_SHIELDED},
    map,
    position::NEUTRAL,
};
use agon_core::{Flaw, Game, Seat, State, StateItem, Terms, geometry::Point};
use alloc::{format, string::ToString, vec::Vec};

/// The most points of a player. No match leads near it.
const MOST_POINTS: i64 = 1_000_000_000_000_000;

/// Describes what a position has beyond its map.
pub(crate) fn of(position: &Position) -> State {
    let name = |portal: PortalId| State::place(position.chart.at(portal));
    let link = |a: PortalId, b: PortalId| format!("{} {}", name(a), name(b));
    let mut state = State::default();
    state.push("round", position.round());
    if !position.over() {
        state.push("to_move", Seat::new(position.mover()));
    }
    let seats = [0, 1].map(Seat::new);
    let dead = seats.into_iter().filter(|seat| !position.agents[seat.index()].alive);
    state.push("out", State::list(dead));
    let mut agents = State::default();
    for seat in seats {
        let mut agent = State::default();
        agent.push("score", position.agents[seat.index()].score);
        let (action_points, move_points) = position.points(seat.index());
        if (action_points, move_points) != (ACTION_POINTS, MOVE_POINTS) {
            agent.push("action_points", action_points);
            agent.push("move_points", move_points);
        }
        agents.push(seat.to_string(), agent);
    }
    state.push("agents", agents);
    let mut portals = State::default();
    for (portal, owner) in position.owners.iter().enumerate() {
        if let Some(owner) = Position::seat_of(*owner) {
            let mut items = State::default();
            items.push("owner", owner);
            if position.shields[portal] > 0 {
                items.push("shields", u32::from(position.shields[portal]));
            }
            portals.push(name(portal), items);
        }
    }
    state.push("portals", portals);
    state.push("links", State::list(position.web.links().map(|[a, b]| link(a, b))));
    let mut history = State::default();
    for seat in seats {
        let turn = &position.histories[seat.index()];
        let mut items = State::default();
        for (what, list) in
            [("captured", &turn.captured), ("neutralised", &turn.neutralised), ("shielded", &turn.shielded)]
        {
            items.push(what, State::list(list.iter().map(|portal| name(usize::from(*portal)))));
        }
        items.push("linked", State::list(turn.linked.iter().map(|[a, b]| link(usize::from(*a), usize::from(*b)))));
        history.push(seat.to_string(), items);
    }
    state.push("history", history);
    state
}

/// Sets a position up.
pub(crate) fn begin(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Position, Flaw> {
    let mut position = map::build(map, terms).map_err(|flawed| flawed.flaw)?;
    let items = state.read();
    items.only(&["round", "to_move", "out", "agents", "portals", "links", "history"])?;
    let round = items.field("round").map_or(Ok(1), |round| round.number(1..=i64::from(position.rounds) + 1))?;
    position.ply = 2 * (round as u32 - 1);
    let to_move = items.field("to_move").map_or(Ok(Seat::new(0)), |to_move| to_move.seat(2))?;
    // Accept `to_move` even where nobody can move, so that other items can be edited first.
    if !position.over() {
        position.ply += to_move.index() as u32;
    }
    for seat in items.seats("out", 2)?.iter() {
        position.agents[seat.index()].alive = false;
    }
    if let Some(agents) = items.field("agents") {
        for (seat, agent) in agents.by_seat(2)? {
            read_agent(&mut position, seat, &agent)?;
        }
    }
    if let Some(portals) = items.field("portals") {
        for (place, item) in portals.by_place()? {
            item.only(&["owner", "shields"])?;
            let portal = portal_at(&position, place, &item)?;
            position.set_owner(portal, item.need("owner")?.seat(2)?.index() as u8);
            let shields = item.field("shields").map_or(Ok(0), |shields| shields.number(0..=i64::from(MAX_SHIELDS)))?;
            position.shields[portal] = shields as u8;
        }
    }
    if let Some(links) = items.field("links") {
        for item in links.list()? {
            let (a, b) = ends(&position, &item)?;
            let owner = position.owners[a];
            if owner == NEUTRAL || position.owners[b] != owner {
                let hint = "leave the link out, or set both owners in `portals` first";
                return Err(item.flaw("both portals must have the same owner").hint(hint));
            }
            if position.web.interferes(&position.chart, a, b) {
                return Err(item
                    .flaw("another link is in the way")
                    .hint("links do not cross, overlap or pass over ends"));
            }
            position.insert_link(a, b);
        }
    }
    if let Some(history) = items.field("history") {
        for (seat, turn) in history.by_seat(2)? {
            read_history(&mut position, seat, &turn)?;
        }
    }
    Ok(position)
}

fn read_agent(position: &mut Position, seat: Seat, items: &StateItem<'_>) -> Result<(), Flaw> {
    items.only(&["score", "action_points", "move_points"])?;
    let left = |name: &str, most: i32| -> Result<Option<i32>, Flaw> {
        items.field(name).map(|item| Ok(item.number(0..=i64::from(most))? as i32)).transpose()
    };
    let action_points = left("action_points", ACTION_POINTS)?;
    let move_points = left("move_points", MOVE_POINTS + ACTION_POINTS / TURBO_COST)?;
    let agent = &mut position.agents[seat.index()];
    agent.action_points = action_points.unwrap_or(agent.action_points);
    agent.move_points = move_points.unwrap_or(agent.move_points);
    if let Some(score) = items.field("score") {
        agent.score = score.number(0..=MOST_POINTS)?;
    }
    Ok(())
}

fn read_history(position: &mut Position, seat: Seat, items: &StateItem<'_>) -> Result<(), Flaw> {
    items.only(&["captured", "neutralised", "shielded", "linked"])?;
    let places = |name: &str, most: usize| -> Result<Vec<u16>, Flaw> {
        at_most(items, name, most)?.iter().map(|item| Ok(portal_at(position, item.place()?, item)? as u16)).collect()
    };
    let captured = places("captured", MOST_CAPTURED)?;
    let neutralised = places("neutralised", MOST_NEUTRALISED)?;
    let shielded = places("shielded", MOST_SHIELDED)?;
    let linked = at_most(items, "linked", MOST_LINKED)?;
    let linked: Vec<_> = linked.iter().map(|item| ends(position, item)).collect::<Result<_, _>>()?;
    let history = &mut position.histories[seat.index()];
    history.captured.extend(captured);
    history.neutralised.extend(neutralised);
    history.shielded.extend(shielded);
    linked.into_iter().for_each(|(a, b)| history.link(a, b));
    history.close();
    Ok(())
}

/// Returns the items of a list of what one turn did, of which its action points can buy so many. A list that is left out is
/// empty.
fn at_most<'a>(items: &StateItem<'a>, name: &str, most: usize) -> Result<Vec<StateItem<'a>>, Flaw> {
    let list = items.field(name).map_or(Ok(Vec::new()), |list| list.list())?;
    match list.get(most) {
        None => Ok(list),
        Some(item) => {
            let hint = format!("leave out what comes after the first {most}");
            Err(item.flaw(format!("the action points of one turn buy at most {most} of these")).hint(hint))
        }
    }
}

/// Reads a link between two different portals.
fn ends(position: &Position, item: &StateItem<'_>) -> Result<(PortalId, PortalId), Flaw> {
    let (one, other) = item.link()?;
    let (a, b) = (portal_at(position, one, item)?, portal_at(position, other, item)?);
    if a == b { Err(item.flaw("a link has two different ends")) } else { Ok((a, b)) }
}

fn portal_at(position: &Position, place: Point, item: &StateItem<'_>) -> Result<PortalId, Flaw> {
    position.chart.portal_at(place).ok_or_else(|| {
        item.flaw(format!("no portal stands at {},{}", place.x, place.y))
            .hint("x is the column and y the row, counted from 0")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "0 0\n4 4\nX...X\n.....\n..X..\n.....\nX...X\n";

    fn set_up(items: &[(&str, State)]) -> Result<Position, Flaw> {
        let mut state = State::default();
        for (path, value) in items {
            state.put(path, value.clone())?;
        }
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(9) };
        begin(map::parse(MAP.as_bytes())?, &terms, &state)
    }

    fn corners() -> Vec<(&'static str, State)> {
        ["portals[0,0].owner", "portals[4,0].owner", "portals[0,4].owner"].map(|path| (path, 1.into())).to_vec()
    }

    #[test]
    fn fields_follow_from_the_links() {
        let mut items = corners();
        items.push(("links", State::list(["0,0 4,0", "4,0 0,4", "0,4 0,0"])));
        items.push(("round", 3.into()));
        items.push(("to_move", 2.into()));
        items.push(("agents[1].score", 50.into()));
        let position = set_up(&items).unwrap();
        assert_eq!((position.fields, position.agents[0].income, position.ply), (1, 16, 5));
        assert_eq!(position.agents[0].score, 50);
    }

    #[test]
    fn flaws_stand_at_their_item() {
        let with = |more: &[(&'static str, State)]| {
            let mut items = corners();
            items.extend(more.iter().cloned());
            set_up(&items)
                .err()
                .map(|flaw| (alloc::string::String::from(flaw.item.as_deref().unwrap_or_default()), flaw.what))
                .expect("a flaw")
        };
        for (path, value, item) in [
            ("links", State::list(["0,0 4,4"]), "links[1]"),
            ("links", State::list(["0,0 4,0", "4,0 0,0"]), "links[2]"),
            ("links", State::list(["0,0 0,0"]), "links[1]"),
            ("portals[1,1].owner", 2.into(), "portals[1,1]"),
            ("portals[0,0].shields", 7.into(), "portals[0,0].shields"),
            ("round", 11.into(), "round"),
            ("agents[2].action_points", 43.into(), "agents[2].action_points"),
            ("history[2].captured", State::list(["3,3"]), "history[2].captured[1]"),
            ("history[2].captured", State::list(["0,0"; 15]), "history[2].captured[15]"),
            ("history[2].neutralised", State::list(["0,0"; 5]), "history[2].neutralised[5]"),
            ("history[2].shielded", State::list(["0,0"; 9_000]), "history[2].shielded[15]"),
            ("history[1].linked", State::list(["0,0 4,0"; 22]), "history[1].linked[22]"),
            ("to_move", 3.into(), "to_move"),
        ] {
            assert_eq!(with(&[(path, value)]).0, item);
        }
        let most = [
            ("history[1].captured", State::list(["0,0"; 14])),
            ("history[1].neutralised", State::list(["0,0"; 4])),
            ("history[1].shielded", State::list(["0,0"; 14])),
            ("history[1].linked", State::list(["0,0 4,0"; 21])),
        ];
        assert!(set_up(&most).is_ok());
        let crossing = [("portals[4,4].owner", 1.into()), ("links", State::list(["0,0 4,4", "4,0 0,4"]))];
        assert_eq!(with(&crossing), ("links[2]".into(), "`links[2]`: another link is in the way".into()));
    }

    #[test]
    fn whose_turn_it_is_does_not_hold_other_items_back() {
        for mover in [1, 2] {
            let over = set_up(&[("round", 10.into()), ("to_move", mover.into())]).unwrap();
            assert!(over.over() && over.awaiting().is_empty());
            assert_eq!(over.fingerprint(), set_up(&[("round", 10.into())]).unwrap().fingerprint());
            let dead = set_up(&[("to_move", mover.into()), ("out", State::list([mover]))]).unwrap();
            assert_eq!((dead.mover(), dead.awaiting().is_empty()), (mover as usize - 1, true));
        }
    }
}
