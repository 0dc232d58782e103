//! The stages of a round, in the order of the specification's "El Juego", as plain functions.
//!
//! | stage | function |
//! | --- | --- |
//! | every cell gains energy | none: [`Position::cell_energy`] follows from the number of the round |
//! | players collect the energy of their cells | [`collect`] |
//! | players on lighthouses take keys | [`take_keys`] |
//! | every lighthouse loses 10 | [`decay`] |
//! | one player after the other acts | [`play`]: [`examine`], then [`act`] |
//! | players get points | [`score`] |
//!
//! The engine takes the keys before it collects. The two stages do not affect each other (L3).

use crate::{
    board::{LightSet, NO_LIGHT, STEPS, above, members},
    order::{Event, Form, Order, Refusal},
    position::{Light, NEVER, NOBODY, Position, owner},
    rules::{DECAY, Keys},
};
use agon_core::{Joint, Seat, Seats, Sink};

/// The points for a lighthouse, and for a connection, in each round (specification "Puntuación").
pub(crate) const POINTS: i64 = 2;

/// A lawful order, with everything that is needed to execute it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deed {
    Stay,
    Go(u32),
    Feed { light: usize, strength: i64 },
    Link { origin: usize, destination: usize },
}

/// Plays the start of a round. All players collect before any player acts.
pub(crate) fn begin_round(pos: &mut Position, out: &mut impl Sink<Event>) {
    out.put(Event::RoundBegins { round: pos.round });
    take_keys(pos, out);
    collect(pos, out);
    decay(pos, out);
    pos.turn = next_to_act(pos, 0);
}

/// Specification "El Juego": a player that stands on a lighthouse gets its key, regardless of the owner.
pub(crate) fn take_keys(pos: &mut Position, out: &mut impl Sink<Event>) {
    let keys = pos.rules.keys;
    for (i, player) in pos.players.iter_mut().enumerate() {
        let light = pos.board.site(player.cell as usize).light;
        if light == NO_LIGHT {
            continue;
        }
        // Specification "Conexiones": one key at a time. A key that the player holds is not replaced: if the key of
        // the lighthouse on its cell took its place, the player could never connect anything.
        let room = keys == Keys::Many || player.keys == 0;
        let key = 1 << light;
        if room && player.keys & key == 0 {
            player.keys |= key;
            out.put(Event::KeyTaken { seat: Seat::new(i), lighthouse: pos.board.lights()[usize::from(light)] });
        }
    }
}

/// Specification "El Juego": players on the same cell share its energy evenly. The rest is lost, and the cell is
/// empty.
pub(crate) fn collect(pos: &mut Position, out: &mut impl Sink<Event>) {
    for i in 0..pos.players.len() {
        let cell = pos.players[i].cell;
        let free = pos.free_energy(cell as usize);
        if free == 0 {
            continue;
        }
        let sharing = pos.players.iter().filter(|p| p.cell == cell).count() as u32;
        let share = i64::from(if sharing == 1 { free } else { free / sharing });
        if share > 0 {
            pos.players[i].energy += share;
            out.put(Event::Collected { seat: Seat::new(i), energy: share });
        }
    }
    let now = pos.growths();
    for player in &pos.players {
        pos.visited[player.cell as usize] = now;
    }
}

/// Specification "El Juego": a lighthouse whose energy has fallen to 0 is neutral and loses its connections.
pub(crate) fn decay(pos: &mut Position, out: &mut impl Sink<Event>) {
    if pos.round < pos.next_fall {
        return;
    }
    let mut next = NEVER;
    for light in 0..pos.lights.len() {
        let Some(owner) = owner(&pos.lights[light]) else { continue };
        let falls = pos.lights[light].falls();
        if falls <= pos.round {
            out.put(Event::WentOut { lighthouse: pos.board.lights()[light], owner });
            release(pos, light, out);
        } else {
            next = next.min(falls);
        }
    }
    pos.next_fall = next;
}

