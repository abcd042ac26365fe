import { executionLayout, runReaderThread } from '@weave/runtime'
import { type ExitCode, exitCodes } from '../program.ts'

/** Not for people: the thread in which a dashboard's host reads executions. */
export function dashboardReaderCommand(): Promise<ExitCode> {
  runReaderThread(async () => ({
    runsOf: (await import('../report/run-rows.ts')).runRows,
    reportOf: async dir => {
      const { reportHtml } = await import('../report/html-report.ts')
      return reportHtml(executionLayout(dir), { isOnlyRead: true })
    },
  }))
  return Promise.resolve(exitCodes.done)
}
