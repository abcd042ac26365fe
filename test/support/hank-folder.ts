import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scriptedAgents } from './scripted-acp.ts'
import { portOf } from './steering-client.ts'
import { tempDir } from './temp-dir.ts'
import {
  type CliResult,
  launcher,
  type RunningCommand,
  runCli,
  runScripted,
  type Surrounding,
  scriptedWeave,
  startCommand,
} from './weave-command.ts'

/**
 * A folder with a hank in it, and all that an end-to-end test does there: run commands, steer them, and look at the
 * execution that they leave. `HOME` is `home` inside of the folder, so nothing is shared with anybody.
 */
export interface HankFolder extends Surrounding {
  /** Runs the built command here, to its end. */
  readonly weave: (...words: readonly string[]) => CliResult
  /** `weave rehearse`: real agents, and a model that is a script. */
  readonly rehearse: (...words: readonly string[]) => CliResult
  /** Runs the command with scripted agents here, to its end. */
  readonly scripted: (...words: readonly string[]) => Promise<CliResult>
  /** Starts the built command here. */
  readonly start: (...words: readonly string[]) => RunningCommand
  /** Starts the command with scripted agents here. */
  readonly startScripted: (...words: readonly string[]) => Promise<RunningCommand>
  /** The same, once clients may come; without words it waits for what they say. */
  readonly serve: (...words: readonly string[]) => Promise<Served>
  /** The same folder with more in the environment of its commands. */
  readonly with: (env: Readonly<Record<string, string>>) => HankFolder
  /** A path in the folder. */
  readonly path: (...path: readonly string[]) => string
  /** Writes files into the folder. */
  readonly write: (files: Files) => void
  /** Writes another `hank.json`. */
  readonly setHank: (hank: Hank) => void
  /** Where executions are made by default. */
  readonly executionsDir: string
  /** The directories of all executions, by their names. */
  readonly executions: () => readonly string[]
  /** The directory of the first execution, or a path in it. */
  readonly execution: (...path: readonly string[]) => string
  /** A path in the workspace of the first execution. */
  readonly workspace: (...path: readonly string[]) => string
  /** What is in a file of the workspace; undefined when it is not there. */
  readonly read: (path: string) => string | undefined
  /** The events of the journal, or those of one type. */
  readonly events: (type?: string) => readonly StoredEvent[]
}

/** A run with scripted agents whose server listens. */
export interface Served extends RunningCommand {
  readonly port: number
  /** The execution directory. */
  readonly dir: string
}

/** The items, or the whole file. `$schema` is added, so that no command changes the file. */
export type Hank = readonly object[] | WholeHank

export interface WholeHank {
  readonly hank: readonly object[]
  readonly [field: string]: unknown
}

/** By path: text as it is, anything else as JSON. */
export type Files = Readonly<Record<string, string | object>>

