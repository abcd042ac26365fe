import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { checkPrompts } from '../../../src/hank/checks/prompts.ts'
import { places, told } from './problems.ts'

const megabyte = 1_048_576

describe('where prompts come from', () => {
  verifies(
    ['2.3/prompt-source-required', '7.3/load-missing-prompt-source'],
    'a codon without a prompt is an error, also in a loop, and so is one whose only prompt is blank',
    async () => {
      const none = codonOf('a', { promptText: undefined })
      expect(await told(checkPrompts, hankOf([none]))).toEqual([
        'error: hank[0]: Codon 1 (a): has no prompt. Add promptFile or promptText.',
      ])
      expect(await places(checkPrompts, hankOf([loopOf('l', [none])]))).toEqual(['error hank[0].codons[0]'])
      expect(await told(checkPrompts, hankOf([codonOf('a', { promptText: ' \n' })]))).toEqual([
        'error: hank[0]: Codon 1 (a): has an empty promptText and no promptFile. Add promptFile or promptText.',
      ])
    },
  )

  verifies(['2.3/prompt-both-accepted'], 'a codon may have promptFile and promptText', async () => {
    const both = codonOf('a', { promptFile: 'a.md', promptText: 'x' })
    expect(await told(checkPrompts, hankOf([both]))).toEqual([])
  })

  verifies(
    ['2.1/global-prompt-exclusive', '7.3/load-both-global-prompts'],
    'both global system prompts together are an error, and one alone is fine',
    async () => {
      const file = { globalSystemPromptFile: 'a.md' }
      const text = { globalSystemPromptText: '' }
      expect(await told(checkPrompts, hankOf([codonOf('a')], { ...file, ...text }))).toEqual([
        'error: globalSystemPromptText: globalSystemPromptFile and globalSystemPromptText cannot be used together. Keep one of them.',
      ])
      for (const one of [file, text])
        expect(await told(checkPrompts, hankOf([codonOf('a')], one))).toEqual([])
    },
  )

  verifies(
    ['2.3/append-prompt-exclusive', '7.3/load-both-append-prompts'],
    'both append variants together are an error, and one alone is fine',
    async () => {
      const file = { appendSystemPromptFile: 'a.md' }
      const text = { appendSystemPromptText: 'x' }
      expect(await told(checkPrompts, hankOf([codonOf('a', { ...file, ...text })]))).toEqual([
        'error: hank[0].appendSystemPromptText: Codon 1 (a): appendSystemPromptFile and appendSystemPromptText cannot be used together. Keep one of them.',
      ])
      for (const one of [file, text])
        expect(await told(checkPrompts, hankOf([codonOf('a', one)]))).toEqual([])
    },
  )
})

describe('prompt files', () => {
  verifies(['7.3/warn-empty-prompt-file'], 'an empty prompt file gives a warning', async () => {
    const hankDir = await tempDir({ inMemory: true })
    await writeFile(join(hankDir, 'empty.md'), '')
    await writeFile(join(hankDir, 'blank.md'), ' \n\t\n')
    await writeFile(join(hankDir, 'good.md'), 'Hello.')
    const hank = hankOf(
      [
        codonOf('a', { promptFile: 'empty.md' }),
        codonOf('b', { promptFile: ['good.md', './blank.md'], appendSystemPromptFile: 'good.md' }),
      ],
      { globalSystemPromptFile: ['good.md'] },
    )
    expect(await told(checkPrompts, hank, { hankDir })).toEqual([
      'warning: hank[0].promptFile: Codon 1 (a): promptFile empty.md is empty. Write the prompt, or remove the reference.',
      'warning: hank[1].promptFile[1]: Codon 2 (b): promptFile ./blank.md is empty. Write the prompt, or remove the reference.',
    ])
  })

  verifies(
    ['7.3/warn-large-prompt-file', '8/prompt-file-size'],
    'a prompt file of 1 MB loads silently and a larger one warns',
    async () => {
      const hankDir = await tempDir({ inMemory: true })
      await writeFile(join(hankDir, 'full.md'), 'x'.repeat(megabyte))
      await writeFile(join(hankDir, 'over.md'), 'x'.repeat(megabyte + 1))
      const hank = hankOf([
        codonOf('a', { promptFile: 'full.md' }),
        codonOf('b', { appendSystemPromptFile: 'over.md' }),
      ])
      expect(await told(checkPrompts, hank, { hankDir })).toEqual([
        'warning: hank[1].appendSystemPromptFile: Codon 2 (b): appendSystemPromptFile over.md is larger than 1 MB. Shorten it, or let the agent read it as data.',
      ])
      const global = hankOf([codonOf('a')], { globalSystemPromptFile: 'over.md' })
      expect(await places(checkPrompts, global, { hankDir })).toEqual(['warning globalSystemPromptFile'])
    },
  )

  it('speaks once of a file that many codons name', async () => {
    const hankDir = await tempDir({ inMemory: true })
    await writeFile(join(hankDir, 'empty.md'), '')
    const codons = ['a', 'b', 'c'].map(id => codonOf(id, { promptFile: 'empty.md' }))
    expect(await places(checkPrompts, hankOf(codons), { hankDir })).toEqual(['warning hank[0].promptFile'])
  })

  it('leaves everything it cannot or must not read to the check of references, and never waits', async () => {
    const outer = await tempDir({ inMemory: true })
    const hankDir = join(outer, 'hank')
    await mkdir(join(hankDir, 'folder'), { recursive: true })
    await writeFile(join(outer, 'outside.md'), '')
    await symlink('../outside.md', join(hankDir, 'link.md'))
    await promisify(execFile)('mkfifo', [join(hankDir, 'pipe.md')])
    const promptFile = [
      'pipe.md',
      'folder',
      'link.md',
      '../outside.md',
      '/dev/null',
      'missing.md',
      'a\0b',
      '.',
    ]
    const hank = hankOf([codonOf('a', { promptFile })])
    expect(await told(checkPrompts, hank, { hankDir })).toEqual([])
  })
})
