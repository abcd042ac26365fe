import {
  type Checkpoint,
  clockText,
  currentCodon,
  durationText,
  failedCodon,
  type GateView,
  type OutputCopy,
  rollbackPreview,
  type View,
} from 'weave-client'
import type { Question } from './ui.ts'

/** What is asked before something is undone or cut short: what would happen, in the words of the one who presses. */

export function askSkip(view: View): Question | undefined {
  const codon = currentCodon(view) ?? waitingCodon(view)
  if (!codon) return undefined
  return {
    title: `Skip ${codon.codonId}?`,
    lines: ['Its agent is stopped and it counts as skipped. What it wrote stays; the next codon begins.'],
    answers: [
      {
        key: 'y',
        does: 'skip it',
        command: { type: 'codon.skip', data: {}, says: `skipping ${codon.codonId}` },
      },
    ],
  }
}

export function askForceStop(view: View): Question | undefined {
  const codon = currentCodon(view) ?? waitingCodon(view)
  if (!codon) return undefined
  return {
    title: `Stop ${codon.codonId} at once?`,
    lines: ['Its agent is ended now and it counts as failed. The run waits: r does it again, b goes back.'],
    answers: [
      {
        key: 'y',
        does: 'stop it',
        command: {
          type: 'codon.forceStop',
          data: { reason: 'asked for on the screen' },
          says: `stopping ${codon.codonId}`,
        },
      },
    ],
  }
}

export function askRedo(view: View): Question {
  const failed = failedCodon(view)
  return {
    title: `Do ${failed?.codonId ?? 'the last codon'} again?`,
    lines: ['The workspace goes back to how it was before that codon; what came after is no longer in it.'],
    answers: [
      { key: 'y', does: 'do it again', command: { type: 'codon.redo', data: {}, says: 'starting again' } },
    ],
  }
}

/** Files that a question names. */
const namedFiles = 12
const namedOutputs = 6

export function askRollback(view: View, checkpoint: Checkpoint, now: number): Question {
  const { codonIds, files, filesIncomplete, stops, outputs } = rollbackPreview(view, checkpoint)
  const age = durationText(now - Date.parse(checkpoint.time))
  const more = files.length > namedFiles ? `and ${files.length - namedFiles} more` : undefined
  const command = (autoRestart: boolean) =>
    ({
      type: 'rollback.toCheckpoint',
      data: { checkpointSha: checkpoint.sha, autoRestart },
      says: 'rolling back',
    }) as const
  return {
    title: `Go back to ${checkpointName(checkpoint)}?`,
    lines: [
      `Made ${clockText(checkpoint.time)}, ${age} ago, as ${checkpoint.sha.slice(0, 10)}.`,
      ...(stops === undefined ? [] : [`${stops} runs now and would be stopped.`]),
      codonIds.length === 0 ? 'No codon would be undone.' : `Undone: ${codonIds.join(', ')}.`,
      files.length === 0
        ? 'No change of a checkpointed file since then is known here.'
        : `Changed since then${filesIncomplete ? ' (as far as is known here)' : ''}:`,
      ...files.slice(0, namedFiles).map(({ action, path }) => `  ${action} ${path}`),
      ...(more === undefined ? [] : [`  ${more}`]),
      ...outputLines(outputs),
      'Files that are not checkpointed stay as they are. Nothing is lost: this checkpoint and later ones remain.',
      ...shellLines(view, checkpoint),
    ],
    answers: [
      { key: 'y', does: 'go back and wait', command: command(false) },
      { key: 'a', does: 'go back and go on from there', command: command(true) },
    ],
  }
}

/** What else can be begun at a checkpoint, as commands to copy: none of it touches this execution. */
export function shellLines({ server }: View, { sha }: Checkpoint): readonly string[] {
  const name = server?.executionPath.split(/[/\\]/).at(-1)
  if (name === undefined) return []
  const at = sha.slice(0, 10)
  return [
    'Without touching this one, in a shell:',
    `  weave fork ${name} --at ${at}`,
    `  weave bisect ${name} --good ${at} -- <command>`,
    `  weave compare ${name}@${at} ${name}`,
  ]
}

/** A rollback does not touch the output directory: what lies there stays, and a new copy gets another name. */
function outputLines(outputs: readonly OutputCopy[]): readonly string[] {
  const named = outputs.flatMap(({ codonId, files }) => files.map(file => `  ${file} of ${codonId}`))
  const count = outputs.reduce((sum, copy) => sum + copy.count, 0)
  if (count === 0) return []
  const shown = named.slice(0, namedOutputs)
  const more = count > shown.length ? [`  and ${count - shown.length} more`] : []
  return [
    `Outputs stay in ${[...new Set(outputs.map(({ directory }) => directory))].join(', ')}:`,
    ...shown,
    ...more,
    '  Outputs of the same name are put beside them as name_1_<time>.',
  ]
}

export function checkpointName({ codonId, type }: Checkpoint): string {
  if (codonId === undefined) return 'the beginning'
  return `${codonId} (${{ 'rig-setup': 'after its rig', completed: 'completed', error: 'failed', skipped: 'skipped', initial: 'beginning' }[type]})`
}

/** What tells a row of the list from the others. */
export function gateKey({ gateId, seq = 0 }: GateView): string {
  return `${gateId} ${seq}`
}

/** Who looks at it here answers for what stands here: the question is named by its number. */
export function askGate({ gateId, seq = 0, asked }: GateView): Question {
  const { message, next, files = [] } = asked ?? {}
  const command = (decision: 'approve' | 'reject') =>
    ({ type: 'gate.decide', data: { seq, decision }, says: `${gateId}: ${decision}` }) as const
  return {
    title: `Go on to ${next ?? 'the end'}?`,
    lines: [
      ...(message === undefined ? [`Gate ${gateId} asks.`] : [message]),
      ...files.slice(0, namedFiles).map(({ action, path }) => `  ${action} ${path}`),
      'To say why: weave gate reject -m "…" in another terminal.',
    ],
    answers: [
      { key: 'y', does: 'approve', command: command('approve') },
      { key: 'N', does: 'reject', command: command('reject') },
    ],
  }
}

/** A codon that waits for its next attempt can be skipped and stopped too. */
function waitingCodon({ waiting }: View): { readonly codonId: string } | undefined {
  return waiting
}
