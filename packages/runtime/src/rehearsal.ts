import { type Problem, parseJsonSource, readRegularFile, shapeProblems, systemClock } from './kit/index.ts'
import {
  createRehearsal,
  type RehearsalScript,
  rehearsalScript,
  startModelServer,
} from './model-server/index.ts'
import { redirectProviders } from './models/index.ts'
import { openReplay, type Replay } from './proxy/index.ts'

export interface RehearsalSetup {
  /** The script; a file that is not there is an error only when it was named. */
  readonly file: string
  readonly isNamed: boolean
  readonly strict: boolean
  /** All agents ask the proxy, also those that go past it in other runs: it sees the traffic of every codon. */
  readonly throughProxy: boolean
}

export interface ReplaySetup {
  readonly directory: string
  readonly strict: boolean
}

export type OpenedRehearsal =
  | { readonly ok: true; readonly rehearsal: OpenRehearsal }
  | { readonly ok: false; readonly problems: readonly Problem[] }

type Variables = Readonly<Record<string, string | undefined>>

/** A run in which every provider is the model server inside this program or a recording, and every key a placeholder. */
export interface OpenRehearsal {
  readonly url: string
  /** What the script leads to, for people. */
  readonly description: string
  /** For everything that belongs to no codon: the checks before the run. */
  environment(environment: Variables): Readonly<Record<string, string>>
  /** For one codon: its key says whose request it is. */
  environmentFor(
    runtimeId: string,
    environment: Variables,
    proxyUrl?: string,
  ): Readonly<Record<string, string>>
  sentinelKeyFor(id: string): string
  /** Where relative paths of the script begin: the agent workspace, once it is known. */
  workIn(directory: string): void
  /** What a rehearsal complains about in the end: a strict one about what was not used, a replay about what it lacked. */
  leftovers(): Promise<readonly Problem[]>
  /** Present: no model is there, and this answers through the proxy. */
  readonly replay?: Replay
  close(): Promise<void>
}

export async function openRehearsal({
  file,
  isNamed,
  strict,
  throughProxy,
}: RehearsalSetup): Promise<OpenedRehearsal> {
  const read = await readScript(file, isNamed)
  if (!read.ok) return read
  const rehearsal = createRehearsal({ script: read.script ?? {}, strict })
  let directory: string | undefined
  // An agent sends all it knows with every request, and here nobody looks at that again.
  const options = { clock: systemClock, cwdOf: () => directory, mostKept: 0 }
  const server = await startModelServer({ ...rehearsal, ...options })
  const redirect = (environment: Variables, key: string, proxyUrl?: string) =>
    redirectProviders(environment, { url: (throughProxy ? proxyUrl : undefined) ?? server.url, key })
  return {
    ok: true,
    rehearsal: {
      url: server.url,
      description: read.script ? `the script ${file}` : 'what a model says without a script',
      environment: environment => redirect(environment, rehearsal.nobodysKey),
      environmentFor: (runtimeId, environment, proxyUrl) =>
        redirect(environment, rehearsal.keyFor(runtimeId), proxyUrl),
      sentinelKeyFor: rehearsal.sentinelKeyFor,
      workIn(known) {
        directory = known
      },
      leftovers: async () => rehearsal.leftovers(),
      close: server.close,
    },
  }
}

/** Nobody listens there; in a replay every agent has the address of the proxy instead. */
const nowhere = 'http://127.0.0.1:9'

/** A rehearsal in which a recording answers. There is no model, so whoever does not ask the proxy reaches nobody. */
export async function openReplayRehearsal({ directory, strict }: ReplaySetup): Promise<OpenedRehearsal> {
  const opened = await openReplay(directory)
  if (!opened.ok) return { ok: false, problems: [{ severity: 'error', where: '', message: opened.message }] }
  const { replay } = opened
  const { nobodysKey, keyFor, sentinelKeyFor } = createRehearsal({ script: {}, strict: false })
  const { exchanges, isWhole } = replay.recording
  const cut = isWhole ? '' : `, whose end is missing: it answers ${exchanges.length} requests and no more`
  return {
    ok: true,
    rehearsal: {
      url: `the recording in ${directory}`,
      description: `the recording in ${directory}${cut}`,
      environment: environment => redirectProviders(environment, { url: nowhere, key: nobodysKey }),
      environmentFor: (runtimeId, environment, proxyUrl) =>
        redirectProviders(environment, { url: proxyUrl ?? nowhere, key: keyFor(runtimeId) }),
      sentinelKeyFor,
      workIn: () => undefined,
      leftovers: async () => [...(await refused(replay)), ...(strict ? unused(replay) : [])],
      replay,
      close: async () => undefined,
    },
  }
}

async function refused({ refusals }: Replay): Promise<readonly Problem[]> {
  return (await refusals.all()).map(message => ({ severity: 'error', where: '', message }))
}

function unused({ matcher }: Replay): readonly Problem[] {
  return matcher.left().map(({ codonId = '', turn, method, path }) => ({
    severity: 'error',
    where: codonId,
    message: `turn ${turn} of the recording was not asked for: ${method} ${path}`,
  }))
}

type ReadScript =
  | { readonly ok: true; readonly script?: RehearsalScript }
  | { readonly ok: false; readonly problems: readonly Problem[] }

async function readScript(file: string, isNamed: boolean): Promise<ReadScript> {
  const read = await readRegularFile(file, { maxBytes: 10 * 1024 * 1024 })
  if (!read.ok && read.reason === 'missing' && !isNamed) return { ok: true }
  if (!read.ok) return { ok: false, problems: [{ severity: 'error', where: '', message: read.message }] }
  const source = parseJsonSource(read.bytes, { file })
  if (!source.ok) return source
  const checked = rehearsalScript.safeParse(source.value)
  if (checked.success) return { ok: true, script: checked.data }
  return { ok: false, problems: shapeProblems(checked.error, source, { schema: rehearsalScript }) }
}
