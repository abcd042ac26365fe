import { createMatcher } from '@weave/runtime'
import type { Worker, WorkerOptions } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes, version } from '../program.ts'
import { withSmallMalloc } from '../small-malloc.ts'
import type { Terminal } from '../terminal.ts'
import { openMetrics, openOtelMetrics } from './metrics.ts'
import { pausedTeller } from './notices.ts'
import { ownProviders } from './own-providers.ts'
import type { OpenedFleet } from './with-fleet.ts'

export interface WorkWish {
  readonly args: Arguments
  readonly slots: number
  readonly lease: number
  readonly pools: readonly string[]
  readonly untilIdle: boolean
  readonly isOnce?: boolean
  readonly root?: string | undefined
  /** Where a page of figures is, for scrapers. */
  readonly metrics?: string | undefined
}

/** Takes turns until told to end: the first signal waits for the borders of its turns, the second does not. */
export async function work(wish: WorkWish, opened: OpenedFleet, terminal: Terminal): Promise<ExitCode> {
  const options = await optionsOf(wish, opened, terminal)
  if (!options) return exitCodes.usage
  const { metrics: address, untilIdle } = wish
  let worker: Worker | undefined
  const page = address === undefined ? undefined : { address, worker: () => worker }
  // Before the worker is one of the fleet: without its page nobody looks after it.
  const door = page && (await openMetrics(page, opened, terminal))
  if (page && !door) return exitCodes.usage
  let sending: Awaited<ReturnType<typeof openOtelMetrics>>
  try {
    worker = await opened.library.startWorker(options)
    sending = await openOtelMetrics({ args: wish.args, worker }, opened, terminal)
    const signals = await untilDone(worker, terminal)
    return signals > 0 && untilIdle ? exitCodes.interrupted : exitCodes.done
  } finally {
    await sending?.close(longestGoodbyeMs)
    door?.close()
  }
}

const longestGoodbyeMs = 3_000

/** Answers with the number of signals that came. */
async function untilDone(worker: Worker, terminal: Terminal): Promise<number> {
  let signals = 0
  const onSignal = (signal: NodeJS.Signals): void => {
    signals++
    const more =
      signals === 1 ? 'taking nothing more; waiting for codons to end, once more ends them' : 'ending them'
    terminal.error(`${signal}: ${more}.`)
    worker.drain(signals > 1)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    await worker.done
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  return signals
}

/** Undefined: it was said what is wrong. */
async function optionsOf(
  { args, slots, lease, pools, untilIdle, isOnce = false, root }: WorkWish,
  { fleet, setting }: OpenedFleet,
  terminal: Terminal,
): Promise<WorkerOptions | undefined> {
  const [, script = ''] = process.argv
  const {
    poll = 2,
    turnHours = 6,
    parkMinutes = 10,
    freezeMinutes = 15,
    maxBarren = 3,
    tailSeconds = 20,
  } = setting
  const { limitMB = 512, files = 100_000, exclude = [] } = setting.rest ?? {}
  const matcher = createMatcher(exclude)
  if (!matcher.ok) {
    terminal.error(`fleet.rest.exclude: ${exclude[matcher.index] ?? ''} is ${matcher.message}`)
    return undefined
  }
  return {
    engine: fleet.engine,
    store: fleet.store,
    program: {
      script,
      args: ['fleet-turn'],
      execArgv: process.execArgv,
      environment: withSmallMalloc(process.env),
    },
    version,
    slots,
    pools,
    providers: await ownProviders(args),
    root: root ?? fleet.root,
    lease,
    pollMs: poll * 1_000,
    turnMs: turnHours * 3_600_000,
    parkMs: parkMinutes * 60_000,
    freezeMs: freezeMinutes * 60_000,
    maxBarren,
    tailMs: tailSeconds * 1_000,
    rest: { limitMB, files, exclude },
    untilIdle,
    isOnce,
    tell: await pausedTeller(args, terminal),
    onNote: text => terminal.error(text),
  }
}
