import type { ComponentChildren } from 'preact'
import type { Execution } from './execution.ts'
import { askFirst } from './parts/ask.tsx'

/** What the buttons and keys of a run do; all but starting ask first. */
export type Steer = 'next' | 'skip' | 'stop' | 'redo' | 'last-success' | 'hold' | 'end'

export interface SteerRow {
  readonly label: string
  readonly when: 'running' | 'idle' | 'always'
  readonly title: string
}

/** TABLE of the controls. */
export const steerRows: Readonly<Record<Steer, SteerRow>> = {
  next: { label: 'Start next', when: 'idle', title: 'Start the next codon of the plan' },
  hold: {
    label: 'Hold',
    when: 'running',
    title: 'Wait for a person before the next codon. An agent at work is not paused: it would lose its turn',
  },
  skip: { label: 'Skip', when: 'running', title: 'Skip the codon that runs' },
  stop: { label: 'Stop now', when: 'running', title: 'Stop the codon that runs at once' },
  redo: { label: 'Redo', when: 'idle', title: 'Do the last codon again' },
  'last-success': {
    label: 'To last success',
    when: 'always',
    title: 'Go back to the last codon that succeeded',
  },
  end: { label: 'End the run', when: 'always', title: 'End the run in good order' },
}

export function canSteer(execution: Execution, steer: Steer): boolean {
  if (!execution.maySteer.value) return false
  const isRunning = execution.atWork.value !== undefined
  const { when } = steerRows[steer]
  if (steer === 'next' && !hasNext(execution)) return false
  return when === 'always' || (when === 'running') === isRunning
}

/** A hank that is done has no codon to start; once something was undone it has. */
function hasNext({ head }: Execution): boolean {
  return head.value?.status !== 'completed'
}

/** Starts a codon out of turn; the server refuses what the plan does not allow. */
export function startCodon({ send }: Execution, codonId: string): void {
  askFirst({
    title: `Start ${codonId}?`,
    yes: 'Start it',
    option: { label: 'Without its rig' },
    act: ({ option }) => send('codon.start', { codonId, skipPreCommands: option }),
  })
}

/** Goes back to the end of a codon, with what that does in sight. */
export function goBackToCodon(execution: Execution, codonId: string, body: ComponentChildren): void {
  const running = execution.atWork.value?.codonId
  askFirst({
    title: `Go back to the end of ${codonId}?`,
    yes: 'Go back',
    isGrave: true,
    body,
    option: { label: 'Go on with the next codon afterwards' },
    ...(running === undefined ? {} : { typed: running }),
    act: ({ option }) =>
      execution.send('rollback.toCodon', { codonId, checkpointType: 'end', autoRestart: option }),
  })
}

/** Does it, or asks first. */
export function steerRun(execution: Execution, steer: Steer): void {
  if (!canSteer(execution, steer)) return
  const { send } = execution
  const codon = execution.atWork.value?.codonId ?? ''
  switch (steer) {
    case 'next':
      void send('codon.next')
      return
    case 'hold':
      void send('gate.hold', {})
      return
    case 'skip':
      askFirst({ title: `Skip ${codon}?`, yes: 'Skip it', isGrave: true, act: () => send('codon.skip') })
      return
    case 'stop':
      askFirst({
        title: `Stop ${codon} now?`,
        yes: 'Stop it',
        isGrave: true,
        note: { label: 'Why (goes into the record)' },
        act: ({ note }) => send('codon.forceStop', note === '' ? {} : { reason: note }),
      })
      return
    case 'redo':
      askFirst({
        title: 'Do the last codon again?',
        yes: 'Redo',
        act: () => send('codon.redo'),
      })
      return
    case 'last-success':
      askFirst({
        title: 'Go back to the last success?',
        yes: 'Go back',
        isGrave: true,
        option: { label: 'Go on with the next codon afterwards' },
        ...(codon === '' ? {} : { typed: codon }),
        act: ({ option }) => send('rollback.toLastSuccess', { autoRestart: option }),
      })
      return
    case 'end':
      askFirst({
        title: 'End the run?',
        yes: 'End it',
        isGrave: true,
        ...(codon === '' ? {} : { typed: codon }),
        act: () => send('server.shutdown', {}),
      })
  }
}
