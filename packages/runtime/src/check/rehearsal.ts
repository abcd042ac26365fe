import type { ProblemCode } from '@weave/protocol'
import { readRegularFile } from '../files/index.ts'
import type { Harness } from '../harness/index.ts'
import { type Problem, parseJsonSource, problemOf, shapeProblems, systemClock } from '../kit/index.ts'
import {
  createPlaces,
  createRehearsal,
  createScriptedGates,
  type Places,
  type RehearsalScript,
  rehearsalScript,
  type ScriptedGates,
  startModelServer,
} from '../model-server/index.ts'
import { type Redirection, redirectProviders } from '../models/index.ts'
import { openReplay, type Replay } from '../proxy/index.ts'
import { reachingLoopback } from '../settings/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import { openPlaces, type PlacesOptions } from './rehearsal-places.ts'

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
  | { readonly ok: false; readonly problems: readonly Problem<ProblemCode>[] }

type Variables = Readonly<Record<string, string | undefined>>

interface Way {
  readonly providers: readonly string[]
  readonly proxyUrl?: string | undefined
}

/** A run in which every provider is the model server inside this program or a recording, and every key a placeholder. */
export interface OpenRehearsal {
  readonly url: string
  /** What the script leads to, for people. */
  readonly description: string
  /**
   * For everything that belongs to no codon: the checks before the run, and what codons inherit. `providers`: those that
   * are not in the catalogue must be among them.
   */
  environment(environment: Variables, providers: readonly string[]): Readonly<Record<string, string>>
  /** For one codon, with all that its hank sets: its key says whose request it is. */
  environmentFor(runtimeId: string, environment: Variables, way: Way): Readonly<Record<string, string>>
  sentinelKeyFor(id: string): string
  /** Call before anything of the execution runs: relative paths of the script begin in its workspace. */
  begin(execution: PlacesOptions & { readonly layout: Pick<ExecutionLayout, 'agentRoot'> }): Promise<void>
  /** A harness that tells the scripted model the prompt of each codon. */
  informed(harness: Harness): Harness
  /** What is said at gates in the place of a person; absent: nobody says anything. */
  readonly gates?: ScriptedGates
  /** What a rehearsal complains about in the end: a strict one about what was not used, a replay about what it lacked. */
  leftovers(): Promise<readonly Problem<ProblemCode>[]>
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
  let directory: string | undefined
  let places: Places = createPlaces()
  const prompts = new Map<string, string>()
  const rehearsal = createRehearsal({
    script: read.script ?? {},
    strict,
    places: () => places,
    promptOf: runtimeId => prompts.get(runtimeId),
  })
  const gates = createScriptedGates(strict, read.script?.gates)
  const options = { clock: systemClock, cwdOf: () => directory }
  const server = await startModelServer({ ...rehearsal, ...options })
  return {
    ok: true,
    rehearsal: {
      url: server.url,
      description: read.script ? `the script ${file}` : 'what a model says without a script',
      environment: (environment, providers) =>
        redirected(environment, { url: server.url, key: rehearsal.nobodysKey }, providers),
      environmentFor: (runtimeId, environment, { providers, proxyUrl }) => {
        const url = (throughProxy ? proxyUrl : undefined) ?? server.url
        return redirected(environment, { url, key: rehearsal.keyFor(runtimeId) }, providers)
      },
      sentinelKeyFor: rehearsal.sentinelKeyFor,
      async begin(execution) {
        directory = execution.layout.agentRoot
        places = await openPlaces(execution)
      },
      informed: harness => ({
        ...harness,
        start(spec, signal) {
          prompts.set(spec.codonId, spec.prompt)
          return harness.start(spec, signal)
        },
      }),
      gates,
      leftovers: async () => [...rehearsal.leftovers(), ...gates.leftovers()],
      close: server.close,
    },
  }
}

/** The one place that says where the models of a rehearsal are, and with which key they are asked. */
function redirected(environment: Variables, to: Redirection, providers: readonly string[]) {
  return reachingLoopback(redirectProviders(environment, to, providers))
}

/** Nobody listens there; in a replay every agent has the address of the proxy instead. */
const nowhere = 'http://127.0.0.1:9'

/** A rehearsal in which a recording answers. There is no model, so whoever does not ask the proxy reaches nobody. */
export async function openReplayRehearsal({ directory, strict }: ReplaySetup): Promise<OpenedRehearsal> {
  const opened = await openReplay(directory)
  if (!opened.ok) return { ok: false, problems: [fault('rehearsal/file', opened.message)] }
  const { replay } = opened
  const { nobodysKey, keyFor, sentinelKeyFor } = createRehearsal({ script: {}, strict: false })
  const { exchanges, isWhole } = replay.recording
  const cut = isWhole ? '' : `, whose end is missing: it answers ${exchanges.length} requests and no more`
  return {
    ok: true,
    rehearsal: {
      url: `the recording in ${directory}`,
      description: `the recording in ${directory}${cut}`,
      environment: (environment, providers) =>
        redirected(environment, { url: nowhere, key: nobodysKey }, providers),
      environmentFor: (runtimeId, environment, { providers, proxyUrl }) =>
        redirected(environment, { url: proxyUrl ?? nowhere, key: keyFor(runtimeId) }, providers),
      sentinelKeyFor,
      begin: async () => undefined,
      informed: harness => harness,
      leftovers: async () => [...(await refused(replay)), ...(strict ? unused(replay) : [])],
      replay,
      close: async () => undefined,
    },
  }
}

async function refused({ refusals }: Replay): Promise<readonly Problem<ProblemCode>[]> {
  return (await refusals.all()).map(message => fault('rehearsal/recording', message))
}

function fault(code: ProblemCode, message: string, where = ''): Problem<ProblemCode> {
  return problemOf({ severity: 'error', code, message }, where)
}

function unused({ matcher }: Replay): readonly Problem<ProblemCode>[] {
  return matcher.left().map(({ codonId, turn, method, path }) => {
    const message = `turn ${turn} of the recording was not asked for: ${method} ${path}`
    return fault('rehearsal/recording', message, codonId)
  })
}

type ReadScript =
  | { readonly ok: true; readonly script?: RehearsalScript }
  | { readonly ok: false; readonly problems: readonly Problem<ProblemCode>[] }

async function readScript(file: string, isNamed: boolean): Promise<ReadScript> {
  const read = await readRegularFile(file, { maxBytes: 10 * 1024 * 1024 })
  if (!read.ok && read.reason === 'missing' && !isNamed) return { ok: true }
  if (!read.ok) return { ok: false, problems: [fault('rehearsal/file', read.message)] }
  return checkScript(read.bytes, file)
}

/** Whether a text is a script; `file` names it in what is wrong. */
export function checkScript(bytes: Uint8Array, file: string): CheckedScript {
  const source = parseJsonSource(bytes, { file })
  if (!source.ok) return source
  const checked = rehearsalScript.safeParse(source.value)
  if (checked.success) return { ok: true, script: checked.data, problems: [] }
  const options = { family: 'rehearsal', schema: rehearsalScript } as const
  return { ok: false, problems: shapeProblems(checked.error, source, options) }
}

type CheckedScript =
  | { readonly ok: true; readonly script: RehearsalScript; readonly problems: readonly [] }
  | { readonly ok: false; readonly problems: readonly Problem<ProblemCode>[] }
