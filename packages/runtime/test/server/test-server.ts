import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  opcode,
  type RawEnd,
  type RawRequest,
  type RawWebSocket,
  rawConnect,
} from '../../../../test/support/raw-websocket.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Journal } from '../../src/journal/index.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/index.ts'
import { openTestJournal } from '../journal/open.ts'
import { createFakeControl, type FakeControl } from './fake-control.ts'

export interface TestServer {
  readonly server: RunningServer
  readonly port: number
  readonly journal: Journal
  readonly control: FakeControl
  /** Opens a connection without a word. */
  stranger(request?: Partial<RawRequest>): Promise<TestClient>
  /** Opens a connection and shakes hands. */
  client(handshake?: object): Promise<TestClient>
}

/** A message of the server, as it came. */
export interface Message {
  readonly id: string
  readonly timestamp: string
  readonly type: string
  readonly seq?: number
  readonly commandId?: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface TestClient {
  readonly raw: RawWebSocket
  readonly ended: Promise<RawEnd>
  /** Every message so far, in order. */
  messages(): readonly Message[]
  send(message: unknown): void
  command(type: string, data?: object, id?: string): void
  /** The first message of this kind after those that earlier calls returned. */
  next(fits: string | ((message: Message) => boolean)): Promise<Message>
}

export const readyData = {
  serverVersion: '0.10.0',
  executionPath: '/executions/one',
  dataPath: '/data',
  agentRootPath: '/executions/one/agentRoot',
  outputDirectory: '/results',
}

/** A journal that does not look for secrets: for megabytes of words, which take long to look through. */
export async function quickJournal(): Promise<Journal> {
  const redactor = { ...createRedactor([]), suspects: () => false }
  return openTestJournal(await tempDir({ inMemory: true }), { redactor })
}

/** A server on a port of its own with a journal and a fake runner, gone when the test ends. */
export async function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const journal =
    options.journal ?? (await openTestJournal(join(await tempDir({ inMemory: true }), 'journal')))
  const control = createFakeControl()
  const started = await startServer({
    port: 0,
    readonlyOnly: false,
    idleTimeoutSeconds: 0,
    allowOtherUsers: false,
    control,
    ready: () => readyData,
    clock: systemClock,
    redactor: createRedactor([]),
    ...options,
    journal,
  })
  if (!started.ok) throw new Error(started.message)
  const { server } = started
  onTestFinished(async () => {
    await server.close('the test is over')
    if (!journal.failure) await journal.close()
  })
  const stranger = async (request: Partial<RawRequest> = {}): Promise<TestClient> =>
    testClient(await rawConnect({ port: server.port, ...request }))
  return {
    server,
    port: server.port,
    journal,
    control,
    stranger,
    async client(handshake = { mode: 'readandwrite' }) {
      const client = await stranger()
      client.send({ type: 'handshake', data: handshake })
      await client.next('server.ready')
      return client
    },
  }
}

export function testClient(raw: RawWebSocket): TestClient {
  onTestFinished(() => void raw.socket.destroy())
  let seen = 0
  const parsed: Message[] = []
  let read = 0
  const messages = (): readonly Message[] => {
    for (; read < raw.frames.length; read++) {
      const frame = raw.frames[read]
      if (frame?.opcode === opcode.text) parsed.push(...listOf(JSON.parse(frame.payload.toString('utf8'))))
    }
    return parsed
  }
  const send = (message: unknown): void => raw.sendJson(message)
  return {
    raw,
    ended: raw.ended,
    messages,
    send,
    command: (type, data, id = `c-${type}`) => send({ id, type, ...(data && { data }) }),
    async next(fits) {
      const matches = typeof fits === 'string' ? (message: Message) => message.type === fits : fits
      for (;;) {
        const all = messages()
        for (; seen < all.length; ) {
          const message = all[seen++]
          if (message && matches(message)) return message
        }
        await raw.until(frame => frame.opcode === opcode.text, raw.frames.length)
      }
    },
  }
}

/** How many times a heavy proof is repeated: a sample by default, all of it with `WEAVE_PROOF=1`. */
export function sized(sample: number, whole: number): number {
  return process.env['WEAVE_PROOF'] === '1' ? whole : sample
}

/** A frame is a message, or a list of them. */
function listOf(frame: Message | readonly Message[]): readonly Message[] {
  return Array.isArray(frame) ? frame : [frame as Message]
}
