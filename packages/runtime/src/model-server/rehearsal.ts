import { formatPath, type Problem } from '../kit/index.ts'
import { type Answer, say } from './answer.ts'
import { answerAfter, stepsFor } from './codon-steps.ts'
import { defaultAnswer, newestPrompt } from './default-script.ts'
import type { ModelRequest } from './model-request.ts'
import { createPlaces, type Places } from './places.ts'
import { codonKey, nobodysKey, ownerOf, sentinelKey } from './rehearsal-keys.ts'
import type { RehearsalScript } from './rehearsal-script.ts'
import { isHealthCheck, plainAnswer, sideAnswer } from './side-request.ts'

export interface RehearsalOptions {
  readonly script: RehearsalScript
  /** Whether `leftovers` complains. */
  readonly strict: boolean
  /** The agent workspace, for the harness that wants absolute paths and does not say where it works. */
  readonly cwd?: string
  /** Where the steps taken are counted, asked anew for every request; without it, in memory. */
  readonly places?: () => Places
  /** The prompt of a codon. Without it, it is looked for in the request, among all that the agent puts beside it. */
  readonly promptOf?: (runtimeId: string) => string | undefined
}

/** A script as the one function that a model server needs: `startModelServer({ ...rehearsal, clock })`. */
export interface Rehearsal {
  /** Takes one step of the codon whose key the request has. What harnesses ask for themselves takes none. */
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

export function createRehearsal({ script, strict, cwd, places, promptOf }: RehearsalOptions): Rehearsal {
  const inMemory = createPlaces()
  const counted = places ?? (() => inMemory)
  const refused = new Map<string, Answer>()

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
    const { key, stream } = request
    // A harness that was refused while streaming may ask the same once more in one piece: the same refusal, no step.
    const again = stream ? undefined : refused.get(key)
    const answer = again ?? nextAnswer(id, request)
    if (stream && answer.kind === 'error') refused.set(key, answer)
    else refused.delete(key)
    return answer
  }

  function nextAnswer(id: string, { key, turns }: ModelRequest): Answer {
    const found = stepsFor(script, id)
    const taken = counted().taken(key)
    const next = found
      ? answerAfter(taken, found.steps)
      : { answer: defaultAnswer(id, promptOf?.(id) ?? newestPrompt(turns), taken), steps: 1 }
    if (next.steps > 0) counted().take(key, next.steps)
    return next.answer
  }

  function sentinelAnswer(id: string, request: ModelRequest): Answer {
    const outputs = listOf(script.sentinels, id)
    const output = outputs[Math.min(counted().taken(request.key), outputs.length - 1)]
    counted().take(request.key, 1)
    return output === undefined
      ? plainAnswer(request, `The sentinel ${id} watches a rehearsal.`)
      : say(output)
  }

  return {
    respond,
    cwdOf: () => cwd,
    keyFor: codonKey,
    sentinelKeyFor: sentinelKey,
    nobodysKey,
    leftovers: () => (strict ? leftSteps(script, counted()) : []),
  }
}

/** Every codon without a list, every list that no codon used, and every codon that did not come to the end of its list. */
function leftSteps(script: RehearsalScript, places: Places): readonly Problem[] {
  const codons = [...places.all()].flatMap(([key, taken]) => {
    const owner = ownerOf(key)
    return owner.kind === 'codon' ? [{ id: owner.id, taken, found: stepsFor(script, owner.id) }] : []
  })
  const used = new Set(codons.map(({ found }) => found?.list))
  const unused = Object.keys(script.codons ?? {}).filter(list => !used.has(list))
  return [
    ...codons.flatMap(({ id, found }) =>
      found ? [] : [complaint(['codons'], `there are no steps for ${id}`)],
    ),
    ...unused.map(list => complaint(['codons', list], 'no codon took these steps')),
    ...codons.flatMap(({ id, taken, found }) =>
      found && taken < found.steps.length
        ? [complaint(['codons', found.list], `${id} took ${taken} of ${found.steps.length} steps`)]
        : [],
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
