import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { launcher, root } from './weave-command.ts'

interface Command {
  readonly line: string
  readonly prints: string
}

/** What a reader types, and what the page says is printed then. */
function commandsOf(text: string): readonly Command[] {
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks.flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(part => {
        const [line = '', ...prints] = part.split('\n')
        return { line, prints: prints.join('\n').trimEnd() }
      }),
  )
}

/** `…` alone on a line is any number of lines, inside of a line any text. */
function patternOf(prints: string): RegExp {
  const lines = prints.split('\n').map(line => {
    if (line === '…') return '(?:.*\\n)*?'
    const escaped = line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')
    return `${escaped.replaceAll(/ {2,}/g, ' +')} *\\n`
  })
  return new RegExp(`^${lines.join('')}$`)
}

interface Following {
  /** An empty folder: the home of the reader is `home` in it. */
  readonly base: string
  /** Where the reader begins, from the root of the repository; otherwise in an empty folder. */
  readonly from?: string
  /** So many commands the page has at least. */
  readonly least: number
}

/** Types every command of a page into one shell of a new user, and compares what is printed. */
export async function followPage(page: string, { base, from, least }: Following): Promise<void> {
  const [bin, empty, home] = [join(base, 'bin'), join(base, 'empty'), join(base, 'home')]
  for (const folder of [bin, empty, home]) mkdirSync(folder)
  writeFileSync(join(bin, 'weave'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  chmodSync(join(bin, 'weave'), 0o755)
  const cwd = from === undefined ? empty : join(root, from)
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, PWD: cwd }
  const shell = openShell(cwd, env)
  const commands = commandsOf(readFileSync(join(root, page), 'utf8'))
  expect(commands.length).toBeGreaterThan(least)
  for (const { line, prints } of commands) {
    const said = await shell(line)
    const printed = said === '' || said.endsWith('\n') ? said : `${said}\n`
    if (prints === '') expect(printed, line).toBe('')
    else expect(printed, `$ ${line}`).toMatch(patternOf(prints))
  }
}

/** A shell that is told one line after the other, as by a person: variables and what runs in the background stay. */
function openShell(cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn('/bin/sh', [], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  onTestFinished(() => endGroup(child))
  let printed = ''
  let heard: () => void = () => undefined
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
    heard()
  })
  let lines = 0
  return (line: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const mark = `<end of line ${++lines}>`
      child.once('exit', () => reject(new Error(`The shell ended at: ${line}`)))
      heard = () => {
        const end = printed.indexOf(mark)
        if (end === -1) return
        const said = printed.slice(0, end)
        printed = ''
        child.removeAllListeners('exit')
        resolve(said)
      }
      child.stdin.write(`{ ${line}\n} 2>&1 </dev/null; printf '%s' '${mark}'\n`)
    })
}

/** With whatever it left in the background. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is there any more.
  }
}
