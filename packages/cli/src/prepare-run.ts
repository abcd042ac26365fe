import { homedir } from 'node:os'
import { type Prepared, prepare } from '@weave/runtime'
import { runArguments } from './hank-argument.ts'
import type { Arguments } from './parse-arguments.ts'
import { settingValues } from './setting-flags.ts'

export type PreparedRun =
  | { readonly ok: true; readonly prepared: Prepared; readonly data?: string | undefined }
  /** The words themselves are wrong. */
  | { readonly ok: false; readonly usage: string }

/** Everything that validating and running have in common: from the words on the command line to a verdict. */
export async function prepareRun(
  args: Arguments,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PreparedRun> {
  const words = await runArguments(args.positionals)
  if ('problem' in words) return { ok: false, usage: words.problem }
  const prepared = await prepare({
    hank: words.hank,
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    skipSelfTest: args.switches.has('skip-self-test'),
    environment,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  return { ok: true, prepared, data: words.data }
}
