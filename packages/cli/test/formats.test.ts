import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProblemCode } from '@weave/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { harmless } from 'weave-client'
import { verifies } from '../../../test/conformance/verifies.ts'
import { tally } from '../../../test/support/proof.ts'
import { assertSample } from '../../../test/support/sampled.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { root } from '../../../test/support/weave-command.ts'
import { outputText } from '../src/ci/build-machine.ts'
import { codeQualityText } from '../src/validate/formats/code-quality.ts'
import { githubLines, inertLine } from '../src/validate/formats/github.ts'
import { junitText } from '../src/validate/formats/junit.ts'
import { fenced, inline, markdownText } from '../src/validate/formats/markdown.ts'
import { sarifText } from '../src/validate/formats/sarif.ts'
import type { FoundProblem, Verdict } from '../src/validate/formats/verdict.ts'

const manifest = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
  readonly homepage: string
}

const file = 'a/hank.json'

function problem(message: string, more: Partial<FoundProblem> = {}): FoundProblem {
  const place = { file, line: 3, column: 7 }
  return {
    severity: 'error',
    code: 'hank/enum',
    where: 'hank[0]',
    message,
    file,
    place,
    end: { ...place, column: 12 },
    fingerprint: 'f',
    ...more,
  }
}

function verdict(problems: readonly FoundProblem[], more: Partial<Verdict> = {}): Verdict {
  return {
    file,
    title: 'A hank 1.0.0',
    ok: problems.every(({ severity }) => severity === 'warning'),
    counts: { codons: 2, loops: 1 },
    problems,
    plan: ['  [1] A (a)'],
    ...more,
  }
}

const many = (count: number, more: Partial<FoundProblem> = {}): readonly FoundProblem[] =>
  Array.from({ length: count }, (_, at) => problem(`number ${at}`, more))

/** As GitHub's runner reads a line: `::name properties::data`, or nothing. */
function commandIn(line: string) {
  const found = /^\s*::(?<name>[^ :]+)(?: (?<list>.*?))?::(?<data>.*)$/s.exec(line)?.groups
  if (!found) return undefined
  const data = (text: string) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
  const property = (text: string) =>
    text
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%25', '%')
  const properties = Object.fromEntries(
    (found['list'] ?? '').split(',').map(pair => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), property(pair.slice(at + 1))]
    }),
  )
  return { name: found['name'], properties, message: data(found['data'] ?? '') }
}

describe('annotations for GitHub', () => {
  verifies(['ci/github'], 'say file, line, columns, rule and message', () => {
    expect(githubLines([verdict([problem('is, in a way: 100 % wrong')])])).toEqual([
      '::error file=a/hank.json,line=3,col=7,endLine=3,endColumn=11,title=weave hank/enum::hank[0]: is, in a way: 100 %25 wrong',
    ])
    const long = problem('x', { end: { file, line: 9, column: 1 } })
    expect(githubLines([verdict([long])])[0]).toContain('line=3,col=7,title=')
  })

  verifies(['ci/github-escaping'], 'come out of thousands of random messages as they went in', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    const spiced = fc.array(fc.oneof(text, fc.constantFrom('::', '%0A', '%25', '\r\n', ',', ':', '##[', '%')))
    const messages = await assertSample(
      fc.property(spiced, text, (parts, name) => {
        const message = parts.join('')
        const path = `d/${name}.json`
        const lines = githubLines([verdict([problem(message, { file: path, where: '' })])])
        expect(lines).toHaveLength(1)
        expect(lines[0]).not.toMatch(/[\r\n]/)
        const read = commandIn(lines[0] ?? '')
        expect(read?.message).toBe(harmless(message))
        expect(read?.properties['file']).toBe(harmless(path))
        expect(read?.properties['title']).toBe('weave hank/enum')
      }),
      { whole: 10_000, atLeast: 1_000, ms: 1_000 },
    )
    tally('messages for GitHub', messages)
  })

  verifies(
    ['ci/github-limit'],
    'are ten errors and ten warnings, and the tenth says how many more there are',
    () => {
      const lines = githubLines(
        [
          verdict([...many(12), ...many(11, { severity: 'warning' })]),
          verdict(many(3), { file: 'b/hank.json' }),
        ],
        'in the summary',
      )
      const commands = lines.flatMap(line => commandIn(line) ?? [])
      expect(commands.map(({ name }) => name)).toEqual([
        ...Array(10).fill('error'),
        ...Array(10).fill('warning'),
      ])
      expect(commands[9]?.message).toBe('hank[0]: number 9 (and 5 more errors in the summary)')
      expect(commands[19]?.message).toBe('hank[0]: number 9 (and 1 more warning in the summary)')
      expect(lines).toHaveLength(12 + 11 + 3)
      const exact = githubLines([verdict(many(10))])
      expect(exact[9]).not.toContain('more')
    },
  )

  test('leave out what a baseline has', () => {
    expect(githubLines([verdict([problem('x', { isKnown: true })])])).toEqual([])
  })
})

