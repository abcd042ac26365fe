import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import {
  codonOf,
  contextLoopOf,
  hankOf,
  loopOf,
  nextCodonOf,
} from '../../../../../test/support/hank-builder.ts'
import { checkContinuation } from '../../../src/hank/checks/continuation.ts'
import { places, told } from './problems.ts'

const haiku = { model: 'haiku' }

describe('the model of a continuation', () => {
  verifies(
    ['2.3/continuation-same-model', '7.3/load-continuation-model-mismatch'],
    'continuing a codon with another model is an error',
    async () => {
      const hank = hankOf([codonOf('a'), nextCodonOf('b', haiku)])
      expect(await told(checkContinuation, hank)).toEqual([
        'error: hank[1].model: Codon 2 (b): continues Codon 1 (a), which uses the model "sonnet", with another model, "haiku". Use one model for both, or set continuationMode to "fresh".',
      ])
      expect(await told(checkContinuation, hankOf([codonOf('a'), nextCodonOf('b')]))).toEqual([])
      expect(await told(checkContinuation, hankOf([codonOf('a'), codonOf('b', haiku)]))).toEqual([])
      const afterLoop = hankOf([loopOf('l', [codonOf('a'), codonOf('b', haiku)]), nextCodonOf('c')])
      expect(await places(checkContinuation, afterLoop)).toEqual(['error hank[1].model'])
    },
  )

  verifies(
    ['2.7/continue-same-model'],
    'in a loop the same holds for the codon before, also for the last one of the iteration before',
    async () => {
      const inside = hankOf([loopOf('l', [codonOf('a'), nextCodonOf('b', haiku)])])
      expect(await places(checkContinuation, inside)).toEqual(['error hank[0].codons[1].model'])
      const entering = hankOf([codonOf('a'), loopOf('l', [nextCodonOf('b', haiku)])])
      expect(await places(checkContinuation, entering)).toEqual(['error hank[1].codons[0].model'])
      const codons = [nextCodonOf('b'), codonOf('c', haiku)]
      expect(await told(checkContinuation, hankOf([codonOf('a'), loopOf('l', codons)]))).toEqual([
        'error: hank[1].codons[0].model: Codon 2.1 (b): from the second iteration on it continues Codon 2.2 (c), which uses the model "haiku", with another model, "sonnet". Use one model for both, or set continuationMode to "fresh".',
      ])
    },
  )

  it('knows that a loop of one iteration does not come back', async () => {
    const terminateOn = { type: 'iterationLimit', limit: 1 } as const
    const loop = loopOf('l', [nextCodonOf('b'), codonOf('c', haiku)], { terminateOn })
    expect(await told(checkContinuation, hankOf([codonOf('a'), loop]))).toEqual([])
  })

  it('compares the models that count: the override, the own one, the fallback', async () => {
    const differing = hankOf([codonOf('a'), nextCodonOf('b', haiku)])
    expect(await told(checkContinuation, differing, { modelOverride: 'opus' })).toEqual([])

    const without = nextCodonOf('b', { model: undefined })
    const same = hankOf([codonOf('a'), without], { overrides: { model: 'sonnet' } })
    expect(await told(checkContinuation, same)).toEqual([])
    const other = hankOf([codonOf('a'), without], { overrides: haiku })
    expect(await places(checkContinuation, other)).toEqual(['error hank[1].continuationMode'])
    expect(await told(checkContinuation, hankOf([codonOf('a'), without]))).toEqual([])
  })

  it('takes two names of one model for the same, and an unknown name by its letters', async () => {
    const full = { model: 'claude-sonnet-5-5' }
    const identities: Readonly<Record<string, string>> = {
      sonnet: 'sdk:anthropic/claude-sonnet-5-5',
      'claude-sonnet-5-5': 'sdk:anthropic/claude-sonnet-5-5',
      'pi/anthropic/claude-sonnet-5-5': 'embedded:anthropic/claude-sonnet-5-5',
    }
    const identityOf = (name: string) => identities[name]
    const same = hankOf([codonOf('a'), nextCodonOf('b', full)])
    expect(await told(checkContinuation, same, { identityOf })).toEqual([])
    expect(await places(checkContinuation, same)).toEqual(['error hank[1].model'])
    const forced = hankOf([codonOf('a'), nextCodonOf('b', { model: 'pi/anthropic/claude-sonnet-5-5' })])
    expect(await places(checkContinuation, forced, { identityOf })).toEqual(['error hank[1].model'])
    const unknown = hankOf([codonOf('a', { model: 'x' }), nextCodonOf('b', { model: 'y' })])
    expect(await places(checkContinuation, unknown, { identityOf })).toEqual(['error hank[1].model'])
  })

  it('does not advise a fresh codon where none is allowed', async () => {
    const hank = hankOf([codonOf('a'), contextLoopOf('l', [nextCodonOf('b', haiku)])])
    expect(await told(checkContinuation, hank)).toEqual([
      expect.stringMatching(/^error: hank\[1\]\.codons\[0\]\.model: .*"haiku"\. Use one model for both\.$/),
    ])
  })
})

