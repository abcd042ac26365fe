import type { ModelRow, Prices } from '../models/index.ts'

/** In one line: `200k · $3 in, $15 out`. */
export function modelDetail({ contextWindow, prices }: Pick<ModelRow, 'contextWindow' | 'prices'>): string {
  const money = prices ? `${dollars(prices.input)} in, ${dollars(prices.output)} out` : 'price not known'
  return `${windowText(contextWindow)} · ${money}`
}

/** What a person wants to know of a model before using it, in Markdown. */
export function modelText(row: {
  readonly identity: string
  readonly name?: string
  readonly contextWindow?: number | undefined
  readonly prices?: Prices | undefined
}): string {
  const { identity, name, contextWindow, prices } = row
  const head = `**${name ?? identity}** \`${identity}\`, window ${windowText(contextWindow)}`
  if (!prices) return `${head}\n\nIts price is not known: a limit in dollars cannot hold it.`
  const rows = [
    ['input', prices.input],
    ['output', prices.output],
    ['cache read', prices.cacheRead],
    ['cache write', prices.cacheWrite],
  ] as const
  const table = rows.map(([what, price]) => `| ${what} | ${dollars(price)} |`)
  const source = `Says ${prices.source}${prices.date === undefined ? '' : `, ${prices.date}`}.`
  return [head, '', '| a million tokens | US dollars |', '|---|---|', ...table, '', source].join('\n')
}

function dollars(price: number | undefined): string {
  return price === undefined ? '?' : `$${price}`
}

function windowText(tokens: number | undefined): string {
  return tokens === undefined ? 'not known' : `${Math.round(tokens / 1000)}k`
}
