import { readFileSync } from 'node:fs'
import { type Theme, themes } from '../pictures/screen-svg.mjs'
import type { Sample } from '../proof/soak-judge.ts'
import type { Generated } from './generated.ts'

/** What `npm run proof:load -- --hours … --keep` writes. */
interface Soaked {
  readonly halves: readonly (readonly Sample[])[]
}

const width = 760
const height = 300
const edge = { left: 56, right: 16, top: 28, bottom: 40 }
const lines = [
  { kind: 'rss', name: 'server, resident', color: 4 },
  { kind: 'hub', name: 'hub, resident', color: 2 },
  { kind: 'heap', name: 'server, heap after a collection', color: 1 },
] as const

/** The memory of the soak that was kept last, over its hours. */
export const soakPlots: readonly Generated[] = (['light', 'dark'] as const).map(name => ({
  path: `docs/pictures/soak-${name}.svg`,
  content: () => plot(kept(), themes[name]),
}))

function kept(): Soaked {
  return JSON.parse(readFileSync(new URL('../../bench/results/soak.json', import.meta.url), 'utf8')) as Soaked
}

function plot({ halves }: Soaked, theme: Theme): string {
  const seconds = halves.at(-1)?.at(-1)?.seconds ?? 1
  const most = Math.max(...halves.flat().map(({ rss, hub }) => Math.max(rss, hub))) / 1024
  const top = Math.ceil(most / 50) * 50
  const x = (at: number) => edge.left + (at / seconds) * (width - edge.left - edge.right)
  const y = (mb: number) => height - edge.bottom - (mb / top) * (height - edge.top - edge.bottom)
  const text = (words: string, at: string, color = theme.dim) => `<text ${at} fill="${color}">${words}</text>`
  const rule = (mb: number) =>
    `<line x1="${edge.left}" x2="${width - edge.right}" y1="${y(mb)}" y2="${y(mb)}" stroke="${theme.dim}" stroke-opacity="0.3"/>` +
    text(`${mb} MB`, `x="${edge.left - 6}" y="${y(mb) + 4}" text-anchor="end"`)
  const levels = Array.from({ length: top / 50 + 1 }, (_, at) => rule(at * 50))
  const minutes = Array.from({ length: Math.floor(seconds / 1_200) + 1 }, (_, at) => at * 20)
  const times = minutes.map(at =>
    text(`${at} min`, `x="${x(at * 60).toFixed(1)}" y="${height - 20}" text-anchor="middle"`),
  )
  const upgrade = x(halves[0]?.at(-1)?.seconds ?? 0).toFixed(1)
  const middle =
    `<line x1="${upgrade}" x2="${upgrade}" y1="${edge.top}" y2="${height - edge.bottom}" stroke="${theme.text}" stroke-dasharray="3 3"/>` +
    text(
      'stopped, resumed by a newer build',
      `x="${upgrade}" y="${height - 6}" text-anchor="middle"`,
      theme.text,
    )
  const drawn = lines.flatMap(({ kind, color }) =>
    halves.map(half => {
      const points = half.flatMap(({ seconds: at, [kind]: kib }) =>
        kib === undefined ? [] : [`${x(at).toFixed(1)},${y(kib / 1024).toFixed(1)}`],
      )
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${theme.colors[color]}" stroke-width="1.5"/>`
    }),
  )
  const names = lines.map(({ name, color }, at) =>
    text(name, `x="${edge.left + at * 230}" y="16"`, theme.colors[color]),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="${theme.background}"/>`,
    ...levels,
    ...times,
    middle,
    ...drawn,
    ...names,
    '</svg>\n',
  ].join('\n')
}
