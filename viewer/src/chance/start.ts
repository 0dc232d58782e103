// Starts the page's own script in a worker. Nothing is fetched: the script is a text of the page.

interface Policy {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | null = null;

/** Returns an address as the policy of the page lets a worker have it. Only this file makes one. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy("agon-worker", { createScriptURL: (own) => own });
  return policy.createScriptURL(url);
}

/** Starts a worker that runs `script`. */
export function startWorker(script: string): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return new Worker(trusted(url));
  } finally {
    // The worker has it by now, or never will.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
