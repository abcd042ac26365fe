import type { ReportBudget, ReportCost, ReportData, TokenClasses } from '@weave/protocol'
import { dollarsText, durationText, tokensText } from 'weave-client'
import { drawing, element, placed } from '../parts/element.ts'
import { section } from './section.ts'

/** Money and tokens over the time in which runs went on, then by codon and class of tokens. */
export function spending({ spending: points, costs, execution }: ReportData): HTMLElement {
  const aside = execution.isRehearsal ? 'A rehearsal: the model was a script, nobody pays.' : undefined
  const plots = element('div', { class: 'plots' }, [
    stepPlot({
      title: 'Cost',
      points: points.map(([ms, dollars]) => [ms, dollars]),
      xText: durationText,
      yText: dollars => (dollars === 0 ? '$0' : dollarsText(dollars)),
    }),
    stepPlot({
      title: 'Tokens',
      points: points.map(([ms, , tokens]) => [ms, tokens]),
      xText: durationText,
      yText: tokensText,
    }),
  ])
  return section({ id: 'spending', title: 'Cost and tokens', aside }, [
    points.length > 1 && plots,
    costs.length > 0 ? costTable(costs) : element('p', { class: 'empty' }, ['Nothing was spent.']),
  ])
}

const classes = [
  { key: 'input', name: 'in' },
  { key: 'cacheWrite', name: 'cache write' },
  { key: 'cacheRead', name: 'cache read' },
  { key: 'output', name: 'out' },
] as const satisfies readonly { readonly key: keyof TokenClasses; readonly name: string }[]

function costTable(costs: readonly ReportCost[]): HTMLElement {
  const most = Math.max(1, ...costs.map(({ tokens }) => sum(tokens)))
  const heads = ['Codon', 'Model', 'Attempts', 'Tokens', 'Cost']
  return element('div', {}, [
    element(
      'ul',
      { class: 'legend' },
      classes.map(({ key, name }) => element('li', { 'data-class': key }, [name])),
    ),
    element('div', { class: 'scroll' }, [
      element('table', { class: 'costs' }, [
        element('thead', {}, [
          element(
            'tr',
            {},
            heads.map(head => element('th', { scope: 'col' }, [head])),
          ),
        ]),
        element(
          'tbody',
          {},
          costs.map(cost => costRow(cost, most)),
        ),
      ]),
    ]),
  ])
}

function costRow(cost: ReportCost, most: number): HTMLElement {
  const { name, kind, detail, attempts, tokens } = cost
  return element('tr', {}, [
    element('th', { scope: 'row' }, [
      name,
      kind === 'sentinel' && element('span', { class: 'badge' }, ['sentinel']),
    ]),
    element('td', { class: 'quiet' }, [detail]),
    element('td', { class: 'number' }, [attempts]),
    element('td', { class: 'tokens' }, [tokenBar(tokens, most), tokenWords(tokens)]),
    element('td', { class: 'number' }, [dollarsText(cost.cost, { unknown: cost.isCostUnknown })]),
  ])
}

function tokenBar(tokens: TokenClasses, most: number): HTMLElement {
  const parts = classes.map(({ key }) =>
    placed(element('span', { 'data-class': key }), {
      '--long': `${((100 * tokens[key]) / most).toFixed(3)}%`,
    }),
  )
  return element('span', { class: 'token-bar', 'aria-hidden': 'true' }, parts)
}

function tokenWords(tokens: TokenClasses): HTMLElement {
  const words = classes
    .filter(({ key }) => tokens[key] > 0)
    .map(({ key, name }) => `${tokensText(tokens[key])} ${name}`)
  return element('span', { class: 'quiet' }, [words.length > 0 ? words.join(', ') : 'none'])
}

function sum(tokens: TokenClasses): number {
  return tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite
}

