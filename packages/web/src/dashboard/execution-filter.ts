import type { ExecutionRow } from 'weave-client'

/** The filter box of the list: `status:failed hank:guide cost:>1 words`. All parts must fit. Pure. */
export function fittingExecutions(rows: readonly ExecutionRow[], words: string): readonly ExecutionRow[] {
  const parts = words.trim().split(/\s+/).filter(Boolean).map(partOf)
  return rows.filter(row => parts.every(part => part(row)))
}

/** Those that failed before all that are well; otherwise the order stays. Pure. */
export function failuresFirst(rows: readonly ExecutionRow[]): readonly ExecutionRow[] {
  const hasFailed = ({ status }: ExecutionRow): boolean => failed.has(status)
  return [...rows.filter(hasFailed), ...rows.filter(row => !hasFailed(row))]
}

const failed: ReadonlySet<string> = new Set(['failed', 'crashed', 'unreadable'])

type Part = (row: ExecutionRow) => boolean

const fields: Readonly<Record<string, (row: ExecutionRow) => string>> = {
  status: row => [row.status, ...(row.live ? ['live'] : []), ...(row.waits ? ['waits'] : [])].join(' '),
  hank: ({ hank }) => hank,
  data: ({ data }) => data,
  name: ({ name }) => name,
  origin: ({ origin }) => origin?.name ?? '',
}

const numbers: Readonly<Record<string, (row: ExecutionRow) => number>> = {
  cost: ({ cost }) => cost,
  codons: ({ codonsDone }) => codonsDone,
  warnings: ({ warnings }) => warnings,
  breaches: ({ breaches }) => breaches,
}

function partOf(word: string): Part {
  const [, name = '', sign = '', value = ''] = /^(\w+):([<>]?=?)(.*)$/.exec(word) ?? []
  const number = numbers[name]
  if (number && value !== '' && Number.isFinite(Number(value)))
    return row => holds(number(row), sign, Number(value))
  const field = fields[name]
  if (field) return row => includes(field(row), value)
  return ({ name: own, hank, data }) => includes(`${own} ${hank} ${data}`, word)
}

function holds(amount: number, sign: string, limit: number): boolean {
  if (sign === '>') return amount > limit
  if (sign === '<') return amount < limit
  if (sign === '>=') return amount >= limit
  return sign === '<=' ? amount <= limit : amount === limit
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}
