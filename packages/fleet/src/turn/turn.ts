import { type Moment, moment } from '@weave/runtime'
import type { Engine, Sql } from '../engine/index.ts'
import type { Store } from '../store/index.ts'
import { type BatchOptions, type ClaimedExecution, jobOf } from './claimed.ts'
import { endFormerTurn, forgetTurn, noteTurn } from './former-turn.ts'
import type { CodonCosts, Published, TurnEnd, TurnStep, TurnWord } from './messages.ts'
import type { Places } from './place.ts'
import { openProviderPlaces, type ProviderPlaces } from './provider-places.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { createRequests, type RequestRule } from './requests.ts'
import type { RestSetting } from './rest-setting.ts'
import type { StoredTree } from './tree.ts'
import { openTurnMoney, type TurnMoney } from './turn-money.ts'
import { startTurnProcess, type TurnProcess, type TurnProgram } from './turn-process.ts'

export interface TurnSurroundings {
  readonly engine: Engine
  readonly store: Store
  readonly places: Places
  readonly program: TurnProgram
  readonly queueName: string
  readonly hank: StoredTree
  readonly options: BatchOptions
  readonly turnMs: number
  /** How long a codon waits for a place at its provider, or for money, before others get its slot. */
  readonly parkMs: number
  /** How long agents may stand still. */
  readonly freezeMs: number
  /** What moves of files that are in no checkpoint. */
  readonly rest: RestSetting
  /** It may act until then, and longer when the worker says so. */
  readonly until: Moment
  /** Settles when the turn is over that this worker had of the same execution, if there was one: one at a time works in its directory. */
  readonly former?: Promise<void> | undefined
  /** What requests of all turns of this worker are under. */
  readonly rules: readonly RequestRule[]
  readonly onPublished: (head: Published) => void
  /** Its process has ended, and its files are still there. Must not reject. */
  readonly onStopped: () => Promise<void>
  readonly onNote: (text: string) => void
}

export interface Turn {
  readonly execution: string
  readonly epoch: number
  readonly job: string
  /** Settles when the turn is over and its end is on record, or when it was lost. Never rejects. */
  readonly done: Promise<void>
  /** It may act until then. */
  fresh(until: Moment): void
  /** What it runs stands still, because that time is over. */
  isFrozen(): boolean
  /** Somebody wants it to end: at the next border, or at once. */
  end(why: string, isUrgent: boolean): void
  /** Another epoch has it. */
  lose(): void
}

const go = { kind: 'go' } as const
const firstRetryMs = 100
const longestRetryMs = 5_000

/** One claim of an execution, from the files of its head to its end. */
export function takeTurn(claimed: ClaimedExecution, at: TurnSurroundings): Turn {
  const running = new RunningTurn(claimed, at)
  return {
    execution: claimed.id,
    epoch: running.epoch,
    job: claimed.job,
    done: running.run(),
    fresh: until => running.fresh(until),
    isFrozen: () => running.isFrozen(),
    end: (why, isUrgent) => running.end(why, isUrgent),
    lose: () => running.lose(),
  }
}

class RunningTurn {
  readonly epoch: number
  process: TurnProcess | undefined
  readonly #claimed: ClaimedExecution
  readonly #at: TurnSurroundings
  readonly #providers: ProviderPlaces
  #money: TurnMoney | undefined
  #until: Moment
  #isLost = false
  #leaving: string | undefined
  readonly #began = performance.now()
  readonly #publisher: Publisher

  constructor(claimed: ClaimedExecution, at: TurnSurroundings) {
    this.#claimed = claimed
    this.#at = at
    this.epoch = Number(claimed.epoch)
    this.#until = at.until
    this.#providers = openProviderPlaces(at.engine, { ...claimed, parkMs: at.parkMs })
    this.#publisher = createPublisher(claimed, at)
  }

  fresh(until: Moment): void {
    this.#until = until
    this.process?.fresh(until)
  }

  isFrozen(): boolean {
    const { monotonicMs, bootMs } = moment()
    return monotonicMs >= this.#until.monotonicMs || bootMs >= this.#until.bootMs
  }

