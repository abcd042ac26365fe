/**
 * A scripted model on loopback.
 *
 * Owns the shape of a rehearsal's script. Knows nothing of hanks.
 */
export { type RehearsalScript, rehearsalScript } from './rehearsal-script.ts'
