import { describe, expect, test } from 'vitest'
import { parseAge } from '../../src/checkpoints/gc.ts'
import { previewLines } from '../../src/checkpoints/rollback.ts'
import { bytesText } from '../../src/terminal.ts'

describe('the words of the commands on checkpoints', () => {
  test('an age is a number with a unit, and nothing else is one', () => {
    expect(['30s', '5m', '12h', '7d', '2w', '0d'].map(parseAge)).toEqual([
      30_000, 300_000, 43_200_000, 604_800_000, 1_209_600_000, 0,
    ])
    expect(['', '7', 'd', '-7d', '7.5d', '7 d', '7days', '9999999d'].map(parseAge)).toEqual(
      Array.from({ length: 8 }, () => undefined),
    )
  })

  test('a size has the unit in which it is easy to read', () => {
    expect([0, 1, 1023, 1024, 1536, 5 << 20, 3 * 1024 ** 5].map(bytesText)).toEqual([
      '0 B',
      '1 B',
      '1023 B',
      '1.0 KB',
      '1.5 KB',
      '5.0 MB',
      '3072.0 TB',
    ])
  })

  test('a preview names every path without a trace of what a terminal would obey', () => {
    const lines = previewLines({
      label: 'draft completed, 1a2b3c4d',
      sha: '1a2b3c4d',
      create: ['new.md'],
      change: [],
      delete: ['bad\u001b[2J.md'],
      unchanged: 3,
      movedAside: ['own'],
      unarchived: ['old.txt'],
      archivedAgain: [],
      rigCopies: ['template'],
      rigPutBack: ['tool'],
      undone: ['b', 'a'],
      outputs: [{ codonId: 'b', directory: '/results', files: ['notes\u001b[2J.md'] }],
      next: { codonId: 'a', withoutRig: true },
    })
    expect(lines.slice(0, 3)).toEqual([
      'Back to    draft completed, 1a2b3c4d',
      'Undone     b, a',
      'Next       a, without its rig',
    ])
    expect(lines.filter(line => line.includes(':'))).toEqual([
      'create: 1',
      'delete: 1',
      'move aside (never checkpointed): 1',
      'put back from the archive: 1',
      'move out of the workspace (rig copies): 1',
      'copy again (rig): 1',
      'stay in /results (outputs of b): 1',
      'unchanged: 3 files',
    ])
    expect(lines.join('\n')).not.toContain('\u001b')
  })
})
