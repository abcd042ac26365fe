import { hostname } from 'node:os'
import { moment, untilAfter } from '@weave/runtime'
import type { Engine } from '../engine/index.ts'
import { FleetFault } from '../fault.ts'
import { createCounter, type WorkerFigures } from '../metrics/index.ts'
import { parcelFormat } from '../parcel/index.ts'
import { settleLease, settleMeta } from '../sql/meta.ts'
import { queueNameOf } from '../sql/queue-name.ts'
import { refuseKey, type Store } from '../store/index.ts'
import { createShownTails, type ShownTails } from '../tail/index.ts'
import { createThrottle } from '../throttle/index.ts'
import {
  createPlaces,
  type Places,
  type RequestRule,
  type RestSetting,
  type Turn,
  type TurnProgram,
  takeTurn,
} from '../turn/index.ts'
import { claimOne, type OfferedBatch } from './claim-one.ts'
import { startHeartbeat } from './heartbeat.ts'
import { createNotices, type Notices, type Tell } from './notices.ts'

export interface WorkerOptions {
  readonly engine: Engine
  readonly store: Store
  readonly program: TurnProgram
  readonly version: string
  readonly slots: number
  readonly pools: readonly string[]
  /** Whom its agents can ask: batches that need others are left to others. */
  readonly providers: readonly string[]
  /** The same path on every machine of the fleet. */
  readonly root: string
  /** Seconds without a heartbeat after which another worker may take over; the first to say it decides for the whole fleet. */
  readonly lease: number
  readonly pollMs: number
  /** So many starts in a row without a new head, and an execution is dead. */
  readonly maxBarren: number
  /** A turn ends at the first border after so long: others wait. */
  readonly turnMs: number
  /** How long a codon waits for a place at its provider, or for money, before others get its slot. */
  readonly parkMs: number
  /** How long agents of a turn may stand still while the engine is away. */
  readonly freezeMs: number
  /** How old what somebody sees who looks on may be. */
  readonly tailMs: number
  /** What moves of files that are in no checkpoint. */
  readonly rest: RestSetting
  /** Takes one turn, if there is one, and ends. */
  readonly isOnce: boolean
  /** Ends when nothing is queued or running any more. */
  readonly untilIdle: boolean
  /** Tells people that a batch was paused; false: nobody heard it. Absent: this worker has nobody to tell. Must not reject. */
  readonly tell?: Tell | undefined
  readonly onNote: (text: string) => void
}

export interface Worker {
  readonly id: string
  /** Settles when it is idle and may end, or drained. */
  readonly done: Promise<void>
  /** Takes nothing more and hands back what it has: at the next border of each turn, or at once. */
  drain(isUrgent: boolean): void
  /** How it stands, and what it has done. */
  figures(): WorkerFigures
}

/** Of the lease: a worker that was not heard for so long acts no more. */
const freshShare = 0.7

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { engine, root } = options
  const settled = await settleMeta(engine.database, 'root', root)
  if (settled !== root)
    throw new FleetFault('FLEET_ROOT', {
      message: `Every worker of this fleet works in ${settled}, and this one would work in ${root}.`,
      cure: `Start it with --root ${settled}.`,
    })
  const { keyCheck } = options.store
  refuseKey(keyCheck, await settleMeta(engine.database, 'key_check', keyCheck))
  const lease = await settleLease(engine.database, options.lease)
  const worker = new WorkerLoop({ ...options, lease }, createPlaces(root, options.store))
  await worker.register()
  return {
    id: worker.id,
    done: worker.loop(),
    drain: isUrgent => worker.drain(isUrgent),
    figures: () => worker.figures(),
  }
}

/** How many batches are looked at for one turn: most of them have one to give. */
const mostOffers = 32

interface Orders {
  readonly drain: boolean
  readonly drain_now: boolean
  readonly watched: readonly string[]
  readonly has_notice: boolean
}

class WorkerLoop {
  readonly id = `${hostname()}.${process.pid}.${Date.now().toString(36)}`
  readonly #options: WorkerOptions
  readonly #places: Places
  readonly #turns = new Map<string, { readonly turn: Turn; readonly queueName: string }>()
  readonly #rules: readonly RequestRule[]
  readonly #counter = createCounter()
  readonly #tails: ShownTails
  readonly #notices: Notices | undefined
  #isDraining = false
  #isUrgent = false
  #wake: () => void = () => undefined

  constructor(options: WorkerOptions, places: Places) {
    this.#options = options
    this.#places = places
    this.#rules = [createThrottle(options.engine.database)]
    // Often enough that putting and fetching fit in, too.
    this.#tails = createShownTails({ ...options, everyMs: options.tailMs / 4 })
    if (options.tell) this.#notices = createNotices(options.engine.database, options.tell)
  }

  async register(): Promise<void> {
    const { engine, version, pools, slots, providers } = this.#options
    await engine.database.query('select fleet.worker_up($1, $2, $3, $4, $5, $6, $7, $8)', [
      this.id,
      hostname(),
      process.pid,
      version,
      pools,
      slots,
      Date.now(),
      providers,
    ])
  }

