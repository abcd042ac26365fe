export type ResolvedSha =
  | { readonly ok: true; readonly sha: string }
  | { readonly ok: false; readonly reason: 'too-short' | 'unknown' | 'ambiguous' }

/** The one known checkpoint that begins so. git is not asked: what a client sends never gets to it. */
export function resolveSha(prefix: string, known: Iterable<string>): ResolvedSha {
  if (prefix.length < shortest) return { ok: false, reason: 'too-short' }
  const wanted = prefix.toLowerCase()
  const fitting = new Set<string>()
  for (const sha of known) if (sha.startsWith(wanted)) fitting.add(sha)
  const [sha, ...others] = fitting
  if (sha === undefined) return { ok: false, reason: 'unknown' }
  return others.length === 0 ? { ok: true, sha } : { ok: false, reason: 'ambiguous' }
}

const shortest = 4
