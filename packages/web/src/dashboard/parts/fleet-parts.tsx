import { dollarsText, type FleetBatch, type FleetPage, type FleetState, untilText } from 'weave-client'
import { now } from '../clock.ts'
import { countsOf, looks, segmentsOf } from '../fleet-model.ts'
import { grouped } from '../grouped.ts'
import { bothZones } from '../moments.ts'
import { StatusPill } from './mark.tsx'
import { CommandLine, Notice } from './small.tsx'

/** Parts that both pages of a fleet use. */

export function StatePill({ state }: { readonly state: FleetState }) {
  return <StatusPill status={looks[state]} words={state} />
}

/** How a batch stands, as a bar and in words. */
export function Standing({ batch }: { readonly batch: FleetBatch }) {
  const words = countsOf(batch).map(({ state, count }) => `${grouped(count)} ${state}`)
  return (
    <>
      <svg class="state-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {segmentsOf(batch).map(({ state, from, width }) => (
          <rect key={state} data-status={looks[state]} x={from} y="0" width={width} height="6" />
        ))}
      </svg>
      <span class="state-words">{words.join(' · ') || 'empty'}</span>
    </>
  )
}

/** What is spent, and what of a ceiling is where. */
export function Money({ batch }: { readonly batch: FleetBatch }) {
  const { spentDollars, isCostKnown, isRehearsal = false, lentDollars, doubtDollars, ceilingDollars } = batch
  const more = [
    ...(isRehearsal ? ['simulated'] : []),
    ...(ceilingDollars === null ? [] : [`of ${dollarsText(ceilingDollars)}`]),
    ...(lentDollars > 0 ? [`${dollarsText(lentDollars)} lent`] : []),
    ...(doubtDollars > 0 ? [`${dollarsText(doubtDollars)} in doubt`] : []),
  ]
  return (
    <>
      {dollarsText(spentDollars, { unknown: !isCostKnown })}
      {more.length > 0 && <span class="row-detail quiet">{more.join(', ')}</span>}
    </>
  )
}

export function Forecast({ batch: { forecast, endsPerHour } }: { readonly batch: FleetBatch }) {
  if (forecast === null || endsPerHour === null) return <span class="quiet">–</span>
  return (
    <span title={bothZones(forecast)}>
      {untilText(forecast, now.value)}
      <span class="row-detail quiet">{grouped(Math.round(endsPerHour))} an hour</span>
    </span>
  )
}

type Absent = Extract<FleetPage, { readonly state: 'resting' | 'away' }>

/** Why there is nothing to see, and what a person can do about it. */
export function AbsentFleet({ page }: { readonly page: Absent }) {
  if (page.state === 'away')
    return (
      <Notice kind="problem">
        {page.message} {page.cure}
      </Notice>
    )
  if (page.isNew)
    return (
      <>
        <Notice>Nothing was submitted yet.</Notice>
        <CommandLine command="weave submit <hank> --data-glob 'sets/*'" what="Begin with" />
      </>
    )
  return (
    <>
      <Notice>
        The engine is at rest: nobody works, and nobody holds it. What was submitted is on disk. This page
        never starts it; it shows the fleet as soon as somebody does.
      </Notice>
      <CommandLine command="weave worker" what="Work on it with" />
      <CommandLine command="weave fleet up" what="Only hold it, to look" />
    </>
  )
}
