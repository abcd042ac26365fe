import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { installableHarnesses } from '../../packages/runtime/src/harness/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { installedWeave } from '../support/installed-weave.ts'
import { packageRegistry } from '../support/package-registry.ts'
import { smallHarness } from './harness-packages.ts'

const pin = installableHarnesses.claude.packages['@anthropic-ai/claude-agent-sdk']
const patience = 120_000

/** A command without agents, and a registry that has the first one, small. */
async function bare() {
  const installed = await installedWeave()
  const registry = await packageRegistry(smallHarness('claude'))
  const weave = installed.with(registry.env(installed.home))
  const folder = join(weave.home, '.weave/harnesses')
  /** All there is below the folder of harnesses, hidden or not. */
  const left = (): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort() : [])
  return { installed, weave, registry, folder, left }
}

describe('weave harness', () => {
  verifies(
    ['install/list', 'install/doctor'],
    'says what is not there and how to get it, in the list and in the findings of the doctor',
    async () => {
      const { weave } = await bare()
      const list = await weave.run('harness', 'list')
      expect(list.code).toBe(0)
      expect(list.said).toMatch(/^claude +Claude Agent SDK +\(0\.3\.325\) +about 413 MB +not installed$/m)
      expect(list.said).toContain('The Pi SDK is not installed. To install it: weave harness add pi\n')
      const json = JSON.parse((await weave.run('harness', 'list', '--json')).said) as readonly object[]
      expect(json.slice(0, 2)).toMatchObject([{ name: 'claude', pin, megabytes: 413 }, { name: 'pi' }])
      expect(json.slice(2)).toMatchObject(
        ['gemini', 'opencode', 'codex', 'claude-acp'].map(name => ({ name, problem: expect.anything() })),
      )
      const doctor = await weave.run('doctor', '--port', '0')
      expect(doctor.said).toMatch(
        /! +Claude Agent SDK +The Claude Agent SDK is not installed \(0\.3\.325, about 413 MB\)\. Install it: weave harness add claude/,
      )

      weave.lendHarness('claude')
      const [there] = JSON.parse((await weave.run('harness', 'list', '--json')).said) as readonly object[]
      expect(there).toMatchObject({ found: { where: 'home', version: pin } })
      const bytes = (there as { readonly found: { readonly bytes: number } }).found.bytes
      expect(bytes).toBeGreaterThan(100e6)
      const found = (await weave.run('doctor', '--port', '0')).said
      const size = `${Math.round(bytes / 2 ** 20)} MB`
      expect(found.replace(/ +/g, ' ')).toContain(`ok Claude Agent SDK ${pin}, ${size}, installed by weave: `)
    },
    patience,
  )

  verifies(
    ['install/add', 'install/add-unasked'],
    'says how big it is, asks, installs the exact version, and runs no script of it',
    async () => {
      const { weave, left } = await bare()
      const unasked = await weave.run('harness', 'add', 'claude')
      expect(unasked.code).toBe(1)
      expect(unasked.said).toContain(
        `Claude Agent SDK ${pin} (about 413 MB), into ${weave.home}/.weave/harnesses/claude`,
      )
      expect(unasked.said).toContain('weave harness add claude -y')
      expect(left()).toEqual([])

      const refused = await weave.answering('harness add claude', ['n\n'])
      expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('Nothing was done.') })
      // Ctrl-C at the question.
      expect((await weave.answering('harness add claude', ['\u0003'])).code).not.toBe(0)
      expect(left()).toEqual([])

      const added = await weave.answering('harness add claude', ['\n'])
      expect(added.said).toContain(`Installed the Claude Agent SDK ${pin} in `)
      expect(added.code).toBe(0)
      expect(left()).toEqual(['claude'])
      expect(existsSync(join(weave.home, 'script-ran'))).toBe(false)

      const again = await weave.run('harness', 'add', 'claude')
      expect(again).toMatchObject({ code: 0, said: expect.stringContaining(`SDK ${pin} is there: `) })
    },
    patience,
  )

  verifies(
    ['install/add-atomic', 'install/doctor'],
    'leaves an older one in place when the install fails, and replaces it when it does not',
    async () => {
      const { weave, registry, folder, left } = await bare()
      expect((await weave.run('harness', 'add', 'claude', '-y')).code).toBe(0)
      const manifest = join(folder, 'claude/node_modules/@anthropic-ai/claude-agent-sdk/package.json')
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(pin, '0.1.0'))
      expect((await weave.run('doctor', '--port', '0')).said).toMatch(
        /! +Claude Agent SDK +0\.1\.0, .*This weave was made for 0\.3\.325\. Install it: weave harness add claude/,
      )
      const nothing = await packageRegistry([])
      const failed = await weave.with(nothing.env(weave.home)).run('harness', 'add', 'claude', '-y')
      expect(failed.code).toBe(1)
      expect(failed.said).toMatch(
        /npm could not install the Claude Agent SDK \(E404\): .*\nAgain: weave harness add claude\n/,
      )
      expect(left()).toEqual(['claude'])
      expect(readFileSync(manifest, 'utf8')).toContain('0.1.0')

      // Stopped in the middle of the download, then killed there.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
        const { waiting, release } = registry.hold()
        rmSync(join(weave.home, 'npm-cache'), { recursive: true, force: true })
        const started = weave.start('harness', 'add', 'claude', '-y')
        await waiting
        const code = await started.kill(signal)
        release()
        expect(code).toBe({ SIGINT: 130, SIGTERM: 143, SIGKILL: null }[signal])
        expect(readFileSync(manifest, 'utf8')).toContain('0.1.0')
        if (signal !== 'SIGKILL') expect(left()).toEqual(['claude'])
      }
      expect(left().length).toBeGreaterThan(1)
      const replaced = await weave.run('harness', 'add', 'claude', '-y')
      expect(replaced.code).toBe(0)
      expect(left()).toEqual(['claude'])
      expect(readFileSync(manifest, 'utf8')).toContain(pin)
    },
    patience,
  )

  verifies(
    ['install/add-lock'],
    'refuses a second install while the first one is at work',
    async () => {
      const { weave, registry, left } = await bare()
      const { waiting, release } = registry.hold()
      const first = weave.start('harness', 'add', 'claude', '-y')
      await waiting
      const second = await weave.run('harness', 'add', 'claude', '-y')
      expect(second.code).toBe(1)
      expect(second.said).toContain(
        `Process ${first.child.pid} is installing or removing the Claude Agent SDK`,
      )
      release()
      expect(await first.ended).toBe(0)
      expect(left()).toEqual(['claude'])
    },
    patience,
  )

  verifies(
    ['install/add-offline', 'install/add-own-settings'],
    'says within seconds that there is no network, whatever settings lie beside the hank',
    async () => {
      const { installed, weave, registry, left } = await bare()
      const offline = weave.with({ npm_config_registry: 'http://127.0.0.1:9/' })
      const since = performance.now()
      const { code, said } = await offline.run('harness', 'add', 'claude', '-y')
      expect(code).toBe(1)
      expect(said).toContain(
        'The registry of npm cannot be reached (ECONNREFUSED), so the Claude Agent SDK was not installed',
      )
      expect(said).toContain('npm config list')
      expect(performance.now() - since).toBeLessThan(25_000)
      expect(left()).toEqual([])

      // A setting in the environment would win over any file, so the good one is the person's own file.
      const { npm_config_registry: address = '', ...rest } = registry.env(weave.home)
      const settings = join(weave.home, 'npmrc')
      writeFileSync(settings, `registry=${address}\n`)
      weave.hank.write({ '.npmrc': 'registry=http://127.0.0.1:9/\nignore-scripts=false\n' })
      const own = installed.with({ ...rest, npm_config_userconfig: settings })
      expect(await own.run('harness', 'add', 'claude', '-y')).toMatchObject({ code: 0 })
    },
    patience,
  )

  verifies(
    ['install/remove'],
    'removes what it added after a yes, and nothing else',
    async () => {
      const { weave, left } = await bare()
      const nothing = await weave.run('harness', 'remove', 'claude')
      expect(nothing).toMatchObject({ code: 1, said: 'The Claude Agent SDK is not installed.\n' })
      expect((await weave.run('harness', 'add', 'claude', '-y')).code).toBe(0)
      const unasked = await weave.run('harness', 'remove', 'claude')
      expect(unasked).toMatchObject({ code: 1, said: expect.stringContaining('add -y to say yes') })
      expect(left()).toEqual(['claude'])
      expect((await weave.run('harness', 'remove', 'claude', '-y')).code).toBe(0)
      expect(left()).toEqual([])
      const wrong = await weave.run('harness', 'remove', 'claud')
      expect(wrong).toMatchObject({ code: 2, said: expect.stringContaining('weave harness remove claude') })
    },
    patience,
  )
})
