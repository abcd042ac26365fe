import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seconds } from './measure.ts'

const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname

/** A step of a codon in a rehearsal. */
export type Step = Readonly<Record<string, unknown>>

export interface Rehearsed {
  /** The items of `hank.json`. */
  readonly hank: readonly object[]
  readonly codons: Readonly<Record<string, readonly Step[]>>
  /** Is told the process as soon as it runs. */
  readonly onStart?: (pid: number) => void
}

export interface JournalLine {
  readonly timestamp: string
  readonly type: string
  readonly data: { readonly codonId?: string; readonly transitionType?: string }
}

/** A rehearsal by the built command, from its start to its end, and what it wrote down. */
export async function rehearse(base: string, { hank, codons, onStart }: Rehearsed) {
  mkdirSync(base, { recursive: true })
  writeFileSync(join(base, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  writeFileSync(join(base, 'rehearsal.json'), JSON.stringify({ codons }))
  const time = await seconds(() => weave(base, ['rehearse', '--headless', '--port', '0'], onStart))
  const lines = (await weave(base, ['journal', '--json'])).trim().split('\n')
  return { seconds: time, events: lines.map(line => JSON.parse(line) as JournalLine) }
}

async function weave(
  cwd: string,
  words: readonly string[],
  onStart?: (pid: number) => void,
): Promise<string> {
  const env = { ...process.env, HOME: `${cwd}-home` }
  const child = spawn(process.execPath, [launcher, ...words], { cwd, env })
  if (child.pid !== undefined) onStart?.(child.pid)
  const [said, wrong]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => wrong.push(chunk))
  const code = await exitCode(child)
  if (code !== 0) throw new Error(`weave ${words[0]} ended with ${code}: ${Buffer.concat(wrong).toString()}`)
  return Buffer.concat(said).toString()
}

/** The exit code of a child that was just started; 1 when a signal ended it. */
export function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code: number | null) => resolve(code ?? 1)),
  )
}
