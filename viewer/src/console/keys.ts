// The keyboard of the console. Every key does what a control of the page does.
import { ARROWS } from "../boards/walk.ts";
import type { Desk } from "./desk.svelte.ts";
import type { Hand } from "./hand.svelte.ts";

export const SHEET: readonly (readonly [string, string])[] = [
  ["← → ↑ ↓", "move the cursor over the board, when the board has the focus"],
  ["N P", "next, previous lawful place"],
  ["Enter", "choose the place under the cursor"],
  ["Esc", "let go of what was chosen"],
  ["Backspace", "take the last order back"],
  ["G", "give the orders"],
  ["U, R", "undo, redo"],
  ["Space", "pause the bots, let them go on"],
  ["[ ]", "look at the turn before, after"],
  ["M, E", "new match in the page, edit the board"],
  ["T", "light, dark"],
  ["?", "this sheet"],
];

/** What else there is in a session of `agon console`. */
export const SESSION_SHEET: readonly (readonly [string, string])[] = [
  ["D", "open the dialogue, write a line for a program"],
  ["Enter, ↑ ↓", "in that line: send it, earlier and later lines"],
  ["S", "edit what the map does not say"],
  ["N P ← →, Enter", "while it is edited: next, previous thing on the board, edit the thing"],
];

/** What else there is in one with clocks. */
export const CLOCK_SHEET: readonly (readonly [string, string])[] = [["C", "start the clocks, stop them until somebody plays"]];

export interface Commands {
  sheet(): void;
  theme(): void;
  begin(): void;
  edit(): void;
  dialogue(): void;
  state(): void;
  /** Pins the next thing on the board, or the one before. Returns whether the keys are for that now, and not for gestures. */
  walk(step: 1 | -1): boolean;
  /** Opens the item of what is pinned. Returns whether Enter was for that. */
  open(): boolean;
  /** Lets go of what is pinned. */
  free(): void;
}

/** Does what a key stands for. Returns whether it stands for anything. */
export function press(event: KeyboardEvent, desk: Desk, hand: Hand, commands: Commands, onBoard: boolean): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, select, textarea, dialog")) return false;
  const arrow = ARROWS[event.key];
  if (arrow) {
    if (!onBoard) return false;
    const [x, y] = arrow;
    if (!commands.walk(x - y > 0 ? 1 : -1)) hand.step(x, y);
    return true;
  }
  switch (event.key) {
    case "Enter":
      if (onBoard && commands.open()) return true;
      if (!onBoard || hand.cursor === null) return false;
      hand.choose(hand.cursor);
      return true;
    case " ":
      if (target?.closest("button")) return false;
      desk.pause(!desk.paused);
      return true;
    case "Escape":
      hand.cancel();
      desk.refuse("");
      commands.free();
      return true;
    case "Backspace":
      desk.compose(desk.orders.slice(0, -1));
      return true;
    case "[":
      desk.pauseAt(desk.ply - 1);
      return true;
    case "]":
      desk.pauseAt(desk.ply + 1);
      return true;
    case "?":
      commands.sheet();
      return true;
  }
  switch (event.key.toLowerCase()) {
    case "n":
      if (!commands.walk(1)) hand.next(1);
      return true;
    case "p":
      if (!commands.walk(-1)) hand.next(-1);
      return true;
    case "g":
      desk.give();
      return true;
    case "u":
      desk.undo();
      return true;
    case "r":
      desk.redo();
      return true;
    case "m":
      commands.begin();
      return true;
    case "e":
      commands.edit();
      return true;
    case "d":
      if (!desk.session) return false;
      commands.dialogue();
      return true;
    case "s":
      if (!desk.session) return false;
      commands.state();
      return true;
    case "c":
      if (desk.session?.status.clocks_run === undefined) return false;
      desk.session.setClocks(!desk.session.status.clocks_run);
      return true;
    case "t":
      commands.theme();
      return true;
  }
  return false;
}
