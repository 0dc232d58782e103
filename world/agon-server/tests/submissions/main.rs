//! Tests what teams send, from its receipt to its last step.

mod archives;
mod ground;
mod intakes;
mod killed;
mod queue;
mod receipts;
mod requests;
