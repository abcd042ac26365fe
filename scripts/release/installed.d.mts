export interface InstalledTrial {
  readonly archive: string
  /** An empty one. */
  readonly folder: string
  readonly root: string
  readonly version: string
}

export interface Trial {
  readonly problems: string[]
  readonly seconds: number
  readonly bytes: number
}

export function tryInstalled(options: InstalledTrial): Trial

export function tryFirstNpx(options: Omit<InstalledTrial, 'root'>): Trial
