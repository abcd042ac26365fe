import type { Inlined } from './inlined.mjs'

export function sbomOf(
  program: { readonly name: string; readonly version: string; readonly license: string },
  packages: readonly Inlined[],
  facts: {
    readonly integrityOf: (place: string) => string | undefined
    readonly time: Date | undefined
  },
): object
