import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface HttpToken {
  readonly token: string
  /** Made just now: nobody knows it yet. */
  readonly isNew: boolean
}

const form = /^[A-Za-z0-9_-]{43}$/

/** The token that clients over HTTP show: the one in the file, or a new one. Throws when the file is not to be trusted. */
export function httpToken(file: string): HttpToken {
  const kept = readKept(file)
  if (kept !== undefined) return { token: kept, isNew: false }
  const token = randomBytes(32).toString('base64url')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
  return { token, isNew: true }
}

/** Undefined: there is none. */
function readKept(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { uid, mode } = fstatSync(descriptor)
    const isOwn = uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0
    const text = isOwn ? readFileSync(descriptor, 'utf8').trim() : ''
    if (form.test(text)) return text
  } finally {
    closeSync(descriptor)
  }
  throw new Error(`${file} is open to others or holds no token. Delete it: the next start makes another.`)
}

/** Takes the same time whatever was shown. */
export function isBearer(header: string | undefined, token: string): boolean {
  const [, shown = ''] = /^Bearer +([\w-]{1,200})$/i.exec(header ?? '') ?? []
  return timingSafeEqual(digest(shown), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
