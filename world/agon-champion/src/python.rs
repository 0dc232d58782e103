//! Champions in Python. The interpreter loads this crate as a library, so that a read is a function call and needs no
//! message.

use crate::{
    ChampionError, ChosenPython,
    api::{CALLBACKS, CONSTANTS, ERRORS, FUNCTIONS, Function, PRINTED, Returns, STRUCTURES, Type},
    host_library::{VERSION, host_library},
    taken::Taken,
};
#[cfg(target_os = "linux")]
use crate::{
    compiler_job::{self, Step},
    taken::SOURCES,
};
use agon_build::{KeyHasher, OpenCache, Record};
use agon_core::Flaw;
use agon_spec::Isolation;
#[cfg(target_os = "linux")]
use std::time::Duration;
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The command that starts a champion in Python.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PythonCommand {
    /// The interpreter and its arguments. The referee is on its stdin and stdout.
    pub words: Vec<OsString>,
    /// The file of the interpreter.
    pub file: PathBuf,
    /// All files and folders outside the system that the champion and the interpreter read.
    pub read: Vec<PathBuf>,
    /// Folders that are searched for programs before those of the system.
    pub search: Vec<PathBuf>,
    /// Environment variables of the champion, in addition to the usual ones.
    pub environment: Vec<(String, String)>,
    /// The cache that has the files. They may be removed when it is dropped.
    pub cache: OpenCache,
}

/// Returns the command that starts the champion from a copy of its files in the cache. `warn` is called if a copy in the
/// cache cannot be used.
///
/// # Errors
/// If the library is missing, or the cache cannot be written.
pub fn python_command(
    taken: &Taken,
    python: &ChosenPython,
    warn: &mut dyn FnMut(String),
) -> Result<PythonCommand, Flaw> {
    let library = host_library(taken, warn)?;
    let modules = modules(taken, warn)?;
    let mut key = KeyHasher::new("champion in Python");
    key.tree(&taken.tree);
    let key = key.finish();
    let kept = match taken.cache.find(&key, &|_| true, warn) {
        Some(kept) => kept,
        None => taken.keep(&key, taken.tree.root(), Record::default(), &[])?,
    };
    let main = taken.source.main.trim_end_matches(".py");
    let packages: Vec<String> =
        python.packages.iter().map(|folder| kept.folder.join(folder).display().to_string()).collect();
    let arguments: [OsString; 4] =
        [modules.join("agon_host.py").into(), kept.folder.clone().into(), main.into(), library.clone().into()];
    Ok(PythonCommand {
        words: [python.program.clone().into()].into_iter().chain(python.options.clone()).chain(arguments).collect(),
        file: python.program.clone(),
        read: [modules, kept.folder, library].into_iter().chain(python.read.clone()).collect(),
        search: python.search.clone(),
        environment: if packages.is_empty() { Vec::new() } else { vec![("PYTHONPATH".to_owned(), packages.join(":"))] },
        cache: taken.cache.clone(),
    })
}

/// The arguments with which the interpreter looks at the library and compiles the main file without running it. With `-I`
/// it does not import a `ctypes.py` from the working directory, which may be the champion's folder.
const LOOK: [&str; 3] = ["-I", "-c", include_str!("../glue/look.py")];

