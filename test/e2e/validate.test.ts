import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  codon as codonOf,
  command,
  folderAt,
  hankFolder,
  loop as loopOf,
  type WholeHank,
} from '../support/hank-folder.ts'
import { answering, httpOnLoopback } from '../support/loopback.ts'
import { tempDir } from '../support/temp-dir.ts'
import { launcher, runCli, version } from '../support/weave-command.ts'

const key = { ANTHROPIC_API_KEY: 'a-key-for-nobody' }

const codon = (fields: object = {}) =>
  codonOf('draft', { name: 'Draft', promptText: 'Write.\nThen stop.', ...fields })

const hankIn = async (hank: WholeHank) => (await hankFolder(hank)).cwd

/** A hank without the line that every command would add. */
const withoutSchema = async (...hank: readonly object[]) =>
  (await hankFolder(hank, { 'hank.json': { hank } })).cwd

const validate = (cwd: string, ...words: readonly string[]) =>
  runCli(['--validate', '--skip-self-test', ...words], { cwd, env: key })

describe('a good hank', () => {
  verifies(
    [
      '7.3/validate-success-message',
      '7.3/validate-success-summary',
      '7.3/validate-success-exit-code',
      'd2/exit-0-validation-passed',
      'd8a/tree-numbers',
      'd8a/tree-content',
      '1/validate-spends-no-tokens',
    ],
    'is shown as a tree and called valid with a summary and exit code 0',
    async () => {
      const loop = loopOf('improve', [codon({ id: 'revise', name: 'Revise', onFailure: 'ignore' })], {
        name: 'Improve',
        terminateOn: { type: 'iterationLimit', limit: 3 },
        budget: { maxDollars: 2 },
      })
      const dir = await hankIn({ hank: [codon({ budget: { maxDollars: 0.5 } }), loop] })
      const { status, stdout } = validate(dir)
      expect(status).toBe(0)
      expect(stdout).toMatch(/\[1\] Draft \(draft\) +claude-sonnet-\S+ · prompt of 2 lines · at most \$0\.5/)
      expect(stdout).toMatch(/\[2\] Improve \(improve\) +loop, 3 times · at most \$2/)
      expect(stdout).toMatch(/ {4}\[2\.1\] Revise \(revise\)/)
      expect(stdout).toMatch(/Configuration is valid!\n {2}2 codons, 1 loop, 1 model\n$/)
    },
  )

  verifies(
    ['7.3/validate-warnings', '7.3/warnings-exit-code', 'd8a/tree-before-warnings'],
    'with warnings is still valid; they stand after the tree',
    async () => {
      const dir = await hankIn({ hank: [codon(), codon({ id: 'again' })] })
      const { status, stdout } = validate(dir)
      expect(status).toBe(0)
      expect(stdout).toMatch(
        /\[2\] Draft[\s\S]*Warnings:\n- hank\.json:\d+:\d+: .*Draft[\s\S]*Configuration is valid!/,
      )
    },
  )
})

describe('a bad hank', () => {
  verifies(
    [
      '7.3/validate-failure-heading',
      '7.3/validate-failure-bullets',
      '7.3/validate-failure-exit-code',
      'd2/exit-1-invalid-configuration',
    ],
    'gets one bullet for each problem, with its place, and exit code 1',
    async () => {
      const dir = await hankIn({
        hank: [codon({ promptt: 'x', onFailure: 'explode' }), codon({ model: '' })],
      })
      const { status, stdout } = validate(dir)
      expect(status).toBe(1)
      const [heading, ...lines] = stdout.trimEnd().split('\n')
      const bullets = lines.filter(line => line.startsWith('- '))
      expect(heading).toBe('Validation failed:')
      expect(bullets.length).toBe(3)
      for (const bullet of bullets) expect(bullet).toMatch(/^- hank\.json:\d+:\d+: hank\[[01]\]/)
    },
  )

  test('that is not JSON is shown with the line and a caret', async () => {
    const dir = await tempDir()
    writeFileSync(join(dir, 'hank.json'), '{\n  "hank": [\n    { "id": "a" "name": "b" }\n  ]\n}\n')
    const { status, stdout } = validate(dir)
    expect(status).toBe(1)
    expect(stdout).toContain('hank.json:3:17')
    expect(stdout).toMatch(/3 \| {5}\{ "id": "a" "name": "b" \}\n.*\^/)
  })

  test('may be named in any words that a shell can pass, and none of them reaches the terminal raw', async () => {
    const dir = await withoutSchema(codon({ '\u001b[2Jevil\u202e': 1 }))
    const { stdout } = validate(dir)
    expect(stdout).toContain('Unknown field "\\u001b[2Jevil\\u{202e}"')
    expect(stdout).not.toContain('\u001b')
  })
})

