import { createRedactor } from '@weave/runtime'
import { FleetFault } from '../fault.ts'

/** Names of secrets and where they stand; never their values. */
export interface SecretSearch {
  /** Values that must not be stored, by name, such as those of the environment. */
  readonly known: readonly { readonly name: string; readonly value: string }[]
}

const shortestValue = 8

/** Refuses a text with a key in it, by its shape or because it is one of ours. Says where, and never what. */
export function refuseSecrets(place: string, bytes: Buffer, { known }: SecretSearch): void {
  if (bytes.subarray(0, 8_000).includes(0)) return
  const text = bytes.toString('utf8')
  const own = known.find(({ value }) => value.length >= shortestValue && text.includes(value))
  if (own) throw secretFault(`${place}:${lineOf(text, text.indexOf(own.value))}`, own.name)
  const clean = shapes.text(text)
  if (clean === text) return
  const at = firstDifference(text, clean)
  const [, name = 'key'] = /^\[redacted:([^\]]+)\]/.exec(clean.slice(at)) ?? []
  throw secretFault(`${place}:${lineOf(text, at)}`, name)
}

const shapes = createRedactor([])

function firstDifference(left: string, right: string): number {
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return at
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

function secretFault(place: string, name: string): FleetFault {
  return new FleetFault('FLEET_SECRET', {
    message: `There is a secret (${name}) in ${place}.`,
    cure: 'Take it out: workers have keys of their own. Or say --allow-findings if it is none.',
  })
}
