import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { atMost, type Figure } from './measure.ts'
import type { ViewerState } from './terminal-viewer.ts'

/** How much is said while a screen watches, and how much of it fills everything that a view keeps. */
const total = 100_000
const filled = 20_000
/** Events told at a time; then the viewer is waited for. */
const burst = 500

/** The terminal UI in a long run (goal P13): memory and work per event stay what they were. */
export async function terminalFigures(): Promise<readonly Figure[]> {
  const screen = await watched(true)
  const bare = await watched(false)
  const early = perEvent(screen.full, screen.half)
  const late = perEvent(screen.half, screen.end)
  return [
    {
      id: 'P13 screen memory',
      what: `terminal UI after ${total} events against after ${filled}`,
      unit: 'MB',
      subject: screen.end.memory / 1e6,
      floor: screen.full.memory / 1e6,
      spread: '',
      goal: atMost(1.1),
    },
    {
      id: 'P13 screen work',
      what: 'processor time per event, the last 40,000 events against 40,000 before',
      unit: 'ms',
      subject: late,
      floor: early,
      spread: '',
      goal: atMost(1.2),
    },
    {
      id: 'P13 screen cost',
      what: 'processor time per event with a screen against a client without',
      unit: 'ms',
      subject: perEvent(screen.full, screen.end),
      floor: perEvent(bare.full, bare.end),
      spread: '',
      goal: atMost(3),
    },
  ]
}

function perEvent(from: ViewerState, to: ViewerState): number {
  return (to.cpu - from.cpu) / (to.events - from.events)
}

/** Tells a viewer everything and asks it how it is: when its view is full, half way from there, at the end. */
async function watched(screen: boolean) {
  const server = await startTelling()
  const child = fork(new URL('./terminal-viewer.ts', import.meta.url).pathname, {
    execArgv: ['--expose-gc', '--import', 'tsx', '--conditions=weave-source'],
  })
  const state = async (): Promise<ViewerState> => {
    const answer = once(child, 'message')
    child.send('state')
    return (await answer)[0] as ViewerState
  }
  const upTo = async (count: number): Promise<ViewerState> => {
    for (;;) {
      server.tell(Math.min(burst, count - server.told()))
      await new Promise(resolve => setTimeout(resolve, 10))
      if (server.told() < count) continue
      const now = await state()
      if (now.events >= count) return now
    }
  }
  try {
    child.send({ url: server.url, screen })
    await server.opened
    return { full: await upTo(filled), half: await upTo((filled + total) / 2), end: await upTo(total) }
  } finally {
    child.disconnect()
    child.kill()
    server.close()
  }
}

/** As much of a server as one viewer needs. */
async function startTelling() {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(sockets, 'listening')
  const { port } = sockets.address() as AddressInfo
  let seq = 0
  let send = (_text: string): void => {}
  const opened = new Promise<void>(resolve => {
    sockets.on('connection', socket => {
      socket.once('message', () => {
        socket.send(
          message('handshake.response', {
            clientId: 'c',
            mode: 'readonly',
            totalEvents: 0,
            eventHistory: [],
          }),
        )
        socket.send(
          message('server.ready', { serverVersion: '0', executionPath: '/e', dataPath: '/d', lastSeq: 0 }),
        )
        send = text => socket.send(text)
        resolve()
      })
    })
  })
  return {
    url: `ws://127.0.0.1:${port}`,
    opened,
    told: () => seq,
    tell(count: number): void {
      for (let index = 0; index < count; index++) {
        seq += 1
        const { type, data } = eventAt(seq)
        send(message(type, data, seq))
      }
    },
    close: () => sockets.close(),
  }
}

function message(type: string, data: object, seq?: number): string {
  return JSON.stringify({
    id: `evt_${seq ?? type}`,
    timestamp: new Date().toISOString(),
    type,
    data,
    ...(seq && { seq }),
  })
}

/** What an agent at work makes a server say, in turn; every text is another. */
function eventAt(seq: number): { readonly type: string; readonly data: object } {
  const codonId = `codon-${Math.floor(seq / 5_000)}`
  const text = `Line ${seq}: ${'some words about the work that is being done '.repeat(1 + (seq % 9))}`
  const kinds = [
    { type: 'assistant.action', data: { codonId, action: 'message', content: text } },
    {
      type: 'assistant.action',
      data: {
        codonId,
        action: 'tool_use',
        content: '',
        toolName: 'Bash',
        toolInput: { command: `run ${seq}` },
      },
    },
    {
      type: 'tool.result',
      data: {
        codonId,
        toolUseId: `t${seq}`,
        toolName: 'Bash',
        result: `${text}\n`.repeat(1 + (seq % 20)),
        truncated: false,
        originalLength: 9,
        executionTimeMs: 5,
        isError: false,
      },
    },
    {
      type: 'file.updated',
      data: { path: `src/file-${seq % 400}.ts`, filename: 'f', content: text.repeat(10), action: 'modified' },
    },
    {
      type: 'token.usage',
      data: {
        codonId,
        inputTokens: seq,
        outputTokens: 9,
        cacheCreationTokens: 0,
        cacheReadTokens: 0,
        totalCost: seq / 1e5,
      },
    },
  ] as const
  return kinds[seq % kinds.length] ?? kinds[0]
}
