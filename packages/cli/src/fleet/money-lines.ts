import { dollarsText } from 'weave-client'
import type { BatchDetail } from 'weave-fleet'
import { plural } from '../terminal.ts'

/** Millionths of a dollar, for people. */
export function dollars(micros: number): string {
  return dollarsText(micros / 1e6)
}

/** What a batch has spent, and what of its ceiling is where. */
export function spentText(
  { spentDollars, isCostKnown, isRehearsal, lentDollars, doubtDollars, ceilingDollars }: BatchDetail,
  deaths: number,
): string {
  const ceiling = ceilingDollars === null ? '' : ` of ${dollarsText(ceilingDollars)}`
  return [
    `${isRehearsal ? 'simulated ' : ''}${dollarsText(spentDollars, { unknown: !isCostKnown })}${ceiling}`,
    ...(lentDollars > 0 ? [`${dollarsText(lentDollars)} lent`] : []),
    ...(doubtDollars > 0 ? [`in doubt ${dollarsText(doubtDollars)}: ${plural(deaths, 'death')}`] : []),
  ].join(', ')
}
