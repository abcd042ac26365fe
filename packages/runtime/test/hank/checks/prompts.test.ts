import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { checkPrompts } from '../../../src/hank/checks/small-rules.ts'
import { templateVariables } from '../../../src/hank/prompt-content.ts'
import { fillTemplate } from '../../../src/prompt/assemble.ts'
import { places, told } from './problems.ts'

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

describe('a variable that is not spelled well', () => {
  it('is pointed at in every text that is sent, with the one that was meant', async () => {
    const hank = hankOf(
      [
        codonOf('a', {
          promptText: 'Read\n<%DATADIR%> and <% DATA_DIR %>.',
          exhaustWithPrompt: '<%AGENT ROOT%>',
        }),
        codonOf('b', { appendSystemPromptText: 'Work in <%PROJECT_ROOT%>.' }),
      ],
      { globalSystemPromptText: '<%EXECUTIONDIR%>' },
    )
    expect(await told(checkPrompts, hank)).toEqual([
      'warning: globalSystemPromptText: globalSystemPromptText has <%EXECUTIONDIR%> in line 1, which is not replaced. Did you mean <%EXECUTION_DIR%>?',
      'warning: hank[0].promptText: Codon 1 (a): promptText has <%DATADIR%> in line 2, which is not replaced. Did you mean <%DATA_DIR%>?',
      'warning: hank[0].promptText: Codon 1 (a): promptText has <% DATA_DIR %> in line 2, which is not replaced. Did you mean <%DATA_DIR%>?',
      'warning: hank[0].exhaustWithPrompt: Codon 1 (a): exhaustWithPrompt has <%AGENT ROOT%> in line 1, which is not replaced. Did you mean <%AGENT_ROOT%>?',
      'warning: hank[1].appendSystemPromptText: Codon 2 (b): appendSystemPromptText has <%PROJECT_ROOT%> in line 1, which is not replaced. Did you mean <%PROJECT_DIR%>?',
    ])
  })

  it.each([
    'All four: <%AGENT_ROOT%><%PROJECT_DIR%><%EXECUTION_DIR%><%DATA_DIR%>',
    'Another language: <%TITLE%> <%= it.events %> <% if (a) { %> <%data_dir%>',
    'No end: <%DATADIR <% DATA_DIR',
  ])('is not seen in %j', async promptText => {
    expect(await told(checkPrompts, hankOf([codonOf('a', { promptText })]))).toEqual([])
  })

  it('is told once for each spelling, three times at most, and found in a moment', async () => {
    const spellings = ['<%DATADIR%>', '<%DATA_DIRR%>', '<%DATA__DIR%>', '<%DAT_DIR%>']
    const promptText = `${spellings.join(' ').repeat(100)}${'<%A'.repeat(1_000_000)}`
    const before = performance.now()
    expect(await told(checkPrompts, hankOf([codonOf('a', { promptText })]))).toHaveLength(3)
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  it('is one that the prompts do not have', () => {
    for (const name of templateVariables)
      expect(fillTemplate(`<%${name}%>`, '/root/of/it')).not.toContain('<%')
  })
})
