import type { Immutable } from '@weave/protocol'
import type * as z from 'zod'
import type { JsonPath } from '../kit/index.ts'
import { addressFault } from './address-fault.ts'
import type { mcpServers } from './mcp-servers-schema.ts'

export type OperatorServers = Immutable<z.infer<typeof mcpServers>>
type ServerRow = OperatorServers[string]

/** A server with everything filled in. What is in `env`, `url` and `headers` may be secret. */
export interface FilledServer {
  readonly name: string
  /** Absent: all. */
  readonly codons?: readonly string[] | undefined
  readonly tools?: readonly string[] | undefined
  readonly reach:
    | {
        readonly kind: 'process'
        readonly command: readonly [string, ...string[]]
        readonly env: Readonly<Record<string, string>>
        /** Absent: the agent workspace. */
        readonly cwd?: string | undefined
      }
    | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
}

/** What of a row cannot be had, and where in `weave.json` it stands. */
export interface ServerFault {
  readonly path: JsonPath
  readonly message: string
}

export interface FillOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory of `weave.json`. */
  readonly project: string
}

/** The rows with the values of variables. A row with a fault is not there. Pure. */
export function fillServers(rows: OperatorServers, options: FillOptions) {
  const all = Object.entries(rows).map(([name, row]) => fillServer(name, row, options))
  return {
    servers: all.flatMap(({ server, faults }) => (faults.length === 0 ? [server] : [])),
    faults: all.flatMap(({ faults }) => faults),
  }
}

function fillServer(name: string, row: ServerRow, { environment, project }: FillOptions) {
  const faults: ServerFault[] = []
  const fill = (text: string, ...path: readonly (string | number)[]): string =>
    text.replaceAll(variable, (_, wanted: string) => {
      const value = environment[wanted]
      if (value === undefined || value === '')
        faults.push({ path: ['mcpServers', name, ...path], message: `the variable ${wanted} is not set` })
      return value ?? ''
    })
  const fillAll = (texts: Readonly<Record<string, string>> | undefined, field: string) =>
    Object.fromEntries(Object.entries(texts ?? {}).map(([key, text]) => [key, fill(text, field, key)]))
  const { codons, tools } = row
  if ('url' in row) {
    const url = fill(row.url, 'url')
    const message = faults.length === 0 ? addressFault(url) : undefined
    if (message !== undefined) faults.push({ path: ['mcpServers', name, 'url'], message })
    const reach = { kind: 'http', url, headers: fillAll(row.headers, 'headers') } as const
    return { server: { name, codons, tools, reach } satisfies FilledServer, faults }
  }
  const [program = '', ...args] = row.command.map((word, at) => fill(word, 'command', at))
  const reach = {
    kind: 'process',
    command: [program, ...args] as const,
    env: fillAll(row.env, 'env'),
    cwd: row.cwd === undefined ? undefined : project,
  } as const
  return { server: { name, codons, tools, reach } satisfies FilledServer, faults }
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * What must never be written down of some servers: every header, what variables hold whose names say so, and what follows
 * the question mark of an address. By names that hide nothing of the environment and that are taken for those of secrets.
 */
export function serverSecrets(servers: readonly FilledServer[]): Readonly<Record<string, string>> {
  const spelled = servers.flatMap(({ name, reach }): readonly (readonly [string, string])[] => {
    const field = `mcpServers.${name}`
    if (reach.kind === 'process')
      return Object.entries(reach.env).map(([key, value]) => [`${field}_${key}`, value])
    const headers = Object.entries(reach.headers).flatMap(([key, value]): [string, string][] => [
      [`${field}_${key}_TOKEN`, value],
      // `Bearer` and the like are no secret, what follows them is.
      [`${field}_${key}_VALUE_TOKEN`, value.split(' ').at(-1) ?? ''],
    ])
    const asked = [...new URL(reach.url).searchParams].map(([key, value]): [string, string] => [
      `${field}_${key}_TOKEN`,
      value,
    ])
    return [...headers, ...asked]
  })
  return Object.fromEntries(spelled)
}
