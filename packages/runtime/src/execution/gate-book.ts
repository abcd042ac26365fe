import { bookTypes, emptyBook, type GateBook, heard } from '../gates/index.ts'
import type { History, StoredEvent } from '../journal/index.ts'

/** What the journal knows of gates. Lines of other types are not parsed. */
export async function readGateBook(history: History): Promise<GateBook> {
  let book = emptyBook
  for await (const page of history.pages()) {
    for (const stored of page.events) {
      const event = mayMatter(stored) ? await history.event(stored) : undefined
      if (event) book = heard(book, event)
    }
  }
  return book
}

const marks = bookTypes.map(type => Buffer.from(`"type":"${type}"`))
const headBytes = 256

/** Checked on the bytes. Text inside another event can only cost a parse. */
function mayMatter({ rest }: StoredEvent): boolean {
  const head = rest.subarray(0, headBytes)
  return marks.some(mark => head.includes(mark))
}
