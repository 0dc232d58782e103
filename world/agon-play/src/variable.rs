//! Environment variables that the organiser gives to bots: `KEY=VALUE`.

use agon_core::text::cut;
use std::{collections::BTreeMap, str::FromStr};

/// An environment variable of a bot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Variables from which the loader of programs, or a runtime, loads code; and those that say where programs are.
const LOADING: &[&str] = &[
    "PATH",
    "CDPATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "PS4",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "CLASSPATH",
    "JAVA_HOME",
    "JRE_HOME",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "PERLLIB",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "RUBYLIB",
    "RUBYOPT",
    "GEM_PATH",
    "GEM_HOME",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "MONO_PATH",
    "DOTNET_STARTUP_HOOKS",
    "DOTNET_ADDITIONAL_DEPS",
    "ERL_AFLAGS",
    "ERL_ZFLAGS",
    "ELIXIR_ERL_OPTIONS",
    "OCAMLLIB",
    "OCAMLPATH",
    "CAML_LD_LIBRARY_PATH",
    "R_HOME",
    "JULIA_LOAD_PATH",
    "JULIA_DEPOT_PATH",
    "JULIA_PROJECT",
    "SBCL_HOME",
    "SBCL_CORE",
    "GHC_PACKAGE_PATH",
    "GHC_ENVIRONMENT",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONPYCACHEPREFIX",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "PYTHONEXECUTABLE",
    "PYTHONWARNINGS",
    "PYTHONBREAKPOINT",
    "PYTHONINSPECT",
    "PYTHON_PRESITE",
    "PLTADDONDIR",
    "PLTCOLLECTS",
    "PLTCOMPILEDROOTS",
    "PLTCONFIGDIR",
    "PLTPLANETDIR",
    "PLTUSERHOME",
];
/// The beginnings of other such variables. Some have the version of a runtime behind them: `LUA_INIT_5_4`, `ERL_OTP27_FLAGS`.
const LOADING_BEGINS: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "COR_PROFILER",
    "CORECLR_PROFILER",
    "ERL_LIBS",
    "ERL_FLAGS",
    "ERL_OTP",
    "GUILE_LOAD_",
    "R_LIBS",
    "R_PROFILE",
    "R_ENVIRON",
    "DOTNET_ROOT",
];
/// How the variables of a runtime begin that gets new ones with its versions, of which some load code.
const UNKNOWN_BEGINS: &[&str] = &["PYTHON", "PYPY", "PLT"];
/// Those variables of such a runtime that load nothing.
const HARMLESS: &[&str] = &[
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "PYTHONOPTIMIZE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONDEBUG",
    "PYTHONVERBOSE",
    "PYTHONFAULTHANDLER",
    "PYTHONTRACEMALLOC",
    "PYTHONNOUSERSITE",
    "PYTHONSAFEPATH",
    "PYTHONINTMAXSTRDIGITS",
    "PYTHONDEVMODE",
    "PYTHONMALLOC",
    "PYTHONMALLOCSTATS",
    "PYTHONASYNCIODEBUG",
    "PYTHONCOERCECLOCALE",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONNODEBUGRANGES",
    "PYTHONWARNDEFAULTENCODING",
    "PYTHONPERFSUPPORT",
    "PYTHON_PERF_JIT_SUPPORT",
    "PYTHON_FROZEN_MODULES",
    "PYTHON_COLORS",
    "PYTHON_BASIC_REPL",
    "PYTHON_CPU_COUNT",
    "PYTHON_GIL",
    "PYTHON_TLBC",
    "PYTHON_JIT",
    "PYTHON_DISABLE_REMOTE_DEBUG",
    "PYTHON_CONTEXT_AWARE_WARNINGS",
    "PYTHON_THREAD_INHERIT_CONTEXT",
    "PLTSTDERR",
    "PLTSTDOUT",
    "PLTSYSLOG",
    "PLT_INCREMENTAL_GC",
    "PLT_EXPANDER_TIMES",
    "PLT_LINKLET_TIMES",
];