const hostile = [
  '::set-output name=x::y',
  '\n::add-mask::y',
  'a ##[error]b',
  '\u001b[31mred\u001b[0m',
  '</details><script>alert(1)</script>',
  '``` ` ```` end',
  '| cell | @someone [a](http://b) ![c](d) *e* _f_ ~g~',
  '\u202Eright to left\u2028line',
  '\ud800 half a pair',
  ']]> &amp; "quoted"',
]

describe('names and messages made to be obeyed', () => {
  const verdicts = hostile.map(text =>
    verdict(
      [
        ...[1, 2].map(() => problem(text, { where: text, file: text })),
        ...[1, 2, 3].map(() => problem(text, { severity: 'warning', file: text })),
      ],
      {
        file: text,
        title: text,
        plan: [`  [1] ${text} (a)`],
      },
    ),
  )
  const written = {
    github: githubLines(verdicts).join('\n'),
    sarif: sarifText(verdicts),
    junit: junitText(verdicts),
    markdown: markdownText(verdicts),
    'code-quality': codeQualityText(verdicts),
  }

  verifies(
    ['ci/inert'],
    'are inert in every format: no command, no control character, no tag, no cell',
    () => {
      for (const [format, text] of Object.entries(written)) {
        expect(text, format).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
        for (const line of text.split('\n')) {
          const command = commandIn(line)
          if (format !== 'github') expect(command, `${format}: ${line}`).toBeUndefined()
          else if (command) expect(['error', 'warning']).toContain(command.name)
          if (!command) expect(line).not.toContain('##[')
        }
      }
      // What stands in a fence is shown as it is.
      const around = written.markdown.replace(/^(`{3,})text\n.*?^\1$/gms, '')
      expect(around.match(/<\/details>/g)).toHaveLength(hostile.length)
      expect(around).not.toContain('<script>')
      expect(written.junit).not.toContain('<script>')
      for (const row of written.markdown.split('\n').filter(line => line.startsWith('| ❌')))
        expect(row.replaceAll('\\|', '').split('|')).toHaveLength(6)
    },
  )

  test('lose nothing in SARIF but what no text may hold', () => {
    const { runs } = JSON.parse(written.sarif) as { runs: [{ results: { message: { text: string } }[] }] }
    expect(runs[0].results[0]?.message.text).toBe(`${hostile[0]}: ${hostile[0]}`)
    expect(runs[0].results[4]?.message.text).toBe(`${hostile[2]}: ${hostile[2]}`)
  })

  test('cannot close a fence', () => {
    const text = fenced(['a', '`````', 'b'])
    expect(text.startsWith('``````text\n')).toBe(true)
    expect(text.endsWith('\n``````')).toBe(true)
  })

  test('are no commands in plain lines', () => {
    expect(inertLine('  ::error::x')).toBe('  : :error::x')
    expect(inertLine('a ##[command]b')).toBe('a ## [command]b')
    expect(inertLine('12:00:01 a::b')).toBe('12:00:01 a::b')
  })
})

describe('SARIF', () => {
  const schema = JSON.parse(readFileSync(join(root, 'test/fixtures/sarif-2.1.0.json'), 'utf8')) as object
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  const documentOf = (verdicts: readonly Verdict[]) => JSON.parse(sarifText(verdicts)) as SarifDocument

  verifies(
    ['ci/sarif'],
    'is what the schema of 2.1.0 says, for nothing, for everything and for five thousand problems',
    () => {
      const place = { file, line: 1, column: 1 }
      const fixes = [{ title: 'Write "x"', edits: [{ start: place, end: place, text: '"x"' }] }]
      const whole = [
        problem('a', { fixes }),
        problem('b', { isKnown: true }),
        problem('c', { file: '/out/x.json' }),
      ]
      for (const problems of [[], whole, many(5_000)]) {
        const document = documentOf([verdict(problems)])
        expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true)
      }
      const broken = documentOf([verdict([problem('x')])])
      Reflect.set(broken.runs[0].results[0] ?? {}, 'level', 'fatal')
      expect(validate(broken)).toBe(false)
    },
  )

  verifies(
    ['ci/sarif-content'],
    'has rules with an address, places from the root, fixes and a fingerprint without the line',
    () => {
      const place = { file, line: 1, column: 2 }
      const fixes = [{ title: 'Write "x"', edits: [{ start: place, end: place, text: '"x"' }] }]
      const {
        runs: [run],
      } = documentOf([
        verdict([problem('a', { fixes, isKnown: false }), problem('b', { file: 'a b/ü.json' })]),
      ])
      expect(run.columnKind).toBe('utf16CodeUnits')
      expect(run.tool.driver.rules).toMatchObject([
        { id: 'hank/enum', helpUri: `${manifest.homepage}validate#hank-enum` },
      ])
      expect(run.results[0]).toMatchObject({
        ruleId: 'hank/enum',
        ruleIndex: 0,
        level: 'error',
        baselineState: 'new',
        partialFingerprints: { 'weaveProblem/v1': 'f' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: file, uriBaseId: 'SRCROOT' },
              region: { startLine: 3, startColumn: 7, endLine: 3, endColumn: 12 },
            },
          },
        ],
        fixes: [{ artifactChanges: [{ replacements: [{ insertedContent: { text: '"x"' } }] }] }],
      })
      expect(JSON.stringify(run.results[1])).toContain('"uri":"a%20b/%C3%BC.json"')
    },
  )

  verifies(
    ['ci/sarif-limit'],
    'holds five thousand results, errors first, and says how many are left out',
    () => {
      const problems = [...many(2_000, { severity: 'warning' }), ...many(4_000)]
      const {
        runs: [run],
      } = documentOf([verdict(problems)])
      expect(run.results).toHaveLength(5_000)
      expect(run.results.slice(0, 4_000).every(({ level }) => level === 'error')).toBe(true)
      expect(JSON.stringify(run.invocations)).toContain('1000 more problems are left out')
    },
  )
})

