import type { CommandInput, CommandType } from '@weave/protocol'
import fc from 'fast-check'
import type { ScriptStep } from '../../../../test/support/scripted-harness.ts'
import type { Plan, PlannedCodon, PlannedItem } from '../../src/plan/index.ts'
import { placeOf } from './model-plan.ts'
import type { Ask, Turn } from './model-state.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'

/** Random hanks, agents and people. */

const rig = [{ type: 'command', command: { run: 'true', workingDirectory: 'project' } }] as const

const codonFields: fc.Arbitrary<Partial<PlannedCodon>> = fc
  .record({
    onFailure: fc.constantFrom('abort', 'retry', 'ignore'),
    continuation: fc.constantFrom('fresh', 'continue-previous'),
    rig: fc.constantFrom([], [], rig),
    retry: fc.record({
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      delayMs: fc.constantFrom(0, 100, 1_000),
      maxDelayMs: fc.constantFrom(150, 60_000),
    }),
    extensions: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
  })
  .map(({ extensions, ...fields }) => ({
    ...fields,
    idleTimeoutMs: 4_000,
    ...(extensions !== undefined && { exhaustWithPrompt: 'go on', maxExtensions: extensions }),
  }))

interface Loose {
  readonly limit: number | null | undefined
  readonly codons: readonly Partial<PlannedCodon>[]
}

const item: fc.Arbitrary<Loose> = fc.record({
  limit: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  codons: fc.array(codonFields, { minLength: 1, maxLength: 3 }),
})

function build(items: readonly Loose[]): Plan {
  const planned = items.map(({ limit, codons }, at): PlannedItem => {
    if (limit === undefined) return codonPlan(`c${at}`, codons[0])
    return loopPlan(
      `l${at}`,
      limit,
      codons.map((fields, index) =>
        codonPlan(`c${at}${'xyz'[index]}`, limit === null ? ending(fields) : fields),
      ),
    )
  })
  return planOf(...planned)
}

/** A loop that waits for a full context goes on for ever when none of its codons has a session to continue and nobody minds. */
function ending(fields: Partial<PlannedCodon>): Partial<PlannedCodon> {
  return fields.onFailure === 'ignore' ? { ...fields, continuation: 'fresh' } : fields
}

/** Up to 12 items. */
export const plans: fc.Arbitrary<Plan> = fc
  .array(item, { minLength: 1, maxLength: 12, size: 'medium' })
  .map(build)

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'succeed' } as const) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(undefined, undefined, 0, 500, 90_000)
      .map(hint => ({ kind: 'retriable', hint }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'final' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'full' } as const) },
  { weight: 6, arbitrary: fc.constant({ kind: 'hang' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'hang-in-tool' } as const) },
)

/** What the agent does in its first call, in its second, and so on; after these it succeeds. */
export type Scripts = readonly (readonly Turn[])[]

export const scripts: fc.Arbitrary<Scripts> = fc.array(fc.array(turn, { minLength: 1, maxLength: 3 }), {
  maxLength: 24,
  size: 'max',
})

/** A loop until the context is full has it full in its third iteration, if not before. */
export function turnsOf(plan: Plan, all: Scripts, codonId: string, call: number): readonly Turn[] {
  const { loop, iteration = 0 } = placeOf(plan, codonId) ?? {}
  if (loop?.limit === null && iteration >= 2) return [{ kind: 'full' }]
  return all[call] ?? []
}

export function stepsOf(turn: Turn | undefined): readonly ScriptStep[] {
  const usage = { usage: { input: 3, output: 1, dollars: 0.25 } }
  switch (turn?.kind) {
    case undefined:
    case 'succeed':
      return [{ say: 'done' }, usage]
    case 'retriable':
      return [
        usage,
        {
          fail: 'overloaded',
          retriable: true,
          ...(turn.hint !== undefined && { retryAfterMs: turn.hint }),
        },
      ]
    case 'final':
      return [{ fail: 'no such model', retriable: false }]
    case 'full':
      return [{ say: 'that was much' }, { contextFull: true }]
    case 'hang':
      return [{ say: 'hm' }, { hang: true }]
    case 'hang-in-tool':
      return [{ hangInTool: 'make' }]
  }
}

