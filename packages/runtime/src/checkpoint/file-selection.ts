/**
 * Which files of the workspace are checkpointed. Paths are relative to the work tree, with `/`. Never changes, so that
 * the same object always means the same files; none of these throws.
 */
export interface FileSelection {
  /** Whether a file, or a link, at this path is selected. */
  selects(path: string): boolean
  /** Everything below this directory is selected, but for what is never selected: what is called `.git`. */
  covers(directory: string): boolean
  /** `false`: nothing in this directory or below it can be selected. */
  mayHold(directory: string): boolean
}

/** A repository of the agent's own: its files are kept, what git keeps about them is not, and could not be. */
export const gitName = '.git'
