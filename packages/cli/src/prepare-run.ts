import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type Prepared, type PrepareOptions, prepare } from '@weave/runtime'
import { runArguments } from './hank-argument.ts'
import type { Arguments } from './parse-arguments.ts'
import { settingValues } from './setting-flags.ts'

export type PreparedRun =
  | { readonly ok: true; readonly prepared: Prepared; readonly data?: string | undefined }
  /** The words themselves are wrong. */
  | { readonly ok: false; readonly usage: string }

export interface PrepareRunOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** As in `prepare`. */
  readonly redirect?: PrepareOptions['redirect']
  /** Whether the data are checked too. */
  readonly looksAtData?: boolean
}

/** Everything that validating and running have in common: from the words on the command line to a verdict. */
export async function prepareRun(
  args: Arguments,
  { environment = process.env, redirect, looksAtData = false }: PrepareRunOptions = {},
): Promise<PreparedRun> {
  const words = await runArguments(args.positionals)
  if ('problem' in words) return { ok: false, usage: words.problem }
  const prepared = await prepare({
    hank: words.hank,
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    skipSelfTest: args.switches.has('skip-self-test'),
    data: looksAtData ? pathOfData(words.data) : undefined,
    environment,
    redirect,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  return { ok: true, prepared, data: words.data }
}

/** What comes through a pipe is not there to be looked at before it is read. */
function pathOfData(named: string | undefined): string | undefined {
  return named === undefined || named === '-' ? undefined : resolve(named)
}
