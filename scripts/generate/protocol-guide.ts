import { limits } from '../../packages/runtime/src/server/index.ts'
import { code, table } from './field-table.ts'

/** What the author of a client needs to know besides the shapes of messages, with the limits as the server has them. */

const seconds = (ms: number): string => `${ms / 1_000} s`
const mebibytes = (bytes: number): string => `${bytes / 1_048_576} MiB`
const count = (number: number): string => number.toLocaleString('en')

export const connecting: readonly string[] = [
  '## Connecting',
  'One WebSocket at `ws://localhost:<port>`, at any path, without a subprotocol and without compression. A run prints its address after "Clients"; the port also stands in `.weave/lock.json` of the execution, for as long as its server lives.',
  [
    '- The server listens on loopback (`127.0.0.1` and `::1`). With `--host` it listens there too, and then it needs a token.',
    '- `Host` must name loopback or that host, with the port of the server. A program sends no `Origin` and is let in; a web page is let in when its `Origin` is the address of the server itself. Whoever is refused gets status 403.',
    '- On Linux only programs of the same user, or of root, are let in over loopback, unless `--allow-other-users` was given.',
    '- With `--token` or `WEAVE_TOKEN` the handshake must carry the token.',
    '- A plain HTTP request that no page answers gets status 426 and a JSON body that says where the WebSocket is.',
  ].join('\n'),
  `Messages of the server can be large: ${code('eventHistory')} has up to ${mebibytes(limits.historyBytes)}. Libraries that refuse messages over 1 MiB by default (Python's ${code('websockets')} does) must be told to take more.`,
]

export const keepingUp: readonly string[] = [
  '## Order, and coming back',
  [
    '- After `handshake.response` comes `server.ready`, then live events, in the order of their `seq`.',
    '- Events in the journal are numbered from 1 without a gap. A client without extensions does not hear of extension events, so the numbers it sees rise but have gaps.',
    '- To come back after a lost connection, send the last `seq` you saw as `since`: `eventHistory` begins right after it, and live events follow without a gap and without a repetition. `since` implies `sendPreviousEvents`.',
    `- ${code('eventHistory')} holds the newest ${count(limits.historyEvents)} events or ${mebibytes(limits.historyBytes)}, whichever is less, oldest first. When its first ${code('seq')} shows that something older is missing, ask for everything with ${code('history.sync')} and pass over what you have.`,
    `- ${code('history.sync')} sends everything of the journal that this client may see, up to the moment of the command, also what a sentinel does not report live, in ${code('history.batch')} events of at most ${count(limits.batchEvents)} events or ${mebibytes(limits.batchBytes)}. Live events may come in between.`,
    '- Before an event is sent, it is in the journal. What you were told is still true after a crash of the server.',
    `- The server sends protocol pings every ${seconds(limits.pingMs)} and cuts off who shows no sign of life until the next. Every WebSocket library answers them by itself.`,
  ].join('\n'),
]

export const answers: readonly string[] = [
  '### What answers a command',
  'Every event that answers a command carries its `id` as `commandId`. A command that is refused is answered by an `error` with a `code`; nobody else hears of it, and nothing has changed. Commands are taken one after another in the order of their arrival, whoever sent them, and answered in that order.',
  table(
    ['command', 'answer when it is taken'],
    [
      [
        '`codon.start`, `codon.next`, `codon.redo`',
        '`codon.started`, when the agent has begun; `codon.completed`, when the codon ended before that (its rig failed)',
      ],
      ['`codon.skip`, `codon.forceStop`', '`codon.completed` of the codon that was stopped'],
      ['`rollback.*`', '`rollback.started`; the end is `rollback.completed`'],
      ['`checkpoint.list`', '`checkpoint.list`'],
      ['`ping`, `ping.broadcast`', '`pong`'],
      ['`history.sync`', '`history.batch`, several; the last has `hasMore` false'],
      ['`server.shutdown`', 'the next event of the run, if one comes; then the connection closes with 1001'],
    ],
  ),
]

export const closing: readonly string[] = [
  '## Close codes',
  table(
    ['code', 'why', 'try again?'],
    [
      [
        '1001',
        'the server goes down, or the connection was idle for longer than `idleTimeout`',
        'yes, later',
      ],
      ['1002, 1007', 'a frame against RFC 6455, or text that is not UTF-8', 'no: a fault of the client'],
      [
        '1008',
        `no handshake within ${seconds(limits.handshakeMs)}; a token that is missing or wrong; more than ${limits.messagesPerSecond} frames in a second, pings and pongs included; more than ${count(limits.unanswered)} commands without an answer; a message in more than ${limits.fragments} parts`,
        'no',
      ],
      [
        '1009',
        `a message over ${mebibytes(limits.messageBytes)}; an ${code('error')} with ${code('MESSAGE_TOO_LARGE')} comes before`,
        'yes, without that message',
      ],
      ['1011', 'a fault in the server', 'yes'],
      [
        '1013',
        `the client is more than ${mebibytes(limits.queueBytes)} behind, or there are ${count(limits.clients)} clients already`,
        'yes, with `since`',
      ],
    ],
  ),
]

export const smallClient: readonly string[] = [
  '## A small client',
  'In Node with the package `ws`. In a browser `WebSocket` is there; listen with `addEventListener`, where the text is `event.data`.',
  [
    '```js',
    "import { WebSocket } from 'ws'",
    '',
    "const socket = new WebSocket('ws://localhost:41234')",
    'let last = 0',
    "socket.on('open', () => {",
    "  socket.send(JSON.stringify({ type: 'handshake', data: { mode: 'readonly', since: last } }))",
    '})',
    "socket.on('message', text => {",
    '  const { type, seq, data } = JSON.parse(text)',
    '  for (const event of data.eventHistory ?? []) take(event)',
    '  if (seq !== undefined) take({ type, seq, data })',
    '})',
    '',
    'function take({ type, seq, data }) {',
    '  last = seq',
    "  if (type === 'codon.completed') console.log(data.codonId, data.success ? 'is done' : 'failed')",
    '}',
    '```',
  ].join('\n'),
  'The package `weave-client` does all of this, with types: see `examples/clients/README.md`. `test/clients/scenario.py` is a whole client in Python.',
]
