import type { RollbackPreview } from '@weave/runtime'
import { harmlessLine } from 'weave-client'

/** What a rollback would do, in lines for people. Paths are made harmless for a terminal. */
export function previewLines(preview: RollbackPreview): readonly string[] {
  const { label, undone, unchanged, next } = preview
  const lists = [
    ['create', preview.create],
    ['change', preview.change],
    ['delete', preview.delete],
    ['move aside (never checkpointed)', preview.movedAside],
    ['put back from the archive', preview.unarchived],
    ['archive again', preview.archivedAgain],
    ['move out of the workspace (rig copies)', preview.rigCopies],
    ['copy again (rig)', preview.rigPutBack],
  ] as const
  const there = lists.filter(([, paths]) => paths.length > 0)
  return [
    `Back to    ${harmlessLine(label)}`,
    `Undone     ${undone.length === 0 ? 'nothing' : harmlessLine(undone.join(', '), 1000)}`,
    `Next       ${nextWords(next)}`,
    `Unchanged  ${unchanged} files`,
    ...there.flatMap(([what, paths]) => ['', `${what}: ${paths.length}`, ...paths.map(pathLine)]),
  ]
}

function nextWords(next: RollbackPreview['next']): string {
  if (!next) return 'nothing: the hank is at its end there'
  return `${harmlessLine(next.codonId)}${next.withoutRig ? ', without its rig' : ''}`
}

function pathLine(path: string): string {
  return `  ${harmlessLine(path, 4096)}`
}
