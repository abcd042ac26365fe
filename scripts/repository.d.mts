import type { RepoFile, Rules, Violation } from './layers.mjs'

/** The root folder of this repository, absolute. */
export const root: string

/** Every text file of the repository that git would keep. */
export function readRepository(): RepoFile[]

/** `layers.json`. */
export function readRules(): Rules

/** Prints each violation as `path:line message` and sets the exit code. */
export function report(subject: string, violations: readonly Violation[]): void

/** When something at `path` or below it last changed. */
export function newest(path: string): number
