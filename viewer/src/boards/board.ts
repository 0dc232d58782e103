// What every board is given, and which games have one.
import type { Space } from "../layers.ts";
import type { Player } from "../player.svelte.ts";
import type { Colours } from "../theme.ts";

export interface BoardProps {
  player: Player;
  space: Space;
  colours: Colours;
  width: number;
  height: number;
}
