import { useEffect, useState } from 'preact/hooks'
import { dollarsText, type ExecutionHead, type ExecutionList, type ExecutionRow } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import { now } from '../clock.ts'
import { failuresFirst, fittingExecutions } from '../execution-filter.ts'
import { grouped } from '../grouped.ts'
import { ask } from '../host.ts'
import { agoText, bothZones } from '../moments.ts'
import { GateCard } from '../panels/gates-panel.tsx'
import { StatusPill } from '../parts/mark.tsx'
import { counted, Notice, Scroll, TableHead } from '../parts/small.tsx'
import { go, panelRoute, place, select } from '../place.ts'
import { pause, untilSeen } from '../polling.ts'
import { addressOf } from '../routes.ts'

/** All executions: what waits for a person first, then what runs, then the rest, the newest first. */
export function ExecutionsPage() {
  const { list, problem } = useExecutions()
  const { parameters } = place.value
  const words = parameters['q'] ?? ''
  const [chosen, setChosen] = useState<readonly string[]>([])
  const rows = list?.executions ?? []
  const isFailedFirst = parameters['first'] === 'failed'
  const found = fittingExecutions(rows, words)
  const fitting = isFailedFirst ? failuresFirst(found) : found
  const waiting = rows.filter(({ waits }) => waits)
  const toggle = (name: string): void =>
    setChosen(old => (old.includes(name) ? old.filter(each => each !== name) : [...old, name].slice(-2)))
  const [a, b] = chosen
  return (
    <main class="page executions" id="main">
      <h1>Executions</h1>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {waiting.length > 0 && (
        <section class="gate-cards" aria-label="Waiting for you">
          {waiting.map((row, at) => (
            <WaitingCard key={row.name} row={row} hasKeys={at === 0} />
          ))}
        </section>
      )}
      <search class="filter-bar">
        <input
          type="search"
          id="search"
          placeholder="status:failed hank:guide cost:>1"
          aria-label="Filter executions"
          value={words}
          onInput={event => select({ q: event.currentTarget.value })}
        />
        <label class="option">
          <input
            type="checkbox"
            checked={isFailedFirst}
            onChange={event => select({ first: event.currentTarget.checked ? 'failed' : undefined })}
          />
          Failures first
        </label>
        <span class="row-count quiet" role="status">
          {fitting.length === rows.length
            ? counted(rows.length, 'execution')
            : `${fitting.length} of ${counted(rows.length, 'execution')}`}
        </span>
        <button
          type="button"
          class="button"
          disabled={a === undefined || b === undefined}
          onClick={() => a !== undefined && b !== undefined && go({ page: 'compare', parameters: { a, b } })}
        >
          Compare {chosen.length > 0 ? `${chosen.length} of 2` : 'two'}
        </button>
      </search>
      {!list && problem === undefined && <Notice>Reading …</Notice>}
      {list && rows.length === 0 && <Notice>There are no executions yet. Begin one with weave run.</Notice>}
      {fitting.length > 0 && <ExecutionTable rows={fitting} chosen={chosen} toggle={toggle} />}
    </main>
  )
}

/** Asks again and again; the host answers when something changed. */
function useExecutions(): { readonly list: ExecutionList | undefined; readonly problem: string | undefined } {
  const [list, setList] = useState<ExecutionList | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  useEffect(() => {
    const closing = new AbortController()
    const poll = async (): Promise<void> => {
      let etag = ''
      while (!closing.signal.aborted) {
        const since = etag === '' ? '' : `?wait=25&since=${encodeURIComponent(etag)}`
        const answer = await ask<ExecutionList>(`/api/executions${since}`, closing.signal)
        if (closing.signal.aborted) return
        setProblem(answer.ok ? undefined : answer.message)
        if (answer.ok) {
          etag = answer.value.etag
          setList(answer.value)
        } else if (answer.code === 'NO_SESSION') return
        else await pause(3_000, closing.signal)
        await untilSeen(closing.signal)
      }
    }
    void poll()
    return () => closing.abort()
  }, [])
  return { list, problem }
}

