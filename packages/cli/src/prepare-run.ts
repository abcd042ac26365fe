import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Prepared, type PrepareOptions, prepare } from '@weave/runtime'
import { type Arguments, settingValues } from './parse-arguments.ts'

export type PreparedRun =
  | { readonly ok: true; readonly prepared: Prepared; readonly data?: string | undefined }
  /** The words themselves are wrong. */
  | { readonly ok: false; readonly usage: string }

export interface PrepareRunOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** As in `prepare`. */
  readonly redirect?: PrepareOptions['redirect']
  /** As in `prepare`. */
  readonly onAsking?: PrepareOptions['onAsking']
  /** Whether the data are checked too. */
  readonly checksData?: boolean
}

/** Everything that validating and running have in common: from the words on the command line to a verdict. */
export async function prepareRun(
  args: Arguments,
  { environment = process.env, redirect, onAsking, checksData = false }: PrepareRunOptions = {},
): Promise<PreparedRun> {
  const words = await runArguments(args.positionals)
  if ('problem' in words) return { ok: false, usage: words.problem }
  const gates = gatesOf(args.texts.gate)
  if (!gates.ok) return { ok: false, usage: gates.message }
  const prepared = await prepare({
    hank: words.hank,
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    // Who started this process without a terminal has asked.
    skipSelfTest: args.switches.has('skip-self-test') || args.switches.has('detached'),
    gates: gates.gates,
    data: checksData ? pathOfData(words.data) : undefined,
    environment,
    redirect,
    onAsking,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  return { ok: true, prepared, data: words.data }
}

type AskedGates =
  | { readonly ok: true; readonly gates: NonNullable<PrepareOptions['gates']> }
  | { readonly ok: false; readonly message: string }

/** `before:publish,after:draft`. */
export function gatesOf(text: string | undefined): AskedGates {
  const places = (text ?? '').split(',').filter(Boolean)
  const gates = places.flatMap(place => {
    const [, side, target] = /^(before|after):(.+)$/s.exec(place) ?? []
    return side === undefined || target === undefined ? [] : [{ [side]: target }]
  })
  if (gates.length === places.length) return { ok: true, gates }
  const wrong = places.find(place => !/^(before|after):./s.test(place)) ?? ''
  return {
    ok: false,
    message: `--gate takes places such as before:publish,after:draft, but found "${wrong}".`,
  }
}

/** What comes through a pipe is not there to be looked at before it is read. */
function pathOfData(named: string | undefined): string | undefined {
  return named === undefined || named === '-' ? undefined : resolve(named)
}

interface RunArguments {
  readonly hank?: string
  readonly data?: string
}

/**
 * What the words after the command mean. Two: hank and data. One is the hank when it ends in `.json` or is a directory
 * that holds a `hank.json`; otherwise it is the data, and the hank is `./hank.json`, then `<data>/hank.json`.
 */
export async function runArguments(
  words: readonly string[],
): Promise<RunArguments | { readonly problem: string }> {
  const [first, second, ...rest] = words
  if (rest.length > 0)
    return { problem: `Too many arguments: ${rest.join(' ')}. Expected a hank and a data source.` }
  if (first === undefined) return {}
  if (second !== undefined) return { hank: first, data: second }
  if (first.endsWith('.json') || (await isFile(join(first, 'hank.json')))) return { hank: first }
  if (await isFile('hank.json')) return { data: first }
  return { hank: join(first, 'hank.json'), data: first }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isFile(),
    () => false,
  )
}
