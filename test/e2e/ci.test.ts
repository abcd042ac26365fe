import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, lightAgents, lightCodon } from '../support/hank-folder.ts'
import { launcher, root } from '../support/weave-command.ts'

const good = { hank: [codon('draft', { promptText: 'Write.' })] }
const bad = { hank: [codon('draft', { promptTxt: 'Write.', promptText: 'x', continuationMode: 'continue' })] }
const skip = '--skip-self-test'

/** Three hanks below one folder: two that are valid, and one that is not. */
async function hanks(): Promise<HankFolder> {
  const schema = { $schema: 'x' }
  return hankFolder(good, {
    'a/hank.json': { ...schema, ...good },
    'b/hank.json': { ...schema, ...good },
    'c/hank.json': { ...schema, ...bad },
    'group/inner/hank.json': { ...schema, ...good },
    'data/notes.txt': 'Some.',
    'data.json': { some: 'data' },
  })
}

/** The same as GitHub would run it. */
function onGithub(at: HankFolder) {
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: at.cwd,
    GITHUB_STEP_SUMMARY: at.path('summary.md'),
    GITHUB_OUTPUT: at.path('output.txt'),
    RUNNER_TEMP: at.path('runner'),
  }
  const read = (name: string) => (existsSync(at.path(name)) ? readFileSync(at.path(name), 'utf8') : '')
  return { at: at.with(env), env, summary: () => read('summary.md'), outputs: () => read('output.txt') }
}

describe('weave validate', () => {
  verifies(['ci/many'], 'takes hanks and globs, and tells them from data', async () => {
    const at = await hanks()
    const files = (...words: readonly string[]) => {
      const { stdout } = at.weave('validate', skip, ...words)
      return [...stdout.matchAll(/^== (.*)$/gm)].map(([, name]) => name)
    }
    expect(files('a', 'b')).toEqual(['a', 'b'])
    expect(files('a', 'b', 'c/hank.json')).toEqual(['a', 'b', 'c/hank.json'])
    expect(files('*/hank.json')).toEqual(['a/hank.json', 'b/hank.json', 'c/hank.json'])
    expect(files('[ab]')).toEqual(['a', 'b'])
    expect(files('*')).toEqual(['a', 'b', 'c', 'hank.json'])
    expect(files('group/**')).toEqual([])
    expect(at.weave('validate', skip, 'group/**').stdout).toContain('Configuration is valid!')
    expect(files('**/hank.json')).toEqual([
      'a/hank.json',
      'b/hank.json',
      'c/hank.json',
      'group/inner/hank.json',
      'hank.json',
    ])
    for (const data of ['data', 'data.json', 'data/notes.txt']) {
      const { status, stdout } = at.weave('validate', skip, 'a', data)
      expect(status).toBe(0)
      expect(stdout).toContain(`data ${at.path(data)}`)
    }
    expect(at.weave('validate', skip, 'a', 'b', '--data', 'data').stdout).toContain(`data ${at.path('data')}`)
    expect(at.weave('validate', skip, 'no/*')).toMatchObject({ status: 2, stderr: 'No hank matches no/*.\n' })
  })

  verifies(['ci/formats'], 'writes each format, to a file with -o, with the same exit codes', async () => {
    const at = await hanks()
    const begins = {
      text: '== a\n',
      json: '{\n  "valid": false,\n  "hanks": [',
      github: '::error file=c/hank.json,line=',
      sarif: '{\n  "$schema"',
      junit: '<?xml version="1.0"',
      markdown: '### ✅ a/hank.json',
    }
    for (const [format, beginning] of Object.entries(begins)) {
      const { status, stdout } = at.weave('validate', skip, 'a', 'c', '--format', format)
      expect(status, format).toBe(1)
      expect(stdout.startsWith(beginning), `${format}: ${stdout.slice(0, 200)}`).toBe(true)
      const written = at.weave('validate', skip, 'a', '--format', format, '-o', `out/${format}`)
      expect(written.status).toBe(1)
      expect(written.stderr).toContain('cannot be written')
      mkdirSync(at.path('out'), { recursive: true })
      expect(at.weave('validate', skip, 'a', '--format', format, '-o', `out/${format}`)).toMatchObject({
        status: 0,
        stdout: '',
      })
      expect(readdirSync(at.path('out'))).toEqual([format])
      spawnSync('rm', ['-r', at.path('out')])
    }
    expect(at.weave('validate', '--format', 'yaml').status).toBe(2)
    expect(at.weave('validate', '--format', 'sarif', '--json').status).toBe(2)
  })

  verifies(['ci/json-one'], 'prints of one hank with --format json what --json prints', async () => {
    const at = await hanks()
    for (const hank of ['a', 'c']) {
      const short = at.weave('validate', skip, hank, '--json')
      const timeless = (text: string) => text.replace(/"durationMs": \d+/, '')
      const long = at.weave('validate', skip, hank, '--format', 'json')
      expect(timeless(long.stdout)).toBe(timeless(short.stdout))
      expect(long.status).toBe(short.status)
      expect(JSON.parse(short.stdout)).toHaveProperty('valid', hank === 'a')
    }
  })

  verifies(['ci/watch'], '--watch checks again when a file changes, and ends with 130', async () => {
    const at = await hankFolder([codon('draft', { promptText: undefined, promptFile: 'p.md' })])
    const watching = at.start('validate', '--watch', skip)
    await watching.until('p.md does not exist')
    await watching.until('Watching. Ctrl-C ends it.')
    writeFileSync(at.path('other.md'), 'x')
    writeFileSync(at.path('p.md'), 'Hello.')
    const said = await watching.until('Configuration is valid!')
    expect(said).toMatch(/=+ \d\d:\d\d:\d\d p\.md changed/)
    expect(said).not.toContain('other.md changed')
    at.setHank([codon('draft', { nonsense: 1 })])
    await watching.until('Unknown field nonsense')
    expect(await watching.kill('SIGINT')).toBe(130)
  })
})

