import { useEffect, useState } from 'preact/hooks'
import type { DiffHunk, DiffRow } from '../diff-rows.ts'
import { preferences } from '../preferences.ts'
import { Notice } from './small.tsx'

/** More rows than this are not drawn at once. */
const mostRows = 1_500

type Pairs = readonly (readonly [DiffRow | undefined, DiffRow | undefined])[]

/** What turns a text into rows; fetched when it is needed. */
interface DiffTool {
  readonly hunksOf: (patch: string) => readonly DiffHunk[]
  readonly sideBySide: (rows: readonly DiffRow[]) => Pairs
}

/** One file's difference, unified or side by side, hunk by hunk. */
export function DiffView({ patch, isCut }: { readonly patch: string; readonly isCut: boolean }) {
  const [tool, setTool] = useState<DiffTool | undefined>(undefined)
  useEffect(() => {
    let isGone = false
    const load = async (): Promise<void> => {
      const { hunksOf, sideBySide } = await import('../diff-rows.ts')
      if (!isGone) setTool({ hunksOf, sideBySide })
    }
    void load()
    return () => {
      isGone = true
    }
  }, [])
  if (!tool) return <Notice>Reading the difference …</Notice>
  const hunks = tool.hunksOf(patch)
  const isSplit = preferences.diff.value === 'split'
  let left = mostRows
  return (
    <div class="diff" data-split={isSplit}>
      {hunks.length === 0 && <Notice>No line is different.</Notice>}
      {hunks.map(hunk => {
        const rows = hunk.rows.slice(0, Math.max(0, left))
        left -= rows.length
        return (
          <details key={hunk.title} open={rows.length > 0}>
            <summary>{hunk.title}</summary>
            {isSplit ? <Split pairs={tool.sideBySide(rows)} /> : <Unified hunk={{ ...hunk, rows }} />}
          </details>
        )
      })}
      {(isCut || left <= 0) && <Notice>There is more than is shown.</Notice>}
    </div>
  )
}

function Unified({ hunk }: { readonly hunk: DiffHunk }) {
  return (
    <div class="diff-rows">
      {hunk.rows.map((row, at) => (
        <div key={at} class="diff-row" data-kind={row.kind}>
          <span class="line-number">{row.before}</span>
          <span class="line-number">{row.after}</span>
          <Line row={row} />
        </div>
      ))}
    </div>
  )
}

function Split({ pairs }: { readonly pairs: Pairs }) {
  return (
    <div class="diff-rows">
      {pairs.map(([left, right], at) => (
        <div key={at} class="diff-pair">
          <div class="diff-row" data-kind={left?.kind ?? 'none'}>
            <span class="line-number">{left?.before}</span>
            {left && <Line row={left} />}
          </div>
          <div class="diff-row" data-kind={right?.kind ?? 'none'}>
            <span class="line-number">{right?.after}</span>
            {right && <Line row={right} />}
          </div>
        </div>
      ))}
    </div>
  )
}

const signs = { added: '+', removed: '−', same: ' ', note: ' ' } as const

function Line({ row }: { readonly row: DiffRow }) {
  return (
    <code>
      <span class="sign">{signs[row.kind]}</span>
      {row.words.map((word, at) => (word.isChanged ? <mark key={at}>{word.text}</mark> : word.text))}
    </code>
  )
}
