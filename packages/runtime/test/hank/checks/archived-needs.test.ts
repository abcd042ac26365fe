import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { checkArchivedNeeds } from '../../../src/hank/checks/archived-needs.ts'
import { told } from './problems.ts'

const outputs = (...copy: string[]) => ({ outputFiles: [{ copy }] })

describe('a directory in archiveOnSuccess', () => {
  verifies(
    ['d14/archive-needed-later'],
    'is warned of when a later codon copies outputs from it or works in it',
    async () => {
      const loop = loopOf('l', [codonOf('a')], { archiveOnSuccess: ['workspace/artifact'] })
      expect(
        await told(
          checkArchivedNeeds,
          hankOf([loop, codonOf('b', { ...outputs('workspace/artifact/**/*') })]),
        ),
      ).toEqual([
        'warning: hank[0].archiveOnSuccess[0]: Loop 1 (l): archiveOnSuccess workspace/artifact moves that directory with everything in it, but Codon 2 (b) copies the output workspace/artifact/**/*. Name the files that may go, such as workspace/artifact/*.tmp.',
      ])
      const codons = [
        codonOf('a', { archiveOnSuccess: ['*.tmp', '/draft/'] }),
        codonOf('b', { checkpointedFiles: ['draft/**'] }),
      ]
      expect(await told(checkArchivedNeeds, hankOf(codons))).toEqual([
        expect.stringContaining(
          'warning: hank[0].archiveOnSuccess[1]: Codon 1 (a): archiveOnSuccess /draft/ moves that directory with everything in it, but Codon 2 (b) works on draft/**.',
        ),
      ])
    },
  )

  test('is fine when nobody after it needs it, and so are files, wildcards and what only begins alike', async () => {
    const quiet = [
      [codonOf('a', { ...outputs('draft/**') }), codonOf('b', { archiveOnSuccess: ['draft'] })],
      [codonOf('a', { archiveOnSuccess: ['draft/**'] }), codonOf('b', { ...outputs('draft/x.md') })],
      [codonOf('a', { archiveOnSuccess: ['draft'] }), codonOf('b', { ...outputs('drafts/**', '!draft/x') })],
      [codonOf('a', { archiveOnSuccess: ['draft'], ...outputs('draft/**') })],
    ]
    for (const items of quiet) expect(await told(checkArchivedNeeds, hankOf(items))).toEqual([])
  })
})
