import {
  batchExtension,
  codonMoves,
  commands,
  type EventCategory,
  errorCodes,
  events,
  transitions,
  weaveExtension,
} from '@weave/protocol'
import * as envelopes from '../../packages/protocol/src/envelope.ts'
import { handshakeRequest, handshakeResponse } from '../../packages/protocol/src/handshake.ts'
import * as state from '../../packages/protocol/src/state.ts'
import * as values from '../../packages/protocol/src/values.ts'
import { code, fieldTables, table } from './field-table.ts'
import type { Generated } from './generated.ts'
import { answers, closing, connecting, keepingUp, smallClient } from './protocol-guide.ts'
import { type Schema, shapesOf } from './shape.ts'
import { transcript } from './transcript.ts'

/** `docs/protocol.md`, from the tables of the protocol. */
export const protocolPage: Generated = {
  path: 'docs/protocol.md',
  content: () => `${page().join('\n\n')}\n`,
}

const shapes = shapesOf(values, state, envelopes)
const eventRows = Object.entries(events)

const categories: Readonly<Record<Exclude<EventCategory, 'extension'>, string>> = {
  'server-state': 'Server state',
  rollback: 'Rollback',
  agentic: 'Agent',
  sentinel: 'Sentinels',
  connection: 'Connection',
}

function page(): readonly string[] {
  const body = [
    ...connecting,
    ...connection(),
    ...keepingUp,
    ...commandSections(),
    ...eventSections(),
    ...transitionSections(),
    ...statusSection(),
    ...errorSection(),
    ...closing,
  ]
  return [
    '# Protocol',
    'Generated from the tables of `packages/protocol` by `npm run generate`. Do not edit. A test compares the run at the end with a real one.',
    'A server and its clients exchange text frames of JSON over a WebSocket. A client first sends a handshake, then commands; the server answers with events. Clients pass over events and fields they do not know; the server refuses unknown fields in what it is sent. [A whole run](#a-whole-run) is at the end of this page.',
    ...body,
    ...valueSections(body),
    ...smallClient,
    ...transcript(),
  ]
}

function connection(): readonly string[] {
  return [
    '## Handshake',
    `The first message of a client. Extension events are sent only to clients that list ${code(weaveExtension)} in ${code('extensions')}. To those that list ${code(batchExtension)} live events come many at a time: a frame is a list of them, and there is one every 100 ms at most (200 ms after one of more than 50 events); all else comes as one object, as to others.`,
    ...tablesOf(handshakeRequest.shape.data),
    'The answer, `handshake.response`:',
    ...tablesOf(handshakeResponse.shape.data),
    '## Envelopes',
    '### CommandEnvelope',
    'Around every command. `data` may be left out where a command has no fields; `id` comes back as `commandId`.',
    ...tablesOf(envelopes.commandEnvelope),
    '### EventEnvelope',
    'Around every event. `seq` is there on journaled events, `commandId` on answers to a command.',
    ...tablesOf(envelopes.eventEnvelope),
  ]
}

function commandSections(): readonly string[] {
  const rows = Object.entries(commands)
  const extended = rows.filter(([, row]) => row.category === 'extension')
  return [
    '## Commands',
    `${rows.length - extended.length} commands, ${extended.length} more for clients that ask: those of category ${code('extension')} exist only for clients that list ${code(weaveExtension)} in ${code('extensions')}, and are ${code('UNKNOWN_COMMAND')} to all others. With access ${code('readandwrite')} a command is refused from ${code('readonly')} clients and during a rollback.`,
    table(
      ['command', 'category', 'access', 'what it does'],
      rows.map(([name, { category, access, summary }]) => [code(name), category, code(access), summary]),
    ),
    ...answers,
    ...rows
      .filter(([, { data }]) => Object.keys(data.shape).length > 0)
      .flatMap(([name, { data }]) => [`### Command ${code(name)}`, ...tablesOf(data)]),
  ]
}

function eventSections(): readonly string[] {
  const rows = eventRows
  const extensions = rows.filter(([, row]) => row.category === 'extension')
  return [
    '## Events',
    `${rows.length - extensions.length} events. Delivery: ${code('journal')} is written, then told to every client; ${code('direct')} is sent and never written; ${code('either')} is direct when it answers one command and journaled otherwise. Durability of a journaled event: ${code('synced')} is told after it is safe against power loss, ${code('grouped')} after it is written.`,
    ...Object.entries(categories).flatMap(([category, title]) => [
      `### ${title}`,
      ...rows.filter(([, row]) => row.category === category).flatMap(eventSection),
    ]),
    '## Extension events',
    `${extensions.length} events beyond the specification, for clients that ask for them in the handshake.`,
    ...extensions.flatMap(eventSection),
  ]
}

function eventSection([name, row]: (typeof eventRows)[number]): readonly string[] {
  const policy = row.delivery === 'direct' ? 'direct' : `${row.delivery}, ${row.durability}`
  return [`#### ${code(name)}`, `${row.summary} *${policy}*`, ...tablesOf(row.data)]
}

function transitionSections(): readonly string[] {
  const rows = Object.entries(transitions)
  return [
    '## Transitions',
    `${rows.length} types. They travel in ${code('state.transition')} events; folding all of them in order gives the state.`,
    ...rows.flatMap(([name, data]) => [`### ${name}`, ...tablesOf(data)]),
  ]
}

function statusSection(): readonly string[] {
  const rows = Object.entries(codonMoves).map(([from, to]) => [
    code(from),
    to.map(code).join(', ') || 'none: the end',
  ])
  return [
    '## Codon statuses',
    'Which status may follow which.',
    table(['status', 'may be followed by'], rows),
  ]
}

function errorSection(): readonly string[] {
  const rows = Object.entries(errorCodes)
  return [
    '## Error codes',
    'What `code` of an `error` event can be.',
    table(
      ['code', 'severity', 'when'],
      rows.map(([name, { severity, summary }]) => [code(name), code(severity), summary]),
    ),
  ]
}

/** The shared values that `body` links to but does not show, and those that they link to. */
function valueSections(body: readonly string[]): readonly string[] {
  const sections = new Map<string, readonly string[]>()
  const add = (texts: readonly string[]): void => {
    for (const [, name = ''] of texts.join('\n').matchAll(/\[(\w+)\]\(#\w+\)/g)) {
      const shape = shapes.named.get(name)
      if (shape === undefined || sections.has(name) || body.includes(`### ${name}`)) continue
      const section = [`### ${name}`, ...fieldTables(shape)]
      sections.set(name, section)
      add(section)
    }
  }
  add(body)
  return [
    '## Values',
    'Shapes that several messages share.',
    ...[...sections.keys()].sort().flatMap(name => sections.get(name) ?? []),
  ]
}

function tablesOf(schema: Schema): readonly string[] {
  return fieldTables(shapes.of(schema))
}
