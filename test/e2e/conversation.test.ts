import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'

describe('the conversation of an execution', () => {
  verifies(
    ['repair/conversation'],
    'is printed with prompts, answers, tool calls and results, of both agents, for all codons or for one',
    async () => {
      const at = await hankFolder(
        [
          codon('a', { promptText: 'Count the <%AGENT_ROOT%> files.', appendSystemPromptText: 'Be brief.' }),
          codon('b', { model: 'openai/gpt-5', promptText: 'Now say the number.' }),
        ],
        {
          'rehearsal.json': {
            codons: {
              a: [bash('echo seven'), { say: 'There are **seven**.' }],
              b: [{ say: 'Seven it is.' }],
            },
          },
        },
      )
      expect(at.rehearse('--headless').status).toBe(0)
      const { stdout, status } = at.weave('journal', '--conversation', '-e', at.execution())
      expect(status).toBe(0)
      const order = ['System prompt\n  Be brief.', `Prompt\n  Count the ${at.workspace()} files.`]
      const talk = ['Tool Bash\n  command: echo seven', 'Result\n  seven', 'Agent\n  There are **seven**.']
      const rest = ['codon a completed', 'Prompt\n  Now say the number.', 'Agent\n  Seven it is.']
      const places = [...order, ...talk, ...rest].map(text => stdout.indexOf(text))
      expect(places, stdout).toEqual([...places].sort((one, other) => one - other))
      expect(places).not.toContain(-1)
      const one = at.weave('journal', '--conversation', '--codon', 'b', '-e', at.execution()).stdout
      expect(one).toContain('Now say the number.')
      expect(one).not.toContain('Be brief.')
    },
    120_000,
  )
})
