import type { JournaledEvent } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock, Log, Redactor } from '../kit/index.ts'
import { openChannel } from './channels.ts'
import type { NotifyConfig, NotifyTarget } from './config.ts'
import { type Cursors, readCursors, targetKey, writeCursors } from './cursor.ts'
import { createNoticeFold, foldedTypes, type NoticeFoldOptions } from './fold.ts'
import { createGateAlarm } from './gate-alarm.ts'
import { bodyOf, type Notice, type NoticeOrigin } from './notice.ts'
import { TargetQueue } from './target-queue.ts'
import { wantedTypes, wantsHank } from './wanted.ts'

export interface NotifierOptions extends Pick<NoticeFoldOptions, 'limit'> {
  readonly config: NotifyConfig
  readonly origin: NoticeOrigin
  /** Where it is noted who was told what. */
  readonly notifiedFile: string
  readonly journal: Pick<Journal, 'history' | 'subscribe' | 'lastSeq'>
  readonly redactor: Redactor
  readonly clock: Clock
  readonly log: Log
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called before something is written; throws when the execution is no longer ours to write to. */
  readonly assertHeld: () => void
  /** Says to a person, at the start, what cannot be used. */
  readonly say: (line: string) => void
  /** Records that somebody could not be told. */
  readonly warn: (message: string) => void
  /** Writes to the terminal in which a person sees the run; absent: there is none. */
  readonly write?: ((bytes: string) => void) | undefined
}

export interface Notifier {
  /** Tells what is left within five seconds. Never rejects. */
  close(): Promise<void>
}

/** Milliseconds. */
const longestGoodbye = 5_000

/**
 * Tells people what they want to know of a run, once it is in the journal. Begins with what a start before this one did not
 * get to tell. Nothing of a run waits for it, and nothing that goes wrong in it ends one. Never rejects.
 */
export async function startNotifier(options: NotifierOptions): Promise<Notifier> {
  const notifier = new OpenNotifier(options)
  await notifier.open()
  return { close: () => notifier.close() }
}

interface Told {
  readonly key: string
  readonly types: ReadonlySet<string>
  readonly queue: TargetQueue
}

class OpenNotifier {
  readonly #options: NotifierOptions
  readonly #fold: ReturnType<typeof createNoticeFold>
  readonly #alarm: ReturnType<typeof createGateAlarm>
  readonly #firstLive: number
  readonly #leave: () => void
  #targets: readonly Told[] = []
  #cursors: Cursors = {}
  #events: JournaledEvent[] | undefined = []
  #reading: Promise<void> = Promise.resolve()
  #writing: Promise<void> = Promise.resolve()

  constructor(options: NotifierOptions) {
    this.#options = options
    this.#fold = createNoticeFold(options)
    this.#alarm = createGateAlarm(options.clock, notice => this.#tellNow(notice))
    this.#firstLive = options.journal.lastSeq + 1
    this.#leave = options.journal.subscribe(({ event }) => this.#hear(event))
  }

  /** When it returns, what comes is told also after a crash: from where, stands in the file. */
  async open(): Promise<void> {
    const { config, notifiedFile, origin } = this.#options
    const known = await readCursors(notifiedFile)
    const targets = config.targets.filter(target => wantsHank(target, origin.hank))
    const opened = await Promise.all(targets.map(target => this.#open(target)))
    this.#targets = opened.flatMap(target => (target ? [target] : []))
    if (this.#targets.length === 0) {
      this.#leave()
      return
    }
    const before = this.#firstLive - 1
    const cursors = this.#targets.map(({ key }) => [key, known[key] ?? before] as const)
    this.#cursors = { ...known, ...Object.fromEntries(cursors) }
    this.#keep()
    await this.#writing
    this.#reading = this.#readPast().catch((error: unknown) =>
      this.#log(`the past was not read: ${String(error)}`),
    )
  }

  async close(): Promise<void> {
    this.#leave()
    await this.#reading
    this.#alarm.clear()
    await Promise.all(this.#targets.map(({ queue }) => queue.close(longestGoodbye)))
    await this.#writing
  }

  async #open(target: NotifyTarget): Promise<Told | undefined> {
    const { clock, redactor, origin, say, warn } = this.#options
    const opened = await openChannel(target, this.#options)
    if (!opened.ok) {
      say(`Notifications: nothing goes to ${opened.name}: ${opened.message}.`)
      return undefined
    }
    const { channel } = opened
    const key = targetKey(target)
    let isWarned = false
    const failed = (message: string): void => {
      const text = `A notification did not reach ${channel.name}: ${redactor.text(message)}.`
      this.#log(text)
      if (!isWarned) quietly(() => warn(text))
      isWarned = true
    }
    const queue = new TargetQueue({
      channel,
      clock,
      bodyOf: notice => redactor.json(bodyOf(notice, origin)),
      done: notice => this.#done(key, notice),
      failed,
    })
    return { key, types: wantedTypes(target), queue }
  }

  #hear(event: JournaledEvent): void {
    if (!foldedTypes.has(event.type) || event.seq < this.#firstLive) return
    if (this.#events) this.#events.push(event)
    else this.#take(event)
  }

  async #readPast(): Promise<void> {
    const { history } = this.#options.journal
    for await (const { events } of history.pages({ upTo: this.#firstLive - 1 })) {
      for (const stored of events) {
        if (!foldedTypes.has(history.type(stored))) continue
        const event = await history.event(stored)
        if (event) this.#take(event)
      }
    }
    const live = this.#events ?? []
    this.#events = undefined
    for (const event of live) this.#take(event)
  }

  #take(event: JournaledEvent): void {
    const notices = this.#fold(event)
    if (event.type === 'gate.decided') this.#alarm.clear()
    if (event.type === 'gate.waiting' && event.data.deadline !== undefined)
      for (const notice of notices) this.#alarm.set(notice, event.data.deadline)
    for (const { key, types, queue } of this.#targets) {
      const wanted = notices.filter(({ type, seq }) => types.has(type) && seq > (this.#cursors[key] ?? 0))
      const last = wanted.at(-1)
      for (const notice of wanted) queue.put(notice === last ? notice : { ...notice, seq: notice.seq - 1 })
    }
  }

  /** Whatever was told of the event before: it is about it once more. */
  #tellNow(notice: Notice): void {
    for (const { types, queue } of this.#targets) if (types.has(notice.type)) queue.put(notice)
  }

  #done(key: string, { seq }: Notice): void {
    this.#cursors = { ...this.#cursors, [key]: Math.max(this.#cursors[key] ?? 0, seq) }
    this.#keep()
  }

  #keep(): void {
    const { notifiedFile, assertHeld } = this.#options
    this.#writing = this.#writing.then(async () => {
      try {
        assertHeld()
        await writeCursors(notifiedFile, this.#cursors)
      } catch (error) {
        // Then it is told again.
        this.#log(`${notifiedFile} cannot be written: ${String(error)}`)
      }
    })
  }

  #log(message: string): void {
    this.#options.log.warn('NOTIFY', message)
  }
}

function quietly(action: () => void): void {
  try {
    action()
  } catch {
    return
  }
}
