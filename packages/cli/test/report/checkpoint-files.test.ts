import type { RunState, WeaveState } from '@weave/protocol'
import type { CheckpointRow } from '@weave/runtime'
import { describe, expect, test } from 'vitest'
import { checkpointsBefore, createCheckpointFiles, splitDiff } from '../../src/report/checkpoint-files.ts'

function row(runId: string, sha: string, type: CheckpointRow['type'] = 'completed'): CheckpointRow {
  return { runId, sha, type, codonId: 'a', codonName: 'A', status: '', timestamp: '', isUndone: false }
}

function run(runId: string, checkpoint?: string): RunState {
  const fresh = { type: 'fresh' } as const
  const startedFrom =
    checkpoint === undefined ? fresh : ({ type: 'continuation', runId: 'r1', checkpoint } as const)
  return {
    runId,
    status: 'running',
    startTime: '2026-01-01T00:00:00.000Z',
    gitBranch: `run-${runId}`,
    startedFrom,
    codons: [],
    cost: 0,
  }
}

describe('the checkpoint before another', () => {
  test('is the last of its run, or where its run began; a safety checkpoint is before none', () => {
    const rows = [
      row('r1', 's', 'start'),
      row('r1', '1'),
      row('r1', '2'),
      row('r1', 'safe', 'safety'),
      row('r2', '3'),
      row('r3', '4'),
    ]
    const state: WeaveState = {
      currentRunId: 'r3',
      totalCost: 0,
      runs: [run('r1'), run('r2', '1'), run('r3')],
    }
    const before = checkpointsBefore(rows, state)
    expect(rows.map(each => before.get(each))).toEqual([undefined, 's', '1', '2', '1', '3'])
  })
})

const diff = [
  'diff --git a/one.md b/one.md',
  'index 1..2 100644',
  '--- a/one.md',
  '+++ b/one.md',
  '@@ -1 +1 @@',
  '-diff --git a/x b/x',
  '+new',
  'diff --git a/picture b/picture',
  'Binary files a/picture and b/picture differ',
  'diff --git a/two b/two',
  'deleted file mode 100644',
  '--- a/two',
  '+++ /dev/null',
  '@@ -1 +0,0 @@',
  '-gone',
  '',
].join('\n')

describe('a diff of several files', () => {
  test('falls into its parts, also when a file talks about diffs', () => {
    expect(splitDiff(diff)).toEqual(['@@ -1 +1 @@\n-diff --git a/x b/x\n+new', '', '@@ -1 +0,0 @@\n-gone'])
    expect(splitDiff('')).toEqual([])
  })

  test('goes to the files it belongs to; what is no text or too long says so', async () => {
    const long = `diff --git a/l b/l\n@@ -1 +1 @@\n+${'x'.repeat(50_000)}\n`
    const sides = { before: undefined, after: undefined }
    const files = [
      { ...sides, path: 'one.md', status: 'modified', additions: 1, deletions: 1, isBinary: false },
      { ...sides, path: 'picture', status: 'modified', isBinary: true },
      { ...sides, path: 'two', status: 'deleted', additions: 0, deletions: 1, isBinary: false },
      { ...sides, path: 'l', status: 'added', additions: 1, deletions: 0, isBinary: false },
    ] as const
    const filesOf = createCheckpointFiles({
      diff: async () => ({
        ok: true,
        from: '',
        to: '',
        files,
        text: { bytes: Buffer.from(diff + long), isCut: false },
      }),
    })
    const result = await filesOf(row('r', 'b'), 'a')
    expect(result.files.slice(0, 3)).toEqual([
      {
        path: 'one.md',
        status: 'modified',
        additions: 1,
        deletions: 1,
        diff: '@@ -1 +1 @@\n-diff --git a/x b/x\n+new',
      },
      { path: 'picture', status: 'modified', note: 'No text.' },
      { path: 'two', status: 'deleted', additions: 0, deletions: 1, diff: '@@ -1 +0,0 @@\n-gone' },
    ])
    expect(result.files[3]?.diff).toHaveLength(40_000)
    expect(result.files[3]?.note).toContain('The beginning only')
    expect(await filesOf(row('r', 's', 'start'), undefined)).toEqual({ files: [], filesLeftOut: 0 })
  })
})
