import { type ReadPlace, readCheckpointRows, readPlace, systemClock } from '@weave/runtime'
import { harmless } from 'weave-client'
import { type Answer, beginningOf, failure, longestText, value } from '../answers.ts'
import { executionNamed, type NamedExecution } from '../places.ts'
import { addressOfFile } from '../resource-addresses.ts'
import type { Run } from '../tool.ts'
import type { Inputs } from './inputs.ts'

export const listCheckpoints: Run<Inputs['list_checkpoints']> = async ({ execution, skip }, at) => {
  const named = await executionNamed(execution, at)
  if (!named.ok) return named.answer
  return value({ checkpoints: (await readCheckpointRows(named.layout)).slice(skip), skipped: skip })
}

type Opened =
  | { readonly ok: true; readonly place: ReadPlace }
  | { readonly ok: false; readonly answer: Answer }

async function opened({ layout }: NamedExecution): Promise<Opened> {
  const read = await readPlace({ layout, environment: process.env, clock: systemClock })
  if (read.ok) return read
  return { ok: false, answer: failure('UNKNOWN_RUN', `${read.message} ${read.cure}`) }
}

function unknownCheckpoint(message: string): Answer {
  return failure('UNKNOWN_CHECKPOINT', `${message} list_checkpoints lists them.`)
}

/** Of a patch, in bytes: what is longer is nothing for a conversation. */
const longestPatch = 1 << 20
const roomForPatch = longestText - 4_000

export const diffCheckpoints: Run<Inputs['diff_checkpoints']> = async (input, at) => {
  const named = await executionNamed(input.execution, at)
  if (!named.ok) return named.answer
  const read = await opened(named)
  if (!read.ok) return read.answer
  const { place } = read
  const [from, to] = [await place.named(input.from), await place.named(input.to)]
  if (!from.ok) return unknownCheckpoint(from.message)
  if (!to.ok) return unknownCheckpoint(to.message)
  const { path, skip } = input
  const compared = await place.versions.diff(from.sha, to.sha, {
    lines: true,
    ...(path !== undefined && { paths: [path], text: true, maxTextBytes: longestPatch }),
  })
  if (!compared.ok) return unknownCheckpoint(compared.message)
  const files = compared.files.map(({ path: name, status, additions, deletions, isBinary }) => ({
    path: name,
    status,
    additions,
    deletions,
    isBinary,
  }))
  const whole = compared.text?.bytes.toString('utf8') ?? ''
  const patch = beginningOf(whole, roomForPatch)
  const isCut = compared.text?.isCut === true || patch.length < whole.length
  return value({
    from: from.label,
    to: to.label,
    files: files.slice(skip),
    skipped: skip,
    ...(compared.text && { untrusted: { patch } }),
    ...(isCut && { truncated: { shown: patch.length, total: whole.length, next: null } }),
  })
}

/** Of a file, in bytes. */
const longestFile = 4 << 20
const roomForText = longestText - 6_000

export const readFile: Run<Inputs['read_file']> = async (input, at) => {
  const named = await executionNamed(input.execution, at)
  if (!named.ok) return named.answer
  const read = await opened(named)
  if (!read.ok) return read.answer
  const version = await read.place.named(input.checkpoint)
  if (!version.ok) return unknownCheckpoint(version.message)
  const { path, offset } = input
  const found = await read.place.versions.file(version.sha, path, longestFile)
  if (!found)
    return failure(
      'UNKNOWN_FILE',
      `${path} is no file of ${version.label}. diff_checkpoints with from start lists what there is.`,
    )
  const { bytes, size } = found
  const about = { path, checkpoint: version.label, bytes: size }
  if (bytes.subarray(0, lookedAt).includes(0)) {
    const uri = addressOfFile({ name: named.name, sha: version.sha, path })
    const link = { uri, name: harmless(path), mimeType: 'application/octet-stream' }
    return value({ ...about, isBinary: true }, [link])
  }
  const whole = bytes.toString('utf8')
  const text = beginningOf(whole.slice(offset), roomForText)
  const end = offset + text.length
  const truncated = { shown: text.length, total: whole.length, next: end }
  return value({ ...about, isBinary: false, untrusted: { text }, ...(end < whole.length && { truncated }) })
}

/** As git decides whether a file is text. */
const lookedAt = 8_000

/** Of a file that is handed on whole. */
const longestBytes = 1 << 20

/** Undefined: there is no such file, or it is too large. */
export async function fileBytes(
  named: NamedExecution,
  sha: string,
  path: string,
): Promise<Buffer | undefined> {
  const read = await opened(named)
  const version = read.ok ? await read.place.named(sha) : undefined
  if (!read.ok || !version?.ok) return undefined
  const found = await read.place.versions.file(version.sha, path, longestBytes)
  return found && found.size <= longestBytes ? found.bytes : undefined
}
