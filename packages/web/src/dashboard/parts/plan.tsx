import { codonStatusWords, dollarsText, durationText } from 'weave-client'
import { now } from '../clock.ts'
import type { Execution } from '../execution.ts'
import { panelRoute, place } from '../place.ts'
import { type PlanCodon, type PlanLoop, planOf } from '../plan-model.ts'
import { addressOf } from '../routes.ts'
import { goBackToCodon, startCodon } from '../steering.ts'
import { Mark } from './mark.tsx'
import { PreviewOf } from './preview-facts.tsx'
import { Notice } from './small.tsx'

/** The plan as a nested list with what became of each item. A link leads to that codon's part of the stream. */
export function PlanList({ execution }: { readonly execution: Execution }) {
  const head = execution.head.value
  if (!head) return null
  const lines = planOf(head)
  return (
    <nav class="plan" aria-label="Plan">
      <h2>Plan</h2>
      {lines.length === 0 && <Notice>Nothing has begun yet.</Notice>}
      <ol>
        {lines.map(line =>
          line.kind === 'loop' ? (
            <LoopItem key={line.id} loop={line} execution={execution} />
          ) : (
            <CodonItem key={line.id} codon={line} execution={execution} />
          ),
        )}
      </ol>
    </nav>
  )
}

function LoopItem({ loop, execution }: { readonly loop: PlanLoop; readonly execution: Execution }) {
  const limit = loop.limit === null ? '' : ` of ${loop.limit}`
  return (
    <li class="loop">
      <div class="loop-head">
        <Mark status="loop" label="loop" />
        <span class="plan-name">{loop.name}</span>
        <span class="quiet">
          {loop.isBegun ? `${loop.iteration + 1}${limit}` : loop.limit === null ? '' : `× ${loop.limit}`}
        </span>
      </div>
      <ol>
        {loop.codons.map(codon => (
          <CodonItem key={codon.id} codon={codon} execution={execution} />
        ))}
      </ol>
    </li>
  )
}

function CodonItem({ codon, execution }: { readonly codon: PlanCodon; readonly execution: Execution }) {
  const route = place.value
  const isChosen = route.parameters['codon'] === codon.id
  const address = addressOf(panelRoute(execution.name, 'stream', isChosen ? {} : { codon: codon.id }))
  return (
    <li>
      <a
        class="plan-codon"
        href={address}
        data-status={codon.status}
        aria-current={isChosen ? 'true' : undefined}
        title={codon.reason ?? codon.model}
      >
        <Mark status={codon.status} label={codonStatusWords[codon.status]} />
        <span class="plan-name">{codon.name}</span>
        <span class="plan-facts">{factsOf(codon)}</span>
        <span class="plan-detail quiet">{detailOf(codon)}</span>
      </a>
      {isChosen && execution.maySteer.value && <CodonControls codon={codon} execution={execution} />}
    </li>
  )
}

/** What can be done with the codon that is chosen. */
function CodonControls({ codon, execution }: { readonly codon: PlanCodon; readonly execution: Execution }) {
  const { id, status } = codon
  return (
    <fieldset class="codon-controls" aria-label={`The codon ${id}`}>
      <button
        type="button"
        class="small-button"
        disabled={execution.atWork.value !== undefined}
        title="Start this codon, when nothing runs"
        onClick={() => startCodon(execution, id)}
      >
        Start this
      </button>
      {status === 'completed' && (
        <button
          type="button"
          class="small-button"
          title="Go back to the end of this codon"
          onClick={() => goBackToCodon(execution, id, <PreviewOf name={execution.name} to={id} />)}
        >
          Back to here
        </button>
      )}
    </fieldset>
  )
}

function factsOf(codon: PlanCodon): string {
  if (codon.since !== undefined) return durationText(codon.durationMs + now.value - codon.since)
  return codon.status === 'pending' ? '' : durationText(codon.durationMs)
}

function detailOf({ status, attempts, cost, isCostUnknown, reason, id }: PlanCodon): string {
  if (status === 'pending') return id
  const words = [
    id,
    ...(status === 'completed' ? [] : [codonStatusWords[status]]),
    ...(attempts > 1 ? [`attempt ${attempts}`] : []),
    ...(cost > 0 || isCostUnknown ? [dollarsText(cost, { unknown: isCostUnknown })] : []),
  ]
  return status === 'failed' && reason !== undefined ? `${words.join(' · ')} · ${reason}` : words.join(' · ')
}
