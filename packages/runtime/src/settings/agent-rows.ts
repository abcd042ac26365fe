import type { Immutable } from '@weave/protocol'
import type * as z from 'zod'
import { fieldOf, fieldsOf } from '../kit/index.ts'
import type { agentRow } from './agent-row-schema.ts'

export type OperatorAgents = Readonly<Record<string, Immutable<z.infer<typeof agentRow>>>>

/** The agents that a checked `weave.json` describes, if any: whoever has a command. The check vouches for the rest. */
export function operatorAgents(checked: unknown): { readonly agents?: OperatorAgents } {
  const rows = Object.entries(fieldsOf(fieldOf(checked, 'agents')))
  const own = rows.filter(([, row]) => Array.isArray(fieldOf(row, 'command')))
  return own.length === 0 ? {} : { agents: Object.fromEntries(own) as OperatorAgents }
}
