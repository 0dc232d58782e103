//! The protocol in the words of the specification ("Protokół"), and bots that write anything.

use agon_core::{
    Asked, Client, Contest, Dialogue, Entry, Failure, Game, Joint, Remaining, Said, Seat, Setup, Terms, rules,
};
use agon_triangles::{Order, Position};
use proptest::prelude::*;
use std::time::Duration;

const BOARD: &str = "set_points 4 1 1 9 1 9 9 1 9\n";

fn begin(map: &str, rules: &str) -> Position {
    let map = Position::parse_map(map.as_bytes()).unwrap();
    let terms = Terms { rules: rules::parse(rules).unwrap(), seats: 2, limit: None };
    Position::from_map(map, &terms).unwrap()
}

fn play(game: &mut Position, orders: &[Order], failure: Option<Failure>) {
    let entry = Entry { seat: game.to_move(), orders, failure };
    game.resolve(Joint::new(&[entry]), &mut (), &mut ());
}

fn seconds(bank: u64) -> Remaining {
    Remaining { turn: None, bank: Some(Duration::from_secs(bank)) }
}

/// The referee's end of one pipe.
struct Pipe {
    seat: Seat,
    dialogue: Box<dyn Dialogue<Position>>,
    inbox: Vec<u8>,
    orders: Vec<Order>,
}

impl Pipe {
    fn open(game: &Position, seat: usize, dialect: &[(&str, &str)]) -> Self {
        let dialect: Vec<_> = dialect.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let seat = Seat::new(seat);
        Self { seat, dialogue: game.dialogue(seat, &dialect), inbox: Vec::new(), orders: Vec::new() }
    }

    /// Opens a pipe to a bot that has answered the greeting.
    fn greeted(game: &Position, seat: usize) -> Self {
        let mut pipe = Self::open(game, seat, &[]);
        assert_eq!(pipe.greet(game), BOARD);
        assert_eq!(pipe.hear(game, seconds(9), "=\n\n"), (String::new(), Said::Ready));
        pipe
    }

    fn greet(&mut self, game: &Position) -> String {
        let mut out = Vec::new();
        assert_eq!(self.dialogue.greet(game.view(self.seat), seconds(180), &mut out), Said::More);
        String::from_utf8(out).unwrap()
    }

