import { type CostList, dollarsText, type SentinelList, tokensText } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import type { Execution } from '../execution.ts'
import { grouped } from '../grouped.ts'
import {
  CommandLine,
  counted,
  Moment,
  Notice,
  Pending,
  Scroll,
  shellWord,
  TableHead,
} from '../parts/small.tsx'
import { panelRoute, place, select } from '../place.ts'
import { addressOf } from '../routes.ts'

/** What the observers said, the newest first. */
export function SentinelsPanel({ execution }: { readonly execution: Execution }) {
  const read = useAnswer<SentinelList>(
    executionAddress(execution.name, 'sentinels'),
    execution.revision.value,
  )
  const chosen = place.value.parameters['sentinel'] ?? ''
  const head = execution.head.value
  if (!read.value || !head) return <Pending read={read} what="what sentinels said" />
  const { items, leftOut } = read.value
  const names = [...new Set(items.map(({ sentinelId }) => sentinelId))]
  const shown = items.filter(({ sentinelId }) => chosen === '' || sentinelId === chosen).toReversed()
  const fired = head.rules.filter(rule => rule.fired.length > 0)
  const cost = items.reduce((sum, item) => sum + item.cost, 0)
  return (
    <section class="panel sentinels" aria-label="Sentinels">
      <div class="panel-bar">
        <select
          aria-label="Sentinel"
          value={chosen}
          onChange={event => select({ sentinel: event.currentTarget.value })}
        >
          <option value="">All sentinels</option>
          {names.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span class="quiet">
          {counted(items.length, 'output')} · {dollarsText(cost)}
        </span>
      </div>
      {fired.map(rule => (
        <p key={rule.id} class="notice" data-kind="problem">
          Rule <b>{rule.id}</b> ({rule.do}) fired {counted(rule.fired.length, 'time')}:{' '}
          {rule.fired.slice(-5).map(seq => (
            <a key={seq} href={addressOf(panelRoute(execution.name, 'stream', { at: String(seq) }))}>
              event {grouped(seq)}
            </a>
          ))}
        </p>
      ))}
      {shown.length === 0 && <Notice>No sentinel has said anything.</Notice>}
      <ol class="outputs">
        {shown.slice(0, 300).map(item => (
          <li key={item.seq} data-kind={item.kind}>
            <p class="quiet">
              <a href={addressOf(panelRoute(execution.name, 'stream', { at: String(item.seq) }))}>
                <Moment at={item.time} parts="time" />
              </a>{' '}
              · {item.sentinelId} · {item.codonId} ·{' '}
              {item.kind === 'error' ? 'error' : dollarsText(item.cost)}
            </p>
            <p class="said">{item.text}</p>
          </li>
        ))}
      </ol>
      {leftOut > 0 && <Notice>{counted(leftOut, 'older output')} not shown.</Notice>}
    </section>
  )
}

const classNames = { input: 'In', cacheWrite: 'Cache write', cacheRead: 'Cache read', output: 'Out' } as const
const classOrder = ['input', 'cacheWrite', 'cacheRead', 'output'] as const

/** Money by codon and class of tokens; sentinels apart. */
export function CostsPanel({ execution }: { readonly execution: Execution }) {
  const read = useAnswer<CostList>(executionAddress(execution.name, 'costs'), execution.revision.value)
  const costs = read.value
  if (!costs) return <Pending read={read} what="costs" />
  const most = Math.max(...costs.codons.map(({ cost }) => cost), 1e-9)
  const all = costs.codons.flatMap(({ classes }) => classes)
  const sum = (name: string): number =>
    all.reduce((total, each) => total + (each.class === name ? each.tokens : 0), 0)
  const taken = sum('input') + sum('cacheRead') + sum('cacheWrite')
  return (
    <section class="panel costs" aria-label="Costs">
      <dl class="run-facts">
        <Fact name="All" value={dollarsText(costs.totals.all, { unknown: costs.costUnknown })} />
        <Fact name="Codons" value={dollarsText(costs.totals.codons)} />
        <Fact name="Sentinels" value={dollarsText(costs.totals.sentinels)} />
        <Fact
          name="From a cache"
          value={taken > 0 ? `${Math.round((100 * sum('cacheRead')) / taken)} %` : 'nothing read'}
        />
      </dl>
      <Scroll label="By codon">
        <table class="rows-table">
          <TableHead
            columns={[
              'Codon',
              'Model',
              ...classOrder.map(name => ({ number: classNames[name] })),
              { number: 'Cost' },
              { unseen: 'Share' },
            ]}
          />
          <tbody>
            {costs.codons.map(codon => (
              <tr key={`${codon.codonId} ${codon.model}`}>
                <th scope="row">
                  {codon.codonId} {codon.attempts > 1 && <span class="badge">×{codon.attempts}</span>}
                </th>
                <td class="quiet">{codon.model}</td>
                {classOrder.map(name => (
                  <td key={name} class="number">
                    <ClassCell found={codon.classes.find(each => each.class === name)} />
                  </td>
                ))}
                <td class="number">{dollarsText(codon.cost, { unknown: codon.costUnknown })}</td>
                <td class="share">
                  <span class="meter" style={{ '--long': `${((100 * codon.cost) / most).toFixed(1)}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {costs.sentinels.length > 0 && <h2>Sentinels</h2>}
      {costs.sentinels.length > 0 && (
        <Scroll label="By sentinel">
          <table class="rows-table">
            <tbody>
              {costs.sentinels.map(each => (
                <tr key={`${each.sentinelId} ${each.codonId}`}>
                  <th scope="row">{each.sentinelId}</th>
                  <td class="quiet">{each.codonId}</td>
                  <td class="number">{counted(each.calls, 'call')}</td>
                  <td class="number">{tokensText(each.tokens.input + each.tokens.output)}</td>
                  <td class="number">{dollarsText(each.cost, { unknown: each.costUnknown })}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function ClassCell({ found }: { readonly found: CostList['codons'][number]['classes'][number] | undefined }) {
  if (!found || found.tokens === 0) return <span class="quiet">–</span>
  return (
    <span title={found.dollars === undefined ? 'no known price' : dollarsText(found.dollars)}>
      {tokensText(found.tokens)}
    </span>
  )
}

/** Settings with who set them, the names of variables, and where everything is. */
export function SettingsPanel({ execution }: { readonly execution: Execution }) {
  const head = execution.head.value
  if (!head) return null
  const rows = [...head.settings].sort(
    (left, right) => Number(left.origin === 'default') - Number(right.origin === 'default'),
  )
  const codons = head.outline?.items.flatMap(item => (item.kind === 'loop' ? item.codons : [item])) ?? []
  const withNames = codons.filter(({ environment }) => environment.length > 0)
  return (
    <section class="panel settings" aria-label="Settings">
      <dl class="facts">
        <dt>Execution</dt>
        <dd>{head.dir}</dd>
        <dt>Hank</dt>
        <dd>{head.hank.path}</dd>
        {head.hank.data !== undefined && <dt>Data</dt>}
        {head.hank.data !== undefined && <dd>{head.hank.data}</dd>}
        <dt>Made</dt>
        <dd>
          <Moment at={head.createdAt} /> with weave {head.weaveVersion}
        </dd>
      </dl>
      {head.notes.map(note => (
        <Notice key={note}>{note}</Notice>
      ))}
      {!head.live && <CommandLine what="Go on with it" command={`weave resume ${shellWord(head.dir)}`} />}
      <CommandLine what="As one page" command={`weave report ${shellWord(head.dir)}`} />
      <h2>Settings</h2>
      {rows.length === 0 && <Notice>They were not written down.</Notice>}
      <Scroll label="Settings">
        <table class="rows-table">
          <tbody>
            {rows.map(({ field, value, origin }) => (
              <tr key={field} data-default={origin === 'default'}>
                <th scope="row">{field}</th>
                <td>
                  <code>{value}</code>
                </td>
                <td class="quiet">{origin}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {withNames.length > 0 && <h2>Environment, names only</h2>}
      <dl class="facts">
        {withNames.flatMap(({ id, environment }) => [
          <dt key={`${id} of`}>{id}</dt>,
          <dd key={id}>
            <code>{environment.join(' ')}</code>
          </dd>,
        ])}
      </dl>
    </section>
  )
}