impl Variable {
    /// Returns variables in the form that a bot takes. The last value of a name counts.
    #[must_use]
    pub fn map(variables: &[Self]) -> BTreeMap<String, String> {
        variables.iter().map(|variable| (variable.name.clone(), variable.value.clone())).collect()
    }
}

impl FromStr for Variable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| format!("`{}` has no `=`: write NAME=VALUE", cut(text, 60)))?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_name) {
            return Err(format!(
                "`{}` cannot be the name of a variable: use letters from A to Z, digits and `_`, and no digit first",
                cut(name, 60)
            ));
        }
        if LOADING.contains(&name) || LOADING_BEGINS.iter().any(|begin| name.starts_with(begin)) {
            return Err(format!(
                "`{}` makes programs load code from elsewhere: put that code into the bot's folder, or set the variable in \
                 a script that starts the bot",
                cut(name, 60)
            ));
        }
        if let Some(begin) = UNKNOWN_BEGINS.iter().find(|begin| name.starts_with(**begin) && !HARMLESS.contains(&name))
        {
            return Err(format!(
                "`{}` may make programs load code from elsewhere, like others that begin with `{begin}`: rename the \
                 variable if it is your own, or set it in a script that starts the bot",
                cut(name, 60)
            ));
        }
        if value.contains('\0') {
            return Err(format!("the value of `{name}` contains a NUL byte"));
        }
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_load_code_are_refused_by_name() {
        let parsed = "DEPTH=a=b".parse::<Variable>().expect("it is harmless");
        assert_eq!((&*parsed.name, &*parsed.value), ("DEPTH", "a=b"));
        assert_eq!("EMPTY=".parse::<Variable>().map(|it| it.value), Ok(String::new()));
        for name in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "PYTHONPATH",
            "NODE_OPTIONS",
            "JAVA_TOOL_OPTIONS",
            "BASH_ENV",
            "PATH",
            "LUA_INIT_5_4",
            "ERL_OTP27_FLAGS",
            "COR_PROFILER_PATH_64",
            "GUILE_LOAD_COMPILED_PATH",
            "R_PROFILE_USER",
            "OPENSSL_CONF",
            "PYTHONPYCACHEPREFIX",
            "PYTHONPLATLIBDIR",
            "PYTHONHOME",
            "PYTHONWARNINGS",
            "PYTHONINSPECT",
            "ELIXIR_ERL_OPTIONS",
            "DOTNET_ROOT",
            "DOTNET_ROOT_X64",
            "JAVA_HOME",
            "SBCL_HOME",
            "PLTCOLLECTS",
            "PLTPLANETDIR",
            "GHC_PACKAGE_PATH",
        ] {
            let refused = format!("{name}=x").parse::<Variable>().expect_err("it loads code");
            assert!(refused.contains(name) && refused.contains("makes programs load code"), "{refused}");
        }
        for name in ["PYTHON_OF_A_LATER_VERSION", "PYTHON_BOT_LEVEL", "PYPY_OF_A_LATER_VERSION", "PLTLATER"] {
            let refused = format!("{name}=x").parse::<Variable>().expect_err("it may load code");
            assert!(refused.contains(name) && refused.contains("may make programs load code"), "{refused}");
        }
        for harmless in [
            "JULIA_NUM_THREADS",
            "ERL_MAX_PORTS",
            "R_SEED",
            "LUA",
            "OPENSSL_ia32cap",
            "PYTHONHASHSEED",
            "PYTHONUNBUFFERED",
            "PYTHONDEVMODE",
            "PYTHON_CPU_COUNT",
            "PLTSTDERR",
        ] {
            assert!(format!("{harmless}=1").parse::<Variable>().is_ok(), "{harmless}");
        }
        for bad in ["", "=x", "NAME", "A B=x", "1A=x", "Ä=x", "A=\0"] {
            assert!(bad.parse::<Variable>().is_err(), "{bad:?}");
        }
    }
}
