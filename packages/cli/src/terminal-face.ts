import { type ExitCode, exitCodes } from './exit.ts'
import type { Arguments } from './parse-arguments.ts'
import { type FaceWish, showFace } from './show-face.ts'
import type { Terminal } from './terminal.ts'

/**
 * Not for people: the process that shows the terminal UI of a run, so that a screen that hangs never slows the run. The
 * server's process says over the channel between them what to show; when that is gone, so is the screen.
 */
export async function terminalFaceCommand(_args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (!process.send) {
    terminal.error('This command is started by weave itself. "weave attach" shows a run that is going on.')
    return exitCodes.usage
  }
  const wish = await firstMessage()
  if (!wish) return exitCodes.failed
  const face = showFace(wish)
  process.on('message', face.leave)
  process.on('disconnect', face.leave)
  const end = await face.ended
  if (process.connected) {
    if (end.kind !== 'failed' && end.kind !== 'signal') process.send(end.kind)
    process.disconnect()
  }
  if (end.kind === 'failed') terminal.error(end.fault)
  if (end.kind === 'signal') return end.code
  return end.kind === 'failed' ? exitCodes.failed : exitCodes.done
}

/** Sent by `openRunScreen`. Undefined: the server was gone before it could say anything. */
function firstMessage(): Promise<FaceWish | undefined> {
  return new Promise(resolve => {
    process.once('message', message => resolve(message as FaceWish))
    process.once('disconnect', () => resolve(undefined))
  })
}
