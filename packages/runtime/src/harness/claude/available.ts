import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { errorCode, messageOf } from '../../kit/index.ts'
import { descriptorShortage } from '../descriptors.ts'

export type Availability =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly message: string
      /** What to type. */
      readonly cure: string
    }

/** The path of a module, as seen from a file. Throws when there is none. */
type Resolve = (name: string, from: string) => string

const packageName = '@anthropic-ai/claude-agent-sdk'
const cure = `npm install ${packageName}`

/**
 * Whether the optional SDK is there, with the program for this platform, which is a package of its own and may be missing
 * alone. Loads and starts nothing. Never rejects.
 */
export async function sdkHarnessAvailable(resolve: Resolve = resolveFrom): Promise<Availability> {
  const sdk = attempt(() => resolve(packageName, import.meta.url))
  if (sdk === undefined) return { ok: false, message: `The package ${packageName} is not installed.`, cure }
  const programs = programNames().flatMap(name => attempt(() => resolve(name, sdk)) ?? [])
  for (const program of programs) {
    if (await isExecutable(program)) return { ok: true }
  }
  return {
    ok: false,
    message: `The package ${packageName} is installed without its program for ${process.platform}-${process.arch}.`,
    cure: `npm install --include=optional ${packageName}`,
  }
}

/** What to say of an error on the way to a started SDK. */
export function notInstalled(error: unknown): string {
  const shortage = descriptorShortage(errorCode(error))
  if (shortage !== undefined) return shortage
  const message = messageOf(error)
  return errorCode(error) === 'ERR_MODULE_NOT_FOUND'
    ? `The agent SDK is not installed. Install it: ${cure}`
    : message
}

/** In the order in which one may fit; which C library the system has decides between two on Linux. */
function programNames(): readonly string[] {
  const { platform, arch } = process
  if (platform === 'win32') return [`${packageName}-win32-${arch}/claude.exe`]
  const names = [`${packageName}-${platform}-${arch}/claude`]
  return platform === 'linux' ? [...names, `${packageName}-linux-${arch}-musl/claude`] : names
}

function resolveFrom(name: string, from: string): string {
  return createRequire(from).resolve(name)
}

function attempt(resolve: () => string): string | undefined {
  try {
    return resolve()
  } catch {
    return undefined
  }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
