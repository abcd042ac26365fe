import { useEffect, useRef, useState } from 'preact/hooks'
import {
  dollarsText,
  durationText,
  type ExecutionHead,
  type PlanLimit,
  type PlanOutline,
  type Series,
  type SeriesName,
  tokensText,
  type WorstUse,
} from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import type { Execution } from '../execution.ts'
import { Notice, Scroll, TableHead } from '../parts/small.tsx'
import { panelRoute } from '../place.ts'
import { addressOf } from '../routes.ts'

interface PlotKind {
  readonly of: SeriesName
  readonly title: string
  /** Whose limits are drawn. */
  readonly currency: PlanLimit['currency'] | undefined
  readonly text: (value: number) => string
}

const kinds: readonly PlotKind[] = [
  { of: 'cost', title: 'Dollars', currency: 'dollars', text: value => dollarsText(value) },
  { of: 'tokens', title: 'Tokens', currency: undefined, text: tokensText },
  { of: 'context', title: 'Tokens of context', currency: 'context-tokens', text: tokensText },
]

/** Money, tokens and context over the time at work, against what may be spent. */
export function BudgetsPanel({ execution }: { readonly execution: Execution }) {
  const head = execution.head.value
  if (!head) return null
  const limits = limitsOf(head)
  const whole = head.outline?.limits ?? []
  return (
    <section class="panel budgets" aria-label="Budgets">
      {head.outline && <WorstCase worst={head.outline.worst} />}
      <div class="plots">
        {kinds.map(kind => (
          <SeriesPlot
            key={kind.of}
            execution={execution}
            kind={kind}
            limits={whole.filter(({ currency }) => currency === kind.currency)}
          />
        ))}
      </div>
      <h2>Limits</h2>
      {limits.length === 0 && <Notice>No limit was set.</Notice>}
      {limits.length > 0 && <LimitTable limits={limits} />}
    </section>
  )
}

/** What was certain before anything was spent. */
function WorstCase({ worst }: { readonly worst: PlanOutline['worst'] }) {
  const words = (use: WorstUse, text: (amount: number) => string): string =>
    use.kind === 'bounded'
      ? `at most ${text(use.amount)}, and what is under way when a limit is reached`
      : `nothing bounds it: ${use.reasons.join('; ')}`
  return (
    <>
      <h2>Worst case at the start</h2>
      <dl class="facts">
        <dt>Dollars</dt>
        <dd>{words(worst.dollars, amount => dollarsText(amount))}</dd>
        <dt>Time</dt>
        <dd>{words(worst.seconds, amount => durationText(amount * 1_000))}</dd>
      </dl>
    </>
  )
}

interface OwnedLimit extends PlanLimit {
  readonly owner: string
}

function limitsOf({ outline, totals }: ExecutionHead): readonly OwnedLimit[] {
  if (!outline) return []
  const own = (owner: string, limits: readonly PlanLimit[]): readonly OwnedLimit[] =>
    limits.map(limit => ({ ...limit, owner }))
  const used = {
    dollars: totals.cost,
    seconds: totals.durationMs / 1_000,
    'output-tokens': totals.tokens.output,
  }
  return [
    ...own('the run', outline.limits).map(limit =>
      limit.currency === 'context-tokens' ? limit : { used: used[limit.currency], ...limit },
    ),
    ...outline.items.flatMap(item => [
      ...own(item.id, item.limits),
      ...(item.kind === 'loop' ? item.codons.flatMap(codon => own(codon.id, codon.limits)) : []),
    ]),
  ]
}