function WaitingCard({ row, hasKeys }: { readonly row: ExecutionRow; readonly hasKeys: boolean }) {
  const head = useAnswer<ExecutionHead>(executionAddress(row.name), row.waits?.seq ?? 0)
  const gate = head.value?.gates.waiting
  if (!gate) return null
  return (
    <GateCard
      name={row.name}
      hank={`${row.hank} · ${row.name}`}
      live={row.live}
      gate={gate}
      hasKeys={hasKeys}
    />
  )
}

interface TableProps {
  readonly rows: readonly ExecutionRow[]
  readonly chosen: readonly string[]
  readonly toggle: (name: string) => void
}

/** More rows than this are shown when they are asked for. */
const rowsAtOnce = 200

function ExecutionTable({ rows, chosen, toggle }: TableProps) {
  const [most, setMost] = useState(rowsAtOnce)
  const live = rows.filter(row => row.live).length
  const shown = rows.slice(0, Math.max(most, live))
  return (
    <Scroll label="List">
      <table class="rows-table execution-table">
        <TableHead
          columns={[
            { unseen: 'Compare' },
            'Execution',
            'Status',
            { number: 'Codons' },
            { number: 'Cost' },
            { number: 'Warnings' },
            { number: 'Breaches' },
            'Begun',
            'Last event',
          ]}
        />
        <tbody>
          {shown.map(row => (
            <Row key={row.name} row={row} isChosen={chosen.includes(row.name)} toggle={toggle} />
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && (
        <button type="button" class="button" onClick={() => setMost(most + 500)}>
          Show more of {grouped(rows.length)}
        </button>
      )}
    </Scroll>
  )
}

function Row({
  row,
  isChosen,
  toggle,
}: {
  readonly row: ExecutionRow
  readonly isChosen: boolean
  readonly toggle: (name: string) => void
}) {
  const { status, words } = statusOf(row)
  return (
    <tr data-live={row.live}>
      <td class="pick">
        <input
          type="checkbox"
          aria-label={`Compare ${row.name}`}
          checked={isChosen}
          onChange={() => toggle(row.name)}
        />
      </td>
      <th scope="row">
        <a href={addressOf(panelRoute(row.name, 'stream'))}>{row.hank}</a>
        {row.rehearsal && <span class="badge rehearsal">REHEARSAL</span>}
        <span class="row-detail quiet">
          {row.name}
          {row.data === '' ? '' : ` · ${row.data}`}
          {row.origin ? ` · fork of ${row.origin.name}` : ''}
          {row.problem === undefined ? '' : ` · ${row.problem}`}
        </span>
      </th>
      <td>
        <StatusPill status={status} words={words} />
      </td>
      <td class="number">
        {row.codonsDone}
        {row.codons > 0 && <span class="quiet"> / {row.codons}</span>}
      </td>
      <td class="number">{dollarsText(row.cost, { unknown: row.costUnknown })}</td>
      <Count value={row.warnings} />
      <Count value={row.breaches} />
      <td class="quiet" title={bothZones(row.startedAt)}>
        {agoText(row.startedAt, now.value)}
      </td>
      <td class="quiet" title={row.lastEventAt === undefined ? undefined : bothZones(row.lastEventAt)}>
        {row.lastEventAt === undefined ? '' : agoText(row.lastEventAt, now.value)}
      </td>
    </tr>
  )
}

function Count({ value }: { readonly value: number }) {
  return (
    <td class="number" data-some={value > 0}>
      {value > 0 ? grouped(value) : <span class="quiet">–</span>}
    </td>
  )
}

function statusOf({ status, live, waits }: ExecutionRow): {
  readonly status: string
  readonly words: string
} {
  if (waits) return { status: 'waits', words: `waits: ${waits.gate}` }
  if (status === 'new') return { status, words: 'not begun' }
  return live && status !== 'running' ? { status, words: `${status}, open` } : { status, words: status }
}
