import { isDeepStrictEqual } from 'node:util'
import type { Plan, PlannedCodon, PlannedLoop, PlannedText } from './plan.ts'

/** One field that is not the same in two plans, in the words of `hank.json`. */
export interface PlanDifference {
  /** `codon draft`, `loop polish` or `hank`. */
  readonly owner: string
  /** `rigSetup[0].command.run`; empty when the owner itself is new or gone. */
  readonly field: string
  /** As JSON; absent: there was nothing. */
  readonly before?: string
  /** As JSON; absent: there is nothing any more. */
  readonly after?: string
}

/**
 * What a person changed between two plans, field by field, in the order of the newer one. Prices, context windows and
 * ceilings are left out: they are not of the hank, and each start reads them anew or keeps what it had.
 */
export function planDifferences(before: Plan, after: Plan): readonly PlanDifference[] {
  const old = ownersOf(before)
  const now = ownersOf(after)
  const kept = [...now.keys()].filter(owner => old.has(owner))
  const places = { old: predecessors(old, kept), now: predecessors(now, kept) }
  const changed = [...now].flatMap(([owner, fields]): readonly PlanDifference[] => {
    const earlier = old.get(owner)
    if (!earlier) return [{ owner, field: '', after: JSON.stringify(fields['name'] ?? '') }]
    const [was, is] = [places.old.get(owner), places.now.get(owner)]
    const moved = was === is ? [] : [{ owner, field: 'place', before: `${was}`, after: `${is}` }]
    return [...moved, ...fieldDifferences(owner, '', { before: earlier, after: fields })]
  })
  const gone = [...old]
    .filter(([owner]) => !now.has(owner))
    .map(([owner, fields]) => ({ owner, field: '', before: JSON.stringify(fields['name'] ?? '') }))
  return [...changed, ...gone]
}

type Fields = Readonly<Record<string, unknown>>

/** Everything that a hank says, by who it says it of. */
function ownersOf(plan: Plan): ReadonlyMap<string, Fields> {
  const owners = new Map<string, Fields>([
    [
      'hank',
      {
        'meta.name': plan.hankName,
        directory: plan.hankDir,
        ...textFields('globalSystemPrompt', plan.globalSystemPrompt),
        'overrides.budget': plan.budget,
      },
    ],
  ])
  const addCodon = (codon: PlannedCodon, loop?: PlannedLoop): void => {
    const sentinels = (plan.sentinels ?? []).filter(({ codonId }) => codonId === codon.id)
    owners.set(`codon ${codon.id}`, { ...codonFields(codon), sentinels, loop: loop?.id })
  }
  for (const item of plan.items) {
    if (item.kind === 'codon') addCodon(item)
    else {
      owners.set(`loop ${item.id}`, loopFields(item))
      for (const codon of item.codons) addCodon(codon, item)
    }
  }
  return owners
}

/** All fields but those that `named` has under the words of the hank, and who it is. */
function otherFields(item: PlannedCodon | PlannedLoop, named: readonly string[]): Fields {
  const own = new Set(['id', 'kind', ...named])
  return Object.fromEntries(Object.entries(item).filter(([field]) => !own.has(field)))
}

const renamed = ['model', 'continuation', 'prompt', 'appendSystemPrompt', 'idleTimeoutMs', 'rig', 'retry']

function codonFields(codon: PlannedCodon): Fields {
  const { model, continuation, prompt, appendSystemPrompt, idleTimeoutMs, rig, retry } = codon
  return {
    ...otherFields(codon, renamed),
    // Two names of one model are the same model; where it runs is part of what it is.
    model: model.identity,
    continuationMode: continuation,
    ...textFields('prompt', prompt),
    ...textFields('appendSystemPrompt', appendSystemPrompt),
    shimIdleTimeout: idleTimeoutMs / 1000,
    rigSetup: rig,
    retryConfig: retry,
  }
}

function loopFields(loop: PlannedLoop): Fields {
  return { ...otherFields(loop, ['codons', 'limit']), 'terminateOn.limit': loop.limit ?? 'contextExceeded' }
}

function textFields(name: string, text: PlannedText | undefined): Fields {
  if (!text) return {}
  return 'files' in text ? { [`${name}File`]: text.files } : { [`${name}Text`]: text.text }
}

/** After whom each owner comes, among those that both plans have. */
function predecessors(
  owners: ReadonlyMap<string, Fields>,
  kept: readonly string[],
): ReadonlyMap<string, string> {
  const common = new Set(kept)
  const order = [...owners.keys()].filter(owner => common.has(owner))
  return new Map(order.map((owner, at) => [owner, at < 2 ? 'first' : `after ${order[at - 1]}`]))
}

interface Two {
  readonly before: unknown
  readonly after: unknown
}

/** Down to the values that differ; lists of another length are compared entry by entry, too. */
function fieldDifferences(owner: string, path: string, { before, after }: Two): readonly PlanDifference[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    const isList = Array.isArray(after)
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap(key =>
      fieldDifferences(owner, isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, {
        before: Reflect.get(before, key),
        after: Reflect.get(after, key),
      }),
    )
  }
  return [
    {
      owner,
      field: path,
      ...(before !== undefined && { before: JSON.stringify(before) }),
      ...(after !== undefined && { after: JSON.stringify(after) }),
    },
  ]
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