interface SarifDocument {
  readonly runs: readonly [
    {
      readonly columnKind: string
      readonly invocations: readonly object[]
      readonly tool: { readonly driver: { readonly rules: readonly object[] } }
      readonly results: readonly { readonly level: string }[]
    },
  ]
}

describe('a JUnit report', () => {
  const lint = async (text: string, ...words: readonly string[]) => {
    const path = join(await tempDir(), 'junit.xml')
    writeFileSync(path, text)
    return spawnSync('xmllint', [...words, path], { encoding: 'utf8' })
  }

  verifies(
    ['ci/junit'],
    'has a suite for each hank, a failed case for each error, one that passed for none',
    async () => {
      const text = junitText([
        verdict([problem('bad & <worse>'), problem('odd', { severity: 'warning' })]),
        verdict([], { file: 'b/hank.json' }),
      ])
      expect(await lint(text, '--noout')).toMatchObject({ status: 0, stderr: '' })
      const at = async (path: string) => (await lint(text, '--xpath', path)).stdout.trim()
      expect(await at('string(//testsuites/@tests)')).toBe('2')
      expect(await at('string(//testsuites/@failures)')).toBe('1')
      expect(await at('string(//failure/@message)')).toBe('bad & <worse>')
      expect(await at('string(//failure/@type)')).toBe('hank/enum')
      expect(await at('string(//testcase[failure]/@classname)')).toBe(file)
      expect(await at('string(//testcase[failure]/@name)')).toBe('hank[0]')
      expect(await at('string(//failure)')).toBe('a/hank.json:3:7: hank[0]: bad & <worse>')
      expect(await at('count(//testsuite[@name="b/hank.json"]/testcase[not(*)])')).toBe('1')
      expect(await at('string(//system-out)')).toContain('odd')
    },
  )

  verifies(['ci/junit-characters'], 'is XML whatever the messages hold', async () => {
    const text = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), 2_000)
    const all = [...hostile, ...text].map(message => problem(message, { where: message, file: message }))
    expect(await lint(junitText([verdict(all)]), '--noout', '--huge')).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})

