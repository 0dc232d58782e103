//! A server of submissions without people, for tests that kill it: `STORE FOLDER [STEP]`.
//!
//! It takes its intakes in for real. The other steps pass at once, but STEP, which tells that it runs and never ends.

use agon_contest::submission::{Step, StepEnd};
use agon_play::IsolationChoice;
use agon_server::{
    SystemClock,
    database::Database,
    submissions::{AgonSteps, Pipeline, PipelineOptions, RunSteps, StepReport, StepRun, intake_helper},
};
use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, thread};

struct Steps {
    intake: AgonSteps,
    hangs: Option<Step>,
}

impl RunSteps for Steps {
    fn run(&self, run: &StepRun<'_>) -> StepReport {
        println!("{}", run.step.name());
        if self.hangs == Some(run.step) {
            loop {
                thread::park();
            }
        }
        match run.step {
            Step::Intake => self.intake.run(run),
            _ => {
                let bot = run.taken.map(|taken| run.folder.join("files").join(&taken.bot));
                let is_there = bot.is_some_and(|bot| bot.join("bot.py").is_file());
                let end = if is_there { StepEnd::Passed } else { StepEnd::Refused("no bot".to_owned()) };
                StepReport::new(end, "fine\n")
            }
        }
    }
}

fn main() {
    agon_play::helper();
    intake_helper();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [store, folder, hangs @ ..] = &arguments[..] else { panic!("STORE FOLDER [STEP]") };
    let store = PathBuf::from(store);
    let _store = agon_store::Sqlite::open(&store).expect("nobody else uses it");
    let program = std::env::current_exe().expect("the system says it");
    let steps = Steps {
        intake: AgonSteps { program, isolation: IsolationChoice::Auto },
        hangs: hangs.first().and_then(|step| Step::named(step)),
    };
    let pipeline = Pipeline::new(PipelineOptions {
        database: Database::sqlite(&store).expect("a store"),
        clock: Arc::new(SystemClock),
        steps: Arc::new(steps),
        game: Arc::new(|_| Ok(Some("planet-wars".to_owned()))),
        folder: folder.into(),
        kits: Default::default(),
    });
    let lanes = pipeline.expect("a folder").start(NonZeroUsize::MIN, |why| println!("trouble: {why}"));
    let _lanes = lanes.expect("a thread");
    // Until the test closes our stdin, or kills us.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