    fn prompt(&mut self, game: &Position, clock: Remaining) -> String {
        let mut out = Vec::new();
        self.orders.clear();
        self.dialogue.prompt(game.view(self.seat), clock, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Feeds `text` to the dialogue. Returns the outcome and the orders.
    fn hear(&mut self, game: &Position, clock: Remaining, text: &str) -> (String, Said) {
        self.hear_bytes(game, clock, text.as_bytes(), false)
    }

    fn hear_bytes(&mut self, game: &Position, clock: Remaining, bytes: &[u8], end: bool) -> (String, Said) {
        let mut out = Vec::new();
        self.inbox.extend_from_slice(bytes);
        let view = game.view(self.seat);
        let (used, said) = self.dialogue.hear(view, clock, &self.inbox, end, &mut self.orders, &mut out);
        self.inbox.drain(..used);
        (String::from_utf8(out).unwrap(), said)
    }
}

fn more(command: &str) -> (String, Said) {
    (command.into(), Said::More)
}

fn is_nonsense(said: &Said, part: &str) -> bool {
    matches!(said, Said::Nonsense(n) if n.why.contains(part))
}

#[test]
fn a_game_is_talked_as_in_the_specification() {
    let mut game = begin(BOARD, "spec");
    let (mut one, mut two) = (Pipe::greeted(&game, 0), Pipe::greeted(&game, 1));
    // The first turn of the first player: the opponent has not moved yet.
    assert_eq!(one.prompt(&game, seconds(180)), "time_left 180000\n");
    assert_eq!(one.hear(&game, seconds(179), "=\n\n"), more("gen_move\n"));
    assert_eq!(one.hear(&game, seconds(179), "= 3 1\n\n"), (String::new(), Said::Decision));
    assert_eq!(one.orders, [Order(3, 1)]);
    play(&mut game, &one.orders, None);
    // The second player gets the move as it was written.
    assert_eq!(two.prompt(&game, seconds(180)), "play 3 1\n");
    assert_eq!(two.hear(&game, seconds(170), "=\n\n"), more("time_left 170000\n"));
    // A program that ignores the time may answer `?`.
    assert_eq!(two.hear(&game, seconds(170), "? unknown command\n\n"), more("gen_move\n"));
    assert_eq!(two.hear(&game, seconds(170), "=1 2\n\n"), (String::new(), Said::Decision));
    play(&mut game, &two.orders, None);
    // The first player does not get its own move.
    assert_eq!(one.prompt(&game, seconds(150)), "play 1 2\n");
}

#[test]
fn time_is_told_in_whole_milliseconds_at_that_moment() {
    let game = begin(BOARD, "spec");
    let mut pipe = Pipe::greeted(&game, 0);
    let bank = |micros| Remaining { turn: Some(Duration::from_secs(1)), bank: Some(Duration::from_micros(micros)) };
    assert_eq!(pipe.prompt(&game, bank(1_999)), "time_left 1\n");
    assert_eq!(pipe.prompt(&game, bank(0)), "time_left 0\n");
    let turn = Remaining { turn: Some(Duration::from_millis(250)), bank: None };
    assert_eq!(pipe.prompt(&game, turn), "time_left 250\n", "no bank: what is left of the turn");
    assert_eq!(pipe.prompt(&game, Remaining::default()), "time_left 86400000\n", "no clock: a day");
}

#[test]
fn a_program_that_is_left_alone_is_told_of_no_move() {
    let mut game = begin(BOARD, "spec");
    let (mut one, mut two) = (Pipe::greeted(&game, 0), Pipe::greeted(&game, 1));
    one.prompt(&game, seconds(9));
    one.hear(&game, seconds(9), "=\n\n=1 2\n\n");
    play(&mut game, &one.orders, None);
    two.prompt(&game, seconds(9));
    play(&mut game, &[], Some(Failure::Gone));
    for answer in ["= 2 3\n\n", "= 3 4\n\n", "= 4 1\n\n"] {
        assert_eq!(one.prompt(&game, seconds(9)), "time_left 9000\n");
        assert_eq!(one.hear(&game, seconds(8), "=\n\n"), more("gen_move\n"));
        assert_eq!(one.hear(&game, seconds(8), answer).1, Said::Decision);
        play(&mut game, &one.orders, None);
    }
    // The referee announces a move that the other player still made (point T13).
    let mut game = begin(BOARD, "spec");
    play(&mut game, &[Order(1, 2)], None);
    let mut two = Pipe::greeted(&begin(BOARD, "spec"), 1);
    assert_eq!(two.prompt(&game, seconds(9)), "play 1 2\n");
}

#[test]
fn bad_answers_to_gen_move_are_nonsense() {
    let game = begin(BOARD, "spec");
    for (answer, why) in [
        ("?\n\n", "`?` in answer to `gen_move`"),
        ("? illegal\n\n", "`?` in answer to `gen_move`"),
        ("=\n\n", "not two point numbers"),
        ("= 1\n\n", "not two point numbers"),
        ("= 1 2 3\n\n", "not two point numbers"),
        ("= 1 two\n\n", "not two point numbers"),
        ("= 1 99999999999\n\n", "not two point numbers"),
        ("= 1 2\nbest so far\n\n", "not two point numbers"),
        ("1 2\n", "starts with"),
        ("move = 1 2\n\n", "starts with"),
    ] {
        let mut pipe = Pipe::greeted(&game, 0);
        pipe.prompt(&game, seconds(9));
        assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("gen_move\n"));
        let (out, said) = pipe.hear(&game, seconds(9), answer);
        assert!(out.is_empty() && is_nonsense(&said, why), "{answer:?} gives {said:?}");
        assert!(pipe.orders.is_empty());
    }
}

#[test]
fn a_bad_answer_is_shown_as_it_was_written() {
    let game = begin(BOARD, "spec");
    for (answer, line) in
        [("= 1 two\n\n", "= 1 two"), ("=1\n\n", "=1"), ("? no idea # yet\n\n", "? no idea"), ("=\n1\nx\n\n", "= 1 x")]
    {
        let mut pipe = Pipe::greeted(&game, 0);
        pipe.prompt(&game, seconds(9));
        pipe.hear(&game, seconds(9), "=\n\n");
        let said = pipe.hear(&game, seconds(9), answer).1;
        assert!(matches!(&said, Said::Nonsense(n) if n.line == line), "{answer:?} gives {said:?}");
    }
}

#[test]
fn answers_may_be_written_freely() {
    let game = begin(BOARD, "spec");
    for answer in [
        "= 1 2\n\n",
        "=1 2\n\n",
        "=\t1\t\t2  \r\n\r\n",
        "\n\n \n= 1 2\n \n",
        "# thinking\n= 1 2 # good\n\n",
        "=\n1\n2\n\n",
    ] {
        let mut pipe = Pipe::greeted(&game, 0);
        pipe.prompt(&game, seconds(9));
        pipe.hear(&game, seconds(9), "= I do not care\nat all\n\n");
        assert_eq!(pipe.hear(&game, seconds(9), answer).1, Said::Decision, "{answer:?}");
        assert_eq!(pipe.orders, [Order(1, 2)]);
    }
    // A number out of range is still an order: the rules refuse it.
    let mut pipe = Pipe::greeted(&game, 0);
    pipe.prompt(&game, seconds(9));
    pipe.hear(&game, seconds(9), "=\n\n=-1 900\n\n");
    assert_eq!(pipe.orders, [Order(-1, 900)]);
}

#[test]
fn an_answer_without_its_empty_line_is_waited_for() {
    // Rules T21: only the end of the output closes it.
    let game = begin(BOARD, "spec");
    let mut pipe = Pipe::greeted(&game, 0);
    pipe.prompt(&game, seconds(9));
    pipe.hear(&game, seconds(9), "=\n\n");
    assert_eq!(pipe.hear(&game, seconds(9), "= 1 2\n"), more(""));
    assert_eq!(pipe.hear_bytes(&game, seconds(9), b"", true), (String::new(), Said::Decision));
    assert_eq!(pipe.orders, [Order(1, 2)]);
}

#[test]
fn bytes_after_a_decision_stay_for_the_next_turn() {
    let game = begin(BOARD, "spec");
    let mut pipe = Pipe::greeted(&game, 0);
    pipe.prompt(&game, seconds(9));
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n=1 2\n\n=\n\n").1, Said::Decision);
    assert_eq!(pipe.inbox, b"=\n\n");
    assert_eq!(pipe.hear(&game, seconds(9), ""), more(""), "nothing is heard out of turn");
    assert_eq!(pipe.inbox, b"=\n\n");
}

#[test]
fn a_refused_board_is_passed_over_or_a_fault() {
    let mut game = begin(BOARD, "spec");
    let mut pipe = Pipe::open(&game, 1, &[]);
    pipe.greet(&game);
    assert_eq!(pipe.hear(&game, seconds(9), "? what\n\n").1, Said::Ready);
    play(&mut game, &[Order(1, 2)], None);
    pipe.prompt(&game, seconds(9));
    assert_eq!(pipe.hear(&game, seconds(9), "? illegal move\n\n"), more("time_left 9000\n"));

    let mut game = begin(BOARD, "spec,refused-play=fault");
    let mut pipe = Pipe::open(&game, 1, &[]);
    pipe.greet(&game);
    assert!(is_nonsense(&pipe.hear(&game, seconds(9), "? what\n\n").1, "`set_points`"));
    let mut pipe = Pipe::greeted(&game, 1);
    play(&mut game, &[Order(1, 2)], None);
    pipe.prompt(&game, seconds(9));
    assert!(is_nonsense(&pipe.hear(&game, seconds(9), "? illegal move\n\n").1, "`play`"));
}

#[test]
fn only_who_wants_it_is_told_to_quit() {
    let game = begin(BOARD, "spec");
    for (dialect, words) in [(&[][..], ""), (&[("quit", "no")], ""), (&[("quit", "yes")], "quit\n")] {
        let mut out = Vec::new();
        Pipe::open(&game, 0, dialect).dialogue.farewell(game.view(Seat::new(0)), &mut out);
        assert_eq!(out, words.as_bytes());
    }
}

#[test]
fn after_an_undo_the_board_is_set_up_anew() {
    let mut game = begin(BOARD, "spec");
    let mut pipe = Pipe::greeted(&game, 0);
    pipe.prompt(&game, seconds(9));
    pipe.hear(&game, seconds(9), "=\n\n=1 2\n\n");
    play(&mut game, &pipe.orders, None);
    play(&mut game, &[Order(2, 3)], None);
    pipe.dialogue.reposition();
    assert_eq!(pipe.prompt(&game, seconds(9)), BOARD);
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("play 1 2\n"), "whoever drew it");
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("play 2 3\n"));
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("time_left 9000\n"));
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("gen_move\n"));
    // After an undo while the bot thinks, its answer to the old question is ignored.
    pipe.dialogue.reposition();
    assert_eq!(pipe.prompt(&begin(BOARD, "spec"), seconds(9)), BOARD);
    assert_eq!(pipe.hear(&game, seconds(9), "= 3 4\n\n"), more(""));
    assert_eq!(pipe.hear(&begin(BOARD, "spec"), seconds(9), "=\n\n"), more("time_left 9000\n"));
    // The dialogue notices that the board has lost segments, without a call of `reposition`.
    let mut pipe = Pipe::greeted(&game, 0);
    pipe.prompt(&game, seconds(9));
    assert_eq!(pipe.prompt(&begin(BOARD, "spec"), seconds(9)), BOARD);
}

