//! What runtimes do beside playing still works in a sandbox, at both levels: threads, timers, an event loop, a collection
//! of garbage, files with locks. Each bot does it before its first answer, writes nothing else to its stdout, and passes.

use crate::{
    agon::{Done, Place},
    builds::{bot, installed, json, run, sandboxed},
};
use serde_json::Value;

/// That a bot of these files plays without a fault, at both levels.
fn plays(tools: &[&str], files: &[(&str, &str)]) {
    if !sandboxed() || !installed(tools) {
        return;
    }
    for level in ["full", "restricted"] {
        let place = Place::new();
        bot(&place, "bot", files);
        let args = ["match", "planet-wars", "bot", "@random", "--rounds", "3", "--seed", "1", "--time", "off"];
        let args = [&args[..], &["--sandbox", level, "--format", "json"]].concat();
        let closed = |done: &Done| done.err.contains("closed to the user that bots run as");
        let mut done = run(&place, &args);
        if closed(&done) {
            // What root has installed in its own folder is out of reach there; the system's own is not.
            let mut command = place.command(&args);
            command.env("XDG_CACHE_HOME", place.path("cache")).env("PATH", "/usr/local/bin:/usr/bin:/bin");
            done = Done::from(command.output().expect("agon can be started"));
        }
        if done.code == 40 || closed(&done) {
            assert!(std::env::var_os("CI").is_none(), "{done:?}");
            eprintln!("SKIPPED: {} at `{level}`: {}", tools[0], done.err);
            continue;
        }
        let played = json(&done);
        assert!(played["seats"][0]["fault"].is_null(), "{level}: {played:#}");
    }
}

#[test]
fn python() {
    let main = "import asyncio, fcntl, gc, os, select, signal, socket, sys, threading, tempfile, time
def work(done):
    done.append(sum(range(1000)))
done = []
threads = [threading.Thread(target=work, args=(done,)) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert len(done) == 8
gc.collect()
async def nap():
    await asyncio.sleep(0.001)
    return 7
assert asyncio.run(nap()) == 7
one, other = socket.socketpair()
one.settimeout(1); one.send(b'x'); assert other.recv(1) == b'x'
r, w = os.pipe(); os.set_blocking(r, False); os.write(w, b'y'); assert select.select([r], [], [], 1)[0]
signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.001); time.sleep(0.01)
try:
    scratch = tempfile.gettempdir()
except FileNotFoundError:
    scratch = None
if scratch:
    with tempfile.TemporaryFile() as f:
        f.write(b'z'); f.flush(); os.fsync(f.fileno()); fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX)
assert sys.stdout.isatty() is False and os.get_inheritable(0)
for line in sys.stdin:
    if line == 'go\\n':
        print('go', flush=True)
";
    plays(&["python3"], &[("__main__.py", main)]);
}

/// Four children share 40 MiB with their parent, where 64 MiB are allowed. Counted one by one, that would be 200 MiB.
#[test]
fn children_that_share_memory_with_their_parent() {
    let doctor: Value =
        serde_json::from_str(&Place::new().run(&["doctor", "--format", "json"]).out).expect("a document");
    let groups =
        doctor["protections"].as_array().expect("protections").iter().find(|row| row["name"] == "control groups");
    if !sandboxed() || !installed(&["python3"]) || doctor["level"] != "full" {
        return;
    }
    if groups.is_none_or(|groups| groups["state"] != "active") {
        eprintln!("SKIPPED: no control group counts the memory of several processes of this user");
        return;
    }
    let main = "import gc, os, sys, time
kept = b'x' * (40 << 20)
gc.freeze()
for _ in range(4):
    if os.fork() == 0:
        time.sleep(60)
for line in sys.stdin:
    if line == 'go\\n':
        time.sleep(0.05)
        print('go', flush=True)
";
    let place = Place::new();
    bot(&place, "bot", &[("__main__.py", main)]);
    let words = "match planet-wars bot @random --rounds 5 --seed 1 --time off --sandbox full --memory 64 --processes 6";
    let played = json(&run(&place, &[&words.split(' ').collect::<Vec<_>>()[..], &["--format", "json"]].concat()));
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
}

