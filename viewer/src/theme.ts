// Light and dark.

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
}

/** Keeps a theme that was chosen. */
export function keepTheme(theme: Theme): void {
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
