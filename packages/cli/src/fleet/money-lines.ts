import { dollarsText } from 'weave-client'
import type { BatchMoney } from 'weave-fleet'
import { plural } from '../terminal.ts'

/** Millionths of a dollar, for people. */
export function dollars(micros: number): string {
  return dollarsText(micros / 1e6)
}

/** What a batch has spent, and what of its ceiling is where; nothing, where there is nothing to say. */
export function moneyLine({ budget, granted, spent, doubt, deaths }: BatchMoney): readonly string[] {
  if (budget === null && spent === 0) return []
  const parts = [
    `${dollars(spent)} spent`,
    ...(granted > 0 ? [`${dollars(granted)} lent`] : []),
    ...(doubt > 0 ? [`in doubt ${dollars(doubt)}: ${plural(deaths, 'death')}`] : []),
    ...(budget === null ? [] : [`of ${dollars(budget)}`]),
  ]
  return [`Money      ${parts.join(', ')}`]
}
