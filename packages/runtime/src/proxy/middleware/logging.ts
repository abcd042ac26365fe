import type { Clock, Log, LogLevel } from '../../kit/index.ts'
import type { BodilessRequest, MessagesRequest, Middleware, RequestMessage } from '../middleware.ts'
import { maskedUrl } from '../request-head.ts'

export interface LoggingOptions {
  readonly log: Log
  readonly clock: Clock
  /** Takes secrets out. Sees more of a text than is logged, so that a secret at the cut is seen whole. */
  readonly redact: (text: string) => string
  /** `debug`: bodies are logged whole. */
  readonly level: LogLevel
}

const tag = 'LOGGING-MIDDLEWARE'
const otherBodyLength = 500
const messageLength = 200

/**
 * Notes what goes up and what comes back. Never any value of a header. The words are put together a moment later: nobody
 * waits for a log.
 */
export function createLogging({ log, redact, level, clock }: LoggingOptions): Middleware {
  const later = createLater(clock, log.together)
  const beginning = (text: string, length: number): string =>
    redact(text.slice(0, length + margin)).slice(0, length)

  function note({ method, url, messagesRequestData: data }: BodilessRequest, body: string | undefined): void {
    const line = `${method} ${maskedUrl(url)}`
    if (data) log.info(tag, `${line} ${summaryOf(data, beginning)}`)
    else if (body === undefined) log.info(tag, line)
    else log.info(tag, `${line} body ${JSON.stringify(beginning(body, otherBodyLength))}`)
    if (level === 'debug' && body !== undefined) log.debug(tag, `body of ${line}`, { body })
  }

  return {
    onRequest(request, body) {
      later.add(() => note(request, body))
      return request
    },
    onResponse(response, { method, url }) {
      const { status } = response
      later.add(() => log.info(tag, `${status} for ${method} ${maskedUrl(url)}`))
      return response
    },
    close: later.flush,
  }
}

/** Longer than keys are; a part of a known secret at the very end is taken out as well. */
const margin = 512

type Beginning = (text: string, length: number) => string

/** Text and not fields: a line is logged for every request, and fields cost several times as much. */
function summaryOf(data: MessagesRequest, beginning: Beginning): string {
  const { model, max_tokens: most, stream = false, messages } = data
  const counts = new Map<string, number>()
  for (const { role } of messages) counts.set(role, (counts.get(role) ?? 0) + 1)
  const roles = [...counts].map(([role, count]) => `${count} ${role}`).join(', ')
  const last = messages.at(-1)
  const words = last ? JSON.stringify(beginning(textOf(last), messageLength)) : 'none'
  return `model ${model} max_tokens ${most} stream ${stream} messages ${messages.length} (${roles}) last ${words}`
}

/** The words of a message; of what is not text, only its type. */
function textOf({ content }: RequestMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(blockText).join(' ')
}

function blockText(block: unknown): string {
  if (typeof block !== 'object' || block === null) return ''
  if ('text' in block && typeof block.text === 'string') return block.text
  return 'type' in block && typeof block.type === 'string' ? `[${block.type}]` : ''
}

/** Work that nobody waits for, gathered and done in one go, in order. A task must not throw. */
interface Later {
  /** Done within a moment. */
  add(task: () => void): void
  /** Everything is done now. */
  flush(): void
}

/** Milliseconds. */
const longest = 20
/** Many at once cost a fraction of what each costs in the middle of other work; more would only hold memory. */
const most = 256

/** Everything that is due is done inside one call of `around`. */
function createLater(clock: Pick<Clock, 'sleep'>, around: (work: () => void) => void): Later {
  let tasks: (() => void)[] = []
  let isWatched = false
  const flush = (): void => {
    const due = tasks
    if (due.length === 0) return
    tasks = []
    around(() => {
      for (const task of due) task()
    })
  }
  const watch = async (): Promise<void> => {
    await clock.sleep(longest)
    isWatched = false
    flush()
  }
  return {
    add(task) {
      if (tasks.push(task) === most) setImmediate(flush)
      if (isWatched) return
      isWatched = true
      void watch()
    },
    flush,
  }
}
