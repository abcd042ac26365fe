import {
  dollarsText,
  durationText,
  harmlessLine,
  type Limit,
  type LimitUse,
  limitUses,
  tokensText,
} from 'weave-client'
import { plainRows, type Rows } from '../model/rows.ts'
import { type Line, line, type Style, span } from '../terminal/line.ts'
import { bar, type PanelContext, spread } from './panel.ts'

/** The limits that hold now with how much of them is used, then those that were reached. */
export function budgetRows(context: PanelContext): Rows {
  const { view } = context
  const uses = limitUses(view, context.now).map(use => budgetLine(use, context))
  const breaches = view.breaches.map(breach => {
    const { scope, currency, limit, used, codonId } = breach
    const amounts = `: ${amount(currency, used)} of ${amount(currency, limit)}`
    const where = codonId === undefined ? '' : ` in ${harmlessLine(codonId, 40)}`
    return line(span(` ! limit of ${harmlessLine(scope, 40)} reached${where}${amounts}`, 'warn'))
  })
  const none = uses.length + breaches.length === 0 ? [line(span(' No limit holds now.', 'dim'))] : []
  return plainRows([...uses, ...none, ...breaches])
}

/** One limit: whose, a bar, how much. */
function budgetLine({ scope, currency, limit, used }: LimitUse, context: PanelContext): Line {
  const { width, signs } = context
  const part = limit > 0 ? used / limit : 1
  const style: Style = part >= 1 ? 'bad' : part >= 0.8 ? 'warn' : 'accent'
  const amounts = ` ${amount(currency, used)} of ${amount(currency, limit)} `
  const isNarrow = width < 56
  const room = isNarrow ? 6 : Math.max(6, Math.min(30, Math.floor(width / 4)))
  const percent = isNarrow ? '' : ` ${`${Math.floor(part * 100)} %`.padStart(5)}`
  const right = [...bar(part, room, { signs, style }), span(`${percent}${amounts}`)]
  // What is counted is seen by the amounts, too.
  const what = isNarrow ? scopeName(scope) : `${wordOf[currency]} of ${scopeName(scope)}`
  return spread(line(span(` ${what}`)), right, width)
}

const wordOf: Readonly<Record<Limit['currency'], string>> = {
  dollars: 'money',
  seconds: 'time',
  'output-tokens': 'output',
  'context-tokens': 'context',
}

function scopeName(scope: Limit['scope']): string {
  switch (scope.kind) {
    case 'run':
      return scope.origin === 'hank' ? 'the hank' : `the run (${harmlessLine(scope.origin, 30)})`
    case 'loop':
      return `loop ${harmlessLine(scope.loopId, 30)}`
    case 'codon':
      return harmlessLine(scope.codonId, 30)
  }
}

function amount(currency: Limit['currency'], value: number): string {
  if (currency === 'dollars') return dollarsText(value)
  return currency === 'seconds' ? durationText(value * 1000) : tokensText(value)
}
