//! A turn in progress, in which actions can be tried and undone.

use crate::{
    MAX_ACTIONS, Order, Position, Refusal, View,
    refused::RefusedActions,
    turn::{self, Log},
};
use agon_core::{Game, RefusedCommand, Seat};
use alloc::vec::Vec;

/// One player's turn in progress. A champion host, the dialogue, a console and a search all use it.
///
/// Every question of the API is answered from the current state, through [`Turn::view`]. The decision of the turn is
/// the list of actions that were lawful and not undone: [`Turn::actions`]. The position from which the turn was opened
/// does not change.
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
    refused: RefusedActions,
    log: Log,
}

impl Turn {
    /// Opens the turn of `seat` on a copy of `position`. If it is not the turn of `seat`, the session is closed: it
    /// can be read, but every action is refused. `partie_init` and `partie_fin` get such a session.
    #[must_use]
    pub fn open(position: &Position, seat: Seat) -> Self {
        let mut turn = Self {
            position: position.clone(),
            seat,
            open: false,
            overflowed: false,
            actions: Vec::new(),
            refused: RefusedActions::default(),
            log: Log::default(),
        };
        turn.start();
        turn
    }

    /// Opens a session that can only be read, even if it is the turn of `seat`. It is for `partie_init`.
    #[must_use]
    pub fn closed(position: &Position, seat: Seat) -> Self {
        Self {
            position: position.clone(),
            seat,
            open: false,
            overflowed: false,
            actions: Vec::new(),
            refused: RefusedActions::default(),
            log: Log::default(),
        }
    }

    /// Does what [`Turn::open`] does, with the buffers of this session.
    pub fn reopen(&mut self, position: &Position, seat: Seat) {
        self.position.clone_from(position);
        self.seat = seat;
        self.start();
    }

    fn start(&mut self) {
        self.actions.clear();
        self.refused.clear();
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
    /// The reason for which the rules refuse it; [`error_code`](crate::error_code) gives the value of `erreur`. A
    /// refused action changes nothing. [`Refusal::TooMany`] means that the whole turn is lost (see
    /// [`Turn::overflowed`]).
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
        if let Err(why) = turn::act(&mut self.position, action, &mut self.log) {
            self.refused.add(self.actions.len() as u32, Some(action), why.code(), 1);
            return Err(why);
        }
        if self.actions.len() == MAX_ACTIONS {
            turn::take_back(&mut self.position, &mut self.log);
            self.overflowed = true;
            return Err(Refusal::TooMany);
        }
        self.actions.push(action);
        Ok(())
    }

    /// `annuler`: takes back the last lawful action of this turn. Returns `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.open && turn::take_back(&mut self.position, &mut self.log);
        if undone {
            self.actions.pop();
        }
        undone
    }

    /// The actions that remain so far. They are what the referee will receive.
    #[must_use]
    pub fn actions(&self) -> &[Order] {
        &self.actions
    }

    /// The actions of this turn that the rules refused, in order. The list has at most 75 entries: what comes after the
    /// first 64 is only counted, for each code.
    #[must_use]
    pub fn refused(&self) -> &[RefusedCommand<Order>] {
        self.refused.entries()
    }

    /// Notes an action that was refused elsewhere, with its value of `erreur`. Returns `false` if no refusal has that
    /// value. It changes nothing but [`Turn::refused`].
    pub fn note_refused(&mut self, after: u32, action: Option<Order>, code: u8, times: u32) -> bool {
        self.refused.add(after, action, code, times)
    }

    /// The view of the state after the actions so far. It answers all questions of the API.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::within_turn(&self.position, self.seat, &self.log)
    }

    /// Whether the session accepts actions.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether there were more than [`MAX_ACTIONS`] actions, so that the champion counts as crashed.
    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    fn player(&self) -> usize {
        self.seat.index() & 1
    }
}
