import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { PromptParts } from '../../src/prompt/assemble.ts'
import { assemblePrompt, type PromptFile } from '../../src/prompt/index.ts'

const files = (...texts: readonly string[]): readonly PromptFile[] =>
  texts.map((text, at) => ({ file: `p${at}.md`, text }))
const assemble = (parts: Partial<PromptParts>) =>
  assemblePrompt({ agentRoot: '/r', prompt: { text: 'Do it.' }, ...parts })

describe('the prompt', () => {
  verifies(['2.3/prompt-file-wins'], 'is the file when file and text are both there', async () => {
    expect((await assemble({ prompt: { files: files('from file'), text: 'from text' } })).prompt).toBe(
      'from file',
    )
    expect((await assemble({ prompt: { text: 'from text' } })).prompt).toBe('from text')
    expect((await assemble({ prompt: { files: [], text: 'from text' } })).prompt).toBe('from text')
  })

  verifies(
    ['2.1/prompt-files-concatenated', 'd8/prompt-files-joined'],
    'of several files is their texts in order, with one blank line between',
    async () => {
      const { prompt } = await assemble({ prompt: { files: files('one\n', '\n\ntwo\r\n\r\n', 'three\n') } })
      expect(prompt).toBe('one\n\ntwo\n\nthree\n')
    },
  )

  it('leaves out files with nothing in them, and is empty when all are', async () => {
    expect((await assemble({ prompt: { files: files('one', ' \n', 'two') } })).prompt).toBe('one\n\ntwo')
    expect((await assemble({ prompt: { files: files('') } })).prompt).toBe('')
    expect((await assemble({ prompt: {} })).prompt).toBe('')
  })

  verifies(
    ['d8/front-matter-metadata', 'd8/front-matter-not-sent', 'd8/front-matter-first-wins'],
    'loses its front matter, which becomes the metadata, the first file that has a field giving it',
    async () => {
      const first = '---\nname: First\ntags: [a]\n---\none'
      const second = '---\nname: Second\nauthor: Ann\ndescription: D\nversion: 2.0\ntags: [b]\n---\ntwo'
      const { prompt, metadata, problems } = await assemble({ prompt: { files: files(first, second) } })
      expect(prompt).toBe('one\n\ntwo')
      expect(metadata).toEqual({
        name: 'First',
        tags: ['a'],
        author: 'Ann',
        description: 'D',
        version: '2.0',
      })
      expect(problems).toEqual([])
    },
  )

  it('keeps front matter that cannot be read, and says so', async () => {
    const { prompt, metadata, problems } = await assemble({ prompt: { files: files('---\n- x\n---\none') } })
    expect(prompt).toBe('---\n- x\n---\none')
    expect(metadata).toEqual({})
    expect(problems).toMatchObject([{ severity: 'warning', place: { file: 'p0.md' } }])
  })
})

describe('the system prompt', () => {
  verifies(
    ['2.1/global-prompt-first', '2.1/system-prompt-parts-joined'],
    'is the global part, a blank line, and what the codon appends',
    async () => {
      const { systemPrompt } = await assemble({
        globalSystemPrompt: { files: files('g1\n', 'g2\n') },
        appendSystemPrompt: { files: files('a1\n', 'a2') },
      })
      expect(systemPrompt).toBe('g1\n\ng2\n\na1\n\na2')
      const texts = await assemble({ globalSystemPrompt: { text: 'g' }, appendSystemPrompt: { text: 'a' } })
      expect(texts.systemPrompt).toBe('g\n\na')
    },
  )

  verifies(
    ['2.3/append-prompt-file-appended', '2.3/append-prompt-text-appended'],
    'holds what the codon appends, from files or as text',
    async () => {
      expect((await assemble({ appendSystemPrompt: { files: files('from file') } })).systemPrompt).toBe(
        'from file',
      )
      expect((await assemble({ appendSystemPrompt: { text: 'from text' } })).systemPrompt).toBe('from text')
    },
  )

  verifies(
    ['2.1/system-prompt-processed-after-join'],
    'is filled in and stripped after it was joined',
    async () => {
      const { systemPrompt } = await assemble({
        globalSystemPrompt: { text: 'In <%AGENT_ROOT%>. <!-- begins here' },
        appendSystemPrompt: { text: 'ends here -->\nData: <%DATA_DIR%>' },
      })
      expect(systemPrompt).toBe('In /r. Data: /r/read_only_data_source')
    },
  )

  it('is absent when nothing is left of it', async () => {
    expect(await assemble({})).not.toHaveProperty('systemPrompt')
    expect(await assemble({ globalSystemPrompt: { text: '<!-- x -->\n' } })).not.toHaveProperty(
      'systemPrompt',
    )
    expect(await assemble({ globalSystemPrompt: {}, appendSystemPrompt: { text: '' } })).not.toHaveProperty(
      'systemPrompt',
    )
  })

  it('loses front matter too, which says nothing about the prompt', async () => {
    const global = files('---\nname: Style\n---\nBe brief.')
    const { systemPrompt, metadata } = await assemble({ globalSystemPrompt: { files: global } })
    expect(systemPrompt).toBe('Be brief.')
    expect(metadata).toEqual({})
  })
})

describe('every text', () => {
  const everywhere = async (text: string) => {
    const { prompt, systemPrompt, exhaustWithPrompt } = await assemble({
      prompt: { files: files(text) },
      globalSystemPrompt: { text },
      exhaustWithPrompt: text,
    })
    expect([systemPrompt, exhaustWithPrompt]).toEqual([prompt, prompt])
    return prompt
  }

  verifies(['2.1/html-comments-stripped'], 'loses its comments', async () => {
    expect(await everywhere('a <!-- hidden -->\n\nb')).toBe('a b')
  })

  verifies(
    ['2.10/user-prompts', '2.10/system-prompts', '2.10/exhaust-with-prompt', '2.10/agent-root'],
    'has its template variables filled in',
    async () => {
      expect(await everywhere('in <%AGENT_ROOT%>/src')).toBe('in /r/src')
    },
  )

  verifies(
    ['2.10/project-dir', '2.10/execution-dir', '2.10/data-dir'],
    'knows the aliases and the data directory',
    async () => {
      expect(await everywhere('<%PROJECT_DIR%> <%EXECUTION_DIR%> <%DATA_DIR%>')).toBe(
        '/r /r /r/read_only_data_source',
      )
    },
  )

  verifies(['d8/unknown-template-kept'], 'keeps variables that nobody knows', async () => {
    expect(await everywhere('<%FOO%> and <%= x %>')).toBe('<%FOO%> and <%= x %>')
  })
})