describe('warnings about continuations', () => {
  verifies(['7.3/warn-first-codon-continues'], 'a first codon that continues gives a warning', async () => {
    expect(await told(checkContinuation, hankOf([nextCodonOf('a')]))).toEqual([
      'warning: hank[0].continuationMode: Codon 1 (a): continuationMode is "continue-previous", but this codon is the first and starts a new conversation. Set it to "fresh".',
    ])
    expect(await told(checkContinuation, hankOf([contextLoopOf('l', [nextCodonOf('a')])]))).toEqual([
      'warning: hank[0].codons[0].continuationMode: Codon 1.1 (a): continuationMode is "continue-previous", but this codon is the first and starts a new conversation. Put a "fresh" codon before the loop, which cannot begin with one itself.',
    ])
    expect(await told(checkContinuation, hankOf([codonOf('a')]))).toEqual([])
  })

  verifies(
    ['7.3/warn-continue-without-checkpointed-files'],
    'continuing a codon without checkpointed files gives a warning',
    async () => {
      const without = hankOf([codonOf('a', { checkpointedFiles: undefined }), nextCodonOf('b')])
      expect(await told(checkContinuation, without)).toEqual([
        'warning: hank[1].continuationMode: Codon 2 (b): continues Codon 1 (a), which has no checkpointedFiles: after a rollback the conversation speaks of files that were not restored. Add checkpointedFiles there.',
      ])
      for (const checkpointedFiles of [[], ['!secret', '!node_modules/**']]) {
        const idle = hankOf([codonOf('a', { checkpointedFiles }), nextCodonOf('b')])
        expect(await told(checkContinuation, idle)).toEqual([
          'warning: hank[1].continuationMode: Codon 2 (b): continues Codon 1 (a), whose checkpointedFiles select nothing: after a rollback the conversation speaks of files that were not restored. Add a pattern that selects files there.',
        ])
      }
      const none = { checkpointedFiles: undefined }
      expect(await told(checkContinuation, hankOf([codonOf('a', none), codonOf('b', none)]))).toEqual([])
      const again = hankOf([codonOf('a'), loopOf('l', [nextCodonOf('b', none)])])
      expect(await told(checkContinuation, again)).toEqual([
        expect.stringMatching(
          /Codon 2\.1 \(b\): from the second iteration on it continues itself, which has no /,
        ),
      ])
    },
  )

  verifies(
    ['7.3/warn-ignore-then-continue'],
    'continuing a codon whose failure is ignored gives a warning',
    async () => {
      const ignoring = codonOf('a', { onFailure: 'ignore' })
      expect(await told(checkContinuation, hankOf([ignoring, nextCodonOf('b')]))).toEqual([
        'warning: hank[1].continuationMode: Codon 2 (b): continues Codon 1 (a), whose failure is ignored (onFailure "ignore"): it may continue a conversation that broke off, or find none. Set onFailure to "abort" or "retry" there.',
      ])
      expect(await told(checkContinuation, hankOf([ignoring, codonOf('b')]))).toEqual([])
    },
  )
})
