import type { Execution } from '../execution.ts'
import { canSteer, type Steer, steerRows, steerRun } from '../steering.ts'
import { CommandButton } from './command-button.tsx'

/** The buttons of a run; whoever only watches sees none of them. */
export function Controls({ execution }: { readonly execution: Execution }) {
  if (!execution.maySteer.value) return null
  const isRunning = execution.atWork.value !== undefined
  const waiting = execution.head.value?.gates.waiting
  const armed = execution.head.value?.gates.armed.at(-1)
  const mayStart = !waiting && canSteer(execution, 'next')
  const first: readonly Steer[] = isRunning ? ['skip', 'stop'] : mayStart ? ['next', 'redo'] : ['redo']
  return (
    <fieldset class="controls" aria-label="The run">
      {isRunning && !armed && (
        <CommandButton
          label={steerRows.hold.label}
          title={steerRows.hold.title}
          act={() => execution.send('gate.hold', {})}
        />
      )}
      {armed && (
        <CommandButton
          label="Release the hold"
          title="Do not wait before the next codon"
          act={() => execution.send('gate.release', { gateId: armed.gateId })}
        />
      )}
      {first.map(steer =>
        steer === 'next' ? (
          <CommandButton
            key={steer}
            label={steerRows.next.label}
            title={steerRows.next.title}
            kind="main"
            act={() => execution.send('codon.next')}
          />
        ) : (
          <AskingButton key={steer} execution={execution} steer={steer} />
        ),
      )}
      <AskingButton execution={execution} steer="last-success" />
      <AskingButton execution={execution} steer="end" />
    </fieldset>
  )
}

function AskingButton({ execution, steer }: { readonly execution: Execution; readonly steer: Steer }) {
  const { label, title } = steerRows[steer]
  return (
    <button
      type="button"
      class="button"
      title={title}
      disabled={!canSteer(execution, steer)}
      onClick={() => steerRun(execution, steer)}
    >
      {label}
    </button>
  )
}
