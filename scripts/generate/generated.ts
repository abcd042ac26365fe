/** A file that is written from the source and checked in. `path` is relative to the root of the repository. */
export interface Generated {
  readonly path: string
  readonly content: () => string
}
