import { readFile, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { ensureDir } from '../files/index.ts'
import { errorCode, run } from '../kit/index.ts'
import { credentialFor, credentialVariables } from '../models/index.ts'
import { serverEnvironment } from '../settings/index.ts'
import type { Finding } from './finding.ts'
import { type ProxyToCheck, proxyFindings } from './proxy-findings.ts'

export interface DoctorOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly executionBaseDir: string
  readonly port: number
  readonly proxy: Pick<ProxyToCheck, 'isOn' | 'upstream'>
  readonly harnesses: readonly HarnessToCheck[]
}

export interface HarnessToCheck {
  readonly name: string
  readonly available: () => Promise<
    { readonly ok: true } | { readonly ok: false; readonly message: string; readonly cure: string }
  >
}

/** Looks at everything that a run needs before a hank is there. Writes nothing but the execution base directory. */
export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const groups = await Promise.all([
    nodeVersion(),
    gitVersion(options.environment),
    ...options.harnesses.map(harness),
    ...providers.map(provider => key(provider, options.environment)),
    disk(options.executionBaseDir),
    port(options.port),
    proxyFindings({
      ...options.proxy,
      controlPort: options.port,
      environment: serverEnvironment(options.environment),
    }),
    watching(),
  ])
  return groups.flat()
}

const providers = ['anthropic', 'openai', 'google', 'openrouter'] as const
const oldestNode: Version = [20, 19]
const oldestGit: Version = [2, 30]
const littleSpace = 1 << 30
const fewWatches = 65_536

type Version = readonly [major: number, minor: number]

async function nodeVersion(): Promise<Finding> {
  const found = versionIn(process.versions.node)
  const detail = process.versions.node
  if (found && isAtLeast(found, oldestNode)) return { name: 'Node.js', verdict: 'good', detail }
  return {
    name: 'Node.js',
    verdict: 'bad',
    detail,
    cure: `Install Node.js ${oldestNode.join('.')} or newer.`,
  }
}

async function gitVersion(environment: DoctorOptions['environment']): Promise<Finding> {
  const name = 'git'
  const cure = `Install git ${oldestGit.join('.')} or newer; checkpoints are kept with it.`
  const result = await run('git', ['--version'], { env: environment, timeoutMs: 5_000 })
  const found = versionIn(result.stdout)
  if (result.outcome !== 'exited' || !found) return { name, verdict: 'bad', detail: 'not found', cure }
  const detail = result.stdout.trim().replace(/^git version /, '')
  return isAtLeast(found, oldestGit)
    ? { name, verdict: 'good', detail }
    : { name, verdict: 'bad', detail, cure }
}

async function harness({ name, available }: HarnessToCheck): Promise<Finding> {
  const found = await available()
  if (found.ok) return { name, verdict: 'good', detail: 'installed' }
  return { name, verdict: 'poor', detail: found.message, cure: `Install it: ${found.cure}` }
}

async function key(provider: string, environment: DoctorOptions['environment']): Promise<Finding> {
  const name = `key for ${provider}`
  const credential = credentialFor(provider, 'codon', environment)
  if (credential.ok) return { name, verdict: 'good', detail: `${credential.variable} is set` }
  const [variable = ''] = credentialVariables(provider, 'codon')
  const cure = `Set ${variable} to use its models; "weave rehearse" needs no key.`
  return { name, verdict: 'poor', detail: 'not set', cure }
}

async function disk(directory: string): Promise<Finding> {
  const name = 'disk'
  try {
    await ensureDir(directory)
    const { bavail, bsize } = await statfs(directory)
    const free = bavail * bsize
    const detail = `${(free / (1 << 30)).toFixed(1)} GiB free for ${directory}`
    if (free >= littleSpace) return { name, verdict: 'good', detail }
    return { name, verdict: 'poor', detail, cure: 'Make room, or set executionBaseDir to another disk.' }
  } catch (error) {
    const detail = `${directory}: ${errorCode(error) ?? String(error)}`
    const cure = `Make ${dirname(directory)} writable, or set executionBaseDir to another place.`
    return { name, verdict: 'bad', detail, cure }
  }
}

function port(wanted: number): Promise<Finding> {
  const name = 'port'
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', error => {
      const detail = `${wanted} on 127.0.0.1: ${errorCode(error) ?? error.message}`
      resolve({ name, verdict: 'bad', detail, cure: 'Choose another --port; 0 lets the system choose.' })
    })
    server.listen({ port: wanted, host: '127.0.0.1' }, () => {
      const detail = wanted === 0 ? 'a free one can be had on 127.0.0.1' : `${wanted} is free on 127.0.0.1`
      server.close(() => resolve({ name, verdict: 'good', detail }))
    })
  })
}

/** Where the system says how much may be watched. */
async function watching(): Promise<readonly Finding[]> {
  const text = await readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8').catch(() => '')
  if (text === '') return []
  const watches = Number(text)
  const name = 'file watching'
  const detail = `${watches} directories may be watched`
  if (!(watches < fewWatches)) return [{ name, verdict: 'good', detail }]
  const cure = `Raise fs.inotify.max_user_watches; above the limit changes are found later.`
  return [{ name, verdict: 'poor', detail, cure }]
}

function versionIn(text: string): Version | undefined {
  const found = /(\d+)\.(\d+)/.exec(text)
  return found ? [Number(found[1]), Number(found[2])] : undefined
}

function isAtLeast([major, minor]: Version, [wantedMajor, wantedMinor]: Version): boolean {
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