/// The first seat from `from` on whose bot is not out. It is the number of players if there is none.
pub(crate) fn next_to_act(pos: &Position, from: u8) -> u8 {
    let players = pos.players.len() as u8;
    let left = Seats::first(pos.players.len()).minus(pos.gone).bits() >> from;
    if left == 0 { players } else { from + left.trailing_zeros() as u8 }
}

/// Checks whether an order is lawful, and returns what it means. The checks of each command are in the engine's order
/// (L14).
pub(crate) fn examine(pos: &Position, seat: Seat, order: Order) -> Result<Deed, Refusal> {
    match order {
        Order::Pass => Ok(Deed::Stay),
        Order::Move(dx, dy) => examine_move(pos, seat, dx, dy),
        Order::Attack(energy) => {
            let light = light_below(pos, seat).ok_or_else(|| Refusal::NotAtTarget(pos.place(seat)))?;
            if energy < 0 {
                return Err(Refusal::NegativeStrength(energy));
            }
            // Specification "Turno": "si no lo fuera, se limita automáticamente al total disponible".
            Ok(Deed::Feed { light, strength: energy.min(pos.energy(seat)) })
        }
        Order::Connect(to) => {
            let origin = light_below(pos, seat).ok_or_else(|| Refusal::NotAtOrigin(pos.place(seat)))?;
            let destination = pos.board.light_at(to).ok_or(Refusal::NoSuchLighthouse)?;
            connectable(pos, seat, origin, destination)?;
            Ok(Deed::Link { origin, destination })
        }
        Order::Malformed(form) => Err(match form {
            Form::UnknownCommand => Refusal::UnknownCommand,
            Form::MoveWithoutDelta => Refusal::MoveWithoutDelta,
            Form::DeltaTooFar => Refusal::DeltaTooFar,
            Form::AttackWithoutEnergy => Refusal::AttackWithoutEnergy,
            Form::NoDestination => Refusal::NoDestination,
            Form::NotAPair => Refusal::NotAPair,
            // The engine checks the player's cell before it looks up the destination.
            Form::NoSuchPlace if light_below(pos, seat).is_none() => Refusal::NotAtOrigin(pos.place(seat)),
            Form::NoSuchPlace => Refusal::NoSuchLighthouse,
        }),
    }
}

fn examine_move(pos: &Position, seat: Seat, dx: i8, dy: i8) -> Result<Deed, Refusal> {
    if !(-1..=1).contains(&dx) || !(-1..=1).contains(&dy) {
        return Err(Refusal::DeltaTooFar);
    }
    let cell = pos.players[seat.index()].cell as usize;
    let target = pos.board.stepped(cell, (dx, dy));
    if pos.board.site(target).land { Ok(Deed::Go(target as u32)) } else { Err(not_on_island(pos, target)) }
}

#[cold]
fn not_on_island(pos: &Position, cell: usize) -> Refusal {
    Refusal::NotOnIsland(pos.board.point(cell))
}

fn light_below(pos: &Position, seat: Seat) -> Option<usize> {
    pos.board.light_on(pos.players[seat.index()].cell as usize)
}

/// Specification "Conexiones" and "Turno": the player must own both ends and hold the key of the destination. The ends
/// must not be connected yet. No third lighthouse may lie exactly between them, and no connection may be crossed.
pub(crate) fn connectable(pos: &Position, seat: Seat, origin: usize, destination: usize) -> Result<(), Refusal> {
    let (from, to) = (&pos.lights[origin], &pos.lights[destination]);
    let me = seat.index() as u8;
    if from.owner != me || to.owner != me {
        return Err(Refusal::NotBothOwned);
    }
    if pos.players[seat.index()].keys >> destination & 1 == 0 {
        return Err(Refusal::NoKey);
    }
    joinable(pos, origin, destination)
}