  drain(isUrgent: boolean): void {
    this.#isDraining = true
    this.#isUrgent ||= isUrgent
    for (const { turn } of this.#turns.values()) turn.end('drained', isUrgent)
    this.#wake()
  }

  figures(): WorkerFigures {
    const turns = [...this.#turns.values()]
    const frozen = turns.filter(({ turn }) => turn.isFrozen()).length
    return { slots: this.#options.slots, busy: turns.length, frozen, tally: this.#counter.read() }
  }

  async loop(): Promise<void> {
    const stopBeats = startHeartbeat(() => this.#beat(), (this.#options.lease * 1_000) / 6)
    try {
      for (;;) {
        const isOver = await this.#pass().catch((error: unknown) => {
          this.#options.onNote(`the engine: ${error instanceof Error ? error.message : String(error)}`)
          return false
        })
        if (isOver) return
        await this.#rest(this.#options.pollMs * (0.8 + 0.4 * Math.random()))
      }
    } finally {
      stopBeats()
      this.#tails.close()
      await this.#notices?.done()
      await this.#options.engine.database
        .query('select fleet.worker_gone($1)', [this.id])
        .catch(() => undefined)
    }
  }

  /** Fills the free slots. True: there is nothing more to wait for. */
  async #pass(): Promise<boolean> {
    await this.#obey()
    if (this.#isDraining) return this.#turns.size === 0
    const { engine, pools, untilIdle, isOnce, providers } = this.#options
    const slots = isOnce ? 1 : this.#options.slots
    const mine = [pools, [parcelFormat]]
    while (this.#turns.size < slots && !this.#isDraining) {
      const batches = await engine.database.query<OfferedBatch>(
        'select * from fleet.next_batches($1, $2, $3, $4)',
        [...mine, mostOffers, providers],
      )
      if (!(await this.#takeFirst(batches))) break
    }
    if (isOnce) this.#isDraining = true
    if (isOnce || !untilIdle || this.#turns.size > 0) return isOnce && this.#turns.size === 0
    const [row] = await engine.database.query<{ more: boolean }>(
      'select fleet.has_work($1, $2, $3) as more',
      [...mine, providers],
    )
    return row?.more === false
  }

  /** Somebody may want this worker to end, or look on at what it does. */
  async #obey(): Promise<void> {
    const [row] = await this.#options.engine.database.query<Orders>('select * from fleet.orders_for($1)', [
      this.id,
    ])
    const watched = [...this.#turns.values()].filter(({ turn }) => row?.watched.includes(turn.execution))
    this.#tails.watch(
      watched.map(({ turn: { execution, epoch } }) => ({
        execution,
        epoch,
        dir: this.#places.execution(execution),
      })),
    )
    if (row?.has_notice) this.#notices?.see()
    if (row?.drain && (!this.#isDraining || (row.drain_now && !this.#isUrgent))) this.drain(row.drain_now)
  }

  /** After each turn the question who deserves the next one is asked anew, so that batches share the slots. */
  async #takeFirst(batches: readonly OfferedBatch[]): Promise<boolean> {
    for (const batch of batches) if (await this.#take(batch)) return true
    return false
  }

  /** One turn of a batch. False: there is none. */
  async #take(batch: OfferedBatch): Promise<boolean> {
    const { engine, store, program, lease, turnMs, parkMs, freezeMs, rest, maxBarren, onNote } = this.#options
    const sentAt = moment()
    const queueName = queueNameOf(batch.id, batch.pool)
    const epochOf = (execution: string) => this.#turns.get(execution)?.turn.epoch
    const taken = await claimOne(engine, batch, { worker: this.id, maxBarren, epochOf })
    if (taken === 'none') return false
    if (taken === 'dropped') return true
    const { hank, options } = batch
    // A claim is a heartbeat.
    const until = untilAfter(sentAt, freshShare * lease * 1_000)
    if ('kept' in taken) {
      this.#turns.get(taken.kept)?.turn.fresh(until)
      return true
    }
    const { id } = taken
    const told = { onNote, onPublished: this.#counter.published, onStopped: () => this.#tails.finish(id) }
    const ours = { engine, store, places: this.#places, rules: this.#rules, program, ...told }
    // A turn of its own that another had taken over meanwhile, of which it did not hear yet.
    const former = this.#turns.get(id)?.turn
    former?.lose()
    const kept = { turnMs, parkMs, freezeMs, rest, until, former: former?.done }
    const turn = takeTurn(taken, { ...ours, queueName, hank, options, ...kept })
    this.#counter.turn({ isTakeOver: taken.taken_over })
    this.#turns.set(id, { turn, queueName })
    void turn.done.then(() => {
      if (this.#turns.get(id)?.turn === turn) this.#turns.delete(id)
      this.#wake()
    })
    return true
  }

  /** Says that it lives, for all of its turns at once, and hears what is wanted of them. */
  async #beat(): Promise<void> {
    const { engine, lease } = this.#options
    const turns = [...this.#turns.values()]
    const sentAt = moment()
    const rows = await engine.database.query<{ id: string; cancel: string | null; drain: boolean }>(
      'select * from fleet.beat($1, $2, $3)',
      [this.id, turns.map(({ turn }) => turn.execution), turns.map(({ turn }) => turn.epoch)],
    )
    const mine = new Map(rows.map(row => [row.id, row]))
    for (const queueName of new Set(turns.map(each => each.queueName))) {
      const jobs = turns.filter(each => each.queueName === queueName && mine.has(each.turn.execution))
      await engine.queue.keep(
        queueName,
        jobs.map(({ turn }) => turn.job),
      )
    }
    const until = untilAfter(sentAt, freshShare * lease * 1_000)
    for (const { turn } of turns) {
      const row = mine.get(turn.execution)
      // One that ended while the engine answered is not there any more, and not lost.
      if (!row) {
        if (this.#turns.get(turn.execution)?.turn === turn) turn.lose()
      } else {
        turn.fresh(until)
        if (row.cancel !== null) turn.end('cancelled', row.cancel === 'now')
        else if (row.drain) turn.end('drained', false)
      }
    }
  }

  #rest(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
