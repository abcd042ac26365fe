import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type CollectorClient,
  collectorOf,
  type EndedSpan,
  endpointVariable,
  openCollector,
} from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import { version } from '../program.ts'

export interface Totals {
  readonly spans: number
  readonly runs: number
}

/** Where spans go: a collector, a file, or the terminal. */
export interface Target {
  readonly verb: 'Sent' | 'Wrote'
  /** ` to spans.jsonl`. */
  readonly where: string
  /** For programs. */
  readonly place: Readonly<Record<string, string>>
  readonly isStdout: boolean
  /** Says what went wrong. */
  take(spans: readonly EndedSpan[]): Promise<string | undefined>
  /** Passes on what is left and lets go. Says what went wrong. Later calls do nothing. */
  close(): Promise<string | undefined>
  totals(): Totals
}

export type OpenedTarget =
  | { readonly ok: true; readonly target: Target; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly isUsage: boolean }

type Names = Parameters<typeof openCollector>[0]['names']

/** So many spans go in one request, and into one line of a file. */
const batchSize = 512

export async function openTarget({ texts }: Arguments, names: Names): Promise<OpenedTarget> {
  const collector = collectorOf(process.env, texts.endpoint)
  const client = openCollector({ collector, names, version })
  if (texts.file !== undefined) return fileTarget(texts.file, client)
  if (!collector.isNamed) {
    const message = `There is no address to send to. Set ${endpointVariable}, or give --endpoint <url> or --file <file>.`
    return { ok: false, message, isUsage: true }
  }
  const words = collector.problems.map(({ where, message }) => `${where}: ${message}.`)
  const isWrong = collector.problems.some(({ severity }) => severity === 'error')
  if (isWrong) return { ok: false, message: words.join('\n'), isUsage: true }
  return { ok: true, target: collectorTarget(client, collector.url), warnings: words }
}

interface Sink {
  /** Says what went wrong. */
  put(spans: readonly EndedSpan[]): Promise<string | undefined>
  close(): Promise<string | undefined>
}

/** Passes spans on in batches; a last one that is not full goes when all are there. */
function batched(sink: Sink): Pick<Target, 'take' | 'close' | 'totals'> {
  const runs = new Set<string>()
  let count = 0
  let waiting: EndedSpan[] = []
  let isClosed = false
  const pass = async (least: number): Promise<string | undefined> => {
    while (waiting.length >= least && waiting.length > 0) {
      const failure = await sink.put(waiting.splice(0, batchSize))
      if (failure !== undefined) {
        waiting = []
        return failure
      }
    }
    return undefined
  }
  return {
    async take(spans) {
      for (const span of spans) {
        waiting.push(span)
        runs.add(span.runId)
      }
      count += spans.length
      return pass(batchSize)
    },
    async close() {
      if (isClosed) return undefined
      isClosed = true
      const failure = await pass(1)
      return (await sink.close()) ?? failure
    },
    totals: () => ({ spans: count, runs: runs.size }),
  }
}

function collectorTarget(client: CollectorClient, url: string): Target {
  const { host } = new URL(url)
  const sink: Sink = {
    async put(spans) {
      const posted = await client.post(spans)
      if (!posted.ok) return refusal(host, posted)
      if (posted.rejected === 0) return undefined
      return `The collector at ${host} took all but ${posted.rejected} spans: ${posted.message ?? 'it does not say why'}`
    },
    async close() {
      client.close()
      return undefined
    },
  }
  return { verb: 'Sent', where: '', place: { collector: host }, isStdout: false, ...batched(sink) }
}

function refusal(
  host: string,
  { status, message }: { status?: number | undefined; message: string },
): string {
  return status === undefined
    ? `The collector at ${host} cannot be reached: ${message}`
    : `The collector at ${host} answered ${status}: ${message}`
}

/** One request as JSON in every line, as the collector's file receiver reads it. */
async function fileTarget(name: string, client: CollectorClient): Promise<OpenedTarget> {
  if (name === '-') {
    const write = async (pieces: readonly Uint8Array[]): Promise<void> =>
      new Promise((done, failed) => {
        process.stdout.write(Buffer.concat(pieces), error => (error ? failed(error) : done()))
      })
    return {
      ok: true,
      target: lineTarget({ name, write, close: async () => undefined }, client),
      warnings: [],
    }
  }
  const path = resolve(name)
  try {
    const file = await open(path, 'w', 0o600)
    const write = async (pieces: readonly Uint8Array[]): Promise<void> => {
      for (const piece of pieces) await file.writeFile(piece)
    }
    return {
      ok: true,
      target: lineTarget({ name, write, close: async () => file.close() }, client),
      warnings: [],
    }
  } catch (error) {
    return { ok: false, message: cannotWrite(name, error), isUsage: false }
  }
}

interface Lines {
  readonly name: string
  /** The pieces of a line, one after the other. */
  readonly write: (pieces: readonly Uint8Array[]) => Promise<void>
  readonly close: () => Promise<void>
}

function lineTarget({ name, write, close }: Lines, client: CollectorClient): Target {
  const guarded = async (work: () => Promise<void>): Promise<string | undefined> => {
    try {
      await work()
      return undefined
    } catch (error) {
      return cannotWrite(name, error)
    }
  }
  const sink: Sink = {
    put: spans => guarded(() => write([client.json(spans), lineEnd])),
    close: () => guarded(close),
  }
  const isStdout = name === '-'
  const where = isStdout ? '' : ` to ${name}`
  return { verb: 'Wrote', where, place: { file: name }, isStdout, ...batched(sink) }
}

const lineEnd = Buffer.from('\n')

function cannotWrite(name: string, error: unknown): string {
  return `${name} cannot be written: ${error instanceof Error ? error.message : String(error)}`
}
