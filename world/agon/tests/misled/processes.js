// Planet Wars: starts another program.
require("child_process").execFileSync("true");