describe('weave ci validate', () => {
  verifies(
    ['ci/validate'],
    'tells GitHub by annotations, summary and outputs, and others in lines',
    async () => {
      const { at, summary, outputs } = onGithub(await hanks())
      const { status, stdout } = at.weave('ci', 'validate', 'a', 'c')
      expect(status).toBe(1)
      expect(stdout).toMatch(
        /^::error file=c\/hank\.json,line=\d+,col=\d+,.*title=weave hank\/unknown-field::/m,
      )
      expect(stdout).toMatch(/^::warning .*title=weave key\/missing::/m)
      expect(stdout).toContain('a/hank.json: valid, 1 codon, 0 loops\n')
      expect(summary()).toContain('### ❌ c/hank.json')
      expect(outputs()).toBe('valid=false\nstatus=invalid\n')
      const elsewhere = (await hanks()).weave('ci', 'validate', 'a', 'c')
      expect(elsewhere.status).toBe(1)
      expect(elsewhere.stdout).toContain('  error hank/unknown-field c/hank.json:')
      expect(elsewhere.stdout).not.toContain('::error')
    },
  )

  verifies(['ci/baseline'], 'fails for what is new, and not for what a baseline has', async () => {
    const { at } = onGithub(await hanks())
    expect(at.weave('ci', 'validate', 'c', '--sarif', 'known.sarif').status).toBe(1)
    const words = ['ci', 'validate', 'c', '--baseline', 'known.sarif', '--sarif', 'new.sarif']
    const same = at.weave(...words)
    expect(same.status).toBe(0)
    expect(same.stdout).not.toContain('::error')
    expect(same.stdout).toContain('nothing new is wrong; 2 problems in the baseline')
    const text = readFileSync(at.path('c/hank.json'), 'utf8')
    // Further down, and with one fault more.
    at.write({ 'c/hank.json': `\n\n${text.replace('"id"', '"zzz": 1, "id"')}` })
    const more = at.weave(...words)
    expect(more.status).toBe(1)
    expect(more.stdout.match(/^::error/gm)).toHaveLength(1)
    expect(more.stdout).toContain('Unknown field zzz')
    expect(readFileSync(at.path('new.sarif'), 'utf8')).toMatch(/"baselineState": "new"/)
    expect(at.weave('ci', 'validate', 'c', '--baseline', 'gone.sarif')).toMatchObject({ status: 2 })
    expect(at.weave('ci', 'validate', 'c', '--baseline', 'data.json')).toMatchObject({ status: 2 })
  })

  test('writes the files that it is asked for', async () => {
    const at = await hanks()
    const files = ['sarif', 'junit', 'code-quality']
    at.weave('ci', 'validate', 'c', ...files.flatMap(name => [`--${name}`, `${name}.out`]))
    for (const name of files)
      expect(readFileSync(at.path(`${name}.out`), 'utf8')).toContain('hank/unknown-field')
  })
})

