import { dollarsText, durationText, type FleetExecution } from 'weave-client'
import { now } from '../clock.ts'
import { grouped } from '../grouped.ts'
import { agoText, bothZones } from '../moments.ts'
import { panelRoute, place } from '../place.ts'
import { addressOf, withParameters } from '../routes.ts'
import { StatePill } from './fleet-parts.tsx'
import { CopyButton, Notice, Scroll, TableHead } from './small.tsx'

/** The executions of a batch that fit, by their numbers. */
export function FleetExecutions({
  executions,
  left,
}: {
  readonly executions: readonly FleetExecution[]
  readonly left: number
}) {
  const isLater = place.value.parameters['after'] !== undefined
  const last = executions.at(-1)
  if (executions.length === 0 && !isLater) return <Notice>None is in this state.</Notice>
  return (
    <>
      <Scroll label="Executions">
        <table class="rows-table stacked">
          <TableHead
            columns={[
              { number: 'No.' },
              'Data',
              'State',
              { number: 'Turns' },
              { number: 'Codons' },
              { number: 'Cost' },
              { number: 'Time' },
              'Take home',
            ]}
          />
          <tbody>
            {executions.map(execution => (
              <Row key={execution.id} execution={execution} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {(isLater || left > 0) && (
        <nav class="state-filter" aria-label="More executions">
          {isLater && (
            <a class="small-button" href={addressOf(withParameters(place.value, { after: undefined }))}>
              To the first
            </a>
          )}
          {left > 0 && last && (
            <a class="small-button" href={addressOf(withParameters(place.value, { after: String(last.n) }))}>
              {grouped(left)} more
            </a>
          )}
        </nav>
      )}
    </>
  )
}

function Row({ execution }: { readonly execution: FleetExecution }) {
  const { n, name, state, reason, starts, codon, codonsDone, dollars, worker, leftBehind } = execution
  return (
    <tr>
      <td class="number quiet" data-label="No.">
        {n}
      </td>
      <th scope="row">
        {name}
        {worker !== null && state === 'running' && <span class="row-detail quiet">on {worker}</span>}
      </th>
      <td data-label="State">
        <StatePill state={state} />
        {reason !== null && <span class="row-detail reason">{reason}</span>}
        {leftBehind.length > 0 && (
          <span class="row-detail quiet">does not move: {leftBehind.map(({ path }) => path).join(', ')}</span>
        )}
      </td>
      <td class="number" data-label="Turns" data-some={starts > 1}>
        {starts}
      </td>
      <td class="number" data-label="Codons">
        {codonsDone}
        {codon !== null && <span class="row-detail quiet">{codon}</span>}
      </td>
      <td class="number" data-label="Cost">
        {dollarsText(dollars)}
      </td>
      <td class="number" data-label="Time">
        <Time execution={execution} />
      </td>
      <td data-label="Take home">
        <TakeHome execution={execution} />
      </td>
    </tr>
  )
}

function Time({ execution: { started, ended } }: { readonly execution: FleetExecution }) {
  if (started === null) return <span class="quiet">–</span>
  const until = ended === null ? now.value : Date.parse(ended)
  return (
    <span title={`begun ${bothZones(started)}`}>
      {durationText(Math.max(0, until - Date.parse(started)))}
      {ended !== null && <span class="row-detail quiet">{agoText(ended, now.value)}</span>}
    </span>
  )
}

/** An execution is looked at where it was pulled to. */
function TakeHome({ execution: { id, isHere, headSeq } }: { readonly execution: FleetExecution }) {
  if (isHere) return <a href={addressOf(panelRoute(id, 'stream'))}>Open</a>
  if (headSeq === 0) return <span class="quiet">nothing yet</span>
  return <CopyButton text={`weave fleet pull ${id}`} label="Copy pull" about={`weave fleet pull ${id}`} />
}
