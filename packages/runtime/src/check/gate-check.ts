import type { ProblemCode } from '@weave/protocol'
import { checkRelativeSpelling } from '../files/index.ts'
import { type HankFile, isLoop } from '../hank/index.ts'
import {
  createMatcher,
  didYouMean,
  type JsonPath,
  nearestNames,
  type Problem,
  problemOf,
  type Spot,
} from '../kit/index.ts'
import type { PlannedGate } from '../plan/index.ts'
import { type GateSetting, gateIdOf } from '../settings/index.ts'

export interface AskedGates {
  /** Of `weave.json`. */
  readonly inFile: readonly GateSetting[]
  /** Where in that file a value stands. */
  readonly spotOf?: ((path: JsonPath) => Spot) | undefined
  /** Of `--gate`. */
  readonly added: readonly GateSetting[]
}

export interface CheckedGates {
  readonly gates: readonly PlannedGate[]
  readonly problems: readonly Problem<ProblemCode>[]
}

/** Gates held against the hank that they stand in. Pure. */
export function checkGates({ inFile, spotOf, added }: AskedGates, hank: HankFile): CheckedGates {
  const outline = outlineOf(hank)
  const problems: Problem<ProblemCode>[] = []
  const gates = [
    ...inFile.map((gate, at) => ({
      gate,
      where: `gates[${at}]`,
      path: ['gates', at] as JsonPath | undefined,
    })),
    ...added.map(gate => ({ gate, where: '--gate', path: undefined })),
  ]
  for (const { gate, where, path } of gates) {
    for (const { field, message, severity = 'error' } of faultsOf(gate, outline)) {
      const name = field === undefined || path === undefined ? where : `${where}.${field}`
      const spot = path && spotOf ? spotOf(field === undefined ? path : [...path, field]) : undefined
      problems.push(problemOf({ severity, code: 'settings/value', message }, { ...spot, where: name }))
    }
  }
  const byId = new Map(gates.map(({ gate }) => [gateIdOf(gate), plannedGate(gate)]))
  return { gates: [...byId.values()], problems }
}

interface Fault {
  readonly field?: keyof GateSetting
  readonly message: string
  readonly severity?: 'error' | 'warning'
}

interface Outline {
  /** In the order of the plan. */
  readonly codons: readonly { readonly id: string; readonly loop?: string; readonly hasOutputs: boolean }[]
  readonly loops: ReadonlyMap<string, number | null>
}

function outlineOf({ hank }: HankFile): Outline {
  const loops = new Map<string, number | null>()
  const codons = hank.flatMap(item => {
    if (!isLoop(item)) return [{ id: item.id, hasOutputs: (item.outputFiles ?? []).length > 0 }]
    loops.set(item.id, item.terminateOn.type === 'iterationLimit' ? item.terminateOn.limit : null)
    return item.codons.map(({ id, outputFiles = [] }) => ({
      id,
      loop: item.id,
      hasOutputs: outputFiles.length > 0,
    }))
  })
  return { codons, loops }
}

function faultsOf(gate: GateSetting, outline: Outline): readonly Fault[] {
  const field = gate.before === undefined ? 'after' : 'before'
  const target = gate[field] ?? ''
  const place = placeOf(target, outline)
  const names = [...outline.codons.map(({ id }) => id), ...outline.loops.keys()]
  if (!place)
    return [
      {
        field,
        message: `the hank has no codon "${target}".${didYouMean(nearestNames(target, names, 1), name => `"${name}"`)}`,
      },
    ]
  return [
    ...redoFaults(gate, place, outline),
    ...noteFaults(gate),
    ...(gate.show && !createMatcher(gate.show).ok
      ? [{ field: 'show' as const, message: 'one of the patterns is none' }]
      : []),
    ...(field === 'after' ? outputWarnings(target, place, outline) : []),
  ]
}

/** The numbers of the first and the last codon that a gate speaks of, in the order of the plan. */
interface Span {
  readonly first: number
  readonly last: number
}

function placeOf(target: string, { codons, loops }: Outline): Span | undefined {
  const [, base = target, digits] = /^(.+)#(\d+)$/s.exec(target) ?? []
  const exact = codons.findIndex(({ id }) => id === target)
  if (exact !== -1) return { first: exact, last: exact }
  const first = codons.findIndex(({ loop }) => loop === target)
  if (first !== -1) return { first, last: codons.findLastIndex(({ loop }) => loop === target) }
  const inLoop = codons.findIndex(({ id, loop }) => id === base && loop !== undefined)
  const limit = loops.get(codons[inLoop]?.loop ?? '')
  if (digits === undefined || inLoop === -1 || (typeof limit === 'number' && Number(digits) >= limit))
    return undefined
  return { first: inLoop, last: inLoop }
}

function redoFaults(
  { before, onReject }: GateSetting,
  { first, last }: Span,
  { codons }: Outline,
): readonly Fault[] {
  if (onReject === undefined || onReject === 'stop') return []
  const { redoFrom } = onReject
  const at = codons.findIndex(({ id }) => id === redoFrom)
  if (at === -1)
    return [
      {
        field: 'onReject',
        message: `redoFrom: the hank has no codon "${redoFrom}".${didYouMean(
          nearestNames(
            redoFrom,
            codons.map(({ id }) => id),
            1,
          ),
          name => `"${name}"`,
        )}`,
      },
    ]
  if (before === undefined ? at <= last : at < first) return []
  return [{ field: 'onReject', message: `redoFrom: "${redoFrom}" does not come before the gate` }]
}

function noteFaults({ noteFile }: GateSetting): readonly Fault[] {
  if (noteFile === undefined || checkRelativeSpelling(noteFile).ok) return []
  return [{ field: 'noteFile', message: `"${noteFile}" is no path inside the agent workspace` }]
}

/** They are copied before the codon counts as completed. */
function outputWarnings(target: string, { first, last }: Span, { codons }: Outline): readonly Fault[] {
  if (!codons.slice(first, last + 1).some(({ hasOutputs }) => hasOutputs)) return []
  const message = `the output files of ${target} are copied before the gate asks; put a gate before a codon that publishes them`
  return [{ field: 'after', severity: 'warning', message }]
}

function plannedGate(gate: GateSetting): PlannedGate {
  const { before, after, message, show, timeoutSeconds, onReject, noteFile } = gate
  const redo = onReject === undefined || onReject === 'stop' ? undefined : onReject
  return {
    id: gateIdOf(gate),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(message !== undefined && { message }),
    ...(show && { show }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(redo && { redo: { from: redo.redoFrom, times: redo.times ?? 3 } }),
    ...(noteFile !== undefined && { noteFile }),
  }
}
