import { resolve } from 'node:path'
import { type Flag, type FlagName, flags } from './flags.ts'
import type { Arguments } from './parse-arguments.ts'

/** Lines that a person copies into a shell: they must work there as they are, wherever that shell stands. */

/** As it is pasted into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** What belongs to the start only, must not be shown, or is answered anew. */
const ofTheStart: ReadonlySet<FlagName> = new Set([
  'validate',
  'detach',
  'detached',
  'verbose',
  'execution',
  'adopt',
  'dry-run',
  'start-new',
  'force',
  'no-wipe',
  'copy',
  'input',
  'record',
  'token',
  'yes',
  // Of a build machine, which wanted files of what it started.
  'data',
  'sarif',
  'junit',
  'code-quality',
  'report',
  'baseline',
])

export interface GoneOn {
  /** The execution directory. */
  readonly dir: string
  readonly isRehearsal: boolean
}

/** The command that goes on with an execution, with those of the options that held until now. */
export function goOnCommand({ dir, isRehearsal }: GoneOn, args?: Arguments): string {
  const words = ['weave', ...(isRehearsal ? ['rehearse'] : []), '-e', dir, ...(args ? optionsOf(args) : [])]
  return words.map(shellWord).join(' ')
}

/** The words of a start that goes on with an execution and adopts the edited hank. */
export function adoptingArguments({ switches, texts }: Arguments, dir: string): Arguments {
  const stays = (name: string): boolean =>
    name === 'yes' || name === 'token' || !ofTheStart.has(name as FlagName)
  return {
    positionals: [],
    switches: new Set([...[...switches].filter(stays), 'adopt' as const]),
    texts: { ...Object.fromEntries(Object.entries(texts).filter(([name]) => stays(name))), execution: dir },
  }
}

/** The words of the process that goes on without its terminal: everything was asked and answered, and its execution is there. */
export function detachedWords(
  { dir, isRehearsal }: GoneOn,
  args: Arguments,
  { hank, adopt }: { readonly hank: string | undefined; readonly adopt: boolean },
): readonly string[] {
  const { token, record } = args.texts
  return [
    ...(isRehearsal ? ['rehearse'] : []),
    ...(hank === undefined ? [] : [hank]),
    '--execution',
    dir,
    '--detached',
    '--yes',
    ...(adopt ? ['--adopt'] : []),
    ...optionsOf(args),
    ...(record === undefined ? [] : ['--record', resolve(record)]),
    ...(token === undefined ? [] : ['--token', token]),
    ...(token === undefined || args.texts.host === undefined ? [] : ['--host', args.texts.host]),
  ]
}

/** Files and directories with their whole path: the shell may stand elsewhere. */
function optionsOf({ switches, texts }: Arguments): readonly string[] {
  const stays = (name: FlagName): boolean =>
    // Listening elsewhere needs the token, which is not repeated.
    !ofTheStart.has(name) && !(name === 'host' && texts.token !== undefined)
  const names = (Object.keys(flags) as FlagName[]).filter(stays)
  return names.flatMap(name => {
    if (switches.has(name)) return [`--${name}`]
    const text = texts[name]
    if (text === undefined) return []
    const { value }: Flag = flags[name]
    return [`--${name}`, value === 'dir' || value === 'file' ? resolve(text) : text]
  })
}
