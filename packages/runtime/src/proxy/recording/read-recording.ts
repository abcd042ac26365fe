import { validateHeaderName, validateHeaderValue } from 'node:http'
import { readRegularFile } from '../../files/index.ts'
import { errorCode, messageOf, readLines } from '../../kit/index.ts'
import type { ExchangeEnding } from '../transport.ts'
import {
  type BodyStore,
  createBodyStore,
  type RecordedExchange,
  recordingFiles,
  recordingFormat,
  recordingVersion,
} from './recording-files.ts'

/** A recording that was looked through: every body that a line names is there, and is what it was. */
export interface Recording {
  readonly directory: string
  /** In the order in which requests came. */
  readonly exchanges: readonly RecordedExchange[]
  /** Codons whose traffic was not recorded, by their ids. */
  readonly unrecorded: readonly string[]
  /** False: the end is missing, by a cut or because the run was killed. */
  readonly isWhole: boolean
  readonly bodies: Pick<BodyStore, 'get'>
}

export type ReadRecording =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly message: string }

/** Never rejects. A last line that was cut off is forgiven; anything else that is damaged is not. */
export async function readRecording(directory: string): Promise<ReadRecording> {
  const about = await readAbout(directory)
  if (!about.ok) return about
  const files = recordingFiles(directory)
  const read = await readExchanges(files.exchanges)
  if (!read.ok) return read
  const bodies = createBodyStore(files.bodies)
  for (const { codonId, turn, request, body } of read.exchanges) {
    for (const sha256 of [request, body]) {
      if (sha256 === undefined || (await bodies.get(sha256))) continue
      const whose = `${codonId === undefined ? 'no codon' : `codon ${codonId}`}, turn ${turn}`
      return refused(`the body ${sha256.slice(0, 12)} of ${whose} in ${files.bodies} is missing or damaged`)
    }
  }
  const exchanges = read.exchanges.toSorted((one, other) => one.began - other.began)
  const { unrecorded } = about
  return { ok: true, recording: { directory, exchanges, unrecorded, isWhole: read.isWhole, bodies } }
}

function refused(why: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `The recording cannot be used: ${why}.` }
}

async function readAbout(directory: string) {
  const { about } = recordingFiles(directory)
  const read = await readRegularFile(about, { maxBytes: 1 << 20 })
  if (!read.ok) return refused(read.message)
  const value = parsed(read.bytes)
  if (textOf(value, 'format') !== recordingFormat) return refused(`${about} does not say that it is one`)
  const version = fieldOf(value, 'version')
  if (version !== recordingVersion)
    return refused(`it has format ${String(version)}, and this weave reads format ${recordingVersion}`)
  const unrecorded = fieldOf(value, 'unrecorded')
  const ids = Array.isArray(unrecorded) ? unrecorded.map(String) : []
  return { ok: true as const, unrecorded: ids }
}

interface ReadExchanges {
  readonly ok: true
  readonly exchanges: readonly RecordedExchange[]
  readonly isWhole: boolean
}

async function readExchanges(path: string) {
  const exchanges: RecordedExchange[] = []
  let announced: number | undefined
  let number = 0
  try {
    for await (const lines of readLines(path)) {
      for (const { bytes, terminated } of lines) {
        number++
        const value = parsed(bytes)
        if (value === undefined && !terminated) continue
        const end = fieldOf(value, 'exchanges')
        if (announced !== undefined) return refused(`line ${number} of ${path} comes after the end`)
        if (typeof end === 'number') announced = end
        else if (isExchange(value)) exchanges.push(value)
        else return refused(`line ${number} of ${path} is damaged`)
      }
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return refused(messageOf(error))
  }
  if (announced !== undefined && announced !== exchanges.length)
    return refused(`${path} has ${exchanges.length} of ${announced} exchanges`)
  const read: ReadExchanges = { ok: true, exchanges, isWhole: announced !== undefined }
  return read
}

const endings: Readonly<Record<ExchangeEnding, true>> = {
  complete: true,
  'caller-left': true,
  'upstream-failed': true,
  'proxy-failed': true,
}

function isExchange(value: unknown): value is RecordedExchange {
  const figures = ['turn', 'began', 'ended'].map(key => fieldOf(value, key))
  const texts = ['method', 'path'].map(key => fieldOf(value, key))
  const optional = ['codonId', 'request', 'body', 'unkept'].map(key => fieldOf(value, key))
  const status = fieldOf(value, 'status')
  return (
    figures.every(Number.isSafeInteger) &&
    texts.every(text => typeof text === 'string') &&
    optional.every(text => text === undefined || typeof text === 'string') &&
    (status === undefined || (typeof status === 'number' && /^[2-5]\d\d$/.test(String(status)))) &&
    hasHeaders(value) &&
    Object.hasOwn(endings, textOf(value, 'ending'))
  )
}

/** Somebody else may have written the file: what could be read as the end of a header is none. */
function hasHeaders(value: unknown): boolean {
  const headers = fieldOf(value, 'headers')
  if (typeof headers !== 'object' || headers === null) return false
  return Object.entries(headers).every(([name, text]) => typeof text === 'string' && isHeader(name, text))
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function textOf(value: unknown, key: string): string {
  const text = fieldOf(value, key)
  return typeof text === 'string' ? text : ''
}
