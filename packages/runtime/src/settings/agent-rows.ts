import type { Immutable } from '@weave/protocol'
import type * as z from 'zod'
import { fieldOf, fieldsOf } from '../kit/index.ts'
import type { agentRow } from './agent-row-schema.ts'

export type OperatorAgents = Readonly<Record<string, Immutable<z.infer<typeof agentRow>>>>

/** The agents that a checked `weave.json` describes: whoever has a command. The check vouches for the rest. */
export function operatorAgents(checked: unknown): OperatorAgents {
  const rows = Object.entries(fieldsOf(fieldOf(checked, 'agents')))
  return Object.fromEntries(
    rows.filter(([, row]) => Array.isArray(fieldOf(row, 'command'))),
  ) as OperatorAgents
}
