import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournaledEvent } from '@weave/protocol'
import { createHistory, type Journal, openJournal } from '../../src/journal/index.ts'
import type { JournalOptions } from '../../src/journal/journal.ts'
import { createRedactor, type Secret, systemClock } from '../../src/kit/index.ts'

export function openTestJournal(
  dir: string,
  { secrets = [], ...options }: Partial<JournalOptions> & { readonly secrets?: readonly Secret[] } = {},
): Promise<Journal> {
  return openJournal({ dir, clock: systemClock, redactor: createRedactor(secrets), ...options })
}

/** Everything in a journal at rest, as values. */
export async function readAll(dir: string): Promise<{ events: readonly JournaledEvent[]; problems: number }> {
  const history = createHistory({ dir })
  const events: JournaledEvent[] = []
  let problems = 0
  for await (const page of history.pages()) {
    problems += page.problems.length
    for (const stored of page.events) {
      const event = await history.event(stored)
      if (event) events.push(event)
    }
  }
  return { events, problems }
}

/** All bytes of all files below a folder, to look for what must not be there. */
export async function allBytes(dir: string): Promise<Buffer> {
  const names = await readdir(dir, { recursive: true, encoding: 'utf8' })
  const files = await Promise.all(
    names.map(async name =>
      (await stat(join(dir, name))).isFile() ? readFile(join(dir, name)) : Buffer.alloc(0),
    ),
  )
  return Buffer.concat(files)
}