test('a model that the command line names for all codons is unknown once, and the hank is not blamed', async () => {
  const { cwd } = await hankFolder([codon(), codon({ id: 'other', name: 'Other' })])
  const { status, stdout } = validate(cwd, '-m', 'sonnett')
  expect(status).toBe(1)
  expect(stdout.match(/Unknown model/g)).toHaveLength(1)
  expect(stdout).toMatch(/^- --model: Unknown model "sonnett"\. Did you mean sonnet/m)
})

describe('$schema', () => {
  verifies(
    ['2.1/schema-added-on-validate', '2.1/schema-added-message'],
    'is added once, as the first key, and said in exactly one line',
    async () => {
      const dir = await withoutSchema(codon())
      const first = validate(dir)
      expect(first.stdout.split('\n')[0]).toBe('+ Added $schema to hank.json for editor support')
      const text = readFileSync(join(dir, 'hank.json'), 'utf8')
      const address = `https://unpkg.com/weave-runtime@${version}/schemas/hank.schema.json`
      expect(text.startsWith(`{\n  "$schema": "${address}",\n  "hank"`)).toBe(true)
      expect(validate(dir).stdout).not.toContain('$schema')
      expect(readFileSync(join(dir, 'hank.json'), 'utf8')).toBe(text)
    },
  )

  verifies(
    ['repair/frame'],
    'moves what stands behind it, and places and frames are those of the file as it is then',
    async () => {
      const dir = await withoutSchema(codon({ promptFile: 'missing.md', promptText: undefined }))
      const { stdout } = validate(dir)
      expect(stdout).toContain('+ Added $schema')
      const [, line = '', frame = ''] =
        /- hank\.json:(\d+):.* does not exist\n +\d+ \| (.*)\n/.exec(stdout) ?? []
      expect(frame).toContain('missing.md')
      expect(readFileSync(join(dir, 'hank.json'), 'utf8').split('\n')[Number(line) - 1]).toContain(
        'missing.md',
      )
    },
  )

  test('is not forced on a read-only file', async () => {
    const dir = await withoutSchema(codon())
    const file = join(dir, 'hank.json')
    chmodSync(file, 0o444)
    const before = readFileSync(file)
    expect(validate(dir).status).toBe(0)
    expect(readFileSync(file)).toEqual(before)
    expect(statSync(file).mode & 0o777).toBe(0o444)
  })
})

