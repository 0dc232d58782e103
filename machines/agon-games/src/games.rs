//! The only list of games.

/// The only list of games, in display order. Every command, `cargo xtask golden`, the laws and the completions know the
/// games from this list. A line has a name, which test modules use, and the crate whose `Position` is the game.
///
/// The macro calls another macro with all lines: `for_each_game!(list)` expands to `list! { grid: agon_grid, … }`.
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
