/**
 * The terminal UI of weave: the screen on which a person watches a run and steers it.
 *
 * Owns the screen, the keys and what is shown where. Knows a run only through a client of `weave-client`, as any other
 * program does; starts no process, reads no file and no setting, and never ends the process it is in.
 */
export { type App, type AppOptions, openApp } from './app.ts'
export { type AppEnd, type Edited, leftReason, type ScreenClient } from './controller.ts'
export type { EditedPrompt, PromptKey } from './model/ui.ts'
export type { Input } from './terminal/keyboard.ts'
export { type Output, restoreSequence } from './terminal/screen.ts'
