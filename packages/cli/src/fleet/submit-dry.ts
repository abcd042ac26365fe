import type { Plan } from '@weave/runtime'
import { dollarsText } from 'weave-client'
import type { Submission, Weighed } from 'weave-fleet'
import { type ExitCode, exitCodes } from '../program.ts'
import { bytesText, columns, type Terminal } from '../terminal.ts'
import { forecastOf } from '../validate/sections.ts'

interface Dry {
  readonly weighed: Weighed
  readonly given: Submission
  readonly plan: Plan
  readonly isJson: boolean
}

const mostShown = 20

/** What would be submitted, in words; nothing is. */
export function sayDry({ weighed, given, plan, isJson }: Dry, terminal: Terminal): ExitCode {
  const { executions, hank, data, bytes } = weighed
  const worst = worstCase(given, plan, executions)
  if (isJson) {
    terminal.json(JSON.stringify({ ...weighed, worstDollars: worst ?? null }))
    return exitCodes.done
  }
  terminal.out(`Executions ${executions}`)
  terminal.out(`Upload     ${bytesText(bytes)} at most`)
  terminal.out(
    `Worst case ${worst === undefined ? 'nothing limits it: --max-cost-each does' : dollarsText(worst)}`,
  )
  terminal.out(`Hank       ${hank.hash}, ${bytesText(hank.bytes)}`)
  const rows = data
    .slice(0, mostShown)
    .map((set, at) => [String(at + 1), set.name, set.hash, bytesText(set.bytes)])
  for (const line of columns(rows)) terminal.out(line)
  if (data.length > mostShown) terminal.out(`  and ${data.length - mostShown} more`)
  return exitCodes.done
}

/** For all executions together; undefined: there is no limit. */
function worstCase({ data, options }: Submission, plan: Plan, executions: number): number | undefined {
  const { dollars } = forecastOf(plan)
  const ofPlan = dollars.kind === 'bounded' ? dollars.amount : Number.POSITIVE_INFINITY
  const each = (most: string | undefined): number =>
    Math.min(ofPlan, most === undefined ? ofPlan : Number(most))
  const own = data.map(({ maxCost }) => each(maxCost ?? options.maxCostEach))
  const all = own.length > 0 ? own.reduce((sum, one) => sum + one, 0) : executions * each(options.maxCostEach)
  return Number.isFinite(all) ? all : undefined
}
