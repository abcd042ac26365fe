import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { paintMark } from '../colour.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { bytesText, columns, plural } from '../terminal.ts'
import type { Asked, Deed } from './deed.ts'
import type { OpenedFleet } from './with-fleet.ts'

/** What keeps a fleet well. */
export const upkeepDeeds: Readonly<Record<string, Deed>> = {
  doctor: {
    usage: '',
    summary: 'one line for each thing that a fleet needs, with the cure for what is missing',
    flags: ['json'],
    words: [0, 0],
    run: doctor,
  },
  gc: {
    usage: '',
    summary: 'drop what nobody needs any more; --preview only says what',
    flags: ['json', 'preview'],
    words: [0, 0],
    run: collect,
  },
  migrate: {
    usage: '',
    summary:
      'bring the tables of the engine to where this program knows them; --roles makes roles for logins',
    flags: ['roles'],
    words: [0, 0],
    run: migrate,
  },
  up: {
    usage: '',
    summary: 'hold the engine of your own until Ctrl-C, so that workers may come and go',
    flags: [],
    words: [0, 0],
    run: up,
  },
  down: {
    usage: '',
    summary: 'end the engine of your own, whoever holds it',
    flags: [],
    words: [0, 0],
    alone: down,
  },
}

const marks = { good: 'ok', poor: '!', bad: 'x' } as const

async function doctor({ args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const findings = await library.examineFleet(fleet)
  if (args.switches.has('json')) terminal.json(JSON.stringify(findings, null, 2))
  else {
    const rows = findings.map(({ verdict, name, detail, cure }) => [
      marks[verdict],
      name,
      cure === undefined ? detail : `${detail}. ${cure}`,
    ])
    for (const line of columns(rows)) terminal.out(line, paintMark)
  }
  return findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.failed : exitCodes.done
}

const usualRetainDays = 30

async function collect(
  { args, terminal }: Asked,
  { fleet, library, setting }: OpenedFleet,
): Promise<ExitCode> {
  const isPreview = args.switches.has('preview')
  const retainDays = setting.retainDays ?? usualRetainDays
  const gone = await library.collectGarbage(fleet, { retainDays, isPreview })
  if (args.switches.has('json')) terminal.json(JSON.stringify(gone))
  else {
    const objects = `${plural(gone.objects, 'object')} with ${bytesText(gone.bytes)}`
    terminal.out(`${isPreview ? 'Would drop' : 'Dropped'} ${objects}, ${plural(gone.events, 'event')}.`)
    for (const batch of gone.batches)
      terminal.out(`${isPreview ? 'Would close' : 'Closed'} ${batch}: it ended over ${retainDays} days ago.`)
    for (const worker of gone.workers) terminal.out(`Forgot ${worker}: nobody has heard of it.`)
  }
  return exitCodes.done
}

/** To open the engine is to migrate it. */
async function migrate({ args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  if (args.switches.has('roles')) {
    await library.makeRoles(fleet.engine)
    terminal.error('Roles      weave_worker, weave_submit, weave_view: grant them to your logins.')
  }
  terminal.error(`The tables are at schema ${await library.schemaOf(fleet.engine)}.`)
  return exitCodes.done
}

const lookMs = 500

async function up({ terminal }: Asked, { fleet }: OpenedFleet): Promise<ExitCode> {
  if (!fleet.engine.isEmbedded) {
    terminal.error('The engine is named by an address: whoever runs it starts it.')
    return exitCodes.failed
  }
  terminal.error('The engine is up. Ctrl-C ends it.')
  let isWanted = true
  const onSignal = (): void => {
    isWanted = false
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    while (isWanted) {
      const isThere = await fleet.engine.database.query('select 1').then(
        () => true,
        () => false,
      )
      if (!isThere) {
        terminal.error('The engine has ended.')
        return exitCodes.done
      }
      await delay(lookMs)
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  return exitCodes.done
}

async function down(
  { terminal }: Asked,
  { library, environment }: Omit<OpenedFleet, 'fleet'>,
): Promise<ExitCode> {
  if (environment['WEAVE_FLEET_URL'] !== undefined) {
    terminal.error('The engine is named by an address: whoever runs it ends it.')
    return exitCodes.failed
  }
  const wasUp = await library.stopEmbedded(homedir())
  terminal.error(wasUp ? 'The engine has ended. What is queued is on disk.' : 'The engine is not up.')
  return exitCodes.done
}