/** A command of one of three clients. `codon` picks a name, `sha` and `length` the beginning of a sha. */
export interface Saying extends Pick<Ask, 'type' | 'word' | 'autoRestart' | 'skipPreCommands'> {
  readonly client: number
  readonly codon: number
  readonly sha: number
  readonly length: number
  /** After so many more events; undefined: when nothing moves any more. */
  readonly afterEvents?: number | undefined
  /** Without waiting for what the command before it does. */
  readonly atOnce: boolean
  /** A command that cannot act in this moment gives way to one that can. */
  readonly fitting: boolean
}

/** What somebody says who looks before he speaks. */
export function fittingType(type: CommandType, busy: boolean): CommandType {
  const whenBusy: Partial<Record<CommandType, CommandType>> = {
    'codon.start': 'codon.skip',
    'codon.next': 'codon.skip',
    'codon.redo': 'codon.forceStop',
  }
  const whenIdle: Partial<Record<CommandType, CommandType>> = {
    'codon.skip': 'codon.redo',
    'codon.forceStop': 'codon.next',
  }
  return (busy ? whenBusy : whenIdle)[type] ?? type
}

export type Deed = { readonly kind: 'say'; readonly saying: Saying } | { readonly kind: 'time' | 'client' }

const weights: readonly (readonly [CommandType, number])[] = [
  ['codon.start', 4],
  ['codon.next', 5],
  ['codon.skip', 6],
  ['codon.redo', 4],
  ['codon.forceStop', 4],
  ['server.shutdown', 1],
  ['rollback.toCheckpoint', 3],
  ['rollback.toCodon', 5],
  ['rollback.toLastSuccess', 2],
  ['ping', 1],
]

const saying: fc.Arbitrary<Saying> = fc.record({
  client: fc.integer({ min: 0, max: 2 }),
  type: fc.oneof(...weights.map(([type, weight]) => ({ weight, arbitrary: fc.constant(type) }))),
  codon: fc.nat({ max: 40 }),
  sha: fc.nat({ max: 40 }),
  length: fc.constantFrom(4, 5, 6, 6, 6),
  word: fc.constantFrom('rig-setup', 'completed', 'error', 'skipped', 'start', 'end'),
  autoRestart: fc.boolean(),
  skipPreCommands: fc.integer({ min: 0, max: 3 }).map(n => n === 0),
  afterEvents: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
  atOnce: fc.boolean(),
  fitting: fc.integer({ min: 0, max: 9 }).map(n => n < 7),
})

const laterDeeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: saying.map(each => ({ kind: 'say', saying: each }) as const) },
    { weight: 2, arbitrary: fc.constant({ kind: 'time' } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: 'client' } as const) },
  ),
  { maxLength: 16, size: 'max' },
)

/** Most often somebody comes first of all. */
export const deeds: fc.Arbitrary<readonly Deed[]> = fc
  .tuple(fc.integer({ min: 0, max: 9 }), laterDeeds)
  .map(([n, later]) => (n < 8 ? [{ kind: 'client' }, ...later] : later))

/** Right and wrong names for codons. */
export function namesOf(plan: Plan): readonly string[] {
  const names = plan.items.flatMap(each =>
    each.kind === 'codon'
      ? [each.id]
      : each.codons.flatMap(({ id }) => [id, `${id}#0`, `${id}#1`, `${id}#3`]),
  )
  return [...names, 'nobody', `${names[0]}#0`]
}

export function commandData({ type, ...ask }: Ask): CommandInput<CommandType> {
  const { codonId, word: checkpointType, prefix: checkpointSha, autoRestart, skipPreCommands } = ask
  switch (type) {
    case 'codon.start':
      return { codonId, skipPreCommands }
    case 'rollback.toCheckpoint':
      return { checkpointSha, autoRestart }
    case 'rollback.toCodon':
      return { codonId, checkpointType, autoRestart }
    case 'rollback.toLastSuccess':
      return { autoRestart }
    default:
      return {}
  }
}
