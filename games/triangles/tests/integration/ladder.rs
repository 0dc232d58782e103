//! Each built-in bot beats the one below it, on fixed boards played from both sides.

use agon_core::{Bot, Contest, Entry, Game, Joint, Seed, Setup, Terms};
use agon_triangles::{Position, Rules};

/// The points that `strong` won more than `weak` on one board, in both games together.
fn margin(strong: &str, weak: &str, kind: &str, board: u64) -> i64 {
    let bot = |name: &str, side: u64| Position::bot(name, Seed(board).derive(name, side)).unwrap();
    let mut margin = 0;
    for side in 0..2 {
        let mut bots: [Box<dyn Bot<Position>>; 2] = [bot(weak, side), bot(weak, side)];
        bots[side as usize] = bot(strong, side);
        let terms = Terms { rules: Rules::default(), seats: 2, limit: None };
        let mut game = Position::from_map(Position::generate(kind, Seed(board), 2).unwrap(), &terms).unwrap();
        while !game.over() {
            let (seat, mut orders) = (game.to_move(), Vec::new());
            bots[seat.index()].decide(game.view(seat), &mut orders);
            let entry = [Entry { seat, orders: &orders, failure: None }];
            game.resolve(Joint::new(&entry), &mut (), &mut ());
        }
        let scores = game.scores().map(i64::from);
        margin += scores[side as usize] - scores[1 - side as usize];
    }
    margin
}

#[track_caller]
fn climbs(strong: &str, weak: &str, kind: &str, boards: u64, least_boards_won: usize) {
    let margins: Vec<i64> = (0..boards).map(|board| margin(strong, weak, kind, board)).collect();
    let won = margins.iter().filter(|m| **m > 0).count();
    assert!(won >= least_boards_won, "{strong} won {won} boards of {boards} against {weak}: {margins:?}");
}

#[test]
fn greedy_beats_random() {
    climbs("greedy", "random", "uniform-20", 12, 12);
}

#[test]
fn careful_beats_greedy() {
    climbs("careful", "greedy", "uniform-20", 12, 9);
}

#[test]
fn solver_beats_careful() {
    climbs("solver", "careful", "uniform-14", 8, 5);
}
