import type { ReportBudget, ReportData } from '@weave/protocol'
import { dollarsText, durationText, tokensText } from 'weave-client'
import { element, placed } from './element.ts'
import { section } from './section.ts'

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
