//! The API of the Prologin 2015 final as data. The headers, the glue and the module `_api` are generated from it, and
//! the host answers its calls. The number of a function is its index in [`FUNCTIONS`].

/// The type of a value. Every value consists of 32-bit integers, in the order of the fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `int`.
    Int,
    /// `bool`: 0 or 1.
    Bool,
    /// `erreur`: its number in [`ERRORS`].
    Error,
    /// `position`: x, y.
    Position,
    /// `lien`: two ends, the owner.
    Link,
    /// `champ`: three corners, the owner.
    Field,
}

/// The result type of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    /// One value.
    One(Type),
    /// A list of values.
    Many(Type),
}

/// A function of the API.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name in C.
    pub name: &'static str,
    /// The result type.
    pub returns: Returns,
    /// The arguments, each with its name and type.
    pub arguments: &'static [(&'static str, Type)],
}

/// A structure of the API.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The type of values of this structure.
    pub kind: Type,
    /// The fields, each with its name and type.
    pub fields: &'static [(&'static str, Type)],
}

impl Type {
    /// Returns the name of the type, which is the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Bool => "bool",
            Self::Error => "erreur",
            Self::Position => "position",
            Self::Link => "lien",
            Self::Field => "champ",
        }
    }

    /// Returns the number of integers in a value of this type.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Int | Self::Bool | Self::Error => 1,
            Self::Position => 2,
            Self::Link => 5,
            Self::Field => 7,
        }
    }
}

impl Function {
    /// Returns the number of integers in all arguments together.
    #[must_use]
    pub fn width(&self) -> usize {
        self.arguments.iter().map(|(_, kind)| kind.width()).sum()
    }
}

/// The constants with their values in the contest. `POINTS_CREATION_PORTAIL` is the older name of `POINTS_CAPTURE`.
pub const CONSTANTS: &[(&str, i32)] = &[
    ("TAILLE_TERRAIN", 30),
    ("NB_TOURS", agon_portals::ROUNDS as i32),
    ("NB_POINTS_DEPLACEMENT", agon_portals::MOVE_POINTS),
    ("NB_POINTS_ACTION", agon_portals::ACTION_POINTS),
    ("COUT_CAPTURE", agon_portals::CAPTURE_COST),
    ("COUT_LIEN", agon_portals::LINK_COST),
    ("COUT_NEUTRALISATION", agon_portals::NEUTRALISATION_COST),
    ("COUT_NEUTRALISATION_BOUCLIER", agon_portals::NEUTRALISATION_SHIELD_COST),
    ("COUT_BOUCLIER", agon_portals::SHIELD_COST),
    ("COUT_TURBO", agon_portals::TURBO_COST),
    ("MAX_BOUCLIERS", agon_portals::MAX_SHIELDS as i32),
    ("POINTS_CAPTURE", agon_portals::CAPTURE_SCORE as i32),
    ("POINTS_CREATION_PORTAIL", agon_portals::CAPTURE_SCORE as i32),
    ("POINTS_CHAMP", agon_portals::FIELD_SCORE as i32),
];

/// The names of the values of `erreur`, from 0.
pub const ERRORS: &[&str] = &agon_portals::ERROR_NAMES;

/// The structures. Each of them comes after those that it contains.
pub const STRUCTURES: &[Structure] = &[
    Structure { kind: Type::Position, fields: &[("x", Type::Int), ("y", Type::Int)] },
    Structure {
        kind: Type::Link,
        fields: &[("extr1", Type::Position), ("extr2", Type::Position), ("joueur_l", Type::Int)],
    },
    Structure {
        kind: Type::Field,
        fields: &[
            ("som1", Type::Position),
            ("som2", Type::Position),
            ("som3", Type::Position),
            ("joueur_c", Type::Int),
        ],
    },
];

/// The types that have a function `afficher_*`, which prints a value to stderr.
pub const PRINTED: &[Type] = &[Type::Error, Type::Position, Type::Link, Type::Field];

/// The functions that a champion exports.
pub const CALLBACKS: [&str; 3] = ["partie_init", "jouer_tour", "partie_fin"];

