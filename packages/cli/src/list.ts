import { listExecutions, systemClock } from '@weave/runtime'
import { dollarsText, durationText } from 'weave-client'
import { executionBaseOf } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { columns, type Terminal } from './terminal.ts'

/** `weave list`: every execution below the base directory, newest first. */
export async function listCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const executionBaseDir = await executionBaseOf(args)
  const { executions, damaged } = await listExecutions({ executionBaseDir, clock: systemClock })
  const rows = await Promise.all(
    executions.map(async ({ layout, file, lock }) => {
      const { executionStatus } = await import('@weave/runtime')
      const { status, cost, codons, problems } = await executionStatus(layout)
      const running = lock.kind === 'held'
      return {
        dir: layout.dir,
        hank: file.hankName,
        data: file.dataPath ?? '',
        status: running ? 'running' : status,
        cost,
        codons,
        lastUsed: file.lastUsed,
        ...withProblems([
          ...problems,
          ...(lock.kind === 'unreadable' ? [`${lock.message}. ${lock.cure}.`] : []),
        ]),
      }
    }),
  )
  if (args.switches.has('json')) terminal.json(JSON.stringify(rows, null, 2))
  else if (rows.length === 0)
    terminal.out(`No executions in ${executionBaseDir}. "weave" or "weave rehearse" makes one.`)
  else {
    const now = Date.now()
    const cells = rows.map(row => [
      row.hank,
      row.status,
      `${row.codons} codons`,
      dollarsText(row.cost),
      `${durationText(now - Date.parse(row.lastUsed))} ago`,
      row.data,
      row.dir,
    ])
    for (const line of columns(
      [['HANK', 'STATUS', 'DONE', 'COST', 'USED', 'DATA', 'EXECUTION'], ...cells],
      '',
    ))
      terminal.out(line)
  }
  for (const { dir, problems = [] } of rows)
    for (const problem of problems) terminal.error(`${dir}: ${problem}`)
  for (const { dir, message, cure } of damaged) terminal.error(`${dir}: ${message} ${cure}`)
  return exitCodes.done
}

function withProblems(problems: readonly string[]): { readonly problems?: readonly string[] } {
  return problems.length === 0 ? {} : { problems }
}