describe('a summary in Markdown', () => {
  verifies(['ci/markdown'], 'has the verdict, the first fifty problems, the plan and the worst case', () => {
    const text = markdownText([verdict(many(60)), verdict([], { file: 'b/hank.json', title: 'B 1.0.0' })])
    expect(text).toContain('### ❌ A hank 1.0.0')
    expect(text).toContain('### ✅ B 1.0.0')
    expect(text.match(/^\| ❌/gm)).toHaveLength(50)
    expect(text).toContain('And 10 more.')
    expect(text).toContain('[1] A (a)')
  })

  verifies(['ci/markdown-limit'], 'has less than 900 kB, whatever there is to say', () => {
    const long = verdict(
      many(60).map(each => ({ ...each, message: 'x'.repeat(100_000) })),
      {
        plan: Array.from({ length: 20_000 }, () => 'y'.repeat(1_000)),
      },
    )
    const text = markdownText(Array.from({ length: 20 }, () => long))
    expect(Buffer.byteLength(text)).toBeLessThan(900_000)
    expect(text).toMatch(/\d+ more are left out/)
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length)
  })

  test('escapes what Markdown would take for itself', () => {
    expect(inline('a|b `c` <d> $1 @e')).toBe('a\\|b \\`c\\` &lt;d&gt; \\$1 &#64;e')
  })
})

verifies(['ci/code-quality'], 'GitLab gets description, rule, fingerprint, severity and place', () => {
  const known = problem('known', { isKnown: true })
  const issues = JSON.parse(
    codeQualityText([verdict([problem('x'), known, problem('y', { severity: 'warning' })])]),
  ) as unknown
  expect(issues).toEqual([
    {
      description: 'hank[0]: x',
      check_name: 'hank/enum',
      fingerprint: 'f',
      severity: 'major',
      location: { path: file, lines: { begin: 3, end: 3 } },
    },
    expect.objectContaining({ severity: 'minor' }),
  ])
})

test('an output with line breaks cannot become two', () => {
  const text = outputText({ a: 'x', b: 'y\nc=z' })
  expect(text).toMatch(/^a=x\nb<<(weave_[0-9a-f-]{36})\ny\nc=z\n\1\n$/)
})

test('every code may stand in a title', () => {
  const code: ProblemCode = 'hank/unknown-field'
  expect(githubLines([verdict([problem('x', { code })])])[0]).toContain('title=weave hank/unknown-field::')
})
