//! The answers to calls of the API: a call takes integers and returns integers, for the current turn.

use crate::api::FUNCTIONS;
use agon_core::geometry::{Point, pt};
use agon_portals::{
    Field, Link, Order, Turn, error_code,
    geometry::{distance, inside_triangle, segments_interfere, triangle_score},
};

/// Why a call has no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unanswered {
    /// `position_agent` or `score` of an unknown player. In the original engine the champion crashed.
    NoSuchPlayer(i32),
    /// More than 4096 actions in one turn. The champion counts as crashed.
    TooManyActions,
    /// There is no such function, or it takes a different number of integers.
    NoSuchCall,
}

/// Answers the call of the function with this number in [`FUNCTIONS`]. The answer replaces the content of `out`.
///
/// # Errors
/// If the call has no answer. `out` is then empty.
pub fn answer(turn: &mut Turn, function: usize, arguments: &[i32], out: &mut Vec<i32>) -> Result<(), Unanswered> {
    out.clear();
    let Some(function) = FUNCTIONS.get(function).filter(|f| f.width() == arguments.len()) else {
        return Err(Unanswered::NoSuchCall);
    };
    let p = |i: usize| pt(arguments[2 * i], arguments[2 * i + 1]);
    let mut act = |turn: &mut Turn, action| {
        let outcome = turn.act(action);
        if turn.overflowed() {
            return Err(Unanswered::TooManyActions);
        }
        out.push(i32::from(error_code(outcome)));
        Ok(())
    };
    match function.name {
        "deplacer" => return act(turn, Order::Move(p(0))),
        "utiliser_turbo" => return act(turn, Order::Turbo),
        "capturer" => return act(turn, Order::Capture),
        "lier" => return act(turn, Order::Link(p(0))),
        "neutraliser" => return act(turn, Order::Neutralise),
        "ajouter_bouclier" => return act(turn, Order::Shield),
        "annuler" => {
            out.push(i32::from(turn.undo()));
            return Ok(());
        }
        _ => {}
    }
    let view = turn.view();
    match function.name {
        "liste_liens" => links(out, &view.links()),
        "liste_champs" => fields(out, &view.fields()),
        "liste_portails" => points(out, view.portals()),
        "liens_bloquants" => links(out, &view.blocking_links(p(0), p(1))),
        "lien_existe" => out.push(i32::from(view.linked(p(0), p(1)))),
        "champ_existe" => out.push(i32::from(view.field_exists(p(0), p(1), p(2)))),
        "case_dans_champ" => out.push(i32::from(view.in_field(p(0)))),
        "case_champs" => fields(out, &view.fields_over(p(0))),
        "portail_joueur" => out.push(view.owner(p(0))),
        "portail_boucliers" => out.push(view.shields(p(0))),
        "liens_incidents_portail" => links(out, &view.links_of(p(0))),
        "champs_incidents_portail" => fields(out, &view.fields_of(p(0))),
        "champs_incidents_segment" => fields(out, &view.fields_on(p(0), p(1))),
        "hist_portails_captures" => points(out, &view.captured()),
        "hist_portails_neutralises" => points(out, &view.neutralised()),
        "hist_liens_crees" => links(out, &view.new_links()),
        "hist_champs_crees" => fields(out, &view.new_fields()),
        "hist_boucliers_ajoutes" => points(out, &view.new_shields()),
        "distance" => out.push(narrow(distance(p(0), p(1)))),
        "score_triangle" => out.push(narrow(triangle_score(p(0), p(1), p(2)))),
        "intersection_segments" => out.push(i32::from(segments_interfere(p(0), p(1), p(2), p(3)))),
        "point_dans_triangle" => out.push(i32::from(inside_triangle(p(0), p(1), p(2), p(3)))),
        "moi" => out.push(view.me()),
        "adversaire" => out.push(view.opponent()),
        "position_agent" => points(out, &[view.agent(arguments[0]).ok_or(Unanswered::NoSuchPlayer(arguments[0]))?]),
        "points_action" => out.push(view.action_points()),
        "points_deplacement" => out.push(view.move_points()),
        "score" => out.push(narrow(view.score(arguments[0]).ok_or(Unanswered::NoSuchPlayer(arguments[0]))?)),
        "tour_actuel" => out.push(narrow(view.round())),
        _ => return Err(Unanswered::NoSuchCall),
    }
    Ok(())
}

