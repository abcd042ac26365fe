import { formatPath, type Problem, problemOf } from '../kit/index.ts'
import { type Answer, say } from './answer.ts'
import { answerAfter, stepsFor } from './codon-steps.ts'
import type { ModelRequest } from './model-request.ts'
import type { RehearsalScript } from './rehearsal-script.ts'
import { defaultAnswer, isHealthCheck, newestPrompt, plainAnswer, sideAnswer } from './side-request.ts'

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
  leftovers(): readonly Leftover[]
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
function leftSteps(script: RehearsalScript, places: Places): readonly Leftover[] {
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

type Leftover = Problem<'rehearsal/steps'>

function complaint(path: readonly string[], message: string): Leftover {
  return problemOf({ severity: 'error', code: 'rehearsal/steps', message }, formatPath(path))
}

function listOf<Item>(
  lists: Readonly<Record<string, readonly Item[]>> | undefined,
  id: string,
): readonly Item[] {
  return lists && Object.hasOwn(lists, id) ? (lists[id] ?? []) : []
}

/** How far a rehearsal is: steps that were taken, outputs that were given, each counted by the placeholder key that asked. */
export interface Places {
  taken(key: string): number
  /** Counts what an answer takes. Called before it is sent. */
  take(key: string, steps: number): void
  /** Who has taken anything. */
  all(): ReadonlyMap<string, number>
}

/** Places that are forgotten with the process. */
export function createPlaces(): Places {
  const counts = new Map<string, number>()
  const taken = (key: string) => counts.get(key) ?? 0
  return {
    taken,
    take: (key, steps) => void counts.set(key, taken(key) + steps),
    all: () => counts,
  }
}

/**
 * Placeholder keys say whose request it is: `rehearsal-<runtimeId>` a codon's, `rehearsal-sentinel-<id>` a sentinel's,
 * `rehearsal` alone nobody's, such as a self-test's.
 *
 * Ids are arbitrary text. What cannot stand in a header is written with percent signs, as in an address; so is the first
 * letter of a codon's id that would read like a sentinel's.
 */
export const nobodysKey = 'rehearsal'

const codonPrefix = 'rehearsal-'
const sentinelWord = 'sentinel-'

export function codonKey(runtimeId: string): string {
  const id = encode(runtimeId)
  return codonPrefix + (id.startsWith(sentinelWord) ? `%73${id.slice(1)}` : id)
}

export function sentinelKey(id: string): string {
  return codonPrefix + sentinelWord + encode(id)
}

type KeyOwner =
  | { readonly kind: 'codon' | 'sentinel'; readonly id: string }
  | { readonly kind: 'nobody' | 'stranger' }

export function ownerOf(key: string): KeyOwner {
  if (key === nobodysKey) return { kind: 'nobody' }
  if (!key.startsWith(codonPrefix)) return { kind: 'stranger' }
  const id = key.slice(codonPrefix.length)
  if (id.startsWith(sentinelWord)) return { kind: 'sentinel', id: decode(id.slice(sentinelWord.length)) }
  return { kind: 'codon', id: decode(id) }
}

// Every visible ASCII character but the percent sign.
const unfit = /[^!-$&-~]/gu

function encode(id: string): string {
  return id.replace(unfit, character => {
    const isHalf = character.length === 1 && /[\ud800-\udfff]/.test(character)
    if (isHalf) return `%u${character.charCodeAt(0).toString(16)}`
    return [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  })
}

/** Half a pair of surrogates has no bytes of its own, so it stands as its number. */
const escapes = /%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)/gi

function decode(text: string): string {
  return text.replace(escapes, (_all, half: string | undefined, bytes: string | undefined) =>
    half === undefined
      ? Buffer.from((bytes ?? '').replaceAll('%', ''), 'hex').toString('utf8')
      : String.fromCharCode(Number.parseInt(half, 16)),
  )
}
