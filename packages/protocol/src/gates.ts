import * as z from 'zod'
import { codonId, count, type EventRow, extension, text } from './event-row.ts'
import { type Immutable, isoTime, milliseconds } from './values.ts'

/** Gates, and the rules that may hold a run: what is asked of a person, what was answered, and by whom. */

const seq = z.int().min(1)

const decisionVia = z.enum(['socket', 'cli', 'terminal', 'web', 'timeout', 'rollback', 'rule'])
/** Where a decision came from. */
export type DecisionVia = z.infer<typeof decisionVia>

export const decidedBy = z.object({
  via: decisionVia,
  user: text.optional(),
  clientId: text.optional(),
  ruleId: text.optional(),
})
export type DecidedBy = Immutable<z.infer<typeof decidedBy>>

export const gateDecision = z.enum(['approved', 'rejected', 'expired', 'withdrawn', 'bypassed'])
export type GateDecision = z.infer<typeof gateDecision>

/** Part of the TABLE of events. */
export const gateEvents = {
  'gate.armed': extension(
    'A hold was asked for: the run will wait there.',
    z.object({
      gateId: text,
      before: text.optional().register(z.globalRegistry, { description: 'absent: whatever comes next' }),
      after: text.optional(),
      by: decidedBy,
      message: text.optional(),
    }),
    'synced',
  ),
  'gate.waiting': extension(
    'The run waits for a person; `gate.decided` with this event’s `seq` ends it.',
    z.object({
      gateId: text,
      codonId: codonId.optional().register(z.globalRegistry, {
        description: 'runtime id of the codon before; absent at the start',
      }),
      next: text
        .optional()
        .register(z.globalRegistry, { description: 'runtime id of the codon after; absent at the end' }),
      message: text.optional(),
      files: z
        .array(z.object({ path: text, action: z.enum(['created', 'modified', 'deleted']) }))
        .optional()
        .register(z.globalRegistry, { description: 'what to look at, and what happened to it' }),
      checkpoint: text.optional(),
      deadline: isoTime.optional(),
      round: z.int().min(1).register(z.globalRegistry, {
        description: 'how often this gate has asked since it was approved last',
      }),
      runId: text.optional().register(z.globalRegistry, { description: 'the run of the codon before' }),
      attempt: z
        .int()
        .min(1)
        .optional()
        .register(z.globalRegistry, { description: 'the attempt of the codon before' }),
    }),
    'synced',
  ),
  'gate.decided': extension(
    'A gate was decided on; the first decision counts.',
    z.object({
      waitingSeq: count.register(z.globalRegistry, {
        description: '`seq` of the `gate.waiting`; 0: the run never came to wait there',
      }),
      gateId: text,
      decision: gateDecision,
      by: decidedBy,
      note: text.optional(),
      waitedMs: milliseconds,
      checkpoint: text.optional(),
    }),
    'synced',
  ),
  'rule.fired': extension(
    'A rule of the operator was met; what it does follows.',
    z.object({
      ruleId: text,
      codonId,
      do: z.enum(['notify', 'hold', 'stop']),
      hits: z.int().min(1),
      evidence: z
        .array(seq)
        .max(20)
        .register(z.globalRegistry, { description: '`seq` of the events that met it' }),
      late: z.literal(true).optional().register(z.globalRegistry, {
        description: 'the codon had ended before it could be stopped',
      }),
    }),
    'synced',
  ),
} as const satisfies Record<string, EventRow>

/** What the commands about gates carry. */
export const gateCommands = {
  decide: z.strictObject({
    seq: seq.register(z.globalRegistry, { description: '`seq` of the `gate.waiting` that was seen' }),
    decision: z.enum(['approve', 'reject']),
    note: z.string().max(4_000).optional(),
  }),
  hold: z.strictObject({
    before: z
      .string()
      .min(1)
      .optional()
      .register(z.globalRegistry, { description: 'a codon; default: the next one' }),
  }),
  release: z.strictObject({ gateId: z.string().min(1) }),
} as const
