// A console that the server of this page begins at a turn.

/** Begins a console after a turn, and returns its address. Throws why there is none. */
export async function consoleAt(ply: number): Promise<string> {
  const answer = await fetch(`play?ply=${ply}`, { method: "POST" });
  if (!answer.ok) throw new Error((await answer.text()) || `the server answers ${answer.status}`);
  return ((await answer.json()) as { url: string }).url;
}
