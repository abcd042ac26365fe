import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { projectFolder } from '../../src/harness/claude/session-folder.ts'
import { relocateLine } from '../../src/harness/relocate-line.ts'

const old = '/data/runs/a-1/agentRoot'
const relocation = { from: [old], to: '/data/runs/b-2/agentRoot' }
const moved = (value: unknown) => {
  const { line, ...counts } = relocateLine(JSON.stringify(value), relocation)
  return { value: JSON.parse(line) as unknown, ...counts }
}

describe('a line of a conversation in another workspace', () => {
  verifies(
    ['fork/signed-thinking'],
    'names the new one in texts, inputs, results and keys, and leaves thinking and signatures alone',
    () => {
      const thinking = { type: 'thinking', thinking: `I write ${old}/x`, signature: `sig ${old}` }
      const redacted = { type: 'redacted_thinking', data: old }
      const embedded = { type: 'thinking', thinking: old, thinkingSignature: old }
      const message = (path: string) => ({
        cwd: path,
        message: {
          content: [
            thinking,
            redacted,
            embedded,
            { type: 'text', text: `Look at ${path}/guide.md and ${path}.`, textSignature: old },
            { type: 'tool_use', input: { file_path: `${path}/a` } },
          ],
        },
        files: { [`${path}/a`]: 1 },
      })
      expect(moved(message(old))).toEqual({ value: message(relocation.to), places: 5, left: 6 })
    },
  )

  test('is the same to the byte when it does not name the old one', () => {
    for (const line of [
      '',
      'no json',
      '{ "a" : "/data/runs/a-1/agentRoots" }',
      `{"t":"x${old}"}`,
      '{"é":"\\u00e9"}',
    ])
      expect(relocateLine(line, relocation)).toEqual({ line, places: 0, left: 0 })
  })

  test('takes only whole paths', () => {
    expect(moved({ a: `${old}-2 ${old}2 ${old}.bak /x${old}` })).toMatchObject({ places: 0 })
    expect(moved({ a: `file://${old}/x "${old}"` })).toMatchObject({ places: 2 })
  })

  test('keeps what is sealed as it is, whatever is around it', () => {
    const sealed = fc.record({
      type: fc.constantFrom('thinking', 'redacted_thinking'),
      thinking: fc.constant(old),
      signature: fc.string(),
    })
    const other = fc.record({
      type: fc.constant('text'),
      text: fc.string().map(text => `${text} ${old}/${text}`),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(sealed, other)), content => {
        const { value } = moved({ content })
        const kept = (value as { content: readonly { type: string }[] }).content
        expect(kept.filter(({ type }) => type !== 'text')).toEqual(
          content.filter(({ type }) => type !== 'text'),
        )
        const texts = kept.filter(({ type }) => type === 'text')
        for (const text of texts) expect(JSON.stringify(text)).not.toContain(`${old}/`)
      }),
    )
  })

  test('lies where the SDK looks for it, also when the path is long', () => {
    expect(projectFolder('/tmp/x_y.z')).toBe('-tmp-x-y-z')
    const long = `/${'a'.repeat(250)}`
    expect(projectFolder(long)).toMatch(/^-a{199}-[0-9a-z]+$/)
  })
})
