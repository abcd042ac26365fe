import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder, rig } from '../support/hank-folder.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

verifies(
  ['moves/hank-of-this-start'],
  'an execution whose hank was moved goes on with the prompts and rig files of where it is now',
  async () => {
    const copies = { rigSetup: [{ type: 'copy', copy: { from: 'template.md', to: 'copied.md' } }] }
    const items = [
      codon('a', { promptText: undefined, promptFile: 'task.md', ...rig('true') }),
      codon('b', { promptText: undefined, promptFile: 'task.md', ...copies }),
    ]
    const at = await hankFolder([])
    at.write({
      'old/hank.json': { $schema: 'x', hank: items },
      'old/task.md': 'As it was.',
      'old/template.md': 'kept',
    })
    const dir = at.path('execution')
    const first = await at.scripted('old', '-e', dir, '--gate', 'before:b', '--on-gate', 'exit', '--headless')
    expect(first.status, first.stderr).toBe(3)
    mkdirSync(at.path('elsewhere'))
    renameSync(at.path('old'), at.path('elsewhere/new'))
    at.write({ 'elsewhere/new/task.md': 'As it is now.' })
    const second = await at.scripted('elsewhere/new', '-e', dir, '--no-gate', 'before-b', '-y', '--headless')
    expect(second.status, second.stderr).toBe(0)
    expect(readFileSync(`${dir}/agentRoot/copied.md`, 'utf8')).toBe('kept')
  },
)