#[test]
fn java() {
    let main = "import java.util.*;
import java.util.concurrent.*;
public class Player {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 32; i++) all.add(pool.submit(() -> new int[100000].length));
        int sum = 0;
        for (Future<Integer> one : all) sum += one.get();
        if (sum != 3200000) throw new IllegalStateException();
        pool.shutdown();
        Timer timer = new Timer(true);
        CountDownLatch latch = new CountDownLatch(1);
        timer.schedule(new TimerTask() { public void run() { latch.countDown(); } }, 1);
        latch.await();
        System.gc();
        java.nio.channels.Selector.open().selectNow();
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) if (in.nextLine().equals(\"go\")) System.out.println(\"go\");
    }
}
";
    plays(&["java", "javac"], &[("Player.java", main)]);
}

#[test]
fn node() {
    let main = "const {Worker} = require('worker_threads');
const work = new Worker(\"require('worker_threads').parentPort.postMessage(7)\", {eval: true});
work.on('message', answer => {
    if (answer !== 7) process.exit(3);
    setTimeout(() => require('crypto').pbkdf2('a', 'b', 10, 16, 'sha256', () => {
        require('readline').createInterface({input: process.stdin})
            .on('line', line => { if (line === 'go') console.log('go'); });
    }), 1);
});
";
    plays(&["node"], &[("bot.js", main)]);
}

#[test]
fn go() {
    let main = "package main

import (
\t\"bufio\"
\t\"fmt\"
\t\"os\"
\t\"runtime\"
\t\"sync\"
\t\"time\"
)

func main() {
\tvar group sync.WaitGroup
\tfor i := 0; i < 32; i++ {
\t\tgroup.Add(1)
\t\tgo func() { runtime.LockOSThread(); time.Sleep(time.Millisecond); _ = make([]byte, 1<<16); group.Done() }()
\t}
\tgroup.Wait()
\truntime.GC()
\tr, w, err := os.Pipe()
\tif err != nil {
\t\tos.Exit(3)
\t}
\tgo func() { w.Write([]byte(\"x\")) }()
\tr.Read(make([]byte, 1))
\t<-time.After(time.Millisecond)
\tin := bufio.NewScanner(os.Stdin)
\tfor in.Scan() {
\t\tif in.Text() == \"go\" {
\t\t\tfmt.Println(\"go\")
\t\t}
\t}
}
";
    plays(&["go"], &[("main.go", main)]);
}

#[test]
fn haskell() {
    let main = "import Control.Concurrent
import Control.Monad
import System.IO
import System.Mem
import System.Timeout

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    done <- newEmptyMVar
    forM_ [1 .. 32 :: Int] $ \\n -> forkIO (threadDelay 1000 >> putMVar done (sum [1 .. n]))
    replicateM_ 32 (takeMVar done)
    _ <- timeout 1000 (threadDelay 100000)
    performGC
    interact (unlines . map (const \"go\") . filter (== \"go\") . lines)
";
    plays(&["ghc"], &[("Main.hs", main)]);
}

#[test]
fn erlang() {
    let main = "#!/usr/bin/env escript
main(_) ->
    Self = self(),
    [spawn(fun() -> timer:sleep(1), Self ! done end) || _ <- lists:seq(1, 100)],
    [receive done -> ok end || _ <- lists:seq(1, 100)],
    erlang:garbage_collect(),
    loop().
loop() ->
    case io:get_line(\"\") of
        eof -> ok;
        \"go\\n\" -> io:format(\"go~n\"), loop();
        _ -> loop()
    end.
";
    if !installed(&["escript"]) {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    bot(&place, "bot", &[("play", main)]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("bot/play"), mode).expect("it is ours");
    // Its virtual machine is started by a script, and starts others.
    let args = ["match", "planet-wars", "bot", "@random", "--rounds", "3", "--seed", "1", "--processes", "8"];
    let played = json(&run(&place, &[&args[..], &["--time", "off", "--format", "json"]].concat()));
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
}
