export interface ClientBundle {
  readonly root: string
  readonly outdir: string
  /** Packages that are installed beside the bundle. */
  readonly external: readonly string[]
}

export function bundleClient(options: ClientBundle): Promise<{ file: string; bytes: number }[]>
