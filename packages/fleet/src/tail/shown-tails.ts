import { executionLayout, type JournalReader, openJournalReader } from '@weave/runtime'
import type { Engine } from '../engine/index.ts'
import type { Store } from '../store/index.ts'
import { packEvents } from './tail-part.ts'

/** A turn of this worker that somebody looks on at. */
export interface WatchedTurn {
  readonly execution: string
  readonly epoch: number
  /** Where it runs. */
  readonly dir: string
}

/** What somebody sees of an execution while it runs: its newest events, as objects of the store. */
export interface ShownTails {
  /** These are looked on at, and no others any more. */
  watch(turns: readonly WatchedTurn[]): void
  /** Its process has ended: what is left to show is shown now. Never rejects. */
  finish(execution: string): Promise<void>
  close(): void
}

interface TailSurroundings {
  readonly engine: Engine
  readonly store: Store
  /** How often is looked for something new. */
  readonly everyMs: number
}

/** So many events before the one who looks on came. */
const before = 50
/** One object is not much larger. */
const largestPart = 1024 ** 2

export function createShownTails(at: TailSurroundings): ShownTails {
  const shown = new Map<string, Showing>()
  const end = (execution: string): void => {
    shown.get(execution)?.stop()
    shown.delete(execution)
  }
  return {
    watch(turns) {
      for (const { turn } of shown.values())
        if (!turns.some(({ execution, epoch }) => execution === turn.execution && epoch === turn.epoch))
          end(turn.execution)
      for (const turn of turns)
        if (!shown.has(turn.execution)) shown.set(turn.execution, new Showing(turn, at))
    },
    async finish(execution) {
      await shown.get(execution)?.show()
      end(execution)
    },
    close() {
      for (const execution of shown.keys()) end(execution)
    },
  }
}

/** One turn, for as long as somebody looks on. Of no importance to the turn: what goes wrong is tried again with more. */
class Showing {
  readonly turn: WatchedTurn
  readonly #at: TailSurroundings
  readonly #journal: JournalReader
  readonly #timer: NodeJS.Timeout
  #since: number | undefined
  #under: Promise<void> = Promise.resolve()

  constructor(turn: WatchedTurn, at: TailSurroundings) {
    this.turn = turn
    this.#at = at
    this.#journal = openJournalReader(executionLayout(turn.dir))
    this.#timer = setInterval(() => void this.show(), at.everyMs)
    void this.show()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** One after the other. Never rejects. */
  show(): Promise<void> {
    this.#under = this.#under.then(() => this.#more()).catch(() => undefined)
    return this.#under
  }

  async #more(): Promise<void> {
    this.#since ??= Math.max(0, (await this.#journal.lastSeq()) - before)
    for (;;) {
      const texts: string[] = []
      let to: number = this.#since
      let bytes = 0
      for await (const { event, text } of this.#journal.events({ since: this.#since })) {
        texts.push(text)
        to = event.seq
        bytes += text.length
        if (bytes > largestPart) break
      }
      if (texts.length === 0) return
      const { execution, epoch } = this.turn
      const sha = await this.#at.store.put(packEvents(texts))
      await this.#at.engine.database.query('select fleet.show_tail($1, $2, $3)', [
        execution,
        epoch,
        JSON.stringify({ sha, to }),
      ])
      this.#since = to
    }
  }
}
