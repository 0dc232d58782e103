//! The way of a submission: its steps, its states, and its turn in the queue.
//!
//! A submission is received once, for good. Then it takes the [`Step`]s in their order. A step that the bot fails refuses it. A
//! step that fails because of the machine is no fault of the bot: it is run again, and after [`MOST_ATTEMPTS`] attempts the
//! organiser is told.

use std::collections::BTreeMap;

/// So often a step is begun before the organiser is told.
pub const MOST_ATTEMPTS: u32 = 3;

/// The pause before a step is run again, in milliseconds, for each attempt that was made in vain.
const PAUSE_MS: i64 = 5_000;

/// What is done with a submission, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// Its files are taken out of what was sent.
    Intake,
    /// It is built.
    Build,
    /// It has to speak the protocol of the game.
    Check,
    /// It plays one match against a built-in bot.
    Trial,
}

impl Step {
    /// All steps in their order.
    pub const ALL: [Self; 4] = [Self::Intake, Self::Build, Self::Check, Self::Trial];

    /// Returns the name of the step in documents and in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intake => "intake",
            Self::Build => "build",
            Self::Check => "check",
            Self::Trial => "trial",
        }
    }

    /// Returns the step with this name. `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }

    /// Returns the step after this one. `None` after the last one.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|step| *step > self)
    }
}

/// What has become of a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubmissionState {
    /// This step is to be run.
    Waiting(Step),
    /// This step runs.
    Running(Step),
    /// It has passed all steps.
    Accepted,
    /// It has failed this step.
    Refused(Step),
    /// The machine could not run this step. The organiser decides what follows.
    Held(Step),
}

impl SubmissionState {
    /// Returns the name of the state in documents and in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting(_) => "waiting",
            Self::Running(_) => "running",
            Self::Accepted => "accepted",
            Self::Refused(_) => "refused",
            Self::Held(_) => "held",
        }
    }

    /// Returns the state with this name, at this step. `None` if there is none.
    #[must_use]
    pub fn named(name: &str, step: Option<Step>) -> Option<Self> {
        Some(match (name, step) {
            ("accepted", _) => Self::Accepted,
            ("waiting", Some(step)) => Self::Waiting(step),
            ("running", Some(step)) => Self::Running(step),
            ("refused", Some(step)) => Self::Refused(step),
            ("held", Some(step)) => Self::Held(step),
            _ => return None,
        })
    }

    /// Returns the step that waits, runs or was the last one. `None` if all were passed.
    #[must_use]
    pub const fn step(self) -> Option<Step> {
        match self {
            Self::Accepted => None,
            Self::Waiting(step) | Self::Running(step) | Self::Refused(step) | Self::Held(step) => Some(step),
        }
    }

    /// Returns whether nothing more happens by itself.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Accepted | Self::Refused(_) | Self::Held(_))
    }
}

/// How a step ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepEnd {
    /// The bot has passed it.
    Passed,
    /// The bot has failed it, for this reason.
    Refused(String),
    /// The machine could not run it, for this reason.
    HostTrouble(String),
    /// It was broken off because the server stops. The attempt does not count.
    BrokenOff,
}

/// How far a submission has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Its state.
    pub state: SubmissionState,
    /// How often the step of the state was begun.
    pub attempts: u32,
    /// Nothing happens before this time, in milliseconds since 1970.
    pub due_ms: i64,
    /// Why it was refused or is held, or why the last attempt came to nothing. May be empty, and may quote the bot.
    pub reason: String,
}

impl Progress {
    /// Returns the progress of what was received at this time, in milliseconds since 1970.
    #[must_use]
    pub fn received(now_ms: i64) -> Self {
        Self { state: SubmissionState::Waiting(Step::Intake), attempts: 0, due_ms: now_ms, reason: String::new() }
    }

    /// Begins the step that waits. The attempt counts from now on, so that a bot that kills the server does so a limited number
    /// of times. After the last attempt the submission is held instead. `None` if no step waits.
    #[must_use]
    pub fn begin(&self) -> Option<Self> {
        let SubmissionState::Waiting(step) = self.state else { return None };
        if self.attempts < MOST_ATTEMPTS {
            return Some(Self { state: SubmissionState::Running(step), attempts: self.attempts + 1, ..self.clone() });
        }
        let reason = if self.reason.is_empty() { "the server died each time".to_owned() } else { self.reason.clone() };
        Some(Self { state: SubmissionState::Held(step), reason, ..self.clone() })
    }

