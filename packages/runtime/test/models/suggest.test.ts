import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRegistry, findModel, resolveModel } from '../../src/models/index.ts'

const { registry } = await createRegistry()

describe('an unknown model', () => {
  it('is reported with what may have been meant and where the list is', async () => {
    expect(await resolveModel('claud-sonnet', registry)).toEqual({
      ok: false,
      message:
        'Unknown model "claud-sonnet". Did you mean claude-sonnet-5-5, claude-sonnet-5, claude-sonnet-4-6? Run "weave models" for the list.',
      suggestions: ['claude-sonnet-5-5', 'claude-sonnet-5', 'claude-sonnet-4-6'],
    })
  })

  it.each([
    ['sonet', 'sonnet'],
    ['hiaku', 'haiku'],
    ['claude-opus', 'claude-opus-5-5'],
    ['gpt-4.1-mni', 'gpt-4.1-mini'],
    ['gemini-2.5-flsh', 'gemini-2.5-flash'],
    ['antropic/claude-opus-5-5', 'anthropic/claude-opus-5-5'],
    ['pi/claude-sonnet-5-5', 'pi/anthropic/claude-sonnet-5-5'],
    ['pi/openrouter/anthropic/claude-sonet-4.5', 'pi/openrouter/anthropic/claude-sonnet-4.5'],
  ])('%s brings %s to mind first', async (name, expected) => {
    expect(await suggestions(name)).toHaveProperty('0', expected)
  })

  it('like nothing at all gets the aliases to begin with', async () => {
    expect(await resolveModel('zzz-qqq-www', registry)).toEqual({
      ok: false,
      message: 'Unknown model "zzz-qqq-www". Try haiku, sonnet, opus. Run "weave models" for the list.',
      suggestions: ['haiku', 'sonnet', 'opus'],
    })
    expect(await suggestions('')).toEqual(['haiku', 'sonnet', 'opus'])
    expect(await suggestions('pi/')).toHaveProperty('0', 'pi/anthropic/claude-haiku-5-5')
  })

  it('gets at most three suggestions, on one line, all of which would be understood', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async name => {
        const result = await resolveModel(name, registry)
        if (result.ok) return
        expect(result.message).not.toMatch(/[\n\r\u0000-\u001f]/)
        expect(result.suggestions.length).toBeLessThanOrEqual(3)
        for (const each of result.suggestions) expect(findModel(each, registry)).toBeDefined()
      }),
      { numRuns: 15 },
    )
  })

  it('of any length is answered in a short line', async () => {
    const result = await resolveModel('claude-'.repeat(100_000), registry)
    expect(result).toHaveProperty('ok', false)
    expect(JSON.stringify(result).length).toBeLessThan(400)
  })
})

async function suggestions(name: string): Promise<readonly string[]> {
  const result = await resolveModel(name, registry)
  return result.ok ? [] : result.suggestions
}