describe('weave ci rehearse and run', () => {
  verifies(['ci/rehearse'], 'sums up a rehearsal and fails one that is not strict', async () => {
    const script = { codons: { draft: [{ say: 'Done.' }] } }
    const { at, summary, outputs } = onGithub(await hankFolder(good, { 'rehearsal.json': script }))
    const { status, stdout, stderr } = at.weave('ci', 'rehearse', '--report', 'report.html')
    expect(status, stderr).toBe(0)
    expect(stdout).not.toContain('key/missing')
    expect(summary()).toMatch(/\| draft \| completed \| 1 \| \\\$0\.\d+ \| [\d.]+ s \| claude-\S+ \|/)
    expect(outputs()).toMatch(
      /^valid=true\nstatus=valid\nstatus=completed\ncost=0\.\d+\nexecution=\/.*\nreport=\/.*report\.html\n$/,
    )
    expect(readFileSync(at.path('report.html'), 'utf8')).toContain('<!-- weave report -->')
    at.write({ 'rehearsal.json': { codons: {} } })
    expect(at.weave('ci', 'rehearse').status).toBe(1)
    expect(at.executions()).toHaveLength(2)
    expect(outputs()).toMatch(/status=failed\n/)
  })

  verifies(
    ['ci/junit-codons'],
    'has a case for each codon, beside those of the check',
    async () => {
      const failing = lightCodon('review', { rigSetup: [{ type: 'command', command: { run: 'exit 3' } }] })
      const at = await hankFolder([lightCodon('draft'), failing], {
        'weave.json': lightAgents,
        'rehearsal.json': { codons: { draft: [{ say: 'Done.' }] } },
      })
      const rehearsed = at.weave('ci', 'rehearse', '--junit', 'junit.xml')
      expect(rehearsed.status).toBe(1)
      const [, line = ''] = /^Go on with weave (.*)$/m.exec(rehearsed.stdout + rehearsed.stderr) ?? []
      expect(at.weave(...line.split(' '))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('review'),
      })
      const failed = readFileSync(at.path('junit.xml'), 'utf8')
      expect(failed).toContain('<testsuites name="weave ci" tests="3" failures="1" errors="0">')
      expect(failed).toMatch(/<testcase classname="\S*hank\.json" name="is valid"/)
      expect(failed).toMatch(
        /<testcase classname="\S*hank\.json" name="draft" file="\S+" time="\d+\.\d{3}"\/>/,
      )
      expect(failed).toMatch(/name="review" [^>]*><failure type="codon" message="[^"]*3[^"]*">/)

      at.setHank([lightCodon('draft')])
      expect(at.weave('ci', 'rehearse', '--junit', 'junit.xml').status).toBe(0)
      expect(readFileSync(at.path('junit.xml'), 'utf8')).toContain('tests="2" failures="0"')
      const untrue = { codons: { draft: [{ say: 'Done.' }, { say: 'And more.' }] } }
      at.write({ 'rehearsal.json': untrue })
      expect(at.weave('ci', 'rehearse', '--junit', 'junit.xml').status).toBe(1)
      expect(readFileSync(at.path('junit.xml'), 'utf8')).toMatch(/name="the run" [^>]*><failure/)
      const nowhere = at.weave('ci', 'rehearse', '--junit', 'no/such/junit.xml')
      expect(nowhere.status).toBe(1)
    },
    180_000,
  )

  verifies(['ci/run'], 'a run needs to know what it may cost', async () => {
    const at = await hankFolder(good)
    expect(at.weave('ci', 'run')).toMatchObject({
      status: 2,
      stderr: 'weave ci run needs --max-cost <dollars>: nobody watches what it spends.\n',
    })
    expect(at.weave('ci').status).toBe(2)
    expect(at.weave('ci', 'valdate').stderr).toContain('there is no valdate')
  })

  verifies(['ci/failure'], 'shows what failed first, with its last lines, which obey nobody', async () => {
    const run = 'echo "::set-output name=a::b"; echo "\\`\\`\\` ##[error]x"; exit 3'
    const rigged = codon('draft', { promptText: 'x', rigSetup: [{ type: 'command', command: { run } }] })
    const { at, summary, outputs } = onGithub(await hankFolder([rigged]))
    const { status, stdout, stderr } = at.weave('ci', 'rehearse')
    expect(status).toBe(1)
    expect(outputs()).toContain('status=failed\n')
    expect(summary()).toMatch(/\*\*draft failed\*\*: .*3/)
    expect(summary()).toMatch(/^`{3,}text\n(?:\d\d:\d\d:\d\d .*\n)+`{3,}$/m)
    for (const text of [stdout, stderr, summary()]) {
      expect(text).not.toMatch(/^\s*::(?!warning|error)/m)
      expect(text).not.toContain('##[')
    }
  })
})

