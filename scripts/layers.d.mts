/** A text file of the repository; `path` is relative to its root and has forward slashes. */
export interface RepoFile {
  readonly path: string
  readonly text: string
}

export interface Violation {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** What a workspace or a room may import; `packages` (if there) limits what it may take from npm. */
export interface Place {
  readonly imports: readonly string[]
  readonly packages?: readonly string[]
  readonly browserSafe?: boolean
  readonly doors?: readonly string[]
}

/** The shape of `layers.json`. */
export interface Rules {
  readonly workspaces: Readonly<Record<string, Place>>
  readonly rooms: Readonly<Record<string, Place>>
  readonly figures: { readonly looseFiles: readonly string[]; readonly mostThatSeeEverything: number }
  readonly citations: readonly string[]
  readonly lines: { readonly cap: number; readonly exempt: readonly string[] }
  readonly forbiddenNames: readonly string[]
  readonly machinePaths: { readonly forbidden: readonly string[]; readonly harmless: readonly string[] }
  readonly switchedOff: readonly SwitchedOff[]
  readonly docs: { readonly folders: readonly string[]; readonly notOurs: readonly string[] }
}

/** A lint rule that is off on purpose; `in` names the globs of the override that switches it off. */
export interface SwitchedOff {
  readonly file: string
  readonly rule: string
  readonly in?: readonly string[]
  readonly reason: string
}

/** Everything in `files` that breaks `rules`, in order of path and line. Pure. */
export function findViolations(files: readonly RepoFile[], rules: Rules): Violation[]
