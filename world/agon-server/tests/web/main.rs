//! Tests the pages of a contest as browsers and programs ask for them.

mod browser;
mod crowd;
mod documents;
mod journeys;
mod roles;
mod safety;
