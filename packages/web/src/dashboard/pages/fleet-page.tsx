import type { FleetPage as FleetAnswer, FleetBatch, FleetThrottle, FleetWorker } from 'weave-client'
import { now } from '../clock.ts'
import { limitsText, silenceText, totalOf } from '../fleet-model.ts'
import { grouped } from '../grouped.ts'
import { agoText, bothZones } from '../moments.ts'
import { AbsentFleet, Forecast, Money, Standing } from '../parts/fleet-parts.tsx'
import { StatusPill } from '../parts/mark.tsx'
import { CommandLine, counted, Notice, Pending, Scroll, TableHead } from '../parts/small.tsx'
import { usePolled } from '../polling.ts'
import { addressOf } from '../routes.ts'

/** All batches of a fleet, who works on them, and what holds them up. */
export function FleetPage() {
  const { value, problem } = usePolled<FleetAnswer>('/api/fleet')
  return (
    <main class="page fleet" id="main">
      <h1>Fleet</h1>
      {value && problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {!value && <Pending read={{ problem }} what="the fleet" />}
      {value && value.state !== 'up' && <AbsentFleet page={value} />}
      {value?.state === 'up' && (
        <>
          <Batches batches={value.batches} leftOut={value.batchesLeftOut} />
          <Workers workers={value.workers} leftOut={value.workersLeftOut} />
          <Throttles throttles={value.throttles} />
        </>
      )}
    </main>
  )
}

function Batches({
  batches,
  leftOut,
}: {
  readonly batches: readonly FleetBatch[]
  readonly leftOut: number
}) {
  if (batches.length === 0)
    return (
      <CommandLine command="weave submit <hank> --data-glob 'sets/*'" what="Nothing was submitted yet:" />
    )
  return (
    <section aria-labelledby="batches">
      <h2 id="batches">Batches</h2>
      <Scroll label="Batches">
        <table class="rows-table stacked">
          <TableHead
            columns={[
              'Batch',
              'Executions',
              { number: 'Spent' },
              { number: 'Ends' },
              { number: 'Submitted' },
            ]}
          />
          <tbody>
            {batches.map(batch => (
              <BatchRow key={batch.id} batch={batch} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {leftOut > 0 && (
        <CommandLine
          command="weave fleet list"
          what={`${counted(leftOut, 'older batch', 'es')}, not shown:`}
        />
      )}
    </section>
  )
}

function BatchRow({ batch }: { readonly batch: FleetBatch }) {
  const { id, name, state, pauseReason, created, submittedBy } = batch
  return (
    <tr>
      <th scope="row">
        <a href={addressOf({ page: 'batch', batch: id, parameters: {} })}>{name}</a>
        {state !== 'open' && <span class="badge">{state}</span>}
        <span class="row-detail quiet">{id}</span>
        {pauseReason !== null && <span class="row-detail">{pauseReason}</span>}
      </th>
      <td class="standing" data-label={counted(totalOf(batch), 'execution')}>
        <Standing batch={batch} />
      </td>
      <td class="number" data-label="Spent">
        <Money batch={batch} />
      </td>
      <td class="number" data-label="Ends">
        <Forecast batch={batch} />
      </td>
      <td class="number quiet" data-label="Submitted" title={bothZones(created)}>
        {agoText(created, now.value)}
        {submittedBy !== null && <span class="row-detail">by {submittedBy}</span>}
      </td>
    </tr>
  )
}

const workerLooks = { working: 'running', draining: 'parked', silent: 'failed' } as const

function Workers({
  workers,
  leftOut,
}: {
  readonly workers: readonly FleetWorker[]
  readonly leftOut: number
}) {
  const alive = workers.filter(({ state }) => state !== 'silent')
  const busy = alive.reduce((sum, worker) => sum + worker.busy, 0)
  const slots = alive.reduce((sum, worker) => sum + worker.slots, 0)
  return (
    <section aria-labelledby="workers">
      <h2 id="workers">
        Workers{' '}
        <small>
          {counted(alive.length, 'worker')}, {busy} of {counted(slots, 'slot')} busy
        </small>
      </h2>
      {workers.length === 0 && <CommandLine command="weave worker" what="Nobody works:" />}
      {workers.length > 0 && (
        <Scroll label="Workers">
          <table class="rows-table stacked">
            <TableHead
              columns={['Worker', 'State', { number: 'Slots' }, 'Pools', 'Version', { number: 'Last heard' }]}
            />
            <tbody>
              {workers.map(worker => (
                <WorkerRow key={worker.id} worker={worker} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {leftOut > 0 && (
        <CommandLine command="weave fleet workers" what={`${counted(leftOut, 'more worker')}, not shown:`} />
      )}
    </section>
  )
}

/** A clock that is further off than this is worth a word. */
const muchSkewMs = 2_000

function WorkerRow({ worker }: { readonly worker: FleetWorker }) {
  const { id, host, state, busy, slots, pools, version, silence, skewMs, started } = worker
  return (
    <tr>
      <th scope="row" title={`since ${bothZones(started)}`}>
        {id}
        {host !== '' && !id.startsWith(host) && <span class="row-detail quiet">{host}</span>}
      </th>
      <td data-label="State">
        <StatusPill status={workerLooks[state]} words={state} />
      </td>
      <td class="number" data-label="Slots">
        {busy} <span class="quiet">of {slots} busy</span>
      </td>
      <td data-label="Pools">{pools.join(', ')}</td>
      <td data-label="Version">{version}</td>
      <td class="number" data-label="Last heard">
        {silenceText(silence)}
        {skewMs !== null && Math.abs(skewMs) > muchSkewMs && (
          <span class="row-detail warn">its clock is {Math.round(skewMs / 1_000)} s off</span>
        )}
      </td>
    </tr>
  )
}

function Throttles({ throttles }: { readonly throttles: readonly FleetThrottle[] }) {
  return (
    <section aria-labelledby="throttles">
      <h2 id="throttles">Limits of providers</h2>
      {throttles.length === 0 && (
        <CommandLine
          command="weave fleet throttle <provider> --rpm 600"
          what="None are set, and none refused:"
        />
      )}
      {throttles.length > 0 && (
        <Scroll label="Limits of providers">
          <table class="rows-table stacked">
            <TableHead columns={['Provider', 'Limits', 'Now', { number: 'Refusals' }]} />
            <tbody>
              {throttles.map(throttle => (
                <tr key={throttle.key}>
                  <th scope="row">{throttle.key}</th>
                  <td data-label="Limits">{limitsText(throttle)}</td>
                  <td data-label="Now">
                    <Now throttle={throttle} />
                  </td>
                  <td class="number" data-label="Refusals" data-some={throttle.refusals > 0}>
                    {grouped(throttle.refusals)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}

function Now({ throttle: { blockedSeconds, limitNow, rpm } }: { readonly throttle: FleetThrottle }) {
  if (blockedSeconds > 0) return <StatusPill status="parked" words={`blocked for ${blockedSeconds} s`} />
  if (limitNow !== null && rpm !== null && limitNow < rpm)
    return <span class="warn">{grouped(Math.floor(limitNow))} requests a minute</span>
  return <span class="quiet">free</span>
}
