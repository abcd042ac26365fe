import { readFileSync } from 'node:fs'
import { type Figure, ratioOf, verdictOn } from '../../bench/measure.ts'
import type { Generated } from './generated.ts'

interface Measured {
  readonly date: string
  readonly machine: Machine
  readonly figures: readonly Figure[]
}

interface Machine {
  readonly node: string
  readonly platform: string
  readonly arch: string
  readonly cores: number
}

/** What `npm run proof:* -- --keep` writes. */
interface Tried {
  readonly suites: Readonly<Record<string, Proof>>
}

interface Proof {
  readonly date: string
  readonly source?: string
  readonly holds: string
  readonly seconds: number
  readonly counts: Readonly<Record<string, number>>
}

/** `docs/proof.md` with the figures and counts that were kept last; the words around them are written by hand. */
export const proofPage: Generated = {
  path: 'docs/proof.md',
  content() {
    const parts: Readonly<Record<string, () => string>> = { tried, figures }
    return read('docs/proof.md').replaceAll(
      /(<!-- generated: (\w+) -->\n).*?(<!-- end -->)/gs,
      (_whole, begin: string, name: string, end: string) => `${begin}\n${parts[name]?.() ?? ''}\n\n${end}`,
    )
  },
}

function tried(): string {
  const { suites } = JSON.parse(read('bench/results/proofs.json')) as Tried
  const rows = Object.entries(suites).map(([name, { holds, counts, seconds, date, source = '' }]) => {
    const words = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    return [name, holds, words.join('; ') || 'the whole of it', spell(seconds), date.slice(0, 10), source]
  })
  return table(['suite', 'holds', 'tried', 'took', 'on', 'source'], rows)
}

function figures(): string {
  const { date, machine, figures: all } = JSON.parse(read('bench/results/latest.json')) as Measured
  const { cores, arch, platform, node } = machine
  const rows = all
    .toSorted((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1))
    .map(figure => {
      const { wanted, met } = verdictOn(figure)
      const ratio = String(Number(ratioOf(figure).toPrecision(3)))
      return [figure.id, figure.what, ratio, wanted, met === 'NO' ? '**no**' : met]
    })
  const place = `Taken on ${date.slice(0, 10)}: ${cores} cores, ${arch}, ${platform}, Node ${node.slice(1)}.`
  return `${place}\n\n${table(['id', 'what', 'ratio', 'goal', 'met'], rows)}`
}

function order({ id }: Figure): number {
  return Number(/\d+/.exec(id)?.[0] ?? 0)
}

function spell(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}
