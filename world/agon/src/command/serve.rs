//! `agon serve`: the server of a contest.

use super::{Format, new::kit_files};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    game::list,
    interrupt::Interrupt,
    printer::Printer,
    sandbox_options::levels,
    stores::{StoreArg, StoreName},
};
use agon_contest::ContestFile;
use agon_play::IsolationChoice;
use agon_server::{
    Clock as _, SystemClock,
    contest::{Contest, Source},
    database::{Database, Sql},
    http::{ListenAddress, Openness},
    people::links,
    routes::Site,
    server::{PublicUrl, Reach, Server, set_contest},
    submissions::{AgonSteps, Pipeline, PipelineOptions, receiving, source_prints},
};
use agon_spec::{ServeDocument, Versioned};
use clap::Args;
use std::{
    env, fs, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

/// How often the command looks whether it was interrupted.
const PAUSE: Duration = Duration::from_millis(50);
/// The largest file of a contest, in bytes.
const MOST_FILE: u64 = 1 << 20;
/// The store of a contest that is made in the page.
const STORE: &str = "contest.agon";

/// Serve a contest: its accounts, teams and pages.
///
/// The first start prints a link with which the organiser chooses a name and a password. Without a file, the organiser makes the
/// contest in the page. The smallest file is `name` and `game`. Ctrl-C ends the server; everything is in the store, and the next
/// start goes on with it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon serve                                   make the contest in the page
  agon serve cup.toml                          http://127.0.0.1:8080/, cup.agon
  agon serve cup.toml --listen 192.168.1.5:8080 --insecure-lan
  agon serve cup.toml --behind-proxy --url https://cup.example
  agon serve --format json | head -1           the address and the link")]
pub struct Serve {
    /// The contest. Without a file it is made in the page, and its store is `contest.agon`.
    #[arg(value_name = "FILE.toml")]
    file: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArg,

    /// Where to listen: PORT, for this machine alone, or HOST:PORT. Port 0 is any free one.
    #[arg(long, value_name = "ADDR", default_value = "8080")]
    listen: ListenAddress,

    /// Only a proxy reaches ADDR, which encrypts what goes between it and browsers, and tells their addresses in
    /// `X-Forwarded-For`.
    #[arg(long)]
    behind_proxy: bool,

    /// ADDR may be one that other machines reach, although everybody in the network can read what is sent, with passwords and bots.
    #[arg(long, conflicts_with = "behind_proxy")]
    insecure_lan: bool,

    /// The address that people open, as `https://cup.example`, if it is another one than ADDR. Other names are refused.
    #[arg(long, value_name = "URL")]
    url: Option<PublicUrl>,

    /// How many versions are taken in, built and checked at the same time. The default is one for each two cores; with 0 they wait.
    #[arg(long, value_name = "N")]
    cores: Option<usize>,

    /// How the bots of teams are isolated: `full`, `restricted`, `none`, or `auto` for the strongest level that works here, but never
    /// none. With `none` every participant can do on this machine whatever you can.
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels(), hide_possible_values = true)]
    sandbox: IsolationChoice,

    /// How to print the addresses. As JSON, the first line is the document.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Serve {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let openness = self.openness()?;
        let contest = self.file.as_deref().map(read_file).transpose()?;
        let interrupt = Interrupt::new()?;
        let name = self.store.of(self.file.as_deref().unwrap_or(Path::new(STORE)));
        // It is held until the end, so that no second server writes to it.
        let _store = name.open()?;
        let database = database(&name)?;
        let clock = SystemClock;
        if let Some(file) = contest {
            set_contest(&database, Contest { file, source: Source::Disk }, clock.now_ms()).map_err(of_server)?;
        }
        let reach = Reach { listen: self.listen.clone(), openness, url: self.url.clone() };
        let server = Server::listen(reach).map_err(|why| not_listening(&self.listen, &why))?;
        let url = server.url();
        let failed = |why: io::Error| Error::system("cannot serve the contest", &why);
        let site = server.site(database.clone(), Arc::new(clock)).map_err(failed)?;
        let now = clock.now_ms();
        let link = database.transact(move |sql| links::first(sql, now)).map_err(of_server)?;
        let link = link.map(|secret| format!("{url}first/{}", secret.text()));
        let pipeline = self.pipeline(&site, &name)?;
        interrupt.arm();
        let running = server.serve(&site, receiving(&site, &pipeline)).map_err(failed)?;
        let lanes =
            self.lanes().map(|lanes| pipeline.start(lanes, trouble(*printer))).transpose().map_err(of_server)?;
        self.announce((url, link), openness, &name, printer)?;
        while !interrupt.cancel().is_cancelled() {
            thread::sleep(PAUSE);
        }
        running.stop();
        // What a step has begun begins again at the next start.
        drop(lanes);
        Ok(Exit::Done)
    }

    /// Returns the queue of the versions that teams send.
    fn pipeline(&self, site: &Site, store: &StoreName) -> Result<Pipeline> {
        let program = env::current_exe().map_err(|why| Error::system("cannot find this program", &why))?;
        let kits = source_prints(kit_files().map(|(path, bytes)| (path, bytes.to_vec())));
        Pipeline::new(PipelineOptions {
            database: site.database.clone(),
            clock: Arc::clone(&site.clock),
            steps: Arc::new(AgonSteps { program, isolation: self.sandbox }),
            game: Arc::new(game),
            folder: store.file().or(self.file.as_deref()).unwrap_or(Path::new(STORE)).with_extension("uploads"),
            kits,
        })
        .map_err(of_server)
    }

    /// Returns how many versions are worked on at the same time, if any are.
    fn lanes(&self) -> Option<NonZeroUsize> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        NonZeroUsize::new(self.cores.unwrap_or((cores / 2).max(1)))
    }

    /// Returns who can reach the server, if that was allowed.
    fn openness(&self) -> Result<Openness> {
        let refused = |what: &str, hint: &str| Err(Error::user(what).exit(Exit::Usage).hint(hint));
        match &self.url {
            // Links and forms would be of ADDR, which no browser reaches.
            None if self.behind_proxy => {
                return refused(
                    "behind a proxy, the server does not know the address that people open",
                    "name it, as in `--url https://cup.example`",
                );
            }
            Some(url) if self.behind_proxy && !url.is_https() => {
                return refused(
                    "behind a proxy, the address that people open begins with `https://`",
                    "the proxy must encrypt: cookies are sent to no other address",
                );
            }
            Some(url) if !self.behind_proxy && url.is_https() => {
                return refused(
                    "this server does not encrypt, so that no browser reaches it by `https://`",
                    "with a proxy that encrypts, add `--behind-proxy`; without one, name the address with `http://`",
                );
            }
            _ => {}
        }
        match () {
            () if self.behind_proxy => Ok(Openness::BehindProxy),
            () if self.listen.is_loopback() => Ok(Openness::Loopback),
            () if self.insecure_lan => Ok(Openness::InsecureLan),
            () => Err(Error::user("other machines reach this address, and what they send is not encrypted")
                .exit(Exit::Usage)
                .hint(
                    "`--insecure-lan` says that everybody in the network may read passwords and bots; `--behind-proxy`, that only a \
                     proxy reaches it, which encrypts; or listen on this machine alone, with `--listen 8080`",
                )),
        }
    }

    fn announce(
        &self,
        (url, link): (String, Option<String>),
        openness: Openness,
        store: &StoreName,
        printer: &Printer,
    ) -> Result<()> {
        match self.format {
            Format::Json => {
                let document = serde_json::to_string(&Versioned::of(ServeDocument { url, link }));
                printer.data(document.map_err(|why| Error::user(why.to_string()))? + "\n")?;
            }
            Format::Text => {
                let link = link.map(|link| format!("organiser, once and within 24 hours: {link}\n"));
                printer.data(format!("contest: {url}\n{}", link.unwrap_or_default()))?;
                printer.note(format!("serves {} until Ctrl-C", store.shown()));
            }
        }
        match openness {
            Openness::InsecureLan => printer.warning("INSECURE: everybody in the network can read passwords and bots"),
            Openness::BehindProxy => printer.note("behind a proxy"),
            Openness::Loopback => {}
        }
        Ok(())
    }
}

