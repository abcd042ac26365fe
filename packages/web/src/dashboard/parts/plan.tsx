import { codonStatusWords, dollarsText, durationText } from 'weave-client'
import { now } from '../clock.ts'
import type { Execution } from '../execution.ts'
import { panelRoute, place } from '../place.ts'
import { type PlanCodon, type PlanLoop, planOf } from '../plan-model.ts'
import { addressOf } from '../routes.ts'
import { Mark } from './mark.tsx'
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
            <LoopItem key={line.id} loop={line} name={execution.name} />
          ) : (
            <CodonItem key={line.id} codon={line} name={execution.name} />
          ),
        )}
      </ol>
    </nav>
  )
}

function LoopItem({ loop, name }: { readonly loop: PlanLoop; readonly name: string }) {
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
          <CodonItem key={codon.id} codon={codon} name={name} />
        ))}
      </ol>
    </li>
  )
}

function CodonItem({ codon, name }: { readonly codon: PlanCodon; readonly name: string }) {
  const route = place.value
  const isChosen = route.parameters['codon'] === codon.id
  const address = addressOf(panelRoute(name, 'stream', isChosen ? {} : { codon: codon.id }))
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
    </li>
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
