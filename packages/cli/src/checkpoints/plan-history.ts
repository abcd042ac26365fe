import { planDifferences, readPlans } from '@weave/runtime'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { differenceLines } from '../run/plan-difference.ts'
import type { Terminal } from '../terminal.ts'

/** `weave diff --plan`: the plans that an execution has had, and what each one changed. */
export async function planHistory(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { positionals, switches } = args
  if (positionals.length > 0) {
    terminal.error('--plan compares plans, not checkpoints: weave diff --plan [-e <execution>].')
    return exitCodes.usage
  }
  const found = await chooseExecution(args, terminal)
  if (!found.ok) return found.code
  const plans = await readPlans(found.layout)
  const rows = plans.map(({ seq, timestamp, plan }, at) => {
    const before = plans[at - 1]?.plan
    return { seq, timestamp, differences: before ? planDifferences(before, plan) : [] }
  })
  if (switches.has('json')) terminal.json(JSON.stringify(rows, null, 2))
  else if (rows.length === 0) terminal.error(`${found.layout.dir} has no plan yet: it has not begun.`)
  else for (const [at, row] of rows.entries()) printPlan(row, at, terminal)
  return exitCodes.done
}

type PlanRow = { readonly timestamp: string; readonly differences: ReturnType<typeof planDifferences> }

function printPlan({ timestamp, differences }: PlanRow, at: number, terminal: Terminal): void {
  terminal.out(`${timestamp}  ${at === 0 ? 'the plan that the execution began with' : 'adopted'}`)
  for (const line of differenceLines(differences)) terminal.out(line)
}