/// Checks that a champion in Python can be played: its main file is valid Python, and the library is installed and fits the
/// interpreter. `warn` is called if the library in the cache cannot be used.
///
/// The interpreter runs in a sandbox of this level if the system has one: a malicious file can take hours or all memory
/// to compile, or crash the interpreter.
///
/// # Errors
/// If the file is not valid, in which case the error contains the interpreter's message; if the interpreter's module
/// `ctypes` or the library is missing; if the library cannot be loaded or is of another version; or if `cancel` returns
/// true.
pub fn check_python(
    taken: &Taken,
    python: &ChosenPython,
    level: Isolation,
    cancel: &dyn Fn() -> bool,
    warn: &mut dyn FnMut(String),
) -> Result<(), ChampionError> {
    let library = host_library(taken, warn)?;
    let unstarted =
        |why: &std::io::Error| Flaw::new(format!("cannot start the interpreter `{}`: {why}", python.program.display()));
    let library = std::path::absolute(library).map_err(|why| unstarted(&why))?;
    let source = &taken.source;
    let named = std::path::absolute(&source.named).unwrap_or_else(|_| source.named.clone());
    let failing = format!("`{}` cannot be played", named.join(source.main).display());
    #[cfg(target_os = "linux")]
    if level > Isolation::None {
        return look_inside(taken, python, library, failing, level, cancel);
    }
    let _ = (level, cancel);
    // Start in `/`, where the champion has no files.
    let path = source.folder.join(source.main);
    let asked = agon_sandbox::answer_of(
        Command::new(&python.program).args(LOOK).arg(&path).arg(&library).arg(VERSION).current_dir("/"),
    );
    let output = asked.map_err(|why| unstarted(&why))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Flaw::new(format!("{failing}:\n{}", said.trim_end())).into())
}

/// Compiles the main file in a sandbox.
#[cfg(target_os = "linux")]
fn look_inside(
    taken: &Taken,
    python: &ChosenPython,
    library: PathBuf,
    failing: String,
    level: Isolation,
    cancel: &dyn Fn() -> bool,
) -> Result<(), ChampionError> {
    /// The time limit. A file that a person wrote compiles much faster.
    const WALL: Duration = Duration::from_secs(20);
    let path = Path::new(SOURCES).join(taken.source.main);
    let mut words = vec![python.program.clone().into()];
    words.extend(LOOK.map(OsString::from));
    words.extend([path.into(), library.clone().into(), VERSION.into()]);
    let read = python.read.iter().cloned().chain([library]).collect();
    let step = Step { words, failing, read };
    compiler_job::work(&[step], taken, level, WALL, cancel).map(drop)
}

/// Returns the folder with the Python modules of the host. Writes them if the cache does not have them.
fn modules(taken: &Taken, warn: &mut dyn FnMut(String)) -> Result<PathBuf, Flaw> {
    let files = [
        ("_api.py", api_module()),
        ("api.py", include_str!("../glue/api.py").to_owned()),
        ("agon_host.py", include_str!("../glue/agon_host.py").to_owned()),
    ];
    let mut key = KeyHasher::new("champion modules");
    key.list(files.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
    let key = key.finish();
    if let Some(kept) = taken.cache.find(&key, &|_| true, warn) {
        return Ok(kept.folder);
    }
    let part = taken.cache.part()?;
    let folder = part.folder("modules")?;
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|why| Flaw::new(format!("cannot write `{}`: {why}", path.display())))?;
    }
    Ok(taken.cache.keep(&key, &part, &folder, Record::default(), &[])?.folder)
}

/// Returns the source of the Python module `_api`.
fn api_module() -> String {
    let mut out = include_str!("../glue/_api.py").to_owned();
    let mut names = vec!["erreur".to_owned()];
    for (name, value) in CONSTANTS {
        out += &format!("{name} = {value}\n");
        names.push((*name).to_owned());
    }
    out += "\n\nclass erreur(IntEnum):\n";
    for (value, name) in ERRORS.iter().enumerate() {
        out += &format!("    {name} = {value}\n");
    }
    out += "\n\n_erreurs = list(erreur)\n";
    for structure in STRUCTURES.iter().filter(|s| s.kind != Type::Position) {
        let fields = structure.fields.iter().map(|f| format!("{:?}", f.0)).collect::<Vec<_>>().join(", ");
        out += &format!("{0} = namedtuple({0:?}, [{fields}])\n", structure.kind.name());
        names.push(structure.kind.name().to_owned());
    }
    for (number, function) in FUNCTIONS.iter().enumerate() {
        out += &function_definition(number, function);
        names.push(function.name.to_owned());
    }
    for kind in PRINTED {
        let value = if *kind == Type::Error { "erreur(v).name" } else { "_shown(v)" };
        let name = format!("afficher_{}", kind.name());
        out += &format!("\n\ndef {name}(v):\n    print({value}, file=sys.stderr)\n");
        names.push(name);
    }
    out + &format!("\n\n_callbacks = {CALLBACKS:?}\n__all__ = {names:?}\n")
}

