import { openStoppedExecution, type StoppedExecution, systemClock } from '@weave/runtime'
import { type ChosenExecution, chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'

export type OpenedNamed =
  | { readonly ok: true; readonly execution: StoppedExecution; readonly chosen: ChosenExecution }
  /** A person was told why. */
  | { readonly ok: false; readonly code: ExitCode }

/** The execution that a person means, held by us so that no server can begin to work in it. */
export async function openNamed(args: Arguments, terminal: Terminal): Promise<OpenedNamed> {
  const chosen = await chooseExecution(args, terminal)
  if (!chosen.ok) return chosen
  const { layout } = chosen
  const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
  if (opened.ok) return { ok: true, execution: opened.execution, chosen }
  terminal.error(`${opened.message}\n${opened.cure}`)
  return { ok: false, code: exitCodes.failed }
}