/// Converts a number to the 32 bits of the API. A number that does not fit becomes the maximum. Only positions far
/// outside any map give such numbers.
fn narrow<T: TryInto<i32>>(number: T) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

fn points(out: &mut Vec<i32>, points: &[Point]) {
    out.extend(points.iter().flat_map(|p| [p.x, p.y]));
}

fn links(out: &mut Vec<i32>, links: &[Link]) {
    for link in links {
        points(out, &link.ends);
        out.push(link.owner);
    }
}

fn fields(out: &mut Vec<i32>, fields: &[Field]) {
    for field in fields {
        points(out, &field.corners);
        out.push(field.owner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Returns;
    use agon_core::{Contest, Entry, Game, Joint, Seat, Setup, Terms};
    use agon_portals::{Position, Rules};

    /// Portals at (0,0), (4,0), (0,4), (4,4) and (1,1); both agents stand on the first.
    fn start() -> Position {
        let map = Position::parse_map(b"0 0 0 0\nX...X\n.X...\n.....\n.....\nX...X\n").expect("it is a map");
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
        Position::from_map(map, &terms).unwrap_or_else(|f| panic!("{}", f.flaw))
    }

    fn number(name: &str) -> usize {
        FUNCTIONS.iter().position(|f| f.name == name).expect("there is such a function")
    }

    fn call(turn: &mut Turn, name: &str, arguments: &[i32]) -> Vec<i32> {
        let mut out = vec![99; 3];
        answer(turn, number(name), arguments, &mut out).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        out
    }

    #[test]
    fn every_function_answers_as_wide_as_its_type() {
        let position = start();
        let mut turn = Turn::open(&position, Seat::new(0));
        for (i, function) in FUNCTIONS.iter().enumerate() {
            let arguments = vec![0; function.width()];
            let mut out = Vec::new();
            answer(&mut turn, i, &arguments, &mut out).unwrap_or_else(|why| panic!("{}: {why:?}", function.name));
            match function.returns {
                Returns::One(kind) => assert_eq!(out.len(), kind.width(), "{}", function.name),
                Returns::Many(kind) => assert_eq!(out.len() % kind.width(), 0, "{}", function.name),
            }
            let wrong = vec![0; function.width() + 1];
            assert_eq!(answer(&mut turn, i, &wrong, &mut out), Err(Unanswered::NoSuchCall));
        }
        assert_eq!(answer(&mut turn, 36, &[], &mut Vec::new()), Err(Unanswered::NoSuchCall));
    }

    #[test]
    fn calls_are_those_of_the_turn() {
        let position = start();
        let mut turn = Turn::open(&position, Seat::new(0));
        assert_eq!(call(&mut turn, "capturer", &[]), [0]);
        assert_eq!(call(&mut turn, "capturer", &[]), [5]);
        assert_eq!(call(&mut turn, "points_action", &[]), [39]);
        assert_eq!(call(&mut turn, "portail_joueur", &[0, 0]), [0]);
        assert_eq!(call(&mut turn, "portail_joueur", &[4, 0]), [-1]);
        assert_eq!(call(&mut turn, "portail_joueur", &[3, 3]), [-2]);
        assert_eq!(call(&mut turn, "score", &[0]), [10]);
        assert_eq!(call(&mut turn, "deplacer", &[4, 0]), [0]);
        assert_eq!(call(&mut turn, "position_agent", &[0]), [4, 0]);
        assert_eq!(call(&mut turn, "capturer", &[]), [0]);
        assert_eq!(call(&mut turn, "lier", &[0, 0]), [0]);
        assert_eq!(call(&mut turn, "liste_liens", &[]), [0, 0, 4, 0, 0]);
        assert_eq!(call(&mut turn, "liens_incidents_portail", &[0, 0]), [0, 0, 4, 0, 0]);
        assert_eq!(call(&mut turn, "liens_bloquants", &[2, -1, 2, 1]), [0, 0, 4, 0, 0]);
        assert_eq!(call(&mut turn, "lien_existe", &[4, 0, 0, 0]), [1]);
        assert_eq!(call(&mut turn, "annuler", &[]), [1]);
        assert_eq!(call(&mut turn, "lien_existe", &[4, 0, 0, 0]), [0]);
        assert_eq!(turn.actions(), [Order::Capture, Order::Move(pt(4, 0)), Order::Capture]);
        assert_eq!(call(&mut turn, "liste_portails", &[]), [0, 0, 0, 4, 1, 1, 4, 0, 4, 4]);
    }

    #[test]
    fn fields_and_the_history_are_listed_in_integers() {
        let mut position = start();
        let wishes = [
            Order::Capture,
            Order::Move(pt(4, 0)),
            Order::Capture,
            Order::Link(pt(0, 0)),
            Order::Turbo,
            Order::Turbo,
            Order::Turbo,
            Order::Move(pt(1, 1)),
        ];
        let entry = Entry { seat: Seat::new(0), orders: &wishes, failure: None };
        position.resolve(Joint::new(&[entry]), &mut Default::default(), &mut ());
        let mut other = Turn::open(&position, Seat::new(1));
        assert_eq!(call(&mut other, "hist_portails_captures", &[]), [0, 0, 4, 0]);
        assert_eq!(call(&mut other, "hist_liens_crees", &[]), [0, 0, 4, 0, 0]);
        assert_eq!(call(&mut other, "moi", &[]), [1]);
        assert_eq!(call(&mut other, "adversaire", &[]), [0]);
        position.resolve(Joint::new(&[]), &mut Default::default(), &mut ());
        let mut turn = Turn::open(&position, Seat::new(0));
        assert_eq!(call(&mut turn, "tour_actuel", &[]), [2]);
        assert_eq!(call(&mut turn, "capturer", &[]), [0]);
        assert_eq!(call(&mut turn, "lier", &[0, 0]), [0]);
        assert_eq!(call(&mut turn, "lier", &[4, 0]), [0]);
        assert_eq!(call(&mut turn, "liste_champs", &[]), [0, 0, 1, 1, 4, 0, 0]);
        assert_eq!(call(&mut turn, "score_triangle", &[0, 0, 1, 1, 4, 0]), [4]);
        assert_eq!(call(&mut turn, "champ_existe", &[4, 0, 0, 0, 1, 1]), [1]);
    }

    #[test]
    fn nothing_can_be_done_outside_of_the_turn() {
        let position = start();
        let mut turn = Turn::closed(&position, Seat::new(0));
        for name in ["utiliser_turbo", "capturer", "neutraliser", "ajouter_bouclier"] {
            assert_eq!(call(&mut turn, name, &[]), [1], "{name}");
        }
        assert_eq!(call(&mut turn, "lier", &[4, 4]), [1]);
        assert_eq!(call(&mut turn, "deplacer", &[1, 1]), [4]);
        assert_eq!(call(&mut turn, "annuler", &[]), [0]);
        assert_eq!(call(&mut turn, "tour_actuel", &[]), [1]);
        assert_eq!(call(&mut turn, "points_action", &[]), [42]);
    }

    #[test]
    fn a_bot_that_does_not_play_has_neither_place_nor_score() {
        let position = start();
        let mut turn = Turn::open(&position, Seat::new(0));
        for player in [-1, 2, i32::MAX] {
            for name in ["position_agent", "score"] {
                let unanswered = answer(&mut turn, number(name), &[player], &mut Vec::new());
                assert_eq!(unanswered, Err(Unanswered::NoSuchPlayer(player)));
            }
        }
    }

    #[test]
    fn the_4097th_action_is_one_too_many() {
        let position = start();
        let mut turn = Turn::open(&position, Seat::new(0));
        for _ in 0..4096 {
            assert_eq!(call(&mut turn, "deplacer", &[0, 0]), [0]);
        }
        let outcome = answer(&mut turn, number("deplacer"), &[0, 0], &mut Vec::new());
        assert_eq!(outcome, Err(Unanswered::TooManyActions));
    }

    #[test]
    fn no_position_is_too_far_away() {
        let position = start();
        let mut turn = Turn::open(&position, Seat::new(0));
        let extreme = [i32::MIN, i32::MAX];
        for function in FUNCTIONS {
            for (first, second) in [(0, 1), (1, 0), (0, 0), (1, 1)] {
                let arguments: Vec<i32> =
                    (0..function.width()).map(|i| extreme[if i % 2 == 0 { first } else { second }]).collect();
                let _ = answer(&mut turn, number(function.name), &arguments, &mut Vec::new());
            }
        }
        assert_eq!(call(&mut turn, "distance", &[i32::MIN, 0, i32::MAX, 0]), [i32::MAX]);
    }
}