interface StepPlot {
  readonly title: string
  /** In order of `x`, which begins at 0; each value holds until the next. */
  readonly points: readonly (readonly [x: number, y: number])[]
  readonly xText: (x: number) => string
  readonly yText: (y: number) => string
}

const wide = 600
const high = 180
const lines = 4

/** A sum that grows, as an area with steps. The drawing stretches; its words are outside of it and do not. */
function stepPlot({ title, points, xText, yText }: StepPlot): HTMLElement {
  const lastX = Math.max(1, points.at(-1)?.[0] ?? 0)
  const top = roundedUp(Math.max(...points.map(([, y]) => y), 0))
  const place = ([x, y]: readonly [number, number]) =>
    [((wide * x) / lastX).toFixed(1), (high - (high * y) / top).toFixed(1)] as const
  const steps = points.map(place).map(([x, y]) => `H${x}V${y}`)
  const path = `M0 ${high}${steps.join('')}H${wide}`
  const grid = Array.from({ length: lines + 1 }, (_, at) => {
    const y = (high * at) / lines
    return drawing('line', { class: 'grid', x1: 0, x2: wide, y1: y, y2: y })
  })
  const labels = Array.from({ length: lines + 1 }, (_, at) =>
    element('span', {}, [yText(top * (1 - at / lines))]),
  )
  return element('figure', { class: 'plot' }, [
    element('figcaption', {}, [title]),
    element('div', { class: 'plot-body' }, [
      element('div', { class: 'plot-y', 'aria-hidden': 'true' }, labels),
      drawing(
        'svg',
        { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title },
        [
          ...grid,
          drawing('path', { class: 'area', d: `${path}V${high}Z` }),
          drawing('path', { class: 'stroke', d: path }),
        ],
      ),
    ]),
    element('div', { class: 'plot-x', 'aria-hidden': 'true' }, [
      element('span', {}, [xText(0)]),
      element('span', {}, [xText(lastX / 2)]),
      element('span', {}, [xText(lastX)]),
    ]),
  ])
}

/** The next of a few round multiples of a power of ten: what an axis may end with. */
function roundedUp(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const steps = [1, 2, 3, 4, 5, 6, 8, 10].map(step => step * power)
  return steps.find(step => step >= value * (1 - 1e-9)) ?? 10 * power
}

/** Each limit with what was used of it; the fullest first. */
export function budgets({ budgets: rows }: ReportData): HTMLElement {
  const sorted = [...rows].sort((left, right) => share(right) - share(left))
  const aside = rows.length > 0 ? undefined : 'No budget was set.'
  const list = element('ul', { class: 'meters' }, sorted.map(meter))
  return section({ id: 'budget', title: 'Budget against use', aside }, rows.length > 0 ? [list] : [])
}

function share({ limit, used }: ReportBudget): number {
  return limit > 0 ? used / limit : used > 0 ? 1 : 0
}

function meter(row: ReportBudget): HTMLElement {
  const part = share(row)
  const level = part >= 1 ? 'over' : part >= 0.8 ? 'near' : 'fine'
  const fill = placed(element('span', { class: 'meter-fill', 'data-level': level }), {
    '--long': `${Math.min(100, 100 * part).toFixed(2)}%`,
  })
  const words = `${amount(row.used, row.currency)} of ${amount(row.limit, row.currency)}`
  return element('li', {}, [
    element('span', { class: 'meter-name' }, [
      element('b', {}, [row.name]),
      element('span', { class: 'quiet' }, [`limit of ${row.source.replace(':', ' ')}`]),
    ]),
    element('span', { class: 'meter-track' }, [fill]),
    element('span', { class: 'meter-facts' }, [`${words} · ${Math.round(100 * part)} %`]),
  ])
}

function amount(value: number, currency: string): string {
  if (currency === 'dollars') return dollarsText(value)
  if (currency === 'seconds') return durationText(value * 1000)
  return `${tokensText(value)} ${currency.replace('-', ' ')}`
}
