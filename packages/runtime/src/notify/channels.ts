import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Clock, run } from '../kit/index.ts'
import type { NotifyTarget } from './config.ts'
import type { OpenedChannel } from './deliver.ts'
import { openRing } from './ring.ts'

export interface ChannelOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Writes to the terminal in which a person sees the run; absent: there is none. */
  readonly write?: ((bytes: string) => void) | undefined
}

/** What is loaded for a target is loaded only when there is one. */
export async function openChannel(target: NotifyTarget, options: ChannelOptions): Promise<OpenedChannel> {
  const { environment, clock, write } = options
  switch (target.type) {
    case 'webhook': {
      const { openWebhook } = await import('./webhook.ts')
      return openWebhook(target, environment, clock)
    }
    case 'command': {
      const { openCommand } = await import('./programs.ts')
      return openCommand(target, environment)
    }
    case 'desktop': {
      const { openDesktop } = await import('./programs.ts')
      const isThere = (program: string): boolean => isOnPath(program, environment['PATH'] ?? '')
      return openDesktop({ platform: process.platform, environment, isThere })
    }
    case 'terminal':
      return openRing({ write, environment, passesThrough: () => tmuxPassesThrough(environment) })
  }
}

function isOnPath(program: string, path: string): boolean {
  const names = process.platform === 'win32' ? [`${program}.exe`] : [program]
  return path
    .split(delimiter)
    .filter(folder => folder !== '')
    .some(folder => names.some(name => isExecutable(join(folder, name))))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function tmuxPassesThrough(env: ChannelOptions['environment']): Promise<boolean> {
  const { code, stdout } = await run('tmux', ['show-options', '-gwv', 'allow-passthrough'], {
    env,
    timeoutMs: 1_000,
  })
  return code === 0 && /^(?:on|all)$/.test(stdout.trim())
}
