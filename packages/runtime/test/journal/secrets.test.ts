import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Entry } from '../../src/journal/notify.ts'
import { allBytes, openTestJournal, readAll } from './open.ts'

const key = 'hush-7f3a91c2-do-not-tell'
const odd = 'pass"word\\with\nlines and ünicode'
const secrets = [
  { name: 'MY_API_KEY', value: key },
  { name: 'DB_PASSWORD', value: odd },
]

describe('secrets', () => {
  verifies(
    ['d12/secret-journal', 'd12/secret-replacement'],
    'are neither on disk nor told, wherever in an event they stand',
    async () => {
      const dir = await tempDir()
      const journal = await openTestJournal(dir, { secrets })
      const heard: Entry[] = []
      journal.subscribe(entry => heard.push(entry))
      journal.append('info', { message: `the key is ${key}, the password ${odd}` }, { commandId: key })
      journal.append('assistant.action', {
        codonId: 'a',
        action: 'tool_use',
        content: key,
        toolName: 'Bash',
        toolInput: { command: `curl -H ${key}`, nested: [{ deep: odd, [key]: 1 }] },
      })
      journal.append('info', { message: `${'x'.repeat(9_000)}${key}` })
      const returned = journal.append('info', { message: key })
      await journal.close()
      for (const text of [
        (await allBytes(dir)).toString('utf8'),
        JSON.stringify(returned),
        ...heard.map(entry => entry.text),
      ]) {
        expect(text).not.toContain(key)
        expect(text).not.toContain(JSON.stringify(odd).slice(1, -1))
      }
      expect(returned.data.message).toBe('[redacted:MY_API_KEY]')
      expect(heard[1]?.event.data).toMatchObject({ toolInput: { command: 'curl -H [redacted:MY_API_KEY]' } })
    },
  )

  verifies(
    ['d12/secret-chunk-borders'],
    'split over two events of one stream leave at most half of themselves',
    async () => {
      for (let cut = 1; cut < key.length; cut++) {
        const dir = await tempDir()
        const journal = await openTestJournal(dir, { secrets })
        journal.append('rig.output', {
          codonId: 'a',
          operation: 0,
          stream: 'stdout',
          text: `out ${key.slice(0, cut)}`,
        })
        journal.append('rig.output', {
          codonId: 'a',
          operation: 0,
          stream: 'stdout',
          text: `${key.slice(cut)} put`,
        })
        await journal.close()
        const { events } = await readAll(dir)
        const joined = events.map(event => (event.type === 'rig.output' ? event.data.text : '')).join('')
        expect(joined).toContain('[redacted:MY_API_KEY]')
        for (let at = 0; at + key.length / 2 < key.length; at++) {
          expect(joined, `cut at ${cut}`).not.toContain(key.slice(at, at + Math.ceil(key.length / 2)))
        }
      }
    },
  )

  test('of any kind are gone from any text they are planted in', async () => {
    const dir = await tempDir()
    const journal = await openTestJournal(dir, { secrets })
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(key, odd),
        fc.string(),
        (before, secret, after) => {
          const { data } = journal.append('info', { message: before + secret + after })
          expect(data.message).not.toContain(secret)
        },
      ),
    )
    await journal.close()
    expect((await allBytes(dir)).includes(key)).toBe(false)
  })
})
