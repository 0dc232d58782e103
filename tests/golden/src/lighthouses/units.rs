//! Checks single vectors: triangles, crossings, lighthouses between two others, maps, the view of a player, growth.

use super::super::Tally;
use agon_core::{
    Entry, Game, Joint, Seat, Setup, Terms,
    geometry::{Point, pt},
};
use agon_lighthouses::{Board, MAX_SIDE, Map, Order, Position, Rules, SIGHT, Tile, WINDOW};
use serde_json::{Value, json};
use std::{fs, path::Path};

pub fn check(lines: &[Value], path: &Path, tally: &mut Tally) -> Result<(), String> {
    let mut unseen = 0;
    for (i, line) in lines.iter().enumerate() {
        let same = match line["t"].as_str().unwrap_or_default() {
            "tri" => triangle(line),
            "cross" => crossing(line),
            "through" => through(line),
            "map" => map(line, path),
            "view_mask" => view_mask(line),
            "delta" => delta(line),
            other => return Err(format!("line {}: unknown kind of vector `{other}`", i + 1)),
        };
        match same.map_err(|e| format!("line {}: {e}", i + 1))? {
            Outcome::Unseen => {
                unseen += 1;
                continue;
            }
            Outcome::Same => {}
            Outcome::Different(why) => {
                tally.mismatch(|| format!("{}, line {}: {why}", path.display(), i + 1));
            }
        }
        tally.steps += 1;
    }
    if unseen > 0 {
        println!("{}: {unseen} vectors left out, because their map files are not available", path.display());
    }
    Ok(())
}

enum Outcome {
    Same,
    Different(String),
    /// The subject of the vector is not available.
    Unseen,
}

impl Outcome {
    fn of(same: bool, why: impl FnOnce() -> String) -> Self {
        if same { Self::Same } else { Self::Different(why()) }
    }
}

pub fn point(value: &Value) -> Result<Point, String> {
    let number = |i: usize| value[i].as_i64().and_then(|n| i32::try_from(n).ok());
    match (number(0), number(1)) {
        (Some(x), Some(y)) => Ok(pt(x, y)),
        _ => Err(format!("`{value}` is not a point")),
    }
}

pub fn points(value: &Value) -> Result<Vec<Point>, String> {
    value.as_array().ok_or("a list of points was expected")?.iter().map(point).collect()
}

/// Returns a board with these lighthouses, shifted so that all of them are on it, and the shift.
fn board(lights: &[Point], land: impl Fn(Point) -> bool) -> Result<Board, String> {
    let low = pt(lights.iter().map(|p| p.x).min().unwrap_or(0), lights.iter().map(|p| p.y).min().unwrap_or(0));
    let shifted: Vec<Point> = lights.iter().map(|p| pt(p.x - low.x, p.y - low.y)).collect();
    let width = shifted.iter().map(|p| p.x).max().unwrap_or(0) as usize + 1;
    let height = shifted.iter().map(|p| p.y).max().unwrap_or(0) as usize + 1;
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err("the points lie too far apart".into());
    }
    Ok(Board::new(width, height, shifted, |x, y| land(pt(x as i32 + low.x, y as i32 + low.y))))
}

/// Compares the cells of a triangle: an island of exactly these cells must have all of them, and an island of all other
/// cells must have none.
fn triangle(line: &Value) -> Result<Outcome, String> {
    let corners = points(&line["v"])?;
    let cells = points(&line["cells"])?;
    let area = |land: &dyn Fn(Point) -> bool| Ok::<u64, String>(board(&corners, land)?.area(0, 1, 2).into());
    let found = [area(&|_| true)?, area(&|p| cells.contains(&p))?, area(&|p| !cells.contains(&p))?];
    let n = line["n"].as_u64().unwrap_or(u64::MAX);
    Ok(Outcome::of(found == [n, n, 0], || format!("{corners:?} lights {found:?} of {n} cells")))
}

fn crossing(line: &Value) -> Result<Outcome, String> {
    let ends = [points(&line["a"])?, points(&line["b"])?].concat();
    let found = board(&ends, |_| true)?.cross(0, 1, 2, 3);
    Ok(Outcome::of(json!(found) == line["crosses"], || format!("{ends:?} crosses: {found}")))
}

fn through(line: &Value) -> Result<Outcome, String> {
    let lights = [point(&line["a"])?, point(&line["b"])?, point(&line["lh"])?];
    let found = board(&lights, |_| true)?.hidden_from(0) >> 1 & 1 == 1;
    Ok(Outcome::of(json!(found) == line["blocked"], || format!("{lights:?} blocked: {found}")))
}

