import { readFile, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { ensureDir } from '../files/index.ts'
import { type HarnessStanding, harnessStandings, installLine } from '../harness/index.ts'
import { errorCode, run } from '../kit/index.ts'
import {
  type CustomProvider,
  credentialVariables,
  type Login,
  type LoginFiles,
  loginFor,
  reaching,
} from '../models/index.ts'
import { collectorOf } from '../otel/index.ts'
import { namedCertificates, outboundProxy, readUpstream, tryPort } from '../proxy/index.ts'
import { type Settings, serverEnvironment } from '../settings/index.ts'

export interface DoctorOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Providers that files describe. */
  readonly own?: readonly CustomProvider[] | undefined
  readonly logins?: LoginFiles | undefined
  readonly executionBaseDir: string
  readonly port: number
  readonly proxy: Pick<ProxyToCheck, 'isOn' | 'upstream'>
  /** Spans would be sent; by the names of this version. */
  readonly otel?: { readonly names: Settings['otel']['names']; readonly weaveVersion: string } | undefined
}

/** Checks everything that a run needs of the machine. Writes nothing but the execution base directory. */
export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const groups = await Promise.all([
    nodeVersion(),
    gitVersion(options.environment),
    harnessStandings().then(harnesses),
    loginFindings(options),
    disk(options.executionBaseDir),
    port(options.port),
    proxyFindings({
      ...options.proxy,
      controlPort: options.port,
      environment: serverEnvironment(options.environment),
    }),
    watching(),
    collectorFindings(options),
  ])
  return groups.flat()
}

const usual = ['anthropic', 'openai', 'google', 'openrouter'] as const
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

/** Of the agents that speak ACP only those that are there: nobody needs them all. */
function harnesses(standings: readonly HarnessStanding[]): readonly Finding[] {
  const acp = standings.filter(({ isAcp }) => isAcp)
  const absent = acp.filter(({ found, problem }) => !found && problem?.message.endsWith('not installed.'))
  const others = standings.filter(standing => !absent.includes(standing)).map(harness)
  if (absent.length === 0) return others
  const words = absent.map(({ name }) => name).join(', ')
  const detail = `can be installed: ${words} (weave harness add ${absent[0]?.name})`
  return [...others, { name: 'ACP agents', verdict: 'good', detail }]
}

function harness({ name, title, pin, megabytes, found, problem }: HarnessStanding): Finding {
  if (!found) {
    const detail = `${withoutStop(problem?.message ?? 'not installed')} (${pin}, about ${megabytes} MB)`
    return { name: title, verdict: 'poor', detail, cure: `Install it: ${installLine(name)}` }
  }
  const place = found.where === 'home' ? 'installed by weave' : 'beside the program'
  const detail = `${found.version}, ${Math.round(found.bytes / 2 ** 20)} MB, ${place}: ${found.folder}`
  if (found.version === pin) return { name: title, verdict: 'good', detail }
  const cure = `This weave was made for ${pin}. ${
    found.where === 'home' ? `Install it: ${installLine(name)}` : 'Install that version beside the program.'
  }`
  return { name: title, verdict: 'poor', detail, cure }
}

/** Which login each provider would use: the usual ones, and those that files describe or have a login for. */
async function loginFindings({
  environment,
  own = [],
  logins = {},
}: DoctorOptions): Promise<readonly Finding[]> {
  const described = own.filter(({ source }) => source !== undefined).map(({ name }) => name)
  const names = new Set([...usual, ...described, ...(logins.pi?.providers ?? [])])
  const variables = reaching(environment, own)
  return [...names].map(provider => {
    const harness = provider === 'anthropic' ? 'sdk' : 'embedded'
    return login(provider, loginFor({ provider, harness, environment: variables, files: logins }))
  })
}

function login(provider: string, found: Login | undefined): Finding {
  const name = `key for ${provider}`
  if (found) return { name, verdict: 'good', detail: loginWords(found) }
  const [variable = ''] = credentialVariables(provider, 'codon')
  const cure = `Set ${variable} to use its models; "weave rehearse" needs no key.`
  return { name, verdict: 'poor', detail: 'not set', cure }
}

