import { availableParallelism } from 'node:os'
import type { FlagName } from '../flags.ts'
import type { Arguments } from '../parse-arguments.ts'

/** What a flag of the fleet allows. */
const ranges = {
  priority: { from: -100, to: 100, usual: 0 },
  weight: { from: 1, to: 1_000, usual: 1 },
  'max-running': { from: 1, to: 1_000_000, usual: undefined },
  slots: { from: 1, to: 256, usual: Math.min(4, availableParallelism()) },
  lease: { from: 10, to: 600, usual: 120 },
} as const satisfies Partial<Record<FlagName, { from: number; to: number; usual: number | undefined }>>

/** Limits of each execution, by the words of their flags: any number above zero. */
const limits = {
  'batch-max-cost': 'max-cost',
  'max-cost-each': 'max-cost-each',
  'submit-max-time': 'max-time',
} as const

type NumberFlag = keyof typeof ranges
export type Numbers = { readonly [Name in NumberFlag]: number | ((typeof ranges)[Name]['usual'] & undefined) }

/** The numbers among the flags, or what is wrong with the first that is none. `set`: what `weave.json` says instead of the usual. */
export function readNumbers(
  { texts }: Arguments,
  set: Partial<Record<NumberFlag, number | undefined>> = {},
): { readonly numbers: Numbers } | { readonly problem: string } {
  const found: Partial<Record<NumberFlag, number | undefined>> = {}
  for (const name of Object.keys(ranges) as NumberFlag[]) {
    const { from, to, usual } = ranges[name]
    const text = texts[name]
    const value = text === undefined ? (set[name] ?? usual) : Number(text)
    if (value !== undefined && !(Number.isInteger(value) && value >= from && value <= to))
      return {
        problem: `--${name}: expected a whole number from ${from} to ${to}; found ${JSON.stringify(text)}`,
      }
    found[name] = value
  }
  for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
    const text = texts[name]
    const isLimit = text === undefined || (Number(text) > 0 && Number.isFinite(Number(text)))
    if (!isLimit)
      return { problem: `--${limits[name]}: expected a number above 0; found ${JSON.stringify(text)}` }
  }
  return { numbers: found as Numbers }
}

/** Dollars on a command line as millionths; undefined: it is no amount. */
export function microsOf(text: string | undefined): number | undefined {
  const dollars = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(dollars) && dollars >= 0 && dollars < 1e9 ? Math.round(dollars * 1e6) : undefined
}

/** Names of pools, with commas between them; undefined: one of them is no name. */
export function readPools(text: string): readonly string[] | undefined {
  const names = text.split(',')
  return names.every(name => /^[a-z0-9-]{1,40}$/.test(name)) ? names : undefined
}
