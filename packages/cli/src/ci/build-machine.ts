import { randomUUID } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { wordsOf } from '@weave/runtime'
import type { Terminal } from '../terminal.ts'
import { inertLine } from '../validate/formats/github.ts'

/** Where `weave ci` runs, and what can be told there. */
export interface BuildMachine {
  /** Whether workflow commands are obeyed. */
  readonly isGithub: boolean
  /** Without colours; on GitHub no line of it is a command. */
  readonly terminal: Terminal
  /** Prints workflow commands as they are. */
  readonly command: (lines: readonly string[]) => void
  /** Adds to the page that the build shows, if it has one. */
  readonly addSummary: (markdown: string) => Promise<void>
  /** Tells later steps, if there is a way. */
  readonly addOutputs: (values: Readonly<Record<string, string>>) => Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

export function buildMachine(environment: Environment, plain: Terminal): BuildMachine {
  const isGithub = environment['GITHUB_ACTIONS'] === 'true'
  const terminal = quietTerminal(plain, isGithub)
  const add = async (variable: string, text: string): Promise<void> => {
    const file = environment[variable]
    if (file === undefined || file === '') return
    try {
      await appendFile(file, text)
    } catch (error) {
      terminal.error(`${variable} cannot be written: ${wordsOf(error)}.`)
    }
  }
  return {
    isGithub,
    terminal,
    command: lines => {
      if (lines.length > 0) plain.raw(lines.join('\n'))
    },
    addSummary: markdown => add('GITHUB_STEP_SUMMARY', `${markdown}\n`),
    addOutputs: values => add('GITHUB_OUTPUT', outputText(values)),
  }
}

function quietTerminal(plain: Terminal, isGithub: boolean): Terminal {
  const inert = (text: string): string => (isGithub ? text.split('\n').map(inertLine).join('\n') : text)
  return {
    out: text => plain.out(inert(text)),
    error: text => plain.error(inert(text)),
    json: plain.json,
    raw: text => plain.raw(inert(text)),
  }
}

/** A value with line breaks stands between two lines that nobody can guess, so that it ends where we say. */
export function outputText(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      if (!/[\r\n]/.test(value)) return `${name}=${value}\n`
      const end = `weave_${randomUUID()}`
      return `${name}<<${end}\n${value}\n${end}\n`
    })
    .join('')
}