  end(why: string, isUrgent: boolean): void {
    this.#leaving ??= why
    if (isUrgent) this.process?.stop()
  }

  lose(): void {
    this.#isLost = true
    this.process?.kill()
  }

  /** Never rejects. What goes wrong here is the business of the next turn. */
  async run(): Promise<void> {
    const { engine, places, onStopped } = this.#at
    try {
      const end = await this.#work()
      if (this.#isLost) return
      await onStopped()
      if (this.process) forgetTurn(places.execution(this.#claimed.id), this.process.pid)
      if (end && end.status !== 'not-begun') return await this.#finish(end)
      // Nothing of it is under way any more.
      await this.#money?.settle(engine.database)
      await this.#stumble(end?.reason ?? 'its process died')
    } catch (error) {
      this.process?.kill()
      await this.#stumble(error instanceof Error ? error.message : String(error))
    }
  }

  /**
   * Lets another turn try at once. One that has begun already has the same job, which is not to be taken from it. With the engine
   * away there is nobody to tell: the lease runs out.
   */
  async #stumble(why: string): Promise<void> {
    const { engine, queueName, onNote } = this.#at
    const { id, job } = this.#claimed
    onNote(`${id}: ${why}; another turn tries again`)
    const letGo = engine.database.transaction(async sql => {
      await sql.query('select fleet.stumble($1, $2, $3)', [id, this.epoch, why])
      if (await this.#isNewest(sql)) await engine.queue.failed(queueName, job, sql)
    })
    await letGo.catch(() => undefined)
  }

  /** No other turn of the execution has begun since. */
  async #isNewest(sql: Sql): Promise<boolean> {
    const [row] = await sql.query<{ epoch: string }>('select epoch from fleet.head_of($1)', [
      this.#claimed.id,
    ])
    return Number(row?.epoch) === this.epoch
  }

  async #work(): Promise<TurnEnd | undefined> {
    const { places, program, options, freezeMs } = this.#at
    const { id, data: stored, head } = this.#claimed
    const hank = await places.hank(this.#at.hank)
    const data = stored ? await places.data(stored) : undefined
    const dir = places.execution(id)
    await this.#at.former
    await endFormerTurn(dir)
    this.#publisher.goesOnFrom((await places.bring(id, head ?? undefined)).files)
    const money = await openTurnMoney(this.#at.engine, {
      ...this.#claimed,
      parkMs: this.#at.parkMs,
      onWait: () => this.process?.waits('budget'),
      onEmpty: why => this.process?.stop(why),
      onLost: () => this.lose(),
    })
    this.#money = money
    if (this.#isLost) return undefined
    this.process = startTurnProcess({
      program,
      job: { ...jobOf({ hank, data, dir }, this.#claimed, options), until: this.#until, freezeMs },
      hidden: this.#at.store.variables,
      log: `${dir}.log`,
      onHandOver: step => this.#handOver(step),
      onAdmission: step => this.#admit(step),
      // Money first: a place in the line for the provider is not to be held while there is none.
      requests: createRequests([money.purse, ...this.#at.rules]),
    })
    noteTurn(dir, this.process.pid)
    return this.process.ended
  }

  /** Before a codon: a place at its provider, then money. One that finds no place for long is handed back. */
  async #admit(step: TurnStep): Promise<TurnWord> {
    // From here on what it has is worth going on with, also before its first head.
    this.#at.places.note(this.#claimed.id, this.#publisher.head())
    const isOver = (): boolean => this.#isLost || this.#leaving !== undefined
    const isIn = await this.#providers.take(step, { isOver, onWait: () => this.process?.waits('provider') })
    if (!isIn) return { kind: 'leave', reason: this.#leaving ?? 'every place at the provider is taken' }
    if (this.#money && !(await this.#money.ready(isOver))) {
      this.#providers.free()
      return { kind: 'leave', reason: this.#money.lack ?? this.#leaving ?? 'lost' }
    }
    return go
  }

  async #handOver({ codonId, costs, hasFailed }: TurnStep): Promise<TurnWord> {
    const published = await this.#untilPublished(hasFailed ? null : codonId)
    this.#providers.free()
    if (!published) return { kind: 'leave', reason: 'lost' }
    await this.#noteCosts(costs)
    if (performance.now() - this.#began > this.#at.turnMs) this.#leaving ??= 'its turn was long enough'
    return this.#leaving === undefined
      ? { kind: 'go', published }
      : { kind: 'leave', reason: this.#leaving, published }
  }

  /** Of no importance to what happens next; the next head brings them again. */
  async #noteCosts(costs: readonly CodonCosts[] = []): Promise<void> {
    if (costs.length === 0) return
    await this.#at.engine.database
      .query('select fleet.note_costs($1, $2, $3)', [this.#claimed.id, this.epoch, JSON.stringify(costs)])
      .catch(() => undefined)
  }

  /** The engine or the store may be away for a while; an answer that the turn is lost is final. */
  async #untilPublished(codon: string | null): Promise<Published | undefined> {
    const began = performance.now()
    const money = this.#money
    // The same for every try: one whose answer was lost has accounted for it.
    const used = money?.purse.used() ?? 0
    for (let wait = firstRetryMs; !this.#isLost; wait = Math.min(2 * wait, longestRetryMs)) {
      try {
        const done = await this.#publisher.publish(codon, async sql => money?.account(sql, used))
        if (done) {
          money?.purse.accounted(used)
          const published = { ...done, ms: Math.round(performance.now() - began) }
          this.#at.onPublished(published)
          return published
        }
        this.#isLost = true
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error)
        this.#at.onNote(`${this.#claimed.id}: ${words}; trying again`)
        await new Promise(resolve => setTimeout(resolve, wait))
      }
    }
    return undefined
  }

  /** An engine that is away for a while is asked again; what was done is not done twice. */
  async #insist<Done>(deed: () => Promise<Done>): Promise<Done | undefined> {
    for (let wait = firstRetryMs; !this.#isLost; wait = 2 * wait) {
      try {
        return await deed()
      } catch (error) {
        if (wait > longestRetryMs) throw error
        await new Promise(resolve => setTimeout(resolve, wait))
      }
    }
    return undefined
  }

  /** The last head, then the end of execution and job in one transaction. */
  async #finish(end: TurnEnd): Promise<void> {
    if (!(await this.#untilPublished(null))) return
    const { engine, queueName, places } = this.#at
    const { id, job } = this.#claimed
    await this.#noteCosts(end.costs)
    const money = this.#money
    const { state, why } = money?.lack === undefined ? stateOf(end, this.#leaving) : broke(end, money.lack)
    const isBack = state === 'queued'
    const call = isBack ? 'fleet.give_back($1, $2, $3)' : 'fleet.finish($1, $2, $4, $3)'
    const values = [id, this.epoch, why ?? null, ...(isBack ? [] : [state])]
    const isOver = await this.#insist(() =>
      engine.database.transaction(async sql => {
        await money?.settle(sql)
        const [row] = await sql.query<{ ours: boolean }>(`select ${call} as ours`, values)
        // A try before may have ended it, whose answer was lost.
        if (!row?.ours) return this.#isNewest(sql)
        await engine.queue.done(queueName, job, sql)
        const woken = (await money?.wake(sql)) ?? []
        const itself = isBack ? [{ execution: id, priority: this.#claimed.priority }] : []
        await engine.queue.add(queueName, [...itself, ...woken], sql)
        return true
      }),
    )
    if (isOver && !isBack) await places.drop(id)
  }
}

/** One that ended before it heard of it has ended as it did. */
function broke(end: TurnEnd, lack: string) {
  return end.status === 'stopped' ? ({ state: 'waiting', why: lack } as const) : stateOf(end, undefined)
}

function stateOf({ status, reason, gate }: TurnEnd, leaving: string | undefined) {
  if (gate !== undefined) return { state: 'waiting', why: `person: gate ${gate}` } as const
  if (status === 'completed') return { state: 'succeeded', why: undefined } as const
  if (leaving === 'cancelled') return { state: 'cancelled', why: leaving } as const
  if (status === 'stopped') return { state: 'queued', why: reason ?? 'stopped' } as const
  return { state: 'failed', why: reason } as const
}
