/**
 * The terminal face of weave: the screen on which a person watches a run and steers it.
 *
 * Owns the screen, the keys and what is shown where. Knows a run only through a client of `weave-client`, as any other
 * program does; starts no process, reads no file and no setting, and never ends the process it is in.
 */
export { type Face, type FaceEnd, type FaceOptions, openFace } from './face.ts'
export type { Input } from './terminal/listen.ts'
export type { Output } from './terminal/screen.ts'
export { restoreSequence } from './terminal/sequences.ts'
