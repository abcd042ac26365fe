/** One place where a kind of agent keeps conversations. */
export interface SessionFolder {
  /** Absolute. */
  readonly folder: string
  /** The same for agents that work in the new directory. */
  readonly target: string
  /** The session that an entry right in the folder belongs to; undefined: none. */
  sessionOf(name: string): string | undefined
}
