// The keyboard. Every key does what a control of the page does.
import type { Player } from "./player.svelte.ts";

export const SHEET: readonly (readonly [string, string])[] = [
  ["Space", "play, pause"],
  ["← →", "one turn back, on"],
  ["Shift ← →", "ten turns back, on"],
  [", .", "one step within the turn back, on"],
  ["[ ]", "mark before, next mark"],
  ["Home End", "start, end"],
  ["R", "play backwards, forwards"],
  ["+ −", "faster, slower"],
  ["N P", "next thing on the board, thing before, with its facts"],
  ["← → ↑ ↓", "on the board: the next thing or cell in this direction; Enter pins"],
  ["1 to 9", "look through the eyes of this seat"],
  ["0", "see everything"],
  ["Esc", "free what is pinned"],
  ["T", "light, dark"],
  ["?", "this sheet"],
];

export interface Commands {
  sheet(): void;
  theme(): void;
  free(): void;
  /** Pins the next thing on the board, or the one before. */
  thing(step: 1 | -1): void;
}

/** Does what a key stands for. Returns whether it stands for anything. */
export function press(event: KeyboardEvent, player: Player, commands: Commands): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const within = event.target instanceof Element ? event.target : null;
  if (within?.closest("input, select, textarea, dialog")) return false;
  // A button that has the focus is pressed by the space bar, as everywhere.
  if (event.key === " " && within?.closest("button, [role=tab]")) return false;
  // The board has the arrows while it has the focus, and they move between tabs.
  if (event.key.startsWith("Arrow") && within?.closest("[role=tablist], .board")) return false;
  const far = event.shiftKey ? 10 : 1;
  const todo = ((): (() => void) | null => {
    switch (event.key) {
      case " ":
      case "k": return () => player.toggle();
      case "ArrowLeft": return () => player.pauseAt(player.turn - far);
      case "ArrowRight": return () => player.pauseAt(player.turn + far);
      case ",": return () => player.showStep(player.step - 1);
      case ".": return () => player.showStep(player.step + 1);
      case "[": return () => player.mark(-1);
      case "]": return () => player.mark(1);
      case "Home": return () => player.pauseAt(0);
      case "End": return () => player.pauseAt(player.last);
      case "r":
      case "R": return () => { player.reverse = !player.reverse; };
      case "+":
      case "=": return () => player.faster(1);
      case "-": return () => player.faster(-1);
      case "0": return () => player.look(null);
      case "n":
      case "N": return () => commands.thing(1);
      case "p":
      case "P": return () => commands.thing(-1);
      case "t":
      case "T": return () => commands.theme();
      case "Escape": return () => commands.free();
      case "?": return () => commands.sheet();
      default: return /^[1-9]$/.test(event.key) ? () => player.look(Number(event.key)) : null;
    }
  })();
  todo?.();
  return todo !== null;
}
