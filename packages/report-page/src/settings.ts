import type { ReportData } from '@weave/protocol'
import { element } from './element.ts'
import { section } from './section.ts'

/** Every setting of the last start with who set it; what somebody chose before what was left alone. */
export function settings({ settings: rows }: ReportData): HTMLElement {
  const aside = rows.length > 0 ? 'Of the last start.' : 'They were not written down.'
  const sorted = [...rows].sort((left, right) => Number(isDefault(left)) - Number(isDefault(right)))
  const table = element('div', { class: 'scroll' }, [
    element('table', { class: 'settings' }, [
      element(
        'tbody',
        {},
        sorted.map(({ field, value, origin }) =>
          element('tr', { 'data-default': isDefault({ origin }) }, [
            element('th', { scope: 'row' }, [field]),
            element('td', {}, [element('code', {}, [value])]),
            element('td', { class: 'quiet' }, [origin]),
          ]),
        ),
      ),
    ]),
  ])
  return section({ id: 'settings', title: 'Settings', aside }, rows.length > 0 ? [table] : [])
}

function isDefault({ origin }: { readonly origin: string }): boolean {
  return origin === 'default'
}
