//! The console: a person at the board.
//!
//! A [`Console`] is a machine. Lines of commands go in, with what programs write and with the instant of each; [`Effect`]s
//! come out: answers, lines of a replay, and what the world has to do. It uses no thread, file, process or clock, so the same
//! machine runs in a terminal, behind a page and inside one.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `command` | [`Command`]: what a line says |
//! | `argument` | the words of a line, with their places |
//! | `console` | [`Console`]: takes commands |
//! | `dispatch` | what each command does |
//! | `report` | reports of the world: time, what programs do, what a command asked of it |
//! | `decision` | decisions: given by a person, or asked of a bot |
//! | `clocks` | the clocks of seats |
//! | `timing` | when clocks run, and what happens when the time of a seat is up |
//! | `waiting` | commands that wait for bots: how they go on and end |
//! | `effect` | [`Effect`]: what the world has to do; [`Binding`]: who takes a seat |
//! | `tree` | every position of a session, as a tree with branches, and how a recorded one is gone through again |
//! | `occupant` | who decides in a seat |
//! | `program` | a program in a seat: how it is asked, and brought into step |
//! | `resume` | a session that begins with the turns of a replay |
//! | `edit` | changes of the position: of the text of its map, and of what it has beyond the map |
//! | `fit` | a position from a map, and from what fits it of a state |
//! | `state` | the documents that describe a session, and its replay |

mod argument;
mod clocks;
mod command;
mod console;
mod decision;
mod dispatch;
mod edit;
mod effect;
mod fit;
mod occupant;
mod program;
mod report;
mod resume;
mod state;
mod timing;
mod tree;
mod waiting;

pub use command::{Command, Distance, WORDS, Word};
pub use console::Console;
pub use edit::{Edit, MapEdit, StateEdit};
pub use effect::{Binding, Effect, Saved};