/// Returns the definition of one function. It converts its arguments to integers, and raises an exception for an
/// argument of the wrong type.
fn function_definition(number: usize, function: &Function) -> String {
    let parameters = function.arguments.iter().map(|a| a.0).collect::<Vec<_>>().join(", ");
    let mut body = String::new();
    let mut numbers = Vec::new();
    for (name, kind) in function.arguments {
        if *kind == Type::Position {
            // As in the contest, what follows the second coordinate is not looked at.
            body += &format!(
                "    try:\n        {name}_x, {name}_y = {name}\n    except ValueError:\n        {name}_x, {name}_y = {name}[:2]\n"
            );
            numbers.extend([format!("{name}_x"), format!("{name}_y")]);
        } else {
            numbers.push((*name).to_owned());
        }
    }
    let count = numbers.len();
    let mut packed = if count == 0 { "None".to_owned() } else { format!("_pack{count}({})", numbers.join(", ")) };
    if numbers.iter().any(|number| number.ends_with("_x")) {
        let converted = format!("_pack{count}(*map(_integer, ({})))", numbers.join(", "));
        body += &format!("    try:\n        _packed = {packed}\n    except _error:\n        _packed = {converted}\n");
        packed = "_packed".to_owned();
    }
    let call = format!("({number}, {packed}, {count})");
    body += &match function.returns {
        Returns::One(kind) => {
            let value = match kind {
                Type::Bool => "_out[0] != 0",
                Type::Error => "_erreurs[_out[0]]",
                Type::Position => "_out[0], _out[1]",
                _ => "_out[0]",
            };
            format!("    _one{call}\n    return {value}\n")
        }
        Returns::Many(kind) => format!("    return _{}s(_many{call})\n", kind.name()),
    };
    format!("\n\ndef {}({parameters}):\n{body}", function.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn every_function_is_in_the_module() {
        let module = api_module();
        for function in FUNCTIONS {
            assert!(module.contains(&format!("\ndef {}(", function.name)), "{}", function.name);
        }
        assert!(module.contains("def lier(portail):\n    try:\n        portail_x, portail_y = portail\n"));
        assert!(module.contains("    _one(3, _packed, 2)\n"));
        assert!(module.contains("LIMITE_BOUCLIERS = 11\n"));
    }

    /// Plays a champion of these files between the real host and a library that calls back without a referee: once
    /// `partie_init`, twice `jouer_tour`, once `partie_fin`. Every call of the API answers 5. Returns what was printed.
    fn play(name: &str, champion: &[(&str, &str)]) -> Option<(String, String)> {
        let folder = env::temp_dir().join(format!("agon-champion-{name}-{}", std::process::id()));
        let host = [
            ("agon_host.py", include_str!("../glue/agon_host.py").to_owned()),
            ("_api.py", api_module()),
            ("api.py", include_str!("../glue/api.py").to_owned()),
            (
                "ctypes.py",
                "def CFUNCTYPE(result):\n    return lambda function: function\n\n\nclass Array:\n    \
                 def __mul__(self, room):\n        return lambda: [0] * room\n\n\nc_int32 = Array()\n\n\nclass CDLL:\n    \
                 def __init__(self, path):\n        pass\n\n    def agon_champion_open(self):\n        return 0\n\n    \
                 def agon_champion_call(self, function, packed, count, out, room):\n        out[0] = 5\n        return 1\n\n    \
                 def agon_champion_serve(self, init, turn, end):\n        init(), turn(), turn(), end()\n        return 0\n\n\n\
                 PyDLL = CDLL\n"
                    .to_owned(),
            ),
        ];
        fs::create_dir_all(folder.join("champion")).expect("the temporary folder can be written to");
        for (name, text) in host {
            fs::write(folder.join(name), text).expect("the temporary folder can be written to");
        }
        for (name, text) in champion {
            fs::write(folder.join("champion").join(name), text).expect("the temporary folder can be written to");
        }
        let words = ["-B", "agon_host.py", "champion", "prologin", "none"];
        let played = Command::new("python3").args(words).current_dir(&folder).output();
        let _ = fs::remove_dir_all(&folder);
        let Ok(played) = played else {
            assert!(env::var_os("CI").is_none(), "there is no `python3`, which this test needs");
            eprintln!("SKIPPED: there is no `python3`, which this test needs");
            return None;
        };
        let [said, log] = [played.stdout, played.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(played.status.success(), "{log}");
        Some((said, log))
    }

    #[test]
    fn callbacks_are_looked_up_when_they_are_called() {
        let champion = "def partie_init():\n    print('init')\n\n\ndef jouer_tour():\n    global jouer_tour\n    \
                        jouer_tour = lambda: print('second')\n    print('first')\n";
        let Some((said, log)) = play("callbacks", &[("prologin.py", champion)]) else { return };
        assert_eq!(said, "init\nfirst\nsecond\n", "{log}");
        // One that is missing is like one that raises.
        assert!(log.contains("AttributeError") && log.contains("partie_fin"), "{log}");
    }

    /// The contest's glue read two numbers of a tuple, and what they were as integers.
    #[test]
    fn a_position_may_be_longer_and_have_integral_floats() {
        let champion = "from api import *\n\n\ndef partie_init():\n    lier((3, 4, 'more')), lier([1.0, 2.0]), distance((0, 1), (2.0, 3, 4))\n    \
                        for bad in (1.5, 2), (1,), ('a', 'b'):\n        try:\n            lier(bad)\n        \
                        except Exception as why:\n            print(type(why).__name__)\n\n\n\
                        def jouer_tour():\n    pass\n\n\npartie_fin = jouer_tour\n";
        let Some((said, log)) = play("positions", &[("prologin.py", champion)]) else { return };
        assert_eq!((&said[..], &log[..]), ("error\nValueError\nerror\n", ""));
    }

    /// Champions were given `from api import *` and may use what else it brought them.
    #[test]
    fn a_champion_is_given_the_names_that_the_contests_modules_had() {
        let champion = "from api import *\nprint(_api.__name__, capturer() is erreur.PORTAIL_AMI)\n\n\n\
                        class Pair(NamedTuple):\n    x: int\n\n\n\
                        def partie_init():\n    pass\n\n\njouer_tour = partie_fin = partie_init\n\n\n\
                        def both(a: List[int], b: Tuple[int, int]):\n    return namedtuple('n', 'x'), IntEnum\n";
        let Some((said, log)) = play("names", &[("prologin.py", champion)]) else { return };
        assert_eq!((&said[..], &log[..]), ("_api True\n", ""));
    }

    /// The contest's archives hold `api.py`. What calls return is of its types.
    #[test]
    fn a_champions_own_api_has_its_own_types() {
        let names =
            ERRORS.iter().enumerate().map(|(value, name)| format!("    {name} = {value}\n")).collect::<String>();
        let api = format!(
            "from _api import *\nfrom enum import IntEnum\nfrom collections import namedtuple\n\n\n\
             class erreur(IntEnum):\n{names}\n\nchamp = namedtuple('champ', 'som1 som2 som3 joueur_c')\n"
        );
        let champion = "from api import *\n\n\ndef partie_init():\n    pass\n\n\npartie_fin = partie_init\n\n\n\
                        def jouer_tour():\n    print(capturer() is erreur.PORTAIL_AMI, capturer() is erreur.OK)\n";
        let Some((said, log)) = play("types", &[("prologin.py", champion), ("api.py", &api)]) else { return };
        assert_eq!((&said[..], &log[..]), ("True False\nTrue False\n", ""));
    }
}
