import { homedir } from 'node:os'
import {
  findExecution,
  openStoppedExecution,
  type StoppedExecution,
  settledPaths,
  systemClock,
} from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'

export function executionBaseOf({ texts }: Arguments): Promise<string> {
  const paths = settledPaths({
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
    runtimeConfig: texts['runtime-config'],
    flags: [],
  })
  return paths.then(({ executionBaseDir }) => executionBaseDir)
}

/** The execution that a person means, the newest one unless named. */
export async function namedExecution(word: string | undefined, args: Arguments) {
  return findExecution(word, await executionBaseOf(args))
}

export type OpenedNamed =
  | { readonly ok: true; readonly execution: StoppedExecution; readonly dir: string }
  | { readonly ok: false; readonly message: string }

/** The same, held by us so that no server can begin to work in it. */
export async function openNamed(word: string | undefined, args: Arguments): Promise<OpenedNamed> {
  const found = await namedExecution(word, args)
  if (!found.ok) return found
  const { layout } = found
  const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
  if (!opened.ok) return { ok: false, message: `${opened.message}\n${opened.cure}` }
  return { ok: true, execution: opened.execution, dir: layout.dir }
}
