import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { errorCode, type Failure, messageOf, type Result } from '../kit/index.ts'
import { descriptorShortage } from './failure.ts'

/** `cure`: what to type. */
export type Availability = Result<object, Failure>

type Resolve = (name: string, from: string) => string

const claudePackage = '@anthropic-ai/claude-agent-sdk'
const installClaude = `npm install ${claudePackage}`

/** With the program for this platform, a package of its own that may be missing alone. Starts nothing; never rejects. */
export async function sdkHarnessAvailable(resolve: Resolve = resolveFrom): Promise<Availability> {
  const sdk = attempt(() => resolve(claudePackage, import.meta.url))
  if (sdk === undefined) {
    return { ok: false, message: `The package ${claudePackage} is not installed.`, cure: installClaude }
  }
  const programs = programNames().flatMap(name => attempt(() => resolve(name, sdk)) ?? [])
  if (programs.some(isExecutable)) return { ok: true }
  return {
    ok: false,
    message: `The package ${claudePackage} is installed without its program for ${process.platform}-${process.arch}.`,
    cure: `npm install --include=optional ${claudePackage}`,
  }
}

/** In the order in which one may fit: on Linux the C library decides. */
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const piPackages = ['@earendil-works/pi-coding-agent', '@earendil-works/pi-ai']
/** The version that this program was made for; later ones have another interface. */
const piVersion = '0.74.2'
const installPi = `npm install ${piPackages.map(name => `${name}@${piVersion}`).join(' ')}`

/** Loads nothing. `from`: the file that would import it. */
export async function embeddedHarnessAvailable({ from = import.meta.url } = {}): Promise<Availability> {
  const missing = piPackages.filter(name => !isInstalled(name, from))
  if (missing.length === 0) return { ok: true }
  return { ok: false, message: `${missing.join(' and ')} cannot be found.`, cure: installPi }
}

/** Not by resolving: the packages can only be imported, and that is what takes its time. */
function isInstalled(name: string, from: string): boolean {
  const folders = createRequire(from).resolve.paths(name) ?? []
  return folders.some(folder => existsSync(join(folder, name, 'package.json')))
}

export function claudeLaunchFailure(error: unknown): string {
  return missingOf(error, `The agent SDK is not installed. Install it: ${installClaude}`) ?? messageOf(error)
}

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

/** Providers that need more than a key: an account, a project, a deployment, a login. */
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
 * Whether the Pi SDK can serve the models of a provider: one newer than its catalogue like the nearest, one of an unknown
 * provider by chat completions at the address of its variable. So nothing has to be loaded to tell.
 */
export function servable(provider: string): boolean {
  return !needsMoreThanAKey.has(provider)
}