/// Whether nothing is in the way of a connection of two lighthouses, whoever owns them.
pub(crate) fn joinable(pos: &Position, origin: usize, destination: usize) -> Result<(), Refusal> {
    if origin == destination {
        return Err(Refusal::SameLighthouse);
    }
    if pos.lights[origin].links >> destination & 1 == 1 {
        return Err(Refusal::AlreadyConnected);
    }
    if pos.board.hidden_from(origin) >> destination & 1 == 1 {
        let third = pos.board.between(origin, destination).unwrap_or_default();
        return Err(Refusal::ThroughLighthouse(third));
    }
    match crossed(pos, origin, destination) {
        Some((c, d)) => Err(Refusal::CrossesConnection(pos.board.lights()[c], pos.board.lights()[d])),
        None => Ok(()),
    }
}

/// A connection that the segment from `a` to `b` would cross. `None` if there is none.
fn crossed(pos: &Position, a: usize, b: usize) -> Option<(usize, usize)> {
    let right = pos.board.left_of(b, a);
    members(pos.board.left_of(a, b)).find_map(|c| {
        // One end lies left and one right of ab: the segments cross if a and b lie on different sides of cd.
        members(pos.lights[c].links & right).find(|&d| pos.board.cross(a, b, c, d)).map(|d| (c, d))
    })
}

/// Executes what [`examine`] allowed.
pub(crate) fn act(pos: &mut Position, seat: Seat, deed: Deed, out: &mut impl Sink<Event>) {
    match deed {
        Deed::Stay => {}
        Deed::Go(cell) => {
            pos.players[seat.index()].cell = cell;
            out.put(Event::Moved { seat, to: pos.board.point(cell as usize) });
        }
        Deed::Feed { light, strength } => {
            pos.players[seat.index()].energy -= strength;
            if pos.lights[light].owner == NOBODY || pos.lights[light].owner == seat.index() as u8 {
                recharge(pos, seat, light, strength, out);
            } else {
                attack(pos, seat, light, strength, out);
            }
        }
        Deed::Link { origin, destination } => connect(pos, seat, origin, destination, out),
    }
}

fn recharge(pos: &mut Position, seat: Seat, light: usize, strength: i64, out: &mut impl Sink<Event>) {
    if strength == 0 {
        return;
    }
    out.put(Event::Recharged { seat, lighthouse: pos.board.lights()[light], energy: strength });
    if pos.lights[light].owner == NOBODY {
        capture(pos, seat, light, strength, None, out);
    } else {
        pos.lights[light].level += strength;
    }
}

/// Specification "Turno", on `attack`: the lighthouse first loses energy; what is left of the attack captures it.
fn attack(pos: &mut Position, seat: Seat, light: usize, strength: i64, out: &mut impl Sink<Event>) {
    let held = pos.lights[light].energy(pos.round);
    let lost = held.min(strength);
    let lighthouse = pos.board.lights()[light];
    if lost > 0 {
        out.put(Event::Attacked { seat, lighthouse, energy: lost });
    }
    let from = owner(&pos.lights[light]);
    if strength < held {
        pos.lights[light].level -= strength;
        pos.next_fall = pos.next_fall.min(pos.lights[light].falls());
    } else {
        release(pos, light, out);
        if strength > held {
            capture(pos, seat, light, strength - held, from, out);
        } else if let Some(owner) = from {
            out.put(Event::Neutralised { lighthouse, owner });
        }
    }
}

fn capture(pos: &mut Position, seat: Seat, light: usize, energy: i64, from: Option<Seat>, out: &mut impl Sink<Event>) {
    let new = &mut pos.lights[light];
    new.owner = seat.index() as u8;
    new.level = energy + DECAY * i64::from(pos.round);
    pos.next_fall = pos.next_fall.min(new.falls());
    pos.players[seat.index()].rate += POINTS;
    out.put(Event::Captured { seat, lighthouse: pos.board.lights()[light], from });
}

/// Makes a lighthouse neutral. Specification "Turno": its connections and every triangle with it as a corner vanish. A
/// triangle that only contains it stays.
fn release(pos: &mut Position, light: usize, out: &mut impl Sink<Event>) {
    let Light { links, owner, .. } = core::mem::replace(&mut pos.lights[light], Light::NEUTRAL);
    let mut points = POINTS;
    for b in members(links) {
        points += POINTS + triangles_with(pos, light, b, links & above(b)).0;
        pos.lights[b].links &= !(1 << light);
    }
    pos.players[usize::from(owner)].rate -= points;
    if links != 0 {
        out.put(Event::Severed { lighthouse: pos.board.lights()[light], connections: links.count_ones() });
    }
}

