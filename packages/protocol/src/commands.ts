import * as z from 'zod'
import { gateCommands } from './gates.ts'
import { checkpointWord, type Immutable } from './values.ts'

/**
 * TABLE of the 13 commands, and of 4 more for clients that ask for the extension. `access` says which clients may send
 * one: `any`, or only `readandwrite` clients; the latter are also the state-modifying commands that a rollback holds off.
 * `category`: a command of an `extension` does not exist for clients that did not ask for it.
 */
interface CommandRow {
  readonly category: 'core' | 'extension'
  readonly access: 'any' | 'readandwrite'
  readonly summary: string
  readonly data: z.ZodType<object>
}

const text = z.string().min(1)
const none = z.strictObject({})
const autoRestart = z.boolean().default(false)

const names = z.array(text.max(64)).max(128)
const eventFilter = z.strictObject({
  types: names.optional(),
  codon: text.max(256).optional(),
  text: text.max(1_000).optional(),
  failed: z.boolean().optional(),
})

export const commands = {
  'codon.start': steering(
    'Start that codon; rig setup runs first unless `skipPreCommands`.',
    z.strictObject({ codonId: text, skipPreCommands: z.boolean().default(false) }),
  ),
  'codon.next': steering('Start the next codon in the plan.', none),
  'codon.skip': steering('Skip the running codon.', none),
  'codon.redo': steering('Run the last completed or failed codon again.', none),
  'codon.forceStop': steering(
    'Terminate the current codon at once.',
    z.strictObject({ reason: z.string().optional() }),
  ),
  'checkpoint.list': open('Reply: event `checkpoint.list`.', z.strictObject({ runId: text })),
  'rollback.toCheckpoint': steering(
    'Restore a checkpoint by sha (a unique prefix of at least 4 characters).',
    z.strictObject({
      checkpointSha: z
        .string()
        .regex(/^[0-9a-f]{4,64}$/i, 'a hexadecimal sha or a prefix of at least 4 characters'),
      autoRestart,
    }),
  ),
  'rollback.toCodon': steering(
    'Restore a checkpoint of that codon.',
    z.strictObject({ codonId: text, checkpointType: checkpointWord, autoRestart }),
  ),
  'rollback.toLastSuccess': steering(
    'Restore the last successfully completed codon.',
    z.strictObject({ autoRestart }),
  ),
  'server.shutdown': open('Graceful shutdown.', z.strictObject({ reason: z.string().optional() })),
  ping: open('`pong` to the sender.', none),
  'ping.broadcast': open('`pong` to all clients, with the sender’s `clientId`.', none),
  'history.sync': open('The full journal as `history.batch` events.', none),
  'gate.decide': extended(
    'Approve or reject what the run waits for. Reply: event `gate.decided`.',
    gateCommands.decide,
  ),
  'gate.hold': extended(
    'Let the run wait before a codon. Reply: event `gate.armed`, or `gate.waiting` when nothing runs.',
    gateCommands.hold,
  ),
  'events.select': {
    category: 'extension',
    access: 'any',
    summary:
      'From now on be sent, of what happens, only events of these `types` and those that `filter` lets through, and once a second the newest of what was left out, so that `seq` says how far the journal is; without both everything again. Reply: event `events.selected`.',
    data: z.strictObject({ types: names.optional(), filter: eventFilter.optional() }),
  },
  'gate.release': extended('Take a hold back. Reply: event `gate.decided`.', gateCommands.release),
} as const satisfies Record<string, CommandRow>

export type CommandType = keyof typeof commands
/** What a client writes: defaults may be left out. */
export type CommandInput<T extends CommandType> = Immutable<z.input<(typeof commands)[T]['data']>>
/** What the server reads: defaults are filled in. */
export type CommandData<T extends CommandType> = Immutable<z.output<(typeof commands)[T]['data']>>
export type Command<T extends CommandType = CommandType> = {
  [K in T]: { readonly id: string; readonly type: K; readonly data: CommandData<K> }
}[T]

export const commandTypes = Object.keys(commands) as readonly CommandType[]

export function isCommandType(name: string): name is CommandType {
  return Object.hasOwn(commands, name)
}

function steering<D extends z.ZodType<object>>(summary: string, data: D) {
  return { category: 'core', access: 'readandwrite', summary, data } as const
}

function open<D extends z.ZodType<object>>(summary: string, data: D) {
  return { category: 'core', access: 'any', summary, data } as const
}

function extended<D extends z.ZodType<object>>(summary: string, data: D) {
  return { category: 'extension', access: 'readandwrite', summary, data } as const
}
