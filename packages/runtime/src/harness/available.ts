import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { errorCode, messageOf, type Result } from '../kit/index.ts'
import { descriptorShortage } from './failure.ts'

/** Whether the optional packages of an SDK are there. `cure`: what to type. */
export type Availability = Result<object, { readonly message: string; readonly cure: string }>

/** The path of a module, as seen from a file. Throws when there is none. */
type Resolve = (name: string, from: string) => string

const claudePackage = '@anthropic-ai/claude-agent-sdk'
const installClaude = `npm install ${claudePackage}`

/**
 * The Claude Agent SDK, with the program for this platform, which is a package of its own and may be missing alone. Loads
 * and starts nothing. Never rejects.
 */
export async function sdkHarnessAvailable(resolve: Resolve = resolveFrom): Promise<Availability> {
  const sdk = attempt(() => resolve(claudePackage, import.meta.url))
  if (sdk === undefined) {
    return { ok: false, message: `The package ${claudePackage} is not installed.`, cure: installClaude }
  }
  const programs = programNames().flatMap(name => attempt(() => resolve(name, sdk)) ?? [])
  for (const program of programs) {
    if (await isExecutable(program)) return { ok: true }
  }
  return {
    ok: false,
    message: `The package ${claudePackage} is installed without its program for ${process.platform}-${process.arch}.`,
    cure: `npm install --include=optional ${claudePackage}`,
  }
}

/** In the order in which one may fit; which C library the system has decides between two on Linux. */
function programNames(): readonly string[] {
  const { platform, arch } = process
  if (platform === 'win32') return [`${claudePackage}-win32-${arch}/claude.exe`]
  const names = [`${claudePackage}-${platform}-${arch}/claude`]
  return platform === 'linux' ? [...names, `${claudePackage}-linux-${arch}-musl/claude`] : names
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

/** The versions of the Pi SDK that this program was made for; later ones have another interface. */
const piPackages = {
  '@earendil-works/pi-coding-agent': '0.74.2',
  '@earendil-works/pi-ai': '0.74.2',
} as const

const wanted = Object.entries(piPackages).map(([name, version]) => `${name}@${version}`)
const installPi = `npm install ${wanted.join(' ')}`

/** The Pi SDK. Loads nothing. `from`: the file that would import it. Never rejects. */
export function embeddedHarnessAvailable({ from = import.meta.url } = {}): Promise<Availability> {
  const missing = Object.keys(piPackages).filter(name => !isInstalled(name, from))
  if (missing.length === 0) return Promise.resolve({ ok: true })
  return Promise.resolve({
    ok: false,
    message: `${missing.join(' and ')} cannot be found.`,
    cure: installPi,
  })
}

/** Not by resolving: the packages can only be imported, and that is what takes its time. */
function isInstalled(name: string, from: string): boolean {
  const folders = createRequire(from).resolve.paths(name) ?? []
  return folders.some(folder => existsSync(join(folder, name, 'package.json')))
}

/** What to say of an error on the way to a started Claude Agent SDK. */
export function claudeLaunchFailure(error: unknown): string {
  return missingOf(error, `The agent SDK is not installed. Install it: ${installClaude}`) ?? messageOf(error)
}

/** The same for the Pi SDK. */
export function piLaunchFailure(error: unknown): string {
  return (
    missingOf(error, `The embedded SDK is not installed. Run: ${installPi}`) ??
    `The embedded SDK could not be started: ${messageOf(error)}`
  )
}

function missingOf(error: unknown, notInstalled: string): string | undefined {
  const code = errorCode(error)
  return descriptorShortage(code) ?? (code === 'ERR_MODULE_NOT_FOUND' ? notInstalled : undefined)
}

/**
 * Providers that the Pi SDK knows and that need more than a key: an account, a project, a deployment, a login. Our registry
 * knows their models only where a person added them.
 */
const needsMoreThanAKey: ReadonlySet<string> = new Set([
  'amazon-bedrock',
  'azure-openai-responses',
  'cloudflare-ai-gateway',
  'cloudflare-workers-ai',
  'github-copilot',
  'google-vertex',
  'openai-codex',
])

/**
 * Whether the Pi SDK can serve the models of a provider. A model newer than its catalogue is served like the nearest one of
 * the same provider, and a provider that it does not know is asked in the dialect of chat completions at the address that
 * its variable gives; so nothing has to be loaded to tell.
 */
export function servable(provider: string): boolean {
  return !needsMoreThanAKey.has(provider)
}
