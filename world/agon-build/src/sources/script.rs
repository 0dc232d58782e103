//! JavaScript and TypeScript: `require`, `import` and `export … from`.

use super::{
    Source, folder, join,
    token::{Token, tokens},
};
use crate::Language;
use std::collections::{BTreeMap, BTreeSet};

const ENDS: &[&str] = &["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", "/index.js", "/index.ts"];

pub(super) fn needs(sources: &[Source<'_>], language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeSet<&str> = sources.iter().map(|source| source.name).collect();
    let of = |source: &Source<'_>| {
        let named = paths(&tokens(&source.text, language)).into_iter();
        let needed = named.filter_map(|path| file(path, source.name, &names)).filter(|name| name != source.name);
        (source.name.to_owned(), needed.collect())
    };
    sources.iter().map(of).collect()
}

/// Returns the strings that name a module.
fn paths<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let tokens: Vec<Token<'t>> = tokens.iter().copied().filter(|token| *token != Token::Line).collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at..] {
            [Token::Word("require" | "import"), Token::Sign('('), Token::Text(path), ..]
            | [Token::Word("from" | "import"), Token::Text(path), ..]
            // A worker is a file of the bot too.
            | [Token::Word("Worker" | "fork"), Token::Sign('('), Token::Text(path), ..] => found.push(path),
            _ => {}
        }
    }
    found
}

fn file(path: &str, importer: &str, names: &BTreeSet<&str>) -> Option<String> {
    if !path.starts_with('.') {
        return None;
    }
    let whole = join(folder(importer), path)?;
    // TypeScript names the file that the compiler makes.
    let typed = whole.strip_suffix("js").map(|stem| format!("{stem}ts"));
    ENDS.iter().map(|end| format!("{whole}{end}")).chain(typed).find(|file| names.contains(file.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use crate::Language;

    #[test]
    fn every_way_to_import_is_seen() {
        let main = "const a = require('./a');\nimport {\n  b } from \"./lib/b.js\";\nexport * from './c';\n// require('./no')\n\
                    import './d.mjs'; await import('./e'); require('fs'); new Worker('./w.js');";
        let files = [
            ("main.js", main),
            ("a.js", "require('../outside'); x = \"from './no'\""),
            ("lib/b.ts", "import x from '../a'"),
            ("c/index.js", ""),
            ("d.mjs", ""),
            ("e.cjs", ""),
            ("no.js", ""),
            ("w.js", ""),
        ];
        assert_eq!(
            lines(Language::JavaScript, &files),
            [
                "a.js: ",
                "c/index.js: ",
                "d.mjs: ",
                "e.cjs: ",
                "lib/b.ts: a.js",
                "main.js: a.js c/index.js d.mjs e.cjs lib/b.ts w.js",
                "no.js: ",
                "w.js: ",
            ]
        );
    }
}
