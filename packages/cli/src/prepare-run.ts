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
export async function prepareRun(args: Arguments): Promise<PreparedRun> {
  const words = await runArguments(args.positionals)
  if ('problem' in words) return { ok: false, usage: words.problem }
  const scripted = args.switches.has('scripted')
  const prepared = await prepare({
    hank: words.hank,
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    skipSelfTest: scripted || args.switches.has('skip-self-test'),
    environment: scripted ? { ...placeholders, ...process.env } : process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  return { ok: true, prepared, data: words.data }
}

/** A scripted agent calls no model, so it needs no key; the checks still want to see one. */
const placeholders = Object.fromEntries(
  ['ANTHROPIC', 'OPENAI', 'GEMINI', 'OPENROUTER'].map(name => [
    `${name}_API_KEY`,
    'scripted-agents-need-no-key',
  ]),
)