describe('the data', () => {
  verifies(
    ['2.2/data-hash-time-limit-validate'],
    'are looked through like those of a run, and nothing is written',
    async () => {
      const dir = await hankIn({ hank: [codon()] })
      const home = await tempDir()
      const data = await tempDir()
      writeFileSync(join(data, 'notes.md'), 'hello')
      const look = (...words: readonly string[]) =>
        runCli(['--validate', '--skip-self-test', ...words], { cwd: dir, env: { ...key, HOME: home } })

      expect(look('hank.json', data).stdout).toMatch(
        new RegExp(`Configuration is valid!\\n  1 codon.*\\n  data ${data}\\n$`),
      )
      const { data: seen } = JSON.parse(look('hank.json', data, '--json').stdout) as {
        data: { hash: string }
      }
      expect(seen).toEqual({ path: data, partial: false, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
      writeFileSync(join(data, 'more.md'), 'more')
      const after = JSON.parse(look('hank.json', data, '--json').stdout) as { data: { hash: string } }
      expect(after.data.hash).not.toBe(seen.hash)

      const missing = look('hank.json', join(data, 'none'))
      expect(missing.status).toBe(1)
      expect(missing.stdout).toContain(
        `Validation failed:\n- The data ${join(data, 'none')} does not exist. Correct the path`,
      )
      expect(look('--input', 'some words').status).toBe(0)
      expect(look('hank.json', '-').status).toBe(0)
      expect(readdirSync(home)).toEqual([])
      expect(readdirSync(dir)).toEqual(['hank.json'])
      expect(readdirSync(data).toSorted()).toEqual(['more.md', 'notes.md'])
    },
  )
})

describe('validating is inert', () => {
  verifies(
    ['safety/I20', 'd8a/order', 'd8a/validate-free'],
    'it writes nothing but $schema, starts no process, and asks a provider only when all else is good, for free',
    async () => {
      const { asked, url } = await httpOnLoopback(answering(200, { input_tokens: 8 }))
      const env = { ...key, ANTHROPIC_BASE_URL: url }
      const rig = [command('touch should-not-exist')]
      const outputFiles = [{ copy: ['*'], beforeCopy: [command('touch nor-this')] }]

      const bad = await hankIn({
        hank: [codon({ rigSetup: rig, outputFiles, promptFile: 'missing.md' })],
      })
      expect((await validateAsync(bad, env)).status).toBe(1)
      expect(asked).toEqual([])
      const fine = await hankIn({ hank: [codon()] })
      expect((await validateAsync(fine, env, 'hank.json', 'no-such-data')).status).toBe(1)
      expect(asked).toEqual([])

      const good = await hankIn({
        hank: [codon({ rigSetup: rig, outputFiles }), codon({ id: 'two', name: 'Two' })],
      })
      expect((await validateAsync(good, env)).status).toBe(0)
      expect(asked).toEqual(['POST /v1/messages/count_tokens'])
      expect(readdirSync(good)).toEqual(['hank.json'])
      expect(readdirSync(bad)).toEqual(['hank.json'])
    },
  )

  test('the last word is for programs with --json', async () => {
    const dir = await hankIn({ hank: [codon({ surprise: 1 })] })
    const { status, stdout } = validate(dir, '--json')
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      problems: [{ severity: 'error', where: 'hank[0]', place: { file: 'hank.json', line: 13 } }],
    })
  })

  test('--verbose shows every setting with its origin and masks secrets', async () => {
    const dir = await hankIn({ hank: [codon()], overrides: { shimIdleTimeout: 60 } })
    writeFileSync(join(dir, 'weave.json'), '{ "port": 7777, "budget": { "maxDollars": 3 } }')
    const { stdout } = validate(dir, '--verbose', '--max-cost', '2', '--idle-timeout=9')
    expect(stdout).toMatch(/port +7777 +weave\.json/)
    expect(stdout).toMatch(/idleTimeout +9 +--idle-timeout/)
    expect(stdout).toMatch(/shimIdleTimeout +60 +hank overrides/)
    expect(stdout).toMatch(/budget\.maxDollars +2 +--max-cost/)
    expect(stdout).not.toContain(key.ANTHROPIC_API_KEY)
  })
})

describe('without keys', () => {
  test('a missing key is an error; with --skip-self-test it is a warning, for machines that have none', async () => {
    const dir = await hankIn({ hank: [codon()] })
    const strict = runCli(['validate'], { cwd: dir })
    expect(strict.status).toBe(1)
    expect(strict.stdout).toContain('No key for anthropic. Set ANTHROPIC_API_KEY')
    const lenient = runCli(['validate', '--skip-self-test'], { cwd: dir })
    expect(lenient.status).toBe(0)
    expect(lenient.stdout).toMatch(/Warnings:\n- .*No key for anthropic/)
  })
})

/** The server of the test lives in this process, so the command must not block it. */
async function validateAsync(
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<{ status: number | null }> {
  return { status: await folderAt(cwd, env).start('validate', ...words).ended }
}

test('the launcher says what to do when nothing is built', async () => {
  const dir = await tempDir()
  const copy = join(dir, 'bin/weave.cjs')
  spawnSync('mkdir', ['-p', join(dir, 'bin')])
  writeFileSync(copy, readFileSync(launcher))
  const { status, stderr } = spawnSync(process.execPath, [copy, 'validate'], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('npm run build')
})
