import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { FleetFault } from '../fault.ts'

/** 32 bytes that all who share the objects of a fleet have. */
export interface StoreKey {
  readonly bytes: Buffer
  /** Says nothing about the key, and tells two keys apart. */
  readonly check: string
}

/** What stands for the key of a fleet without one. */
export const noKey = 'none'

const keyBytes = 32

/** From `WEAVE_FLEET_KEY`, or from a file that only its owner may read; 64 hexadecimal digits or base64. */
export function readKey({
  text,
  file,
}: {
  readonly text?: string | undefined
  readonly file?: string | undefined
}): StoreKey | undefined {
  if (text !== undefined) return keyOf(text.trim(), 'WEAVE_FLEET_KEY')
  if (file === undefined) return undefined
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw keyFault(`${file} can be read by others`, `chmod 600 ${file}`)
    return keyOf(readFileSync(file, 'utf8').trim(), file)
  } catch (error) {
    if (error instanceof FleetFault) throw error
    throw keyFault(error instanceof Error ? error.message : String(error), 'See to fleet.key in weave.json')
  }
}

function keyOf(text: string, origin: string): StoreKey {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (bytes.length !== keyBytes)
    throw keyFault(`${origin} is no key of ${keyBytes} bytes`, 'Make one: openssl rand -hex 32')
  return { bytes, check: createHmac('sha256', bytes).update('weave fleet key').digest('hex').slice(0, 32) }
}

function keyFault(message: string, cure: string): FleetFault {
  return new FleetFault('FLEET_KEY', { message: `The key of the fleet: ${message}.`, cure: `${cure}.` })
}

/** The fleet has another key than this program, or one of them has none. */
export function refuseKey(ours: string, settled: string): void {
  if (ours === settled) return
  const message =
    settled === noKey
      ? 'The objects of this fleet are not encrypted, and a key is set'
      : ours === noKey
        ? 'The objects of this fleet are encrypted, and no key is set'
        : 'The objects of this fleet are encrypted with another key'
  throw new FleetFault('FLEET_KEY', {
    message: `${message}.`,
    cure: 'Set WEAVE_FLEET_KEY, or fleet.key in weave.json, to what the rest of the fleet has.',
  })
}
