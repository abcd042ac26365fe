import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { codon, type HankFolder, hankFolderIn } from './hank-folder.ts'
import { tempDir } from './temp-dir.ts'
import { type RunningCommand, root, startCommand } from './weave-command.ts'

/** The command as it is packed, somewhere without any packages: what a person has right after installing it. */
export interface InstalledWeave {
  /** The program's file. */
  readonly program: string
  readonly home: string
  /** Where its commands run: beside a hank with one codon. */
  readonly hank: HankFolder
  readonly start: (...words: readonly string[]) => RunningCommand
  /** Runs it to its end. */
  readonly run: (
    ...words: readonly string[]
  ) => Promise<{ readonly code: number | null; readonly said: string }>
  /** Runs it on a terminal, a line of words; each question with a letter to answer gets the next answer. */
  readonly answering: (
    words: string,
    answers: readonly string[],
  ) => Promise<{ readonly code: number; readonly said: string }>
  /** The same command with more in its environment. */
  readonly with: (env: Readonly<Record<string, string>>) => InstalledWeave
  /** The packages of the repository below the home directory, as if `weave harness add` had put them there. */
  readonly lendHarness: (name: string) => void
}

const packed = join(root, 'packages/cli')

export async function installedWeave(items: readonly object[] = [codon('only')]): Promise<InstalledWeave> {
  const folder = await tempDir()
  const own = join(folder, 'lib/weave-runtime')
  for (const part of ['bin', 'schemas', 'package.json'])
    cpSync(join(packed, part), join(own, part), { recursive: true })
  mkdirSync(join(own, 'dist'))
  for (const name of readdirSync(join(packed, 'dist')))
    if (/\.cjs(\.br)?$/.test(name)) cpSync(join(packed, 'dist', name), join(own, 'dist', name))
  const home = join(folder, 'home')
  mkdirSync(home)
  return at({ folder, program: join(own, 'bin/weave.cjs'), home, items }, {})
}

interface Place {
  readonly folder: string
  readonly program: string
  readonly home: string
  readonly items: readonly object[]
}

function at(place: Place, env: Readonly<Record<string, string>>): InstalledWeave {
  const { folder, program, home, items } = place
  const hank = hankFolderIn(join(folder, 'work'), items).with({ HOME: home, ...env })
  const start = (...words: readonly string[]): RunningCommand => startCommand(program, words, hank)
  return {
    program,
    home,
    hank,
    start,
    async run(...words) {
      const { ended, said } = start(...words)
      const code = await ended
      return { code, said: said() }
    },
    answering: (words, answers) => onTerminal(`'${process.execPath}' '${program}' ${words}`, answers, hank),
    with: more => at(place, { ...env, ...more }),
    lendHarness(name) {
      const own = join(home, '.weave/harnesses', name)
      mkdirSync(own, { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(own, 'node_modules'))
    },
  }
}

async function onTerminal(command: string, answers: readonly string[], { cwd, env }: HankFolder) {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  })
  let said = ''
  let asked = 0
  child.stdout.on('data', chunk => {
    said += String(chunk)
    if (said.split('/n] ').length - 1 > asked) child.stdin.write(answers[asked++] ?? '\n')
  })
  const [code] = await once(child, 'close')
  return { code: code as number, said }
}
