import type { EventData } from '@weave/protocol'

/** What a person is told who decides on something that is not open. Pure. */

export const staleWords = 'The run waits at another gate now.'

/** `Approved by ana at 14:02.` */
export function decidedWords({ decision, by }: EventData<'gate.decided'>, time: string): string {
  const who = by.user ?? (by.ruleId === undefined ? by.clientId : `rule ${by.ruleId}`)
  const whom = who === undefined ? '' : ` by ${who}`
  const at = new Date(time)
  const clock = [at.getHours(), at.getMinutes()].map(part => String(part).padStart(2, '0')).join(':')
  return `${decision[0]?.toUpperCase()}${decision.slice(1)}${whom} at ${clock}.`
}
