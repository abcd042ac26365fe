import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { type Flag, flags } from '../../packages/cli/src/flags.ts'
import { inlinedPackages } from '../../scripts/bundle/inlined.mjs'
import { sbomOf } from '../../scripts/bundle/sbom.mjs'
import { contentProblems } from '../../scripts/release/contents.mjs'
import { tryInstalled } from '../../scripts/release/installed.mjs'
import { manifestProblems } from '../../scripts/release/manifests.mjs'
import { pack, packedProblems } from '../../scripts/release/packed.mjs'
import { verifies } from '../conformance/verifies.ts'
import { tempDir } from '../support/temp-dir.ts'
import { root, version } from '../support/weave-command.ts'

const cli = join(root, 'packages/cli')

function jsonIn(...path: readonly string[]) {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>
}

/** By the schemas of CycloneDX 1.6, without their descriptions. */
function cycloneProblems(sbom: object): readonly string[] {
  const { bom, spdx, jsf } = jsonIn(root, 'test/fixtures/cyclonedx-1.6.json') as Record<string, object>
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const place = 'http://cyclonedx.org/schema'
  ajv.addSchema({ ...spdx, $id: `${place}/spdx.SNAPSHOT.schema.json` })
  ajv.addSchema({ ...jsf, $id: `${place}/jsf-0.82.SNAPSHOT.schema.json` })
  const validate = ajv.compile(bom ?? {})
  validate(sbom)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('the packed command', () => {
  verifies(
    ['release/files', 'release/alone'],
    'holds the files of the list, is small, and works where nothing else is',
    async () => {
      const folder = await tempDir()
      const packed = pack(cli, folder)
      const list = join(root, 'scripts/release')
      expect(packedProblems(packed, list)).toEqual([])
      const more = { ...packed, size: 1_900_001, files: [...packed.files, { path: 'dist/weave.cjs.map' }] }
      expect(
        packedProblems({ ...more, files: more.files.filter(({ path }) => path !== 'LICENSE') }, list),
      ).toEqual([
        'dist/weave.cjs.map is packed, but not in the list',
        'LICENSE is in the list, but not packed',
        'the archive has 1900001 bytes; at most 1900000 are allowed',
      ])
      const archive = join(folder, packed.filename)
      const { problems, bytes } = tryInstalled({ archive, folder, root, version })
      expect(problems).toEqual([])
      expect(bytes).toBeLessThan(15_000_000)
      expect(tryInstalled({ archive, folder: await tempDir(), root, version: '9.9.9' }).problems).toEqual([
        expect.stringContaining('weave --version: exit 0, without "9.9.9"'),
      ])
    },
    240_000,
  )

  verifies(
    ['release/sbom', 'release/licences'],
    'says what is inside, exactly and each time the same',
    async () => {
      expect(contentProblems(cli)).toEqual([])
      const inputs = jsonIn(cli, 'dist/inputs.json') as unknown as readonly string[]
      const locked = jsonIn(root, 'package-lock.json')['packages'] as Record<
        string,
        { readonly integrity?: string }
      >
      const program = { name: 'weave-runtime', version, license: 'Apache-2.0' }
      const integrityOf = (place: string) => locked[place]?.integrity
      const packages = inlinedPackages(inputs, root)
      const again = sbomOf(program, inlinedPackages([...inputs].reverse(), root), {
        integrityOf,
        time: undefined,
      })
      const { timestamp: _, ...metadata } = jsonIn(cli, 'sbom.cdx.json')['metadata'] as Record<
        string,
        unknown
      >
      expect({ ...jsonIn(cli, 'sbom.cdx.json'), metadata }).toEqual(again)
      expect(again).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
      expect(cycloneProblems(jsonIn(cli, 'sbom.cdx.json'))).toEqual([])
      expect(cycloneProblems({ ...again, components: [{ type: 'thing', name: 'x' }] })).toContain(
        '/components/0/type must be equal to one of the allowed values',
      )
      expect(JSON.stringify(again)).toContain('"purl":"pkg:npm/%40ai-sdk/anthropic@3.0.138"')
      expect(packages.length).toBeGreaterThan(15)

      // One that is inside and not listed, one that is listed and not inside, one under a licence that we do not take.
      const copy = await tempDir({ inMemory: true })
      mkdirSync(join(copy, 'dist'))
      for (const file of ['dist/inputs.json', 'THIRD-PARTY-NOTICES.md'])
        cpSync(join(cli, file), join(copy, file))
      const [first, ...rest] = (again as { readonly components: readonly object[] }).components
      const strange = { name: 'strange', version: '1.0.0', licenses: [{ license: { id: 'GPL-3.0-only' } }] }
      writeFileSync(join(copy, 'sbom.cdx.json'), JSON.stringify({ components: [...rest, strange] }))
      const missing = first as { readonly purl: string }
      const name = decodeURIComponent(missing.purl.slice('pkg:npm/'.length))
      expect(contentProblems(copy)).toEqual([
        `sbom.cdx.json does not list ${name}`,
        'sbom.cdx.json lists strange@1.0.0, which is not inside',
        expect.stringContaining('strange@1.0.0 is under GPL-3.0-only; allowed are MIT, '),
        'THIRD-PARTY-NOTICES.md does not name strange@1.0.0',
      ])
    },
  )

  verifies(
    ['release/versions'],
    'has the version of the changelog, and for a release its tag and date',
    async () => {
      expect(manifestProblems(root, undefined)).toEqual([])
      const copy = await tempDir({ inMemory: true })
      const main = jsonIn(root, 'package.json') as { readonly workspaces: readonly string[] }
      for (const path of ['.', ...main.workspaces]) {
        mkdirSync(join(copy, path), { recursive: true })
        cpSync(join(root, path, 'package.json'), join(copy, path, 'package.json'))
      }
      const changelog = (heading: string) =>
        writeFileSync(join(copy, 'CHANGELOG.md'), `# Changelog\n\n## ${heading}\n`)
      changelog('0.1.0 - 2026-01-01')
      expect(manifestProblems(copy, undefined)).toEqual([
        `CHANGELOG.md begins with "0.1.0 - 2026-01-01", not with version ${version}`,
      ])
      changelog(`${version} (unreleased)`)
      expect(manifestProblems(copy, undefined)).toEqual([])
      expect(manifestProblems(copy, 'v0.0.1')).toEqual([
        `the tag v0.0.1 is not v${version}`,
        expect.stringContaining('the changelog has no date'),
        'packages/client/package.json has no real address of its repository',
        'packages/fleet/package.json has no real address of its repository',
        'packages/cli/package.json has no real address of its repository',
      ])
      writeFileSync(
        join(copy, 'packages/tui/package.json'),
        JSON.stringify({ version: '0.0.0', private: true }),
      )
      expect(manifestProblems(copy, undefined)).toEqual([`packages/tui has version 0.0.0, not ${version}`])
    },
  )

  verifies(['release/man'], 'has a man page with every command and option', () => {
    const file = join(cli, 'man/weave.1')
    const page = readFileSync(file, 'utf8')
    const shown = Object.entries(commands).filter(([name, { hidden }]) => !hidden && name !== 'run')
    for (const [name] of shown) expect(page).toContain(`\n.It Cm ${name}\n`)
    for (const [name, flag] of Object.entries<Flag>(flags))
      expect(new RegExp(`^\\.It .*Fl -${flag.word ?? name}(?: |$)`, 'm').test(page), name).toBe(
        flag.hidden !== true,
      )
    const { error, stdout } = spawnSync('mandoc', ['-T', 'lint', file], { encoding: 'utf8' })
    // Where there is no mandoc, groff knows at least what it cannot read.
    if (error)
      expect(spawnSync('groff', ['-mdoc', '-Tutf8', '-ww', file], { encoding: 'utf8' }).stderr ?? '').toBe('')
    else expect(stdout).toBe('')
  })
})