/// Specification "Conexiones": the key of the destination is used up. One connection may close several triangles.
fn connect(pos: &mut Position, seat: Seat, a: usize, b: usize, out: &mut impl Sink<Event>) {
    pos.players[seat.index()].keys &= !(1 << b);
    let thirds = join(pos, a, b);
    let lights = pos.board.lights();
    out.put(Event::Connected { seat, origin: lights[a], destination: lights[b] });
    for c in members(thirds) {
        let corners = [lights[a], lights[b], lights[c]];
        out.put(Event::Lit { seat, corners, cells: pos.board.area(a, b, c) });
    }
}

/// Connects two lighthouses of one player. Returns the lighthouses with which they make triangles.
pub(crate) fn join(pos: &mut Position, a: usize, b: usize) -> LightSet {
    let (cells, thirds) = triangles_with(pos, a, b, pos.lights[a].links);
    pos.lights[a].links |= 1 << b;
    pos.lights[b].links |= 1 << a;
    pos.players[usize::from(pos.lights[a].owner)].rate += POINTS + cells;
    thirds
}

/// The number of cells of the triangles abc for every c of `candidates` that is connected to b, and the set of these
/// c.
fn triangles_with(pos: &Position, a: usize, b: usize, candidates: LightSet) -> (i64, LightSet) {
    let thirds = pos.lights[b].links & candidates;
    (members(thirds).map(|c| i64::from(pos.board.area(a, b, c))).sum(), thirds)
}

/// Specification "Puntuación": 2 points for each lighthouse, 2 for each connection, 1 for each cell of each triangle.
pub(crate) fn score(pos: &mut Position, out: &mut impl Sink<Event>) {
    for (i, player) in pos.players.iter_mut().enumerate() {
        player.score += player.rate;
        if player.rate != 0 {
            out.put(Event::Scored { seat: Seat::new(i), points: player.rate });
        }
    }
}

/// Plays the turn of the player to act and, after the last player's turn, the end of the round. Calls `after` at the
/// end of each of these parts.
#[inline]
pub(crate) fn play<S: Sink<Event>>(
    pos: &mut Position,
    joint: Joint<'_, Order>,
    out: &mut S,
    mut after: impl FnMut(&Position, &mut S),
) {
    if pos.round >= pos.limit {
        return;
    }
    let players = pos.players.len() as u8;
    if pos.turn < players {
        let seat = Seat::new(usize::from(pos.turn));
        if let Some(entry) = joint.of(seat) {
            match (entry.failure, entry.orders) {
                (Some(failure), _) if failure.is_breakdown() => {
                    pos.gone = pos.gone.with(seat);
                    out.put(Event::Out { seat });
                }
                (_, [order]) => {
                    let deed = examine(pos, seat, *order).unwrap_or(Deed::Stay);
                    act(pos, seat, deed, out);
                }
                _ => {}
            }
        }
        let next = next_to_act(pos, pos.turn + 1);
        if next >= players {
            after(pos, out);
        }
        pos.turn = next;
    }
    if pos.turn >= players {
        end_round(pos, out);
    }
    after(pos, out);
}

/// Gives the points of a round and begins the next round, if there is one.
pub(crate) fn end_round(pos: &mut Position, out: &mut impl Sink<Event>) {
    score(pos, out);
    pos.round += 1;
    if pos.round < pos.limit {
        begin_round(pos, out);
    } else {
        pos.turn = pos.players.len() as u8;
    }
}

/// The lawful steps of a player.
pub(crate) fn steps(pos: &Position, seat: Seat) -> impl Iterator<Item = (i8, i8)> {
    let ways = pos.board.site(pos.players[seat.index()].cell as usize).ways;
    (0..8).filter(move |k| ways >> k & 1 == 1).map(|k| STEPS[k])
}