/** A line of the journal, or of what `--json` prints. */
export interface StoredEvent {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A new folder that is gone when the test ends. `inMemory`: where syncs are free. */
export async function hankFolder(
  hank: Hank,
  files: Files = {},
  options: { readonly inMemory?: boolean } = {},
): Promise<HankFolder> {
  return hankFolderIn(await tempDir(options), hank, files)
}

/** The same in a directory of the caller's, made if need be. */
export function hankFolderIn(cwd: string, hank: Hank, files: Files = {}): HankFolder {
  writeFiles(cwd, { 'hank.json': withSchema(hank), ...files })
  return folderAt(cwd)
}

/** A directory with whatever is in it: an example, a fixture, or nothing. */
export function folderAt(cwd: string, env: Readonly<Record<string, string>> = {}): HankFolder {
  const home = env['HOME'] ?? join(cwd, 'home')
  const at: Surrounding = { cwd, env: { HOME: home, ...env } }
  const executionsDir = join(home, '.weave-executions')
  const executions = (): readonly string[] =>
    existsSync(executionsDir)
      ? readdirSync(executionsDir)
          .sort()
          .map(name => join(executionsDir, name))
      : []
  const execution = (...path: readonly string[]): string => {
    const [first] = executions()
    if (first === undefined) throw new Error(`There is no execution in ${executionsDir}.`)
    return join(first, ...path)
  }
  const workspace = (...path: readonly string[]): string => execution('agentRoot', ...path)
  const startScripted = async (...words: readonly string[]): Promise<RunningCommand> =>
    startCommand(await scriptedWeave(), words, at)
  return {
    ...at,
    weave: (...words) => runCli(words, at),
    rehearse: (...words) => runCli(['rehearse', ...words], at),
    scripted: (...words) => runScripted(words, at),
    start: (...words) => startCommand(launcher, words, at),
    startScripted,
    async serve(...words) {
      const run = await startScripted(...(words.length === 0 ? ['--no-autostart', '--keep-alive'] : words))
      await run.until('Clients ')
      return { ...run, port: portOf(execution()), dir: execution() }
    },
    with: more => folderAt(cwd, { ...at.env, ...more }),
    path: (...path) => join(cwd, ...path),
    write: files => writeFiles(cwd, files),
    setHank: hank => writeFiles(cwd, { 'hank.json': withSchema(hank) }),
    executionsDir,
    executions,
    execution,
    workspace,
    read: path => (existsSync(workspace(path)) ? readFileSync(workspace(path), 'utf8') : undefined),
    events: type => {
      const all = journalOf(execution())
      return type === undefined ? all : all.filter(event => event.type === type)
    },
  }
}

function withSchema(hank: Hank): object {
  return { $schema: 'x', ...('hank' in hank ? hank : { hank }) }
}

function writeFiles(cwd: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}

/** The journal of an execution, line by line in the order of its files. Texts that went to the blob folder are null. */
export function journalOf(execution: string): readonly StoredEvent[] {
  const dir = join(execution, '.weave/journal')
  const segments = readdirSync(dir).filter(name => name.endsWith('.jsonl'))
  return segments.sort().flatMap(name => jsonLines(readFileSync(join(dir, name), 'utf8')))
}

/** What a command prints with `--json`: an event in every line. */
export function jsonLines<T = StoredEvent>(text: string): readonly T[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as T)
}

/** A codon that says no more than it must. */
export function codon(id: string, fields: object = {}): object {
  return {
    id,
    name: id,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: `Work on ${id}.`,
    checkpointedFiles: ['*.md'],
    ...fields,
  }
}

/**
 * For rehearsals that are not about agents: a codon of the agent of the tests that speaks ACP, which starts in a tenth of the time
 * that those of the SDKs take. The folder's `weave.json` has to have `lightAgents`.
 */
export function lightCodon(id: string, fields: object = {}): object {
  return codon(id, { model: lightModel, ...fields })
}

export const lightModel = 'acp/scripted/claude-sonnet-4-5'

export const lightAgents = scriptedAgents

/** A loop of two iterations. */
export function loop(id: string, codons: readonly object[], fields: object = {}): object {
  return {
    type: 'loop',
    id,
    name: id,
    terminateOn: { type: 'iterationLimit', limit: 2 },
    codons,
    ...fields,
  }
}

/** A command of a rig or before a copy. */
export function command(run: string, fields: object = {}): object {
  return { type: 'command', command: { run }, ...fields }
}

/** The field of a codon whose rig is this command. */
export function rig(run: string): { readonly rigSetup: readonly object[] } {
  return { rigSetup: [command(run)] }
}

/** A sentinel that is asked about every event of these types. */
export function sentinel(id: string, on: string, fields: object = {}): object {
  return {
    id,
    name: id,
    model: 'haiku',
    trigger: { type: 'event', on: [on] },
    execution: { strategy: 'immediate' },
    userPromptText: 'What happened?',
    ...fields,
  }
}

/** A step of a rehearsal: the agent uses its shell. */
export function bash(run: string, fields: object = {}): object {
  return { use: 'bash', input: { command: run }, ...fields }
}
