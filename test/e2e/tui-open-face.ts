import { onTestFinished } from 'vitest'
import { connect } from '../../packages/client/src/index.ts'
import {
  type ScriptedServer,
  type ServerScript,
  scriptedServer,
} from '../../packages/client/test/scripted-server.ts'
import { type AppOptions, openApp } from '../../packages/tui/src/app.ts'
import { virtualKeyboard, virtualTerminal } from './tui-virtual-terminal.ts'

export interface FaceSetting extends Partial<Pick<AppOptions, 'costs' | 'ownsRun' | 'color' | 'unicode'>> {
  readonly size?: { readonly columns: number; readonly rows: number }
  readonly mode?: 'readonly' | 'readandwrite'
  readonly script?: ServerScript
  readonly before?: (server: ScriptedServer) => void
  readonly now?: () => number
}

/** The whole face on a virtual terminal, with a scripted server behind a real client. */
export async function faceOn({
  size,
  mode = 'readandwrite',
  script,
  before,
  now,
  ...options
}: FaceSetting = {}) {
  const server = scriptedServer(script)
  before?.(server)
  const terminal = virtualTerminal(size)
  const keyboard = virtualKeyboard()
  const client = connect(
    { transport: server.connect },
    { mode, since: 0, reconnect: { baseDelayMs: 3_000, jitter: 0 } },
  )
  const face = openApp({
    client,
    input: keyboard.input,
    output: terminal.output,
    costs: false,
    ownsRun: true,
    color: false,
    unicode: true,
    now: now ?? (() => Date.UTC(2026, 0, 1, 0, 1)),
    ...options,
  })
  onTestFinished(async () => {
    face.leave()
    await face.ended
  })
  /** Resolves when the screen shows it; the time limit of the test is the limit. */
  const shows = async (fits: string | RegExp): Promise<string> => {
    for (;;) {
      await terminal.settled()
      const text = terminal.text()
      if (typeof fits === 'string' ? text.includes(fits) : fits.test(text)) return text
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  await client.opened
  return { server, terminal, keyboard, client, face, shows, type: keyboard.type }
}
