//! Planet Wars, the Google AI Challenge 2010.
#![no_std]

extern crate alloc;

pub mod arrivals;
pub mod bots;
pub mod chart;
pub mod client;
mod contest;
pub mod coordinate;
pub mod dialogue;
mod fleets;
mod frame;
pub mod map;
pub mod mapgen;
pub mod order;
mod planets;
pub mod playback;
mod position;
mod python2;
pub mod reading;
pub mod turn;
pub mod view;

pub use arrivals::Arrivals;
pub use chart::Chart;
pub use client::Player;
pub use dialogue::Referee;
pub use map::{Drawing, Fleet, Planet};
pub use order::{Order, Refusal};
pub use playback::Playback;
pub use position::{DEFAULT_LIMIT, MAX_LIMIT, PlanetWars, Scratch};
pub use reading::Rules;
pub use turn::Event;
pub use view::{Owner, View};
