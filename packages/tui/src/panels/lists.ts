import {
  type Checkpoint,
  clockText,
  currentCheckpoints,
  type DiffLine,
  dateText,
  dollarsText,
  durationText,
  type FileChange,
  type FileVersion,
  type FileVersions,
  harmlessLine,
  lineDiff,
  type View,
} from 'weave-client'
import { checkpointName } from '../model/questions.ts'
import { plainRows, type Rows, rowsOf } from '../model/rows.ts'
import { type Line, line, type Style, span } from '../terminal/line.ts'
import { type PanelContext, spread } from './panel.ts'

const letters: Readonly<Record<FileChange['action'], { readonly letter: string; readonly style: Style }>> = {
  created: { letter: 'A', style: 'added' },
  modified: { letter: 'M', style: 'warn' },
  deleted: { letter: 'D', style: 'removed' },
}

/** Changed files, newest first. */
export function fileRows({ view, versions, width }: PanelContext): Rows {
  const rows = view.files.toReversed().map(file => {
    const { letter, style } = letters[file.action]
    const owner = ownerOf(versions.files.get(file.path))
    const left = line(' ', span(`${letter} `, style), span(harmlessLine(file.path, 500)))
    const times = file.changes > 1 ? `${file.changes}x ` : ''
    const right = line(
      span(`${times}${width >= 50 ? `${harmlessLine(owner, 40)} ` : ''}${clockText(file.time)} `, 'dim'),
    )
    return { key: file.path, part: 0, line: spread(left, right, width) }
  })
  if (rows.length > 0) return rowsOf(rows)
  return plainRows([line(span(' No checkpointed file has changed yet.', 'dim'))])
}

/** `draft`, or `rig of draft`. */
function ownerOf(version: Pick<FileVersion, 'codonId' | 'byRig'> | undefined): string {
  if (!version) return ''
  return version.byRig ? `rig of ${version.codonId}` : version.codonId
}

/** What the last codon that touched a file made of it. Kept per version: a comparison may take a moment. */
export function createDiffRows(): (versions: FileVersions, path: string) => Rows {
  const made = new WeakMap<FileVersion, Rows>()
  return (versions, path) => {
    const version = versions.files.get(path)
    if (!version) return plainRows([line(span(' The text of this file is not kept any more.', 'dim'))])
    const rows = made.get(version) ?? plainRows(diffLines(version))
    made.set(version, rows)
    return rows
  }
}

function diffLines(version: FileVersion): readonly Line[] {
  const { before, after, deleted, omitted } = version
  const owner = harmlessLine(ownerOf(version), 60)
  const by = owner === '' ? 'before the first codon' : `by ${version.byRig ? 'the ' : ''}${owner}`
  const head = line(span(` ${deleted ? 'Deleted' : 'Changed'} ${by}.`, 'dim'))
  if (after === undefined) {
    const why = omitted === 'binary' ? 'It is not text.' : 'It is too large to be shown here.'
    return [head, line(span(` ${why}`, 'dim'))]
  }
  if (before !== undefined) return [head, ...lineDiff(before, after).map(diffLine)]
  const note = line(span(' What it was before is not known here; this is all of it.', 'dim'))
  return [head, note, ...after.split('\n').map(text => line(`   ${text}`))]
}

function diffLine(each: DiffLine): Line {
  switch (each.kind) {
    case 'skipped':
      return line(span(`   … ${each.count} lines`, 'dim'))
    case 'added':
      return line(span(` + ${each.text}`, 'added'))
    case 'removed':
      return line(span(` - ${each.text}`, 'removed'))
    case 'same':
      return line(`   ${each.text}`)
  }
}

/** The observers, newest first. */
export function sentinelRows({ view, width, costs, signs }: PanelContext): Rows {
  const rows = view.sentinels.toReversed().map((sentinel, index, all) => {
    const { sentinelId, codonId, model, loaded, outputs, errors, cost, unloadReason } = sentinel
    const left = line(
      ' ',
      loaded ? span(`${signs.running} `, 'accent') : span(`${signs.completed} `, 'dim'),
      span(harmlessLine(sentinelId, 60), loaded ? 'bold' : 'plain'),
      span(` on ${harmlessLine(codonId, 40)}`, 'dim'),
      width >= 70 ? span(`  ${harmlessLine(model, 40)}`, 'dim') : undefined,
      unloadReason === undefined || unloadReason === 'codon-complete'
        ? undefined
        : span(`  left: ${unloadReason}`, 'warn'),
    )
    const right = line(
      costs ? span(`${dollarsText(cost)}  `, 'dim') : undefined,
      errors > 0 ? span(`${errors} failed  `, 'bad') : undefined,
      span(`${outputs} said `, 'dim'),
    )
    const part = all.slice(0, index).filter(other => other.sentinelId === sentinelId).length
    return { key: sentinelId, part, line: spread(left, right, width) }
  })
  return rows.length > 0 ? rowsOf(rows) : plainRows([line(span(' No sentinel is attached.', 'dim'))])
}

/** Checkpoints by the keys of their rows, newest first. A run that goes on from a checkpoint does not name it again. */
export function checkpointsByKey({ checkpoints }: View): ReadonlyMap<string, Checkpoint> {
  const named = new Set(checkpoints.flatMap(({ sha, type }) => (type === 'initial' ? [] : [sha])))
  const kept = checkpoints.filter(({ sha, type }) => type !== 'initial' || !named.has(sha))
  return new Map(kept.map(checkpoint => [checkpoint.sha, checkpoint] as const).toReversed())
}

export function checkpointRows({ view, width, now, atRest }: PanelContext): Rows {
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
    const time = width >= 60 ? `${clockText(checkpoint.time)}  ` : ''
    const when = atRest ? `${dateText(checkpoint.time)} ` : `${time}${age} ago `
    return { key, part: 0, line: spread(left, line(span(when, 'dim')), width) }
  })
  return rows.length > 0 ? rowsOf(rows) : plainRows([line(span(' There is no checkpoint yet.', 'dim'))])
}
