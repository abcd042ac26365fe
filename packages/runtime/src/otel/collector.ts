import type { ProblemCode } from '@weave/protocol'
import type { Problem } from '../kit/index.ts'

/**
 * Where spans go, by the standard variables. The exporters read most of them by themselves; this is what must be known
 * before one is made, and what is wrong with them.
 */
type Environment = Readonly<Record<string, string | undefined>>

export type Protocol = 'http/protobuf' | 'http/json'

export interface Collector {
  readonly protocol: Protocol
  /** Where spans are posted to. */
  readonly url: string
  /** Somebody named the address; otherwise it is the standard's own on this machine. */
  readonly isNamed: boolean
  /** Which part of the traces is kept, between 0 and 1. */
  readonly ratio: number
  readonly problems: readonly Problem<ProblemCode>[]
}

const standardAddress = 'http://localhost:4318'

/** `endpoint`: instead of what the variables say. */
export function collectorOf(environment: Environment, endpoint?: string): Collector {
  const protocol = protocolOf(environment)
  const named = addressOf(environment, endpoint)
  const sampler = samplerOf(environment)
  const url = named?.url ?? `${standardAddress}/v1/traces`
  return {
    protocol: protocol.value,
    url,
    isNamed: named !== undefined,
    ratio: sampler.value,
    problems: [...protocol.problems, ...sampler.problems, ...addressProblems(url, named?.variable)],
  }
}

export const endpointVariable = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const tracesVariable = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'

interface Address {
  readonly url: string
  readonly variable: string
}

/** The address for traces is taken as it is; to the general one the place of traces is added. */
function addressOf(environment: Environment, endpoint: string | undefined): Address | undefined {
  if (endpoint !== undefined) return { url: tracesUrl(endpoint), variable: '--endpoint' }
  const own = environment[tracesVariable]?.trim()
  if (own) return { url: own, variable: tracesVariable }
  const general = environment[endpointVariable]?.trim()
  return general ? { url: tracesUrl(general), variable: endpointVariable } : undefined
}

function tracesUrl(base: string): string {
  return /\/v1\/traces\/?$/.test(base) ? base : `${base.replace(/\/$/, '')}/v1/traces`
}

interface Read<T> {
  readonly value: T
  readonly problems: readonly Problem<ProblemCode>[]
}

function protocolOf(environment: Environment): Read<Protocol> {
  const [variable = '', value = 'http/protobuf'] =
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
      .map(name => [name, environment[name]?.trim()] as const)
      .find(([, text]) => text) ?? []
  if (value === 'http/protobuf' || value === 'http/json') return { value, problems: [] }
  const cure = `set ${variable}=http/protobuf`
  const message =
    value === 'grpc' ? `grpc is not built in; ${cure}` : `there is no protocol ${value}; ${cure}`
  const code = 'settings/otel-protocol'
  return { value: 'http/protobuf', problems: [{ severity: 'error', code, where: variable, message }] }
}

function samplerOf(environment: Environment): Read<number> {
  const variable = 'OTEL_TRACES_SAMPLER'
  const name = environment[variable]?.trim() || 'always_on'
  if (name === 'always_on') return { value: 1, problems: [] }
  if (name === 'always_off') return { value: 0, problems: [] }
  const text = environment[`${variable}_ARG`]?.trim() || '1'
  const ratio = Number(text)
  const isRatio = name === 'traceidratio' && ratio >= 0 && ratio <= 1
  if (isRatio) return { value: ratio, problems: [] }
  const known = 'there are always_on, always_off and traceidratio'
  const message =
    name === 'traceidratio'
      ? `expected a number from 0 to 1 in ${variable}_ARG, found ${text}; all traces are sent`
      : `the sampler ${name} is not built in, ${known}; all traces are sent`
  const code = 'settings/otel-sampler'
  return { value: 1, problems: [{ severity: 'warning', code, where: variable, message }] }
}

function addressProblems(url: string, variable = endpointVariable): readonly Problem<ProblemCode>[] {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    const message = 'expected an address such as http://localhost:4318 or https://collector.example'
    return [{ severity: 'error', code: 'settings/otel-address', where: variable, message }]
  }
  const { protocol, hostname, host } = new URL(url)
  if (protocol === 'https:' || isLoopback(hostname)) return []
  const message = `spans and the keys in OTEL_EXPORTER_OTLP_HEADERS go to ${host} without encryption; use https://`
  return [{ severity: 'warning', code: 'settings/otel-plain', where: variable, message }]
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
