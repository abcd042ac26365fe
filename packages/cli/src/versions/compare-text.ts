import type { Comparison, Totals } from '@weave/runtime'
import { dollarsText, harmlessLine } from 'weave-client'
import { columns, plural } from '../terminal.ts'

/** Which is which, what they have to do with each other, and what they began with. */
export function headLines({ sides, relation, commonEvents, head }: Comparison): readonly string[] {
  const named = ({ name, at, isLive }: Comparison['sides']['left']): string => {
    const until = at === undefined ? '' : ` at ${at}`
    return `${name}${until}${isLive ? ' (a run is going on: up to its last checkpoint)' : ''}`
  }
  return [
    `a  ${named(sides.left)}`,
    `b  ${named(sides.right)}`,
    ...relationLines(relation, commonEvents),
    '',
    ...columns(
      head.map(({ what, left, right, same }) => [
        what,
        same ? 'same' : 'different',
        same || left === right ? harmlessLine(left) : `a ${harmlessLine(left)} · b ${harmlessLine(right)}`,
      ]),
      '',
    ),
  ]
}

function relationLines(relation: Comparison['relation'], events: number | undefined): readonly string[] {
  const words: Readonly<Record<Comparison['relation'], string | undefined>> = {
    'same execution': 'a and b are one execution',
    'fork of the other': 'a is a fork of b',
    'source of the other': 'b is a fork of a',
    'forks of one': 'a and b are forks of one execution',
    none: undefined,
  }
  const said = words[relation]
  return said === undefined ? [] : [`   ${said}: first ${plural(events ?? 0, 'event')} in common`]
}

export function fileLines({ files }: Comparison): readonly string[] {
  if (!files) return ['', 'FILES  one of them has no checkpoint']
  const { changed, files: listed } = files
  const rows = listed.map(({ path, status, additions, deletions, isBinary }) => [
    harmlessLine(path, longestPath),
    status,
    isBinary ? 'no text' : additions === undefined ? '' : `+${additions} -${deletions}`,
  ])
  const more = changed - listed.length
  return [
    '',
    `FILES  ${changed === 0 ? 'the same' : `${plural(changed, 'file')} different, from a to b`}`,
    ...columns(rows),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

const longestPath = 4096

export function costLines({ totals }: Comparison): readonly string[] {
  const rows: readonly (readonly [string, (side: Totals) => number, (value: number) => string])[] = [
    ['dollars', side => side.cost, dollarsText],
    ['of that inherited', side => side.inherited, dollarsText],
    ['input tokens', side => side.tokens.inputTokens, String],
    ['output tokens', side => side.tokens.outputTokens, String],
    ['cache writes', side => side.tokens.cacheCreationTokens, String],
    ['cache reads', side => side.tokens.cacheReadTokens, String],
    ['active', side => side.activeMs, secondsText],
    ['waiting', side => side.waitingMs, secondsText],
    ['parked', side => side.parkedMs, secondsText],
    ['at gates', side => side.gatesMs, secondsText],
  ]
  const cells = rows
    .map(([what, of, text]) => ({ what, left: of(totals.left), right: of(totals.right), text }))
    .filter(({ left, right }) => left !== 0 || right !== 0)
    .map(({ what, left, right, text }) => [what, text(left), text(right), changeText(left, right)])
  return ['', ...columns([['COSTS AND TIME', 'A', 'B', 'CHANGE'], ...cells], '')]
}

export function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

/** Such as `+12 %`; nothing when there is no change, or nothing to hold it against. */
export function changeText(left: number, right: number): string {
  if (left === right) return ''
  if (left === 0) return 'new'
  const percent = ((right - left) / left) * 100
  return `${percent > 0 ? '+' : ''}${Math.abs(percent) < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`
}
