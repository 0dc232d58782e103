// Light and dark, and colours for what is drawn on a canvas.

export type Theme = "auto" | "light" | "dark";

const KEY = "agon-theme";

/** Returns the theme that was chosen last. A page opened from disk may have no place to keep it. */
export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "auto";
  } catch {
    return "auto";
  }
}

export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The theme then lasts as long as the page.
  }
}

const darkSystem = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

export const darkNow = (theme: Theme): boolean => (theme === "auto" ? darkSystem().matches : theme === "dark");

/** Calls `changed` whenever the system turns light or dark. Returns what ends that. */
export function followSystem(changed: () => void): () => void {
  const query = darkSystem();
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

export type Colours = (name: string) => string;

/** Numbers of the theme in use. To ask the browser for one may cost a layout. */
const amounts = new Map<string, number>();

/** Returns the colours of the theme in use as a canvas takes them. A later theme needs new ones. */
export function colours(): Colours {
  amounts.clear();
  const probe = document.createElement("span");
  probe.hidden = true;
  const known = new Map<string, string>();
  const get = (name: string): string => {
    let colour = known.get(name);
    if (colour === undefined) {
      document.body.append(probe);
      probe.style.color = `var(${name})`;
      colour = getComputedStyle(probe).color;
      probe.remove();
      known.set(name, colour);
    }
    return colour;
  };
  return get;
}

/** Returns a number among the custom properties, as `--fill`. */
export function amount(name: string): number {
  let value = amounts.get(name);
  if (value === undefined) {
    value = Number(getComputedStyle(document.documentElement).getPropertyValue(name));
    amounts.set(name, value);
  }
  return value;
}
