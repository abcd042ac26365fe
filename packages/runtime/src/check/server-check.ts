import type { ProblemCode } from '@weave/protocol'
import { didYouMean, type JsonPath, nearestNames, type Problem, problemOf, type Spot } from '../kit/index.ts'
import { type Plan, type PlannedServer, plannedCodons } from '../plan/index.ts'
import { type FilledServer, fillServers, type OperatorServers } from '../settings/index.ts'

export interface AskedServers {
  readonly rows: OperatorServers
  /** Where in `weave.json` a value stands. */
  readonly spotOf?: ((path: JsonPath) => Spot) | undefined
}

export interface ServerSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory of `weave.json`. */
  readonly project: string
  /** Absent when there is no hank. */
  readonly plan: Plan | undefined
}

export interface CheckedServers {
  readonly servers: readonly FilledServer[]
  readonly planned: readonly PlannedServer[]
  readonly problems: readonly Problem<ProblemCode>[]
}

/** MCP servers of the operator, held against the environment and the hank. Starts and asks none. Pure. */
export function checkServers({ rows, spotOf }: AskedServers, at: ServerSurroundings): CheckedServers {
  const { servers, faults } = fillServers(rows, at)
  const all = [...faults, ...(at.plan ? hankFaults(rows, at.plan) : [])]
  const problems = all.map(({ path, message }) =>
    problemOf(
      { severity: 'error', code: 'settings/value', message },
      { ...spotOf?.(path), where: path.join('.') },
    ),
  )
  return { servers, planned: Object.entries(rows).map(plannedServer), problems }
}

/** What of the rows the hank does not have, and limits that its agents would not keep to. */
function hankFaults(rows: OperatorServers, plan: Plan) {
  const codons = plannedCodons(plan)
  const ids = codons.map(({ id }) => id)
  return Object.entries(rows).flatMap(([name, { codons: wanted, tools }]) => {
    const unknown = (wanted ?? []).flatMap((id, at) => {
      if (ids.includes(id)) return []
      const meant = didYouMean(nearestNames(id, ids, 1), each => `"${each}"`)
      return [
        {
          path: ['mcpServers', name, 'codons', at] as JsonPath,
          message: `the hank has no codon "${id}".${meant}`,
        },
      ]
    })
    const unbound = codons.find(
      ({ id, model }) => model.harness === 'acp' && (wanted === undefined || wanted.includes(id)),
    )
    if (tools === undefined || !unbound) return unknown
    const message = `the agent of ${unbound.id} speaks ACP and cannot be kept to some tools of a server; name other codons, or leave out "tools"`
    return [...unknown, { path: ['mcpServers', name, 'tools'] as JsonPath, message }]
  })
}

function plannedServer([name, row]: readonly [string, OperatorServers[string]]): PlannedServer {
  const { codons, tools } = row
  return {
    name,
    ...('url' in row ? { url: withoutQuery(row.url) } : { command: row.command }),
    ...(codons && { codons }),
    ...(tools && { tools }),
  }
}

/** Keys are passed in queries, too. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