/// Compares the loader, the order of lighthouses and starts, and the growth without players.
fn map(line: &Value, path: &Path) -> Result<Outcome, String> {
    let Some(text) = map_file(line, path) else { return Ok(Outcome::Unseen) };
    let read = Map::read(&text);
    if let Some(theirs) = line["error"].as_str() {
        let ours = read.and_then(|map| map.check(0)).err().map(|flaw| flaw.what).unwrap_or_default();
        let same = ["border", "width"].iter().any(|word| theirs.contains(word) && ours.contains(word));
        return Ok(Outcome::of(same, || format!("`{ours}` and not `{theirs}`")));
    }
    let map = match read {
        Ok(map) => map,
        Err(flaw) => return Ok(Outcome::Different(format!("{}: {flaw}", line["map"]))),
    };
    let board = map.board();
    let rows = |cell: &dyn Fn(usize, usize) -> u32| {
        let row = |y| (0..map.width()).map(|x| cell(x, y)).collect::<Vec<_>>();
        json!((0..map.height()).map(row).collect::<Vec<_>>())
    };
    let pairs = |list: &[Point]| json!(list.iter().map(|p| [p.x, p.y]).collect::<Vec<_>>());
    let grown = |n: u32| rows(&|x, y| (u32::from(board.site(board.cell(x, y)).growth) * n).min(100));
    let mut differing = Vec::new();
    let mut compare = |what: &str, ours: Value| {
        if ours != line[what] {
            differing.push(what.to_owned());
        }
    };
    compare("width", json!(map.width()));
    compare("height", json!(map.height()));
    compare("island", rows(&|x, y| map.tile(x, y).is_land().into()));
    compare("lighthouses", pairs(board.lights()));
    compare("starts", pairs(&map.starts()));
    [1, 10, 100].iter().for_each(|n| compare(&format!("cells_after_{n}"), grown(*n)));
    for n in [1, 10, 100] {
        if let Some(game) = played(&map, n) {
            differing.extend(wrong_cell(&game, &line[format!("cells_after_{n}")]));
        }
    }
    Ok(Outcome::of(differing.is_empty(), || format!("{}: {} differ", line["map"], differing.join(", "))))
}

/// Plays a match with one player who passes until there have been `growths` growths. Returns `None` if the map has no
/// start, or if its island has several parts, which the engine allows.
fn played(map: &Map, growths: u32) -> Option<Position> {
    let terms = Terms { rules: Rules::ORIGINAL, seats: 1, limit: Some(200) };
    let mut game = Position::from_map(map.clone(), &terms).ok()?;
    for _ in 1..growths {
        let entry = Entry { seat: Seat::new(0), orders: &[Order::Pass], failure: None };
        game.resolve(Joint::new(&[entry]), &mut (), &mut ());
    }
    Some(game)
}

/// Returns a cell whose energy differs. The cell that the player empties does not count.
fn wrong_cell(game: &Position, theirs: &Value) -> Option<String> {
    let player = game.place(Seat::new(0));
    let cells = (0..game.board().height()).flat_map(|y| (0..game.board().width()).map(move |x| (x, y)));
    cells.map(|(x, y)| (pt(x as i32, y as i32), &theirs[y][x])).find_map(|(p, energy)| {
        let ours = game.cell_energy(p);
        (p != player && *energy != json!(ours)).then(|| format!("{p:?} with {ours} in round {}", game.round()))
    })
}

/// Returns the map file beside the recordings, or a file that is written from the data of the vector.
fn map_file(line: &Value, path: &Path) -> Option<Vec<u8>> {
    if let Some(rows) = line["rows_top_to_bottom"].as_array() {
        let rows: Vec<&str> = rows.iter().filter_map(Value::as_str).collect();
        return Some(rows.join("\n").into_bytes());
    }
    let name = line["map"].as_str()?;
    let beside = path.ancestors().skip(1).map(|dir| dir.join("maps/lighthouses").join(name));
    if let Some(text) = beside.into_iter().find_map(|file| fs::read(file).ok()) {
        return Some(text);
    }
    let (width, height) = (line["width"].as_u64()? as usize, line["height"].as_u64()? as usize);
    let mut map = Map::sea(width, height);
    for y in 0..height {
        for x in 0..width {
            if line["island"][y][x] == json!(1) {
                map.put(x, y, Tile::Land);
            }
        }
    }
    for p in points(&line["lighthouses"]).ok()? {
        map.put(p.x as usize, p.y as usize, Tile::Lighthouse);
    }
    for (p, symbol) in points(&line["starts"]).ok()?.into_iter().zip('0'..) {
        map.put(p.x as usize, p.y as usize, Tile::Start(symbol));
    }
    Some(map.print().into_bytes())
}

/// Checks that a player on an open field sees exactly these cells.
fn view_mask(line: &Value) -> Result<Outcome, String> {
    let game = open_field(|_, _| Tile::Land)?;
    let near = game.view(Seat::new(0)).near;
    let seen = json!(near.map(|row| row.map(|energy| energy >= 0)));
    Ok(Outcome::of(seen == line["rows_bottom_to_top"], || format!("seen: {seen}")))
}

/// Compares the energy of the cells around a single lighthouse after the first growth.
fn delta(line: &Value) -> Result<Outcome, String> {
    let rows = line["rows"].as_array().ok_or("`rows` was expected")?;
    let reach = rows.len() / 2;
    let middle = FIELD / 2;
    let game = open_field(|x, y| if (x, y) == (middle, middle) { Tile::Lighthouse } else { Tile::Land })?;
    let at = |i: usize| (middle + i) as i32 - reach as i32;
    let ours: Vec<Vec<u32>> =
        (0..rows.len()).map(|y| (0..rows.len()).map(|x| game.cell_energy(pt(at(x), at(y)))).collect()).collect();
    Ok(Outcome::of(json!(ours) == line["rows"], || format!("growth: {ours:?}")))
}

const FIELD: usize = 41;

/// Returns a square island with one player in a far corner.
fn open_field(tile: impl Fn(usize, usize) -> Tile) -> Result<Position, String> {
    let mut map = Map::sea(FIELD, FIELD);
    for y in 1..FIELD - 1 {
        for x in 1..FIELD - 1 {
            map.put(x, y, tile(x, y));
        }
    }
    map.put(WINDOW, SIGHT + 1, Tile::Start('0'));
    let terms = Terms { rules: Rules::ORIGINAL, seats: 1, limit: None };
    Position::from_map(map, &terms).map_err(|e| e.flaw.to_string())
}
