import type { RepoFile, Rules, Violation } from './layers.mjs'

/** Paths, links and anchors in Markdown files that lead nowhere, in order of path and line. Pure. */
export function findDeadReferences(files: readonly RepoFile[], rules: Rules): Violation[]
