import type { ReportCost, ReportData, TokenClasses } from '@weave/protocol'
import { dollarsText, durationText, tokensText } from 'weave-client'
import { element, placed } from './element.ts'
import { section } from './section.ts'
import { stepPlot } from './step-plot.ts'

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
