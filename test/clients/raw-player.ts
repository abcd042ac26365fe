import { closeFrame, opcode, type RawWebSocket, rawConnect } from '../support/raw-websocket.ts'
import type { Observation, Scenario, Step } from './scenario.ts'

/** Lives through a scenario with frames written by hand onto a bare socket. */
export async function playRaw({ steps, chronicle }: Scenario, port: number): Promise<readonly Observation[]> {
  const seen: Observation[] = []
  const told = new Set(chronicle)
  const kept = new Map<string, unknown>()
  const readers = new Map<string, Reader>()
  const readerOf = ({ who }: Step): Reader => {
    const reader = readers.get(who)
    if (!reader) throw new Error(`${who} has not connected`)
    return reader
  }
  for (const step of steps) {
    if (step.do === 'open') {
      const reader = createReader(await rawConnect({ port }))
      readers.set(step.who, reader)
      reader.raw.sendJson({ type: 'handshake', data: step.handshake })
      const response = await reader.next(() => true)
      seen.push([step.who, response.type, ...step.note.map(path => field(response, path))])
      seen.push([step.who, (await reader.next(() => true)).type])
    } else if (step.do === 'send') {
      readerOf(step).raw.sendJson({
        id: step.id,
        type: step.type,
        ...(step.data && { data: filled(step.data, kept) }),
      })
    } else if (step.do === 'await') {
      const where = Object.entries(step.where ?? {})
      const event = await readerOf(step).next(
        each => each.type === step.type && where.every(([path, value]) => field(each, path) === value),
      )
      for (const [name, path] of Object.entries(step.keep ?? {})) kept.set(name, field(event, path))
      const notes = step.note.map(path => field(event, path))
      seen.push([step.who, event.type, ...notes, event.commandId ?? null])
    } else if (step.do === 'history') {
      seen.push([step.who, 'history', ...(await readHistory(readerOf(step), step.id, told))])
    } else if (step.do === 'chronicle') {
      const events = readerOf(step).events()
      const seqs = events.flatMap(({ seq }) => seq ?? [])
      const isRising = seqs.every((seq, at) => seq > (seqs[at - 1] ?? 0))
      seen.push([
        step.who,
        'chronicle',
        isRising,
        events.map(({ type }) => type).filter(type => told.has(type)),
      ])
    } else {
      seen.push([step.who, 'closed', await sayGoodbye(readerOf(step).raw)])
    }
  }
  return seen
}

interface Message {
  readonly id: string
  readonly type: string
  readonly seq?: number
  readonly commandId?: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Reader {
  readonly raw: RawWebSocket
  events(): readonly Message[]
  next(fits: (message: Message) => boolean): Promise<Message>
}

function createReader(raw: RawWebSocket): Reader {
  let at = 0
  const messageIn = (index: number): Message | undefined => {
    const frame = raw.frames[index]
    return frame?.opcode === opcode.text ? (JSON.parse(frame.payload.toString('utf8')) as Message) : undefined
  }
  return {
    raw,
    events: () => raw.frames.flatMap((_, index) => messageIn(index) ?? []),
    async next(fits) {
      for (;;) {
        for (; at < raw.frames.length; ) {
          const message = messageIn(at++)
          if (message && fits(message)) return message
        }
        await raw.until(() => true, raw.frames.length)
      }
    },
  }
}

async function readHistory(
  reader: Reader,
  id: string,
  told: ReadonlySet<string>,
): Promise<readonly unknown[]> {
  reader.raw.sendJson({ id, type: 'history.sync' })
  const past: Message[] = []
  for (let hasMore = true; hasMore; ) {
    const { data } = await reader.next(message => message.commandId === id)
    past.push(...(data['events'] as readonly Message[]))
    hasMore = data['hasMore'] === true
  }
  const ids = new Set(past.map(event => event.id))
  const heard = reader.events().filter(({ seq }) => seq !== undefined && seq <= past.length)
  const isGapless = past.every(({ seq }, at) => seq === at + 1)
  return [
    isGapless,
    heard.every(event => ids.has(event.id)),
    past.filter(({ type }) => told.has(type)).length,
  ]
}

/** A closing frame is answered by one with the same code (RFC 6455, 5.5.1). */
async function sayGoodbye(raw: RawWebSocket): Promise<number> {
  const { code } = await raw.ended
  raw.write(closeFrame(code))
  raw.socket.end()
  return code
}

function field({ data }: Message, path: string): unknown {
  return look(data, path.split('.'))
}

function look(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value
  if (key === '*') return Array.isArray(value) ? value.map(item => look(item, rest)) : undefined
  return typeof value === 'object' && value !== null ? look(Reflect.get(value, key), rest) : undefined
}

function filled(data: Readonly<Record<string, unknown>>, kept: ReadonlyMap<string, unknown>): object {
  const value = (given: unknown): unknown =>
    typeof given === 'string' && given.startsWith('$') ? kept.get(given.slice(1)) : given
  return Object.fromEntries(Object.entries(data).map(([key, given]) => [key, value(given)]))
}
