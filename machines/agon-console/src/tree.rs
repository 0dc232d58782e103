//! Every position of a session. Undo and redo go along the branches of a tree; nothing in it is ever lost.

mod recorded;

use crate::{
    command::Distance,
    fit::{Fitted, whole},
};
use agon_core::{Flaw, Seat, Seats, State};
use agon_games::AnyGame;
use agon_referee::{Board, Branch, Budget, Decision, EntryRecord, Mark, MatchEvent, PlyRecord, Rerun, Spent};
use agon_spec::{ConsoleBranch, MatchSpec};

/// The most snapshots of each line of play that are kept, so that any distance is short.
const SNAPSHOTS: usize = 128;

/// The number of a position in its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(usize);

/// A position, and how it was reached.
struct Node {
    /// The position before the turn or the edit. `None` for the first one.
    parent: Option<NodeId>,
    base: usize,
    /// The turn that led here. `None` if the position was edited or is the first one.
    record: Option<PlyRecord>,
    mark: Mark,
    ply: u32,
    /// The seats that decide here. There are none after the end.
    awaiting: Seats,
    branch: u32,
    /// What the clock of every seat has here. It is empty if there are no clocks.
    budgets: Vec<Budget>,
    /// The position to which a redo goes.
    next: Option<NodeId>,
}

/// A position from which turns count from 1.
struct Base {
    map: String,
    /// What its position has beyond the map.
    state: State,
    rerun: Rerun,
}

/// The positions of a session.
pub(crate) struct PositionTree {
    game: &'static dyn AnyGame,
    spec: MatchSpec,
    bases: Vec<Base>,
    nodes: Vec<Node>,
    at: NodeId,
    here: Branch,
    /// The end of each branch.
    ends: Vec<NodeId>,
}

