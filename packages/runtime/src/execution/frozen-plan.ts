import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { History, Journal } from '../journal/index.ts'
import type { Failure, Refused, Result } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/** The plan that an execution began with; undefined for one that has not begun. It is among the first events. */
export async function frozenPlan(history: History): Promise<Plan | undefined> {
  for await (const page of history.pages({ upTo: 50 })) {
    for (const stored of page.events) {
      const event = await history.event(stored)
      if (event?.type === 'preflight.result' && event.data.plan) {
        // Written by `freeze`; the checksum of its line proves that nobody else has touched it.
        return event.data.plan as unknown as Plan
      }
    }
  }
  return undefined
}

/**
 * Whether an execution has a history that its journal does not hold. To begin anew in its used workspace, and to pay again
 * for what is done, is never what a person wants. `hasPlan`: of the journal. Nothing is to be found in an execution
 * that was killed before its first event: checkpoints and states come after that.
 */
export function findLostJournal(
  layout: ExecutionLayout,
  { lastSeq, hasPlan }: { readonly lastSeq: number; readonly hasPlan: boolean },
): Refused<Failure> | undefined {
  if (hasPlan) return undefined
  const { journal, dir } = layout
  const witnesses = [
    ...(isFilled(layout.stateFile) ? [layout.stateFile] : []),
    ...(hasRefs(layout.checkpoints) ? [`the checkpoints in ${layout.checkpoints}`] : []),
  ]
  if (lastSeq === 0 && witnesses.length === 0) return undefined
  const what = lastSeq === 0 ? 'is gone or empty' : 'does not begin with its plan'
  const known = witnesses.length === 0 ? '' : `, but there is ${witnesses.join(' and ')}`
  return {
    ok: false,
    message: `The journal in ${journal} ${what}${known}: what was done in ${dir} is not known, so nothing is started in it.`,
    cure: `Restore ${journal} from a backup; or begin another execution with --start-new. "weave checkpoints" cannot help: the journal names what they hold.`,
  }
}

function isFilled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size > 0
}

/** Looked up without git: the store may be as damaged as the journal. */
function hasRefs(gitDir: string): boolean {
  try {
    const packed = join(gitDir, 'packed-refs')
    if (isFilled(packed) && /^[0-9a-f]{40} /m.test(readFileSync(packed, 'utf8'))) return true
    const refs = join(gitDir, 'refs')
    return (
      existsSync(refs) &&
      readdirSync(refs, { recursive: true, withFileTypes: true }).some(each => each.isFile())
    )
  } catch {
    return false
  }
}

/** The plan that the execution began with, or that of the hank for one that begins now. */
export async function planFor(
  { layout, plan }: { readonly layout: ExecutionLayout; readonly plan: Plan },
  journal: Journal,
): Promise<Result<{ readonly plan: Plan }, Failure>> {
  const frozen = await frozenPlan(journal.history)
  const hasPlan = frozen !== undefined
  const lost = findLostJournal(layout, { lastSeq: journal.lastSeq, hasPlan })
  if (lost) return lost
  return { ok: true, plan: frozen ? withCeilings(frozen, plan) : freeze(journal, plan) }
}

/** What a person allows to spend is said anew at every start; all else is as it was when the execution began. */
function withCeilings(frozen: Plan, { ceilings = {} }: Plan): Plan {
  return { ...frozen, ceilings }
}

/**
 * The plan is written down once, when the execution begins; from then on that is what runs. On the disk for good before
 * the first checkpoint: a store with checkpoints and no journal means that the journal was lost.
 */
function freeze(journal: Journal, plan: Plan): Plan {
  journal.append('preflight.result', { ok: true, problems: [], plan: { ...plan } })
  journal.flush()
  return plan
}
