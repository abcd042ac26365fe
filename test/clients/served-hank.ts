import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningCommand, startCommand } from '../support/running-command.ts'
import { scriptedWeave } from '../support/scripted-program.ts'
import { portOf } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'

/** A run of a hank with scripted agents that waits for what a client says. */
export interface Served {
  readonly run: RunningCommand
  readonly port: number
  /** The execution directory. */
  readonly dir: string
  readonly has: (name: string) => boolean
}

export async function serveHank(
  hank: readonly object[],
  words: readonly string[] = ['--no-autostart', '--keep-alive'],
): Promise<Served> {
  const cwd = await tempDir()
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  const run = startCommand(await scriptedWeave(), words, { cwd, env: { HOME: join(cwd, 'home') } })
  await run.until('Clients ')
  const base = join(cwd, 'home/.weave-executions')
  const dir = join(base, readdirSync(base)[0] ?? '')
  return { run, port: portOf(dir), dir, has: name => existsSync(join(dir, 'agentRoot', name)) }
}

export function codonOf(id: string, more: object = {}): object {
  return {
    id,
    name: `Part ${id}`,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: `Work on ${id}.`,
    checkpointedFiles: ['*.md'],
    ...more,
  }
}
