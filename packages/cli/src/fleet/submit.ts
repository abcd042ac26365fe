import { userInfo } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { formatProblem, openRehearsal } from '@weave/runtime'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { report } from '../validate/report.ts'
import { dataSets, hankFolderOf } from './data-sets.ts'
import { type Numbers, readNumbers } from './numbers.ts'
import { summaryOf } from './status-lines.ts'
import { type OpenedFleet, withFleet } from './with-fleet.ts'
import { work } from './work.ts'

/** `weave submit <hank>`: one execution for each data set. */
export async function submitCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [hank, ...more] = args.positionals
  const read = readNumbers(args)
  if (hank === undefined || more.length > 0 || 'problem' in read) {
    terminal.error('problem' in read ? read.problem : 'Name one hank: weave submit <hank> --data <path>')
    return exitCodes.usage
  }
  const sets = dataSets(args, process.cwd())
  if (!sets.ok) {
    terminal.error(sets.message)
    return exitCodes.failed
  }
  const name = await checkedName(hank, args, terminal)
  if (name === undefined) return exitCodes.failed
  const works = args.switches.has('here')
  return withFleet({ terminal, works }, async opened => {
    const batch = await send({ hank, name, sets: sets.paths, args, numbers: read.numbers }, opened, terminal)
    return works ? workHere({ batch, args, numbers: read.numbers }, opened, terminal) : exitCodes.done
  })
}

/** Validates the hank as a run would; undefined: it was said what is wrong. */
async function checkedName(hank: string, args: Arguments, terminal: Terminal): Promise<string | undefined> {
  const isRehearsal = args.switches.has('submit-rehearse')
  const file = join(resolve(hankFolderOf(hank)), 'rehearsal.json')
  const opened = isRehearsal
    ? await openRehearsal({ file, isNamed: false, strict: false, throughProxy: false })
    : undefined
  if (opened && !opened.ok) {
    for (const problem of opened.problems) terminal.error(formatProblem(problem))
    return undefined
  }
  try {
    const redirect = opened?.rehearsal.environment
    const run = await prepareRun({ ...args, positionals: [hank] }, { ...(redirect && { redirect }) })
    if (!run.ok) terminal.error(run.usage)
    else if (!run.prepared.ok || !run.prepared.plan)
      for (const line of report(run.prepared, { verbose: false, environment: {} }))
        terminal.error(line, paintVerdict)
    else
      return (
        args.texts['batch-name'] ??
        run.prepared.loaded.hank?.meta?.name ??
        basename(resolve(hankFolderOf(hank)))
      )
    return undefined
  } finally {
    await opened?.rehearsal.close()
  }
}

interface Wish {
  readonly hank: string
  readonly name: string
  readonly sets: readonly string[]
  readonly args: Arguments
  readonly numbers: Numbers
}

async function send(
  { hank, name, sets, args, numbers }: Wish,
  { fleet, library }: OpenedFleet,
  terminal: Terminal,
): Promise<string> {
  const { texts, switches } = args
  const submitted = await library.submit(
    {
      name,
      hankFolder: resolve(hankFolderOf(hank)),
      data: sets,
      priority: numbers.priority,
      weight: numbers.weight,
      maxRunning: numbers['max-running'],
      pool: 'default',
      lease: numbers.lease,
      key: texts['idempotency-key'],
      submittedBy: userInfo().username,
      options: {
        rehearse: switches.has('submit-rehearse'),
        model: texts['submit-model'],
        maxCostEach: texts['max-cost-each'],
        maxTime: texts['submit-max-time'],
      },
    },
    fleet,
  )
  const { batch, executions, isOld } = submitted
  if (switches.has('json') && !switches.has('here')) terminal.json(JSON.stringify(submitted))
  else {
    terminal.error(`Batch      ${batch}${isOld ? ' (it was there already)' : ''}`)
    terminal.error(`Executions ${executions}`)
    if (!switches.has('here')) terminal.error('Work on it with: weave worker')
  }
  return batch
}

/** Until nothing is left, with the results in one folder. */
async function workHere(
  { batch, args, numbers }: Pick<Wish, 'args' | 'numbers'> & { readonly batch: string },
  opened: OpenedFleet,
  terminal: Terminal,
): Promise<ExitCode> {
  const { fleet, library } = opened
  const ended = await work({ slots: numbers.slots, lease: numbers.lease, untilIdle: true }, opened, terminal)
  if (ended !== exitCodes.done) return ended
  const folder = resolve(args.texts['results-folder'] ?? join('weave-results', batch))
  const made = await library.results(fleet, { batch, folder })
  const status = await library.batchStatus(fleet.engine, batch)
  if (args.switches.has('json')) terminal.json(JSON.stringify({ ...status, results: folder }))
  else {
    for (const line of summaryOf(status, await library.executionsOf(fleet.engine, batch)))
      terminal.error(line)
    terminal.error(`Results    ${folder} (${plural(made.length, 'folder')})`)
  }
  const total = Object.values(status.counts).reduce((sum, count) => sum + count, 0)
  return status.counts['succeeded'] === total ? exitCodes.done : exitCodes.failed
}
