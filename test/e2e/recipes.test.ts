import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { root } from '../../scripts/repository.mjs'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder, type WholeHank } from '../support/hank-folder.ts'

/** The code below a heading of a page, in the order in which it stands there. */
function codeBelow(page: string, heading: string): readonly string[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8')
  const section = text.split(/^(?=## )/m).find(part => part.startsWith(`## ${heading}\n`)) ?? ''
  return [...section.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(match => match[1] ?? '')
}

const isolated = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
const author = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' }
const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' }
const gitEnv = { ...isolated, ...author, ...committer }

describe('recipes of the handbook', () => {
  verifies(
    ['repair/handbook-recipes'],
    'work on a repository and hand the commits back',
    async () => {
      const [hank = '', commands = ''] = codeBelow('recipes.md', 'On your own repository')
      const change = [bash('cd project && echo two >> a.txt && git commit -qam "Add two"'), { say: 'Done.' }]
      const handOver = [bash('echo "It adds two." > summary.md'), { say: 'Done.' }]
      const at = (
        await hankFolder(JSON.parse(hank) as WholeHank, {
          'rehearsal.json': { codons: { change, 'hand-over': handOver } },
          'project/a.txt': 'one\n',
        })
      ).with(gitEnv)
      const git = (...words: readonly string[]): string => {
        const env = { ...process.env, ...gitEnv }
        const { status, stdout, stderr } = spawnSync('git', words, { cwd: at.path('project'), env })
        expect(status, stderr.toString()).toBe(0)
        return stdout.toString()
      }
      git('init', '-q', '-b', 'main')
      git('add', '-A')
      git('commit', '-qm', 'first')

      const run = at.rehearse('hank.json', 'project', '--headless', '--port', '0')
      expect(run.status, run.stderr).toBe(0)
      const fetch = commands.split('\n').find(line => line.startsWith('git fetch ')) ?? ''
      const [, , bundle = '', branch = ''] = fetch.replace('my-hank', '..').split(' ')
      git('fetch', '-q', bundle, branch)
      expect(git('log', '--format=%s', 'main..weave')).toBe('Add two\n')
      expect(git('status', '--short')).toBe('')
    },
    120_000,
  )

  verifies(['repair/handbook-recipes'], 'add a local model', async () => {
    const [models = ''] = codeBelow('agents.md', 'Models of your own')
    const [commands = ''] = codeBelow('agents.md', 'Local models')
    const name = /-m (\S+)/.exec(commands)?.[1] ?? ''
    const at = await hankFolder([codon('a', { model: name })], { 'home/.weave/models.json': models })
    const { stdout } = at.weave('models', 'den/', '--json')
    const own = { id: 'qwen3-coder', provider: 'den', hasCredential: true }
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining(own)])
    const checked = at.weave('validate', '--skip-self-test')
    expect(checked.status, checked.stdout).toBe(0)
    expect(checked.stdout).toContain(name.replace('ollama/', ''))
  })
})
