import { createStore } from 'weave-client'
import { type AppEnd, type ControllerOptions, createController, type Edited } from './controller.ts'
import type { EditedPrompt } from './model/ui.ts'
import { type Input, listen } from './terminal/keyboard.ts'
import { type Output, openScreen } from './terminal/screen.ts'

export interface AppOptions extends Omit<ControllerOptions, 'store' | 'screen' | 'edit'> {
  /** Opens an editor on the terminal and waits for its end. Absent: there is none. */
  readonly edit?: ControllerOptions['edit']
  readonly input: Input
  readonly output: Output
}

export interface App {
  /** Settles when the screen is gone, with the terminal restored. */
  readonly ended: Promise<AppEnd>
  /** Takes the screen away. */
  readonly leave: () => void
}

/** Times and countdowns move on. */
const tickMs = 1_000

/** Opens the terminal UI on a terminal. It knows the run only through its client. */
export function openApp(options: AppOptions): App {
  const { client, input, output } = options
  const store = createStore({ client, schedule: run => setImmediate(run) })
  const screen = openScreen(output)
  let stopListening = (): void => {}
  const edit = async (prompt: EditedPrompt): Promise<Edited> => {
    if (!options.edit) return { ok: false, message: 'There is no editor here.' }
    stopListening()
    screen.pause()
    const edited = await options.edit(prompt)
    screen.resume()
    stopListening = listen(input, controller.type)
    return edited
  }
  const controller = createController({ ...options, edit, store, screen })
  stopListening = listen(input, controller.type)
  const stops = [
    client.onAny(controller.follow),
    client.onStatus(controller.followStatus),
    () => stopListening(),
    every(tickMs, controller.invalidate),
    () => store.close(),
  ]
  store.subscribe(controller.invalidate)
  screen.onReady(controller.invalidate)
  controller.invalidate()
  const ended = controller.ended.then(end => {
    for (const stop of stops) stop()
    controller.close()
    screen.close()
    client.close()
    return end
  })
  return { ended, leave: () => controller.end({ kind: 'left' }) }
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}
