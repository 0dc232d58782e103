//! One turn as it is thought: act, look, take back.

use crate::{
    MAX_ACTIONS, Order, Position, Refusal, View,
    turn::{self, Log},
};
use agon_core::{Game, Seat};
use alloc::vec::Vec;

/// One player's turn in progress: what a champion host, the dialogue, a console and a search all drive.
///
/// Every read of the API answers on the current state, through [`Turn::view`]. The decision of the turn is the list of
/// actions that were lawful and not taken back: [`Turn::actions`]. The position that it was opened on is not touched.
///
/// ```
/// use agon_core::{Contest, Seat, Setup, Terms, geometry::pt};
/// use agon_portals::{Order, Position, Refusal, Rules, Turn, error_code};
///
/// let drawing = Position::parse_map(b"0 0  4 4\nX...X .....\n..... ..... X...X").unwrap();
/// let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
/// let game = Position::from_map(drawing, &terms).unwrap();
///
/// let mut turn = Turn::open(&game, Seat::new(0));
/// assert_eq!(turn.act(Order::Capture), Ok(()));
/// assert_eq!(turn.view().action_points(), 39);
/// assert_eq!(error_code(turn.act(Order::Link(pt(4, 4)))), 6);
/// assert!(turn.undo() && !turn.undo());
/// assert_eq!(turn.actions(), []);
/// ```
#[derive(Clone)]
pub struct Turn {
    position: Position,
    seat: Seat,
    open: bool,
    overflowed: bool,
    actions: Vec<Order>,
    log: Log,
}

impl Turn {
    /// Opens the turn of `seat` on a copy of `position`. If it is not the turn of `seat` the session is closed: it can
    /// be read, and every action is refused (what `partie_init` and `partie_fin` see).
    #[must_use]
    pub fn open(position: &Position, seat: Seat) -> Self {
        let mut turn = Self {
            position: position.clone(),
            seat,
            open: false,
            overflowed: false,
            actions: Vec::new(),
            log: Log::default(),
        };
        turn.start();
        turn
    }

    /// A session that can only be read, even if it is the turn of `seat`: for `partie_init`.
    #[must_use]
    pub fn closed(position: &Position, seat: Seat) -> Self {
        Self {
            position: position.clone(),
            seat,
            open: false,
            overflowed: false,
            actions: Vec::new(),
            log: Log::default(),
        }
    }

    /// As [`Turn::open`], with the buffers of this session.
    pub fn reopen(&mut self, position: &Position, seat: Seat) {
        self.position.clone_from(position);
        self.seat = seat;
        self.start();
    }

    fn start(&mut self) {
        self.actions.clear();
        self.log.clear();
        self.overflowed = false;
        self.open = !self.position.over() && self.position.mover() == self.seat.index();
        if self.open {
            turn::begin(&mut self.position);
        }
    }

    /// Does one action, if the rules allow it.
    ///
    /// # Errors
    /// Why not; [`error_code`](crate::error_code) gives the value of `erreur`. Nothing has changed then.
    /// [`Refusal::TooMany`] means that the whole turn is lost (see [`Turn::overflowed`]).
    pub fn act(&mut self, action: Order) -> Result<(), Refusal> {
        if !self.open {
            return Err(match action {
                Order::Move(to) => {
                    let distance = crate::geometry::distance(self.position.agents[self.player()].at, to);
                    Refusal::TooFar { distance, left: 0 }
                }
                _ => Refusal::ActionPoints { cost: 0, left: 0 },
            });
        }
        if self.overflowed {
            return Err(Refusal::TooMany);
        }
        turn::act(&mut self.position, action, &mut self.log)?;
        if self.actions.len() == MAX_ACTIONS {
            turn::take_back(&mut self.position, &mut self.log);
            self.overflowed = true;
            return Err(Refusal::TooMany);
        }
        self.actions.push(action);
        Ok(())
    }

    /// `annuler`: takes the last lawful action of this turn back. `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.open && turn::take_back(&mut self.position, &mut self.log);
        if undone {
            self.actions.pop();
        }
        undone
    }

    /// The actions that survive so far: what the referee will be told.
    #[must_use]
    pub fn actions(&self) -> &[Order] {
        &self.actions
    }

    /// All reads of the API, on the state after the actions so far.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::within_turn(&self.position, self.seat, &self.log)
    }

    /// Whether actions are accepted.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether more than [`MAX_ACTIONS`] actions were wanted: the champion counts as crashed.
    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    fn player(&self) -> usize {
        self.seat.index() & 1
    }
}
