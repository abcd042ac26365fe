import { type ExitCode, exitCodes } from '../program.ts'
import type { Asked, Deed } from './deed.ts'
import { logs } from './logs.ts'
import { batchLine, executionPage, summaryOf, workerLines } from './status-lines.ts'
import { watchBatch } from './watch.ts'
import type { OpenedFleet } from './with-fleet.ts'

/** What only looks. */
export const lookDeeds: Readonly<Record<string, Deed>> = {
  status: {
    usage: '[batch]',
    summary: 'what became of a batch: counts, costs, when it will end, and why something did not succeed',
    flags: ['json'],
    words: [0, 1],
    run: (asked, opened) => (asked.target === '' ? list(asked, opened) : status(asked, opened)),
  },
  list: {
    usage: '',
    summary: 'all batches, newest first',
    flags: ['json'],
    words: [0, 0],
    run: list,
  },
  watch: {
    usage: '<batch>',
    summary: 'a line whenever something changes, until all of it has ended',
    flags: ['json'],
    words: [1, 1],
    run: ({ target, args, terminal }, opened) =>
      watchBatch({ batch: target, isJson: args.switches.has('json') }, opened, terminal),
  },
  workers: {
    usage: '',
    summary: 'who takes turns, and how busy they are',
    flags: ['json'],
    words: [0, 0],
    run: workers,
  },
  show: {
    usage: '<execution>',
    summary: 'one execution: its turns, heads, costs and what happened last',
    flags: ['json'],
    words: [1, 1],
    run: show,
  },
  logs: {
    usage: '<batch|execution>',
    summary: 'what happened to it in the fleet; -f goes on, of an execution with what happens inside of it',
    flags: ['json', 'follow'],
    words: [1, 1],
    run: logs,
  },
}

async function list({ args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const batches = await library.listBatches(fleet.engine)
  if (args.switches.has('json')) terminal.json(JSON.stringify(batches))
  else if (batches.length === 0)
    terminal.error('Nothing was submitted yet: weave submit <hank> --data <path>')
  else for (const each of batches) terminal.out(batchLine(each))
  return exitCodes.done
}

async function status({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const found = await library.batchStatus(fleet.engine, target)
  const executions = await library.executionsOf(fleet.engine, target)
  const money = await library.batchMoney(fleet.engine, target)
  if (args.switches.has('json')) terminal.json(JSON.stringify({ ...found, money, executions }))
  else for (const line of summaryOf(found, { executions, deaths: money.deaths })) terminal.out(line)
  return exitCodes.done
}

async function workers({ args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const found = await library.listWorkers(fleet.engine)
  if (args.switches.has('json')) terminal.json(JSON.stringify(found))
  else if (found.length === 0) terminal.error('Nobody works: weave worker')
  else for (const line of workerLines(found)) terminal.out(line)
  return exitCodes.done
}

async function show({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const found = await library.showExecution(fleet.engine, target)
  if (args.switches.has('json')) terminal.json(JSON.stringify(found))
  else for (const line of executionPage(found)) terminal.out(line)
  return exitCodes.done
}
