import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive } from '@weave/runtime'
import { FleetFault } from '../fault.ts'
import { environmentOf, findBinaries, type Surroundings } from './postgres-binaries.ts'
import type { Binaries } from './postgres-package.ts'

export interface EmbeddedOptions extends Surroundings {
  /** Of the person whose engine it is. */
  readonly home: string
}

export interface EmbeddedEngine {
  /** The folder of the Unix socket; there is no port. */
  readonly socketFolder: string
  readonly user: string
  /** Ends the engine, if this process started it. */
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root; this is who it runs as then. */
const nobody = 65_534
const user = 'weave'
const longestStartMs = 30_000
const longestSocketFolder = 80

/**
 * A PostgreSQL of this person, without a port. Whoever needs it first starts it as a child that ends with its parent, however
 * that ends; who comes later finds its socket; when its starter has gone, the next one starts it again. The queue is on disk.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedEngine> {
  const place = placeOf(options.home)
  let deadline: number | undefined
  let said = ''
  for (;;) {
    if (await answers(place.socketFolder)) return { ...place, user, stop: async () => undefined }
    makeFolders(place)
    const binaries = findBinaries(options, place)
    await prepare(place, binaries)
    // Making a cluster takes its own time.
    deadline ??= Date.now() + longestStartMs
    const child = start(place, binaries)
    const ended = new Promise<string>(resolve => {
      let text = ''
      child.stderr?.on('data', (chunk: Buffer) => {
        text = `${text}${chunk.toString('utf8')}`.slice(-4_000)
      })
      child.once('exit', () => child.stdin?.end())
      child.once('close', () => resolve(text))
    })
    const outcome = await Promise.race([ended, untilItAnswers(place.socketFolder, deadline)])
    if (outcome === true) return { ...place, user, stop: () => stop(child) }
    if (outcome === false) await stop(child)
    // Another process may have started it at the same moment: then its lock file is in the way, and its socket answers soon.
    said = typeof outcome === 'string' ? outcome : 'it does not answer'
    if (Date.now() > deadline || !said.includes('postmaster.pid'))
      throw new FleetFault('FLEET_UNREACHABLE', {
        message: `The PostgreSQL in ${place.dataFolder} does not start: ${lastLine(said)}`,
        cure: `Look at ${place.dataFolder}; or name a server with WEAVE_FLEET_URL.`,
      })
    await delay(100)
  }
}

/** Ends the engine of this person, whoever started it; its clients lose it. False: there is none. */
export async function stopEmbedded(home: string): Promise<boolean> {
  const { dataFolder, socketFolder } = placeOf(home)
  if (!(await answers(socketFolder))) return false
  const [first = ''] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')
  const pid = Number(first)
  if (!Number.isInteger(pid) || pid <= 1) return false
  process.kill(pid, 'SIGINT')
  while (isAlive(pid)) await delay(25)
  return true
}

/** Where the engine of this person answers while somebody has it up. */
export function embeddedAddress(home: string) {
  const { socketFolder } = placeOf(home)
  return { socketFolder, user, isUp: () => answers(socketFolder) }
}

interface Place {
  readonly base: string
  readonly dataFolder: string
  readonly socketFolder: string
  /** Who owns both, when not this process. */
  readonly owner: number | undefined
}

/** Root's own home is closed to the user whom the engine runs as; its place is then beside the temporary files that last. */
function placeOf(home: string): Place {
  const isRoot = process.getuid?.() === 0
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const lasting = existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
  const base = isRoot ? join(lasting, `weave-engine-${name}`) : join(home, '.weave', 'fleet', 'engine')
  const near = join(base, 'socket')
  const socketFolder = near.length <= longestSocketFolder ? near : join(tmpdir(), `weave-engine-${name}`)
  return { base, dataFolder: join(base, 'data'), socketFolder, owner: isRoot ? nobody : undefined }
}

function makeFolders({ base, socketFolder, owner }: Place): void {
  for (const folder of [base, socketFolder]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (owner !== undefined) chownSync(folder, owner, owner)
  }
}

/** Makes the cluster beside its place and renames it, so that a kill leaves the whole or nothing. */
async function prepare({ base, dataFolder, owner }: Place, binaries: Binaries): Promise<void> {
  if (existsSync(join(dataFolder, 'PG_VERSION'))) return
  const draft = mkdtempSync(join(base, 'new-'))
  if (owner !== undefined) chownSync(draft, owner, owner)
  const words = [
    '-D',
    draft,
    '-U',
    user,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ]
  const { code, said } = await run(binaries, words, owner)
  if (code === 0 && rename(draft, dataFolder)) return
  rmSync(draft, { recursive: true, force: true })
  if (code !== 0)
    throw new FleetFault('FLEET_UNREACHABLE', {
      message: `A PostgreSQL cannot be made in ${base}: ${lastLine(said)}`,
      cure: 'See to the disk and its rights; or name a server with WEAVE_FLEET_URL.',
    })
}

/** False: another process was first. */
function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

/** Its standard input is a pipe from us: when that closes, however this process ends, the shell ends the engine. */
const watched =
  'exec 3<&0; "$0" "$@" </dev/null 3<&- & engine=$!; (cat <&3 >/dev/null; kill -INT $engine) 2>/dev/null & wait $engine'

function start({ dataFolder, socketFolder, owner }: Place, binaries: Binaries): ChildProcess {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    max_connections: '60',
    shared_buffers: '16MB',
    wal_level: 'minimal',
    max_wal_senders: '0',
  }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const engine = join(binaries.folder, 'postgres')
  return spawn('/bin/sh', ['-c', watched, engine, '-D', dataFolder, ...words], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // In a group of its own: a Ctrl-C at the terminal is for who uses the engine, not for the engine.
    detached: true,
    cwd: '/',
    env: environmentOf(binaries),
    ...(owner !== undefined && { uid: owner, gid: owner }),
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  child.stdin?.end()
  await closed
}

async function untilItAnswers(socketFolder: string, deadline: number): Promise<boolean> {
  while (Date.now() < deadline) {
    if (await answers(socketFolder)) return true
    await delay(25)
  }
  return false
}

/** Whether somebody accepts connections there. */
function answers(socketFolder: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(join(socketFolder, '.s.PGSQL.5432'))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** `initdb`. */
async function run(binaries: Binaries, words: readonly string[], owner: number | undefined) {
  const child = spawn(join(binaries.folder, 'initdb'), [...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    env: environmentOf(binaries),
    ...(owner !== undefined && { uid: owner, gid: owner }),
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8')
  })
  const code = await new Promise<number | null>(resolve => {
    child.once('error', error => {
      said += error.message
      resolve(null)
    })
    child.once('close', resolve)
  })
  return { code, said }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