/// Returns the name of the contest's game, if the contest is made.
fn game(sql: &mut dyn Sql) -> agon_server::Result<Option<String>> {
    Ok(Contest::read(sql)?.map(|contest| contest.file.game))
}

/// Returns what tells the organiser about the trouble of this host.
fn trouble(printer: Printer) -> impl Fn(&agon_server::Error) + Send + Sync + 'static {
    move |why| printer.warning(clean(&why.to_string()))
}

/// Reads the file of a contest.
fn read_file(path: &Path) -> Result<ContestFile> {
    let failed = |why: &io::Error| Error::file("read the contest", path, why);
    if fs::metadata(path).map_err(|why| failed(&why))?.len() > MOST_FILE {
        return Err(Error::user(format!(
            "`{}` is too large for the file of a contest",
            clean(&path.display().to_string())
        )));
    }
    let text = fs::read_to_string(path).map_err(|why| failed(&why))?;
    let name = path.display().to_string();
    let file = ContestFile::parse(&text).map_err(|flaw| Error::in_text(&name, text.as_bytes(), flaw))?;
    if agon_games::find(&file.game).is_none() {
        let flaw = ContestFile::flaw_of(&text, "game", "there is no such game");
        let games = list(agon_games::all().iter().map(|game| game.name().to_owned()));
        return Err(Error::in_text(&name, text.as_bytes(), flaw.hint(format!("there are: {games}"))));
    }
    Ok(file)
}

/// Opens the tables of the contest in a store that is open.
fn database(name: &StoreName) -> Result<Database> {
    match name {
        StoreName::File(path) => Database::sqlite(path).map_err(of_server),
        #[cfg(feature = "postgres")]
        StoreName::Server(address) => Database::postgres(address).map_err(of_server),
        #[cfg(not(feature = "postgres"))]
        StoreName::Server(_) => Err(Error::user("this program cannot use databases on servers")),
    }
}

fn of_server(why: agon_server::Error) -> Error {
    Error::user(clean(&why.to_string()))
}

fn not_listening(listen: &ListenAddress, why: &io::Error) -> Error {
    let error = Error::system(&format!("cannot listen on {listen}"), why);
    match why.kind() {
        io::ErrorKind::AddrInUse => {
            error.hint("another program listens there: name another port with `--listen PORT`, or 0 for any free one")
        }
        _ => error,
    }
}
