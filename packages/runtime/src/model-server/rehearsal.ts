import { formatPath, type Problem } from '../kit/index.ts'
import { type Answer, say } from './answer.ts'
import { type CodonSteps, codonSteps } from './codon-steps.ts'
import { defaultAnswer } from './default-script.ts'
import type { ModelRequest } from './model-request.ts'
import { codonKey, nobodysKey, ownerOf, sentinelKey } from './rehearsal-keys.ts'
import type { RehearsalScript } from './rehearsal-script.ts'
import { isHealthCheck, plainAnswer, sideAnswer } from './side-request.ts'

export interface RehearsalOptions {
  readonly script: RehearsalScript
  /** Whether `leftovers` complains. */
  readonly strict: boolean
  /** The agent workspace, for the harness that wants absolute paths and does not say where it works. */
  readonly cwd?: string
}

/** A script as the one function that a model server needs: `startModelServer({ ...rehearsal, clock })`. */
export interface Rehearsal {
  /** Takes one step of the codon whose key the request has. What harnesses ask for themselves takes none. Never throws. */
  respond(request: ModelRequest): Answer
  cwdOf(key: string): string | undefined
  /** The placeholder key of a codon. */
  keyFor(runtimeId: string): string
  sentinelKeyFor(id: string): string
  /** For requests that belong to no codon and no sentinel: they take no step and no output. */
  readonly nobodysKey: string
  /** What a strict rehearsal complains about so far: codons without steps, and steps that nobody took. */
  leftovers(): readonly Problem[]
}

export function createRehearsal({ script, strict, cwd }: RehearsalOptions): Rehearsal {
  const codons = new Map<string, CodonSteps>()
  const unscripted = new Map<string, number>()
  const sentinels = new Map<string, number>()

  function respond(request: ModelRequest): Answer {
    const owner = ownerOf(request.key)
    switch (owner.kind) {
      case 'codon':
        return sideAnswer(request) ?? codonAnswer(owner.id, request)
      case 'sentinel':
        return isHealthCheck(request) ? plainAnswer(request, 'ok') : sentinelAnswer(owner.id, request)
      case 'nobody':
        return plainAnswer(request, 'ok')
      case 'stranger':
        return { kind: 'error', status: 401, message: 'A rehearsal knows placeholder keys only.' }
    }
  }

  function codonAnswer(id: string, request: ModelRequest): Answer {
    const steps = codons.get(id) ?? codonSteps(script, id)
    if (!steps) return defaultAnswer(id, request, countUp(unscripted, id))
    codons.set(id, steps)
    return steps.next(request)
  }

  function sentinelAnswer(id: string, request: ModelRequest): Answer {
    const outputs = listOf(script.sentinels, id)
    const output = outputs[Math.min(countUp(sentinels, id), outputs.length - 1)]
    return output === undefined
      ? plainAnswer(request, `The sentinel ${id} watches a rehearsal.`)
      : say(output)
  }

  function leftovers(): readonly Problem[] {
    if (!strict) return []
    const bare = [...unscripted.keys()].map(id => complaint(['codons'], `there are no steps for ${id}`))
    return [...bare, ...leftSteps(script, codons)]
  }

  return { respond, cwdOf: () => cwd, keyFor: codonKey, sentinelKeyFor: sentinelKey, nobodysKey, leftovers }
}

/** Every list that no codon used, and every codon that did not come to the end of its list. */
function leftSteps(script: RehearsalScript, codons: ReadonlyMap<string, CodonSteps>): readonly Problem[] {
  const used = new Set([...codons.values()].map(({ list }) => list))
  const unused = Object.keys(script.codons ?? {}).filter(list => !used.has(list))
  const unfinished = [...codons].filter(([, { taken, total }]) => taken < total)
  return [
    ...unused.map(list => complaint(['codons', list], 'no codon took these steps')),
    ...unfinished.map(([id, { list, taken, total }]) =>
      complaint(['codons', list], `${id} took ${taken} of ${total} steps`),
    ),
  ]
}

function complaint(path: readonly string[], message: string): Problem {
  return { severity: 'error', where: formatPath(path), message }
}

function listOf<Item>(
  lists: Readonly<Record<string, readonly Item[]>> | undefined,
  id: string,
): readonly Item[] {
  return lists && Object.hasOwn(lists, id) ? (lists[id] ?? []) : []
}

/** How often it was counted before. */
function countUp(counts: Map<string, number>, id: string): number {
  const before = counts.get(id) ?? 0
  counts.set(id, before + 1)
  return before
}
