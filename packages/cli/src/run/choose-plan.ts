import {
  createRedactor,
  executionStatus,
  hankHash,
  isFinished,
  type OpenedExecution,
  type Plan,
  type PlanDifference,
  type Prepared,
  planDifferences,
  previewAdoption,
  readPlans,
  secretsOf,
} from '@weave/runtime'
import { dollarsText } from 'weave-client'
import { paintVerdict } from '../colour.ts'
import { confirm, decide } from '../confirm.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { startReport } from '../validate/report.ts'
import { differenceLines } from './plan-difference.ts'

export interface PlanQuestion {
  readonly prepared: Prepared
  /** Of the hank as it is now. */
  readonly plan: Plan
  readonly opened: OpenedExecution
  readonly args: Arguments
}

export type ChosenPlan =
  /** `adopt`: the plan of the hank takes over. */
  | { readonly ok: true; readonly adopt?: { readonly hankHash: string } }
  | { readonly ok: false; readonly exitCode: ExitCode }

/**
 * Which plan runs: an execution goes on with its own, unless a person adopts that of the edited hank. Prints what is
 * different, then the plan that will run.
 */
export async function choosePlan(question: PlanQuestion, terminal: Terminal): Promise<ChosenPlan> {
  const { prepared, plan, opened, args } = question
  const { layout } = opened
  // What cannot be read the start itself finds and says, before anything is done.
  const plans = opened.kind === 'resumed' ? await readPlans(layout).catch(() => []) : []
  const own = plans.at(-1)?.plan
  const wantsAdoption = args.switches.has('adopt')
  const differences = own ? planDifferences(own, redacted(plan)) : []
  const print = (runs: Plan): void => {
    for (const line of startReport(prepared, runs)) terminal.error(line, paintVerdict)
  }
  if (!own || differences.length === 0) {
    if (wantsAdoption) terminal.error(own ? unchanged : notBegun)
    if (args.switches.has('dry-run')) return { ok: false, exitCode: exitCodes.done }
    if (own && opened.hankChanged && !wantsAdoption) {
      const agreed = await confirm(inNothing(layout.dir), args.switches.has('yes'))
      if (!agreed.ok) return refused(agreed.message, terminal)
    }
    const runs = own ? withCeilings(own, plan) : plan
    if (!own || !(await isFinished(layout, runs))) print(runs)
    return { ok: true }
  }
  terminal.error(
    opened.hankChanged
      ? `The hank has changed since ${layout.dir} got its plan:`
      : `The plan of ${layout.dir} is not what would be planned now:`,
  )
  for (const line of differenceLines(differences)) terminal.error(line)
  terminal.error('')
  // Settings and flags of a start may differ without a question; they never were part of the plan that is there.
  const answer = wantsAdoption ? 'adopt' : opened.hankChanged ? await whichPlan(args) : 'own'
  if (answer === 'adopt') return adopt({ ...question, differences, print }, terminal)
  if (answer !== 'own') return refused(answer.message, terminal)
  terminal.error('It goes on with the plan it has; --adopt takes the changes over.')
  terminal.error('')
  print(withCeilings(own, plan))
  return { ok: true }
}

const unchanged = 'The hank says what the execution has as its plan: there is nothing to adopt.'
const notBegun = 'The execution begins with the hank as it is: there is nothing to adopt.'

function inNothing(dir: string): string {
  return `The hank has changed since ${dir} was made, in nothing that runs. Go on?`
}

function refused(message: string, terminal: Terminal): ChosenPlan {
  terminal.error(message)
  return { ok: false, exitCode: exitCodes.failed }
}

/** The journal holds plans without the secrets of the environment; so they must be compared. */
function redacted(plan: Plan): Plan {
  return createRedactor(secretsOf(process.env)).json(plan)
}

/** Ceilings are said anew at every start. */
function withCeilings(own: Plan, { ceilings = {} }: Plan): Plan {
  return { ...own, ceilings }
}

/** `-y` means what a resume has always meant: the plan that is there. */
async function whichPlan({ switches }: Arguments): Promise<'own' | 'adopt' | { readonly message: string }> {
  if (switches.has('yes')) return 'own'
  const answer = await decide('Go on with the plan it has (y), adopt the changes (a), or stop (N)?', {
    answers: ['y', 'a'],
    unasked:
      'add -y to go on with the plan it has, --adopt to take the changes over, or --start-new to begin anew',
  })
  if (!answer.ok) return answer
  return answer.answer === 'a' ? 'adopt' : 'own'
}

interface AdoptQuestion extends PlanQuestion {
  readonly differences: readonly PlanDifference[]
  readonly print: (plan: Plan) => void
}

async function adopt(question: AdoptQuestion, terminal: Terminal): Promise<ChosenPlan> {
  const { prepared, plan, opened, args, differences, print } = question
  const { layout } = opened
  const { switches } = args
  const verdict = await previewAdoption(layout, plan)
  if (!verdict.ok)
    return refused(`The edited hank cannot be adopted: ${verdict.message}\n${verdict.cure}`, terminal)
  print(plan)
  const { cost } = await executionStatus(layout)
  const { kept, entry } = verdict
  terminal.error(`Kept       ${kept.length === 0 ? 'nothing is done yet' : kept.join(', ')}`)
  for (const line of notDoneAgain(kept, differences)) terminal.error(line)
  terminal.error(`Spent      ${dollarsText(cost)}, which counts against every budget`)
  terminal.error(`Goes on    ${entry ? `with ${entry.runtimeId}` : 'nowhere: everything is done'}`)
  if (switches.has('dry-run')) return { ok: false, exitCode: exitCodes.done }
  const agreed = await confirm('Adopt the edited hank?', switches.has('yes'), 'leave out --adopt')
  if (!agreed.ok) return refused(agreed.message, terminal)
  const { source } = prepared.loaded
  return { ok: true, adopt: { hankHash: source ? hankHash(source) : '' } }
}

/** An edit of a codon that is done changes nothing, which its author should know. */
function notDoneAgain(kept: readonly string[], differences: readonly PlanDifference[]): readonly string[] {
  const changed = new Set(differences.map(({ owner }) => owner))
  const stale = kept.filter(id => changed.has(`codon ${id.replace(/#\d+$/, '')}`))
  if (stale.length === 0) return []
  return [
    `           not done again although edited: ${stale.join(', ')}; "weave rollback" goes back before it`,
  ]
}