#[test]
fn a_game_in_progress_is_told_segment_by_segment() {
    let game = begin(&format!("{BOARD}play 1 2\nplay 3 2\n"), "spec");
    let mut pipe = Pipe::greeted(&game, 0);
    assert_eq!(pipe.prompt(&game, seconds(9)), "play 1 2\n");
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("play 3 2\n"));
    assert_eq!(pipe.hear(&game, seconds(9), "=\n\n"), more("time_left 9000\n"));
}

/// All answers of a built-in bot to `commands`, none of which asks for a move.
fn answers(client: &mut dyn Client<Position>, commands: &str) -> String {
    let (mut out, mut used) = (Vec::new(), 0);
    loop {
        let (bytes, asked) = client.read(&commands.as_bytes()[used..], &mut out);
        used += bytes;
        if asked != Asked::Noted {
            return String::from_utf8(out).unwrap();
        }
    }
}

#[test]
fn our_bots_speak_the_text_protocol() {
    let mut client = Position::client("tri");
    let mut said = |commands: &str| answers(client.as_mut(), commands);
    assert_eq!(said("protocol_version\n\n \n# nothing\nname # mine\r\n"), "= 2\n\n= tri\n\n");
    assert_eq!(said("7 known_command play\nknown_command boardsize\n"), "=7 true\n\n= false\n\n");
    assert_eq!(said("list_commands\n").lines().count(), 11);
    assert_eq!(
        said("komi 7\n3 play 1\nset_points 2 1 1\nset_points 2 1 1 1 1\n"),
        "? unknown command\n\n?3 syntax error\n\n".to_owned() + &"? syntax error\n\n".repeat(2)
    );
    assert_eq!(
        said("set_points 4 1 1 9 1 9 9 1 9\n5 play 1 3\nplay 2 4\nplay 3 1\n"),
        "=\n\n=5\n\n? illegal move\n\n? illegal move\n\n"
    );
    assert_eq!(client.view().drawn.len(), 1);
    let mut out = Vec::new();
    assert_eq!(client.read(b"12\tgen_move\nquit\n", &mut out), (12, Asked::Decide));
    client.write(&[Order(1, 2)], &mut out);
    assert_eq!(out, b"=12 1 2\n\n");
    assert_eq!(client.view().drawn.len(), 2, "it knows its own segment");
    assert_eq!(client.read(b"quit\n", &mut out), (5, Asked::Quit));
}