const NOTHING: &[(&str, Type)] = &[];
const PORTAL: &[(&str, Type)] = &[("portail", Type::Position)];
const ENDS: &[(&str, Type)] = &[("ext1", Type::Position), ("ext2", Type::Position)];
const CORNERS: &[(&str, Type)] = &[("som1", Type::Position), ("som2", Type::Position), ("som3", Type::Position)];
const CELL: &[(&str, Type)] = &[("pos", Type::Position)];
const PLAYER: &[(&str, Type)] = &[("id_joueur", Type::Int)];

const ERROR: Returns = Returns::One(Type::Error);
const INT: Returns = Returns::One(Type::Int);
const BOOL: Returns = Returns::One(Type::Bool);
const POSITIONS: Returns = Returns::Many(Type::Position);
const LINKS: Returns = Returns::Many(Type::Link);
const FIELDS: Returns = Returns::Many(Type::Field);

const fn function(name: &'static str, returns: Returns, arguments: &'static [(&'static str, Type)]) -> Function {
    Function { name, returns, arguments }
}

/// All functions except `afficher_*`.
pub const FUNCTIONS: &[Function] = &[
    function("deplacer", ERROR, &[("dest", Type::Position)]),
    function("utiliser_turbo", ERROR, NOTHING),
    function("capturer", ERROR, NOTHING),
    function("lier", ERROR, PORTAL),
    function("neutraliser", ERROR, NOTHING),
    function("ajouter_bouclier", ERROR, NOTHING),
    function("liste_liens", LINKS, NOTHING),
    function("liste_champs", FIELDS, NOTHING),
    function("liste_portails", POSITIONS, NOTHING),
    function("liens_bloquants", LINKS, ENDS),
    function("lien_existe", BOOL, ENDS),
    function("champ_existe", BOOL, CORNERS),
    function("case_dans_champ", BOOL, CELL),
    function("case_champs", FIELDS, CELL),
    function("portail_joueur", INT, PORTAL),
    function("portail_boucliers", INT, PORTAL),
    function("liens_incidents_portail", LINKS, PORTAL),
    function("champs_incidents_portail", FIELDS, PORTAL),
    function("champs_incidents_segment", FIELDS, ENDS),
    function("hist_portails_captures", POSITIONS, NOTHING),
    function("hist_portails_neutralises", POSITIONS, NOTHING),
    function("hist_liens_crees", LINKS, NOTHING),
    function("hist_champs_crees", FIELDS, NOTHING),
    function("hist_boucliers_ajoutes", POSITIONS, NOTHING),
    function("distance", INT, &[("pos1", Type::Position), ("pos2", Type::Position)]),
    function("score_triangle", INT, CORNERS),
    function(
        "intersection_segments",
        BOOL,
        &[("a1", Type::Position), ("a2", Type::Position), ("b1", Type::Position), ("b2", Type::Position)],
    ),
    function(
        "point_dans_triangle",
        BOOL,
        &[("p", Type::Position), ("som1", Type::Position), ("som2", Type::Position), ("som3", Type::Position)],
    ),
    function("moi", INT, NOTHING),
    function("adversaire", INT, NOTHING),
    function("position_agent", Returns::One(Type::Position), PLAYER),
    function("points_action", INT, NOTHING),
    function("points_deplacement", INT, NOTHING),
    function("score", INT, PLAYER),
    function("tour_actuel", INT, NOTHING),
    function("annuler", BOOL, NOTHING),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_has_36_functions_and_names_are_told_apart() {
        assert_eq!(FUNCTIONS.len(), 36);
        let mut names: Vec<_> = FUNCTIONS.iter().map(|f| f.name).chain(CONSTANTS.iter().map(|c| c.0)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 36 + 14);
        assert_eq!(ERRORS.len(), 12);
        assert_eq!(ERRORS[11], "LIMITE_BOUCLIERS");
    }

    #[test]
    fn structures_are_as_wide_as_their_fields() {
        for structure in STRUCTURES {
            assert_eq!(structure.fields.iter().map(|f| f.1.width()).sum::<usize>(), structure.kind.width());
        }
    }
}
