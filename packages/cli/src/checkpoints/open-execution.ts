import { openStoppedExecution, type StoppedExecution, systemClock } from '@weave/runtime'
import { namedExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'

export type OpenedNamed =
  | { readonly ok: true; readonly execution: StoppedExecution; readonly dir: string }
  | { readonly ok: false; readonly message: string }

/** The execution that a person means, held by us so that no server can begin to work in it. */
export async function openNamed(word: string | undefined, args: Arguments): Promise<OpenedNamed> {
  const found = await namedExecution(word, args)
  if (!found.ok) return found
  const { layout } = found
  const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
  if (!opened.ok) return { ok: false, message: `${opened.message}\n${opened.cure}` }
  return { ok: true, execution: opened.execution, dir: layout.dir }
}
