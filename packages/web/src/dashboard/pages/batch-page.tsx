import { useEffect } from 'preact/hooks'
import type { BatchPage as BatchAnswer, FleetBatch } from 'weave-client'
import { announcement } from '../announcements.ts'
import { countsOf, endedOf, looks, totalOf } from '../fleet-model.ts'
import { grouped } from '../grouped.ts'
import { FleetExecutions } from '../parts/fleet-executions.tsx'
import { AbsentFleet, Forecast, Money, Standing } from '../parts/fleet-parts.tsx'
import { Mark, StatusPill } from '../parts/mark.tsx'
import { CommandLine, counted, Moment, Notice, Pending, Scroll, TableHead } from '../parts/small.tsx'
import { usePolled } from '../polling.ts'
import { addressOf, type Parameters } from '../routes.ts'

export interface BatchPageProps {
  readonly batch: string
  readonly parameters: Parameters
}

type Shown = Extract<BatchAnswer, { readonly state: 'up' }>

/** So many executions stand on a page. */
const pageSize = 200

/** One batch: how it stands, what failed and why, and its executions. */
export function BatchPage({ batch, parameters }: BatchPageProps) {
  const { state = '', after = '0' } = parameters
  const asked = new URLSearchParams({ after, limit: String(pageSize), ...(state === '' ? {} : { state }) })
  const { value, problem } = usePolled<BatchAnswer>(
    `/api/fleet/${encodeURIComponent(batch)}?${asked.toString()}`,
  )
  useEndAnnounced(value?.state === 'up' ? value.batch : undefined)
  return (
    <main class="page fleet batch" id="main">
      <p class="way-back">
        <a href="/fleet">Fleet</a>
      </p>
      <h1>{value?.state === 'up' ? value.batch.name : batch}</h1>
      {value && problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {!value && <Pending read={{ problem }} what="the batch" />}
      {value && value.state !== 'up' && <AbsentFleet page={value} />}
      {value?.state === 'up' && (
        <>
          <Head batch={value.batch} />
          <Failures shown={value} />
          <section aria-labelledby="executions">
            <h2 id="executions">Executions</h2>
            <States batch={value.batch} chosen={state} />
            <FleetExecutions executions={value.executions} left={value.left} />
          </section>
          <Commands batch={value.batch} />
        </>
      )}
    </main>
  )
}

/** Who does not see the page hears when all of it has ended, and when something has failed. */
function useEndAnnounced(batch: FleetBatch | undefined): void {
  const failed = batch ? (batch.counts.failed ?? 0) + (batch.counts.dead ?? 0) : 0
  const isEnded = batch !== undefined && endedOf(batch) === totalOf(batch)
  const name = batch?.name ?? ''
  useEffect(() => {
    if (failed > 0) announcement.value = `${name}: ${counted(failed, 'execution')} failed.`
  }, [failed, name])
  useEffect(() => {
    if (isEnded) announcement.value = `${name} has ended.`
  }, [isEnded, name])
}

function Head({ batch }: { readonly batch: FleetBatch }) {
  const { id, state, pauseReason, pool, priority, weight, maxRunning, notBefore, submittedBy, created } =
    batch
  const orders = [
    `pool ${pool}`,
    ...(priority === 0 ? [] : [`priority ${priority}`]),
    ...(weight === 1 ? [] : [`weight ${weight}`]),
    ...(maxRunning === null ? [] : [`at most ${maxRunning} at once`]),
  ]
  return (
    <header class="batch-head">
      <p class="quiet">
        {state !== 'open' && <StatusPill status={state === 'paused' ? 'parked' : 'stopped'} words={state} />}{' '}
        {id} · {orders.join(' · ')} · submitted <Moment at={created} />
        {submittedBy === null ? '' : ` by ${submittedBy}`}
        {notBefore !== null && (
          <>
            {' '}
            · not before <Moment at={notBefore} />
          </>
        )}
      </p>
      {state === 'paused' && (
        <div class="notice" data-kind="problem">
          {pauseReason ?? 'It was paused.'}
          <CommandLine command={`weave fleet resume ${id}`} what="Go on with" />
        </div>
      )}
      <dl class="run-facts">
        <div>
          <dt>Ended</dt>
          <dd>
            {grouped(endedOf(batch))} <small>of {grouped(totalOf(batch))}</small>
          </dd>
        </div>
        <div>
          <dt>Spent</dt>
          <dd>
            <Money batch={batch} />
          </dd>
        </div>
        <div>
          <dt>Ends</dt>
          <dd>
            <Forecast batch={batch} />
          </dd>
        </div>
        <div>
          <dt>Codons done</dt>
          <dd>{grouped(batch.codonsDone)}</dd>
        </div>
      </dl>
      <Standing batch={batch} />
      {Object.entries(batch.waits).map(([reason, count]) => (
        <p key={reason} class="waits">
          <Mark status="waits" label="" /> {counted(count, 'execution')} waiting for {reason}
        </p>
      ))}
    </header>
  )
}

function Failures({ shown: { failures, batch } }: { readonly shown: Shown }) {
  if (failures.length === 0) return null
  const flags = new Set(failures.map(({ state }) => (state === 'failed' ? '' : ` --${state}`)))
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">What did not succeed</h2>
      <Scroll label="What did not succeed">
        <table class="rows-table stacked">
          <TableHead columns={['Reason', 'State', { number: 'Executions' }, 'First of them']} />
          <tbody>
            {failures.map(({ state, reason, count, executions }) => (
              <tr key={`${state} ${reason}`}>
                <th scope="row" class="reason">
                  {reason}
                </th>
                <td data-label="State">
                  <StatusPill status={looks[state as keyof typeof looks] ?? 'failed'} words={state} />
                </td>
                <td class="number" data-label="Executions">
                  {grouped(count)}
                </td>
                <td class="quiet" data-label="First of them">
                  {executions.map(each => each.slice(each.lastIndexOf('.') + 1)).join(', ')}
                  {count > executions.length ? ', …' : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {[...flags].map(flag => (
        <CommandLine key={flag} command={`weave fleet retry ${batch.id}${flag}`} what="Queue again" />
      ))}
    </section>
  )
}

/** The filter: each state that there is, with its number. */
function States({ batch, chosen }: { readonly batch: FleetBatch; readonly chosen: string }) {
  const link = (state: string, count: number) => (
    <a
      key={state}
      class="small-button"
      href={addressOf({ page: 'batch', batch: batch.id, parameters: { state } })}
      aria-current={state === chosen ? 'true' : undefined}
    >
      {state === '' ? 'all' : state} <b>{grouped(count)}</b>
    </a>
  )
  return (
    <nav class="state-filter" aria-label="State">
      {link('', totalOf(batch))}
      {countsOf(batch).map(({ state, count }) => link(state, count))}
    </nav>
  )
}

function Commands({ batch }: { readonly batch: FleetBatch }) {
  const { id } = batch
  const isUnderWay = endedOf(batch) < totalOf(batch)
  return (
    <section aria-labelledby="commands" class="commands">
      <h2 id="commands">In a terminal</h2>
      {isUnderWay && <CommandLine command={`weave fleet watch ${id}`} what="Follow it" />}
      {isUnderWay && batch.state === 'open' && (
        <CommandLine command={`weave fleet pause ${id}`} what="Start nothing more of it" />
      )}
      {isUnderWay && <CommandLine command={`weave fleet cancel ${id}`} what="Cancel it" />}
      <CommandLine command={`weave fleet report ${id} --html report.html`} what="Costs and failures" />
      <CommandLine command={`weave fleet results ${id}`} what="Collect the outputs" />
    </section>
  )
}
