import { describe, expect, test } from 'vitest'
import { codon, type Json, loadValue, loop, told } from './fixture.ts'

async function saidAbout(hank: unknown): Promise<readonly string[]> {
  return told(await loadValue(hank))
}

const ofCodon = (more: Json) => saidAbout({ hank: [codon(more)] })
const ofLoop = (more: Json) => saidAbout({ hank: [loop(more)] })

describe('a short form gets the full one as an answer', () => {
  test.each<[Json, readonly string[]]>([
    [
      { outputFiles: ['*.md'] },
      ['outputFiles[0]: expected an object, found "*.md". Write {"copy": ["*.md"]}.'],
    ],
    [
      { outputFiles: '*.md' },
      ['outputFiles: expected a list of objects, found "*.md". Write [{"copy": ["*.md"]}].'],
    ],
    [
      { outputFiles: [{ copy: '*.md' }] },
      ['outputFiles[0].copy: expected a non-empty list of strings, found "*.md". Write ["*.md"].'],
    ],
    [
      { sentinels: ['x.json'] },
      ['sentinels[0]: expected an object, found "x.json". Write {"sentinelConfig": "x.json"}.'],
    ],
    [
      { sentinels: 'x.json' },
      ['sentinels: expected a list of objects, found "x.json". Write [{"sentinelConfig": "x.json"}].'],
    ],
    [{ budget: 5 }, ['budget: expected an object, found 5. Write {"maxDollars": 5}.']],
    [
      { checkpointedFiles: 'src/**' },
      ['checkpointedFiles: expected a list of strings, found "src/**". Write ["src/**"].'],
    ],
    [
      { rigSetup: ['npm ci'] },
      [
        'rigSetup[0]: expected an object, found "npm ci". Write {"type": "command", "command": {"run": "npm ci"}}.',
      ],
    ],
    [
      { rigSetup: [{ type: 'copy', from: 'a', to: 'b' }] },
      [
        'rigSetup[0].copy: is missing; expected an object. Write "copy": {"from": "a", "to": "b"}.',
        'rigSetup[0]: Unknown field from. It belongs into copy. Valid fields of rigSetup[0]: type, copy, allowFailure',
        'rigSetup[0]: Unknown field to. It belongs into copy. Valid fields of rigSetup[0]: type, copy, allowFailure',
      ],
    ],
    [
      { rigSetup: [{ type: 'command', run: 'ls' }] },
      [
        'rigSetup[0].command: is missing; expected an object. Write "command": {"run": "ls"}.',
        'rigSetup[0]: Unknown field run. It belongs into command. Valid fields of rigSetup[0]: type, command, allowFailure',
      ],
    ],
    [
      { rigSetup: [{ type: 'command', command: 'ls' }] },
      ['rigSetup[0].command: expected an object, found "ls". Write {"run": "ls"}.'],
    ],
  ])('in a codon: %j', async (more, expected) => {
    expect(await ofCodon(more)).toEqual(expected.map(line => `hank[0].${line}`))
  })

  test.each(['maxIterations', 'iterations', 'limit'])('in a loop: %s', async key => {
    expect(await ofLoop({ terminateOn: undefined, [key]: 5 })).toEqual([
      'hank[0].terminateOn: is missing; expected an object',
      `hank[0]: Unknown field ${key}. Write "terminateOn": {"type": "iterationLimit", "limit": 5}. Valid loop fields: type, id, name, description, terminateOn, codons, budget, archiveOnSuccess`,
    ])
  })

  test('in a loop: the limit alone, or the word alone', async () => {
    expect(await ofLoop({ terminateOn: 5 })).toEqual([
      'hank[0].terminateOn: expected an object, found 5. Write {"type": "iterationLimit", "limit": 5}.',
    ])
    expect(await ofLoop({ terminateOn: 'contextExceeded' })).toEqual([
      'hank[0].terminateOn: expected an object, found "contextExceeded". Write {"type": "contextExceeded"}.',
    ])
    expect(await ofLoop({ budget: 5 })).toEqual([
      'hank[0].budget: expected an object, found 5. Write {"maxDollars": 5}.',
    ])
  })

  test('at the root: another word for hank, or the list alone', async () => {
    for (const key of ['codons', 'steps']) {
      expect(await saidAbout({ [key]: [codon()] })).toEqual([
        'hank: is missing; expected a non-empty list',
        `: Unknown field ${key}. Did you mean hank? Valid root fields: $schema, meta, overrides, requirements, globalSystemPromptFile, globalSystemPromptText, hank`,
      ])
    }
    expect(await saidAbout([codon()])).toEqual([
      ': expected an object, found a list. The root is an object: put the list under "hank".',
    ])
  })

  test('but only where it is short, and only where it is one', async () => {
    expect(await ofCodon({ outputFiles: ['x'.repeat(200)] })).toEqual([
      expect.stringMatching(/^hank\[0\]\.outputFiles\[0\]: expected an object, found "x{60}…"$/),
    ])
    expect(await ofCodon({ budget: 'much' })).toEqual(['hank[0].budget: expected an object, found "much"'])
    expect(await ofCodon({ outputFiles: [5] })).toEqual([
      'hank[0].outputFiles[0]: expected an object, found 5',
    ])
    expect(await ofCodon({ env: 'A=B' })).toEqual(['hank[0].env: expected an object, found "A=B"'])
    const copy = [{ type: 'copy', copy: 'a' }]
    expect(await ofCodon({ rigSetup: copy })).toEqual([
      'hank[0].rigSetup[0].copy: expected an object, found "a"',
    ])
    expect(await ofCodon({ limit: 5 })).toEqual([expect.stringContaining('Unknown field limit. ')])
  })
})
