//! The language of a page.

/// A language that pages are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Spanish.
    Spanish,
}

impl Language {
    /// Every language, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::English, Self::Spanish];

    /// Returns its code, as in `lang="es"`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// Returns how it calls itself.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
        }
    }

    /// Finds a language by its code.
    #[must_use]
    pub fn find(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// Chooses a language by the header `Accept-Language`, as in `es-AR, en;q=0.5`. Where nothing fits, it is English.
    #[must_use]
    pub fn accepted(header: &str) -> Self {
        let mut best = (0, Self::default());
        for part in header.split(',').take(20) {
            let mut words = part.split(';').map(str::trim);
            let code = words.next().unwrap_or_default().split('-').next().unwrap_or_default().to_ascii_lowercase();
            let weight = words.find_map(|word| word.strip_prefix("q=")).map_or(1000, thousandths);
            match Self::find(&code) {
                Some(language) if weight > best.0 => best = (weight, language),
                _ => {}
            }
        }
        best.1
    }
}

/// Reads a weight from 0 to 1, which has at most three decimals.
fn thousandths(text: &str) -> u32 {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let decimals = format!("{decimals:0<3}");
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    (number(whole) * 1000 + decimals.get(..3).map_or(0, number)).min(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_which_the_browser_prefers() {
        for (header, expected) in [
            ("", Language::English),
            ("es", Language::Spanish),
            ("es-AR,es;q=0.9,en;q=0.8", Language::Spanish),
            ("en-GB, es;q=0.9", Language::English),
            ("de, es;q=0.3, en;q=0.25", Language::Spanish),
            ("fr, ES;q=0.1", Language::Spanish),
            ("es;q=0, en;q=0.1", Language::English),
            ("es;q=0", Language::English),
            ("*, xx;q=9.9.9, ñ;q=ñññ", Language::English),
        ] {
            assert_eq!(Language::accepted(header), expected, "{header}");
        }
        for language in Language::ALL {
            assert_eq!(Language::find(language.code()), Some(language));
        }
    }
}