impl PositionTree {
    pub(crate) fn new(game: &'static dyn AnyGame, spec: &MatchSpec) -> Result<Self, Flaw> {
        let Fitted { mut rerun, .. } = whole(game, spec, &spec.map, spec.state.clone())?;
        rerun.keep_snapshots(SNAPSHOTS);
        let (here, mark) = (Branch::at(rerun.board().clone()), rerun.board().fingerprint());
        let first = Node {
            parent: None,
            base: 0,
            record: None,
            mark,
            ply: 0,
            awaiting: awaiting(here.board()),
            branch: 1,
            budgets: Vec::new(),
            next: None,
        };
        Ok(Self {
            game,
            spec: spec.clone(),
            bases: vec![Base { map: spec.map.clone(), state: spec.state.clone(), rerun }],
            nodes: vec![first],
            at: NodeId(0),
            here,
            ends: vec![NodeId(0)],
        })
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    pub(crate) fn at(&self) -> NodeId {
        self.at
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> &Board {
        self.here.board()
    }

    /// Returns the fingerprint of the first position of the session.
    pub(crate) fn start(&self) -> Mark {
        self.nodes[0].mark
    }

    pub(crate) fn branch(&self) -> u32 {
        self.node(self.at).branch
    }

    pub(crate) fn ply(&self) -> u32 {
        self.node(self.at).ply
    }

    /// Returns the turns from the base of a position to it.
    pub(crate) fn path(&self, to: NodeId) -> Vec<&PlyRecord> {
        let mut records = Vec::new();
        let mut node = self.node(to);
        while let (Some(record), Some(parent)) = (&node.record, node.parent) {
            records.push(record);
            node = self.node(parent);
        }
        records.reverse();
        records
    }

    /// Returns the number of the base from which the turns to the current position count.
    pub(crate) fn base(&self) -> usize {
        self.node(self.at).base
    }

    /// Returns the map from which the turns to the current position count, and what that position has beyond it.
    pub(crate) fn map_and_state_of_base(&self) -> (&str, &State) {
        let Base { map, state, .. } = &self.bases[self.base()];
        (map, state)
    }

    /// Returns what the current position has beyond its map. It is empty if the map is everything.
    pub(crate) fn state(&self) -> Result<State, Flaw> {
        let state = self.game.state(self.position())?;
        let spec = MatchSpec { map: self.position().map(), state: State::default(), ..self.spec.clone() };
        let start = self.game.rerun(&spec);
        let is_start = start.is_ok_and(|start| start.board().fingerprint() == self.position().fingerprint());
        Ok(if is_start { State::default() } else { state })
    }

    /// Returns the line of play to the current position, at its base.
    pub(crate) fn rerun_from_base(&self) -> Result<Rerun, Flaw> {
        let mut rerun = self.bases[self.node(self.at).base].rerun.clone();
        rerun.seek(0, &[]).map_err(|why| Flaw::new(why.to_string()))?;
        Ok(rerun)
    }

    /// Returns whether `to` follows from `from` by turns in which `seat` did not decide.
    pub(crate) fn is_untouched(&self, from: NodeId, to: NodeId, seat: Seat) -> bool {
        let mut id = to;
        while id != from {
            let node = self.node(id);
            let (Some(record), Some(parent)) = (&node.record, node.parent) else { return false };
            if record.entries.iter().any(|entry| entry.seat == seat) {
                return false;
            }
            id = parent;
        }
        true
    }

    /// Returns what the clock of every seat has in the current position.
    pub(crate) fn budgets(&self) -> &[Budget] {
        &self.node(self.at).budgets
    }

    /// Sets what the clock of every seat has in the current position.
    pub(crate) fn set_budgets(&mut self, budgets: Vec<Budget>) {
        self.nodes[self.at.0].budgets = budgets;
    }

    /// Plays a turn. The rules judge the decisions, each of which took the time beside it.
    ///
    /// # Errors
    /// Says why the turn cannot be played. Nothing has changed then.
    pub(crate) fn play(&mut self, decisions: &[(Decision, Spent)]) -> Result<PlyRecord, Flaw> {
        let round = self.position().round();
        let decided: Vec<Decision> = decisions.iter().map(|(decision, _)| decision.clone()).collect();
        let turn = self.here.apply(&decided).map_err(|why| Flaw::new(why.to_string()))?;
        let entry = |(Decision { seat, orders, .. }, spent): &(Decision, Spent)| {
            let time = spent.record();
            EntryRecord {
                orders: orders.clone(),
                failure: turn.failures.iter().find(|(failed, _)| failed == seat).map(|(_, failure)| *failure),
                refusal: turn.refused.iter().find(|refused| refused.seat == *seat).map(|refused| refused.why.clone()),
                wall_us: time.wall_us,
                soft_late: spent.soft_late,
                lag_us: time.lag_us,
                ..EntryRecord::new(*seat)
            }
        };
        let entries = decisions.iter().map(entry).collect();
        let record = PlyRecord {
            ply: self.position().plies(),
            round,
            entries,
            fingerprint: self.position().fingerprint(),
            ..PlyRecord::default()
        };
        let base = self.node(self.at).base;
        let stepped = self.bases[base].rerun.step(&record);
        stepped.expect("the rerun stands where the turn was played, and plays it by the same rules");
        self.enter(&record);
        Ok(record)
    }

    /// Goes to the position after a turn that the rules have played, and adds it if it is new.
    fn enter(&mut self, record: &PlyRecord) {
        let at = self.at;
        let same = |node: &Node| {
            node.parent == Some(at) && node.record.as_ref().is_some_and(|other| is_same_turn(other, record))
        };
        let next = self.node(at).next;
        let is_next = next.filter(|next| same(self.node(*next)));
        let known = is_next.or_else(|| next.and_then(|_| self.nodes.iter().position(same).map(NodeId)));
        match known {
            Some(id) => self.step_to(id),
            None => self.grow(Node {
                parent: Some(at),
                base: self.node(at).base,
                record: Some(record.clone()),
                mark: record.fingerprint,
                ply: record.ply,
                awaiting: awaiting(self.position()),
                branch: 0,
                budgets: self.node(at).budgets.clone(),
                next: None,
            }),
        }
    }

    /// Continues from another position with this map.
    pub(crate) fn edit(&mut self, map: String, Fitted { mut rerun, state, .. }: Fitted) -> MatchEvent {
        rerun.keep_snapshots(SNAPSHOTS);
        let mark = rerun.board().fingerprint();
        self.here = Branch::at(rerun.board().clone());
        self.bases.push(Base { map: map.clone(), state: state.clone(), rerun });
        let base = self.bases.len() - 1;
        self.grow(Node {
            parent: Some(self.at),
            base,
            record: None,
            mark,
            ply: 0,
            awaiting: awaiting(self.position()),
            branch: 0,
            budgets: self.node(self.at).budgets.clone(),
            next: None,
        });
        MatchEvent::Edited { map, state, fingerprint: mark }
    }

    /// Adds a position after the current one, and goes there. It begins a branch if the current one has a follower.
    fn grow(&mut self, mut node: Node) {
        let id = NodeId(self.nodes.len());
        if self.node(self.at).next.is_some() {
            self.ends.push(id);
            node.branch = self.ends.len() as u32;
        } else {
            node.branch = self.branch();
            self.ends[node.branch as usize - 1] = id;
        }
        self.nodes.push(node);
        self.step_to(id);
    }

    fn step_to(&mut self, id: NodeId) {
        let at = self.at;
        self.nodes[at.0].next = Some(id);
        self.at = id;
    }

    /// Takes turns and edits back, at most as many as there are. Returns how many were taken back. `people` are the seats of
    /// people.
    pub(crate) fn undo(&mut self, distance: Distance, people: Seats) -> Result<(u32, Vec<MatchEvent>), Flaw> {
        self.walk(distance, people, |node| node.parent)
    }

    /// Plays turns and edits again, at most as many as were taken back. Returns how many were played.
    pub(crate) fn redo(&mut self, distance: Distance, people: Seats) -> Result<(u32, Vec<MatchEvent>), Flaw> {
        self.walk(distance, people, |node| node.next)
    }

    fn walk(
        &mut self,
        distance: Distance,
        people: Seats,
        step: impl Fn(&Node) -> Option<NodeId>,
    ) -> Result<(u32, Vec<MatchEvent>), Flaw> {
        let (mut to, mut done) = (self.at, 0);
        while let Some(next) = step(self.node(to)).filter(|_| distance != Distance::Steps(done)) {
            (to, done) = (next, done + 1);
            let decides = self.node(to).awaiting.iter().any(|seat| people.contains(seat));
            if distance == Distance::Person && decides {
                return Ok((done, self.go_to(to)?));
            }
        }
        if distance == Distance::Person {
            return Ok((0, Vec::new()));
        }
        Ok((done, self.go_to(to)?))
    }

    /// Returns how many turns and edits can be taken back, and how many can be played again.
    pub(crate) fn distances(&self) -> (u32, u32) {
        let count = |step: fn(&Node) -> Option<NodeId>| {
            std::iter::successors(step(self.node(self.at)), |id| step(self.node(*id))).count() as u32
        };
        (count(|node| node.parent), count(|node| node.next))
    }

    /// Goes to the end of a branch.
    pub(crate) fn choose(&mut self, branch: u32) -> Result<Vec<MatchEvent>, Flaw> {
        let end = (branch as usize).checked_sub(1).and_then(|i| self.ends.get(i)).copied();
        let Some(end) = end else {
            return Err(Flaw::new(format!("there is no branch {branch}"))
                .hint(format!("the branches are 1 to {}", self.ends.len())));
        };
        let events = self.go_to(end)?;
        // A redo after an undo shall follow the branch.
        let mut id = end;
        while let Some(parent) = self.node(id).parent {
            self.nodes[parent.0].next = Some(id);
            id = parent;
        }
        Ok(events)
    }

    /// Returns all branches, in the order in which they began.
    pub(crate) fn branches(&self) -> Vec<ConsoleBranch> {
        let of = |(i, end): (usize, &NodeId)| {
            let (node, branch) = (self.node(*end), i as u32 + 1);
            ConsoleBranch { branch, ply: node.ply, fingerprint: node.mark, current: branch == self.branch() }
        };
        self.ends.iter().enumerate().map(of).collect()
    }

    /// Goes to a position. Returns the events that bring a replay there.
    fn go_to(&mut self, to: NodeId) -> Result<Vec<MatchEvent>, Flaw> {
        if to == self.at {
            return Ok(Vec::new());
        }
        let (from, base) = (self.at, self.node(to).base);
        let path: Vec<PlyRecord> = self.path(to).into_iter().cloned().collect();
        let turns: Vec<&PlyRecord> = path.iter().collect();
        let rerun = &mut self.bases[base].rerun;
        let ply = path.len() as u32;
        rerun.seek(ply, &turns).map_err(|why| Flaw::new(why.to_string()))?;
        self.here = Branch::at(rerun.board().clone());
        let mut events = Vec::new();
        let kept = if self.node(from).base == base {
            let before = self.path(from);
            let kept = before.iter().zip(&turns).take_while(|(one, other)| one == other).count();
            if kept < before.len() {
                let fingerprint = if kept == 0 { self.mark_of_base(base) } else { path[kept - 1].fingerprint };
                events.push(MatchEvent::Rewound { ply: kept as u32, fingerprint });
            }
            kept
        } else {
            let Base { map, state, .. } = &self.bases[base];
            let (map, state) = (map.clone(), state.clone());
            events.push(MatchEvent::Edited { map, state, fingerprint: self.mark_of_base(base) });
            0
        };
        events.extend(path.into_iter().skip(kept).map(MatchEvent::Ply));
        self.at = to;
        Ok(events)
    }

    fn mark_of_base(&self, base: usize) -> Mark {
        self.nodes.iter().find(|node| node.base == base).map_or(self.start(), |node| node.mark)
    }
}

/// Returns the seats that decide in a position.
fn awaiting(position: &Board) -> Seats {
    if position.over() { Seats::default() } else { position.awaiting() }
}

/// Returns whether the same seats decide the same in both turns. How long they took does not matter.
fn is_same_turn(one: &PlyRecord, other: &PlyRecord) -> bool {
    let decisions = |record: &PlyRecord| {
        record.entries.iter().map(|entry| (entry.seat, entry.orders.clone(), entry.failure)).collect::<Vec<_>>()
    };
    one.ply == other.ply && decisions(one) == decisions(other)
}
