/**
 * Notifications: who wants to be told of a run, and how they are.
 *
 * Owns `~/.weave/notify.json`, what a notification holds, how each kind of target is told, and how far each was. Which
 * events mean what is a pure fold over the journal. It never slows, delays or fails a run; what a target did not get is
 * told again after the next start. It is never read from a hank, nor from the `weave.json` beside one.
 */
export type { NotifyConfig } from './config.ts'
export { type Notifier, startNotifier } from './notifier.ts'
export { readNotifyFile } from './read-file.ts'
export { notifyFile } from './schema.ts'
export { type PausedNotice, type TriedTarget, tellPaused, tryTargets, wantsBatches } from './try-targets.ts'
