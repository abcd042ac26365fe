import { type Problem, parseJsonSource, readRegularFile, shapeProblems, systemClock } from './kit/index.ts'
import {
  createRehearsal,
  type RehearsalScript,
  rehearsalScript,
  startModelServer,
} from './model-server/index.ts'
import { redirectProviders } from './models/index.ts'

export interface RehearsalSetup {
  /** The script; a file that is not there is an error only when it was named. */
  readonly file: string
  readonly isNamed: boolean
  readonly strict: boolean
}

export type OpenedRehearsal =
  | { readonly ok: true; readonly rehearsal: OpenRehearsal }
  | { readonly ok: false; readonly problems: readonly Problem[] }

type Variables = Readonly<Record<string, string | undefined>>

/** A run in which every provider is the model server inside this program, and every key a placeholder. */
export interface OpenRehearsal {
  readonly url: string
  /** What the script leads to, for people. */
  readonly description: string
  /** For everything that belongs to no codon: the checks before the run. */
  environment(environment: Variables): Readonly<Record<string, string>>
  /** For one codon: its key says whose request it is. */
  environmentFor(runtimeId: string, environment: Variables): Readonly<Record<string, string>>
  /** Without an id: for the health checks of all. */
  sentinelKeyFor(id: string | undefined): string
  /** Where relative paths of the script begin: the agent workspace, once it is known. */
  workIn(directory: string): void
  /** What a strict rehearsal complains about, in the end. */
  leftovers(): readonly Problem[]
  close(): Promise<void>
}

export async function openRehearsal({ file, isNamed, strict }: RehearsalSetup): Promise<OpenedRehearsal> {
  const read = await readScript(file, isNamed)
  if (!read.ok) return read
  const rehearsal = createRehearsal({ script: read.script ?? {}, strict })
  let directory: string | undefined
  const server = await startModelServer({ ...rehearsal, clock: systemClock, cwdOf: () => directory })
  const redirect = (environment: Variables, key: string) =>
    redirectProviders(environment, { url: server.url, key })
  return {
    ok: true,
    rehearsal: {
      url: server.url,
      description: read.script ? `the script ${file}` : 'what a model says without a script',
      environment: environment => redirect(environment, rehearsal.nobodysKey),
      environmentFor: (runtimeId, environment) => redirect(environment, rehearsal.keyFor(runtimeId)),
      sentinelKeyFor: id => (id === undefined ? rehearsal.nobodysKey : rehearsal.sentinelKeyFor(id)),
      workIn(known) {
        directory = known
      },
      leftovers: rehearsal.leftovers,
      close: server.close,
    },
  }
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
