//! What the items of a class are.

/// What the items of a class are, and how they look where only characters can be drawn. There each seat has a mark, which is
/// one character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemClass {
    /// The name of the class in style sheets.
    pub name: &'static str,
    /// The word that people read for an item of the class. By default it is the name.
    pub called: &'static str,
    /// Entries of the legend, in which N is the mark of a seat, as in `LN lighthouse of N`. It has none if the items need no
    /// words.
    pub meanings: &'static [&'static str],
    /// The names of the numbers of an item, in the order of [`Item::values`](crate::Item::values).
    pub values: &'static [&'static str],
    /// What people call an item of the class.
    pub naming: Naming,
    /// The character of such an item. `None` if the mark of its seat is all there is.
    pub symbol: Option<char>,
    /// What fills a cell that belongs to no seat. `None` for a shade by its strength.
    pub ground: Option<char>,
    /// Whether the items move about the board.
    pub moves: bool,
    /// Whether the items are the same in all positions of a match, so that a viewer needs them only once.
    pub is_fixed: bool,
    /// Whether an item is named beside the board if it shares its place with another one.
    pub is_listed: bool,
}

/// What people call an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// The item has no name of its own, and often no meaning either: a label, for example. It has no facts unless it has
    /// an owner or numbers.
    None,
    /// The number of its key, as in `planet 3`. The value is what the first one is called.
    Number(u64),
    /// Its place, as in `portal (3, 4)`.
    Place,
}

impl ItemClass {
    /// A class of items that stay where they are and have no character, name or number of their own.
    #[must_use]
    pub const fn new(name: &'static str, meanings: &'static [&'static str]) -> Self {
        Self {
            name,
            called: name,
            meanings,
            values: &[],
            naming: Naming::None,
            symbol: None,
            ground: None,
            moves: false,
            is_fixed: false,
            is_listed: false,
        }
    }

    /// Sets the word that people read for an item.
    #[must_use]
    pub const fn called(self, called: &'static str) -> Self {
        Self { called, ..self }
    }

    /// Sets the names of the numbers of its items.
    #[must_use]
    pub const fn values(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    /// Says what people call its items.
    #[must_use]
    pub const fn named(self, naming: Naming) -> Self {
        Self { naming, ..self }
    }

    /// Sets the character of its items.
    #[must_use]
    pub const fn symbol(self, symbol: char) -> Self {
        Self { symbol: Some(symbol), ..self }
    }

    /// Sets what fills a cell that belongs to no seat.
    #[must_use]
    pub const fn ground(self, ground: char) -> Self {
        Self { ground: Some(ground), ..self }
    }

    /// Says that its items move about the board.
    #[must_use]
    pub const fn moving(self) -> Self {
        Self { moves: true, ..self }
    }

    /// Says that its items are the same in all positions of a match.
    #[must_use]
    pub const fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// Says that its items are named beside the board if they share their place.
    #[must_use]
    pub const fn listed(self) -> Self {
        Self { is_listed: true, ..self }
    }
}
