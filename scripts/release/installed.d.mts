export interface InstalledTrial {
  readonly archive: string
  /** An empty one. */
  readonly folder: string
  readonly root: string
  readonly version: string
}

export function tryInstalled(options: InstalledTrial): { problems: string[]; seconds: number; bytes: number }
