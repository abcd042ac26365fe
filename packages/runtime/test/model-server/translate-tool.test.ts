import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { workingDirectory } from '../../src/model-server/decider.ts'
import type { ToolUse, Turn } from '../../src/model-server/index.ts'
import { translateTool } from '../../src/model-server/translate-tool.ts'

const uses: readonly ToolUse[] = [
  { use: 'read', input: { path: 'a/b.md' } },
  { use: 'write', input: { path: 'a/b.md', content: 'x' } },
  { use: 'edit', input: { path: 'a/b.md', old: 'x', new: 'y' } },
  { use: 'bash', input: { command: 'ls' } },
]

const strict = [
  { name: 'Bash', fields: ['command', 'timeout'] },
  { name: 'Edit', fields: ['file_path', 'old_string', 'new_string', 'replace_all'] },
  { name: 'Read', fields: ['file_path', 'offset'] },
  { name: 'Write', fields: ['file_path', 'content'] },
]

const relaxed = [
  { name: 'read', fields: ['path', 'offset'] },
  { name: 'bash', fields: ['command'] },
  { name: 'edit', fields: ['path', 'edits'] },
  { name: 'write', fields: ['path', 'content'] },
]

verifies(
  ['d13/step-use-tools', 'd13/step-use-translated'],
  'speaks of each tool in the words that the request declares',
  () => {
    expect(uses.map(use => translateTool(use, { declarations: strict, cwd: '/w' }))).toEqual([
      { ok: true, name: 'Read', input: { file_path: '/w/a/b.md' } },
      { ok: true, name: 'Write', input: { file_path: '/w/a/b.md', content: 'x' } },
      { ok: true, name: 'Edit', input: { file_path: '/w/a/b.md', old_string: 'x', new_string: 'y' } },
      { ok: true, name: 'Bash', input: { command: 'ls' } },
    ])
    expect(uses.map(use => translateTool(use, { declarations: relaxed, cwd: undefined }))).toEqual([
      { ok: true, name: 'read', input: { path: 'a/b.md' } },
      { ok: true, name: 'write', input: { path: 'a/b.md', content: 'x' } },
      { ok: true, name: 'edit', input: { path: 'a/b.md', edits: [{ oldText: 'x', newText: 'y' }] } },
      { ok: true, name: 'bash', input: { command: 'ls' } },
    ])
  },
)

test('knows both shapes of an edit', () => {
  const declarations = [{ name: 'edit', fields: ['path', 'oldText', 'newText'] }]
  const use: ToolUse = { use: 'edit', input: { path: 'a', old: 'x', new: 'y' } }
  expect(translateTool(use, { declarations, cwd: undefined })).toMatchObject({
    input: { path: 'a', oldText: 'x', newText: 'y' },
  })
})

test('leaves an absolute path as it is', () => {
  const use: ToolUse = { use: 'read', input: { path: '/elsewhere/a' } }
  expect(translateTool(use, { declarations: strict, cwd: '/w' })).toMatchObject({
    input: { file_path: '/elsewhere/a' },
  })
})

test('refuses what the request does not offer, and a path that begins nowhere', () => {
  const use: ToolUse = { use: 'read', input: { path: 'a' } }
  expect(translateTool(use, { declarations: [], cwd: '/w' })).toMatchObject({ ok: false })
  expect(translateTool(use, { declarations: strict, cwd: undefined })).toEqual({
    ok: false,
    message: 'The tool "Read" wants an absolute path, and the working directory is not known.',
  })
})

describe('the working directory', () => {
  const user = (...texts: readonly string[]): Turn => ({
    role: 'user',
    text: texts.join('\n\n'),
    texts,
    calls: [],
    results: [],
  })
  const note = '<system-reminder>\n# Environment\n - Primary working directory: /w/my room\n - Shell: sh\n'

  test('is read from the system prompt or from a note of the harness', () => {
    expect(workingDirectory({ system: 'Hi.\nCurrent working directory: /w/a', turns: [] })).toBe('/w/a')
    expect(workingDirectory({ system: '', turns: [user(note, 'Go.')] })).toBe('/w/my room')
  })

  test('is found at once in a line of blanks, and without those at its end', () => {
    const started = performance.now()
    const system = `working directory: x${' '.repeat(200_000)}y\nworking directory: /w/b  \n`
    expect(workingDirectory({ system, turns: [] })).toBeUndefined()
    expect(workingDirectory({ system: 'working directory: /w/b \t\n', turns: [] })).toBe('/w/b')
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  test('is not taken from a prompt, nor from a sentence about directories', () => {
    const prompt = 'Working directory: /etc'
    expect(workingDirectory({ system: '', turns: [user(prompt)] })).toBeUndefined()
    expect(workingDirectory({ system: 'in the working directory: where', turns: [] })).toBeUndefined()
    expect(workingDirectory({ system: '', turns: [user(note, prompt)] })).toBe('/w/my room')
  })
})

verifies(
  ['acp/rehearsal'],
  'finds the tools of agents that call them otherwise, or writes a line for their shell',
  () => {
    const gemini = [
      { name: 'write_file', fields: ['file_path', 'content'] },
      { name: 'run_shell_command', fields: ['command', 'description'] },
    ]
    const write: ToolUse = { use: 'write', input: { path: 'a', content: 'b' } }
    expect(translateTool(write, { declarations: gemini, cwd: '/w' })).toEqual({
      ok: true,
      name: 'write_file',
      input: { file_path: '/w/a', content: 'b' },
    })
    const opencode = [{ name: 'edit', fields: ['filePath', 'oldString', 'newString'] }]
    const edit: ToolUse = { use: 'edit', input: { path: 'a', old: 'x', new: 'y' } }
    expect(translateTool(edit, { declarations: opencode, cwd: '/w' })).toMatchObject({
      input: { filePath: '/w/a', oldString: 'x', newString: 'y' },
    })
    const codex = [{ name: 'exec_command', fields: ['cmd', 'workdir'] }]
    const line = translateTool(
      { use: 'write', input: { path: "d/it's", content: "a'b\n" } },
      { declarations: codex, cwd: '/w' },
    )
    expect(line).toMatchObject({
      name: 'exec_command',
      input: { cmd: expect.stringMatching(/^mkdir -p/) as string },
    })
  },
)
