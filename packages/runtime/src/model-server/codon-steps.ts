import { type Answer, say } from './answer.ts'
import type { ModelRequest } from './model-request.ts'
import type { RehearsalScript, RehearsalStep } from './rehearsal-script.ts'
import { stepAnswer } from './step-answer.ts'

/** How far one codon is in its list. The place is kept over retries and extensions. */
export interface CodonSteps {
  /** The name of the list in the script: a runtime id, a codon's id or `*`. */
  readonly list: string
  readonly total: number
  readonly taken: number
  next(request: ModelRequest): Answer
}

/** The steps of a runtime id, else of its codon, else of all codons; undefined when the script has none of them. */
export function codonSteps(script: RehearsalScript, runtimeId: string): CodonSteps | undefined {
  const lists = script.codons ?? {}
  const list = [runtimeId, codonOf(runtimeId), '*'].find(name => Object.hasOwn(lists, name))
  const steps = list === undefined ? undefined : lists[list]
  return list === undefined || steps === undefined ? undefined : walkSteps(list, steps)
}

/** A runtime id without the iteration of its loop. */
function codonOf(runtimeId: string): string {
  return runtimeId.replace(/#\d+$/, '')
}

function walkSteps(list: string, steps: readonly RehearsalStep[]): CodonSteps {
  let taken = 0
  let refused: Answer | undefined

  function next(request: ModelRequest): Answer {
    // A harness that was refused while streaming may ask the same once more in one piece: the same refusal, no step.
    const answer = !request.stream && refused ? refused : take()
    refused = request.stream && answer.kind === 'error' ? answer : undefined
    return answer
  }

  function take(): Answer {
    let wait = 0
    for (const step of steps.slice(taken)) {
      taken++
      wait += step.wait ?? 0
      const answer = stepAnswer(step)
      if (answer) return wait > 0 ? { ...answer, wait } : answer
    }
    return { ...lastSaid(steps), wait }
  }

  return {
    list,
    total: steps.length,
    get taken() {
      return taken
    },
    next,
  }
}

function lastSaid(steps: readonly RehearsalStep[]): Answer {
  const last = steps.findLast(step => 'say' in step && step.say !== undefined)
  return (last && stepAnswer(last)) ?? say('Done.')
}
