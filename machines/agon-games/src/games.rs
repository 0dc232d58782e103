//! The only list of games.

/// The only list of games, in the order in which they are shown: one line makes a game known to every command, to
/// `cargo xtask golden`, to the laws and to completions. Each line is a name for modules of tests and the crate, whose
/// `Position` is the game.
///
/// Calls the macro that it is given with all lines: `for_each_game!(list)` is `list! { grid: agon_grid, … }`.
#[macro_export]
macro_rules! for_each_game {
    ($list:ident) => {
        $list! {
            lighthouses: agon_lighthouses,
            planet_wars: agon_planet_wars,
            triangles: agon_triangles,
            grid: agon_grid,
            portals: agon_portals,
        }
    };
}