    /// Ends the step that runs, at this time. A state in which none runs stays.
    #[must_use]
    pub fn end(&self, end: StepEnd, now_ms: i64) -> Self {
        let SubmissionState::Running(step) = self.state else { return self.clone() };
        let over = |state, reason| Self { state, reason, ..self.clone() };
        match end {
            StepEnd::Passed => {
                let state = step.next().map_or(SubmissionState::Accepted, SubmissionState::Waiting);
                Self { state, attempts: 0, due_ms: now_ms, reason: String::new() }
            }
            StepEnd::Refused(why) => over(SubmissionState::Refused(step), why),
            StepEnd::HostTrouble(why) if self.attempts >= MOST_ATTEMPTS => over(SubmissionState::Held(step), why),
            StepEnd::HostTrouble(why) => {
                let due_ms = now_ms.saturating_add(PAUSE_MS * i64::from(self.attempts));
                Self { due_ms, ..over(SubmissionState::Waiting(step), why) }
            }
            StepEnd::BrokenOff => Self {
                state: SubmissionState::Waiting(step),
                attempts: self.attempts.saturating_sub(1),
                ..self.clone()
            },
        }
    }

    /// Returns the progress after a server that ran a step has died: the step waits again, and its attempt has counted.
    #[must_use]
    pub fn after_death(&self) -> Self {
        match self.state {
            SubmissionState::Running(step) => Self { state: SubmissionState::Waiting(step), ..self.clone() },
            _ => self.clone(),
        }
    }

    /// Lets a submission that is held or refused take its step again, as the organiser wants it. Others stay.
    #[must_use]
    pub fn again(&self, now_ms: i64) -> Self {
        match self.state {
            SubmissionState::Held(step) | SubmissionState::Refused(step) => {
                let state = SubmissionState::Waiting(step);
                Self { state, attempts: 0, due_ms: now_ms, reason: String::new() }
            }
            _ => self.clone(),
        }
    }
}

/// A submission that waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Waiting {
    /// Its number, which grows with the time of receipt.
    pub submission: i64,
    /// The number of its team.
    pub team: i64,
    /// A number that grows with each turn of any team: that of the last turn of this team, or 0 if it had none.
    pub last_turn: i64,
}