describe('the action', () => {
  const yaml = readFileSync(join(root, 'action.yml'), 'utf8')

  /** A `npm` that puts the built command where the real one would put it. */
  function fakeNpm(at: HankFolder): string {
    const bin = at.path('bin')
    mkdirSync(bin)
    const install = [
      '#!/usr/bin/env bash',
      'printf "%s\\n" "$@" >> "$NPM_LOG"',
      'while [ "$1" != --prefix ]; do shift; done',
      'mkdir -p "$2/node_modules/.bin"',
      `printf '#!/usr/bin/env bash\\nif [ "$1" = harness ]; then echo "$@" >> "$NPM_LOG"; exit 0; fi\\nexec "${process.execPath}" "${launcher}" "$@"\\n' > "$2/node_modules/.bin/weave"`,
      'chmod +x "$2/node_modules/.bin/weave"',
    ].join('\n')
    writeFileSync(join(bin, 'npm'), install)
    chmodSync(join(bin, 'npm'), 0o755)
    return bin
  }

  function act(at: HankFolder, inputs: Readonly<Record<string, string>>) {
    const github = onGithub(at)
    const bin = existsSync(at.path('bin')) ? at.path('bin') : fakeNpm(at)
    const result = spawnSync('bash', [join(root, 'scripts/action.sh')], {
      cwd: at.cwd,
      encoding: 'utf8',
      env: {
        ...at.env,
        ...github.env,
        NPM_LOG: at.path('npm.log'),
        PATH: `${bin}:${process.env['PATH']}`,
        ...inputs,
      },
    })
    const log = existsSync(at.path('npm.log')) ? readFileSync(at.path('npm.log'), 'utf8') : ''
    return { ...github, ...result, log }
  }

  verifies(
    ['ci/action'],
    'runs weave ci with what its inputs say, and takes none of them for a command',
    async () => {
      const at = await hanks()
      at.write({ 'odd $(touch pwned) name/hank.json': { $schema: 'x', ...good } })
      const acted = act(at, {
        INPUT_COMMAND: 'validate',
        INPUT_VERSION: '1.2.3',
        INPUT_HANK: 'a\nodd $(touch pwned) name\n`touch pwned`.json\n',
        INPUT_SARIF_FILE: 'out.sarif',
      })
      expect(acted.log).toBe(
        `install\n--prefix\n${at.path('runner/weave')}\n--ignore-scripts\n--no-audit\n--no-fund\n--no-save\nweave-runtime@1.2.3\n`,
      )
      expect(acted.status).toBe(1)
      expect(acted.stdout).toContain('odd $(touch pwned) name/hank.json: valid')
      expect(acted.outputs()).toContain('valid=false')
      expect(existsSync(at.path('out.sarif'))).toBe(true)
      expect(existsSync(at.path('pwned'))).toBe(false)
      for (const wrong of [
        { INPUT_COMMAND: 'run; touch pwned' },
        { INPUT_VERSION: '$(touch pwned)' },
        { INPUT_VERSION: '--x' },
        { INPUT_HARNESSES: 'a;b' },
      ])
        expect(act(at, wrong).status).toBe(2)
      expect(existsSync(at.path('pwned'))).toBe(false)
    },
  )

  test('installs the agents that a rehearsal needs', async () => {
    const at = await hanks()
    const acted = act(at, { INPUT_COMMAND: 'rehearse', INPUT_HANK: 'c' })
    expect(acted.log).toContain('harness add claude -y\nharness add pi -y\n')
  })

  test('has no input in the text of a script', () => {
    const scripts = [...yaml.matchAll(/^\s+run: (.*)$/gm)].map(([, script]) => script)
    expect(scripts).toEqual(['bash "$ACTION_PATH/scripts/action.sh"'])
    const inputs = [...yaml.matchAll(/^ {2}([\w-]+):\n {4}description: .*\n {4}default:/gm)].map(
      ([, name]) => name,
    )
    expect(inputs).toEqual([
      'command',
      'hank',
      'data',
      'version',
      'harnesses',
      'max-cost',
      'args',
      'sarif-file',
      'upload-report',
    ])
    for (const name of inputs) expect(yaml).toContain(`\${{ inputs.${name} }}`)
    for (const [, ref] of yaml.matchAll(/uses: [^@\s]+@(\S+)/g)) expect(ref).toMatch(/^[0-9a-f]{40}$/)
  })
})
