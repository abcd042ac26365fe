import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, jsonLines } from '../support/hank-folder.ts'
import { runCli, runScripted, scriptedWeave, version } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const hank = (name: string) => ({
  $schema: 'x',
  meta: { name, version: '1.0.0' },
  hank: [codon('a')],
})

/** A directory with a hank, another one below `other/`, and `data/`. */
const place = () => hankFolder(hank('here'), { 'other/hank.json': hank('other'), 'data/table.csv': 'a,b\n' })

const run = (at: HankFolder, ...words: readonly string[]) => at.scripted(...words)

/** The only execution of a place: its name, and what the agent found as its data. */
function execution(at: HankFolder) {
  const source = at.workspace('read_only_data_source')
  return { name: basename(at.execution()), data: readdirSync(source), source }
}

describe('the words after the command', () => {
  verifies(
    [
      'd2/run-form',
      'd2/default-hank-working-directory',
      'd2/no-data',
      'd2/mode-no-terminal',
      'd2/headless-starts-itself',
      'd2/headless-exits-at-end',
      'd2/autostart-headless',
    ],
    'none: the hank of this directory, without data; it starts and ends by itself',
    async () => {
      const at = await place()
      expect((await run(at)).status).toBe(0)
      expect(execution(at)).toMatchObject({ name: expect.stringMatching(/^here-/), data: [] })
    },
  )

  verifies(['d2/single-argument-json'], 'one that ends in .json is the hank', async () => {
    const at = await place()
    expect((await run(at, 'other/hank.json')).status).toBe(0)
    expect(execution(at).name).toMatch(/^other-/)
  })

  verifies(
    ['d2/single-argument-hank-directory'],
    'one that is a directory with a hank is the hank',
    async () => {
      const at = await place()
      expect((await run(at, 'other')).status).toBe(0)
      expect(execution(at).name).toMatch(/^other-/)
    },
  )

  verifies(['d2/single-argument-data'], 'any other one is the data', async () => {
    const at = await place()
    expect((await run(at, 'data')).status).toBe(0)
    expect(execution(at)).toMatchObject({ name: expect.stringMatching(/^here-/), data: ['table.csv'] })
  })

  verifies(
    ['d2/two-arguments', 'd2/flag-copy'],
    'two are the hank and the data, which --copy copies',
    async () => {
      const at = await place()
      expect((await run(at, 'other', 'data', '--copy')).status).toBe(0)
      const { name, data, source } = execution(at)
      expect({ name, data }).toEqual({ name: expect.stringMatching(/^other-/), data: ['table.csv'] })
      expect(lstatSync(source).isDirectory()).toBe(true)
    },
  )

  verifies(['d2/data-from-stdin'], 'a dash reads the data from standard input', async () => {
    const at = await place()
    expect((await runScripted(['hank.json', '-'], { ...at, input: 'from a pipe' })).status).toBe(0)
    const { data, source } = execution(at)
    expect(readFileSync(join(source, data[0] ?? ''), 'utf8')).toBe('from a pipe')
  })

  verifies(
    ['d2/data-from-input-flag', 'd2/flag-with-space', 'd2/flag-with-equals'],
    '--input gives it inline, in both spellings of a flag',
    async () => {
      for (const words of [['--input', 'in line'], ['--input=in line']]) {
        const at = await place()
        expect((await run(at, ...words)).status).toBe(0)
        const { data, source } = execution(at)
        expect(readFileSync(join(source, data[0] ?? ''), 'utf8')).toBe('in line')
      }
    },
  )
})

describe('flags', () => {
  verifies(
    ['d2/spec-flags', 'd2/flag-model'],
    'every flag of the specification is taken, -m too',
    async () => {
      const at = await place()
      const words = [
        '--proxy',
        '--vendor-base-url',
        'https://example.com',
        '--idle-timeout',
        '5',
        '--max-cost',
        '1',
        '--max-time',
        '60',
        '--port',
        '7777',
        '-m',
        'haiku',
      ]
      const { status, stdout } = at.weave('--validate', '--skip-self-test', '--verbose', ...words)
      expect(status).toBe(0)
      expect(stdout).toMatch(/withoutProxy +false +--proxy/)
      expect(stdout).toMatch(/model +"haiku" +--model/)
      expect(stdout).toMatch(/claude-haiku-/)
      expect(at.weave('--validate', '--skip-self-test', '--without-proxy', '--overwrite-output').status).toBe(
        0,
      )
    },
  )

  verifies(
    ['d2/flag-execution', 'd2/flag-start-new'],
    '-e uses exactly one directory; --start-new ignores what there was',
    async () => {
      const at = await place()
      expect((await run(at, '-e', './mine')).status).toBe(0)
      expect(existsSync(join(at.cwd, 'mine/.weave/execution.json'))).toBe(true)
      expect(existsSync(at.executionsDir)).toBe(false)
      await run(at)
      await run(at, '-n')
      expect(at.executions().length).toBe(2)
    },
  )

  verifies(
    ['d2/headless-plain-lines', 'd2/headless-json-lines'],
    'events are plain lines, or with --json every event and nothing else',
    async () => {
      const at = await place()
      const plain = (await run(at)).stdout.trimEnd().split('\n')
      for (const line of plain) expect(line).toMatch(/^\d\d:\d\d:\d\d \S/)
      const seqs = jsonLines((await run(at, '-n', '--json')).stdout).map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    },
  )
})

