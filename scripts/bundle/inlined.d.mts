export interface Inlined {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly place: string
  readonly text: string | undefined
}

export function inputsOf(metafile: import('esbuild').Metafile, workingDirectory: string): string[]
export function inlinedPackages(inputs: readonly string[], root: string): Inlined[]
