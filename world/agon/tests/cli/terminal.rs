//! Runs commands on a real terminal.

use crate::agon::{Place, python};
use std::process::Command;

/// Runs a command on a terminal of 80 x 24. Presses each key when the text before it has been drawn since the last key, and prints
/// what the terminal got. The key may be empty.
const TERMINAL: &str = r#"
import fcntl, os, pty, select, signal, struct, sys, termios
command, steps = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
pid, tty = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(command[0], command)
seen = rest = b""
def wait(text):
    global seen, rest
    while text is None or text.encode() not in rest:
        if not select.select([tty], [], [], 60)[0]: sys.exit("no `%s` in %r" % (text, rest))
        try: piece = os.read(tty, 65536)
        except OSError: piece = b""
        rest += piece
        seen += piece
        if not piece:
            if text is None: return
            sys.exit("the end before `%s`: %r" % (text, rest))
    rest = rest.split(text.encode(), 1)[1]
for text, key in zip(steps[::2], steps[1::2]):
    wait(text)
    if key: rest = b""
    if key.startswith("SIG"): os.kill(pid, getattr(signal, key))
    else: os.write(tty, key.encode().decode("unicode_escape").encode())
wait(None)
if not termios.tcgetattr(tty)[3] & termios.ICANON: sys.exit("the terminal does not take lines any more")
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

/// Runs `agon` on a terminal until it ends with this code. `steps` are texts to wait for, each with the keys to press then, or
/// with the name of a signal. At the end the terminal must be as a shell needs it. Returns what the terminal got. `None` if there is no Python.
pub fn on_terminal(place: &Place, args: &[&str], steps: &[&str], code: i32) -> Option<String> {
    python("")?;
    let mut command = Command::new("python3");
    command.args(["-c", TERMINAL, env!("CARGO_BIN_EXE_agon")]).args(args).arg("--").args(steps);
    let done = command.current_dir(place.path(".")).env("TERM", "xterm").output().expect("python3 can be started");
    assert_eq!(done.status.code(), Some(code), "{}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8(done.stdout).expect("text"))
}