function LimitTable({ limits }: { readonly limits: readonly OwnedLimit[] }) {
  return (
    <Scroll label="Limits">
      <table class="rows-table">
        <TableHead
          columns={['Whose', 'Set by', { number: 'Limit' }, { number: 'Used' }, 'Share', 'What happens then']}
        />
        <tbody>
          {limits.map(limit => (
            <tr key={`${limit.owner} ${limit.source} ${limit.currency}`}>
              <th scope="row">{limit.owner}</th>
              <td class="quiet">{limit.source}</td>
              <td class="number">{amountText(limit.currency, limit.limit)}</td>
              <td class="number">{limit.used === undefined ? '' : amountText(limit.currency, limit.used)}</td>
              <td>{limit.used !== undefined && <Meter part={limit.used / limit.limit} />}</td>
              <td class="quiet">
                {limit.onExceeded === 'complete' ? 'the codon ends as done' : 'the codon fails'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function Meter({ part }: { readonly part: number }) {
  const percent = Math.round(part * 100)
  const level = part >= 1 ? 'over' : part >= 0.8 ? 'near' : 'fine'
  return (
    <span class="meter" data-level={level} style={{ '--long': `${Math.min(100, percent)}%` }}>
      {percent} %
    </span>
  )
}

function amountText(currency: string, value: number): string {
  if (currency === 'dollars') return dollarsText(value)
  if (currency === 'seconds') return durationText(value * 1_000)
  return `${tokensText(value)} ${currency === 'context-tokens' ? 'context' : 'out'}`
}

interface SeriesPlotProps {
  readonly execution: Execution
  readonly kind: PlotKind
  readonly limits: readonly PlanLimit[]
}

function SeriesPlot({ execution, kind, limits }: SeriesPlotProps) {
  const address = executionAddress(execution.name, 'series', { of: kind.of, points: '1200' })
  const read = useAnswer<Series>(address, execution.revision.value)
  const holder = useRef<HTMLDivElement>(null)
  const [isTable, setTable] = useState(false)
  const points = read.value?.points ?? []
  useEffect(() => {
    if (!read.value || points.length === 0 || isTable) return
    let close = (): void => {}
    let isGone = false
    const begin = async (): Promise<void> => {
      const { drawPlot } = await import('../plot.ts')
      if (isGone || !holder.current || !read.value) return
      close = drawPlot(holder.current, {
        series: read.value,
        limits: limits.map(({ limit }) => limit),
        text: kind.text,
      })
    }
    void begin()
    return () => {
      isGone = true
      close()
    }
  }, [read.value, isTable])
  const breaches = read.value?.breaches.filter(({ currency }) => currency === kind.currency) ?? []
  return (
    <figure class="plot">
      <figcaption>
        <b>{kind.title}</b>
        <span class="quiet">{kind.text(points.at(-1)?.[2] ?? 0)} now</span>
        <button type="button" class="small-button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </figcaption>
      {read.problem !== undefined && <Notice kind="problem">{read.problem}</Notice>}
      {read.value && points.length === 0 && <Notice>Nothing was used yet.</Notice>}
      {isTable ? (
        <PointTable series={read.value} kind={kind} />
      ) : (
        <div class="plot-place" ref={holder} role="img" aria-label={`${kind.title} over the time at work`} />
      )}
      {breaches.map(breach => (
        <p key={breach.seq} class="breach">
          <a href={addressOf(panelRoute(execution.name, 'stream', { at: String(breach.seq) }))}>
            {breach.scope}: {kind.text(breach.used)} of {kind.text(breach.limit)}
          </a>
        </p>
      ))}
    </figure>
  )
}

function PointTable({ series, kind }: { readonly series: Series | undefined; readonly kind: PlotKind }) {
  const points = series?.points ?? []
  const step = Math.max(1, Math.ceil(points.length / 40))
  return (
    <Scroll label="Points">
      <table class="rows-table">
        <TableHead columns={['After', { number: kind.title }]} />
        <tbody>
          {points
            .filter((_, at) => at % step === 0 || at === points.length - 1)
            .map(([ms, , value, seq]) => (
              <tr key={seq}>
                <td>{durationText(ms)}</td>
                <td class="number">{kind.text(value)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scroll>
  )
}
