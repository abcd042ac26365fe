export interface ProgramOptions {
  readonly entry: string
  readonly outdir: string
  /** The name of the file that starts the program, without its ending. */
  readonly name: string
  /** Packages that are installed beside the bundle. */
  readonly external: readonly string[]
  readonly define: Readonly<Record<string, string>>
}

export interface BundledProgram {
  readonly files: readonly { readonly file: string; readonly bytes: number }[]
  /** The sources that are in it. */
  readonly inputs: readonly string[]
}

export function bundleProgram(options: ProgramOptions): Promise<BundledProgram>
