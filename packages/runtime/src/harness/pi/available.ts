import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export type Availability =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly message: string
      /** What to type. */
      readonly cure: string
    }

/** The versions that this program was made for; later ones have another interface. */
const packages = {
  '@earendil-works/pi-coding-agent': '0.74.2',
  '@earendil-works/pi-ai': '0.74.2',
} as const

/**
 * Whether the packages of the SDK are installed, without loading them. `from`: the file that would import them. Never
 * rejects.
 */
export function embeddedHarnessAvailable({ from = import.meta.url } = {}): Promise<Availability> {
  const missing = Object.keys(packages).filter(name => !isInstalled(name, from))
  if (missing.length === 0) return Promise.resolve({ ok: true })
  return Promise.resolve({
    ok: false,
    message: `${missing.join(' and ')} cannot be found.`,
    cure: installLine,
  })
}

const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
export const installLine = `npm install ${wanted.join(' ')}`

/** Not by resolving: the packages can only be imported, and that is what takes its time. */
function isInstalled(name: string, from: string): boolean {
  const folders = createRequire(from).resolve.paths(name) ?? []
  return folders.some(folder => existsSync(join(folder, name, 'package.json')))
}
