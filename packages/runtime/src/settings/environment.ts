import { createRedactor, secretsOf } from '../kit/index.ts'
import type { Environment } from './fields.ts'

const prefix = 'WEAVE_'
/** What the prefix does not lend to codons: settings, the keys of sentinels, and what the runtime says about itself. */
const notForCodons =
  /^WEAVE_(?:RUNTIME_|SENTINEL_|(?:TOKEN|TELEMETRY|EXECUTION_ID|CODON_ID|SERVER_ID|AGENT_ID|RIG_ID)?$)/
const removal = 'unset'

/** One thing under two names; the first one wins and both are set. */
const spellings: readonly (readonly [string, string])[] = [
  ['ANTHROPIC_BASE_URL', 'VENDOR_BASE_URL'],
  ['ANTHROPIC_API_KEY', 'VENDOR_API_KEY'],
]

/**
 * The environment as the server itself should see it: without what `WEAVE_<NAME>=unset` removes, and with the vendor's
 * address and key under both of their names. Everything else is there unchanged, `WEAVE_*` included. The caller takes
 * this for `process.env` before anything reads it. Doing it twice changes nothing.
 */
export function serverEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const removed = removedNames(environment)
  const kept = entriesOf(environment).filter(
    ([name, value]) => !removed.has(name) && !(lent(name) && value === removal),
  )
  return Object.fromEntries(inBothSpellings(new Map(kept)))
}

export interface CodonEnvironmentOptions {
  /** The environment that the program was started with. */
  readonly environment: Environment
  /** The `env` of the codon: wins over everything from outside. */
  readonly codon?: Environment | undefined
  /** Of the span that the agent works under, while spans are sent. */
  readonly traceparent?: string | undefined
  /** What marks a process as ours; nobody else can set these. */
  readonly markers?: Readonly<Record<string, string>>
}

/**
 * The environment of an agent or a rig command. From low to high: system variables, `WEAVE_<NAME>` as `<NAME>`, the `env`
 * of the codon, the markers.
 *
 * No `WEAVE_*` variable from outside is in it, so neither a setting nor a sentinel's key nor the token reaches an agent.
 * While spans are sent, an agent gets the span it works under instead of what this program was started with, and not the
 * keys of the collector: agents print environments.
 * On each level the vendor's address and key are taken from either spelling and set in both.
 */
export function codonEnvironment(options: CodonEnvironmentOptions): Readonly<Record<string, string>> {
  const { environment, codon = {}, traceparent, markers = {} } = options
  const removed = removedNames(environment)
  const outside = entriesOf(environment)
  const system = outside.filter(
    ([name]) =>
      !name.startsWith(prefix) && !removed.has(name) && !(traceparent !== undefined && ofOurTrace.test(name)),
  )
  const prefixed = outside
    .filter(([name, value]) => lent(name) && value !== removal)
    .map(([name, value]) => [name.slice(prefix.length), value] as const)
  const trace = entriesOf({ TRACEPARENT: traceparent })
  const levels = [system, trace, prefixed, entriesOf(codon)].map(level => inBothSpellings(new Map(level)))
  return Object.fromEntries([...levels.flatMap(level => [...level]), ...Object.entries(markers)])
}

/** What concerns the trace of whoever started us, and what the collector knows us by. */
const ofOurTrace = /^(?:TRACEPARENT|TRACESTATE|BAGGAGE|OTEL_EXPORTER_OTLP(?:_[A-Z]+)*_HEADERS)$/

/** Names of variables that lead requests through some other proxy. */
const outboundProxies = /^(?:https?|all)_proxy$/i

/**
 * The environment of an agent whose requests to the vendor go through our proxy: its address wins over every other. An agent
 * that has a proxy to the outside is told not to use that one for this machine. Without an address nothing changes.
 */
export function throughProxy(
  environment: Readonly<Record<string, string>>,
  proxyUrl: string | undefined,
): Readonly<Record<string, string>> {
  if (proxyUrl === undefined) return environment
  return reachingLoopback({ ...environment, ANTHROPIC_BASE_URL: proxyUrl, VENDOR_BASE_URL: proxyUrl })
}

/** The environment of an agent that must reach this machine itself, whatever proxy to the outside it has. */
export function reachingLoopback(
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (!Object.keys(environment).some(name => outboundProxies.test(name))) return environment
  const excepted = environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''
  const list = [...(excepted === '' ? [] : [excepted]), 'localhost', '127.0.0.1'].join(',')
  return { ...environment, NO_PROXY: list, no_proxy: list }
}

function lent(name: string): boolean {
  return name.startsWith(prefix) && !notForCodons.test(name)
}

/** The spellings of one thing go together: a removed `VENDOR_BASE_URL` must not come back as the other name's twin. */
function removedNames(environment: Environment): ReadonlySet<string> {
  const named = entriesOf(environment)
    .filter(([name, value]) => lent(name) && value === removal)
    .map(([name]) => name.slice(prefix.length))
  const twins = spellings.filter(pair => pair.some(name => named.includes(name))).flat()
  return new Set([...named, ...twins])
}

/** An empty value says nothing about which of the two was meant. */
function inBothSpellings(variables: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const both = new Map(variables)
  for (const [winner, other] of spellings) {
    const value = variables.get(winner) || variables.get(other)
    if (value) both.set(winner, value).set(other, value)
  }
  return both
}

function entriesOf(environment: Environment): readonly (readonly [string, string])[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
}

export interface ListedVariable {
  readonly name: string
  /** Fit to be shown to anybody. */
  readonly value: string
}

/**
 * The variables that have to do with a run, sorted by name, without a secret in them: all `WEAVE_*`, keys and tokens,
 * addresses, the switches of telemetry and OpenTelemetry, and those in `names` (what a hank requires or sets).
 *
 * Of a secret only the end is shown, and only when it is long enough to stay one. Values of other variables lose what
 * looks like a key and what stands before the `@` of an address.
 */
export function listEnvironment(
  environment: Environment,
  names: readonly string[] = [],
): readonly ListedVariable[] {
  // Of an address only the password is a secret.
  const whole = secretsOf(environment).filter(({ name, value }) => environment[name] === value)
  const secrets = new Set(whole.map(({ name }) => name))
  const wanted = new Set(names)
  const redactor = createRedactor([])
  return Object.entries(environment)
    .filter(([name]) => wanted.has(name) || secrets.has(name) || ofInterest.test(name))
    .flatMap(([name, value]) => {
      if (value === undefined) return []
      return [{ name, value: secrets.has(name) ? masked(value) : redactor.text(withoutUser(value)) }]
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

const ofInterest = /^(?:WEAVE_.*|.*_BASE_URL|CI|DO_NOT_TRACK|OTEL_.*|TRACEPARENT)$/
const shownEnd = 4

function masked(secret: string): string {
  if (secret === '') return '(empty)'
  return secret.length >= shownEnd * 5 ? `****${secret.slice(-shownEnd)}` : '****'
}

function withoutUser(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#]*@/i, '$1****@')
}
