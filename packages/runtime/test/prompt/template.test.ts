import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillTemplate } from '../../src/prompt/assemble.ts'

describe('template variables', () => {
  it.each<[string, string]>([
    ['<%AGENT_ROOT%>', '/r'],
    ['<%PROJECT_DIR%>', '/r'],
    ['<%EXECUTION_DIR%>', '/r'],
    ['<%DATA_DIR%>', '/r/read_only_data_source'],
    ['a <%AGENT_ROOT%>/b <%DATA_DIR%>', 'a /r/b /r/read_only_data_source'],
    ['<%AGENT_ROOT%><%AGENT_ROOT%>', '/r/r'],
    ['<%<%AGENT_ROOT%>%>', '<%/r%>'],
  ])('%s becomes %s', (text, filled) => {
    expect(fillTemplate(text, '/r')).toBe(filled)
  })

  it.each([
    '<%OTHER%>',
    '<%= it.events %>',
    '<%agent_root%>',
    '<% AGENT_ROOT %>',
    '<%AGENT_ROOT',
    'AGENT_ROOT%>',
    '<%%>',
  ])('%s stays', text => {
    expect(fillTemplate(text, '/r')).toBe(text)
  })

  it('are not looked for in what was put in, and $ means nothing', () => {
    expect(fillTemplate('<%AGENT_ROOT%>', '/<%DATA_DIR%>/$&$1$$')).toBe('/<%DATA_DIR%>/$&$1$$')
    expect(fillTemplate('<%<%AGENT_ROOT%>', 'DATA_DIR%>')).toBe('<%DATA_DIR%>')
  })

  it('leave a text without them as it is', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        expect(fillTemplate(text, '/r')).toBe(text)
      }),
    )
  })
})
