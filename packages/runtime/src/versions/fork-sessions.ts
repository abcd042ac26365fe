import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WeaveState } from '@weave/protocol'
import { cloneFile, readRegularFile } from '../files/index.ts'
import { type Relocation, relocateLine, sessionFiles } from '../harness/index.ts'
import { errorCode } from '../kit/index.ts'

export interface ConversationMove extends Relocation {
  /** What agents kept, and where it goes. */
  readonly home: string
  readonly target: string
  readonly state: WeaveState
}

export interface MovedConversations {
  /** Files with mentions of the old workspace. */
  readonly files: number
  readonly places: number
  readonly left: number
}

/** Longer files are copied as they are. */
const longestFile = 512 << 20

/**
 * Gives the conversations of the codons in a state to a new workspace: where its agents look for them, and with its path in
 * place of the old one. Rejects with the system's error.
 */
export async function moveConversations(move: ConversationMove): Promise<MovedConversations> {
  const { home, target, to, state } = move
  const sessions = new Set(
    state.runs.flatMap(({ codons }) =>
      codons.flatMap(record =>
        'sessionId' in record && record.sessionId !== undefined ? [record.sessionId] : [],
      ),
    ),
  )
  let [files, places, left] = [0, 0, 0]
  for (const file of await sessionFiles({ home, cwd: to, sessions })) {
    const [from, into] = [join(home, file.from), join(target, file.to)]
    const read = file.isText ? await readRegularFile(from, { maxBytes: longestFile }) : undefined
    await mkdir(dirname(into), { recursive: true, mode: 0o700 })
    if (!read?.ok) {
      await cloneIfThere(from, into)
      continue
    }
    const moved = relocated(read.bytes.toString('utf8'), move)
    // Bytes that are no text would not survive a rewrite that changed nothing.
    const content = moved.places === 0 ? read.bytes : moved.text
    await writeFile(into, content, { mode: 0o600, flag: 'wx' })
    if (moved.places + moved.left > 0) files++
    places += moved.places
    left += moved.left
  }
  return { files, places, left }
}

function relocated(text: string, relocation: Relocation) {
  let [places, left] = [0, 0]
  const lines = text.split('\n').map(line => {
    const moved = relocateLine(line, relocation)
    places += moved.places
    left += moved.left
    return moved.line
  })
  return { text: lines.join('\n'), places, left }
}

async function cloneIfThere(from: string, into: string): Promise<void> {
  try {
    await cloneFile(from, into)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