function loginWords(found: Login): string {
  if (found.kind === 'file') return `the login in ${found.path}`
  if (found.kind === 'cloud') return `${found.title}, by ${found.variable} and what its own tools find`
  if (found.value === 'none') return 'none is needed'
  return `${found.variable} is set${found.kind === 'token' ? ', a token' : ''}`
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

/** Asks the collector with an empty request, when a run would send spans. */
async function collectorFindings({ otel, environment }: DoctorOptions): Promise<readonly Finding[]> {
  if (!otel) return []
  const { tryCollector } = await import('../otel/index.ts')
  const name = 'OpenTelemetry'
  const collector = collectorOf(environment)
  const problems = collector.problems.map(({ severity, where, message }): Finding => {
    const verdict = severity === 'error' ? 'bad' : 'poor'
    return { name, verdict, detail: message, cure: `Correct ${where}.` }
  })
  if (problems.some(({ verdict }) => verdict === 'bad')) return problems
  const { host } = new URL(collector.url)
  const answer = await tryCollector({ collector, names: otel.names, version: otel.weaveVersion })
  if (answer.ok) return [...problems, { name, verdict: 'good', detail: `the collector at ${host} answers` }]
  const detail =
    answer.status === undefined
      ? `the collector at ${host} cannot be reached: ${withoutStop(answer.message)}`
      : `the collector at ${host} answered ${answer.status}: ${withoutStop(answer.message)}`
  const cure = 'Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT; runs go on without it.'
  return [...problems, { name, verdict: 'poor', detail, cure }]
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

export interface ProxyToCheck {
  /** Whether a run would start it. */
  readonly isOn: boolean
  readonly upstream: string
  /** Of the control socket; the proxy wants the next one. 0: whichever is free. */
  readonly controlPort: number
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** What the proxy between agents and their provider would meet, also when it is off. Never rejects. */
export async function proxyFindings(options: ProxyToCheck): Promise<readonly Finding[]> {
  return [await proxyPort(options), outbound(options), ...certificates(options)]
}

/** What stops the proxy stops a run only when it is on. */
function stopping({ isOn }: ProxyToCheck): 'bad' | 'poor' {
  return isOn ? 'bad' : 'poor'
}

async function proxyPort(options: ProxyToCheck): Promise<Finding> {
  const { controlPort } = options
  const name = 'proxy port'
  const wanted = controlPort === 0 ? 0 : controlPort + 1
  const found = await tryPort(wanted)
  if (!found.ok) {
    const detail = `${wanted} on 127.0.0.1: ${found.code}`
    const cure = 'Choose another --port, or run without --proxy.'
    return { name, verdict: stopping(options), detail, cure }
  }
  if (wanted === 0) return { name, verdict: 'good', detail: 'a free one can be had on 127.0.0.1' }
  if (found.port === wanted) return { name, verdict: 'good', detail: `${wanted} is free on 127.0.0.1` }
  const cure =
    'With --proxy one that is free is taken instead; choose another --port to have it next to that.'
  return { name, verdict: 'poor', detail: `${wanted} cannot be had`, cure }
}

function outbound(options: ProxyToCheck): Finding {
  const name = 'outbound proxy'
  const verdict = stopping(options)
  const read = readUpstream(options.upstream)
  if (!read.ok) return { name, verdict, detail: withoutStop(read.message), cure: 'Correct vendorBaseUrl.' }
  const { hostname } = read.upstream
  const found = outboundProxy(read.upstream, options.environment)
  if (!found.ok) {
    const cure = `Correct it, or add ${hostname} to NO_PROXY.`
    return { name, verdict, detail: withoutStop(found.message), cure }
  }
  const { proxy, variable } = found
  if (variable === undefined) return { name, verdict: 'good', detail: `none, straight to ${hostname}` }
  const detail = proxy
    ? `${proxy.hostname}:${proxy.port} (${variable})`
    : `${variable} is set but not for ${hostname}`
  return { name, verdict: 'good', detail }
}

function certificates({ environment }: ProxyToCheck): readonly Finding[] {
  return namedCertificates(environment).map(({ variable, path, problem }) => {
    const name = 'certificates'
    if (problem === undefined) return { name, verdict: 'good', detail: `${path} can be read (${variable})` }
    const cure = `Correct ${variable}, or take it away; as it is, nobody is trusted because of it.`
    return { name, verdict: 'poor', detail: `${path}: ${problem} (${variable})`, cure }
  })
}

/** A detail is no sentence; its cure follows it. */
function withoutStop(message: string): string {
  return message.replace(/\.$/, '')
}

/** One thing that a run needs, as it is found on this machine. */
interface Finding {
  readonly name: string
  readonly verdict: 'good' | 'poor' | 'bad'
  readonly detail: string
  /** What to do; for everything that is not good. */
  readonly cure?: string
}