describe('commands', () => {
  verifies(
    [
      'd2/command-form',
      'd2/command-schema',
      'd1/schema-printed',
      'd2/command-models',
      '9/schemas-per-file-kind',
      'd13/script-schema',
    ],
    'are called by their name; the printed schema is the one that ships',
    async () => {
      for (const kind of ['hank', 'weave', 'sentinel', 'rehearsal']) {
        const { stdout } = runCli(['schema', kind])
        const shipped = new URL(`../../schemas/${kind}.schema.json`, import.meta.url)
        expect(stdout).toBe(readFileSync(shipped, 'utf8'))
        expect(JSON.parse(stdout)).toMatchObject({
          $id: `https://unpkg.com/weave-runtime@${version}/schemas/${kind}.schema.json`,
        })
      }
      expect(JSON.parse(runCli(['models', 'sonnet', '--json']).stdout)[0]).toMatchObject({
        provider: 'anthropic',
      })
    },
  )

  verifies(
    ['d2/command-validate', 'd2/command-list'],
    'validate is --validate; list tells of executions',
    async () => {
      const at = await place()
      const both = [['validate'], ['--validate']].map(words => at.weave(...words, '--skip-self-test').stdout)
      expect(both[0]).toBe(both[1])
      await run(at)
      const [row] = JSON.parse(at.weave('list', '--json').stdout) as readonly object[]
      expect(row).toMatchObject({ hank: 'here', status: 'completed', cost: 0 })
      expect(at.weave('list').stdout).toMatch(/HANK +STATUS[\s\S]*here +completed/)
    },
  )
})

describe('values of flags', () => {
  const wrong: readonly (readonly [flag: string, value: string, allowed: string])[] = [
    ['port', 'abc', 'a whole number from 0 to 65535, found "abc"'],
    ['port', '70000', 'a whole number from 0 to 65535, found 70000'],
    ['max-cost', '-1', 'a number above 0, found -1'],
    ['max-cost', 'foo', 'a number above 0, found "foo"'],
    ['max-time', '1.5', 'a whole number above 0, found 1.5'],
    ['idle-timeout', '300', 'a whole number from 0 to 255, found 300'],
    ['shim-idle-timeout', '0', 'a whole number from 1 to 1800, found 0'],
    ['vendor-base-url', 'ftp:x', 'when it is on this machine, found '],
    ['model', '', 'a non-empty string'],
    ['log-level', 'loud', 'debug, info, warn, error; found "loud"'],
  ]
  /** What stands before the flags of each command. */
  const forms = Object.entries(commands)
    .filter(([, row]) => row.hidden !== true)
    .flatMap(([name, { flags }]) => {
      const words = name === 'run' ? [[], ['--validate']] : [[name]]
      return words.map(before => ({ before, takes: (flag: string) => flags.some(known => known === flag) }))
    })

  /** All of them are wrong, and each is told. */
  function expectRefused(at: HankFolder, before: readonly string[], values: typeof wrong): void {
    const written = values.flatMap(([flag, value]) =>
      before.length > 0 && value !== '' ? [`--${flag}`, value] : [`--${flag}=${value}`],
    )
    const said = at.weave(...before, ...written)
    expect(said, `${before.join(' ')} ${written.join(' ')}`).toMatchObject({ status: 2, stdout: '' })
    for (const [flag, , allowed] of values) {
      expect(said.stderr).toContain(`--${flag}: expected `)
      expect(said.stderr).toContain(allowed)
    }
  }

  verifies(
    ['d14/flag-value-usage'],
    'that cannot be are wrong usage, on every command that takes the flag',
    async () => {
      const at = await place()
      for (const one of wrong) {
        const form = forms.find(({ takes }) => takes(one[0]))
        expectRefused(at, form?.before ?? [`no command takes --${one[0]}`], [one])
      }
      // One value of each flag at a time: a start for each pair would take a minute.
      const isFirst = ([flag]: (typeof wrong)[number], at: number) =>
        wrong.findIndex(([other]) => other === flag) === at
      const rounds = [wrong.filter(isFirst), wrong.filter((one, at) => !isFirst(one, at))]
      for (const { before, takes } of forms)
        for (const values of rounds.map(round => round.filter(([flag]) => takes(flag))))
          if (values.length > 0) expectRefused(at, before, values)
      expect(existsSync(join(at.cwd, 'home'))).toBe(false)
    },
    240_000,
  )

  verifies(
    ['d14/flag-value-usage'],
    'are told all at once; the same from a file or a variable is a wrong configuration',
    async () => {
      const at = await place()
      const said = at.weave('--validate', '--port', 'x', '--max-cost', '0', '--log-level', 'no')
      expect(said.status).toBe(2)
      expect(said.stderr.trimEnd().split('\n')).toHaveLength(3)
      const variable = at.with({ WEAVE_RUNTIME_PORT: 'x' }).weave('--validate', '--skip-self-test')
      expect(variable).toMatchObject({ status: 1, stdout: expect.stringContaining('WEAVE_RUNTIME_PORT: ') })
      at.write({ 'weave.json': { port: 70_000 } })
      expect(at.weave('--validate', '--skip-self-test').status).toBe(1)
    },
    60_000,
  )
})