/// Feeds `bytes` in pieces of the sizes in `cuts`, then the end of the output. Returns the outcome, the text and the
/// orders.
fn outcome(bytes: &[u8], cuts: &[usize]) -> (Vec<u8>, Said, Vec<Order>, usize) {
    let mut game = begin(BOARD, "spec");
    play(&mut game, &[Order(1, 2)], None);
    let mut dialogue = game.dialogue(Seat::new(1), &[]);
    let (mut out, mut orders, mut held, mut used) = (Vec::new(), Vec::new(), Vec::new(), 0);
    dialogue.prompt(game.view(Seat::new(1)), seconds(9), &mut out);
    let (mut from, mut cuts) = (0, cuts.iter().cycle());
    let mut said = Said::More;
    while said == Said::More && from <= bytes.len() {
        let to = (from + cuts.next().unwrap_or(&1)).min(bytes.len());
        held.extend_from_slice(&bytes[from..to]);
        let end = to == bytes.len();
        let (n, s) = dialogue.hear(game.view(Seat::new(1)), seconds(9), &held, end, &mut orders, &mut out);
        held.drain(..n);
        (said, used) = (s, used + n);
        from = if end { bytes.len() + 1 } else { to };
    }
    (out, said, orders, used)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn splitting_the_bytes_changes_nothing(
        lines in proptest::collection::vec("(=|\\?|#|x)?(\t| |[0-9]{1,2}){0,4}\r?", 0..14),
        cuts in proptest::collection::vec(1..9usize, 1..6),
    ) {
        let bytes = lines.join("\n").into_bytes();
        let whole = outcome(&bytes, &[usize::MAX]);
        prop_assert_eq!(&outcome(&bytes, &[1]), &whole);
        prop_assert_eq!(&outcome(&bytes, &cuts), &whole);
    }

    #[test]
    fn any_bytes_are_survived(bytes: Vec<u8>, cuts in proptest::collection::vec(1..9usize, 1..6)) {
        prop_assert_eq!(outcome(&bytes, &cuts), outcome(&bytes, &[usize::MAX]));
        let (mut client, mut out, mut used) = (Position::client("any"), Vec::new(), 0);
        loop {
            let (n, asked) = client.read(&bytes[used..], &mut out);
            used += n;
            match asked {
                Asked::Decide => client.write(&[], &mut out),
                Asked::Noted => {}
                Asked::More | Asked::Quit | Asked::Confused(_) => break,
            }
        }
    }

    #[test]
    fn a_bot_survives_any_commands(
        lines in proptest::collection::vec("(1 )?(set_points|play|gen_move|time_left|name)( -?[0-9]{1,3}){0,5}", 0..12),
    ) {
        let text = format!("set_points 5 1 1 9 1 9 9 1 9 5 5\n{}\n", lines.join("\n"));
        let (mut client, mut out, mut used) = (Position::client("any"), Vec::new(), 0);
        let mut bot = Position::bot("careful", agon_core::Seed(1)).unwrap();
        while used < text.len() {
            let (n, asked) = client.read(&text.as_bytes()[used..], &mut out);
            used += n;
            if asked == Asked::Decide {
                let mut orders = Vec::new();
                bot.decide(client.view(), &mut orders);
                client.write(&orders, &mut out);
            }
        }
        let words = String::from_utf8(out).unwrap();
        prop_assert_eq!(words.matches("\n\n").count(), lines.len() + 1, "one answer a command");
    }
}

#[test]
fn floods_are_cut_off() {
    for flood in [vec![b'='; 100_000], b"= 1\n".repeat(50_000), vec![b' '; 100_000]] {
        let (_, said, orders, _) = outcome(&flood, &[4096]);
        assert!(matches!(said, Said::Nonsense(_)), "{said:?}");
        assert!(orders.is_empty());
    }
    let mut client = Position::client("any");
    let asked = client.read(&vec![b'x'; 100_000], &mut Vec::new()).1;
    assert!(matches!(asked, Asked::Confused(_)));
}
