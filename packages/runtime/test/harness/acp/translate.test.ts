import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { createTranslate } from '../../../src/harness/acp/translate.ts'

const clock = { monotonic: () => 0 }
const text = (value: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: value },
  ...(messageId !== undefined && { messageId }),
})
const call = (fields: object) => ({ sessionUpdate: 'tool_call', toolCallId: 't', ...fields })
const update = (fields: object) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields })

function told(...updates: readonly object[]) {
  const translate = createTranslate(clock)
  return [...updates.flatMap(each => translate.heard(each)), ...translate.end()]
}

describe('what an agent says', () => {
  test('is one text for each message, or until something else comes', () => {
    const thought = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } }
    expect(told(text('a'), text('b'), thought, text('c', '1'), text('d', '2'))).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'c' },
      { type: 'text', text: 'd' },
    ])
  })

  test('of a tool is told with the first input, or when it begins', () => {
    const late = told(
      call({ status: 'pending', kind: 'edit', title: 'A file', rawInput: {} }),
      update({ rawInput: { path: 'x' } }),
      update({ status: 'completed', rawOutput: 'Fine.' }),
    )
    expect(late).toEqual([
      { type: 'tool-call', id: 't', name: 'edit', input: { path: 'x' } },
      { type: 'tool-result', id: 't', name: 'edit', output: 'Fine.', isError: false, durationMs: 0 },
    ])
    const never = told(call({ status: 'in_progress', kind: 'execute', title: 'ls -l' }))
    expect(never[0]).toEqual({ type: 'tool-call', id: 't', name: 'execute', input: { title: 'ls -l' } })
  })

  test('names a tool by the agent’s own word for it, wherever that stands', () => {
    const nameOf = (fields: object) => {
      const [event] = told(call({ status: 'in_progress', kind: 'execute', title: 'a b', ...fields }))
      return event?.type === 'tool-call' ? event.name : undefined
    }
    expect(nameOf({})).toBe('execute')
    expect(nameOf({ name: 'exec_command' })).toBe('exec_command')
    expect(nameOf({ _meta: { claudeCode: { toolName: 'Bash' } } })).toBe('Bash')
    expect(nameOf({ toolCallId: 'run_shell_command__call_1' })).toBe('run_shell_command')
    expect(nameOf({ title: 'bash' })).toBe('bash')
  })

  verifies(['acp/open-tools'], 'closes a tool as an error whose end never came', () => {
    expect(told(call({ status: 'in_progress', kind: 'execute' }))).toMatchObject([
      { type: 'tool-call' },
      { type: 'tool-result', isError: true },
    ])
  })

  verifies(['acp/exit-codes'], 'takes another exit code than 0 for a failure, however it is told', () => {
    const isError = (fields: object) => {
      const events = told(call({ status: 'in_progress' }), update({ status: 'completed', ...fields }))
      return events.some(event => event.type === 'tool-result' && event.isError)
    }
    expect(isError({})).toBe(false)
    expect(isError({ status: 'failed' })).toBe(true)
    expect(isError({ rawOutput: { metadata: { exit: 0 } } })).toBe(false)
    expect(isError({ rawOutput: { metadata: { exit: 3 } } })).toBe(true)
    expect(isError({ rawOutput: { exitCode: 1 } })).toBe(true)
    expect(isError({ _meta: { terminal_exit: { exit_code: 3 } } })).toBe(true)
  })

  test('of a command may come piece by piece, and after its end not again', () => {
    const piece = (data: string) => update({ _meta: { terminal_output_delta: { data } } })
    const events = told(
      call({ status: 'in_progress' }),
      piece('one '),
      piece('two'),
      update({ status: 'completed' }),
      update({ status: 'completed' }),
    )
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([{ output: 'one two' }])
  })
})
