import { parse } from 'node:path'
import { cutToBytes } from '../files/index.ts'
import { shortHash } from './data-hash.ts'

export interface NameParts {
  readonly hankName?: string | undefined
  readonly hankPath: string
  readonly dataHash: string
  readonly now: Date
  /** From 1; the second and later ones of one second get a number. */
  readonly attempt?: number
}

/** With the 23 characters that follow, and a counter, well within what file systems allow. */
const longestSlug = 80

/** `<hank name or file stem>-<yyyymmdd-hhmmss, UTC>-<6 hex of the data hash>`. */
export function executionName({ hankName, hankPath, dataHash, now, attempt = 1 }: NameParts): string {
  const name = `${slugOf(nameOfHank(hankName, hankPath))}-${timestamp(now)}-${shortHash(dataHash)}`
  return attempt === 1 ? name : `${name}-${attempt}`
}

/** What a hank is called: its own name, else that of its file. */
export function nameOfHank(hankName: string | undefined, hankPath: string): string {
  return hankName === undefined || hankName.trim() === '' ? parse(hankPath).name : hankName
}

/** Sorts by time. UTC, so that no change to winter time puts two runs in the wrong order. */
export function timestamp(date: Date): string {
  const digits = date.toISOString().replaceAll(/[-:]/g, '')
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`
}

/**
 * Lower-case letters and digits of any script, joined by hyphens; Latin letters lose their accents. Never empty, never
 * starts with a dot or a hyphen, at most 80 bytes.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
  const words = plain.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-')
  return cutToBytes(words.replace(/^-/, ''), longestSlug).replace(/-$/, '') || 'hank'
}
