// Planet Wars: waits for two lines `go` before it answers.
let turns = 0;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "go" && ++turns % 2 === 0) console.log("go");
});
