import { appendFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate } from 'node:zlib'
import type { Redactor } from '../../kit/index.ts'
import { firstValue } from '../headers.ts'
import { maskedUrl } from '../request-head.ts'
import type {
  ExchangeEnding,
  ExchangeObserver,
  Observe,
  OutgoingRequest,
  ResponseHead,
} from '../transport.ts'
import { type LocalWords, normalisedRequest } from './normalised-request.ts'
import {
  type BodyStore,
  type CodonMark,
  createBodyStore,
  largestBody,
  type RecordedExchange,
  type RecordingEnd,
  recordingFiles,
} from './recording-files.ts'
import { rewrittenAnswer } from './rewritten-answer.ts'

export interface ExchangeRecorderOptions {
  /** A claimed one. */
  readonly directory: string
  readonly redactor: Redactor
  readonly words: LocalWords
  readonly codon: () => CodonMark
  /** Told once, when the disk refuses; from then on nothing more is written, and the recording has no end. */
  readonly onFailure: (message: string) => void
}

export interface ExchangeRecorder {
  readonly observe: Observe
  /** Writes what is left and says that the recording is whole. Never rejects. */
  close(): Promise<void>
}

/** Writes down every exchange. Bodies are written before the line that names them. */
export function createExchangeRecorder(options: ExchangeRecorderOptions): ExchangeRecorder {
  const { directory, codon, onFailure } = options
  const files = recordingFiles(directory)
  const bodies = createBodyStore(files.bodies)
  const turns = new Map<string | undefined, number>()
  let moment = 0
  let exchanges = 0
  let hasFailed = false
  let isClosed = false
  let pending = Promise.resolve()

  const write = (line: () => Promise<RecordedExchange | RecordingEnd>): void => {
    pending = pending.then(async () => {
      if (hasFailed) return
      try {
        await appendFile(files.exchanges, `${JSON.stringify(await line())}\n`, { mode: 0o600 })
      } catch (error) {
        hasFailed = true
        onFailure(`The recording in ${directory} cannot be written: ${String(error)}`)
      }
    })
  }

  const observe: Observe = request => {
    const mark = codon()
    const turn = (turns.get(mark.codonId) ?? 0) + 1
    turns.set(mark.codonId, turn)
    const began = moment++
    return collect(request, heard => {
      // Cut off by the end of the proxy itself: nothing may stand after the last line.
      if (isClosed) return
      const ended = moment++
      exchanges++
      write(async () => ({ ...mark, turn, ...(await kept(heard, { ...options, bodies })), began, ended }))
    })
  }
  return {
    observe,
    async close() {
      isClosed = true
      write(async () => ({ exchanges }))
      await pending
    },
  }
}

interface Heard {
  readonly request: OutgoingRequest
  readonly head: ResponseHead | undefined
  /** Undefined: too large. */
  readonly body: Buffer | undefined
  readonly ending: ExchangeEnding
}

function collect(outgoing: OutgoingRequest, onEnd: (heard: Heard) => void): ExchangeObserver {
  const { body } = outgoing
  const request = { ...outgoing, ...(Buffer.isBuffer(body) && { body: Buffer.from(body) }) }
  const pieces: Buffer[] = []
  let bytes = 0
  let head: ResponseHead | undefined
  return {
    head(given) {
      head = given
    },
    data(piece) {
      bytes += piece.length
      if (bytes <= largestBody) pieces.push(Buffer.from(piece))
    },
    end(ending) {
      onEnd({ request, head, body: bytes <= largestBody ? Buffer.concat(pieces) : undefined, ending })
    },
  }
}

type Keeping = Pick<ExchangeRecorderOptions, 'redactor' | 'words'> & { readonly bodies: BodyStore }

async function kept(heard: Heard, keeping: Keeping) {
  const { request, head, ending } = heard
  const { redactor, words, bodies } = keeping
  const clean = (text: string): string => redactor.text(words.hide(text))
  const asked = normalisedRequest(request, clean)
  return {
    method: request.method,
    path: clean(maskedUrl(request.target)),
    ...(asked && { request: await bodies.put(Buffer.from(JSON.stringify(asked))) }),
    ...(head && { status: head.status }),
    headers: keptHeaders(head, clean),
    ...(await keptBody(heard, clean, bodies)),
    ending,
  }
}

async function keptBody({ head, body, ending }: Heard, clean: (text: string) => string, bodies: BodyStore) {
  const encoding = head && firstValue(head.headers, 'content-encoding')
  const coding = encoding === undefined ? {} : { contentEncoding: encoding }
  if (!body) return { ...coding, unkept: 'it is too large' }
  if (body.length === 0) return coding
  const decoded = await decodedBody({ bytes: body, encoding, isWhole: ending === 'complete' })
  if (!decoded) return { ...coding, unkept: `its coding ${encoding} is not known` }
  return { ...coding, body: await bodies.put(rewrittenAnswer(decoded, clean)) }
}

const meaningful =
  /^(?:content-type|retry-after(?:-ms)?|x-should-retry|(?:x|anthropic)-ratelimit-.+|(?:x-)?request-id)$/

function keptHeaders(
  head: ResponseHead | undefined,
  clean: (text: string) => string,
): Readonly<Record<string, string>> {
  const headers = head?.headers.filter(({ key }) => meaningful.test(key)) ?? []
  return Object.fromEntries(headers.map(({ key, value }) => [key, clean(value)]))
}

const limits = { maxOutputLength: largestBody }
const decoders: Readonly<Record<string, (bytes: Buffer, isWhole: boolean) => Promise<Buffer>>> = {
  gzip: (bytes, isWhole) => promisify(gunzip)(bytes, zlibOptions(isWhole)),
  'x-gzip': (bytes, isWhole) => promisify(gunzip)(bytes, zlibOptions(isWhole)),
  deflate: (bytes, isWhole) => promisify(inflate)(bytes, zlibOptions(isWhole)),
  br: (bytes, isWhole) =>
    promisify(brotliDecompress)(
      bytes,
      isWhole ? limits : { ...limits, finishFlush: constants.BROTLI_OPERATION_FLUSH },
    ),
}

/** What an exchange that was broken off has brought counts, too. */
function zlibOptions(isWhole: boolean) {
  return isWhole ? limits : { ...limits, finishFlush: constants.Z_SYNC_FLUSH }
}

interface CodedBody {
  readonly bytes: Buffer
  /** The header `content-encoding`. */
  readonly encoding: string | undefined
  readonly isWhole: boolean
}

/** The bytes without their content coding; undefined when that coding is not known here, or the bytes are not of it. */
async function decodedBody({ bytes, encoding, isWhole }: CodedBody): Promise<Buffer | undefined> {
  const codings = (encoding ?? '').toLowerCase().split(',')
  const named = codings.map(coding => coding.trim()).filter(coding => coding !== '' && coding !== 'identity')
  let decoded = bytes
  for (const coding of named.toReversed()) {
    const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    if (!decode) return undefined
    try {
      decoded = await decode(decoded, isWhole)
    } catch {
      return undefined
    }
  }
  return decoded
}
