import type { RollbackPreview, RollbackWish, StoppedExecution } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { confirm } from '../confirm.ts'
import { goOnCommand, shellWord } from '../go-on.ts'
import type { ChosenExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { openNamed } from './open-execution.ts'

/** `weave rollback <target>`: takes an execution in which nothing runs back to a checkpoint. */
export async function rollbackCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const wish = wishOf(args)
  if (!wish) {
    terminal.error('Say where to go back to: weave rollback <checkpoint>, or weave rollback --undo.')
    return exitCodes.usage
  }
  const opened = await openNamed(args, terminal)
  if (!opened.ok) return opened.code
  const { execution, chosen } = opened
  try {
    return await goBack(execution, wish, { args, terminal, chosen })
  } finally {
    await execution.close()
  }
}

function wishOf({ switches, positionals }: Arguments): RollbackWish | undefined {
  const [to, tooMuch] = positionals
  if (switches.has('undo')) return to === undefined ? { undo: true } : undefined
  return to === undefined || tooMuch !== undefined ? undefined : { to }
}

interface Around {
  readonly args: Arguments
  readonly terminal: Terminal
  readonly chosen: ChosenExecution
}

async function goBack(execution: StoppedExecution, wish: RollbackWish, around: Around): Promise<ExitCode> {
  const { args, terminal, chosen } = around
  const { switches } = args
  const previewed = await execution.preview(wish)
  if (!previewed.ok) return fail(terminal, previewed.message)
  if (switches.has('preview')) {
    const { preview } = previewed
    if (switches.has('json')) terminal.json(JSON.stringify(preview, null, 2))
    else for (const line of previewLines(preview)) terminal.out(line)
    return exitCodes.done
  }
  if (!switches.has('yes')) for (const line of previewLines(previewed.preview)) terminal.error(line)
  const agreed = await confirm('Go back?', switches.has('yes'), '--preview to look only')
  if (!agreed.ok) return fail(terminal, agreed.message)
  const done = await execution.rollBack(wish)
  for (const warning of execution.warnings) terminal.error(warning)
  if (!done.ok)
    return fail(terminal, [done.message, ...(done.cure === undefined ? [] : [done.cure])].join('\n'))
  for (const note of done.notes) terminal.error(note)
  if (switches.has('json')) terminal.json(JSON.stringify({ ...done.preview, runId: done.runId }, null, 2))
  else for (const line of previewLines(done.preview)) terminal.out(line)
  for (const line of whatNext(chosen, done.preview)) terminal.error(line)
  return exitCodes.done
}

function whatNext(
  { layout: { dir }, file }: ChosenExecution,
  { outputs }: RollbackPreview,
): readonly string[] {
  const goOn = goOnCommand({ dir, isRehearsal: file?.rehearsal ?? false })
  return [
    `Done. Go on with: ${goOn}`,
    ...(outputs.length > 0 ? [`Go on and replace its outputs with: ${goOn} --overwrite-output`] : []),
    `Take it back with: weave rollback --undo -e ${shellWord(dir)}`,
  ]
}

function fail(terminal: Terminal, message: string): ExitCode {
  terminal.error(message)
  return exitCodes.failed
}

/** What a rollback would do, in lines for people. Paths are made harmless for a terminal. */
export function previewLines(preview: RollbackPreview): readonly string[] {
  const { label, undone, unchanged, next } = preview
  const lists = [
    ['create', preview.create],
    ['change', preview.change],
    ['delete', preview.delete],
    ['move aside (never checkpointed)', preview.movedAside],
    ['put back from the archive', preview.unarchived],
    ['archive again', preview.archivedAgain],
    ['move out of the workspace (rig copies)', preview.rigCopies],
    ['copy again (rig)', preview.rigPutBack],
  ] as const
  const there = lists.filter(([, paths]) => paths.length > 0)
  return [
    `Back to    ${harmlessLine(label)}`,
    `Undone     ${undone.length === 0 ? 'nothing' : harmlessLine(undone.join(', '), 1000)}`,
    `Next       ${nextWords(next)}`,
    ...there.flatMap(([what, paths]) => ['', `${what}: ${paths.length}`, ...paths.map(pathLine)]),
    ...outputLines(preview),
    ...(unchanged === 0 ? [] : ['', `unchanged: ${plural(unchanged, 'file')}`]),
  ]
}

/** A rollback goes back in the workspace; the output directory is not its own. */
function outputLines({ outputs }: RollbackPreview): readonly string[] {
  if (outputs.length === 0) return []
  const stays = outputs.flatMap(({ codonId, directory, files }) => [
    '',
    `stay in ${harmlessLine(directory, 4096)} (outputs of ${harmlessLine(codonId)}): ${files.length}`,
    ...files.map(pathLine),
  ])
  return [...stays, `  ${takenNames}`]
}

/** How `effects` names an output whose name is taken. */
const takenNames =
  'Done again, outputs of the same name are put beside them as name_1_<time>; with --overwrite-output they replace them.'

function nextWords(next: RollbackPreview['next']): string {
  if (!next) return 'nothing: the hank is at its end there'
  return `${harmlessLine(next.codonId)}${next.withoutRig ? ', without its rig' : ''}`
}

function pathLine(path: string): string {
  return `  ${harmlessLine(path, 4096)}`
}
