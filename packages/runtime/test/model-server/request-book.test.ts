import { expect, test } from 'vitest'
import { createRequestBook, type OpenRecord } from '../../src/model-server/request-book.ts'

test('keeps the newest thousand requests', () => {
  const book = createRequestBook()
  for (let number = 0; number < 1005; number++) book.add(record(number), 10)
  expect(book.all()).toHaveLength(1000)
  expect(book.all()[0]?.model).toBe('5')
})

test('keeps no more than 32 MiB of bodies, and always the last one', () => {
  const book = createRequestBook()
  for (let number = 0; number < 4; number++) book.add(record(number), 10 * 1024 * 1024)
  expect(book.all().map(({ model }) => model)).toEqual(['1', '2', '3'])
  book.add(record(4), 50 * 1024 * 1024)
  expect(book.all().map(({ model }) => model)).toEqual(['4'])
  book.add(record(5), 1)
  expect(book.all().map(({ model }) => model)).toEqual(['5'])
})

test('keeps only the last one when nothing is to be kept', () => {
  const book = createRequestBook(0)
  for (let number = 0; number < 3; number++) book.add(record(number), 10)
  expect(book.all().map(({ model }) => model)).toEqual(['2'])
})

test('wakes who waits when a request comes, and when it changes', async () => {
  const book = createRequestBook()
  const first = record(1)
  const came = book.until(({ model }) => model === '1')
  const ended = book.until(({ aborted }) => aborted)
  book.add(first, 1)
  expect(await came).toBe(first)
  first.aborted = true
  book.changed(first)
  expect(await ended).toBe(first)
  expect(await book.until(({ model }) => model === '1')).toBe(first)
})

function record(number: number): OpenRecord {
  return {
    kind: 'model',
    method: 'POST',
    path: '/v1/messages',
    dialect: 'anthropic',
    key: 'k',
    model: String(number),
    headers: [],
    body: undefined,
    startedAt: new Date(0),
    endedAt: undefined,
    status: undefined,
    aborted: false,
  }
}