/// Returns the order in which submissions have their turn. The teams take turns: the second submission of a team comes after
/// the first ones of all teams, and whoever has waited longest for a turn is first.
#[must_use]
pub fn turns(waiting: &[Waiting]) -> Vec<i64> {
    let mut sorted = waiting.to_vec();
    sorted.sort_unstable();
    let mut of_team: BTreeMap<i64, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, i64, i64)> = sorted
        .into_iter()
        .map(|Waiting { submission, team, last_turn }| {
            let before = of_team.entry(team).or_default();
            *before += 1;
            (*before, last_turn, submission)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, submission)| submission).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_good_bot_passes_every_step_in_order() {
        let mut progress = Progress::received(7);
        for step in Step::ALL {
            assert_eq!(progress.state, SubmissionState::Waiting(step));
            progress = progress.begin().expect("it waits");
            assert_eq!((progress.state, progress.attempts), (SubmissionState::Running(step), 1));
            progress = progress.end(StepEnd::Passed, 9);
        }
        assert_eq!(progress.state, SubmissionState::Accepted);
        assert_eq!(progress.begin(), None);
    }

    #[test]
    fn a_refusal_is_final_until_the_organiser_says_otherwise() {
        let running = Progress::received(0).begin().expect("it waits");
        let refused = running.end(StepEnd::Refused("no files".to_owned()), 1);
        assert_eq!(refused.state, SubmissionState::Refused(Step::Intake));
        assert_eq!((refused.reason.as_str(), refused.begin()), ("no files", None));
        assert_eq!(refused.after_death(), refused);
        assert_eq!(refused.again(5), Progress::received(5));
    }

    #[test]
    fn trouble_of_the_machine_is_tried_three_times_and_then_told() {
        let mut progress = Progress::received(0);
        for attempt in 1..=MOST_ATTEMPTS {
            progress = progress.begin().expect("it waits");
            assert_eq!(progress.attempts, attempt);
            progress = progress.end(StepEnd::HostTrouble("no memory".to_owned()), 100);
            assert_eq!(progress.state.is_over(), attempt == MOST_ATTEMPTS);
            assert!(progress.state.is_over() || progress.due_ms > 100, "it is not tried at once");
        }
        assert_eq!((progress.state, progress.reason.as_str()), (SubmissionState::Held(Step::Intake), "no memory"));
        assert_eq!(progress.again(200), Progress::received(200));
    }

    #[test]
    fn a_bot_that_kills_the_server_does_so_three_times() {
        let mut progress = Progress::received(0);
        for _ in 0..MOST_ATTEMPTS {
            progress = progress.begin().expect("it waits").after_death();
            assert_eq!(progress.state, SubmissionState::Waiting(Step::Intake));
        }
        let held = progress.begin().expect("it waits");
        assert_eq!(held.state, SubmissionState::Held(Step::Intake));
        assert!(held.reason.contains("server"));
    }

    #[test]
    fn a_server_that_stops_uses_no_attempt() {
        let progress = Progress::received(0);
        for _ in 0..10 {
            assert_eq!(progress.begin().expect("it waits").end(StepEnd::BrokenOff, 3), progress);
        }
    }

    #[test]
    fn names_come_back() {
        for step in Step::ALL {
            assert_eq!(Step::named(step.name()), Some(step));
            for state in
                [SubmissionState::Waiting, SubmissionState::Running, SubmissionState::Refused, SubmissionState::Held]
            {
                let state = state(step);
                assert_eq!(SubmissionState::named(state.name(), state.step()), Some(state));
            }
        }
        assert_eq!(SubmissionState::named("accepted", None), Some(SubmissionState::Accepted));
        assert_eq!((SubmissionState::named("held", None), Step::named("Intake")), (None, None));
    }

    fn waiting(submission: i64, team: i64, last_turn: i64) -> Waiting {
        Waiting { submission, team, last_turn }
    }

    #[test]
    fn teams_take_turns() {
        let teams = [10, 10, 10, 20, 30, 20];
        let all = |turns: [i64; 3]| -> Vec<Waiting> {
            let last = |team: i64| turns[(team / 10 - 1) as usize];
            (1..).zip(teams).map(|(submission, team)| waiting(submission, team, last(team))).collect()
        };
        assert_eq!(turns(&all([0; 3])), [1, 4, 5, 2, 6, 3]);
        assert_eq!(turns(&all([7, 6, 0])), [5, 4, 1, 6, 2, 3], "whoever had its turn first comes first again");
    }

    proptest! {
        #[test]
        fn nobody_waits_behind_two_of_another_team(
            teams in prop::collection::vec(0i64..5, 0..40),
            last in prop::array::uniform5(0i64..100),
        ) {
            let team = |submission: i64| teams[submission as usize];
            let mut left: Vec<i64> = (0..teams.len() as i64).collect();
            let mut last = last;
            let mut order = Vec::new();
            // Each turn changes who is next.
            for turn in 100.. {
                let all: Vec<Waiting> =
                    left.iter().map(|id| waiting(*id, team(*id), last[team(*id) as usize])).collect();
                let Some(next) = turns(&all).first().copied() else { break };
                left.retain(|id| *id != next);
                last[team(next) as usize] = turn;
                order.push(next);
            }
            prop_assert_eq!(order.len(), teams.len());
            for (place, submission) in order.iter().enumerate() {
                let own = order[..place].iter().filter(|before| team(**before) == team(*submission)).count();
                for other in 0..5 {
                    let before = order[..place].iter().filter(|before| team(**before) == other).count();
                    prop_assert!(before <= own + 1, "{before} of team {other} before number {own} of its team");
                }
                prop_assert!(order[..place].iter().all(|id| team(*id) != team(*submission) || id < submission));
            }
        }
    }
}
