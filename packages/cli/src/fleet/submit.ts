import { join, resolve } from 'node:path'
import { secretsOf } from '@weave/runtime'
import type { Submission } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { checkedHank } from './checked-hank.ts'
import { dataSets, hankFolderOf } from './data-sets.ts'
import { dollars } from './money-lines.ts'
import { microsOf, type Numbers, readNumbers, readPools } from './numbers.ts'
import { whoAmI } from './settings.ts'
import { summaryOf } from './status-lines.ts'
import { sayDry } from './submit-dry.ts'
import { codeOf, watchBatch } from './watch.ts'
import { type OpenedFleet, withFleet, withPackage } from './with-fleet.ts'
import { work } from './work.ts'

/** `weave submit <hank>`: one execution for each data set. */
export async function submitCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [hank, ...more] = args.positionals
  const read = readWords(args)
  if (hank === undefined || more.length > 0 || 'problem' in read) {
    terminal.error('problem' in read ? read.problem : 'Name one hank: weave submit <hank> --data <path>')
    return exitCodes.usage
  }
  const found = dataSets(args, process.cwd())
  if (!found.ok) {
    terminal.error(found.message)
    return exitCodes.failed
  }
  const checked = await checkedHank({ hank, sets: found.sets }, args, terminal)
  if (!checked) return exitCodes.failed
  const { plan, unpriced } = checked
  const given = submissionOf({ hank, ...checked, sets: found.sets }, args, read)
  if (given.budget !== undefined && unpriced.length > 0) {
    terminal.error(`A ceiling needs prices, and that of ${unpriced.join(', ')} is not known. (FLEET_PRICE)`)
    terminal.error('Say what it costs in a file of models, or submit without --max-cost.')
    return exitCodes.failed
  }
  if (args.switches.has('submit-dry'))
    return withPackage({ args, terminal }, async ({ library }) =>
      sayDry(
        { weighed: await library.weigh(given), given, plan, isJson: args.switches.has('json') },
        terminal,
      ),
    )
  const works = args.switches.has('here')
  return withFleet({ args, terminal, works }, async opened => {
    const { window = 20, share = 0.5 } = opened.setting.breaker ?? {}
    const settled = readNumbers(args, opened.setting)
    const numbers = 'numbers' in settled ? settled.numbers : read.numbers
    const { batch } = await send({ ...given, lease: numbers.lease, breaker: { window, share } }, opened, {
      args,
      terminal,
    })
    if (works) return workHere({ batch, args, numbers }, opened, terminal)
    if (!args.switches.has('wait')) return exitCodes.done
    return watchBatch({ batch, isJson: args.switches.has('json') }, opened, terminal)
  })
}

interface Words {
  readonly numbers: Numbers
  readonly pool: string
  readonly notBefore: Date | undefined
}

function readWords(args: Arguments): Words | { readonly problem: string } {
  const { texts, switches } = args
  if (switches.has('here') && switches.has('wait'))
    return { problem: '--here works until all has ended: --wait is for what others work on.' }
  const read = readNumbers(args)
  if ('problem' in read) return read
  const [pool, ...others] = readPools(texts.pool ?? 'default') ?? []
  if (pool === undefined || others.length > 0)
    return { problem: `--pool: expected one name of small letters, digits and hyphens; found ${texts.pool}` }
  const time = texts['not-before']
  const notBefore = time === undefined ? undefined : new Date(time)
  if (notBefore && Number.isNaN(notBefore.getTime()))
    return {
      problem: `--not-before: expected a time such as 2026-12-24T18:00Z; found ${JSON.stringify(time)}`,
    }
  return { ...read, pool, notBefore }
}

interface Named {
  readonly hank: string
  readonly name: string
  readonly providers: readonly string[]
  readonly sets: Submission['data']
}

function submissionOf(named: Named, { texts, switches }: Arguments, words: Words): Submission {
  const { hank, name, sets, providers } = named
  const { numbers, pool, notBefore } = words
  return {
    name,
    providers,
    hankFolder: resolve(hankFolderOf(hank)),
    data: sets,
    isByPath: switches.has('data-by-path'),
    priority: numbers.priority,
    weight: numbers.weight,
    maxRunning: numbers['max-running'],
    pool,
    notBefore,
    budget: microsOf(texts['batch-max-cost']),
    lease: numbers.lease,
    key: texts['idempotency-key'],
    submittedBy: whoAmI(),
    search: switches.has('allow-findings') ? undefined : { known: secretsOf(process.env) },
    options: {
      rehearse: switches.has('submit-rehearse'),
      model: texts['submit-model'],
      maxCostEach: texts['max-cost-each'],
      maxTime: texts['submit-max-time'],
    },
  }
}

interface Talk {
  readonly args: Arguments
  readonly terminal: Terminal
}

async function send(given: Submission, { fleet, library }: OpenedFleet, { args, terminal }: Talk) {
  const submitted = await library.submit(given, fleet)
  const { batch, executions, isOld } = submitted
  const goesOn = args.switches.has('here') || args.switches.has('wait')
  if (args.switches.has('json')) {
    if (!goesOn) terminal.json(JSON.stringify(submitted))
    return submitted
  }
  terminal.error(`Batch      ${batch}${isOld ? ' (it was there already)' : ''}`)
  terminal.error(`Executions ${executions}`)
  if (given.budget !== undefined) terminal.error(`Ceiling    ${dollars(given.budget)}`)
  if (fleet.store.keyCheck === library.noKey)
    terminal.error('No key is set: who can read the store can read whole conversations. See fleet.key.')
  if (!goesOn) terminal.error('Work on it with: weave worker')
  return submitted
}

/** Until nothing is left, with the results in one folder. */
async function workHere(
  { batch, args, numbers }: { readonly batch: string; readonly args: Arguments; readonly numbers: Numbers },
  opened: OpenedFleet,
  terminal: Terminal,
): Promise<ExitCode> {
  const { fleet, library } = opened
  const { slots, lease } = numbers
  const pools = [args.texts.pool ?? 'default']
  const ended = await work({ args, slots, lease, pools, untilIdle: true }, opened, terminal)
  if (ended !== exitCodes.done) return ended
  const folder = resolve(args.texts['results-folder'] ?? join('weave-results', batch))
  const made = await library.results(fleet, { batch, folder })
  const status = await library.batchStatus(fleet.engine, batch)
  if (args.switches.has('json')) terminal.json(JSON.stringify({ ...status, results: folder }))
  else {
    const executions = await library.executionsOf(fleet.engine, batch)
    const { deaths } = await library.batchMoney(fleet.engine, batch)
    for (const line of summaryOf(status, { executions, deaths })) terminal.error(line)
    terminal.error(`Results    ${folder} (${plural(made.length, 'folder')})`)
  }
  return codeOf(status.counts)
}
