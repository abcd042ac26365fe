import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heardTerminal } from '../../../test/support/heard-terminal.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { commands, defaultCommand } from '../src/commands.ts'
import { createCompletionCommand } from '../src/completion.ts'
import { type Flag, flags } from '../src/flags.ts'

async function completion(...positionals: readonly string[]) {
  const terminal = heardTerminal()
  const args = { positionals, switches: new Set<never>(), texts: {} }
  const code = await createCompletionCommand({ commands, defaultCommand })(args, terminal)
  const { out, error } = terminal.said
  return { code, out: out.join('\n'), error: error.join('\n') }
}

/** What a shell would ask the command is tested with the command; here there is none to ask. */
const withoutWeave = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(folder => !existsSync(join(folder, 'weave')))
  .join(delimiter)

/** A directory with a few things in it and the script of a shell outside of it. */
async function shellPlace(shell: string) {
  const base = await tempDir({ inMemory: true })
  const dir = join(base, 'here')
  for (const folder of ['hanks', 'my data']) await mkdir(join(dir, folder), { recursive: true })
  await writeFile(join(dir, 'hank.json'), '')
  const script = join(base, `weave.${shell}`)
  await writeFile(script, (await completion(shell)).out)
  const run = (...words: readonly string[]) => {
    const env = { PATH: withoutWeave, HOME: base, TERM: 'dumb' }
    const { status, stdout, stderr, error } = spawnSync(shell, words, { cwd: dir, encoding: 'utf8', env })
    if (error) throw error
    return { status, stderr, lines: stdout.split('\n').filter(line => line !== '') }
  }
  return { script, run }
}

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).error === undefined

const visible = Object.entries(commands).filter(([name, { hidden }]) => !hidden && name !== defaultCommand)
const names = visible.map(([name]) => name)

function spellingsOf(command: string): readonly string[] {
  return (commands[command]?.flags ?? []).flatMap(name => {
    const flag: Flag = flags[name]
    if (flag.hidden) return []
    return flag.short === undefined ? [`--${name}`] : [`--${name}`, `-${flag.short}`]
  })
}

describe('completion in bash', () => {
  async function bash() {
    const { script, run } = await shellPlace('bash')
    /** What pressing the key after these words offers; the last word is the one being written. */
    return (...words: readonly string[]): readonly string[] => {
      const list = words.map(word => `'${word}'`).join(' ')
      const ask = `COMP_WORDS=(weave ${list}); COMP_CWORD=${words.length}; _weave; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { status, stderr, lines } = run(
        '--norc',
        '-c',
        `source '${script}' && complete -p weave >/dev/null && { ${ask}; }`,
      )
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      return lines
    }
  }

  test('offers every command, and the files beside them', async () => {
    const offers = await bash()
    expect([...offers('')].sort()).toEqual([...names, 'hank.json', 'hanks', 'my data'].sort())
    expect(offers('re')).toEqual(['rehearse', 'resume', 'replay', 'redo', 'report'])
    expect([...offers('han')].sort()).toEqual(['hank.json', 'hanks'])
  })

  test('offers the options of the command and no others', async () => {
    const offers = await bash()
    for (const name of ['report', 'validate', 'diff'])
      expect([...offers(name, '-')].sort()).toEqual([...spellingsOf(name)].sort())
    expect([...offers('-')].sort()).toEqual([...spellingsOf(defaultCommand)].sort())
    expect(offers('hank.json', '--max')).toEqual(['--max-cost', '--max-time'])
    expect(offers('--without')).toEqual([])
  })

  test('offers what may stand after a word or an option', async () => {
    const offers = await bash()
    expect(offers('schema', '')).toEqual(['hank', 'weave', 'sentinel', 'rehearsal', 'models', 'notify'])
    expect(offers('completion', 'f')).toEqual(['fish'])
    expect(offers('--log-level', 'w')).toEqual(['warn'])
    expect(offers('--model', 'x')).toEqual([])
    expect([...offers('-e', '')].sort()).toEqual(['hanks', 'my data'])
    expect(offers('report', '--output-file', 'hank.')).toEqual(['hank.json'])
  })
})

describe('completion in other shells', () => {
  test('is taken by zsh as the completion of the command', async context => {
    context.skip(!isInstalled('zsh'), 'zsh is not installed')
    const { script, run } = await shellPlace('zsh')
    expect(run('-n', script)).toEqual({ status: 0, stderr: '', lines: [] })
    const load = `autoload -U compinit; compinit -D -u; source '${script}'; print -r -- $_comps[weave]`
    expect(run('-f', '-c', load).lines).toEqual(['_weave'])
  })

  test('offers the same in fish, with what each thing is for', async context => {
    context.skip(!isInstalled('fish'), 'fish is not installed')
    const { script, run } = await shellPlace('fish')
    expect(run('--no-config', '--no-execute', script)).toMatchObject({ status: 0, stderr: '' })
    const offers = (line: string) =>
      run('--no-config', '-c', `source '${script}'; complete -C '${line}'`).lines
    expect(offers('weave repo').map(row => row.split('\t'))).toEqual([
      ['report', commands['report']?.summary],
    ])
    expect(offers('weave report --c').map(row => row.split('\t')[0])).toEqual(['--costs', '--csv'])
    expect(offers('weave schema se').map(row => row.split('\t')[0])).toEqual(['sentinel'])
  })
})

test('somebody who names no shell hears which there are and where the script goes', async () => {
  for (const words of [[], ['tcsh'], ['bash', 'zsh'], ['constructor']]) {
    const { code, out, error } = await completion(...words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    for (const shell of ['bash', 'zsh', 'fish']) expect(error).toContain(`weave completion ${shell} >`)
  }
})
