import { describe, expect, it } from 'vitest'
import { formatProblem } from '../../src/kit/index.ts'
import { readFrontMatter } from '../../src/prompt/front-matter.ts'

const read = (text: string) => readFrontMatter({ file: 'p.md', text })

describe('front matter', () => {
  it('is read and taken off, with the empty lines after it', async () => {
    const text =
      '---\nname: Draft\ndescription: "Two: words"\ntags: [a, b]\nversion: 1.0\nauthor: Ann\n---\n\n\n# Do it\n'
    expect(await read(text)).toEqual({
      metadata: { name: 'Draft', description: 'Two: words', tags: ['a', 'b'], version: '1.0', author: 'Ann' },
      body: '# Do it\n',
      problems: [],
    })
  })

  it.each<[string, string, object, string]>([
    ['Windows line ends', '---\r\nname: x\r\n---\r\nbody', { name: 'x' }, 'body'],
    ['a byte order mark', '\uFEFF---\nname: x\n---\nbody', { name: 'x' }, 'body'],
    ['nothing after it', '---\nname: x\n---', { name: 'x' }, ''],
    ['spaces after the dashes', '---  \nname: x\n--- \nbody', { name: 'x' }, 'body'],
    ['nothing in it', '---\n---\nbody', {}, 'body'],
    ['a comment in it', '---\n# only a comment\n---\nbody', {}, 'body'],
    ['other keys', '---\nname: x\nmodel: y\n__proto__: z\nconstructor: a\n---\nbody', { name: 'x' }, 'body'],
    ['tags in one text', '---\ntags: a, b ,, c\n---\nbody', { tags: ['a', 'b', 'c'] }, 'body'],
    [
      'dashes in a value',
      '---\ndescription: |\n  a\n  --- b\n  ---\n---\nbody',
      { description: 'a\n--- b\n---\n' },
      'body',
    ],
    [
      'words YAML 1.1 would change',
      '---\nname: no\nversion: 2026-01-01\n---\nbody',
      { name: 'no', version: '2026-01-01' },
      'body',
    ],
  ])('may have %s', async (_, text, metadata, body) => {
    expect(await read(text)).toEqual({ metadata, body, problems: [] })
  })

  it.each<[string, string]>([
    ['only begins with a rule', '---\nA text\n\nand more'],
    ['has it later', 'A text\n---\nname: x\n---\n'],
    ['begins with four dashes', '----\nname: x\n----\n'],
    ['begins with an empty line', '\n---\nname: x\n---\n'],
    ['is empty', ''],
    ['is one rule', '---'],
  ])('is not there when the text %s', async (_, text) => {
    expect(await read(text)).toEqual({ metadata: {}, body: text, problems: [] })
  })

  it.each<[string, string, RegExp]>([
    [
      'is no YAML',
      '---\nname: x\ntags: [a\nb: "\n---\nbody',
      /^p\.md:\d+:1: warning: the front matter is not usable/,
    ],
    ['has a key twice', '---\nname: x\nname: y\n---\nbody', /^p\.md:3:1: warning: .*Map keys must be unique/],
    [
      'is a text',
      '---\nname = x\n---\nbody',
      /^p\.md:2:1: warning: .*not a list of fields such as "name: …"$/,
    ],
    ['is a list', '---\n- a\n---\nbody', /not a list of fields/],
    ['has aliases', '---\nname: &a x\nauthor: *a\n---\nbody', /Alias resolution is disabled$/],
    [
      'is too large',
      `---\nname: ${'x'.repeat(20_000)}\n---\nbody`,
      /^p\.md:1:1: warning: the front matter is longer than 16384/,
    ],
  ])('that %s stays in the text, with a warning', async (_, text, message) => {
    const { metadata, body, problems } = await read(text)
    expect([metadata, body]).toEqual([{}, text])
    expect(problems).toHaveLength(1)
    expect(problems.map(formatProblem).join()).toMatch(message)
  })

  it('loses a field of the wrong kind, with a warning, and keeps the others', async () => {
    expect(await read('---\nname: {a: b}\ntags: [[a]]\nauthor: Ann\n---\nbody')).toMatchObject({
      metadata: { author: 'Ann' },
      body: 'body',
      problems: [
        { severity: 'warning', message: 'the field name of the front matter is ignored: expected a text' },
        {
          severity: 'warning',
          message: 'the field tags of the front matter is ignored: expected a list of texts',
        },
      ],
    })
  })

  it.each<[string, string]>([
    ['nested lists', '['.repeat(16_000)],
    ['nested maps', '{a: '.repeat(4_000)],
    ['nested blocks', '- '.repeat(8_000)],
    ['many keys', Array.from({ length: 2_500 }, (_, at) => `k${at}:`).join('\n')],
    [
      'an alias bomb',
      `a: &a [x,x]\n${Array.from({ length: 200 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`},*a]`).join('\n')}`,
    ],
    ['strange tags', 'name: !!js/function "x"\nauthor: !<tag:x> y'],
    ['a megabyte without an end', 'x\n'.repeat(500_000)],
    ['a megabyte of almost ends', '---x\n'.repeat(200_000)],
  ])('survives %s', async (_, yaml) => {
    const start = performance.now()
    const { body } = await read(`---\n${yaml}\n---\nbody`)
    expect(body.endsWith('body')).toBe(true)
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})
