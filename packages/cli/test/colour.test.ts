import { describe, expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { hasColour, paintDiff, paintEvent, paintMark, paintStanding, red } from '../src/colour.ts'

describe('colours', () => {
  verifies(['repair/colour'], 'are there on a terminal, and where somebody asks for them', () => {
    const has = (isTty: boolean, environment: Record<string, string> = {}, words: string[] = []) =>
      hasColour({ isTty, environment, words })
    expect(has(true)).toBe(true)
    expect(has(false)).toBe(false)
    expect(has(true, { TERM: 'dumb' })).toBe(false)
    expect(has(false, { FORCE_COLOR: '1' })).toBe(true)
    expect(has(true, { FORCE_COLOR: '0' })).toBe(false)
    expect(has(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false)
    expect(has(true, { NO_COLOR: '' })).toBe(true)
    expect(has(true, { FORCE_COLOR: '1' }, ['--no-color'])).toBe(false)
  })

  verifies(['repair/colour'], 'tell what is added, what is gone and how things stand', () => {
    expect(paintDiff('+new')).toBe('\u001b[32m+new\u001b[39m')
    expect(paintDiff('-old')).toBe('\u001b[31m-old\u001b[39m')
    expect(paintDiff(' same')).toBe(' same')
    expect(paintStanding('hank  failed  1 codon')).toBe(`hank  ${red('failed')}  1 codon`)
    expect(paintMark('  x  git  missing')).toBe(`  ${red('x')}  git  missing`)
    const failed = paintEvent({ type: 'codon.completed', data: { success: false } })
    expect(failed('10:11:12 codon a failed')).toContain(red('codon a failed'))
  })
})
