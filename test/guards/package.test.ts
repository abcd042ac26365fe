import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { installableHarnesses } from '../../packages/runtime/src/harness/index.ts'
import { createRedactor } from '../../packages/runtime/src/kit/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { root, runCli } from '../support/weave-command.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies?: object
  readonly optionalDependencies?: object
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const source = join(root, 'packages/cli')
const manifest = manifestIn(source)

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

describe('the published package', () => {
  verifies(
    ['d1/package-name', 'd1/command-name', 'd1/version-start', 'd1/schema-files-shipped'],
    'is weave-runtime from 0.10.0 on, with the command weave and the schemas',
    () => {
      expect(manifest.name).toBe('weave-runtime')
      expect(Object.keys(manifest.bin)).toEqual(['weave'])
      const [major = 0, minor = 0] = manifest.version.split('.').map(Number)
      expect(major > 0 || minor >= 10).toBe(true)

      const [packed] = JSON.parse(
        execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
          cwd: source,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      ) as readonly { readonly files: readonly { readonly path: string }[] }[]
      const paths = packed?.files.map(({ path }) => path)
      expect(paths).toEqual(
        expect.arrayContaining(['hank', 'weave', 'sentinel'].map(kind => `schemas/${kind}.schema.json`)),
      )
      expect(paths).toContain(manifest.bin['weave'])
    },
  )
})

verifies(
  ['install/no-dependencies'],
  'the packed command has no dependencies but optional peers, all in the versions of the one table',
  () => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest
    expect({ dependencies, optionalDependencies }).toEqual({})
    // Agents that speak ACP are programs of others: nothing of theirs is loaded.
    const rows: readonly { readonly packages: Readonly<Record<string, string>> }[] = Object.values(
      installableHarnesses,
    ).filter(({ harness }) => harness !== 'acp')
    const pins = Object.assign({}, ...rows.map(({ packages }) => packages)) as Manifest['peerDependencies']
    expect(peerDependencies).toEqual(pins)
    for (const name of Object.keys(pins)) expect(peerDependenciesMeta[name]).toEqual({ optional: true })
    expect(manifestIn(join(root, 'packages/runtime')).devDependencies).toMatchObject(pins)
  },
)

describe('help', () => {
  verifies(['d2/help-is-honest'], 'lists the commands that there are, and each can be called', async () => {
    const { stdout } = runCli(['--help'])
    const listed = [...stdout.matchAll(/^ {2}weave ([a-z-]+)\b/gm)].map(([, name = '']) => name)
    const visible = Object.entries(commands).filter(([name, { hidden }]) => !hidden && name !== 'run')
    expect(listed.filter(name => name !== 'run').sort()).toEqual(visible.map(([name]) => name).sort())
    const args = { positionals: [], switches: new Set<never>(), texts: {} }
    for (const [name, { load }] of visible) expect(await load(args), name).toBeTypeOf('function')
  })

  verifies(['d13/command'], 'knows a rehearsal with every flag of a run', () => {
    const onlyForChecking = ['validate', 'verbose']
    const run = commands['run']?.flags.filter(flag => !onlyForChecking.includes(flag)) ?? []
    const flags = commands['rehearse']?.flags ?? []
    expect(run.filter(flag => !flags.includes(flag))).toEqual([])
    expect(flags).toContain('script')
    expect(commands['rehearse']?.usage).toMatch(/^weave rehearse \[hank\] \[data\]/)
  })
})

describe('examples', () => {
  verifies(['5/secrets-not-in-examples'], 'and pages hold no key, only words in its place', () => {
    const redactor = createRedactor([])
    const files = ['README.md', ...['docs', 'examples', 'packages/cli/src/init'].flatMap(textsIn)]
    expect(files.length).toBeGreaterThan(50)
    const found: string[] = []
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8')
      if (redactor.text(text) !== text) found.push(file)
      for (const [line, value = ''] of text.matchAll(/\b[A-Z_]+_(?:API_KEY|TOKEN|SECRET)=["']?([^\s"'`]*)/g))
        if (value.length >= 8 && !/^(?:<|\$|\.\.\.|…|unset|your-|a-)/.test(value))
          found.push(`${file}: ${line}`)
    }
    expect(found).toEqual([])
  })
})

function textsIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(?:md|json|ts|js|mjs|py|html|sh)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name).slice(root.length))
    .filter(path => !path.includes('node_modules') && !path.includes('.vitepress/dist'))
}
