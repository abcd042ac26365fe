import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDir, readRegularFile } from '../files/index.ts'
import { type ConversationTurn, readConversation, writeConversation } from './conversation.ts'
import type { SentinelPlaces } from './outputs.ts'

/** The conversation of a sentinel in a codon, on disk: it goes on after a restart and in the next attempt. */
export interface KeptConversation {
  /** `damaged`: there is something, and it is no conversation. Never rejects. */
  read(): Promise<readonly ConversationTurn[] | 'damaged'>
  /** Rejects with the system's error. */
  write(turns: readonly ConversationTurn[]): Promise<void>
  /** Puts what is damaged out of the way, for people to look at. Never rejects. */
  setAside(): Promise<void>
}

const maxBytes = 16 * 1024 * 1024

export function keptConversation(
  sentinelId: string,
  runtimeId: string,
  { directoryOf, fileNameOf }: SentinelPlaces,
): KeptConversation {
  const directory = directoryOf(sentinelId)
  const path = join(directory, `${fileNameOf(runtimeId)}.conversation.json`)
  return {
    async read() {
      const file = await readRegularFile(path, { maxBytes })
      if (file.ok) return readConversation(file.bytes.toString('utf8')) ?? 'damaged'
      return file.reason === 'missing' ? [] : 'damaged'
    },
    async write(turns) {
      await ensureDir(directory)
      await writeConversation(path, turns)
    },
    async setAside() {
      await rename(path, `${path}.damaged`).catch(() => undefined)
    },
  }
}
