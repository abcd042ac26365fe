import { type ExecutionLayout, readRequests } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'
import { requestCsv } from './request-csv.ts'
import { requestLines } from './request-lines.ts'

/** `weave report --requests`: what the proxy saw. */
export async function printRequests(
  layout: Pick<ExecutionLayout, 'internals'>,
  { switches }: Pick<Arguments, 'switches'>,
  terminal: Terminal,
): Promise<void> {
  const requests = await readRequests(layout)
  if (switches.has('json')) terminal.json(JSON.stringify(requests, null, 2))
  else if (switches.has('csv')) terminal.raw(requestCsv(requests))
  else for (const line of requestLines(requests)) terminal.out(line)
}
