// What every board is given, and which games have one.
import type { Space } from "../layers.ts";
import type { Player } from "../player.svelte.ts";

export interface BoardProps {
  player: Player;
  space: Space;
  width: number;
  height: number;
}
