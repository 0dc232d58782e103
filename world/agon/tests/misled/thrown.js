// Planet Wars: throws below many calls, which Node lists after what was wrong.
let planets;
require("readline").createInterface({ input: process.stdin }).on("line", () => console.log(planets.length));
