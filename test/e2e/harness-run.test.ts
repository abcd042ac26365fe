import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon } from '../support/hank-folder.ts'
import { installedWeave } from '../support/installed-weave.ts'
import { packageRegistry } from '../support/package-registry.ts'
import { smallHarness } from './harness-packages.ts'

const patience = 120_000
const claude = codon('first', { model: 'sonnet' })
const pi = codon('second', { model: 'openai/gpt-5' })

/** Packages that tell when somebody loads them. */
function plant(folder: string, trace: string): void {
  const names = ['claude', 'pi'] as const
  for (const { manifest, files } of names.flatMap(smallHarness)) {
    const own = join(folder, 'node_modules', manifest.name)
    const texts = {
      'package.json': JSON.stringify(manifest),
      ...files,
      'index.js': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(trace)}, 'loaded')\n`,
      claude: `#!/bin/sh\necho loaded > ${trace}\n`,
    }
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(own, path)), { recursive: true })
      writeFileSync(join(own, path), text, { mode: 0o755 })
    }
  }
}

describe('a run', () => {
  verifies(
    ['install/resolve-order', 'install/never-working-directory'],
    'finds its agents in the home directory of the person, and never where it works or where a hank sends it',
    async () => {
      const weave = await installedWeave([claude, pi])
      const trace = weave.hank.path('trace')
      plant(weave.hank.cwd, trace)
      const planted = weave.hank.path('planted')
      for (const word of ['claude', 'pi']) plant(join(planted, '.weave/harnesses', word), trace)
      weave.hank.setHank([
        { ...claude, env: { HOME: planted } },
        { ...pi, env: { HOME: planted, NODE_PATH: join(weave.hank.cwd, 'node_modules') } },
      ])

      const without = await weave.run('rehearse', '--headless', '--port', '0')
      expect(without.code).toBe(1)
      expect(without.said).toContain('weave harness add claude\n  weave harness add pi\n')
      for (const word of ['claude', 'pi']) weave.lendHarness(word)
      const done = await weave.run('rehearse', '--headless', '--port', '0')
      expect(done.said).toContain('The hank is done')
      expect(done.code).toBe(0)
      expect(existsSync(trace)).toBe(false)
    },
    patience,
  )

  verifies(
    ['install/run-unasked'],
    'without its agent ends before an execution is made, with the command that installs it',
    async () => {
      const weave = await installedWeave([claude])
      const key = weave.with({ ANTHROPIC_API_KEY: 'none-but-set' })
      for (const words of [
        ['rehearse', '--headless'],
        ['rehearse', '--headless', '-y'],
        ['rehearse', '--headless', '--skip-self-test'],
        ['--headless', '--skip-self-test'],
        ['--headless', '-y', '--skip-self-test'],
      ]) {
        const { code, said } = await key.run(...words)
        expect(code, said).toBe(1)
        expect(said).toMatch(
          /This hank needs the Claude Agent SDK \(413 MB\)\. Not installed\. To install:\n {2}weave harness add claude\n$/,
        )
      }
      expect(weave.hank.executions()).toEqual([])
    },
    patience,
  )

  verifies(
    ['install/run-offers'],
    'offers at a terminal to install what it lacks, and then goes on',
    async () => {
      const installed = await installedWeave([claude])
      const registry = await packageRegistry(smallHarness('claude'))
      const weave = installed.with(registry.env(installed.home))
      const question = 'This hank needs the Claude Agent SDK (413 MB). Install it now? [Y/n] '
      const refused = await weave.answering('rehearse --headless --port 0', ['n\n'])
      expect(refused.code).toBe(1)
      expect(refused.said).toContain(question)
      expect(refused.said).toContain('  weave harness add claude')

      const accepted = await weave.answering('rehearse --headless --port 0', ['\n'])
      expect(accepted.said).toContain(question)
      expect(accepted.said).toContain('Installed the Claude Agent SDK')
      // The small package is no agent, but the run began with it.
      expect(accepted.said).toMatch(/run run_\w+ of hank started/)
      expect(weave.hank.executions()).toHaveLength(1)
    },
    patience,
  )

  verifies(
    ['install/validate-warns', 'install/init-line'],
    'can be checked without an agent, and init says how to get one',
    async () => {
      const weave = await installedWeave([claude, pi])
      const checked = await weave.run('validate', '--skip-self-test')
      expect(checked.code).toBe(0)
      expect(checked.said).toContain('Warnings:')
      expect(checked.said).toMatch(
        /The Claude Agent SDK is not installed\. Install it: weave harness add claude/,
      )
      expect(checked.said).toMatch(/The Pi SDK is not installed\. Install it: weave harness add pi/)
      expect(checked.said).toContain('Configuration is valid!')
      const json = await weave.run('validate', '--skip-self-test', '--json')
      expect(JSON.parse(json.said)).toMatchObject({ valid: true })

      const keys = { ANTHROPIC_API_KEY: 'none-but-set', OPENAI_API_KEY: 'none-but-set' }
      const strict = await weave.with(keys).run('validate')
      expect(strict.code).toBe(1)
      expect(strict.said).toMatch(
        /failed \(missing-harness\): The Claude Agent SDK is not installed\. Install it: weave/,
      )

      const init = await weave.run('init', 'new')
      expect(init.said).toMatch(
        /The Claude Agent SDK is not installed yet:\n\n {2}weave harness add claude\n$/,
      )
      weave.lendHarness('claude')
      expect((await weave.run('init', 'newer')).said).toMatch(/\n {2}weave newer\n$/)
    },
    patience,
  )
})
