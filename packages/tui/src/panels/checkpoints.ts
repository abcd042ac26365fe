import { type Checkpoint, currentCheckpoints, durationText, harmlessLine, type View } from 'weave-client'
import { checkpointName } from '../model/questions.ts'
import { plainRows, type Rows, rowsOf } from '../model/rows.ts'
import { line, span } from '../terminal/line.ts'
import type { PanelContext } from './context.ts'
import { spread } from './spread.ts'

/** Checkpoints by the keys of their rows, newest first. A run that goes on from a checkpoint does not name it again. */
export function checkpointsByKey({ checkpoints }: View): ReadonlyMap<string, Checkpoint> {
  const named = new Set(checkpoints.flatMap(({ sha, type }) => (type === 'initial' ? [] : [sha])))
  const kept = checkpoints.filter(({ sha, type }) => type !== 'initial' || !named.has(sha))
  return new Map(kept.map(checkpoint => [checkpoint.sha, checkpoint] as const).toReversed())
}

export function checkpointRows({ view, width, now }: PanelContext): Rows {
  const current = currentCheckpoints(view)
  const rows = [...checkpointsByKey(view)].map(([key, checkpoint]) => {
    const isUndone = !current.has(checkpoint.sha) && checkpoint.type !== 'initial'
    const left = line(
      ' ',
      span(`${checkpoint.sha.slice(0, 8)}  `, 'dim'),
      span(harmlessLine(checkpointName(checkpoint), 80), isUndone ? 'dim' : 'plain'),
      isUndone ? span('  undone', 'dim') : undefined,
    )
    const age = durationText(now - Date.parse(checkpoint.time))
    const time = width >= 60 ? `${checkpoint.time.slice(11, 19)}  ` : ''
    return { key, part: 0, line: spread(left, line(span(`${time}${age} ago `, 'dim')), width) }
  })
  return rows.length > 0 ? rowsOf(rows) : plainRows([line(span(' There is no checkpoint yet.', 'dim'))])
}
