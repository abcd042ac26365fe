/**
 * The control socket: one port on loopback where clients shake hands, send commands and hear events.
 *
 * Owns who may connect (user, origin, limits, modes), the order and the bounds of what is sent, and the history a client gets.
 * Does not know what a command means: the runner's `Control` acts on it, and what comes of it is emitted by the journal,
 * which is where every journaled event that is sent here comes from.
 */

export { type HttpEntryOptions, openPort, serveHttp } from './http-entry.ts'
export { type RunningServer, type StartedServer, startServer } from './server.ts'
export { type Limits, limits, type ServerOptions } from './services.ts'
