import type { ObservedCosts, Prepared } from '@weave/runtime'
import { type ExitCode, exitCodes } from '../exit.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Terminal } from '../terminal.ts'
import { hasRunBefore } from './has-run-before.ts'
import { report } from './report.ts'
import { reportJson } from './report-json.ts'
import { schemaLine } from './schema-line.ts'

/** `weave validate`: everything that can be known before a token is spent, for people or for programs. */
export async function validateCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const run = await prepareRun(args, { looksAtData: true })
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  const { prepared } = run
  const added = await schemaLine(prepared)
  const earlier = await earlierOf(prepared)
  if (args.switches.has('json')) terminal.json(reportJson(prepared, process.env, earlier))
  else {
    if (added !== undefined) terminal.out(added)
    const verbose = args.switches.has('verbose')
    for (const line of report(prepared, { verbose, environment: process.env, earlier })) terminal.out(line)
  }
  return prepared.ok ? exitCodes.done : exitCodes.failed
}

/** Whoever has not run this hank before does not wait for the code that reads executions. */
async function earlierOf(prepared: Prepared): Promise<ObservedCosts | undefined> {
  const hankPath = prepared.loaded.source?.path
  if (hankPath === undefined || !hasRunBefore(prepared.paths.executionBaseDir, hankPath)) return undefined
  return (await import('./earlier-costs.ts')).earlierCosts(prepared)
}
