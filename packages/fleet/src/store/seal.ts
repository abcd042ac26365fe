import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Objects, encrypted: `WVF1`, 32 bytes of salt, then frames of at most 1 MiB, each AES-256-GCM with its tag behind it.
 *
 * - **E1** Every object has a key of its own, made from that of the fleet and the salt: no nonce is ever used twice.
 * - **E2** The nonce of a frame is its number and whether it is the last one, so that frames which were left out, added or
 *   put in another order do not open.
 */
const magic = Buffer.from('WVF1')
const saltBytes = 32
const tagBytes = 16
const frameBytes = 1024 ** 2

export function seal(plain: Buffer, key: Buffer): Buffer {
  const salt = randomBytes(saltBytes)
  const own = keyFor(key, salt)
  const count = Math.max(1, Math.ceil(plain.length / frameBytes))
  const frames = Array.from({ length: count }, (_, at) => {
    const cipher = createCipheriv('aes-256-gcm', own, nonceOf(at, at === count - 1))
    const body = cipher.update(plain.subarray(at * frameBytes, (at + 1) * frameBytes))
    return Buffer.concat([body, cipher.final(), cipher.getAuthTag()])
  })
  return Buffer.concat([magic, salt, ...frames])
}

/** Throws for anything that `seal` did not make with this key. */
export function unseal(sealed: Buffer, key: Buffer): Buffer {
  const begin = magic.length + saltBytes
  if (sealed.length < begin + tagBytes || !sealed.subarray(0, magic.length).equals(magic))
    throw new Error('it is not encrypted')
  const own = keyFor(key, sealed.subarray(magic.length, begin))
  const step = frameBytes + tagBytes
  const count = Math.ceil((sealed.length - begin) / step)
  const frames = Array.from({ length: count }, (_, at) => {
    const frame = sealed.subarray(begin + at * step, begin + (at + 1) * step)
    if (frame.length < tagBytes) throw new Error('it is cut short')
    const decipher = createDecipheriv('aes-256-gcm', own, nonceOf(at, at === count - 1))
    decipher.setAuthTag(frame.subarray(frame.length - tagBytes))
    return Buffer.concat([decipher.update(frame.subarray(0, frame.length - tagBytes)), decipher.final()])
  })
  return Buffer.concat(frames)
}

function keyFor(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'weave fleet object', 32))
}

function nonceOf(at: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(at, 4)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}
