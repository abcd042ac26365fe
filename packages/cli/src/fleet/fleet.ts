import { join, resolve } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { batchLine, summaryOf } from './status-lines.ts'
import { type OpenedFleet, withFleet } from './with-fleet.ts'

type Deed = (wish: Wish, opened: OpenedFleet, terminal: Terminal) => Promise<ExitCode>

interface Wish {
  readonly batch: string | undefined
  readonly args: Arguments
}

const deeds: Readonly<Record<string, Deed>> = { status, cancel, results }

/** `weave fleet <status|cancel|results> [batch]`. */
export async function fleetCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [word = 'status', batch, ...more] = args.positionals
  const deed = Object.hasOwn(deeds, word) ? deeds[word] : undefined
  if (!deed || more.length > 0 || (batch === undefined && word !== 'status')) {
    terminal.error(`Say one of: ${Object.keys(deeds).join(', ')}, and a batch: weave fleet results <batch>`)
    return exitCodes.usage
  }
  return withFleet({ terminal, works: false }, opened => deed({ batch, args }, opened, terminal))
}

async function status(
  ...[{ batch, args }, { fleet, library }, terminal]: Parameters<Deed>
): Promise<ExitCode> {
  const isJson = args.switches.has('json')
  if (batch === undefined) {
    const batches = await library.listBatches(fleet.engine)
    if (isJson) terminal.json(JSON.stringify(batches))
    else if (batches.length === 0)
      terminal.error('Nothing was submitted yet: weave submit <hank> --data <path>')
    else for (const each of batches) terminal.out(batchLine(each))
    return exitCodes.done
  }
  const found = await library.batchStatus(fleet.engine, batch)
  const executions = await library.executionsOf(fleet.engine, batch)
  if (isJson) terminal.json(JSON.stringify({ ...found, executions }))
  else for (const line of summaryOf(found, executions)) terminal.out(line)
  return exitCodes.done
}

async function cancel(
  ...[{ batch = '', args }, { fleet, library }, terminal]: Parameters<Deed>
): Promise<ExitCode> {
  const now = args.switches.has('cancel-now')
  const count = await library.cancelBatch(fleet.engine, { batch, now })
  if (count === 0) {
    terminal.error(`Nothing of ${batch} is queued, waiting or running: nothing was cancelled.`)
    return exitCodes.failed
  }
  terminal.error(`${plural(count, 'execution')} cancelled${now ? '' : '; what runs ends with its codon'}.`)
  return exitCodes.done
}

async function results(
  ...[{ batch = '', args }, { fleet, library }, terminal]: Parameters<Deed>
): Promise<ExitCode> {
  const folder = resolve(args.texts['results-folder'] ?? join('weave-results', batch))
  const made = await library.results(fleet, { batch, folder })
  terminal.error(`Results    ${folder} (${plural(made.length, 'folder')})`)
  return exitCodes.done
}
