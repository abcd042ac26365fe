import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorsOf, formatProblem, type NotifyConfig, readNotifyFile } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import type { Terminal } from '../terminal.ts'

export type NotifyWish =
  | { readonly ok: true; readonly config?: NotifyConfig | undefined }
  /** A person was told why. */
  | { readonly ok: false }

/** The file of whoever is at this machine; never one beside a hank. */
export function notifyPath({ texts }: Pick<Arguments, 'texts'>): string {
  return texts.notify === undefined ? join(homedir(), '.weave', 'notify.json') : resolve(texts.notify)
}

/**
 * Whom to tell of a run: those of the person's own file, or of the one that `--notify` names. A rehearsal asks nobody
 * outside unless it is told to.
 */
export async function notifyWish(
  args: Arguments,
  { isRehearsal }: { readonly isRehearsal: boolean },
  terminal: Terminal,
): Promise<NotifyWish> {
  const isNamed = args.texts.notify !== undefined
  if (args.switches.has('no-notify') || (isRehearsal && !isNamed)) return { ok: true }
  const { config, problems } = await readNotifyFile(notifyPath(args), { isNamed })
  for (const problem of problems) terminal.error(formatProblem(problem))
  if (errorsOf(problems).length === 0) return { ok: true, config }
  terminal.error('Nothing was started. Mend the file, or run without it: --no-notify.')
  return { ok: false }
}
